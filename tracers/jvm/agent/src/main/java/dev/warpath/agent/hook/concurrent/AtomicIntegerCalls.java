package dev.warpath.agent.hook.concurrent;

import dev.warpath.agent.schedule.ThreadState;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntBinaryOperator;
import java.util.function.IntUnaryOperator;

/** {@link AtomicInteger}, where instrumented code calls it. */
public final class AtomicIntegerCalls {
    private static final String TYPE = "I";

    private AtomicIntegerCalls() {}

    public static int get(AtomicInteger atomic, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "r", at);
        int old = atomic.get();
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.GET, 4, at, old, old);
        return old;
    }

    public static int getPlain(AtomicInteger atomic, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "r", at);
        int old = atomic.get();
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.GET, 0, at, old, old);
        return old;
    }

    public static int getOpaque(AtomicInteger atomic, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "r", at);
        int old = atomic.get();
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.GET, 1, at, old, old);
        return old;
    }

    public static int getAcquire(AtomicInteger atomic, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "r", at);
        int old = atomic.get();
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.GET, 2, at, old, old);
        return old;
    }

    public static void set(AtomicInteger atomic, int x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "w", at);
        int old = atomic.get();
        atomic.set(x);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.SET, 4, at, old, x, x);
    }

    public static void setPlain(AtomicInteger atomic, int x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "w", at);
        int old = atomic.get();
        atomic.set(x);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.SET, 0, at, old, x, x);
    }

    public static void setOpaque(AtomicInteger atomic, int x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "w", at);
        int old = atomic.get();
        atomic.set(x);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.SET, 1, at, old, x, x);
    }

    public static void setRelease(AtomicInteger atomic, int x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "w", at);
        int old = atomic.get();
        atomic.set(x);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.SET, 3, at, old, x, x);
    }

    public static void lazySet(AtomicInteger atomic, int x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "w", at);
        int old = atomic.get();
        atomic.set(x);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.SET, 3, at, old, x, x);
    }

    public static int getAndSet(AtomicInteger atomic, int x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        int old = atomic.getAndSet(x);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.GET_AND_SET, 4, at, old, x, x);
        return old;
    }

    public static boolean compareAndSet(AtomicInteger atomic, int expected, int x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        int old = atomic.get();
        boolean done = atomic.compareAndSet(expected, x);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.COMPARE_AND_SET, 4, at, old, done ? x : old, expected, x);
        return done;
    }

    public static boolean weakCompareAndSet(AtomicInteger atomic, int expected, int x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        int old = atomic.get();
        boolean done = atomic.compareAndSet(expected, x);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.COMPARE_AND_SET, 0, at, old, done ? x : old, expected, x);
        return done;
    }

    public static boolean weakCompareAndSetPlain(AtomicInteger atomic, int expected, int x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        int old = atomic.get();
        boolean done = atomic.compareAndSet(expected, x);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.COMPARE_AND_SET, 0, at, old, done ? x : old, expected, x);
        return done;
    }

    public static boolean weakCompareAndSetVolatile(AtomicInteger atomic, int expected, int x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        int old = atomic.get();
        boolean done = atomic.compareAndSet(expected, x);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.COMPARE_AND_SET, 4, at, old, done ? x : old, expected, x);
        return done;
    }

    public static boolean weakCompareAndSetAcquire(AtomicInteger atomic, int expected, int x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        int old = atomic.get();
        boolean done = atomic.compareAndSet(expected, x);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.COMPARE_AND_SET, 2, at, old, done ? x : old, expected, x);
        return done;
    }

    public static boolean weakCompareAndSetRelease(AtomicInteger atomic, int expected, int x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        int old = atomic.get();
        boolean done = atomic.compareAndSet(expected, x);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.COMPARE_AND_SET, 3, at, old, done ? x : old, expected, x);
        return done;
    }

    public static int compareAndExchange(AtomicInteger atomic, int expected, int x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        int old = atomic.compareAndExchange(expected, x);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.COMPARE_AND_SET, 4, at, old, atomic.get(), expected, x);
        return old;
    }

    public static int incrementAndGet(AtomicInteger atomic, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        int old = atomic.getAndAdd(1);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.ADD, 4, at, old, old + 1, 1);
        return old + 1;
    }

    public static int decrementAndGet(AtomicInteger atomic, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        int old = atomic.getAndAdd(-1);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.ADD, 4, at, old, old - 1, -1);
        return old - 1;
    }

    public static int getAndIncrement(AtomicInteger atomic, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        int old = atomic.getAndAdd(1);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.ADD, 4, at, old, old + 1, 1);
        return old;
    }

    public static int getAndDecrement(AtomicInteger atomic, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        int old = atomic.getAndAdd(-1);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.ADD, 4, at, old, old - 1, -1);
        return old;
    }

    public static int addAndGet(AtomicInteger atomic, int x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        int old = atomic.getAndAdd(x);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.ADD, 4, at, old, old + x, x);
        return old + x;
    }

    public static int getAndAdd(AtomicInteger atomic, int x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        int old = atomic.getAndAdd(x);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.ADD, 4, at, old, old + x, x);
        return old;
    }

    public static int intValue(AtomicInteger atomic, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "r", at);
        int old = atomic.get();
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.GET, 4, at, old, old);
        return old;
    }

    public static long longValue(AtomicInteger atomic, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "r", at);
        int old = atomic.get();
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.GET, 4, at, old, old);
        return old;
    }

    public static int getAndUpdate(AtomicInteger atomic, IntUnaryOperator update, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        while (true) {
            int old = atomic.get();
            int x = update.applyAsInt(old);
            // The program's code may have handed the turn on.
            if (atomic.compareAndSet(old, x)) {
                Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.UPDATE, 4, at, old, x);
                return old;
            }
        }
    }

    public static int updateAndGet(AtomicInteger atomic, IntUnaryOperator update, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        while (true) {
            int old = atomic.get();
            int x = update.applyAsInt(old);
            // The program's code may have handed the turn on.
            if (atomic.compareAndSet(old, x)) {
                Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.UPDATE, 4, at, old, x);
                return x;
            }
        }
    }

    public static int getAndAccumulate(AtomicInteger atomic, int with, IntBinaryOperator update, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        while (true) {
            int old = atomic.get();
            int x = update.applyAsInt(old, with);
            if (atomic.compareAndSet(old, x)) {
                Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.UPDATE, 4, at, old, x);
                return old;
            }
        }
    }

    public static int accumulateAndGet(AtomicInteger atomic, int with, IntBinaryOperator update, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        while (true) {
            int old = atomic.get();
            int x = update.applyAsInt(old, with);
            if (atomic.compareAndSet(old, x)) {
                Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.UPDATE, 4, at, old, x);
                return x;
            }
        }
    }
}
