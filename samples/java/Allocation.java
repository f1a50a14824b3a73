/*
 * "Allocation" (MCR): a thread finds a free block, then marks it as used. Each is synchronized, but not both
 * together, so two threads may get the same block. With -Dfixed=true the monitor is held from finding to marking,
 * entered twice.
 */
public class Allocation {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private static final int NEEDED = 2;
    private final boolean[] used = new boolean[2 * NEEDED];

    synchronized int findFree() {
        int block = 0;
        while (used[block]) {
            block++;
        }
        return block;
    }

    synchronized void mark(int block) {
        if (used[block]) {
            throw new AssertionError("block " + block + " has an owner"); // BUG
        }
        used[block] = true;
    }

    void allocate() {
        mark(findFree());
    }

    synchronized void allocateAtOnce() {
        allocate();
    }

    void allocateAll() {
        for (int n = 0; n < NEEDED; n++) {
            if (FIXED) {
                allocateAtOnce();
            } else {
                allocate();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Allocation blocks = new Allocation();
        Thread first = new Thread(blocks::allocateAll);
        Thread second = new Thread(blocks::allocateAll);
        first.start();
        second.start();
        first.join();
        second.join();
    }
}
