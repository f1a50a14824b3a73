package dev.warpath.agent.hook;

import dev.warpath.agent.model.Threads;
import dev.warpath.agent.schedule.Action;
import dev.warpath.agent.schedule.End;
import dev.warpath.agent.schedule.Scheduler;
import dev.warpath.agent.schedule.ThreadState;
import dev.warpath.agent.stream.Objects;
import dev.warpath.agent.stream.Stream;
import dev.warpath.agent.stream.Tag;
import java.util.concurrent.locks.LockSupport;

/**
 * Calls at the beginning of methods of {@code Thread}, {@code LockSupport} and {@code Shutdown}, wherever they are called
 * from. Those that return whether the method's work is done let the method return at once if so. Their place is that of
 * the last call out of instrumented code.
 */
public final class ThreadHook {
    private ThreadHook() {}

    /** {@code Thread.start}, where instrumented code calls it. */
    public static void starting(Thread thread, long at) {
        ThreadState t = Scheduler.current();
        if (t != null && thread != null && thread.getState() == Thread.State.NEW && ThreadState.of(thread) == null
                && comesToHooks(thread)) {
            Threads.start(t, thread, at);
        }
    }

    /** The beginning of {@code Thread.start}, for threads that the JDK starts. */
    public static void starting(Thread thread) {
        ThreadState t = Scheduler.ifHolder();
        if (t != null) {
            starting(thread, t.site);
        }
    }

    /**
     * Does the thread surely come to a hook? So does what runs {@code Thread.run} or a method of the program, but not
     * threads of the JDK that run code of their own, which nobody must wait for.
     */
    private static boolean comesToHooks(Thread thread) {
        Class<?> type = thread.getClass();
        return type == Thread.class || type.getClassLoader() != null
                || thread instanceof java.util.concurrent.ForkJoinWorkerThread;
    }

    /** {@code Thread.run}. */
    public static void running() {
        Scheduler.current();
    }

    /** {@code Thread.exit}, which the JVM calls at the end of every thread. */
    public static void exiting() {
        ThreadState t = ThreadState.of(Thread.currentThread());
        if (t == null || Scheduler.current() != t) {
            return;
        }
        Flow.unwindTo(t, 0, t.uncaught == null ? 0 : Objects.ref(t, t.uncaught));
        Scheduler.turn(t, new Action.Simple("end", null, 0));
        Stream.end(Stream.start(), Tag.END | Tag.STEP);
        Scheduler.ended(t);
    }

    /** {@code Thread.dispatchUncaughtException}. */
    public static void uncaught(Throwable exception) {
        ThreadState t = Scheduler.current();
        if (t == null) {
            return;
        }
        t.uncaught = exception;
        int ref = Objects.ref(t, exception);
        int type = Stream.string(exception.getClass().getTypeName());
        int message = Stream.string(message(exception));
        Stream.end(Stream.u(Stream.u(Stream.u(Stream.start(), ref), type), message), Tag.UNCAUGHT);
    }

    private static String message(Throwable exception) {
        try {
            return exception.getMessage();
        } catch (RuntimeException | Error failure) {
            return "";
        }
    }

    /** {@code Thread.join(millis)}. */
    public static boolean join(Thread thread, long milliseconds) throws InterruptedException {
        ThreadState t = Scheduler.ifHolder();
        ThreadState child = t == null ? null : ThreadState.of(thread);
        if (child == null || child.isOutside() || milliseconds < 0) {
            return false;
        }
        Threads.join(t, child, Monitor.nanos(milliseconds), t.site);
        return true;
    }

    /** {@code Thread.join}, where instrumented code calls it: before the method takes the monitor of the thread. */
    public static void joinAt(Thread thread, long at) throws InterruptedException {
        joinAt(thread, 0, at);
    }

    public static void joinAt(Thread thread, long milliseconds, long at) throws InterruptedException {
        Flow.call(at);
        if (!join(thread, milliseconds)) {
            thread.join(milliseconds);
        }
    }

    /** {@code Thread.sleep}, where instrumented code calls it. */
    public static void sleepAt(long milliseconds, long at) throws InterruptedException {
        Flow.call(at);
        if (!sleep(milliseconds)) {
            Thread.sleep(milliseconds);
        }
    }

    /** {@code Thread.yield}, where instrumented code calls it. */
    public static void yieldAt(long at) {
        Flow.call(at);
        if (!giveWay()) {
            Thread.yield();
        }
    }

    /** {@code Thread.sleep(millis)}. */
    public static boolean sleep(long milliseconds) throws InterruptedException {
        return milliseconds >= 0 && sleepNanos(Monitor.nanos(milliseconds));
    }

    private static boolean sleepNanos(long nanos) throws InterruptedException {
        ThreadState t = Scheduler.ifHolder();
        if (t != null) {
            Threads.sleep(t, nanos, true, t.site);
        }
        return t != null;
    }

    /** {@code Thread.sleep(millis, nanos)}. */
    public static boolean sleep(long milliseconds, int nanos) throws InterruptedException {
        return milliseconds >= 0 && nanos >= 0 && nanos <= 999_999 && sleepNanos(Monitor.nanos(milliseconds) + nanos);
    }

