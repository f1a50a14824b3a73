package dev.warpath.agent.model;

import dev.warpath.agent.schedule.Action;
import dev.warpath.agent.schedule.Scheduler;
import dev.warpath.agent.schedule.ThreadState;
import dev.warpath.agent.stream.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;

/** Semaphores and latches. Their real counts are the model: nobody waits in them, so they are always up to date. */
public final class Counts {
    private Counts() {}

    /** Takes units, or not: the result of the event. */
    public static int acquire(ThreadState t, Semaphore semaphore, int units, Locks.Manner manner, long at) {
        if (manner.interruptible && Threads.isInterruptedBefore(t, at)) {
            return Sync.INTERRUPTED;
        }
        Wait wait = new Wait(t, semaphore, null, units, manner, at);
        Scheduler.turn(t, wait);
        int result = wait.result();
        if (result == Sync.DONE && !semaphore.tryAcquire(units)) {
            throw new IllegalStateException("a semaphore with enough units did not give them");
        }
        wait.record(t, result);
        return result;
    }

    public static void release(ThreadState t, Semaphore semaphore, int units, long at) {
        Scheduler.turn(t, new Action.Simple("sem-post", Objects.name(t, semaphore), at));
        semaphore.release(units);
        Sync.record(t, at, Sync.GIVE, Sync.OBJECT, Objects.ref(t, semaphore), 0, units, Sync.DONE);
    }

    /** The units that a semaphore has. */
    public static int units(ThreadState t, Semaphore semaphore, long at) {
        Scheduler.turn(t, new Action.Simple("sem-value", Objects.name(t, semaphore), at));
        int units = semaphore.availablePermits();
        Sync.record(t, at, Sync.COUNT, Sync.OBJECT, Objects.ref(t, semaphore), Math.max(units, 0), 0, Sync.DONE);
        return units;
    }

    /** Waits until a latch is open, or not: the result of the event. */
    public static int await(ThreadState t, CountDownLatch latch, Locks.Manner manner, long at) {
        if (manner.interruptible && Threads.isInterruptedBefore(t, at)) {
            return Sync.INTERRUPTED;
        }
        Wait wait = new Wait(t, null, latch, 1, manner, at);
        Scheduler.turn(t, wait);
        int result = wait.result();
        wait.record(t, result);
        return result;
    }

    public static void countDown(ThreadState t, CountDownLatch latch, long at) {
        Scheduler.turn(t, new Action.Simple("sem-post", Objects.name(t, latch), at));
        latch.countDown();
        Sync.record(t, at, Sync.COUNT_DOWN, Sync.OBJECT, Objects.ref(t, latch), 0, latch.getCount(), Sync.DONE);
    }

    private static final class Wait extends Action {
        private final ThreadState t;
        private final Semaphore semaphore;
        private final CountDownLatch latch;
        private final int units;
        private final Locks.Manner manner;
        private final String name;

        Wait(ThreadState t, Semaphore semaphore, CountDownLatch latch, int units, Locks.Manner manner, long at) {
            super("sem-wait", at);
            this.t = t;
            this.semaphore = semaphore;
            this.latch = latch;
            this.units = units;
            this.manner = manner;
            name = Objects.name(t, object());
            deadline = manner.attempt == Sync.TIMED ? Scheduler.clock + manner.nanos : NEVER;
        }

        private Object object() {
            return semaphore == null ? latch : semaphore;
        }

        private boolean isEnough() {
            return semaphore == null ? latch.getCount() == 0 : semaphore.availablePermits() >= units;
        }

        @Override
        public boolean isPossible() {
            return manner.attempt == Sync.TRY || isEnough() || manner.interruptible && t.interrupted;
        }

        int result() {
            if (manner.interruptible && t.interrupted) {
                t.interrupted = false;
                return Sync.INTERRUPTED;
            }
            return isEnough() ? Sync.DONE : manner.attempt == Sync.TRY ? Sync.BUSY : Sync.TIMED_OUT;
        }

        @Override
        public String location() {
            return name;
        }

        @Override
        public String obstacle() {
            return semaphore == null ? "waits for latch `" + name + "`, which is at " + latch.getCount()
                    : "waits for semaphore `" + name + "`, which is at " + semaphore.availablePermits();
        }

        void record(ThreadState t, int result) {
            int ref = Objects.ref(t, object());
            Sync.record(t, at, semaphore == null ? Sync.OPEN : Sync.TAKE, Sync.OBJECT, ref, manner.attempt,
                    semaphore == null ? 0 : units, result);
        }

        @Override
        public void recordPending(ThreadState t) {
            record(t, Sync.PENDING);
        }
    }
}
