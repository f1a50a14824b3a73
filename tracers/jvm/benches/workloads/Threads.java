/** Threads: two add to what both share, under a lock and beside it. */
public class Threads {
    private static final Object lock = new Object();
    private static int guarded;
    private static volatile int visible;

    static void work(int rounds) {
        for (int n = 0; n < rounds; n++) {
            synchronized (lock) {
                guarded += n;
            }
            visible = n;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int rounds = Integer.parseInt(args[0]);
        Thread one = new Thread(() -> work(rounds));
        Thread other = new Thread(() -> work(rounds));
        one.start();
        other.start();
        one.join();
        other.join();
        System.out.println(guarded + visible);
    }
}
