//! Every instruction that a compiler writes, on values that depend on inputs.

use std::collections::BTreeSet;

use warpath_jvm::classfile::ClassFile;
use warpath_jvm::run::{End, Plan, Policy};

use super::build::{checked, events, java, options};

/// Instructions that `javac` does not write, or not here: those of old files and of methods too long for a short jump.
const NEVER: [(u8, &str); 7] = [
    (0x00, "nop"),
    (0x5f, "swap"),
    (0xa8, "jsr"),
    (0xa9, "ret"),
    (0xc8, "goto_w"),
    (0xc9, "jsr_w"),
    (0xba, "invokedynamic: it is in another class"),
];

/// Values are checked by the program itself: what the interpreter makes of them is compared with every store.
const SOURCE: &str = r#"import dev.warpath.Warpath;
public class Main {
    static int si; static long sl; static float sf; static double sd; static Object so; static boolean sz;
    int fi; long fl; float ff; double fd; byte fb; short fs; char fc; boolean fz;
    interface Shape { long area(int by); default int sides() { return 4; } }
    static class Square implements Shape { public long area(int by) { return (long) by * by; } }
    static int ints(int a, int b) {
        int r = a + b - a * b; r ^= (a / (b | 1)) + (a % (b | 1)); r = -r; r <<= b; r >>= 2; r >>>= 1; r &= a; r |= b;
        r += 1000; r++; si = r; si += 7; int c = si++; return r + c + si - -1 + 2 + 3 + 4 + 5 + 200 + 70000;
    }
    static long longs(long a, long b) {
        long r = a + b - a * b; r ^= (a / (b | 1L)) + (a % (b | 1L)); r = -r; r <<= (int) b; r >>= 2; r >>>= 1;
        r &= a; r |= b; sl = r; return sl + 0L + 1L + 123456789012L + (a < b ? 1 : 0);
    }
    static int conversions(int i, long l) {
        byte b = (byte) i; short s = (short) i; char c = (char) i;
        float f = i; double d = i; float g = l; double h = l; int j = (int) l; long m = i;
        int k = (int) f + (int) d; long n = (long) g + (long) h; double e = g; float q = (float) h;
        f = f + g - f * 2f / 3f % 5f; f = -f; d = d + h - d * 2.0 / 3.0 % 5.0; d = -d;
        sf = f; sd = d; float z = 0f, o = 1f, t = 2f; double y = 0d, w = 1d;
        boolean less = f < g | d < h | f > g | d > h; sz = less;
        return b + s + c + j + (int) m + k + (int) n + (int) e + (int) q + (less ? 1 : 2) + (int) (z + o + t) + (int) (y + w);
    }
    static int arrays(int i, long l) {
        byte[] b = {1, 2}; short[] s = {3, 4}; char[] c = {5, 6}; int[] n = {7, 8}; long[] m = {9, 10};
        float[] f = {1f, 2f}; double[] d = {1, 2}; boolean[] z = {true, false}; Object[] o = {"x", null};
        b[1] += i; s[1] += i; c[1] += i; int was = n[0]++; long got = m[1] += l; long old = m[0]++; f[0] += 1; d[1] *= 2;
        z[1] = i > 3; o[1] = o[0]; double dd = d[0]++; int[][] grid = new int[2][3]; long[][][] cube = new long[2][2][];
        grid[1][2] = i; int two = grid[1][2] += 5; Main x = new Main(); int p = x.fi += i; long q = x.fl += l; int r = x.fi++;
        x.fb = (byte) i; x.fs = (short) i; x.fc = (char) i; x.fz = z[1]; x.ff = f[0]; x.fd = d[1];
        return b[1] + s[1] + c[1] + n[0] + (int) m[1] + was + (int) got + (int) old + (z[1] ? 1 : 0) + o.length + (int) dd + two
            + p + (int) q + r + x.fb + x.fs + x.fc + (x.fz ? 1 : 0) + (cube[1][1] == null ? 1 : 0) + (int) f[0] + (int) d[1] + (int) x.ff + (int) x.fd;
    }
    static int jumps(int i, Object o, Object p) {
        int r = 0;
        if (i == 0) r++; if (i != 0) r += 2; if (i < 0) r += 4; if (i >= 0) r += 8; if (i > 0) r += 16; if (i <= 0) r += 32;
        if (i == si) r++; if (i != si) r += 2; if (i < si) r += 4; if (i >= si) r += 8; if (i > si) r += 16; if (i <= si) r += 32;
        if (o == p) r += 64; if (o != p) r += 128; if (o == null) r += 256; if (o != null) r += 512;
        switch (i) { case 1: r += 3; break; case 2: r += 5; break; case 3: r += 7; break; default: r += 9; }
        switch (i) { case -1000: r += 3; break; case 42: r += 5; break; case 70000: r += 7; break; default: r += 9; }
        while (r > 100) { r -= 90; if (r == 55) continue; }
        return r;
    }
    static int objects(int i, Object o) {
        Shape s = new Square(); int r = (int) s.area(i) + s.sides(); r += ((Square) s).area(2) > 3 ? 1 : 0;
        if (o instanceof String) r += ((String) o).length();
        synchronized (s) { r++; }
        try { if (i > 40) throw new IllegalStateException(); r += 2; } catch (IllegalStateException e) { r += 4; } finally { r += 8; }
        return r + new Main().own(i);
    }
    private int own(int i) { fi = i; return fi; }
    static float floats(float f) { return f; } static double doubles(double d) { return d; } static Object object(Object o) { return o; }
    static int locals(int i) {
        LOCALS
        long far = i; double fd = 2; float ff = 3; Object fo = "o"; int n = i; n += 1000; n++; far += n; fd += far; ff += n;
        fo = object(fo); int copy = n; long other = far; double dd = fd; float f2 = ff; Object o2 = fo;
        return n + (int) far + (int) fd + (int) ff + (fo == o2 ? 1 : 0) + copy + (int) other + (int) dd + (int) f2;
    }
    public static void main(String[] a) {
        int i = Warpath.input("i", 42); long l = Warpath.input("l", 77L);
        ints(i, 2); longs(l, 3); si = 3; int sum = ints(i, 5) + (int) longs(l, 9) + conversions(i, l) + arrays(i, l) + jumps(i, a, null) + objects(i, "s");
        sum += (int) floats(i) + (int) doubles(i) + locals(i); so = object(a);
        System.exit(sum == 0 ? 1 : 0);
    }
}"#;

