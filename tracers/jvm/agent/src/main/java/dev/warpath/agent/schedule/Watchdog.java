package dev.warpath.agent.schedule;

import dev.warpath.agent.schedule.ThreadState.Standing;
import dev.warpath.agent.stream.Definitions;
import dev.warpath.agent.stream.Stream;

/**
 * Looks after threads that have the turn, but block in code that is not instrumented: input and output, locks within the
 * JDK. After a while such a thread counts as outside: the others go on, and it waits for its turn at its next hook.
 */
public final class Watchdog extends Thread {
    private static final long INTERVAL = 20;
    /** Looks without progress, each of which finds the thread blocked, until it is taken for outside. */
    private static final int PATIENCE = 10;
    /** The same for one that does not seem to block, but may wait for another to initialise a class. */
    private static final int LONG_PATIENCE = 15;
    /** Looks until a schedule is given up whose next thread is outside. */
    private static final int GIVE_UP = 250;

    /** Threads that wait for the agent itself. */
    private static int excused;

    /** Says that a thread begins, or ends, to wait for the agent itself: that is not outside. */
    public static synchronized void look(boolean again) {
        excused += again ? -1 : 1;
    }

    private static synchronized boolean isExcused() {
        return excused > 0;
    }

    public Watchdog() {
        super(rootGroup(), null, "warpath watchdog", 0, false);
        setDaemon(true);
    }

    /** Where threads of the agent are: not among the program's. */
    public static ThreadGroup rootGroup() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        while (group.getParent() != null) {
            group = group.getParent();
        }
        return group;
    }

    @Override
    public void run() {
        ThreadState seen = null;
        long length = -1;
        int looks = 0;
        int blocked = 0;
        while (!Stream.isClosed()) {
            rest(INTERVAL);
            ThreadState now = Scheduler.owner;
            if (now != seen || Stream.length() != length) {
                seen = now;
                length = Stream.length();
                looks = 0;
                blocked = 0;
                continue;
            }
            looks++;
            if (now == null) {
                idle(looks);
                continue;
            }
            // On a busy machine a thread may be slow, and stand still for a moment whenever the JVM wants it to.
            blocked = isBlocked(now, looks) ? blocked + 1 : 0;
            if (blocked >= PATIENCE) {
                release(now, length);
                looks = 0;
                blocked = 0;
            }
        }
    }

    /** Nobody has the turn: is that for good? */
    private static void idle(int looks) {
        if (looks == GIVE_UP && Scheduler.waitsForOutside) {
            synchronized (Scheduler.LOCK) {
                if (Scheduler.owner == null && Scheduler.waitsForOutside) {
                    End.stop("diverged", "the schedule waits for a thread that waits for something outside the program");
                }
            }
        } else if (looks % PATIENCE == 0 && !Scheduler.waitsForOutside) {
            // The JVM did not exit although only daemons seemed to be left, or a stranger has gone.
            ThreadState next = null;
            synchronized (Scheduler.LOCK) {
                if (Scheduler.owner == null && Scheduler.suspect == null && !Stream.isClosed() && hasOtherThreads()) {
                    next = Scheduler.choose(null);
                    Scheduler.owner = next;
                }
            }
            if (next != null) {
                next.wake();
            }
        }
    }

    /** Does the JVM wait for the end of a thread that is not the agent's to schedule? Or is one of ours still there? */
    private static boolean hasOtherThreads() {
        for (int n = 1; n <= ThreadState.count(); n++) {
            ThreadState t = ThreadState.numbered(n);
            if (!t.hasEnded() && !t.thread.isDaemon()) {
                return true;
            }
        }
        return Strangers.mayAct();
    }

    private static boolean isBlocked(ThreadState t, int looks) {
        if (isExcused() || t.isCalled() || t.standing != Standing.RUNNING) {
            return false;
        }
        Thread.State state = t.thread.getState();
        if (state != Thread.State.RUNNABLE) {
            return state != Thread.State.NEW && state != Thread.State.TERMINATED;
        }
        StackTraceElement[] stack = t.thread.getStackTrace();
        if (stack.length > 0 && stack[0].isNativeMethod()) {
            String type = stack[0].getClassName();
            return type.startsWith("java.io.") || type.startsWith("java.net.") || type.startsWith("sun.nio.")
                    || type.startsWith("java.lang.Process");
        }
        return looks >= LONG_PATIENCE && isAnotherInitialising(t);
    }

    private static boolean isAnotherInitialising(ThreadState t) {
        for (int n = 1; n <= ThreadState.count(); n++) {
            ThreadState other = ThreadState.numbered(n);
            if (other != t && other.initialising > 0 && !other.hasEnded()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Takes the turn from a thread in two steps: first nobody has it, and only if the thread did not notice for a while
     * is it given away. So a thread that returns at this very moment cannot go on beside another.
     */
    private static void release(ThreadState t, long length) {
        synchronized (Scheduler.LOCK) {
            if (Scheduler.holder != t) {
                return;
            }
            Scheduler.suspect = t;
            Scheduler.owner = null;
            Scheduler.holder = null;
        }
        rest(INTERVAL / 4);
        ThreadState next;
        synchronized (Scheduler.LOCK) {
            if (Scheduler.suspect != t) {
                return;
            }
            Scheduler.suspect = null;
            if (Stream.length() != length) {
                Scheduler.owner = t;
                Scheduler.holder = t;
                return;
            }
            t.standing = Standing.OUTSIDE;
            StackTraceElement[] stack = t.thread.getStackTrace();
            Definitions.note("thread " + t.key + " blocks outside the program"
                    + (stack.length > 0 ? ", in " + stack[0].getClassName() + '.' + stack[0].getMethodName() : ""));
            Scheduler.commitAll(t);
            next = Scheduler.choose(null);
            Scheduler.owner = next;
        }
        if (next != null) {
            next.wake();
        }
    }

    private static void rest(long milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException signal) {
            // Nobody has a reason to; it looks again earlier.
        }
    }
}
