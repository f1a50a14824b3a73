package dev.warpath.agent.model;

import dev.warpath.agent.schedule.Action;
import dev.warpath.agent.schedule.Place;
import dev.warpath.agent.schedule.Scheduler;
import dev.warpath.agent.schedule.ThreadState;
import dev.warpath.agent.stream.Objects;
import dev.warpath.agent.stream.Stream;
import dev.warpath.agent.stream.Tag;

/** Start, join, interrupt, sleep and permits of threads. */
public final class Threads {
    private Threads() {}

    /** The thread is about to be started for real. */
    public static void start(ThreadState t, Thread thread, long at) {
        Scheduler.turn(t, new Action.Simple("fork", Scheduler.nextKey(t), at));
        ThreadState child = Scheduler.fork(t, thread);
        int p = Stream.u(Stream.u(Stream.start(), Place.pc(at)), child.number);
        Stream.end(p, Tag.FORK | Tag.STEP);
    }

    /** {@code Thread.join}; {@code nanos} 0: for ever. */
    public static void join(ThreadState t, ThreadState child, long nanos, long at) throws InterruptedException {
        if (isInterruptedBefore(t, at)) {
            throw new InterruptedException();
        }
        Join join = new Join(t, child, nanos, at);
        Scheduler.turn(t, join);
        int result = child.hasEnded() ? Sync.DONE : t.interrupted ? Sync.INTERRUPTED : Sync.TIMED_OUT;
        join.record(result);
        if (result == Sync.INTERRUPTED) {
            t.interrupted = false;
            throw new InterruptedException();
        }
    }

    private static final class Join extends Action {
        private final ThreadState t;
        private final ThreadState child;
        private final int attempt;

        Join(ThreadState t, ThreadState child, long nanos, long at) {
            super("join", at);
            this.t = t;
            this.child = child;
            attempt = nanos == 0 ? Sync.BLOCK : Sync.TIMED;
            deadline = nanos == 0 ? NEVER : Scheduler.clock + nanos;
        }

        @Override
        public boolean isPossible() {
            return child.hasEnded() || t.interrupted;
        }

        @Override
        public String location() {
            return child.key;
        }

        @Override
        public String obstacle() {
            return "waits for " + child.key + " to end";
        }

        void record(int result) {
            int p = Stream.u(Stream.u(Stream.start(), Place.pc(at)), child.number);
            Stream.end(Stream.u(Stream.u(p, attempt), result), Tag.JOIN | Tag.STEP);
        }

        @Override
        public void recordPending(ThreadState t) {
            record(Sync.PENDING);
        }
    }

    /** {@code Thread.interrupt}. */
    public static void interrupt(ThreadState t, ThreadState target, long at) {
        Scheduler.turn(t, new Flag("w", target, at));
        target.interrupted = true;
        Sync.record(t, at, Sync.INTERRUPT, Sync.FLAG, 0, target.number, 0, Sync.DONE);
    }

    /** {@code Thread.interrupted} and {@code isInterrupted}. */
    public static boolean testInterrupt(ThreadState t, ThreadState target, boolean clear, long at) {
        Scheduler.turn(t, new Flag(clear ? "rmw" : "r", target, at));
        boolean found = target.interrupted;
        target.interrupted = found && !clear;
        int verb = clear ? Sync.TEST_AND_CLEAR : Sync.TEST;
        Sync.record(t, at, verb, Sync.FLAG, 0, target.number, found ? 1 : 0, Sync.DONE);
        return found;
    }

    /**
     * Before a wait that an interrupt ends: whether the flag is set already, which is then used up. A step of its own, but
     * only if the thread is known to be interrupted by somebody.
     */
    static boolean isInterruptedBefore(ThreadState t, long at) {
        return isExpected(t) && testInterrupt(t, t, true, at);
    }

    /** Is the thread known to be interrupted by somebody? */
    public static boolean isExpected(ThreadState t) {
        return Objects.isSharedStatic("interrupted(" + t.key + ')');
    }

    private static final class Flag extends Action {
        private final ThreadState target;

        Flag(String verb, ThreadState target, long at) {
            super(verb, at);
            this.target = target;
        }

        @Override
        public String location() {
            return "interrupted(" + target.key + ')';
        }
    }

    /** {@code sleep} and {@code yield}: others go on first, if they can. */
    public static void sleep(ThreadState t, long nanos, boolean interruptible, long at) throws InterruptedException {
        Stream.end(Stream.u(Stream.start(), Place.pc(at)), Tag.YIELD);
        if (interruptible && t.interrupted) {
            throwIfInterrupted(t, at);
        }
        Scheduler.pauseUntil(t, nanos == 0 ? Action.NEVER : Scheduler.clock + nanos, interruptible);
        if (interruptible && (t.interrupted || isExpected(t))) {
            throwIfInterrupted(t, at);
        }
    }

    private static void throwIfInterrupted(ThreadState t, long at) throws InterruptedException {
        if (testInterrupt(t, t, true, at)) {
            throw new InterruptedException("sleep interrupted");
        }
    }

    /** {@code LockSupport.park}; {@code nanos} 0: for ever. */
    public static void park(ThreadState t, long nanos, long at) {
        // A permit is not used up, nor is the flag, if the thread is interrupted already.
        if (isExpected(t) && testInterrupt(t, t, false, at)) {
            return;
        }
        Park park = new Park(t, nanos, at);
        Scheduler.turn(t, park);
        int result = t.permit ? Sync.DONE : t.interrupted ? Sync.INTERRUPTED : Sync.TIMED_OUT;
        t.permit = false;
        Sync.record(t, at, Sync.TAKE, Sync.PERMIT, 0, t.number, park.attempt(), result);
    }

    /** {@code LockSupport.unpark}. */
    public static void unpark(ThreadState t, ThreadState target, long at) {
        Scheduler.turn(t, new Action.Simple("sem-post", "permit(" + target.key + ')', at));
        target.permit = true;
        Sync.record(t, at, Sync.GIVE, Sync.PERMIT, 0, target.number, 1, Sync.DONE);
    }

    private static final class Park extends Action {
        private final ThreadState t;

        Park(ThreadState t, long nanos, long at) {
            super("sem-wait", at);
            this.t = t;
            deadline = nanos == 0 ? NEVER : Scheduler.clock + nanos;
        }

        @Override
        public boolean isPossible() {
            return t.permit || t.interrupted;
        }

        int attempt() {
            return deadline == NEVER ? Sync.BLOCK : Sync.TIMED;
        }

        @Override
        public String location() {
            return "permit(" + t.key + ')';
        }

        @Override
        public String obstacle() {
            return "is parked, and nobody unparks it";
        }

        @Override
        public void recordPending(ThreadState t) {
            Sync.record(t, at, Sync.TAKE, Sync.PERMIT, 0, t.number, attempt(), Sync.PENDING);
        }
    }
}
