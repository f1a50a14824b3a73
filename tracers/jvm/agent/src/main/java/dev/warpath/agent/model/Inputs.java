package dev.warpath.agent.model;

import dev.warpath.agent.plan.Plan;
import dev.warpath.agent.schedule.End;
import dev.warpath.agent.schedule.Scheduler;
import dev.warpath.agent.schedule.ThreadState;
import dev.warpath.agent.stream.Stream;
import dev.warpath.agent.stream.Tag;
import java.util.HashMap;
import java.util.Map;

/** Inputs of the program: values that the plan gives, or that the program would have had anyhow. */
public final class Inputs {
    private static Plan plan;
    private static final Map<String, Long> taken = new HashMap<>();

    private Inputs() {}

    public static void plan(Plan values) {
        plan = values;
    }

    /** Bytes of standard input that are inputs. */
    public static int symbolicStdin() {
        return plan.symbolicStdin;
    }

    public static boolean isRandomSymbolic() {
        return plan.symbolicRandom;
    }

    public static boolean isTimeSymbolic() {
        return plan.symbolicTime;
    }

    /** The next input by this name; signed but for widths that Java has no sign for (1 bit). */
    public static long take(String name, int width, long otherwise) {
        ThreadState t = Scheduler.current();
        if (t == null) {
            return otherwise;
        }
        Long before = taken.get(name);
        long nth = before == null ? 0 : before;
        taken.put(name, nth + 1);
        return take(t, name, nth, width, otherwise);
    }

    /** How many inputs by this name were taken. */
    public static long taken(String name) {
        Long before = taken.get(name);
        return before == null ? 0 : before;
    }

    /** So many inputs by this name were taken in another way. */
    public static void passOver(String name, long count) {
        Long before = taken.get(name);
        taken.put(name, (before == null ? 0 : before) + count);
    }

    /** The value of an input, without taking it. */
    public static long given(String name, long nth, int width, long otherwise) {
        Long given = plan.inputs.get(name + '#' + nth);
        return given == null ? otherwise : fitted(given, width);
    }

    /** This input, which the program is given. */
    static long take(ThreadState t, String name, long nth, int width, long otherwise) {
        Long given = plan.inputs.get(name + '#' + nth);
        long value = given == null ? otherwise : fitted(given, width);
        int string = Stream.string(name);
        int p = Stream.u(Stream.start(), string);
        p = Stream.u(Stream.u(p, nth), width);
        if (Stream.end(Stream.s(p, value), Tag.INPUT)) {
            Scheduler.more(t);
        }
        return value;
    }

    private static long fitted(long value, int width) {
        if (width == 1) {
            return value & 1;
        }
        int shift = 64 - width;
        return value << shift >> shift;
    }

    /** Records an assumption; the run ends if it does not hold. False if nothing is being recorded. */
    public static boolean assume(boolean holds) {
        ThreadState t = Scheduler.current();
        if (t == null) {
            return false;
        }
        Stream.end(Stream.u(Stream.start(), holds ? 1 : 0), Tag.ASSUME);
        if (!holds) {
            End.stop("assumption", t.key + " assumed what does not hold");
        }
        return true;
    }
}
