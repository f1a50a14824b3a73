/*
 * Lamport's fast mutual exclusion (one of MCR's programs for weak memory), two threads that enter once each and give
 * up after a few looks.
 *
 * Correct under sequential consistency. The fields are not volatile: under TSO a thread may find no owner while its
 * own claim is not yet in memory. LamportVolatile.java is the same with volatile fields.
 */
import dev.warpath.Warpath;

public class Lamport {
    private static final int LOOKS = 2, ROUNDS = 2;

    static final class Side {
        boolean trying;

        boolean stopsTrying() {
            for (int looks = 0; looks < LOOKS; looks++) {
                if (!trying) {
                    return true;
                }
            }
            return false;
        }
    }

    private static Side last, owner;
    private static int inside;

    static boolean isGivenUp() {
        for (int looks = 0; looks < LOOKS; looks++) {
            if (owner == null) {
                return true;
            }
        }
        return false;
    }

    static boolean take(Side me, Side other) {
        for (int round = 0; round < ROUNDS; round++) {
            me.trying = true;
            last = me;
            if (owner != null) {
                me.trying = false;
                if (!isGivenUp()) {
                    return false;
                }
                continue;
            }
            owner = me;
            if (last == me) {
                return true; // the fast way: nobody came in between
            }
            me.trying = false;
            if (!other.stopsTrying()) {
                return false;
            }
            if (owner == me) {
                return true;
            }
            if (!isGivenUp()) {
                return false;
            }
        }
        return false;
    }

    static void enter(Side me, Side other) {
        if (!take(me, other)) {
            return;
        }
        inside++;
        Warpath.check(inside == 1, "both are inside"); // BUG
        inside--;
        owner = null;
        me.trying = false;
    }

    public static void main(String[] args) throws InterruptedException {
        Side left = new Side();
        Side right = new Side();
        Thread first = new Thread(() -> enter(left, right));
        Thread second = new Thread(() -> enter(right, left));
        first.start();
        second.start();
        first.join();
        second.join();
    }
}
