/*
 * Peterson's mutual exclusion, two threads that enter once each and give up after a few looks.
 *
 * Correct under sequential consistency. The fields are not volatile: under TSO each thread may read the other's wish
 * before its own is in memory, and both enter. PetersonVolatile.java is the same with volatile fields.
 */
import dev.warpath.Warpath;

public class Peterson {
    private static final int LOOKS = 3;

    static final class Side {
        boolean wants;
    }

    private static final Side left = new Side(), right = new Side();
    private static Side turn;
    private static int inside;

    static boolean take(Side me, Side other) {
        me.wants = true;
        turn = other;
        for (int looks = 0; looks < LOOKS; looks++) {
            if (!other.wants || turn == me) {
                return true;
            }
        }
        return false;
    }

    static void enter(Side me, Side other) {
        if (take(me, other)) {
            inside++;
            Warpath.check(inside == 1, "both are inside"); // BUG
            inside--;
        }
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
