/*
 * Dekker.java with volatile fields. Volatile accesses are sequentially consistent, so nothing goes wrong under any
 * memory model; what is inside the section is ordered by them.
 */
import dev.warpath.Warpath;

public class DekkerVolatile {
    private static final int LOOKS = 3;

    static final class Side {
        volatile boolean wants;
    }

    private static final Side left = new Side(), right = new Side();
    private static volatile Side turn = left;
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
        Warpath.check(inside == 1, "both are inside");
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
