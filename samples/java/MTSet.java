/*
 * "MTSet" (MCR): adding all of one synchronized set to another locks the other, but goes through the one without its
 * lock. If an element is added to it meanwhile, the iterator throws ConcurrentModificationException. With
 * -Dfixed=true the set that is gone through is locked, too.
 */
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;

public class MTSet {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private static final Set<Integer> from = Collections.synchronizedSet(new HashSet<>());
    private static final Set<Integer> to = Collections.synchronizedSet(new HashSet<>());

    static void addAll() {
        to.addAll(from); // BUG
    }

    static void addAllAtOnce() {
        synchronized (from) {
            addAll();
        }
    }

    static void add() {
        from.add(2);
    }

    public static void main(String[] args) throws InterruptedException {
        from.add(1);
        Thread first = new Thread(FIXED ? MTSet::addAllAtOnce : MTSet::addAll);
        Thread second = new Thread(MTSet::add);
        first.start();
        second.start();
        first.join();
        second.join();
    }
}
