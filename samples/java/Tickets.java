/*
 * Tickets are counted by an AtomicInteger, but looking whether there is one and taking it are two steps: two buyers
 * can take the last one. With -Dfixed=true a ticket is taken by a compare-and-set of the number that was looked at.
 */
import dev.warpath.Warpath;
import java.util.concurrent.atomic.AtomicInteger;

public class Tickets {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private static final AtomicInteger left = new AtomicInteger(2);

    static void buy() {
        if (left.get() > 0) {
            left.decrementAndGet();
        }
    }

    static void buyAtOnce() {
        int seen = left.get();
        while (seen > 0 && !left.compareAndSet(seen, seen - 1)) {
            seen = left.get();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] buyers = new Thread[3];
        for (int n = 0; n < buyers.length; n++) {
            buyers[n] = new Thread(FIXED ? Tickets::buyAtOnce : Tickets::buy);
            buyers[n].start();
        }
        for (Thread buyer : buyers) {
            buyer.join();
        }
        Warpath.check(left.get() >= 0, "more tickets were bought than there are"); // BUG
    }
}
