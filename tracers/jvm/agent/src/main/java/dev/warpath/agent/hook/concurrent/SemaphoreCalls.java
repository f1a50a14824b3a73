package dev.warpath.agent.hook.concurrent;

import dev.warpath.agent.hook.Flow;
import dev.warpath.agent.model.Counts;
import dev.warpath.agent.model.Locks;
import dev.warpath.agent.model.Sync;
import dev.warpath.agent.schedule.Scheduler;
import dev.warpath.agent.schedule.ThreadState;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** {@link Semaphore}, where instrumented code calls it. */
public final class SemaphoreCalls {
    private SemaphoreCalls() {}

    /** The result of the event, or -1 if nothing is recorded or the call fails by itself. */
    private static int take(Semaphore semaphore, int units, Locks.Manner manner, long at) {
        Flow.call(at);
        ThreadState t = semaphore == null || units < 0 ? null : Scheduler.current();
        return t == null ? -1 : Counts.acquire(t, semaphore, units, manner, at);
    }

    public static void acquire(Semaphore semaphore, long at) throws InterruptedException {
        acquire(semaphore, 1, at);
    }

    public static void acquire(Semaphore semaphore, int units, long at) throws InterruptedException {
        int result = take(semaphore, units, Locks.INTERRUPTIBLE, at);
        if (result < 0) {
            semaphore.acquire(units);
        }
        Patience.throwIfInterrupted(result);
    }

    public static void acquireUninterruptibly(Semaphore semaphore, long at) {
        acquireUninterruptibly(semaphore, 1, at);
    }

    public static void acquireUninterruptibly(Semaphore semaphore, int units, long at) {
        if (take(semaphore, units, Locks.PLAIN, at) < 0) {
            semaphore.acquireUninterruptibly(units);
        }
    }

    public static boolean tryAcquire(Semaphore semaphore, long at) {
        return tryAcquire(semaphore, 1, at);
    }

    public static boolean tryAcquire(Semaphore semaphore, int units, long at) {
        int result = take(semaphore, units, Locks.TRY, at);
        return result < 0 ? semaphore.tryAcquire(units) : result == Sync.DONE;
    }

    public static boolean tryAcquire(Semaphore semaphore, long time, TimeUnit unit, long at)
            throws InterruptedException {
        return tryAcquire(semaphore, 1, time, unit, at);
    }

    public static boolean tryAcquire(Semaphore semaphore, int units, long time, TimeUnit unit, long at)
            throws InterruptedException {
        int result = take(semaphore, units, Patience.timed(time, unit), at);
        if (result < 0) {
            return semaphore.tryAcquire(units, time, unit);
        }
        Patience.throwIfInterrupted(result);
        return result == Sync.DONE;
    }

    public static void release(Semaphore semaphore, long at) {
        release(semaphore, 1, at);
    }

    public static void release(Semaphore semaphore, int units, long at) {
        Flow.call(at);
        ThreadState t = semaphore == null || units < 0 ? null : Scheduler.current();
        if (t == null) {
            semaphore.release(units);
        } else {
            Counts.release(t, semaphore, units, at);
        }
    }

    public static int availablePermits(Semaphore semaphore, long at) {
        ThreadState t = semaphore == null ? null : Scheduler.current();
        return t == null ? semaphore.availablePermits() : Counts.units(t, semaphore, at);
    }
}
