package dev.warpath.agent.hook;

import dev.warpath.agent.model.Inputs;

/**
 * The interface of the verification competition, {@code org.sosy_lab.sv_benchmarks.Verifier}, by name: its values are
 * inputs, 0 unless the plan says otherwise.
 */
public final class VerifierCalls {
    private VerifierCalls() {}

    public static int nondetInt(long at) {
        return (int) Inputs.take("nondet_int", 32, 0);
    }

    public static long nondetLong(long at) {
        return Inputs.take("nondet_long", 64, 0);
    }

    public static boolean nondetBoolean(long at) {
        return Inputs.take("nondet_bool", 1, 0) != 0;
    }

    public static byte nondetByte(long at) {
        return (byte) Inputs.take("nondet_byte", 8, 0);
    }

    public static char nondetChar(long at) {
        return (char) Inputs.take("nondet_char", 16, 0);
    }

    public static short nondetShort(long at) {
        return (short) Inputs.take("nondet_short", 16, 0);
    }

    public static void assume(boolean condition, long at) {
        if (!Inputs.assume(condition)) {
            // Without the agent at work, what the interface itself does.
            if (!condition) {
                Runtime.getRuntime().halt(1);
            }
        }
    }
}
