package dev.warpath.agent.model;

import dev.warpath.agent.schedule.Place;
import dev.warpath.agent.schedule.Scheduler;
import dev.warpath.agent.schedule.ThreadState;
import dev.warpath.agent.stream.Stream;
import dev.warpath.agent.stream.Tag;

/** SYNC records and the numbers in them; {@code STREAM.md} says what each means. */
public final class Sync {
    public static final int LOCK = 1;
    public static final int UNLOCK = 2;
    public static final int READ_LOCK = 3;
    public static final int READ_UNLOCK = 4;
    public static final int WRITE_LOCK = 5;
    public static final int WRITE_UNLOCK = 6;
    public static final int WAIT = 7;
    public static final int WAKE = 8;
    public static final int NOTIFY = 9;
    public static final int NOTIFY_ALL = 10;
    public static final int TAKE = 11;
    public static final int GIVE = 12;
    public static final int COUNT = 13;
    public static final int ARRIVE = 14;
    public static final int LEAVE = 15;
    public static final int INIT = 16;
    public static final int COUNT_DOWN = 17;
    public static final int OPEN = 18;
    public static final int INTERRUPT = 19;
    public static final int TEST_AND_CLEAR = 20;
    public static final int TEST = 21;

    public static final int MONITOR = 0;
    public static final int OBJECT = 1;
    public static final int READ_PART = 2;
    public static final int WRITE_PART = 3;
    public static final int PERMIT = 4;
    public static final int FLAG = 5;

    public static final int DONE = 0;
    public static final int BUSY = 1;
    public static final int TIMED_OUT = 2;
    public static final int INTERRUPTED = 3;
    public static final int PENDING = 5;
    public static final int ERROR = 6;

    public static final int BLOCK = 0;
    public static final int TRY = 1;
    public static final int TIMED = 2;

    private Sync() {}

    /** Records an event that was a step. */
    public static void record(ThreadState t, long at, int verb, int space, int object, long a, long b, int result) {
        int p = Stream.u(Stream.start(), Place.pc(at));
        p = Stream.u(p, verb);
        p = Stream.u(p, space);
        p = Stream.u(p, object);
        p = Stream.u(p, a);
        p = Stream.u(p, b);
        p = Stream.u(p, result);
        if (Stream.end(p, Tag.SYNC | Tag.STEP)) {
            Scheduler.more(t);
        }
    }
}
