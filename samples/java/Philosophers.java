/*
 * Dining philosophers: each takes the fork to the left, then the one to the right. If all have their left fork, all
 * wait. With -Dfixed=true the last one takes the right fork first.
 */
import dev.warpath.Warpath;

public class Philosophers implements Runnable {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private static final int PHILOSOPHERS = Integer.getInteger("philosophers", 3);

    static final class Fork {
        int used;
    }

    private final Fork left, right;

    Philosophers(Fork left, Fork right) {
        this.left = left;
        this.right = right;
    }

    @Override
    public void run() {
        synchronized (left) {
            synchronized (right) { // BUG: waits for the neighbour
                left.used++;
                right.used++;
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Fork[] forks = new Fork[PHILOSOPHERS];
        for (int n = 0; n < PHILOSOPHERS; n++) {
            forks[n] = new Fork();
        }
        Thread[] threads = new Thread[PHILOSOPHERS];
        for (int n = 0; n < PHILOSOPHERS; n++) {
            Fork left = forks[n];
            Fork right = forks[(n + 1) % PHILOSOPHERS];
            boolean isOther = FIXED && n == PHILOSOPHERS - 1;
            threads[n] = new Thread(isOther ? new Philosophers(right, left) : new Philosophers(left, right));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        for (Fork fork : forks) {
            Warpath.check(fork.used == 2, "a fork was not used by both");
        }
    }
}
