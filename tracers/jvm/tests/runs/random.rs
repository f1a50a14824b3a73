//! The interpreter against the JVM: random methods over values that another thread may write. Each result is written to a
//! shared field, where the number that the JVM has is compared with the interpreter's, and with its expression's value.

use std::fmt::Write;

use warpath_jvm::run::End;
use warpath_trace::event::Op;

use super::build::{java, text};

/// xorshift64*, so that a failure can be had again by its seed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

const INTS: &[&str] =
    &["0", "1", "-1", "2", "7", "31", "32", "255", "-128", "65535", "Integer.MAX_VALUE", "Integer.MIN_VALUE"];
const LONGS: &[&str] = &["0L", "1L", "-1L", "63L", "5000000000L", "Long.MAX_VALUE", "Long.MIN_VALUE"];

/// An expression of type `int`.
fn int(random: &mut Random, depth: u32) -> String {
    if depth == 0 || random.below(6) == 0 {
        return match random.below(3) {
            0 => random.pick(INTS).to_owned(),
            _ => random.pick(&["a", "b", "p", "q"]).to_owned(),
        };
    }
    let (x, y) = (int(random, depth - 1), int(random, depth - 1));
    match random.below(16) {
        0..=4 => format!("({x} {} {y})", random.pick(&["+", "-", "*", "&", "|", "^"])),
        5 | 6 => format!("({x} {} {y})", random.pick(&["<<", ">>", ">>>"])),
        7 => format!("({x} {} ({y} | 1))", random.pick(&["/", "%"])),
        8 => format!("(({}) {x})", random.pick(&["byte", "short", "char", "int"])),
        9 => format!("(int) {}", long(random, depth - 1)),
        10 => format!("({} ? {x} : {y})", condition(random, depth - 1)),
        11 => format!("few[{x} & 3]"),
        12 => format!("Math.{}({x}, {y})", random.pick(&["max", "min"])),
        13 => format!("Integer.valueOf({x}).intValue()"),
        14 => format!("{}({x})", random.pick(&["-", "~", "Math.abs", "helper", "(byte) "])),
        _ => format!("{}.compare({x}, {y})", random.pick(&["Integer", "Long"])),
    }
}

/// An expression of type `long`.
fn long(random: &mut Random, depth: u32) -> String {
    if depth == 0 || random.below(6) == 0 {
        return match random.below(3) {
            0 => random.pick(LONGS).to_owned(),
            _ => random.pick(&["c", "d"]).to_owned(),
        };
    }
    let (x, y) = (long(random, depth - 1), long(random, depth - 1));
    match random.below(8) {
        0..=2 => format!("({x} {} {y})", random.pick(&["+", "-", "*", "&", "|", "^"])),
        3 => format!("({x} {} {})", random.pick(&["<<", ">>", ">>>"]), int(random, depth - 1)),
        4 => format!("({x} {} ({y} | 1L))", random.pick(&["/", "%"])),
        5 => format!("(long) {}", int(random, depth - 1)),
        6 => format!("({} ? {x} : {y})", condition(random, depth - 1)),
        _ => format!("{}({x})", random.pick(&["-", "~", "Math.abs", "(long) "])),
    }
}

fn condition(random: &mut Random, depth: u32) -> String {
    let comparison = random.pick(&["<", "<=", "==", "!=", ">", ">="]);
    match random.below(5) {
        0 if depth > 0 => format!("({} && {})", condition(random, depth - 1), condition(random, depth - 1)),
        1 if depth > 0 => format!("!({} || {})", condition(random, depth - 1), condition(random, depth - 1)),
        2 => format!("({} {comparison} {})", long(random, depth), long(random, depth)),
        _ => format!("({} {comparison} {})", int(random, depth), int(random, depth)),
    }
}

