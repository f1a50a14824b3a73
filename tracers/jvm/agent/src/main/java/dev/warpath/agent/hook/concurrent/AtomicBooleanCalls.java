package dev.warpath.agent.hook.concurrent;

import dev.warpath.agent.schedule.ThreadState;
import java.util.concurrent.atomic.AtomicBoolean;

/** {@link AtomicBoolean}, where instrumented code calls it. */
public final class AtomicBooleanCalls {
    private static final String TYPE = "Z";

    private AtomicBooleanCalls() {}

    public static boolean get(AtomicBoolean atomic, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "r", at);
        boolean old = atomic.get();
        Atomics.recordFlag(t, atomic, Atomics.VALUE, TYPE, Atomics.GET, 4, at, old, old);
        return old;
    }

    public static boolean getPlain(AtomicBoolean atomic, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "r", at);
        boolean old = atomic.get();
        Atomics.recordFlag(t, atomic, Atomics.VALUE, TYPE, Atomics.GET, 0, at, old, old);
        return old;
    }

    public static boolean getOpaque(AtomicBoolean atomic, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "r", at);
        boolean old = atomic.get();
        Atomics.recordFlag(t, atomic, Atomics.VALUE, TYPE, Atomics.GET, 1, at, old, old);
        return old;
    }

    public static boolean getAcquire(AtomicBoolean atomic, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "r", at);
        boolean old = atomic.get();
        Atomics.recordFlag(t, atomic, Atomics.VALUE, TYPE, Atomics.GET, 2, at, old, old);
        return old;
    }

    public static void set(AtomicBoolean atomic, boolean x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "w", at);
        boolean old = atomic.get();
        atomic.set(x);
        Atomics.recordFlag(t, atomic, Atomics.VALUE, TYPE, Atomics.SET, 4, at, old, x, x);
    }

    public static void setPlain(AtomicBoolean atomic, boolean x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "w", at);
        boolean old = atomic.get();
        atomic.set(x);
        Atomics.recordFlag(t, atomic, Atomics.VALUE, TYPE, Atomics.SET, 0, at, old, x, x);
    }

    public static void setOpaque(AtomicBoolean atomic, boolean x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "w", at);
        boolean old = atomic.get();
        atomic.set(x);
        Atomics.recordFlag(t, atomic, Atomics.VALUE, TYPE, Atomics.SET, 1, at, old, x, x);
    }

    public static void setRelease(AtomicBoolean atomic, boolean x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "w", at);
        boolean old = atomic.get();
        atomic.set(x);
        Atomics.recordFlag(t, atomic, Atomics.VALUE, TYPE, Atomics.SET, 3, at, old, x, x);
    }

    public static void lazySet(AtomicBoolean atomic, boolean x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "w", at);
        boolean old = atomic.get();
        atomic.set(x);
        Atomics.recordFlag(t, atomic, Atomics.VALUE, TYPE, Atomics.SET, 3, at, old, x, x);
    }

    public static boolean getAndSet(AtomicBoolean atomic, boolean x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        boolean old = atomic.getAndSet(x);
        Atomics.recordFlag(t, atomic, Atomics.VALUE, TYPE, Atomics.GET_AND_SET, 4, at, old, x, x);
        return old;
    }

    public static boolean compareAndSet(AtomicBoolean atomic, boolean expected, boolean x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        boolean old = atomic.get();
        boolean done = atomic.compareAndSet(expected, x);
        Atomics.recordFlag(t, atomic, Atomics.VALUE, TYPE, Atomics.COMPARE_AND_SET, 4, at, old, done ? x : old, expected, x);
        return done;
    }

    public static boolean weakCompareAndSet(AtomicBoolean atomic, boolean expected, boolean x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        boolean old = atomic.get();
        boolean done = atomic.compareAndSet(expected, x);
        Atomics.recordFlag(t, atomic, Atomics.VALUE, TYPE, Atomics.COMPARE_AND_SET, 0, at, old, done ? x : old, expected, x);
        return done;
    }

    public static boolean weakCompareAndSetPlain(AtomicBoolean atomic, boolean expected, boolean x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        boolean old = atomic.get();
        boolean done = atomic.compareAndSet(expected, x);
        Atomics.recordFlag(t, atomic, Atomics.VALUE, TYPE, Atomics.COMPARE_AND_SET, 0, at, old, done ? x : old, expected, x);
        return done;
    }

    public static boolean weakCompareAndSetVolatile(AtomicBoolean atomic, boolean expected, boolean x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        boolean old = atomic.get();
        boolean done = atomic.compareAndSet(expected, x);
        Atomics.recordFlag(t, atomic, Atomics.VALUE, TYPE, Atomics.COMPARE_AND_SET, 4, at, old, done ? x : old, expected, x);
        return done;
    }

    public static boolean weakCompareAndSetAcquire(AtomicBoolean atomic, boolean expected, boolean x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        boolean old = atomic.get();
        boolean done = atomic.compareAndSet(expected, x);
        Atomics.recordFlag(t, atomic, Atomics.VALUE, TYPE, Atomics.COMPARE_AND_SET, 2, at, old, done ? x : old, expected, x);
        return done;
    }

    public static boolean weakCompareAndSetRelease(AtomicBoolean atomic, boolean expected, boolean x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        boolean old = atomic.get();
        boolean done = atomic.compareAndSet(expected, x);
        Atomics.recordFlag(t, atomic, Atomics.VALUE, TYPE, Atomics.COMPARE_AND_SET, 3, at, old, done ? x : old, expected, x);
        return done;
    }

    public static boolean compareAndExchange(AtomicBoolean atomic, boolean expected, boolean x, long at) {
        ThreadState t = Atomics.before(atomic, Atomics.VALUE, "rmw", at);
        boolean old = atomic.compareAndExchange(expected, x);
        Atomics.recordFlag(t, atomic, Atomics.VALUE, TYPE, Atomics.COMPARE_AND_SET, 4, at, old, atomic.get(), expected, x);
        return old;
    }
}
