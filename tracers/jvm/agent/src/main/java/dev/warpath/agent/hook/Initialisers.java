package dev.warpath.agent.hook;

import java.util.Arrays;

/**
 * A class whose static field is shared is initialised before the turn for the access is asked for: the initialiser has
 * steps of its own, and those come first.
 */
public final class Initialisers {
    /** Places whose class is initialised. A mark that a race loses is made again. */
    private static boolean[] done = new boolean[64];
    private static int places;

    private Initialisers() {}

    /** A number for a place of a class that is being rewritten. */
    public static synchronized int place() {
        if (places == done.length) {
            done = Arrays.copyOf(done, places * 2);
        }
        return places++;
    }

    /** Initialises the class of this dotted name, as seen by the class that asks. Its errors are the access's own. */
    public static void run(Class<?> asking, String name, int place) throws ClassNotFoundException {
        if (!done[place]) {
            Class.forName(name, true, asking.getClassLoader());
            done[place] = true;
        }
    }
}
