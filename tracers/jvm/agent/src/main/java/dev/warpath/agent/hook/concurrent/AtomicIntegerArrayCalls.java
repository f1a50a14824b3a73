package dev.warpath.agent.hook.concurrent;

import dev.warpath.agent.schedule.ThreadState;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** {@link AtomicIntegerArray}, where instrumented code calls it. */
public final class AtomicIntegerArrayCalls {
    private static final String TYPE = "I";

    private AtomicIntegerArrayCalls() {}

    public static int get(AtomicIntegerArray array, int index, long at) {
        String field = Atomics.element(array.length(), index);
        ThreadState t = Atomics.before(array, field, "r", at);
        int old = array.get(index);
        Atomics.record(t, array, field, TYPE, Atomics.GET, 4, at, old, old);
        return old;
    }

    public static void set(AtomicIntegerArray array, int index, int x, long at) {
        String field = Atomics.element(array.length(), index);
        ThreadState t = Atomics.before(array, field, "w", at);
        int old = array.getAndSet(index, x);
        Atomics.record(t, array, field, TYPE, Atomics.SET, 4, at, old, x, x);
    }

    public static void lazySet(AtomicIntegerArray array, int index, int x, long at) {
        String field = Atomics.element(array.length(), index);
        ThreadState t = Atomics.before(array, field, "w", at);
        int old = array.getAndSet(index, x);
        Atomics.record(t, array, field, TYPE, Atomics.SET, 3, at, old, x, x);
    }

    public static int getAndSet(AtomicIntegerArray array, int index, int x, long at) {
        String field = Atomics.element(array.length(), index);
        ThreadState t = Atomics.before(array, field, "rmw", at);
        int old = array.getAndSet(index, x);
        Atomics.record(t, array, field, TYPE, Atomics.GET_AND_SET, 4, at, old, x, x);
        return old;
    }

    public static boolean compareAndSet(AtomicIntegerArray array, int index, int expected, int x, long at) {
        String field = Atomics.element(array.length(), index);
        ThreadState t = Atomics.before(array, field, "rmw", at);
        int old = array.get(index);
        boolean done = array.compareAndSet(index, expected, x);
        Atomics.record(t, array, field, TYPE, Atomics.COMPARE_AND_SET, 4, at, old, done ? x : old, expected, x);
        return done;
    }

    public static int incrementAndGet(AtomicIntegerArray array, int index, long at) {
        String field = Atomics.element(array.length(), index);
        ThreadState t = Atomics.before(array, field, "rmw", at);
        int old = array.getAndAdd(index, 1);
        Atomics.record(t, array, field, TYPE, Atomics.ADD, 4, at, old, old + 1, 1);
        return old + 1;
    }

    public static int decrementAndGet(AtomicIntegerArray array, int index, long at) {
        String field = Atomics.element(array.length(), index);
        ThreadState t = Atomics.before(array, field, "rmw", at);
        int old = array.getAndAdd(index, -1);
        Atomics.record(t, array, field, TYPE, Atomics.ADD, 4, at, old, old - 1, -1);
        return old - 1;
    }

    public static int getAndIncrement(AtomicIntegerArray array, int index, long at) {
        String field = Atomics.element(array.length(), index);
        ThreadState t = Atomics.before(array, field, "rmw", at);
        int old = array.getAndAdd(index, 1);
        Atomics.record(t, array, field, TYPE, Atomics.ADD, 4, at, old, old + 1, 1);
        return old;
    }

    public static int getAndDecrement(AtomicIntegerArray array, int index, long at) {
        String field = Atomics.element(array.length(), index);
        ThreadState t = Atomics.before(array, field, "rmw", at);
        int old = array.getAndAdd(index, -1);
        Atomics.record(t, array, field, TYPE, Atomics.ADD, 4, at, old, old - 1, -1);
        return old;
    }

    public static int addAndGet(AtomicIntegerArray array, int index, int x, long at) {
        String field = Atomics.element(array.length(), index);
        ThreadState t = Atomics.before(array, field, "rmw", at);
        int old = array.getAndAdd(index, x);
        Atomics.record(t, array, field, TYPE, Atomics.ADD, 4, at, old, old + x, x);
        return old + x;
    }

    public static int getAndAdd(AtomicIntegerArray array, int index, int x, long at) {
        String field = Atomics.element(array.length(), index);
        ThreadState t = Atomics.before(array, field, "rmw", at);
        int old = array.getAndAdd(index, x);
        Atomics.record(t, array, field, TYPE, Atomics.ADD, 4, at, old, old + x, x);
        return old;
    }
}
