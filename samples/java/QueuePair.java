/*
 * Two workers share an ArrayBlockingQueue with one task in it. Each looks whether there is one and then removes it, which is
 * two operations: if both have looked before one removes, the other finds nothing and gets an exception. With -Dfixed=true
 * they poll, which is one operation.
 */
import dev.warpath.Warpath;
import java.util.concurrent.ArrayBlockingQueue;

public class QueuePair {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private static final ArrayBlockingQueue<Integer> queue = new ArrayBlockingQueue<>(2);

    static void work() {
        if (FIXED) {
            Integer task = queue.poll();
            Warpath.check(task == null || task == 7, "another task");
        } else if (!queue.isEmpty()) {
            queue.remove(); // BUG
        }
    }

    public static void main(String[] args) throws InterruptedException {
        queue.add(7);
        Thread worker = new Thread(QueuePair::work);
        worker.start();
        work();
        worker.join();
    }
}
