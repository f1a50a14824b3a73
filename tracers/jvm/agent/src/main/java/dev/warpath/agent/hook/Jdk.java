package dev.warpath.agent.hook;

import dev.warpath.agent.schedule.Scheduler;
import dev.warpath.agent.schedule.ThreadState;
import dev.warpath.agent.stream.Objects;

/**
 * At the beginning of methods of the JDK that have two bodies: is this call the program's business? It is if the object
 * is one that the program knows of, or, where there is no object yet, if instrumented code has announced the call.
 */
public final class Jdk {
    private Jdk() {}

    /** A method of an object. */
    public static boolean isFollowed(Object object) {
        ThreadState t = Scheduler.ifHolder();
        if (t == null) {
            // A thread that comes back from outside has no turn, but goes on with the program's objects.
            return Objects.known(object) != 0 && Scheduler.current() != null;
        }
        return Objects.known(object) != 0;
    }

    /** A constructor or a static method. */
    public static boolean isExpected(String method) {
        ThreadState t = Scheduler.ifHolder();
        if (t == null || t.expected != method) {
            return false;
        }
        t.expected = null;
        return true;
    }

    /** Instrumented code is about to call this constructor or static method. */
    public static void expect(String method) {
        ThreadState t = Scheduler.ifHolder();
        if (t != null) {
            t.expected = method;
        }
    }
}
