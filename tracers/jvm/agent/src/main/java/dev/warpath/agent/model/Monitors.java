package dev.warpath.agent.model;

import dev.warpath.agent.schedule.Action;
import dev.warpath.agent.schedule.Scheduler;
import dev.warpath.agent.schedule.ThreadState;
import dev.warpath.agent.stream.IntMap;
import dev.warpath.agent.stream.Objects;

/**
 * Monitors of objects. The model decides who may enter; the real monitor is entered right behind it, which never blocks,
 * so that code of the JDK that synchronises on the same object is kept out as ever. A thread in {@code wait} releases the
 * real monitor, too, by waiting for its turn in the object's real wait set.
 */
public final class Monitors {
    private static final IntMap<Mutex> monitors = new IntMap<>();

    private Monitors() {}

    private static Mutex of(ThreadState t, Object object) {
        int ref = Objects.ref(t, object);
        Mutex monitor = monitors.get(ref);
        if (monitor == null) {
            monitor = new Mutex(ref, Sync.MONITOR, "monitor(" + Objects.name(t, object) + ')');
            monitors.put(ref, monitor);
        }
        return monitor;
    }

    /** Meanwhile the monitor is not forgotten, whoever else leaves it. */
    private static void turn(ThreadState t, Mutex monitor, Action action) {
        monitor.expected++;
        Scheduler.turn(t, action);
        monitor.expected--;
    }

    /** Before the real monitor is entered. */
    public static void enter(ThreadState t, Object object, long at) {
        Mutex monitor = of(t, object);
        turn(t, monitor, new Mutex.Lock(t, monitor, Sync.BLOCK, false, at));
        monitor.owner = t;
        monitor.depth++;
        Sync.record(t, at, Sync.LOCK, Sync.MONITOR, monitor.ref, Sync.BLOCK, 0, Sync.DONE);
    }

    public static boolean isOwner(ThreadState t, Object object) {
        long id = Objects.known(object);
        Mutex monitor = id == 0 ? null : monitors.get((int) id);
        return monitor != null && monitor.owner == t;
    }

    /** Before the real monitor is left. */
    public static void exit(ThreadState t, Object object, long at) {
        Mutex monitor = of(t, object);
        turn(t, monitor, new Action.Simple("unlock", monitor.name, at));
        boolean owns = monitor.owner == t;
        if (owns && --monitor.depth == 0) {
            monitor.owner = null;
        }
        Sync.record(t, at, Sync.UNLOCK, Sync.MONITOR, monitor.ref, 0, 0, owns ? Sync.DONE : Sync.ERROR);
        forget(monitor);
    }

    private static void forget(Mutex monitor) {
        if (monitor.isIdle()) {
            monitors.remove(monitor.ref);
        }
    }

    /** {@code Object.wait}; {@code nanos} 0: for ever. */
    public static void await(ThreadState t, Object object, long nanos, long at) throws InterruptedException {
        Mutex monitor = of(t, object);
        String location = "waiters" + monitor.name.substring("monitor".length());
        int attempt = nanos == 0 ? Sync.BLOCK : Sync.TIMED;
        if (monitor.owner == t && Threads.isInterruptedBefore(t, at)) {
            throw new InterruptedException();
        }
        turn(t, monitor, new Action.Simple("cond-wait", location, at));
        if (monitor.owner != t) {
            Sync.record(t, at, Sync.WAIT, Sync.MONITOR, monitor.ref, attempt, 0, Sync.ERROR);
            forget(monitor);
            throw new IllegalMonitorStateException("current thread is not owner");
        }
        // One that has come since is noticed by the wait itself.
        if (t.interrupted && !Threads.isExpected(t)) {
            t.interrupted = false;
            Sync.record(t, at, Sync.WAIT, Sync.MONITOR, monitor.ref, attempt, 0, Sync.INTERRUPTED);
            throw new InterruptedException();
        }
        Sync.record(t, at, Sync.WAIT, Sync.MONITOR, monitor.ref, attempt, 0, Sync.DONE);
        int depth = monitor.depth;
        monitor.owner = null;
        monitor.depth = 0;
        monitor.waiters.add(t);
        Mutex.Wake wake = new Mutex.Wake(t, monitor, monitor.waiters, location, monitor.ref, 0, true, at);
        wake.deadline = nanos == 0 ? Action.NEVER : Scheduler.clock + nanos;
        Scheduler.turnReleasing(t, wake, object);
        int result = finish(t, monitor.waiters);
        monitor.owner = t;
        monitor.depth = depth;
        Sync.record(t, at, Sync.WAKE, Sync.MONITOR, monitor.ref, attempt, 0, result);
        if (result == Sync.INTERRUPTED) {
            throw new InterruptedException();
        }
    }

    /** How a wait ended; an interrupt that ended it is used up. */
    static int finish(ThreadState t, WaitSet waiters) {
        if (waiters.remove(t, true)) {
            return Sync.DONE;
        }
        if (t.interrupted) {
            t.interrupted = false;
            return Sync.INTERRUPTED;
        }
        return Sync.TIMED_OUT;
    }

    /** {@code Object.notify} and {@code notifyAll}. */
    public static void notify(ThreadState t, Object object, boolean all, long at) {
        Mutex monitor = of(t, object);
        String location = "waiters" + monitor.name.substring("monitor".length());
        turn(t, monitor, new Action.Simple(all ? "broadcast" : "signal", location, at));
        int verb = all ? Sync.NOTIFY_ALL : Sync.NOTIFY;
        if (monitor.owner != t) {
            Sync.record(t, at, verb, Sync.MONITOR, monitor.ref, 0, 0, Sync.ERROR);
            forget(monitor);
            throw new IllegalMonitorStateException("current thread is not owner");
        }
        int woken = monitor.waiters.notify(all);
        Sync.record(t, at, verb, Sync.MONITOR, monitor.ref, woken, 0, Sync.DONE);
    }
}
