/*
 * "MTList" (MCR): the operations of a synchronized list lock it, but going through it is many operations. If an
 * element is added meanwhile, the iterator throws ConcurrentModificationException. With -Dfixed=true the list is
 * locked all the while, as the documentation of Collections demands.
 */
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

public class MTList {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private static final List<Integer> from = Collections.synchronizedList(new ArrayList<>());
    private static final List<Integer> to = Collections.synchronizedList(new ArrayList<>());

    static void addAll() {
        for (Integer number : from) { // BUG
            to.add(number);
        }
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
        Thread first = new Thread(FIXED ? MTList::addAllAtOnce : MTList::addAll);
        Thread second = new Thread(MTList::add);
        first.start();
        second.start();
        first.join();
        second.join();
    }
}
