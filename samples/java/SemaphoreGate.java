/*
 * A semaphore guards a counter, but with a permit for each of the threads it lets both in at once, and an increment
 * can be lost. With -Dfixed=true there is one permit.
 */
import dev.warpath.Warpath;
import java.util.concurrent.Semaphore;

public class SemaphoreGate {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private static final Semaphore gate = new Semaphore(FIXED ? 1 : 2);
    private static int count;

    static void work() {
        gate.acquireUninterruptibly();
        count++;
        gate.release();
    }

    public static void main(String[] args) throws InterruptedException {
        Thread first = new Thread(SemaphoreGate::work);
        Thread second = new Thread(SemaphoreGate::work);
        first.start();
        second.start();
        first.join();
        second.join();
        Warpath.check(count == 2, "an increment was lost"); // BUG
    }
}