fn statements(random: &mut Random, depth: u32) -> String {
    let mut text = String::new();
    for _ in 0..1 + random.below(3) {
        let _ = match random.below(if depth == 0 { 4 } else { 9 }) {
            0 | 1 => writeln!(text, "{} = {};", random.pick(&["a", "b"]), int(random, 3)),
            2 => writeln!(text, "{} = {};", random.pick(&["c", "d"]), long(random, 3)),
            3 => writeln!(
                text,
                "few[{} & 3] {}= {};",
                int(random, 1),
                random.pick(&["", "+", "^"]),
                int(random, 2)
            ),
            4 => writeln!(
                text,
                "if ({}) {{ {} }} else {{ {} }}",
                condition(random, 2),
                statements(random, depth - 1),
                statements(random, depth - 1)
            ),
            5 => writeln!(
                text,
                "for (int n{depth} = 0; n{depth} < {}; n{depth}++) {{ a += n{depth}; {} }}",
                1 + random.below(4),
                statements(random, depth - 1)
            ),
            6 => writeln!(
                text,
                "switch ({} & 3) {{ case 0: a++; case 1: b--; break; case 3: {} }}",
                int(random, 2),
                statements(random, depth - 1)
            ),
            7 => writeln!(
                text,
                "try {{ a = {} / ({} & 1); }} catch (ArithmeticException e{depth}) {{ {} }}",
                int(random, 2),
                int(random, 2),
                statements(random, depth - 1)
            ),
            _ => writeln!(
                text,
                "try {{ b += few[{} & 7]; }} catch (ArrayIndexOutOfBoundsException e{depth}) {{ b--; }} finally {{ {} }}",
                int(random, 2),
                statements(random, depth - 1)
            ),
        };
    }
    text
}

fn program(seed: u64, methods: usize) -> String {
    let mut random = Random::new(seed);
    let mut text = String::from(
        "public class Main {
        static int p, q, intResult; static long r, s, longResult; static byte byteResult; static char charResult;
        static int helper(int v) { if (v > 100) return v - 100; return v * 3; }\n",
    );
    for n in 0..methods {
        let body = statements(&mut random, 2);
        let _ = writeln!(
            text,
            "static void m{n}() {{ int a = p, b = q; long c = r, d = s; int p = a ^ 5, q = b + 1; int[] few = {{a, 2, b, p}};
            {body}
            intResult = a ^ b ^ few[1] ^ few[2]; longResult = c ^ d; byteResult = (byte) b; charResult = (char) a; }}"
        );
    }
    text += "public static void main(String[] args) throws Exception {
        Thread t = new Thread(new Runnable() { public void run() {\n";
    for (n, pair) in [(3, -7), (0, 1), (100, 2)].iter().enumerate() {
        let _ = writeln!(
            text,
            "p = p + {}; q = q * 3 + {}; r = r - 5000000000L * {n} + 1; s = s ^ p; intResult = intResult + 1; longResult = longResult + 1; byteResult++; charResult++;",
            pair.0, pair.1
        );
    }
    text += "} }); t.start(); t.join();\n";
    for n in 0..methods {
        let _ = writeln!(text, "m{n}(); p = p * 31 + {n}; r = r * 17 + p; q = q - {n}; s = s + r;");
    }
    text + "} }"
}

#[test]
fn random_methods_compute_what_the_jvm_does() {
    let seeds = std::env::var("WARPATH_JVM_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(3);
    for seed in 1..=seeds {
        let source = program(seed, 25);
        let run = java(&source).record();
        assert_eq!(run.end, End::Exited(0), "seed {seed}\n{source}\n{}", text(&run.trace));
        // Else nothing was compared.
        let symbolic = run.trace.threads[0].iter().filter(|event| {
            matches!(event.op.written(), Some((_, datum)) if datum.expr.is_some())
                || matches!(event.op, Op::Branch { .. })
        });
        assert!(symbolic.count() > 100, "seed {seed}\n{}", text(&run.trace));
    }
}
