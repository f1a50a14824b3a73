package dev.warpath.agent.schedule;

import dev.warpath.agent.memory.StoreBuffer;
import dev.warpath.agent.plan.Plan;
import dev.warpath.agent.plan.Step;
import dev.warpath.agent.schedule.ThreadState.Standing;
import dev.warpath.agent.stream.Definitions;
import dev.warpath.agent.stream.Stream;
import dev.warpath.agent.stream.Tag;

/**
 * One thread at a time: whose turn it is, and who is next.
 *
 * <p>A thread keeps the turn until it comes to its next visible event. There it says what it is about to do
 * ({@link #turn}) and goes on when it is chosen, which it is only if it can do that now. So all threads but one stand
 * before something, and each choice is made among the same possibilities whenever the same path was taken.
 */
public final class Scheduler {
    /** Bytes of events that a thread may write between two steps before others get a chance: it may be spinning. */
    private static final int FUEL = 1 << 20;

    /** How often, and how many milliseconds apart, a thread that ends the JVM looks whether others have stopped. */
    private static final int MOST_LOOKS = 200;
    private static final long LOOK = 10;

    static final Object LOCK = new Object();
    /** Who has the turn and knows it. Read without synchronisation: only the thread itself puts itself here. */
    static ThreadState holder;
    /** Who was given the turn; it may be on its way. Guarded by the lock, as {@link #suspect} is. */
    static ThreadState owner;
    /** The watchdog believes that this thread left without giving the turn back. */
    static ThreadState suspect;
    /** Virtual nanoseconds. */
    public static long clock;

    private static volatile boolean running;
    private static Follow follow;
    private static Chooser chooser;
    private static long maxEvents;
    private static final Choices choices = new Choices();
    private static Newcomer newcomers;
    private static volatile boolean hasNewcomers;
    /** The JVM goes down by a thread that is not scheduled: nobody gets the turn any more. */
    private static volatile boolean exiting;
    /** Whom the last SWITCH named. */
    private static ThreadState writer;
    /** When idle: the step that is waited for names a thread that is outside. */
    static volatile boolean waitsForOutside;

    private Scheduler() {}

    /** A thread that came to a hook although nobody told of its start. */
    private static final class Newcomer {
        final Thread thread;
        final Newcomer next;
        ThreadState state;

        Newcomer(Thread thread, Newcomer next) {
            this.thread = thread;
            this.next = next;
        }
    }

    /** Begins with the current thread as T0. */
    public static void start(Plan plan) {
        follow = new Follow(plan);
        chooser = new Chooser(plan);
        maxEvents = plan.maxEvents;
        ThreadState main = ThreadState.register(null, Thread.currentThread());
        main.action = new Action.Simple("begin", null, 0);
        holder = main;
        owner = main;
        running = true;
        turn(main, main.action);
        Stream.end(Stream.start(), Tag.BEGIN | Tag.STEP);
    }

    /** The state of the current thread, which has the turn then; null if what it does is not to be recorded. */
    public static ThreadState current() {
        ThreadState t = holder;
        return t != null && t.thread == Thread.currentThread() ? t : arrive();
    }

    /** The same, but null for a thread that has not the turn. */
    public static ThreadState ifHolder() {
        ThreadState t = holder;
        return t != null && t.thread == Thread.currentThread() ? t : null;
    }

    private static ThreadState arrive() {
        Thread me = Thread.currentThread();
        if (!running || Stream.isClosed() || me instanceof Watchdog) {
            return null;
        }
        ThreadState t = ThreadState.of(me);
        if (t == null) {
            t = introduce(me);
        }
        ThreadState next = null;
        synchronized (LOCK) {
            if (suspect == t) {
                suspect = null;
                owner = t;
                holder = t;
                return t;
            }
            if (t.standing == Standing.POISED || t.standing == Standing.RUNNING || t.standing == Standing.ENDED) {
                return null;
            }
            if (t.standing == Standing.OUTSIDE) {
                t.action = new Action.Pause(t, Action.NEVER, false);
                t.standing = Standing.POISED;
                // An interrupt that reached it out there is the program's again.
                t.interrupted |= Thread.interrupted();
            }
            // Daemons do not go on while the JVM exits: how far they came would be a matter of chance.
            if (owner == null && suspect == null && isAnybodyLeft()) {
                next = choose(t);
                owner = next;
            }
        }
        if (next != null) {
            next.wake();
        }
        Action action = t.action;
        t.await();
        granted(t);
        if (action.verb != null) {
            Stream.end(Stream.start(), Tag.BEGIN | Tag.STEP);
        }
        return t;
    }

    private static ThreadState introduce(Thread me) {
        synchronized (LOCK) {
            Newcomer newcomer = new Newcomer(me, newcomers);
            newcomers = newcomer;
            hasNewcomers = true;
            if (owner == null && suspect == null) {
                greet();
            }
            while (newcomer.state == null) {
                try {
                    LOCK.wait();
                } catch (InterruptedException signal) {
                    // It belongs to the program, which gets it when the thread has its turn.
                    newcomer.thread.interrupt();
                }
            }
            return newcomer.state;
        }
    }

