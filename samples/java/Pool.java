/*
 * "Pool" (MCR): a pool is filled up to a number of objects. How many are missing is computed under the lock, but they
 * are added one by one with the lock taken anew, so two threads may both add what was missing. With -Dfixed=true the
 * lock is held all the while.
 */
public class Pool {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private static final int MOST = 2;
    private int idle;

    synchronized int missing() {
        return MOST - idle;
    }

    synchronized void add() {
        idle++;
        if (idle > MOST) {
            throw new AssertionError("more than the pool may have"); // BUG
        }
    }

    void fill() {
        for (int missing = missing(); missing > 0; missing--) {
            add();
        }
    }

    synchronized void fillAtOnce() {
        fill();
    }

    void ensureFull() {
        if (FIXED) {
            fillAtOnce();
        } else {
            fill();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Pool pool = new Pool();
        Thread first = new Thread(pool::ensureFull);
        Thread second = new Thread(pool::ensureFull);
        first.start();
        second.start();
        first.join();
        second.join();
    }
}
