/*
 * A pair of numbers behind a StampedLock: both are always the same. A reader takes them optimistically, without locking,
 * and forgets to ask whether somebody wrote meanwhile. With -Dfixed=true it does ask, and locks if so.
 */
import dev.warpath.Warpath;
import java.util.concurrent.locks.StampedLock;

public class OptimisticRead {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private static final StampedLock lock = new StampedLock();
    private static int left;
    private static int right;

    static void write() {
        long stamp = lock.writeLock();
        left = 1;
        right = 1;
        lock.unlockWrite(stamp);
    }

    static void read() {
        long stamp = lock.tryOptimisticRead();
        int a = left;
        int b = right;
        if (FIXED && !lock.validate(stamp)) {
            stamp = lock.readLock();
            a = left;
            b = right;
            lock.unlockRead(stamp);
        }
        Warpath.check(a == b, "half of a write was seen"); // BUG
    }

    public static void main(String[] args) throws InterruptedException {
        Thread writer = new Thread(OptimisticRead::write);
        writer.start();
        read();
        writer.join();
    }
}
