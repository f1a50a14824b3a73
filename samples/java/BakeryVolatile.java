/*
 * Bakery.java with volatile fields. Volatile accesses are sequentially consistent, so nothing goes wrong under any
 * memory model; what is inside the section is ordered by them.
 */
import dev.warpath.Warpath;

public class BakeryVolatile {
    private static final int LOOKS = 3;

    static final class Customer {
        final int rank;
        volatile boolean choosing;
        volatile int number;

        Customer(int rank) {
            this.rank = rank;
        }
    }

    private static int inside;

    static boolean mayEnter(Customer me, Customer other) {
        int looks = 0;
        me.choosing = true;
        me.number = other.number + 1;
        me.choosing = false;
        while (other.choosing) {
            if (++looks == LOOKS) {
                return false;
            }
        }
        for (; looks < LOOKS; looks++) {
            int theirs = other.number;
            int mine = me.number;
            if (theirs == 0 || mine < theirs || mine == theirs && me.rank < other.rank) {
                return true;
            }
        }
        return false;
    }

    static void enter(Customer me, Customer other) {
        if (mayEnter(me, other)) {
            inside++;
            Warpath.check(inside == 1, "both are inside");
            inside--;
        }
        me.number = 0;
    }

    public static void main(String[] args) throws InterruptedException {
        Customer one = new Customer(1);
        Customer two = new Customer(2);
        Thread first = new Thread(() -> enter(one, two));
        Thread second = new Thread(() -> enter(two, one));
        first.start();
        second.start();
        first.join();
        second.join();
    }
}
