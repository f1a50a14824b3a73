/*
 * A counter that is increased by compare-and-set, again if another thread was quicker. Correct: of two that saw the
 * same number only one succeeds, and each failure is somebody else's success, so the loops end.
 */
import dev.warpath.Warpath;
import java.util.concurrent.atomic.AtomicInteger;

public class CasCounter {
    private static final int ROUNDS = 2;
    private static final AtomicInteger count = new AtomicInteger();

    static void work() {
        for (int n = 0; n < ROUNDS; n++) {
            int seen;
            do {
                seen = count.get();
            } while (!count.compareAndSet(seen, seen + 1));
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread first = new Thread(CasCounter::work);
        Thread second = new Thread(CasCounter::work);
        first.start();
        second.start();
        first.join();
        second.join();
        Warpath.check(count.get() == 2 * ROUNDS, "an increment was lost");
    }
}
