/*
 * "Account" (MCR): withdrawals lock, deposits do not, so an amount can be lost between a read and a write of the
 * balance. With -Dfixed=true deposits lock, too.
 */
import dev.warpath.Warpath;

public class Account {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private int balance = 100;

    void deposit(int amount) {
        if (FIXED) {
            synchronized (this) {
                balance += amount;
            }
        } else {
            balance += amount;
        }
    }

    synchronized void withdraw(int amount) {
        balance -= amount;
    }

    public static void main(String[] args) throws InterruptedException {
        Account account = new Account();
        Thread[] threads = {
            new Thread(() -> account.deposit(100)),
            new Thread(() -> account.deposit(100)),
            new Thread(() -> account.withdraw(100)),
            new Thread(() -> account.withdraw(100)),
        };
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        Warpath.check(account.balance == 100, "an amount was lost"); // BUG
    }
}
