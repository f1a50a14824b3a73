package dev.warpath.agent.hook;

import dev.warpath.agent.memory.StoreBuffer;
import dev.warpath.agent.schedule.Action;
import dev.warpath.agent.schedule.Place;
import dev.warpath.agent.schedule.Scheduler;
import dev.warpath.agent.schedule.ThreadState;
import dev.warpath.agent.stream.Stream;
import dev.warpath.agent.stream.Tag;

/** Fences: events only where writes are buffered, and there only where the thread has written something. */
public final class Fences {
    private static final int RELEASE = 3;
    private static final int VOLATILE = 4;

    private Fences() {}

    /** What was written before takes effect before what is written from now on. */
    static void release(long at) {
        ThreadState t = StoreBuffer.isPartial() ? Scheduler.current() : null;
        if (t != null && t.buffer.hasUnseparated()) {
            Scheduler.turn(t, new Action.Separation(at));
            t.buffer.separate();
            record(at, RELEASE);
        }
    }

    /** What was written before takes effect now. */
    static void full(long at) {
        ThreadState t = StoreBuffer.isUsed() ? Scheduler.current() : null;
        if (t != null && t.buffer.hasIssued()) {
            Scheduler.turn(t, new Action.Simple("fence", null, at));
            record(at, VOLATILE);
        }
    }

    private static void record(long at, int order) {
        Stream.end(Stream.u(Stream.u(Stream.start(), Place.pc(at)), order), Tag.FENCE | Tag.STEP);
    }

    /** The constructor of an object with final fields returns: whoever sees the object then sees them as they are. */
    public static void frozen(long at) {
        release(at);
    }

    /** The initialiser of a class returns: whoever finds the class initialised sees what it did. */
    public static void initialised(long at) {
        full(at);
    }
}
