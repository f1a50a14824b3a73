package dev.warpath;

/**
 * What a program tells Warpath: its inputs, and what it takes for granted or claims about them.
 *
 * <p>Without the agent everything works plainly: an input is the system property {@code warpath.input.NAME}, else the
 * environment variable {@code WARPATH_INPUT_NAME}, else the default.
 */
public final class Warpath {
    private Warpath() {}

    private static String given(String name) {
        String value = System.getProperty("warpath.input." + name);
        return value != null ? value : System.getenv("WARPATH_INPUT_" + name);
    }

    private static long number(String name, long otherwise) {
        String value = given(name);
        try {
            return value == null ? otherwise : Long.decode(value.trim());
        } catch (NumberFormatException error) {
            throw new IllegalArgumentException("the input " + name + " is `" + value + "`, which is not a number", error);
        }
    }

    /** An input by this name. */
    public static int input(String name, int otherwise) {
        return (int) number(name, otherwise);
    }

    /** An input by this name. */
    public static long input(String name, long otherwise) {
        return number(name, otherwise);
    }

    /** An input by this name; given as a number, 0 is false. */
    public static boolean input(String name, boolean otherwise) {
        String value = given(name);
        if ("true".equals(value) || "false".equals(value)) {
            return "true".equals(value);
        }
        return number(name, otherwise ? 1 : 0) != 0;
    }

    /** An input by this name. */
    public static byte input(String name, byte otherwise) {
        return (byte) number(name, otherwise);
    }

    /** An input by this name; given as a number. */
    public static char input(String name, char otherwise) {
        return (char) number(name, otherwise);
    }

    /** An input by this name. */
    public static short input(String name, short otherwise) {
        return (short) number(name, otherwise);
    }

    /** Runs in which the condition does not hold are of no interest: they end here, without a failure. */
    public static void assume(boolean condition) {
        if (!condition) {
            System.exit(0);
        }
    }

    /** The condition must hold, whatever the inputs and the schedule. */
    public static void check(boolean condition) {
        if (!condition) {
            throw new AssertionError();
        }
    }

    /** The condition must hold, whatever the inputs and the schedule. */
    public static void check(boolean condition, String message) {
        if (!condition) {
            throw new AssertionError(message);
        }
    }
}