    private static void greet() {
        ThreadState first = ThreadState.numbered(1);
        for (Newcomer newcomer = newcomers; newcomer != null; newcomer = newcomer.next) {
            newcomer.state = ThreadState.register(first, newcomer.thread);
            newcomer.state.action = new Action.Simple("begin", null, 0);
            Definitions.note("thread " + newcomer.state.key + " (" + newcomer.thread.getName()
                    + ") was started by code that is not instrumented");
        }
        newcomers = null;
        hasNewcomers = false;
        LOCK.notifyAll();
    }

    /** A thread that the current one starts. */
    public static ThreadState fork(ThreadState parent, Thread thread) {
        synchronized (LOCK) {
            ThreadState child = ThreadState.register(parent, thread);
            child.action = new Action.Simple("begin", null, 0);
            return child;
        }
    }

    /** The key that the next thread started by this one will have. */
    public static String nextKey(ThreadState parent) {
        return parent.key + '.' + parent.forks;
    }

    /** Returns when the thread has the turn for this action, which is possible then or has come to its deadline. */
    public static void turn(ThreadState t, Action action) {
        boolean simple = action instanceof AccessAction || action instanceof Action.Simple;
        if (simple && !waitsForCommits(t, action) && !hasNewcomers && !exiting && !t.yielded && follow.isOver() && chooser.surelyGoesOn(t.number - 1)
                && holder == t) {
            t.action = action;
            granted(t);
            return;
        }
        ThreadState next;
        synchronized (LOCK) {
            t.action = action;
            t.standing = Standing.POISED;
            next = choose(t);
            owner = next;
            if (next != t) {
                holder = null;
            }
        }
        if (next != t) {
            if (next != null) {
                next.wake();
            }
            t.await();
        }
        granted(t);
    }

    /** The same for a thread that owns the object's monitor and releases it until then. */
    public static void turnReleasing(ThreadState t, Action action, Object monitor) {
        t.parkedOn = monitor;
        turn(t, action);
        t.parkedOn = null;
    }

    /** Lets others go on, if they can, until this virtual time or an interrupt. No step. */
    public static void pauseUntil(ThreadState t, long until, boolean interruptible) {
        t.yielded = true;
        turn(t, new Action.Pause(t, until, interruptible));
    }

    /** The stream says that the thread has written much since its last step, or needs room. */
    public static void more(ThreadState t) {
        if (!Stream.isTired()) {
            return;
        }
        if (Stream.isTooLong()) {
            End.stop("events", "the stream has become too long; " + t.key + " may be in an endless loop");
        }
        if (holder == t) {
            pauseUntil(t, Action.NEVER, false);
        }
    }

    private static void granted(ThreadState t) {
        Action action = t.action;
        holder = t;
        t.standing = Standing.RUNNING;
        if (StoreBuffer.isUsed()) {
            t.buffer.show();
            if (action.drains()) {
                t.buffer.drained();
            }
        }
        t.yielded = false;
        if (action.deadline != Action.NEVER && !action.isPossible()) {
            clock = Math.max(clock, action.deadline);
        }
        t.action = null;
        if (writer != t) {
            writer = t;
            Stream.end(Stream.u(Stream.start(), t.number), Tag.SWITCH);
        }
        Definitions.write();
        Stream.refuel(FUEL);
        if (action.verb != null && ++t.visible > maxEvents) {
            End.stop("events", t.key + " has made " + maxEvents + " visible steps");
        }
    }

    /** The thread has recorded its end: hands the turn on for good. */
    public static void ended(ThreadState t) {
        ThreadState next;
        synchronized (LOCK) {
            t.standing = Standing.ENDED;
            t.action = null;
            next = isAnybodyLeft() ? choose(t) : null;
            owner = next;
            holder = null;
        }
        if (next != null) {
            next.wake();
        }
    }

    /** Is a thread left for whose end the JVM waits? Without one it exits, and daemons must not go on meanwhile. */
    private static boolean isAnybodyLeft() {
        for (int n = 1; n <= ThreadState.count(); n++) {
            ThreadState t = ThreadState.numbered(n);
            if (!t.hasEnded() && !t.thread.isDaemon()) {
                return true;
            }
        }
        return hasNewcomers;
    }

    /** Who goes on: by the schedule as far as it goes, then by the policy. Null if nobody can, but somebody is outside. */
    static ThreadState choose(ThreadState asking) {
        if (hasNewcomers) {
            greet();
        }
        waitsForOutside = false;
        if (exiting) {
            return null;
        }
        while (true) {
            Step step = follow.current();
            if (step == null) {
                return chooseByPolicy(asking);
            }
            ThreadState t = ThreadState.named(step.thread);
            if (t != null && t.standing == Standing.OUTSIDE) {
                waitsForOutside = true;
                return null;
            }
            String found = t == null ? "there is no thread " + step.thread + " yet"
                    : t.hasEnded() ? step.thread + " has ended" : null;
            if (found == null && step.isCommit()) {
                int write = t.buffer.find(t, step.location);
                if (write >= 0) {
                    commit(t, write);
                    follow.done();
                    continue;
                }
                found = t.key + " has no such write in its buffer";
            }
            if (found == null) {
                Action action = t.action;
                if (action.verb == null) {
                    return t;
                }
                if (waitsForCommits(t, action) && passesCommit(t)) {
                    continue;
                }
                found = misfit(step, t, action);
                if (found == null) {
                    follow.done();
                    return t;
                }
                if (action instanceof AccessAction && follow.passes(action.location())) {
                    return t;
                }
            }
            if (!follow.isLenient()) {
                End.stop("diverged", follow.divergence(found));
            }
            follow.skip();
        }
    }

