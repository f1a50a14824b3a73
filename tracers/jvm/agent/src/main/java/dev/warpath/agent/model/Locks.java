package dev.warpath.agent.model;

import dev.warpath.agent.schedule.Action;
import dev.warpath.agent.schedule.Scheduler;
import dev.warpath.agent.schedule.ThreadState;
import dev.warpath.agent.stream.IntMap;
import dev.warpath.agent.stream.Objects;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Reentrant locks and their conditions. As with monitors the model decides who may have a lock; the real lock is taken
 * right behind it, which never blocks, so that everything else that can be asked of it has its usual answer.
 */
public final class Locks {
    private static final IntMap<Mutex> locks = new IntMap<>();
    private static final IntMap<Condition> conditions = new IntMap<>();

    private Locks() {}

    /** A condition of a lock. */
    private static final class Condition {
        final ReentrantLock lock;
        final WaitSet waiters = new WaitSet();

        Condition(ReentrantLock lock) {
            this.lock = lock;
        }
    }

    private static Mutex of(ThreadState t, ReentrantLock lock) {
        int ref = Objects.ref(t, lock);
        Mutex mutex = locks.get(ref);
        if (mutex == null) {
            mutex = new Mutex(ref, Sync.OBJECT, Objects.name(t, lock));
            locks.put(ref, mutex);
        }
        return mutex;
    }

    /** How to take a lock. */
    public static final class Manner {
        final int attempt;
        final boolean interruptible;
        final long nanos;

        public Manner(int attempt, boolean interruptible, long nanos) {
            this.attempt = attempt;
            this.interruptible = interruptible;
            this.nanos = nanos;
        }
    }

    public static final Manner PLAIN = new Manner(Sync.BLOCK, false, 0);
    public static final Manner INTERRUPTIBLE = new Manner(Sync.BLOCK, true, 0);
    public static final Manner TRY = new Manner(Sync.TRY, false, 0);

    /** Takes the lock, or not: the result of the event. */
    public static int lock(ThreadState t, ReentrantLock lock, Manner manner, long at) {
        if (manner.interruptible && Threads.isInterruptedBefore(t, at)) {
            return Sync.INTERRUPTED;
        }
        Mutex mutex = of(t, lock);
        Mutex.Lock action = new Mutex.Lock(t, mutex, manner.attempt, manner.interruptible, at);
        action.deadline = manner.attempt == Sync.TIMED ? Scheduler.clock + manner.nanos : Action.NEVER;
        Scheduler.turn(t, action);
        int result;
        if (manner.interruptible && t.interrupted) {
            t.interrupted = false;
            result = Sync.INTERRUPTED;
        } else if (mutex.isFreeFor(t)) {
            mutex.owner = t;
            mutex.depth++;
            result = Sync.DONE;
        } else {
            result = manner.attempt == Sync.TRY ? Sync.BUSY : Sync.TIMED_OUT;
        }
        Sync.record(t, at, Sync.LOCK, Sync.OBJECT, mutex.ref, manner.attempt, 0, result);
        if (result == Sync.DONE) {
            lock.lock();
        }
        return result;
    }

    public static void unlock(ThreadState t, ReentrantLock lock, long at) {
        Mutex mutex = of(t, lock);
        Scheduler.turn(t, new Action.Simple("unlock", mutex.name, at));
        boolean owns = mutex.owner == t;
        if (owns && --mutex.depth == 0) {
            mutex.owner = null;
        }
        Sync.record(t, at, Sync.UNLOCK, Sync.OBJECT, mutex.ref, 0, 0, owns ? Sync.DONE : Sync.ERROR);
        if (owns) {
            lock.unlock();
        } else {
            throw new IllegalMonitorStateException();
        }
    }

    /** A condition has been made. */
    public static void condition(ThreadState t, ReentrantLock lock, Object condition, long at) {
        int ref = Objects.allocated(t, condition);
        conditions.put(ref, new Condition(lock));
        Scheduler.turn(t, new Action.Simple("init", Objects.name(t, condition), at));
        Sync.record(t, at, Sync.INIT, Sync.OBJECT, ref, 2, 0, Sync.DONE);
    }

    /** Is it a condition of a lock that is modelled? */
    public static boolean isKnown(ThreadState t, Object condition) {
        return conditions.get(Objects.ref(t, condition)) != null;
    }

    /** Waits on a condition; {@code nanos} negative: for ever. The result of the event. */
    public static int await(ThreadState t, Object object, long nanos, boolean interruptible, long at) {
        int ref = Objects.ref(t, object);
        String location = Objects.name(t, object);
        Condition condition = conditions.get(ref);
        Mutex mutex = of(t, condition.lock);
        int attempt = nanos < 0 ? Sync.BLOCK : Sync.TIMED;
        if (interruptible && mutex.owner == t && Threads.isInterruptedBefore(t, at)) {
            return Sync.INTERRUPTED;
        }
        Scheduler.turn(t, new Action.Simple("cond-wait", location, at));
        if (mutex.owner != t) {
            Sync.record(t, at, Sync.WAIT, Sync.OBJECT, ref, attempt, mutex.ref, Sync.ERROR);
            throw new IllegalMonitorStateException();
        }
        if (interruptible && t.interrupted && !Threads.isExpected(t)) {
            t.interrupted = false;
            Sync.record(t, at, Sync.WAIT, Sync.OBJECT, ref, attempt, mutex.ref, Sync.INTERRUPTED);
            return Sync.INTERRUPTED;
        }
        Sync.record(t, at, Sync.WAIT, Sync.OBJECT, ref, attempt, mutex.ref, Sync.DONE);
        int depth = mutex.depth;
        mutex.owner = null;
        mutex.depth = 0;
        for (int i = 0; i < depth; i++) {
            condition.lock.unlock();
        }
        condition.waiters.add(t);
        Mutex.Wake wake =
                new Mutex.Wake(t, mutex, condition.waiters, location, ref, mutex.ref, interruptible, at);
        wake.deadline = nanos < 0 ? Action.NEVER : Scheduler.clock + nanos;
        Scheduler.turn(t, wake);
        int result = condition.waiters.remove(t, true) ? Sync.DONE
                : interruptible && t.interrupted ? Sync.INTERRUPTED : Sync.TIMED_OUT;
        if (result == Sync.INTERRUPTED) {
            t.interrupted = false;
        }
        mutex.owner = t;
        mutex.depth = depth;
        Sync.record(t, at, Sync.WAKE, Sync.OBJECT, ref, attempt, mutex.ref, result);
        for (int i = 0; i < depth; i++) {
            condition.lock.lock();
        }
        return result;
    }

    public static void signal(ThreadState t, Object object, boolean all, long at) {
        int ref = Objects.ref(t, object);
        Condition condition = conditions.get(ref);
        Mutex mutex = of(t, condition.lock);
        Scheduler.turn(t, new Action.Simple(all ? "broadcast" : "signal", Objects.name(t, object), at));
        int verb = all ? Sync.NOTIFY_ALL : Sync.NOTIFY;
        if (mutex.owner != t) {
            Sync.record(t, at, verb, Sync.OBJECT, ref, 0, 0, Sync.ERROR);
            throw new IllegalMonitorStateException();
        }
        int woken = condition.waiters.notify(all);
        Sync.record(t, at, verb, Sync.OBJECT, ref, woken, 0, Sync.DONE);
    }
}
