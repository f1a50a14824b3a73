/*
 * A slot for one item, guarded by its monitor; two producers, two consumers, wait and notifyAll: correct. With
 * -Dnotify=one only one thread is woken, which may be of the wrong kind: then nobody goes on.
 */
import dev.warpath.Warpath;

public class ProducerConsumer {
    private static final boolean WAKES_ALL = !System.getProperty("notify", "all").equals("one");

    private int item;
    private int sum;

    private void wake() {
        if (WAKES_ALL) {
            notifyAll();
        } else {
            notify();
        }
    }

    synchronized void put(int given) throws InterruptedException {
        while (item != 0) {
            wait(); // BUG: waits forever, and so does a consumer
        }
        item = given;
        wake();
    }

    synchronized void take() throws InterruptedException {
        while (item == 0) {
            wait(); // BUG: waits forever, and so does a producer
        }
        sum += item;
        item = 0;
        wake();
    }

    void produce(int given) {
        try {
            put(given);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    void consume() {
        try {
            take();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        ProducerConsumer slot = new ProducerConsumer();
        Thread[] threads = {
            new Thread(() -> slot.produce(1)),
            new Thread(slot::consume),
            new Thread(() -> slot.produce(2)),
            new Thread(slot::consume),
        };
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        Warpath.check(slot.sum == 3, "an item was not taken, or twice");
    }
}
