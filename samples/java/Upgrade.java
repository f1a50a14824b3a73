/*
 * A reader finds its data stale and wants the write lock while it has the read lock. A ReentrantReadWriteLock cannot
 * be upgraded: the reader waits for itself. With -Dfixed=true it gives the read lock up first, looks again, and
 * downgrades.
 */
import dev.warpath.Warpath;
import java.util.concurrent.locks.ReentrantReadWriteLock;

public class Upgrade {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private static final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private static boolean stale;
    private static int value = 1;

    static void refresh() {
        if (stale) {
            value = 2;
            stale = false;
        }
    }

    static void read() {
        lock.readLock().lock();
        if (stale) {
            if (FIXED) {
                lock.readLock().unlock();
                lock.writeLock().lock();
                refresh();
                lock.readLock().lock();
                lock.writeLock().unlock();
            } else {
                lock.writeLock().lock(); // BUG: waits forever for its own read lock to be given up
                refresh();
                lock.writeLock().unlock();
            }
        }
        Warpath.check(!stale && value > 0, "what is read is stale");
        lock.readLock().unlock();
    }

    static void invalidate() {
        lock.writeLock().lock();
        stale = true;
        value = 0;
        lock.writeLock().unlock();
    }

    public static void main(String[] args) throws InterruptedException {
        Thread first = new Thread(Upgrade::read);
        Thread second = new Thread(Upgrade::read);
        Thread third = new Thread(Upgrade::invalidate);
        first.start();
        second.start();
        Thread.sleep(20);
        third.start();
        first.join();
        second.join();
        third.join();
    }
}
