/*
 * Dekker's mutual exclusion (one of MCR's programs for weak memory), two threads that enter once each and give up
 * after a few looks.
 *
 * Correct under sequential consistency. The fields are not volatile: under TSO each thread may read the other's wish
 * before its own is in memory, and both enter. DekkerVolatile.java is the same with volatile fields.
 */
import dev.warpath.Warpath;

public class Dekker {
    private static final int LOOKS = 3;

    static final class Side {
        boolean wants;
    }

    private static final Side left = new Side(), right = new Side();
    private static Side turn = left;
    private static int inside;

    static boolean take(Side me, Side other) {
        int looks = 0;
        me.wants = true;
        while (other.wants) {
            if (++looks > LOOKS) {
                me.wants = false;
                return false;
            }
            if (turn != me) {
                me.wants = false;
                while (turn != me) {
                    if (++looks > LOOKS) {
                        return false;
                    }
                }
                me.wants = true;
            }
        }
        return true;
    }

    static void enter(Side me, Side other) {
        if (!take(me, other)) {
            return;
        }
        inside++;
        Warpath.check(inside == 1, "both are inside"); // BUG
        inside--;
        turn = other;
        me.wants = false;
    }

    public static void main(String[] args) throws InterruptedException {
        Thread first = new Thread(() -> enter(left, right));
        Thread second = new Thread(() -> enter(right, left));
        first.start();
        second.start();
        first.join();
        second.join();
    }
}
