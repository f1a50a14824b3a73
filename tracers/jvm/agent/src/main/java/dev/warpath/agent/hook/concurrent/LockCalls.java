package dev.warpath.agent.hook.concurrent;

import dev.warpath.agent.hook.Flow;
import dev.warpath.agent.model.Locks;
import dev.warpath.agent.model.ReadWriteLocks;
import dev.warpath.agent.model.Sync;
import dev.warpath.agent.schedule.Scheduler;
import dev.warpath.agent.schedule.ThreadState;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** {@link Lock}, where instrumented code calls it. Locks that are not modelled do what they do. */
public final class LockCalls {
    private LockCalls() {}

    /** The result of the event, or -1 if the lock is not modelled. */
    private static int take(Lock lock, Locks.Manner manner, long at) {
        Flow.call(at);
        ThreadState t = lock == null ? null : Scheduler.current();
        if (t != null && lock instanceof ReentrantLock) {
            return Locks.lock(t, (ReentrantLock) lock, manner, at);
        }
        return t != null && ReadWriteLocks.isKnown(t, lock) ? ReadWriteLocks.lock(t, lock, manner, at) : -1;
    }

    public static void lock(Lock lock, long at) {
        if (take(lock, Locks.PLAIN, at) < 0) {
            lock.lock();
        }
    }

    public static void lockInterruptibly(Lock lock, long at) throws InterruptedException {
        int result = take(lock, Locks.INTERRUPTIBLE, at);
        if (result < 0) {
            lock.lockInterruptibly();
        }
        Patience.throwIfInterrupted(result);
    }

    public static boolean tryLock(Lock lock, long at) {
        int result = take(lock, Locks.TRY, at);
        return result < 0 ? lock.tryLock() : result == Sync.DONE;
    }

    public static boolean tryLock(Lock lock, long time, TimeUnit unit, long at) throws InterruptedException {
        int result = take(lock, Patience.timed(time, unit), at);
        if (result < 0) {
            return lock.tryLock(time, unit);
        }
        Patience.throwIfInterrupted(result);
        return result == Sync.DONE;
    }

    public static void unlock(Lock lock, long at) {
        Flow.call(at);
        ThreadState t = lock == null ? null : Scheduler.current();
        if (t != null && lock instanceof ReentrantLock) {
            Locks.unlock(t, (ReentrantLock) lock, at);
        } else if (t != null && ReadWriteLocks.isKnown(t, lock)) {
            ReadWriteLocks.unlock(t, lock, at);
        } else {
            lock.unlock();
        }
    }

    public static Condition newCondition(Lock lock, long at) {
        Flow.call(at);
        Condition condition = lock.newCondition();
        ThreadState t = Scheduler.current();
        if (t != null && lock instanceof ReentrantLock) {
            Locks.condition(t, (ReentrantLock) lock, condition, at);
        }
        return condition;
    }
}
