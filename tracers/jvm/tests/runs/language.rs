//! The language and its library: whatever a program does, each of its methods is followed to its end.

use warpath_jvm::run::End;

use super::build::java;

/// Runs the statements in a second thread, behind reads of a shared field so that there is something symbolic.
fn followed(members: &str, statements: &str) {
    let run = java(&format!(
        "import java.util.*;
        import java.util.function.*;
        public class Main {{
            static int one; static long big; static Object thing;
            {members}
            static void body() throws Exception {{
                int x = one; long y = big;
                {statements}
            }}
            public static void main(String[] a) throws Exception {{
                Thread t = new Thread() {{ public void run() {{
                    one = one + 1; big = big + 5000000000L; thing = new int[3];
                }} }};
                t.start(); t.join();
                body();
            }}
        }}"
    ))
    .record();
    assert_eq!(run.end, End::Exited(0), "{}", super::build::text(&run.trace));
}

#[test]
fn arithmetic_and_comparisons() {
    followed(
        "",
        "int s = 0;
        for (int i = -3; i < 40; i++) {
            s += (x + i) * 7 - (i << x) + (i >> (x + 1)) + (i >>> x) ^ (s & 0xff | i);
            s -= -i; s = ~s; s += (byte) s + (short) (s * x) + (char) s;
            if (i != 0) s += (x + 100) / i + (x - 50) % i;
            if (s > i && s != x || s <= -i) s++;
        }
        long l = y;
        for (int i = 1; i < 70; i++) {
            l = l * 31 + (l >> i) - (l << x) + (l >>> (i & 3)) ^ (l | i) & ~y;
            l += l / i + l % (i + x); l = -l;
            if (l < y || l >= y * 2 && l == l) l++;
        }
        int m = Math.max(x, s) + Math.min(x, 3) + Math.abs(x - 9) + Math.floorMod(x - 5, 3) + Math.floorDiv(-x, 2);
        m += Integer.compare(x, 2) + Long.compare(y, 3L) + Integer.sum(x, 4);
        if (m == 12345) throw new Error();
        double d = x / 3.0 + s; float f = (float) d * l; d = d % 2.5 - f; s = (int) d + (int) f; l = (long) d;
        if (d < f || d != d || f >= 2) s++;
        switch (x) { case 0: s = 1; break; case 1: s = 2; break; case 2: case 3: s = 3; }
        switch (s) { case -1000: s = 1; break; case 2: s = 7; break; case 90000: s = 3; break; default: s = 9; }
        assert s == 7;",
    );
}

