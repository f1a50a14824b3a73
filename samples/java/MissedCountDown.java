/*
 * Two workers count a latch down when they are done, but one that finds the work cancelled leaves without, and
 * whoever waits for the latch waits forever. With -Dfixed=true the latch is counted down on every way out.
 */
import java.util.concurrent.CountDownLatch;

public class MissedCountDown {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private static final CountDownLatch done = new CountDownLatch(2);
    private static volatile boolean cancelled;
    private static volatile int results;

    static void work() {
        if (cancelled) {
            return;
        }
        results = 1;
        done.countDown();
    }

    static void workAndCount() {
        try {
            if (cancelled) {
                return;
            }
            results = 1;
        } finally {
            done.countDown();
        }
    }

    static void cancel() {
        cancelled = true;
    }

    public static void main(String[] args) throws InterruptedException {
        Runnable work = FIXED ? MissedCountDown::workAndCount : MissedCountDown::work;
        new Thread(work).start();
        new Thread(work).start();
        Thread.sleep(20);
        new Thread(MissedCountDown::cancel).start();
        done.await(); // BUG: waits forever
    }
}
