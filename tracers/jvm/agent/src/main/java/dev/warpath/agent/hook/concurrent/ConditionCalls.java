package dev.warpath.agent.hook.concurrent;

import dev.warpath.agent.hook.Flow;
import dev.warpath.agent.model.Locks;
import dev.warpath.agent.model.Sync;
import dev.warpath.agent.schedule.Scheduler;
import dev.warpath.agent.schedule.ThreadState;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

/** {@link Condition}, where instrumented code calls it. Conditions of locks that are not modelled do what they do. */
public final class ConditionCalls {
    private ConditionCalls() {}

    private static ThreadState modelled(Condition condition, long at) {
        Flow.call(at);
        ThreadState t = condition == null ? null : Scheduler.current();
        return t != null && Locks.isKnown(t, condition) ? t : null;
    }

    public static void await(Condition condition, long at) throws InterruptedException {
        ThreadState t = modelled(condition, at);
        if (t == null) {
            condition.await();
        } else {
            Patience.throwIfInterrupted(Locks.await(t, condition, -1, true, at));
        }
    }

    public static void awaitUninterruptibly(Condition condition, long at) {
        ThreadState t = modelled(condition, at);
        if (t == null) {
            condition.awaitUninterruptibly();
        } else {
            Locks.await(t, condition, -1, false, at);
        }
    }

    public static boolean await(Condition condition, long time, TimeUnit unit, long at) throws InterruptedException {
        ThreadState t = modelled(condition, at);
        if (t == null) {
            return condition.await(time, unit);
        }
        int result = Locks.await(t, condition, Patience.nanos(time, unit), true, at);
        Patience.throwIfInterrupted(result);
        return result == Sync.DONE;
    }

    public static long awaitNanos(Condition condition, long nanos, long at) throws InterruptedException {
        ThreadState t = modelled(condition, at);
        if (t == null) {
            return condition.awaitNanos(nanos);
        }
        long deadline = Scheduler.clock + nanos;
        int result = Locks.await(t, condition, Patience.nanos(nanos, TimeUnit.NANOSECONDS), true, at);
        Patience.throwIfInterrupted(result);
        return result == Sync.DONE ? Math.max(deadline - Scheduler.clock, 1) : 0;
    }

    public static void signal(Condition condition, long at) {
        ThreadState t = modelled(condition, at);
        if (t == null) {
            condition.signal();
        } else {
            Locks.signal(t, condition, false, at);
        }
    }

    public static void signalAll(Condition condition, long at) {
        ThreadState t = modelled(condition, at);
        if (t == null) {
            condition.signalAll();
        } else {
            Locks.signal(t, condition, true, at);
        }
    }
}
