/*
 * Two synchronized lists, each added to the other. addAll holds the lock of its list and takes the other's to copy
 * the elements, so the two threads can wait for each other inside the JDK. With -Dfixed=true the elements are copied
 * before.
 */
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

public class CrossAddAll {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private static final List<Integer> odd = Collections.synchronizedList(new ArrayList<>());
    private static final List<Integer> even = Collections.synchronizedList(new ArrayList<>());

    static void addAll(List<Integer> to, List<Integer> from) {
        if (FIXED) {
            to.addAll(new ArrayList<>(from));
        } else {
            to.addAll(from); // BUG: each waits for the other
        }
    }

    public static void main(String[] args) throws InterruptedException {
        odd.add(1);
        even.add(2);
        Thread first = new Thread(() -> addAll(odd, even));
        Thread second = new Thread(() -> addAll(even, odd));
        first.start();
        second.start();
        first.join();
        second.join();
    }
}
