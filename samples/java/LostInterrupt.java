/*
 * A worker waits for work until it is interrupted. First it clears its interrupt flag, to forget what does not
 * concern it; if the interrupt has come already, the worker forgets that one and waits forever. With -Dfixed=true it
 * does not clear the flag. The pause of the main thread orders nothing; it only lets a plain run end well.
 */
import dev.warpath.Warpath;

public class LostInterrupt {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private static final Object lock = new Object();
    private static int work;
    private static boolean stopped;

    static void work() {
        if (!FIXED) {
            Thread.interrupted();
        }
        synchronized (lock) {
            try {
                while (work == 0) {
                    lock.wait(); // BUG: waits forever
                }
            } catch (InterruptedException e) {
                stopped = true;
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread worker = new Thread(LostInterrupt::work);
        worker.start();
        Thread.sleep(20);
        worker.interrupt();
        worker.join();
        Warpath.check(stopped, "the worker was not stopped");
    }
}
