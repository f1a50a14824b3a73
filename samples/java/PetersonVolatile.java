/*
 * Peterson.java with volatile fields. Volatile accesses are sequentially consistent, so nothing goes wrong under any
 * memory model; what is inside the section is ordered by them.
 */
import dev.warpath.Warpath;

public class PetersonVolatile {
    private static final int LOOKS = 3;

    static final class Side {
        volatile boolean wants;
    }

    private static final Side left = new Side(), right = new Side();
    private static volatile Side turn;
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
            Warpath.check(inside == 1, "both are inside");
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
