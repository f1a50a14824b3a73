package dev.warpath.agent.hook.concurrent;

import dev.warpath.agent.hook.Flow;
import dev.warpath.agent.model.ReadWriteLocks;
import dev.warpath.agent.schedule.Scheduler;
import dev.warpath.agent.schedule.ThreadState;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** The two halves of a {@link ReadWriteLock}, which are modelled from here on. */
public final class ReadWriteLockCalls {
    private ReadWriteLockCalls() {}

    private static <L extends Lock> L part(ReadWriteLock lock, L part, boolean writes) {
        ThreadState t = Scheduler.current();
        if (t != null && lock instanceof ReentrantReadWriteLock) {
            ReadWriteLocks.part(t, lock, part, writes);
        }
        return part;
    }

    public static Lock readLock(ReadWriteLock lock, long at) {
        Flow.call(at);
        return part(lock, lock.readLock(), false);
    }

    public static Lock writeLock(ReadWriteLock lock, long at) {
        Flow.call(at);
        return part(lock, lock.writeLock(), true);
    }

    /** The same methods as they are declared by the class. */
    public static final class Reentrant {
        private Reentrant() {}

        public static ReentrantReadWriteLock.ReadLock readLock(ReentrantReadWriteLock lock, long at) {
            Flow.call(at);
            return part(lock, lock.readLock(), false);
        }

        public static ReentrantReadWriteLock.WriteLock writeLock(ReentrantReadWriteLock lock, long at) {
            Flow.call(at);
            return part(lock, lock.writeLock(), true);
        }
    }
}
