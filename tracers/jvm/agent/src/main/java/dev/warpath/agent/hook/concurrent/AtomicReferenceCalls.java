package dev.warpath.agent.hook.concurrent;

import dev.warpath.agent.schedule.ThreadState;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;

/** {@link AtomicReference}, where instrumented code calls it. */
public final class AtomicReferenceCalls {
    private static final String TYPE = "Ljava/lang/Object;";

    private AtomicReferenceCalls() {}

    public static <V> V get(AtomicReference<V> atomic, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "r", at);
        V old = atomic.get();
        Atomics.recordReference(t, atomic, Atomics.VALUE, TYPE, Atomics.GET, 4, at, old, old);
        return old;
    }

    public static <V> V getPlain(AtomicReference<V> atomic, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "r", at);
        V old = atomic.get();
        Atomics.recordReference(t, atomic, Atomics.VALUE, TYPE, Atomics.GET, 0, at, old, old);
        return old;
    }

    public static <V> V getOpaque(AtomicReference<V> atomic, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "r", at);
        V old = atomic.get();
        Atomics.recordReference(t, atomic, Atomics.VALUE, TYPE, Atomics.GET, 1, at, old, old);
        return old;
    }

    public static <V> V getAcquire(AtomicReference<V> atomic, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "r", at);
        V old = atomic.get();
        Atomics.recordReference(t, atomic, Atomics.VALUE, TYPE, Atomics.GET, 2, at, old, old);
        return old;
    }

    public static <V> void set(AtomicReference<V> atomic, V x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "w", at);
        V old = atomic.get();
        atomic.set(x);
        Atomics.recordReference(t, atomic, Atomics.VALUE, TYPE, Atomics.SET, 4, at, old, x, x);
    }

    public static <V> void setPlain(AtomicReference<V> atomic, V x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "w", at);
        V old = atomic.get();
        atomic.set(x);
        Atomics.recordReference(t, atomic, Atomics.VALUE, TYPE, Atomics.SET, 0, at, old, x, x);
    }

    public static <V> void setOpaque(AtomicReference<V> atomic, V x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "w", at);
        V old = atomic.get();
        atomic.set(x);
        Atomics.recordReference(t, atomic, Atomics.VALUE, TYPE, Atomics.SET, 1, at, old, x, x);
    }

    public static <V> void setRelease(AtomicReference<V> atomic, V x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "w", at);
        V old = atomic.get();
        atomic.set(x);
        Atomics.recordReference(t, atomic, Atomics.VALUE, TYPE, Atomics.SET, 3, at, old, x, x);
    }

    public static <V> void lazySet(AtomicReference<V> atomic, V x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "w", at);
        V old = atomic.get();
        atomic.set(x);
        Atomics.recordReference(t, atomic, Atomics.VALUE, TYPE, Atomics.SET, 3, at, old, x, x);
    }

    public static <V> V getAndSet(AtomicReference<V> atomic, V x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        V old = atomic.getAndSet(x);
        Atomics.recordReference(t, atomic, Atomics.VALUE, TYPE, Atomics.GET_AND_SET, 4, at, old, x, x);
        return old;
    }

    public static <V> boolean compareAndSet(AtomicReference<V> atomic, V expected, V x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        V old = atomic.get();
        boolean done = atomic.compareAndSet(expected, x);
        Atomics.recordReference(t, atomic, Atomics.VALUE, TYPE, Atomics.COMPARE_AND_SET, 4, at, old, done ? x : old, expected, x);
        return done;
    }

    public static <V> boolean weakCompareAndSet(AtomicReference<V> atomic, V expected, V x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        V old = atomic.get();
        boolean done = atomic.compareAndSet(expected, x);
        Atomics.recordReference(t, atomic, Atomics.VALUE, TYPE, Atomics.COMPARE_AND_SET, 0, at, old, done ? x : old, expected, x);
        return done;
    }

    public static <V> boolean weakCompareAndSetPlain(AtomicReference<V> atomic, V expected, V x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        V old = atomic.get();
        boolean done = atomic.compareAndSet(expected, x);
        Atomics.recordReference(t, atomic, Atomics.VALUE, TYPE, Atomics.COMPARE_AND_SET, 0, at, old, done ? x : old, expected, x);
        return done;
    }

    public static <V> boolean weakCompareAndSetVolatile(AtomicReference<V> atomic, V expected, V x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        V old = atomic.get();
        boolean done = atomic.compareAndSet(expected, x);
        Atomics.recordReference(t, atomic, Atomics.VALUE, TYPE, Atomics.COMPARE_AND_SET, 4, at, old, done ? x : old, expected, x);
        return done;
    }

    public static <V> boolean weakCompareAndSetAcquire(AtomicReference<V> atomic, V expected, V x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        V old = atomic.get();
        boolean done = atomic.compareAndSet(expected, x);
        Atomics.recordReference(t, atomic, Atomics.VALUE, TYPE, Atomics.COMPARE_AND_SET, 2, at, old, done ? x : old, expected, x);
        return done;
    }

    public static <V> boolean weakCompareAndSetRelease(AtomicReference<V> atomic, V expected, V x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        V old = atomic.get();
        boolean done = atomic.compareAndSet(expected, x);
        Atomics.recordReference(t, atomic, Atomics.VALUE, TYPE, Atomics.COMPARE_AND_SET, 3, at, old, done ? x : old, expected, x);
        return done;
    }

    public static <V> V compareAndExchange(AtomicReference<V> atomic, V expected, V x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        V old = atomic.compareAndExchange(expected, x);
        Atomics.recordReference(t, atomic, Atomics.VALUE, TYPE, Atomics.COMPARE_AND_SET, 4, at, old, atomic.get(), expected, x);
        return old;
    }

    public static <V> V getAndUpdate(AtomicReference<V> atomic, UnaryOperator<V> update, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        while (true) {
            V old = atomic.get();
            V x = update.apply(old);
            // The program's code may have handed the turn on.
            if (atomic.compareAndSet(old, x)) {
                Atomics.recordReference(t, atomic, Atomics.VALUE, TYPE, Atomics.UPDATE, 4, at, old, x);
                return old;
            }
        }
    }

    public static <V> V updateAndGet(AtomicReference<V> atomic, UnaryOperator<V> update, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        while (true) {
            V old = atomic.get();
            V x = update.apply(old);
            // The program's code may have handed the turn on.
            if (atomic.compareAndSet(old, x)) {
                Atomics.recordReference(t, atomic, Atomics.VALUE, TYPE, Atomics.UPDATE, 4, at, old, x);
                return x;
            }
        }
    }

    public static <V> V getAndAccumulate(AtomicReference<V> atomic, V with, BinaryOperator<V> update, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        while (true) {
            V old = atomic.get();
            V x = update.apply(old, with);
            if (atomic.compareAndSet(old, x)) {
                Atomics.recordReference(t, atomic, Atomics.VALUE, TYPE, Atomics.UPDATE, 4, at, old, x);
                return old;
            }
        }
    }

    public static <V> V accumulateAndGet(AtomicReference<V> atomic, V with, BinaryOperator<V> update, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        while (true) {
            V old = atomic.get();
            V x = update.apply(old, with);
            if (atomic.compareAndSet(old, x)) {
                Atomics.recordReference(t, atomic, Atomics.VALUE, TYPE, Atomics.UPDATE, 4, at, old, x);
                return x;
            }
        }
    }
}
