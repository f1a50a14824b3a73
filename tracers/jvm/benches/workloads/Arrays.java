/** Arrays: matrices are multiplied, and what comes out is sorted. */
public class Arrays {
    private static final int SIZE = 60;

    static void sort(int[] values, int count) {
        for (int i = 1; i < count; i++) {
            int value = values[i];
            int j = i - 1;
            while (j >= 0 && values[j] > value) {
                values[j + 1] = values[j];
                j--;
            }
            values[j + 1] = value;
        }
    }

    public static void main(String[] args) {
        int rounds = Integer.parseInt(args[0]);
        int[] a = new int[SIZE * SIZE];
        int[] b = new int[SIZE * SIZE];
        int[] c = new int[SIZE * SIZE];
        for (int i = 0; i < a.length; i++) {
            a[i] = i * 7 % 13;
            b[i] = i * 5 % 11;
        }
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < SIZE; i++) {
                for (int j = 0; j < SIZE; j++) {
                    int sum = 0;
                    for (int k = 0; k < SIZE; k++) {
                        sum += a[i * SIZE + k] * b[k * SIZE + j];
                    }
                    c[i * SIZE + j] = sum ^ round;
                }
            }
            sort(c, 300);
        }
        System.out.println(c[100]);
    }
}
