package dev.warpath.agent.hook.concurrent;

import dev.warpath.agent.schedule.ThreadState;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;

/** {@link AtomicLong}, where instrumented code calls it. */
public final class AtomicLongCalls {
    private static final String TYPE = "J";

    private AtomicLongCalls() {}

    public static long get(AtomicLong atomic, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "r", at);
        long old = atomic.get();
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.GET, 4, at, old, old);
        return old;
    }

    public static long getPlain(AtomicLong atomic, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "r", at);
        long old = atomic.get();
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.GET, 0, at, old, old);
        return old;
    }

    public static long getOpaque(AtomicLong atomic, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "r", at);
        long old = atomic.get();
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.GET, 1, at, old, old);
        return old;
    }

    public static long getAcquire(AtomicLong atomic, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "r", at);
        long old = atomic.get();
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.GET, 2, at, old, old);
        return old;
    }

    public static void set(AtomicLong atomic, long x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "w", at);
        long old = atomic.get();
        atomic.set(x);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.SET, 4, at, old, x, x);
    }

    public static void setPlain(AtomicLong atomic, long x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "w", at);
        long old = atomic.get();
        atomic.set(x);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.SET, 0, at, old, x, x);
    }

    public static void setOpaque(AtomicLong atomic, long x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "w", at);
        long old = atomic.get();
        atomic.set(x);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.SET, 1, at, old, x, x);
    }

    public static void setRelease(AtomicLong atomic, long x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "w", at);
        long old = atomic.get();
        atomic.set(x);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.SET, 3, at, old, x, x);
    }

    public static void lazySet(AtomicLong atomic, long x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "w", at);
        long old = atomic.get();
        atomic.set(x);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.SET, 3, at, old, x, x);
    }

    public static long getAndSet(AtomicLong atomic, long x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        long old = atomic.getAndSet(x);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.GET_AND_SET, 4, at, old, x, x);
        return old;
    }

    public static boolean compareAndSet(AtomicLong atomic, long expected, long x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        long old = atomic.get();
        boolean done = atomic.compareAndSet(expected, x);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.COMPARE_AND_SET, 4, at, old, done ? x : old, expected, x);
        return done;
    }

    public static boolean weakCompareAndSet(AtomicLong atomic, long expected, long x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        long old = atomic.get();
        boolean done = atomic.compareAndSet(expected, x);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.COMPARE_AND_SET, 0, at, old, done ? x : old, expected, x);
        return done;
    }

    public static boolean weakCompareAndSetPlain(AtomicLong atomic, long expected, long x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        long old = atomic.get();
        boolean done = atomic.compareAndSet(expected, x);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.COMPARE_AND_SET, 0, at, old, done ? x : old, expected, x);
        return done;
    }

    public static boolean weakCompareAndSetVolatile(AtomicLong atomic, long expected, long x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        long old = atomic.get();
        boolean done = atomic.compareAndSet(expected, x);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.COMPARE_AND_SET, 4, at, old, done ? x : old, expected, x);
        return done;
    }

    public static boolean weakCompareAndSetAcquire(AtomicLong atomic, long expected, long x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        long old = atomic.get();
        boolean done = atomic.compareAndSet(expected, x);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.COMPARE_AND_SET, 2, at, old, done ? x : old, expected, x);
        return done;
    }

    public static boolean weakCompareAndSetRelease(AtomicLong atomic, long expected, long x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        long old = atomic.get();
        boolean done = atomic.compareAndSet(expected, x);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.COMPARE_AND_SET, 3, at, old, done ? x : old, expected, x);
        return done;
    }

    public static long compareAndExchange(AtomicLong atomic, long expected, long x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        long old = atomic.compareAndExchange(expected, x);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.COMPARE_AND_SET, 4, at, old, atomic.get(), expected, x);
        return old;
    }

    public static long incrementAndGet(AtomicLong atomic, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        long old = atomic.getAndAdd(1L);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.ADD, 4, at, old, old + 1L, 1L);
        return old + 1;
    }

    public static long decrementAndGet(AtomicLong atomic, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        long old = atomic.getAndAdd(-1L);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.ADD, 4, at, old, old - 1L, -1L);
        return old - 1;
    }

    public static long getAndIncrement(AtomicLong atomic, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        long old = atomic.getAndAdd(1L);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.ADD, 4, at, old, old + 1L, 1L);
        return old;
    }

    public static long getAndDecrement(AtomicLong atomic, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        long old = atomic.getAndAdd(-1L);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.ADD, 4, at, old, old - 1L, -1L);
        return old;
    }

    public static long addAndGet(AtomicLong atomic, long x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        long old = atomic.getAndAdd(x);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.ADD, 4, at, old, old + x, x);
        return old + x;
    }

    public static long getAndAdd(AtomicLong atomic, long x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        long old = atomic.getAndAdd(x);
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.ADD, 4, at, old, old + x, x);
        return old;
    }

    public static int intValue(AtomicLong atomic, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "r", at);
        long old = atomic.get();
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.GET, 4, at, old, old);
        return (int) old;
    }

    public static long longValue(AtomicLong atomic, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "r", at);
        long old = atomic.get();
        Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.GET, 4, at, old, old);
        return old;
    }

    public static long getAndUpdate(AtomicLong atomic, LongUnaryOperator update, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        while (true) {
            long old = atomic.get();
            long x = update.applyAsLong(old);
            // The program's code may have handed the turn on.
            if (atomic.compareAndSet(old, x)) {
                Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.UPDATE, 4, at, old, x);
                return old;
            }
        }
    }

    public static long updateAndGet(AtomicLong atomic, LongUnaryOperator update, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        while (true) {
            long old = atomic.get();
            long x = update.applyAsLong(old);
            // The program's code may have handed the turn on.
            if (atomic.compareAndSet(old, x)) {
                Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.UPDATE, 4, at, old, x);
                return x;
            }
        }
    }

    public static long getAndAccumulate(AtomicLong atomic, long with, LongBinaryOperator update, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        while (true) {
            long old = atomic.get();
            long x = update.applyAsLong(old, with);
            if (atomic.compareAndSet(old, x)) {
                Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.UPDATE, 4, at, old, x);
                return old;
            }
        }
    }

    public static long accumulateAndGet(AtomicLong atomic, long with, LongBinaryOperator update, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        while (true) {
            long old = atomic.get();
            long x = update.applyAsLong(old, with);
            if (atomic.compareAndSet(old, x)) {
                Atomics.record(t, atomic, Atomics.VALUE, TYPE, Atomics.UPDATE, 4, at, old, x);
                return x;
            }
        }
    }
}
