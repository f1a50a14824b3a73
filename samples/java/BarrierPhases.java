/*
 * Two threads compute in phases: each writes its part, they meet at a barrier, each reads the other's part. Nobody
 * waits until it has been read, so one may write its next part too early. With -Dfixed=true they meet again before
 * that. The pause orders nothing; it only lets a plain run end well.
 */
import dev.warpath.Warpath;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

public class BarrierPhases {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private static final CyclicBarrier barrier = new CyclicBarrier(2);
    private static final int[] parts = new int[2];

    static void phases(int mine, int other) throws InterruptedException, BrokenBarrierException {
        parts[mine] = 1;
        barrier.await();
        Warpath.check(parts[other] == 1, "the other part is of the next phase"); // BUG
        Thread.sleep(20);
        if (FIXED) {
            barrier.await();
        }
        parts[mine] = 2;
    }

    static void compute(int mine, int other) {
        try {
            phases(mine, other);
        } catch (InterruptedException | BrokenBarrierException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread first = new Thread(() -> compute(0, 1));
        Thread second = new Thread(() -> compute(1, 0));
        first.start();
        second.start();
        first.join();
        second.join();
    }
}
