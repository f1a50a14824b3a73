package dev.warpath.agent.hook.concurrent;

import dev.warpath.agent.model.Barriers;
import dev.warpath.agent.model.Sync;
import dev.warpath.agent.schedule.Action;
import dev.warpath.agent.schedule.Scheduler;
import dev.warpath.agent.schedule.ThreadState;
import dev.warpath.agent.stream.Objects;
import java.lang.reflect.Field;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;

/** Objects of {@code java.util.concurrent} that instrumented code has made: what they start from. */
public final class Creation {
    private static final int MUTEX = 0;
    private static final int READ_WRITE = 1;
    private static final int SEMAPHORE = 3;
    private static final int LATCH = 4;
    private static final int BARRIER = 5;

    private Creation() {}

    public static void created(Object object, long at) {
        ThreadState t = Scheduler.current();
        if (t == null) {
            return;
        }
        int what = READ_WRITE;
        long units = 0;
        if (object instanceof ReentrantLock) {
            what = MUTEX;
        } else if (object instanceof Semaphore) {
            what = SEMAPHORE;
            units = Math.max(0, ((Semaphore) object).availablePermits());
        } else if (object instanceof CountDownLatch) {
            what = LATCH;
            units = ((CountDownLatch) object).getCount();
        } else if (object instanceof CyclicBarrier) {
            what = BARRIER;
            units = ((CyclicBarrier) object).getParties();
            Barriers.create(t, (CyclicBarrier) object, command((CyclicBarrier) object));
        }
        Scheduler.turn(t, new Action.Simple("init", Objects.name(t, object), at));
        Sync.record(t, at, Sync.INIT, Sync.OBJECT, Objects.ref(t, object), what, units, Sync.DONE);
    }

    private static Runnable command(CyclicBarrier barrier) {
        try {
            Field field = CyclicBarrier.class.getDeclaredField("barrierCommand");
            field.setAccessible(true);
            return (Runnable) field.get(barrier);
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException("this JDK keeps the action of a barrier elsewhere", error);
        }
    }
}
