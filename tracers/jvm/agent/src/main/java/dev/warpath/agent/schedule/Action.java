package dev.warpath.agent.schedule;

/** What a thread is about to do when it next has the turn. */
public abstract class Action {
    /** No deadline. */
    public static final long NEVER = Long.MAX_VALUE;

    /** The place in the program: number of the method and offset, see {@link Place}. */
    public final long at;
    /** The word of schedules for it; null if it is no step of a schedule. */
    final String verb;
    /** When, in virtual nanoseconds, it ends anyhow. */
    public long deadline = NEVER;

    protected Action(String verb, long at) {
        this.verb = verb;
        this.at = at;
    }

    /** Can it be done now? */
    public boolean isPossible() {
        return true;
    }

    /** Can it not even end by its deadline now? So it is with a wait whose monitor another thread holds. */
    public boolean isHeldUp() {
        return false;
    }

    /** Must earlier writes of the thread have taken effect? Reads do not wait for them, everything else does. */
    boolean drains() {
        return verb != null && !verb.equals("r") && !verb.equals("begin");
    }

    /** The location's name, the other thread's key, or null. */
    public String location() {
        return null;
    }

    /** What it waits for, in words. */
    public String obstacle() {
        return "can go on";
    }

    /** Is a step of a schedule with this verb meant by it? */
    boolean isCalled(String word) {
        return verb.equals(word);
    }

    String place() {
        return Place.name(at);
    }

    /** Records that the run ended while it waited. */
    public void recordPending(ThreadState t) {}

    /** An action that is not a step: the thread only hands the turn on. */
    static final class Pause extends Action {
        private final ThreadState t;
        private final boolean interruptible;

        Pause(ThreadState t, long deadline, boolean interruptible) {
            super(null, 0);
            this.t = t;
            this.deadline = deadline;
            this.interruptible = interruptible;
        }

        @Override
        public boolean isPossible() {
            return deadline == NEVER || interruptible && t.interrupted;
        }

        @Override
        public String obstacle() {
            return deadline == NEVER ? "can go on" : "sleeps";
        }
    }

    /** Writes before it take effect before those behind it, but it does not wait for them. */
    public static final class Separation extends Action {
        public Separation(long at) {
            super("fence", at);
        }

        @Override
        boolean drains() {
            return false;
        }
    }

    /** A step that is always possible: begin, end, start of a thread. */
    public static final class Simple extends Action {
        private final String location;

        public Simple(String verb, String location, long at) {
            super(verb, at);
            this.location = location;
        }

        @Override
        public String location() {
            return location;
        }
    }
}
