package dev.warpath.agent.hook.concurrent;

import dev.warpath.agent.schedule.ThreadState;
import java.util.concurrent.atomic.AtomicLongArray;

/** {@link AtomicLongArray}, where instrumented code calls it. */
public final class AtomicLongArrayCalls {
    private static final String TYPE = "J";

    private AtomicLongArrayCalls() {}

    public static long get(AtomicLongArray array, int index, long at) {
        String field = Atomics.element(array.length(), index);
        ThreadState t = Atomics.before(array, field, "r", at);
        long old = array.get(index);
        Atomics.record(t, array, field, TYPE, Atomics.GET, 4, at, old, old);
        return old;
    }

    public static void set(AtomicLongArray array, int index, long x, long at) {
        String field = Atomics.element(array.length(), index);
        ThreadState t = Atomics.before(array, field, "w", at);
        long old = array.getAndSet(index, x);
        Atomics.record(t, array, field, TYPE, Atomics.SET, 4, at, old, x, x);
    }

    public static void lazySet(AtomicLongArray array, int index, long x, long at) {
        String field = Atomics.element(array.length(), index);
        ThreadState t = Atomics.before(array, field, "w", at);
        long old = array.getAndSet(index, x);
        Atomics.record(t, array, field, TYPE, Atomics.SET, 3, at, old, x, x);
    }

    public static long getAndSet(AtomicLongArray array, int index, long x, long at) {
        String field = Atomics.element(array.length(), index);
        ThreadState t = Atomics.before(array, field, "rmw", at);
        long old = array.getAndSet(index, x);
        Atomics.record(t, array, field, TYPE, Atomics.GET_AND_SET, 4, at, old, x, x);
        return old;
    }

    public static boolean compareAndSet(AtomicLongArray array, int index, long expected, long x, long at) {
        String field = Atomics.element(array.length(), index);
        ThreadState t = Atomics.before(array, field, "rmw", at);
        long old = array.get(index);
        boolean done = array.compareAndSet(index, expected, x);
        Atomics.record(t, array, field, TYPE, Atomics.COMPARE_AND_SET, 4, at, old, done ? x : old, expected, x);
        return done;
    }

    public static long incrementAndGet(AtomicLongArray array, int index, long at) {
        String field = Atomics.element(array.length(), index);
        ThreadState t = Atomics.before(array, field, "rmw", at);
        long old = array.getAndAdd(index, 1L);
        Atomics.record(t, array, field, TYPE, Atomics.ADD, 4, at, old, old + 1L, 1L);
        return old + 1;
    }

    public static long decrementAndGet(AtomicLongArray array, int index, long at) {
        String field = Atomics.element(array.length(), index);
        ThreadState t = Atomics.before(array, field, "rmw", at);
        long old = array.getAndAdd(index, -1L);
        Atomics.record(t, array, field, TYPE, Atomics.ADD, 4, at, old, old - 1L, -1L);
        return old - 1;
    }

    public static long getAndIncrement(AtomicLongArray array, int index, long at) {
        String field = Atomics.element(array.length(), index);
        ThreadState t = Atomics.before(array, field, "rmw", at);
        long old = array.getAndAdd(index, 1L);
        Atomics.record(t, array, field, TYPE, Atomics.ADD, 4, at, old, old + 1L, 1L);
        return old;
    }

    public static long getAndDecrement(AtomicLongArray array, int index, long at) {
        String field = Atomics.element(array.length(), index);
        ThreadState t = Atomics.before(array, field, "rmw", at);
        long old = array.getAndAdd(index, -1L);
        Atomics.record(t, array, field, TYPE, Atomics.ADD, 4, at, old, old - 1L, -1L);
        return old;
    }

    public static long addAndGet(AtomicLongArray array, int index, long x, long at) {
        String field = Atomics.element(array.length(), index);
        ThreadState t = Atomics.before(array, field, "rmw", at);
        long old = array.getAndAdd(index, x);
        Atomics.record(t, array, field, TYPE, Atomics.ADD, 4, at, old, old + x, x);
        return old + x;
    }

    public static long getAndAdd(AtomicLongArray array, int index, long x, long at) {
        String field = Atomics.element(array.length(), index);
        ThreadState t = Atomics.before(array, field, "rmw", at);
        long old = array.getAndAdd(index, x);
        Atomics.record(t, array, field, TYPE, Atomics.ADD, 4, at, old, old + x, x);
        return old;
    }
}