    /** {@code Thread.yield}. */
    public static boolean giveWay() {
        ThreadState t = Scheduler.ifHolder();
        if (t != null) {
            spin(t);
        }
        return t != null;
    }

    /** {@code Thread.onSpinWait}, where instrumented code calls it: it is compiled to nothing otherwise. */
    public static void onSpinWaitAt(long at) {
        Flow.call(at);
        giveWay();
    }

    private static void spin(ThreadState t) {
        try {
            Threads.sleep(t, 0, false, t.site);
        } catch (InterruptedException signal) {
            throw new IllegalStateException("a pause that nobody can interrupt was interrupted", signal);
        }
    }

    /** {@code Thread.interrupt}. */
    public static boolean interrupt(Thread thread) {
        ThreadState t = Scheduler.ifHolder();
        ThreadState target = t == null ? null : ThreadState.of(thread);
        if (target == null || target.isOutside()) {
            return false;
        }
        Threads.interrupt(t, target, t.site);
        return true;
    }

    /** The beginning of {@code Thread.isInterrupted}: 0, 1, or -1 if it is to be asked for real. */
    public static int isInterrupted(Thread thread) {
        ThreadState t = Scheduler.ifHolder();
        ThreadState target = t == null ? null : ThreadState.of(thread);
        return target == null || target.isOutside() ? -1 : target.interrupted ? 1 : 0;
    }

    /** The beginning of {@code Thread.interrupted}: likewise. The JDK asks often; only what changes the flag is an event. */
    public static int interrupted() {
        ThreadState t = Scheduler.ifHolder();
        if (t == null) {
            return -1;
        }
        return t.interrupted && Threads.testInterrupt(t, t, true, t.site) ? 1 : 0;
    }

    /** {@code Thread.isInterrupted}, where instrumented code calls it. */
    public static boolean isInterruptedAt(Thread thread, long at) {
        ThreadState t = Scheduler.current();
        ThreadState target = t == null ? null : ThreadState.of(thread);
        if (target == null || target.isOutside()) {
            return thread.isInterrupted();
        }
        return Threads.testInterrupt(t, target, false, at);
    }

    /** {@code Thread.interrupted}, where instrumented code calls it. */
    public static boolean interruptedAt(long at) {
        ThreadState t = Scheduler.current();
        return t == null ? Thread.interrupted() : Threads.testInterrupt(t, t, true, at);
    }

    /** {@code Thread.isAlive}, where instrumented code calls it. */
    public static boolean isAlive(Thread thread) {
        ThreadState t = Scheduler.ifHolder();
        ThreadState target = t == null ? null : ThreadState.of(thread);
        return target == null ? thread.isAlive() : !target.hasEnded();
    }

    /** {@code LockSupport.park}. */
    public static boolean park() {
        ThreadState t = Scheduler.ifHolder();
        if (t != null) {
            Threads.park(t, 0, t.site);
        }
        return t != null;
    }

    /** {@code LockSupport.parkNanos}. */
    public static boolean parkNanos(long nanos) {
        ThreadState t = Scheduler.ifHolder();
        if (t != null && nanos > 0) {
            Threads.park(t, Math.min(nanos, Long.MAX_VALUE / 2), t.site);
        }
        return t != null;
    }

    /** {@code LockSupport.parkUntil}. */
    public static boolean parkUntil(long milliseconds) {
        ThreadState t = Scheduler.ifHolder();
        if (t != null) {
            long nanos = Monitor.nanos(milliseconds - Clock.EPOCH) - Scheduler.clock;
            Threads.park(t, Math.max(nanos, 1), t.site);
        }
        return t != null;
    }

    /** {@code LockSupport.unpark}. */
    public static boolean unpark(Thread thread) {
        ThreadState t = Scheduler.ifHolder();
        ThreadState target = t == null || thread == null ? null : ThreadState.of(thread);
        if (target == null) {
            return false;
        }
        Threads.unpark(t, target, t.site);
        return !target.isOutside();
    }

    /** {@code Unsafe.park}: until a time since the epoch in milliseconds, or for so many nanoseconds, 0 for ever. */
    public static void parkBare(Object unsafe, boolean isAbsolute, long time) {
        if (isAbsolute) {
            LockSupport.parkUntil(time);
        } else if (time == 0) {
            LockSupport.park();
        } else {
            LockSupport.parkNanos(time);
        }
    }

    /** {@code Unsafe.unpark}. */
    public static void unparkBare(Object unsafe, Object thread) {
        LockSupport.unpark((Thread) thread);
    }

    /** {@code Shutdown.halt}: by {@code System.exit} or {@code Runtime.halt}. */
    public static void halting(int status) {
        End.exited(status);
    }

    /** The end of {@code Shutdown.shutdown}: the last thread has ended. */
    public static void shutDown() {
        ThreadState main = ThreadState.numbered(1);
        End.exited(main.uncaught == null ? 0 : 1);
    }
}
