/*
 * A thread waits for two events, each told by a flag and LockSupport.unpark. A permit is kept until it is used, but
 * there is only one: two events that come together make one, so a thread that parks once for each waits forever. With
 * -Dfixed=true it parks while an event is missing, and looks again.
 */
import java.util.concurrent.locks.LockSupport;

public class Parking {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private static volatile boolean first, second;

    static void tellFirst(Thread waiting) {
        first = true;
        LockSupport.unpark(waiting);
    }

    static void tellSecond(Thread waiting) {
        second = true;
        LockSupport.unpark(waiting);
    }

    static void awaitBoth() {
        if (FIXED) {
            while (!first || !second) {
                LockSupport.park();
            }
        } else {
            LockSupport.park();
            LockSupport.park(); // BUG: waits forever
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread main = Thread.currentThread();
        new Thread(() -> tellFirst(main)).start();
        new Thread(() -> {
            pause();
            tellSecond(main);
        }).start();
        awaitBoth();
    }

    /** Orders nothing; it only lets a plain run end well. */
    private static void pause() {
        try {
            Thread.sleep(50);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
