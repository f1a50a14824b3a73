/*
 * Money is moved between two accounts, each locked, the giving one first. Two transfers in opposite directions wait
 * for each other. With -Dfixed=true the account with the smaller number is locked first.
 */
import dev.warpath.Warpath;

public class LockOrder {
    private static final boolean FIXED = Boolean.getBoolean("fixed");

    private final int number;
    private int balance = 100;

    LockOrder(int number) {
        this.number = number;
    }

    static void transfer(LockOrder from, LockOrder to, int amount) {
        boolean inOrder = !FIXED || from.number < to.number;
        synchronized (inOrder ? from : to) {
            synchronized (inOrder ? to : from) { // BUG: each waits for the other
                from.balance -= amount;
                to.balance += amount;
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        LockOrder one = new LockOrder(1);
        LockOrder two = new LockOrder(2);
        Thread first = new Thread(() -> transfer(one, two, 10));
        Thread second = new Thread(() -> transfer(two, one, 20));
        first.start();
        second.start();
        first.join();
        second.join();
        Warpath.check(one.balance == 110 && two.balance == 90, "money was lost");
    }
}
