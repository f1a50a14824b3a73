/* "Counter" (MCR): increments against decrements without a lock. With -Dfixed=true each is under one. */
import dev.warpath.Warpath;

public class Counter {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private static final int ROUNDS = Integer.getInteger("rounds", 3);
    private int count;

    void add(int difference) {
        count += difference;
    }

    synchronized void addAlone(int difference) {
        add(difference);
    }

    void work(int difference) {
        for (int n = 0; n < ROUNDS; n++) {
            if (FIXED) {
                addAlone(difference);
            } else {
                add(difference);
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Counter counter = new Counter();
        Thread up = new Thread(() -> counter.work(1));
        Thread down = new Thread(() -> counter.work(-1));
        up.start();
        down.start();
        up.join();
        down.join();
        Warpath.check(counter.count == 0, "a change was lost"); // BUG
    }
}
