package dev.warpath.agent.stream;

/** Tags of records; {@code STREAM.md} says what each contains. */
public final class Tag {
    public static final int STRING = 1;
    public static final int CLASS = 2;
    public static final int METHOD = 3;
    public static final int OBJECT = 4;
    public static final int THREAD = 5;
    public static final int SWITCH = 6;
    public static final int ENTER = 10;
    public static final int EXIT = 11;
    public static final int UNWIND = 12;
    public static final int CATCH = 13;
    public static final int RET = 14;
    public static final int GETFIELD = 20;
    public static final int GETSTATIC = 21;
    public static final int PUTFIELD = 22;
    public static final int PUTSTATIC = 23;
    public static final int ALOAD = 24;
    public static final int ASTORE = 25;
    public static final int ALLOC = 26;
    public static final int ARRAYCOPY = 27;
    public static final int SYNC = 30;
    public static final int ATOMIC = 31;
    public static final int FORK = 40;
    public static final int BEGIN = 41;
    public static final int END = 42;
    public static final int JOIN = 43;
    public static final int YIELD = 44;
    public static final int COMMIT = 45;
    public static final int FENCE = 46;
    public static final int BUFFERED = 47;
    public static final int INPUT = 50;
    public static final int ASSUME = 51;
    public static final int TEXT = 52;
    public static final int LINE = 53;
    public static final int UNCAUGHT = 60;
    public static final int DEADLOCK = 61;
    public static final int STOP = 62;
    public static final int NOTE = 63;
    public static final int EXITED = 64;
    /** Added to the tag of an event that was a step of the schedule. */
    public static final int STEP = 128;

    private Tag() {}
}
