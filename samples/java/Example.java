/*
 * The example of the MCR papers: three threads, N rounds each. The third must find x at 2 and y at 3, for which the
 * other two must take turns with it several times. Two rounds are needed (-DN=2), with one y never comes to 3.
 */
public class Example {
    private static final int N = Integer.getInteger("N", 2);
    private static final Object lock = new Object();
    private static int x, y;

    static void first() {
        for (int n = 0; n < N; n++) {
            synchronized (lock) {
                x = 1;
                y = 1;
            }
        }
    }

    static void second() {
        for (int n = 0; n < N; n++) {
            synchronized (lock) {
                x = 0;
            }
            if (x > 0) {
                y++;
                x = 2;
            }
        }
    }

    static void third() {
        for (int n = 0; n < N; n++) {
            if (x > 1) {
                if (y == 3) {
                    throw new AssertionError("y is 3"); // BUG
                }
                y = 2;
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] threads = {new Thread(Example::first), new Thread(Example::second), new Thread(Example::third)};
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
