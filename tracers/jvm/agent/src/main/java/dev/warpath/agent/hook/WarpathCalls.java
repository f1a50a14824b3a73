package dev.warpath.agent.hook;

import dev.warpath.Warpath;
import dev.warpath.agent.model.Inputs;

/** Inputs that the program asks {@link Warpath} for: from the plan, else as without the agent. */
public final class WarpathCalls {
    private WarpathCalls() {}

    public static int input(String name, int otherwise, long at) {
        return (int) Inputs.take(name, 32, Warpath.input(name, otherwise));
    }

    public static long input(String name, long otherwise, long at) {
        return Inputs.take(name, 64, Warpath.input(name, otherwise));
    }

    public static boolean input(String name, boolean otherwise, long at) {
        return Inputs.take(name, 1, Warpath.input(name, otherwise) ? 1 : 0) != 0;
    }

    public static byte input(String name, byte otherwise, long at) {
        return (byte) Inputs.take(name, 8, Warpath.input(name, otherwise));
    }

    public static char input(String name, char otherwise, long at) {
        return (char) Inputs.take(name, 16, Warpath.input(name, otherwise));
    }

    public static short input(String name, short otherwise, long at) {
        return (short) Inputs.take(name, 16, Warpath.input(name, otherwise));
    }

    public static void assume(boolean condition, long at) {
        if (!Inputs.assume(condition)) {
            Warpath.assume(condition);
        }
    }
}
