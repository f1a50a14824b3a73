/*
 * A bounded buffer with a ReentrantLock and two conditions; one producer, two consumers. With -Dwait=if a consumer
 * that was woken does not look again whether there is an item, and the other consumer may have taken it in between.
 * The pause of the main thread orders nothing; it only lets a plain run end well.
 */
import dev.warpath.Warpath;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

public class BoundedBuffer {
    private static final boolean LOOKS_AGAIN = !System.getProperty("wait", "while").equals("if");

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition notFull = lock.newCondition();
    private final Condition notEmpty = lock.newCondition();
    private final int[] items = new int[1];
    private int count;

    void put(int item) throws InterruptedException {
        lock.lock();
        try {
            while (count == items.length) {
                notFull.await();
            }
            items[count++] = item;
            notEmpty.signal();
        } finally {
            lock.unlock();
        }
    }

    int take() throws InterruptedException {
        lock.lock();
        try {
            if (LOOKS_AGAIN) {
                while (count == 0) {
                    notEmpty.await();
                }
            } else if (count == 0) {
                notEmpty.await();
            }
            int item = items[--count]; // BUG
            notFull.signal();
            return item;
        } finally {
            lock.unlock();
        }
    }

    static final class Consumer extends Thread {
        private final BoundedBuffer buffer;
        private int taken;

        Consumer(BoundedBuffer buffer) {
            this.buffer = buffer;
        }

        @Override
        public void run() {
            try {
                taken = buffer.take();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        BoundedBuffer buffer = new BoundedBuffer();
        Consumer first = new Consumer(buffer);
        Consumer second = new Consumer(buffer);
        first.start();
        second.start();
        Thread.sleep(20);
        buffer.put(1);
        buffer.put(2);
        first.join();
        second.join();
        Warpath.check(first.taken + second.taken == 3, "an item was not taken, or twice");
    }
}
