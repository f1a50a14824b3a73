package dev.warpath.agent.model;

import dev.warpath.agent.schedule.Action;
import dev.warpath.agent.schedule.ThreadState;

/** The model of a monitor or a reentrant lock: who owns it, how often, and who waits on it. */
final class Mutex {
    final int ref;
    final int space;
    /** The location: {@code monitor(pkg.Class@T0:5)}. */
    final String name;
    ThreadState owner;
    int depth;
    /** Threads that are about to do something with it. */
    int expected;
    final WaitSet waiters = new WaitSet();

    Mutex(int ref, int space, String name) {
        this.ref = ref;
        this.space = space;
        this.name = name;
    }

    boolean isFreeFor(ThreadState t) {
        return owner == null || owner == t;
    }

    boolean isIdle() {
        return owner == null && expected == 0 && waiters.isEmpty();
    }

    String holder() {
        return owner == null ? "" : ", held by " + owner.key;
    }

    /** Takes it, once it is free. */
    static final class Lock extends Action {
        private final ThreadState t;
        private final Mutex mutex;
        private final boolean interruptible;
        final int attempt;

        Lock(ThreadState t, Mutex mutex, int attempt, boolean interruptible, long at) {
            super("lock", at);
            this.t = t;
            this.mutex = mutex;
            this.attempt = attempt;
            this.interruptible = interruptible;
        }

        @Override
        public boolean isPossible() {
            return attempt == Sync.TRY || mutex.isFreeFor(t) || interruptible && t.interrupted;
        }

        @Override
        public String location() {
            return mutex.name;
        }

        @Override
        public String obstacle() {
            return "waits for `" + mutex.name + '`' + mutex.holder();
        }

        @Override
        public void recordPending(ThreadState t) {
            Sync.record(t, at, Sync.LOCK, mutex.space, mutex.ref, attempt, 0, Sync.PENDING);
        }
    }

    /** The second half of a wait: notified, or out of time, or interrupted, and the mutex taken again. */
    static final class Wake extends Action {
        private final ThreadState t;
        private final Mutex mutex;
        private final WaitSet set;
        private final String location;
        private final int object;
        private final int mutexRef;
        private final boolean interruptible;

        Wake(ThreadState t, Mutex mutex, WaitSet set, String location, int object, int mutexRef,
                boolean interruptible, long at) {
            super("cond-wake", at);
            this.t = t;
            this.mutex = mutex;
            this.set = set;
            this.location = location;
            this.object = object;
            this.mutexRef = mutexRef;
            this.interruptible = interruptible;
        }

        @Override
        public boolean isPossible() {
            return mutex.owner == null && (set.isNotified(t) || interruptible && t.interrupted);
        }

        @Override
        public boolean isHeldUp() {
            return mutex.owner != null;
        }

        @Override
        public String location() {
            return location;
        }

        @Override
        public String obstacle() {
            if (set.isNotified(t)) {
                return "waits for `" + mutex.name + '`' + mutex.holder();
            }
            return "waits on `" + location + "`, which nobody notifies";
        }

        @Override
        public void recordPending(ThreadState t) {
            Sync.record(t, at, Sync.WAKE, mutex.space, object, deadline == NEVER ? Sync.BLOCK : Sync.TIMED, mutexRef,
                    Sync.PENDING);
        }
    }
}
