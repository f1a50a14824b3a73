/*
 * What is to happen with the result of a CompletableFuture is said with thenAccept. It may happen in the thread that
 * completes the future, and after others have seen that it is complete, so joining the future is too early. With
 * -Dfixed=true the stage that thenAccept gives back is joined. The pause orders nothing; it only lets a plain run end
 * well.
 */
import dev.warpath.Warpath;
import java.util.concurrent.CompletableFuture;

public class FutureCallback {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private static final CompletableFuture<Integer> answer = new CompletableFuture<>();
    private static volatile int stored;

    static void compute() {
        answer.complete(42);
    }

    static void store(int value) {
        stored = value;
    }

    public static void main(String[] args) throws InterruptedException {
        Thread worker = new Thread(FutureCallback::compute);
        worker.start();
        Thread.sleep(20);
        CompletableFuture<Void> isStored = answer.thenAccept(FutureCallback::store);
        if (FIXED) {
            isStored.join();
        } else {
            answer.join();
        }
        Warpath.check(stored == 42, "the answer is not stored yet"); // BUG
        worker.join();
    }
}
