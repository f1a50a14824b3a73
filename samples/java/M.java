/*
 * M_n of the MPC paper (Figure 2 is M_0): the failure needs two inputs, one schedule, and all N extra threads.
 *
 * Thread 2 must find x at 101 + N and y at 2: thread 3 sets x to 100 after thread 2 cleared both, thread 1 (i = 3)
 * and each extra thread (its k = 10) add one, and thread 3 (j = 2) counts y up. Run with -DN=0 to -DN=9.
 */
import dev.warpath.Warpath;

public class M {
    private static final int N = Integer.getInteger("N", 0);
    private static final Object lock = new Object();
    private static int x, y;

    static void thread1() {
        int i = Warpath.input("i", 0);
        x = 2;
        y = 5;
        if (i == 3) {
            x++;
            synchronized (lock) {
                y--;
            }
        }
    }

    static void thread2() {
        x = 5;
        y = 0;
        if (x == 101 + N) {
            Warpath.check(y != 2, "y is 2"); // BUG
        }
    }

    static void thread3() {
        int j = Warpath.input("j", 0);
        Warpath.assume(j <= 2);
        x = 100;
        for (int n = 0; n < j; n++) {
            synchronized (lock) {
                y++;
            }
        }
    }

    static void extra(String name) {
        int k = Warpath.input(name, 0);
        if (k == 10) {
            x++;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] threads = new Thread[3 + N];
        threads[0] = new Thread(M::thread1);
        threads[1] = new Thread(M::thread2);
        threads[2] = new Thread(M::thread3);
        for (int n = 1; n <= N; n++) {
            String name = "k" + n;
            threads[2 + n] = new Thread(() -> extra(name));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
