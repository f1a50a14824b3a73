/*
 * A pool is shut down by one thread while another still gives it work; if the shutdown is first, the work is rejected
 * with an exception. With -Dfixed=true the pool is shut down when all work has been given. The pause orders nothing;
 * it only lets a plain run end well.
 */
import dev.warpath.Warpath;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

public class ExecutorShutdown {
    private static final boolean FIXED = Boolean.getBoolean("fixed");

    static void close(ExecutorService pool) {
        try {
            Thread.sleep(50);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        pool.shutdown();
    }

    public static void main(String[] args) throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(1);
        AtomicInteger done = new AtomicInteger();
        Thread closer = new Thread(() -> close(pool));
        if (!FIXED) {
            closer.start();
        }
        pool.execute(done::incrementAndGet); // BUG
        if (FIXED) {
            closer.start();
        }
        closer.join();
        boolean ended = pool.awaitTermination(1, TimeUnit.MINUTES);
        Warpath.check(!ended || done.get() == 1, "work that was accepted is not done");
    }
}
