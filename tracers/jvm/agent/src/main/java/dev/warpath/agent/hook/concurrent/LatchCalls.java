package dev.warpath.agent.hook.concurrent;

import dev.warpath.agent.hook.Flow;
import dev.warpath.agent.model.Counts;
import dev.warpath.agent.model.Locks;
import dev.warpath.agent.model.Sync;
import dev.warpath.agent.schedule.Scheduler;
import dev.warpath.agent.schedule.ThreadState;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** {@link CountDownLatch}, where instrumented code calls it. */
public final class LatchCalls {
    private LatchCalls() {}

    public static void await(CountDownLatch latch, long at) throws InterruptedException {
        Flow.call(at);
        ThreadState t = latch == null ? null : Scheduler.current();
        if (t == null) {
            latch.await();
        } else {
            Patience.throwIfInterrupted(Counts.await(t, latch, Locks.INTERRUPTIBLE, at));
        }
    }

    public static boolean await(CountDownLatch latch, long time, TimeUnit unit, long at) throws InterruptedException {
        Flow.call(at);
        ThreadState t = latch == null ? null : Scheduler.current();
        if (t == null) {
            return latch.await(time, unit);
        }
        int result = Counts.await(t, latch, Patience.timed(time, unit), at);
        Patience.throwIfInterrupted(result);
        return result == Sync.DONE;
    }

    public static void countDown(CountDownLatch latch, long at) {
        Flow.call(at);
        ThreadState t = latch == null ? null : Scheduler.current();
        if (t == null) {
            latch.countDown();
        } else {
            Counts.countDown(t, latch, at);
        }
    }
}