#[test]
fn exceptions_go_to_their_handlers() {
    followed(
        "static int depth(int n) { if (n == 0) throw new IllegalStateException(\"deep\"); return depth(n - 1) + 1; }
        static int tried(int n) {
            try { return 10 / n; }
            catch (ArithmeticException e) { return -1; }
            finally { one2++; }
        }
        static int one2;",
        "try { depth(5 + x); assert false; } catch (IllegalStateException e) { assert e.getMessage().equals(\"deep\"); }
        assert tried(x - 1) == -1 && tried(x) == 10;
        int[] few = new int[2];
        try { few[x + 1] = 3; assert false; } catch (ArrayIndexOutOfBoundsException e) { few[x] = 4; }
        try { few = new int[-x]; assert false; } catch (NegativeArraySizeException e) { few[0] = 5; }
        try { Object o = \"text\"; Integer i = (Integer) o; assert false; } catch (ClassCastException e) { few[0]++; }
        try { Object o = null; o.hashCode(); assert false; } catch (NullPointerException e) { few[0]++; }
        try { Integer.parseInt(\"none\"); assert false; } catch (NumberFormatException e) { few[0]++; }
        try { Object[] o = new String[1]; o[0] = 1; assert false; } catch (ArrayStoreException e) { few[0]++; }
        try { try { throw new Exception(\"a\"); } finally { few[0]++; } } catch (Exception e) { few[0]++; }
        try (AutoCloseable c = () -> one2++) { few[1] += 2; }
        assert few[0] == 11 && few[1] == 6 && one2 == 3;",
    );
}

#[test]
fn objects_arrays_and_calls() {
    followed(
        "interface Shape { int area(); default int twice() { return 2 * area(); } }
        static class Square implements Shape { final int side; Square(int s) { side = s; } public int area() { return side * side; } }
        static class Named extends Square { String name; { name = \"n\"; } Named(int s) { super(s + 1); name += s; }
            @Override public int area() { return super.area() + name.length(); } }
        enum Colour { RED, GREEN; int code() { return ordinal() * 3; } }
        static int sum(int... all) { int s = 0; for (int a : all) s += a; return s; }
        static <T extends Comparable<T>> T most(List<T> all) { T best = all.get(0); for (T t : all) if (t.compareTo(best) > 0) best = t; return best; }
        class Inner { int v = one; int outer() { return v + hashy(); } }
        int hashy() { return 4; }
        static int counted; static { counted = 40; }",
        "Shape[] shapes = { new Square(x + 1), new Named(x), new Shape() { public int area() { return x + 7; } } };
        int total = 0; for (Shape s : shapes) total += s.area() + s.twice();
        int[][] grid = new int[3][4]; grid[x][x + 1] = 5; long[][][] cube = new long[2][3][]; cube[x][2] = new long[] {y};
        total += grid[1][2] + grid[2].length + (int) cube[1][2][0] + sum() + sum(1, x, 3);
        Colour c = Colour.valueOf(\"GREEN\"); total += c.code();
        switch (c) { case RED: total = 0; break; case GREEN: total++; }
        Object[] mixed = { 1, \"two\", 3L, null, new int[] {4}, c, shapes[0] };
        for (Object o : mixed) {
            if (o instanceof Integer) total += (Integer) o; else if (o instanceof String) total += ((String) o).length();
            else if (o instanceof Number) total += ((Number) o).intValue(); else if (o instanceof int[]) total += ((int[]) o)[0];
            else if (o instanceof Comparable) total += 2; else if (o instanceof Shape) total += 100;
        }
        Main outer = new Main(); Main.Inner inner = outer.new Inner(); total += inner.outer();
        StringBuilder b = new StringBuilder(); for (int i = 0; i < 4; i++) b.append(i + x).append(','); total += b.length();
        String text = \"v\" + x + y + true + 'c' + null; total += text.length();
        total += most(Arrays.asList(3, 9, x)); total += counted;
        boolean[] flags = new boolean[2]; flags[x] = total > x; char[] cs = \"abc\".toCharArray(); cs[x]++; byte[] bs = {1, -2}; bs[x] += x;
        short[] ss = new short[] {3}; ss[0] -= x; if (flags[1]) total += cs[1] + bs[1] + ss[0];
        long w = total; w += x; w++; int q = (total = total + 1) + total++; total -= q % 2;
        int[] copy = grid[1].clone(); System.arraycopy(grid[1], 1, copy, 0, 3); total += copy[1];
        assert total > 0;",
    );
}

#[test]
fn lambdas_collections_and_boxes() {
    followed(
        "static int apply(IntBinaryOperator f, int a, int b) { return f.applyAsInt(a, b); }
        static int twice(int n) { return 2 * n; }
        int times(int n) { return 3 * n; }",
        "int total = apply((p, q) -> p * q + x, x + 1, 4);
        Function<Integer, Integer> next = v -> v + x; total += next.andThen(v -> v * 2).apply(x + 3);
        IntUnaryOperator op = Main::twice; total += op.applyAsInt(x); Main m = new Main(); op = m::times; total += op.applyAsInt(x);
        Supplier<List<Integer>> make = ArrayList::new; List<Integer> list = make.get();
        for (int i = 0; i < 5; i++) list.add(i * x);
        for (Iterator<Integer> it = list.iterator(); it.hasNext(); ) if (it.next() == x) it.remove();
        Map<String, Integer> map = new TreeMap<>(); map.put(\"a\", x); map.merge(\"a\", 5, Integer::sum); map.computeIfAbsent(\"b\", k -> k.length() + x);
        for (Map.Entry<String, Integer> e : map.entrySet()) total += e.getKey().length() + e.getValue();
        Collections.sort(list, (p, q) -> q - p); total += list.get(0) + list.stream().mapToInt(v -> v + x).sum();
        Integer boxed = x; Long large = y; Boolean flag = x > 0; Character ch = (char) (x + 65);
        total += boxed + large.intValue() + (flag ? ch : 0); if (boxed.equals(1) && boxed.hashCode() == x) total++;
        Runnable r = () -> { one = one + twice(x); }; r.run(); Object o = thing; if (o != null && o == thing) total++;
        assert total > 0;",
    );
}
