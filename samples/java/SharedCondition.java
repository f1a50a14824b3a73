/*
 * A buffer for one item with one condition for everything; two producers, two consumers. Who puts or takes wakes one
 * thread only, and that may be one of its own kind, which waits again: with the one that should have been woken
 * waiting as well, nobody goes on. With -Dsignal=all everybody is woken.
 */
import dev.warpath.Warpath;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

public class SharedCondition {
    private static final boolean WAKES_ALL = System.getProperty("signal", "one").equals("all");

    private static final Lock lock = new ReentrantLock();
    private static final Condition changed = lock.newCondition();
    private static boolean isFull;
    private static int sum;

    static void wake() {
        if (WAKES_ALL) {
            changed.signalAll();
        } else {
            changed.signal();
        }
    }

    static void put() {
        lock.lock();
        try {
            while (isFull) {
                changed.awaitUninterruptibly(); // BUG: waits forever, and so does a consumer
            }
            isFull = true;
            wake();
        } finally {
            lock.unlock();
        }
    }

    static void take() {
        lock.lock();
        try {
            while (!isFull) {
                changed.awaitUninterruptibly(); // BUG: waits forever, and so does a producer
            }
            isFull = false;
            sum++;
            wake();
        } finally {
            lock.unlock();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] threads = {
            new Thread(SharedCondition::put),
            new Thread(SharedCondition::take),
            new Thread(SharedCondition::put),
            new Thread(SharedCondition::take),
        };
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        Warpath.check(sum == 2 && !isFull, "something put was not taken");
    }
}