    /** What is in the way of a step, or null. */
    private static String misfit(Step step, ThreadState t, Action action) {
        if (!Follow.fits(step, action)) {
            return t.key + " is about to do `" + Follow.describe(action) + '`';
        }
        if (waitsForCommits(t, action)) {
            return t.key + " has writes in its buffer, which must reach memory first";
        }
        if (ability(t, action) == Choices.NO) {
            return t.key + " cannot do `" + Follow.describe(action) + "` now: it " + action.obstacle();
        }
        return null;
    }

    private static boolean waitsForCommits(ThreadState t, Action action) {
        return !t.buffer.isEmpty() && action.drains();
    }

    /** Lets a write take effect that the schedule says nothing about. */
    private static boolean passesCommit(ThreadState t) {
        int ready = t.buffer.ready();
        for (int n = 0; n < ready; n++) {
            int write = t.buffer.nthReady(n);
            if (follow.passes(t.buffer.location(t, write))) {
                commit(t, write);
                return true;
            }
        }
        return false;
    }

    /** A buffered write takes effect: a step of its own. Only for who decides who goes on. */
    private static void commit(ThreadState t, int write) {
        if (writer != t) {
            writeSwitch(t);
        }
        t.buffer.commit(t, write);
        if (++t.visible > maxEvents) {
            End.stop("events", t.key + " has made " + maxEvents + " visible steps");
        }
    }

    /** All writes of a thread that goes on outside take effect: what it does there is not seen. */
    static void commitAll(ThreadState t) {
        if (!t.buffer.isEmpty()) {
            Definitions.note("writes of a thread that blocks outside the program take effect at once");
            while (!t.buffer.isEmpty()) {
                commit(t, 0);
            }
        }
    }

    private static long ability(ThreadState t, Action action) {
        if (waitsForCommits(t, action)) {
            return Choices.NO;
        }
        if (action.isPossible()) {
            return Choices.NOW;
        }
        return action.isHeldUp() ? Choices.NO : action.deadline;
    }

    private static ThreadState chooseByPolicy(ThreadState asking) {
        String then = follow.takeThen();
        ThreadState next = then == null ? null : ThreadState.named(then);
        if (next != null) {
            chooser.goOnWith(next.number - 1);
        }
        // Who initialises a class goes on: others that need the class would block for real.
        if (asking != null && asking.initialising > 0 && asking.standing == Standing.POISED
                && asking.action.isPossible() && !waitsForCommits(asking, asking.action) && !asking.yielded) {
            return asking;
        }
        while (true) {
            int chosen = choices();
            if (chosen < 0) {
                break;
            }
            ThreadState t = ThreadState.numbered(chosen + 1);
            if (chooser.commit() < 0) {
                return t;
            }
            commit(t, t.buffer.nthReady(chooser.commit()));
        }
        if (!isAnybodyOutside() && !Strangers.mayAct() && isAnybodyLeft()) {
            End.deadlock();
        }
        return null;
    }

    /** Position of the thread that the policy chooses, or -1. */
    private static int choices() {
        choices.clear();
        for (int n = 1; n <= ThreadState.count(); n++) {
            ThreadState t = ThreadState.numbered(n);
            if (t.standing == Standing.POISED || t.standing == Standing.UNBORN) {
                int commits = t.buffer.isEmpty() ? 0 : t.buffer.ready();
                choices.add(n - 1, ability(t, t.action), t.yielded, commits);
            }
        }
        return chooser.choose(choices);
    }

    private static boolean isAnybodyOutside() {
        for (int n = 1; n <= ThreadState.count(); n++) {
            if (ThreadState.numbered(n).standing == Standing.OUTSIDE) {
                return true;
            }
        }
        return false;
    }

    /** Lets nobody go on; false if a thread kept the turn for all that. For a thread that may write to the stream then. */
    static boolean silence() {
        if (ifHolder() != null) {
            return true;
        }
        exiting = true;
        for (int looks = 0; looks < MOST_LOOKS; looks++) {
            synchronized (LOCK) {
                if (owner == null && suspect == null) {
                    return true;
                }
                try {
                    LOCK.wait(LOOK);
                } catch (InterruptedException signal) {
                    Thread.currentThread().interrupt();
                    return false;
                }
            }
        }
        return false;
    }

    /** Writes that the events that follow are this thread's. */
    static void writeSwitch(ThreadState t) {
        writer = t;
        Stream.end(Stream.u(Stream.start(), t.number), Tag.SWITCH);
    }
}
