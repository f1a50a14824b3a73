package dev.warpath.agent.schedule;

import dev.warpath.agent.memory.StoreBuffer;
import dev.warpath.agent.stream.Stream;
import dev.warpath.agent.stream.Tag;

/** A thread as the agent knows it. */
public final class ThreadState {
    /** Where a thread is. */
    enum Standing {
        /** Started, but not yet at its first hook. */
        UNBORN,
        /** It has the turn. */
        RUNNING,
        /** It waits for its turn to do its {@link #action}. */
        POISED,
        /** In code that is not instrumented, without the turn. */
        OUTSIDE,
        ENDED
    }

    private static ThreadState[] all = new ThreadState[16];
    private static int count;

    /** In the stream, from 1. */
    public final int number;
    /** {@code T0.1}. */
    public final String key;
    public final Thread thread;
    /** Threads that it has started. */
    int forks;
    /** What it takes for chance: its own, so that what others do does not change it. */
    public final XorShift chance;
    /** Objects that it has allocated. */
    public long objects;
    /** Objects that it got from elsewhere first. */
    public long found;

    volatile Standing standing = Standing.UNBORN;
    /** What it is about to do. */
    Action action;
    /** The turn is its own. */
    private volatile boolean go;
    /** The object in whose real wait set the thread waits for its turn, having released the object's monitor. */
    volatile Object parkedOn;
    /** It slept or yielded since its last turn. */
    boolean yielded;
    /** Visible events so far. */
    long visible;
    /** Within how many initialisers of classes it is. */
    public int initialising;
    private long[] suspendedSteps = new long[4];
    /** Methods that it is in. */
    private int[] calls = new int[64];
    /** How many; taken back without a call where the end of the stack might forbid one. */
    public int depth;

    /** The event at this place is the step that the thread has the turn for. */
    public long stepAt = -1;
    /** The call out of instrumented code that it is in. */
    public long site;
    /** The constructor or static method of the JDK that instrumented code is about to call. */
    public String expected;
    /** Its permit of {@code LockSupport}. */
    public boolean permit;
    public boolean interrupted;
    /** It dies of this. */
    public Throwable uncaught;
    /** Its writes that others do not see yet. */
    public final StoreBuffer buffer = new StoreBuffer();
    /** An access that it is about to make; kept, so that none is allocated per access. */
    public final AccessAction access = new AccessAction(this);

    private ThreadState(int number, String key, Thread thread) {
        this.number = number;
        this.key = key;
        this.thread = thread;
        chance = new XorShift(key.hashCode());
    }

    /** Registers a thread; its definition goes to the stream. Only for who has the turn. */
    static ThreadState register(ThreadState parent, Thread thread) {
        int nth = parent == null ? 0 : parent.forks++;
        String key = parent == null ? "T0" : parent.key + '.' + nth;
        ThreadState t = new ThreadState(count + 1, key, thread);
        int name = Stream.string(thread.getName());
        int start = Stream.string(ThreadTarget.of(thread));
        int p = Stream.u(Stream.start(), parent == null ? 0 : parent.number);
        p = Stream.u(Stream.u(Stream.u(p, nth), name), start);
        Stream.end(p, Tag.THREAD);
        if (count == all.length) {
            ThreadState[] longer = new ThreadState[count * 2];
            System.arraycopy(all, 0, longer, 0, count);
            all = longer;
        }
        all[count++] = t;
        return t;
    }

    public static ThreadState numbered(int number) {
        return all[number - 1];
    }

    static int count() {
        return count;
    }

    /** The thread's state, or null. Threads that ended are passed over: a dead thread's object does not come back. */
    public static ThreadState of(Thread thread) {
        ThreadState[] threads = all;
        for (int i = Math.min(count, threads.length) - 1; i >= 0; i--) {
            ThreadState t = threads[i];
            if (t != null && t.thread == thread) {
                return t;
            }
        }
        return null;
    }

    static ThreadState named(String key) {
        for (int i = 0; i < count; i++) {
            if (all[i].key.equals(key)) {
                return all[i];
            }
        }
        return null;
    }

    public boolean hasEnded() {
        return standing == Standing.ENDED;
    }

    /** Is it somewhere where only the real world can reach it? */
    public boolean isOutside() {
        return standing == Standing.OUTSIDE;
    }

    /** The thread enters a method. */
    public void push(int method) {
        if (depth == calls.length) {
            int[] longer = new int[depth * 2];
            System.arraycopy(calls, 0, longer, 0, depth);
            calls = longer;
        }
        calls[depth++] = method;
    }

    /** Is this the method that the thread is in? Also true if it is in none. */
    public boolean isIn(int method) {
        return depth == 0 || calls[depth - 1] == method;
    }

    /** An initialiser of a class begins in the middle of an access, which may be a step. */
    public void suspendStep() {
        if (initialising == suspendedSteps.length) {
            long[] longer = new long[initialising * 2];
            System.arraycopy(suspendedSteps, 0, longer, 0, initialising);
            suspendedSteps = longer;
        }
        suspendedSteps[initialising++] = stepAt;
        stepAt = -1;
    }

    public void resumeStep() {
        if (initialising > 0) {
            stepAt = suspendedSteps[--initialising];
        }
    }

    /** Has it been given the turn without having noticed yet? */
    boolean isCalled() {
        return go;
    }

    /** Gives the thread the turn; whoever calls must not hold what the thread needs to wake up. */
    void wake() {
        Object monitor = parkedOn;
        if (monitor == null) {
            go = true;
            java.util.concurrent.locks.LockSupport.unpark(thread);
            return;
        }
        synchronized (monitor) {
            go = true;
            monitor.notifyAll();
        }
    }

    /** Waits for the turn. An interrupt that comes meanwhile is kept for the program. */
    void await() {
        boolean interruptedForReal = false;
        Object monitor = parkedOn;
        if (monitor != null) {
            synchronized (monitor) {
                while (!go) {
                    try {
                        monitor.wait();
                    } catch (InterruptedException signal) {
                        interruptedForReal = true;
                    }
                }
            }
        } else {
            while (!go) {
                java.util.concurrent.locks.LockSupport.park(this);
                interruptedForReal |= !go && Thread.interrupted();
            }
        }
        go = false;
        interrupted |= interruptedForReal;
    }
}
