/*
 * "BubbleSort" (MCR): every pass over the numbers is a thread of its own. One after the other they sort; at the same
 * time a pass can miss what the other has not yet brought to its place, or they can swap over each other. With
 * -Dfixed=true a pass locks the numbers.
 */
import dev.warpath.Warpath;

public class BubbleSort {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private static final int[] numbers = new int[Integer.getInteger("numbers", 3)];

    static void pass() {
        for (int n = 0; n + 1 < numbers.length; n++) {
            int left = numbers[n];
            int right = numbers[n + 1];
            if (left > right) {
                numbers[n] = right;
                numbers[n + 1] = left;
            }
        }
    }

    static void passAlone() {
        synchronized (numbers) {
            pass();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        for (int n = 0; n < numbers.length; n++) {
            numbers[n] = numbers.length - n;
        }
        Thread[] passes = new Thread[numbers.length - 1];
        for (int n = 0; n < passes.length; n++) {
            passes[n] = new Thread(FIXED ? BubbleSort::passAlone : BubbleSort::pass);
            passes[n].start();
        }
        for (Thread pass : passes) {
            pass.join();
        }
        for (int n = 0; n + 1 < numbers.length; n++) {
            Warpath.check(numbers[n] <= numbers[n + 1], "not sorted"); // BUG
        }
    }
}