/// The instructions of a method, by their first bytes.
fn instructions(code: &[u8]) -> BTreeSet<u8> {
    let mut found = BTreeSet::new();
    let mut at = 0;
    while at < code.len() {
        let op = code[at];
        found.insert(op);
        let word = |at: usize| i32::from_be_bytes(code[at..at + 4].try_into().unwrap());
        let padded = (at + 4) & !3;
        at += match op {
            0x10 | 0x12 | 0x15..=0x19 | 0x36..=0x3a | 0xa9 | 0xbc => 2,
            0x11
            | 0x13
            | 0x14
            | 0x84
            | 0x99..=0xa8
            | 0xb2..=0xb8
            | 0xbb
            | 0xbd
            | 0xc0
            | 0xc1
            | 0xc6
            | 0xc7 => 3,
            0xb9 | 0xba | 0xc8 | 0xc9 => 5,
            0xc5 => 4,
            0xc4 => {
                if code[at + 1] == 0x84 {
                    6
                } else {
                    4
                }
            }
            0xaa => padded + 12 + 4 * (word(padded + 8) - word(padded + 4) + 1) as usize - at,
            0xab => padded + 8 + 8 * word(padded + 4) as usize - at,
            _ => 1,
        };
    }
    found
}

#[test]
fn every_instruction_is_executed_symbolically() {
    let many: String = (0..260).map(|n| format!("int v{n} = {n}00001;")).collect();
    let built = java(&SOURCE.replace("LOCALS", &many));
    let class = ClassFile::parse(&built.class("Main")).unwrap();
    let mut found = BTreeSet::new();
    for method in class.methods.iter().filter_map(|method| method.code.as_ref()) {
        found.extend(instructions(&method.bytes));
    }
    let never = NEVER.map(|(op, _)| op);
    // `iload_0` and its like are there for each type and place: which of them a compiler takes is its own affair.
    let short = (0x1a..=0x2d).chain(0x3b..=0x4e);
    let missing: Vec<String> = (0..=0xc9_u8)
        .filter(|op| !found.contains(op) && !never.contains(op) && !short.clone().any(|s| s == *op))
        .map(|op| format!("{op:#x}"))
        .collect();
    assert!(missing.is_empty(), "the program has no {missing:?}");
    for (i, l) in [(42, 77_i64), (1, -5), (-1000, i64::MIN), (70000, 1 << 40)] {
        let value = |name: &str, width, value| warpath_trace::si::InputValue {
            name: name.into(),
            nth: 0,
            width,
            value,
        };
        let inputs = vec![value("i", 32, i as u32 as u128), value("l", 64, l as u64 as u128)];
        let options = warpath_jvm::run::RunOptions { inputs, ..options() };
        let run = built.program().run(&Plan::by_policy(options, Policy::RunToBlock)).unwrap();
        checked(&run);
        assert_eq!(run.end, End::Exited(0), "{:#?}", events(&run.trace));
    }
}
