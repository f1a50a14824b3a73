/*
 * A lost wake-up: the consumer looks at the flag before it takes the lock, so the notification can come between the
 * look and the wait, and nobody notifies again. With -Dfixed=true it looks under the lock.
 */
import dev.warpath.Warpath;

public class MissedNotify {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private static final Object lock = new Object();
    private static boolean ready;

    static void produce() {
        synchronized (lock) {
            ready = true;
            lock.notify();
        }
    }

    static void awaitHastily() throws InterruptedException {
        if (!ready) {
            synchronized (lock) {
                lock.wait(); // BUG: waits forever
            }
        }
    }

    static void awaitCarefully() throws InterruptedException {
        synchronized (lock) {
            while (!ready) {
                lock.wait();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        new Thread(MissedNotify::produce).start();
        if (FIXED) {
            awaitCarefully();
        } else {
            awaitHastily();
        }
        Warpath.check(ready, "it is not ready");
    }
}
