package dev.warpath.agent.hook.concurrent;

import dev.warpath.agent.schedule.ThreadState;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** {@link AtomicReferenceArray}, where instrumented code calls it. */
public final class AtomicReferenceArrayCalls {
    private static final String TYPE = "Ljava/lang/Object;";

    private AtomicReferenceArrayCalls() {}

    public static <V> V get(AtomicReferenceArray<V> array, int index, long at) {
        String field = Atomics.element(array.length(), index);
        ThreadState t = Atomics.before(array, field, "r", at);
        V old = array.get(index);
        Atomics.recordReference(t, array, field, TYPE, Atomics.GET, 4, at, old, old);
        return old;
    }

    public static <V> void set(AtomicReferenceArray<V> array, int index, V x, long at) {
        String field = Atomics.element(array.length(), index);
        ThreadState t = Atomics.before(array, field, "w", at);
        V old = array.getAndSet(index, x);
        Atomics.recordReference(t, array, field, TYPE, Atomics.SET, 4, at, old, x, x);
    }

    public static <V> void lazySet(AtomicReferenceArray<V> array, int index, V x, long at) {
        String field = Atomics.element(array.length(), index);
        ThreadState t = Atomics.before(array, field, "w", at);
        V old = array.getAndSet(index, x);
        Atomics.recordReference(t, array, field, TYPE, Atomics.SET, 3, at, old, x, x);
    }

    public static <V> V getAndSet(AtomicReferenceArray<V> array, int index, V x, long at) {
        String field = Atomics.element(array.length(), index);
        ThreadState t = Atomics.before(array, field, "rmw", at);
        V old = array.getAndSet(index, x);
        Atomics.recordReference(t, array, field, TYPE, Atomics.GET_AND_SET, 4, at, old, x, x);
        return old;
    }

    public static <V> boolean compareAndSet(AtomicReferenceArray<V> array, int index, V expected, V x, long at) {
        String field = Atomics.element(array.length(), index);
        ThreadState t = Atomics.before(array, field, "rmw", at);
        V old = array.get(index);
        boolean done = array.compareAndSet(index, expected, x);
        Atomics.recordReference(t, array, field, TYPE, Atomics.COMPARE_AND_SET, 4, at, old, done ? x : old, expected, x);
        return done;
    }
}
