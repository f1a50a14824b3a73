package dev.warpath.agent.hook;

import dev.warpath.agent.model.Monitors;
import dev.warpath.agent.schedule.Scheduler;
import dev.warpath.agent.schedule.ThreadState;
import dev.warpath.agent.stream.Objects;

/** Monitors, and {@code wait} and {@code notify} where instrumented code calls them. */
public final class Monitor {
    private static final long NANOS_PER_MILLI = 1_000_000;

    private Monitor() {}

    public static void enter(Object object, long at) {
        ThreadState t = Scheduler.current();
        if (t != null && object != null) {
            Monitors.enter(t, object, at);
        }
    }

    public static void exit(Object object, long at) {
        ThreadState t = Scheduler.current();
        if (t != null && object != null) {
            Monitors.exit(t, object, at);
        }
    }

    /** In the JDK: only monitors that the program knows of are its own. */
    public static void enterKnown(Object object) {
        ThreadState t = Scheduler.ifHolder();
        if (t != null && object != null && Objects.known(object) != 0) {
            Monitors.enter(t, object, t.site);
        }
    }

    public static void exitKnown(Object object) {
        ThreadState t = Scheduler.ifHolder();
        if (t != null && object != null && Monitors.isOwner(t, object)) {
            Monitors.exit(t, object, t.site);
        }
    }

    public static void await(Object object, long at) throws InterruptedException {
        ThreadState t = Scheduler.current();
        if (t == null) {
            object.wait();
        } else {
            Monitors.await(t, java.util.Objects.requireNonNull(object), 0, at);
        }
    }

    public static void await(Object object, long milliseconds, long at) throws InterruptedException {
        ThreadState t = Scheduler.current();
        if (t == null) {
            object.wait(milliseconds);
            return;
        }
        if (milliseconds < 0) {
            throw new IllegalArgumentException("timeout value is negative");
        }
        Monitors.await(t, java.util.Objects.requireNonNull(object), nanos(milliseconds), at);
    }

    public static void await(Object object, long milliseconds, int nanos, long at) throws InterruptedException {
        if (nanos < 0 || nanos > 999_999) {
            throw new IllegalArgumentException("nanosecond timeout value out of range");
        }
        await(object, nanos > 0 && milliseconds < Long.MAX_VALUE ? milliseconds + 1 : milliseconds, at);
    }

    public static void signal(Object object, long at) {
        ThreadState t = Scheduler.current();
        if (t == null) {
            object.notify();
        } else {
            Monitors.notify(t, java.util.Objects.requireNonNull(object), false, at);
        }
    }

    public static void signalAll(Object object, long at) {
        ThreadState t = Scheduler.current();
        if (t == null) {
            object.notifyAll();
        } else {
            Monitors.notify(t, java.util.Objects.requireNonNull(object), true, at);
        }
    }

    /** At most about 146 years, so that virtual time does not overflow. */
    static long nanos(long milliseconds) {
        return Math.min(milliseconds, Long.MAX_VALUE / 2 / NANOS_PER_MILLI) * NANOS_PER_MILLI;
    }
}
