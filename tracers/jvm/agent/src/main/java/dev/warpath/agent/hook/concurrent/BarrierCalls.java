package dev.warpath.agent.hook.concurrent;

import dev.warpath.agent.hook.Flow;
import dev.warpath.agent.model.Barriers;
import dev.warpath.agent.schedule.Scheduler;
import dev.warpath.agent.schedule.ThreadState;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** {@link CyclicBarrier}, where instrumented code calls it. */
public final class BarrierCalls {
    private BarrierCalls() {}

    private static ThreadState modelled(CyclicBarrier barrier, long at) {
        Flow.call(at);
        ThreadState t = barrier == null ? null : Scheduler.current();
        return t != null && Barriers.isKnown(t, barrier) ? t : null;
    }

    public static int await(CyclicBarrier barrier, long at) throws InterruptedException, BrokenBarrierException {
        ThreadState t = modelled(barrier, at);
        if (t == null) {
            return barrier.await();
        }
        try {
            return Barriers.await(t, barrier, -1, at);
        } catch (TimeoutException error) {
            throw new IllegalStateException("a wait without a limit came to it", error);
        }
    }

    public static int await(CyclicBarrier barrier, long time, TimeUnit unit, long at)
            throws InterruptedException, BrokenBarrierException, TimeoutException {
        ThreadState t = modelled(barrier, at);
        return t == null ? barrier.await(time, unit) : Barriers.await(t, barrier, Patience.nanos(time, unit), at);
    }

    public static boolean isBroken(CyclicBarrier barrier, long at) {
        ThreadState t = modelled(barrier, at);
        return t == null ? barrier.isBroken() : Barriers.isBroken(t, barrier);
    }

    public static int getNumberWaiting(CyclicBarrier barrier, long at) {
        ThreadState t = modelled(barrier, at);
        return t == null ? barrier.getNumberWaiting() : Barriers.waiting(t, barrier);
    }

    public static void reset(CyclicBarrier barrier, long at) {
        ThreadState t = modelled(barrier, at);
        if (t == null) {
            barrier.reset();
        } else {
            Barriers.reset(t, barrier);
        }
    }
}
