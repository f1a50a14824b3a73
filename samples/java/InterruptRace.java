/*
 * A worker does two tasks. Somebody wants to cancel the first, sees that it is the current one and interrupts the
 * worker, which by then may be at the second. With -Dfixed=true looking and interrupting are one step, and so is
 * going on to the next task.
 */
import dev.warpath.Warpath;

public class InterruptRace {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private static final Object lock = new Object();
    private static volatile int task = 1;

    static void goOn() {
        Thread.interrupted(); // what was meant for the first task is over with it
        task = 2;
    }

    static void work() {
        if (FIXED) {
            synchronized (lock) {
                goOn();
            }
        } else {
            goOn();
        }
        Warpath.check(!Thread.interrupted(), "the second task was interrupted"); // BUG
    }

    static void cancelFirst(Thread worker) {
        if (task == 1) {
            worker.interrupt();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread worker = new Thread(InterruptRace::work);
        worker.start();
        if (FIXED) {
            synchronized (lock) {
                cancelFirst(worker);
            }
        } else {
            cancelFirst(worker);
        }
        worker.join();
    }
}
