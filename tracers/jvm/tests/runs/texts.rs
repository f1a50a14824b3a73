//! Inputs from outside the program: arguments and the environment by their characters, random numbers, time.

use warpath_jvm::run::{End, Plan, Policy, Run, RunOptions, Source};
use warpath_trace::si::InputValue;

use super::build::{Built, checked, events, java, java_files, options};

fn run(built: &Built, arguments: &[&str], symbolic: &[Source], inputs: Vec<InputValue>) -> Run {
    let options = RunOptions { symbolic: symbolic.to_vec(), inputs, ..options() };
    let mut program = built.program_with(arguments);
    let run = program.run(&Plan::by_policy(options, Policy::RunToBlock)).unwrap();
    checked(&run);
    run
}

/// The characters of a text, as values of inputs.
fn text(name: &str, text: &str) -> Vec<InputValue> {
    let unit = |(nth, unit): (usize, u16)| InputValue {
        name: name.into(),
        nth: nth as u32,
        width: 16,
        value: unit.into(),
    };
    text.encode_utf16().enumerate().map(unit).collect()
}

fn said(run: &Run) -> String {
    let out = run.output.iter().filter(|(stream, _)| *stream == 1).flat_map(|(_, bytes)| bytes.clone());
    String::from_utf8(out.collect()).unwrap()
}

#[track_caller]
fn has(run: &Run, wanted: &str) {
    let events = events(&run.trace);
    assert!(events.iter().any(|event| event.starts_with(wanted)), "{wanted}\n{events:#?}");
}

const ASKED: &str = "public class Main {
    static int score;
    static void ask(String s) {
        if (s.isEmpty() || s.length() > 40) score = -1;
        if (s.charAt(0) == 'w') score += 1;
        if (s.equals(\"warp\")) score += 2;
        if (\"warp\".compareTo(s) < 0) score += 4;
        if (s.hashCode() == 3641992) score += 8;
        if (s.startsWith(\"wa\") && s.endsWith(\"rp\")) score += 16;
        if (s.indexOf('r') == 2) score += 32;
        if (s.substring(1, 3).equals(\"ar\")) score += 64;
        String both = \"<\" + s + 7 + '>' + true;
        if (both.charAt(4) == 'p' && both.length() == s.length() + 7) score += 128;
        if (s.concat(\"!\").charAt(4) == '!') score += 256;
        switch (s) { case \"warp\": score += 512; break; case \"weft\": score += 1024; break; default: }
    }
    public static void main(String[] a) throws Exception {
        Thread t = new Thread(() -> ask(a[0]));
        t.start(); t.join();
        System.out.println(score);
    }
}";

#[test]
fn characters_of_an_argument_decide() {
    let built = java(ASKED);
    let argument = [Source::Argument(1)];
    let plain = run(&built, &["abcd"], &argument, Vec::new());
    assert_eq!(said(&plain).trim(), "256");
    has(&plain, "T0 input arg:1 97");
    has(&plain, "T0 assume true (or (ult (add ?arg:1 65535:16) 55295:16)");
    has(&plain, "T0.0 branch false $e1=(= ?arg:1 119:16)");
    // Nothing but printing and concatenation of numbers needs values: no character is used as it is.
    let events = events(&plain.trace);
    assert!(!events.iter().any(|event| event.contains("concretise") && event.contains("arg")), "{events:#?}");
    let given = run(&built, &["abcd"], &argument, text("arg:1", "warp"));
    assert_eq!(said(&given).trim(), (1 + 2 + 8 + 16 + 32 + 64 + 128 + 256 + 512).to_string());
    let given = run(&built, &["abcd"], &argument, text("arg:1", "weft"));
    assert_eq!(said(&given).trim(), (1 + 4 + 256 + 1024).to_string());
}

#[test]
fn numbers_are_read_from_arguments() {
    let built = java(
        "public class Main {
            public static void main(String[] a) {
                try {
                    int i = Integer.parseInt(a[0]); long j = Long.parseLong(a[0]); Integer k = Integer.valueOf(a[0]);
                    if (i == -42) System.exit(3);
                    if (j > 500 && k < 600) System.exit(4);
                } catch (NumberFormatException e) { System.exit(5); }
            }
        }",
    );
    let argument = [Source::Argument(1)];
    for (given, status) in
        [("007", 0), ("-42", 3), ("550", 4), ("+51", 0), ("4x4", 5), ("--1", 5), ("\u{664}20", 0)]
    {
        let run = run(&built, &["123"], &argument, text("arg:1", given));
        assert_eq!(run.end, End::Exited(status), "{given}\n{:#?}", events(&run.trace));
    }
    let plain = run(&built, &["123"], &argument, Vec::new());
    has(&plain, "T0 branch true (and (and (or ");
    assert!(!events(&plain.trace).iter().any(|event| event.contains("concretise")));
    // Too long for a number of these bits to be sure: what comes of it is that of these characters.
    let long = run(&built, &["1234567890"], &argument, Vec::new());
    assert_eq!(long.end, End::Exited(0));
    has(&long, "T0 concretise");
}

#[test]
fn the_environment_has_characters() {
    let built = java(
        "public class Main { public static void main(String[] a) {
            String s = System.getenv(\"PATH\");
            if (s.charAt(1) == 'q') System.exit(7);
            if (s != System.getenv(\"PATH\")) System.exit(8);
        } }",
    );
    let environment = [Source::Environment("PATH".into())];
    let plain = run(&built, &[], &environment, Vec::new());
    assert_eq!(plain.end, End::Exited(0));
    has(&plain, "T0 branch false (= ?env:PATH#1 113:16)");
    let q = InputValue { name: "env:PATH".into(), nth: 1, width: 16, value: 113 };
    assert_eq!(run(&built, &[], &environment, vec![q]).end, End::Exited(7));
}

#[test]
fn chance_and_time_are_inputs_if_wanted() {
    let built = java(
        "import java.util.*; import java.util.concurrent.*;
        public class Main { public static void main(String[] a) {
            Random r = new Random(5);
            int i = r.nextInt(), below = r.nextInt(10), between = ThreadLocalRandom.current().nextInt(-3, 4);
            long l = r.nextLong(); boolean b = ThreadLocalRandom.current().nextBoolean();
            long now = System.currentTimeMillis(), nano = System.nanoTime();
            if (below < 0 || below > 9 || between < -3 || between > 3) System.exit(9);
            if (i == 77 && below == 4 && between == -2 && l < 0 && b && now == 12 && nano == 13) System.exit(3);
        } }",
    );
    let symbolic = [Source::Random, Source::Time];
    let plain = run(&built, &[], &symbolic, Vec::new());
    assert_eq!(plain.end, End::Exited(0), "{:#?}", events(&plain.trace));
    let value = |name: &str, nth, width, value| InputValue { name: name.into(), nth, width, value };
    let inputs = vec![
        value("rand", 0, 32, 77),
        value("rand", 1, 32, 0xffff_fff4),
        value("rand", 2, 32, 8),
        value("rand", 3, 64, 1 << 63),
        value("rand", 4, 1, 1),
        value("time", 0, 64, 12),
        value("time", 1, 64, 13),
    ];
    let given = run(&built, &[], &symbolic, inputs);
    assert_eq!(given.end, End::Exited(3), "{:#?}", events(&given.trace));
    has(&given, "T0 branch true (= ?rand 77:32)");
    has(&given, "T0 branch true (= ?time#1 13:64)");
    // Without being asked for they are none, and the same every time.
    let printed = java(
        "public class Main { public static void main(String[] a) {
            System.out.println(java.util.concurrent.ThreadLocalRandom.current().nextInt() + \" \"
                + java.util.concurrent.ThreadLocalRandom.current().nextInt(5, 900));
        } }",
    );
    let (one, two) = (run(&printed, &[], &[], Vec::new()), run(&printed, &[], &[], Vec::new()));
    assert_eq!(said(&one), said(&two));
    assert!(one.trace.tables.inputs().is_empty());
}

#[test]
fn every_type_of_the_verifier_is_an_input() {
    let verifier = "package org.sosy_lab.sv_benchmarks;
        public final class Verifier {
            public static void assume(boolean c) { if (!c) Runtime.getRuntime().halt(1); }
            public static boolean nondetBoolean() { return false; } public static byte nondetByte() { return 0; }
            public static char nondetChar() { return 0; } public static short nondetShort() { return 0; }
            public static int nondetInt() { return 0; } public static long nondetLong() { return 0; }
            public static float nondetFloat() { return 0; } public static double nondetDouble() { return 0; }
            public static String nondetString() { return \"\"; }
        }";
    let built = java_files(&[
        ("org/sosy_lab/sv_benchmarks/Verifier.java", verifier),
        (
            "Main.java",
            "import org.sosy_lab.sv_benchmarks.Verifier;
            public class Main { public static void main(String[] a) {
                boolean z = Verifier.nondetBoolean(); byte b = Verifier.nondetByte(); char c = Verifier.nondetChar();
                short s = Verifier.nondetShort(); int i = Verifier.nondetInt(); long l = Verifier.nondetLong();
                Verifier.assume(i > 5);
                if (z && b == -1 && c == 65535 && s == -2 && i == 6 && l == Long.MIN_VALUE) System.exit(3);
                double d = Verifier.nondetDouble(); float f = Verifier.nondetFloat(); String t = Verifier.nondetString();
                if (d != 0 || f != 0 || !t.isEmpty()) System.exit(4);
            } }",
        ),
    ]);
    let value = |name: &str, width, value| InputValue { name: name.into(), nth: 0, width, value };
    let inputs = vec![
        value("nondet_bool", 1, 1),
        value("nondet_byte", 8, 0xff),
        value("nondet_char", 16, 0xffff),
        value("nondet_short", 16, 0xfffe),
        value("nondet_int", 32, 6),
        value("nondet_long", 64, 1 << 63),
    ];
    let given = run(&built, &[], &[], inputs);
    assert_eq!(given.end, End::Exited(3), "{:#?}", events(&given.trace));
    let six = vec![value("nondet_int", 32, 6)];
    assert_eq!(run(&built, &[], &[], six).end, End::Exited(0));
}

/// What was written to static fields, in order: the value and its expression.
fn written(run: &Run) -> Vec<(u128, Option<warpath_trace::ids::ExprId>)> {
    let data = run.trace.threads[0].iter().filter_map(|event| event.op.written());
    data.map(|(_, datum)| (datum.value, datum.expr)).collect()
}

/// An expression of one run says what another run has, if both take the same path.
#[test]
fn expressions_of_one_text_hold_for_others() {
    let built = java(
        "import java.util.*; import java.util.concurrent.*;
        public class Main {
            static int a, b, c, d, e, f, g, h, i; static long j; static char k; static boolean l, m;
            static void all(String s, String t) {
                a = s.hashCode(); b = s.compareTo(t); c = t.compareTo(s + t); d = s.indexOf('b'); e = (\"-\" + s).hashCode();
                f = s.substring(1).hashCode(); g = Integer.parseInt(t); h = Integer.valueOf(t) * 3; i = s.length();
                j = Long.parseLong(t) * 1000000007L; k = s.charAt(2); l = s.equals(\"abab\"); m = s.startsWith(\"ab\");
                l = s.endsWith(t); m = s.concat(t).equals(\"baba12\");
                a = new Random(1).nextInt(10); b = ThreadLocalRandom.current().nextInt(-5, 6);
            }
            public static void main(String[] x) throws Exception {
                Thread u = new Thread(() -> { a = b = c = d = e = f = g = h = i = 0; j = 0; k = 0; l = m = false; });
                u.start(); u.join();
                all(x[0], x[1]);
            }
        }",
    );
    let symbolic = [Source::Argument(1), Source::Argument(2), Source::Random];
    let given = |s: &str, t: &str, n: u128| {
        let mut inputs = text("arg:1", s);
        inputs.extend(text("arg:2", t));
        inputs.extend((0..2).map(|nth| InputValue { name: "rand".into(), nth, width: 32, value: n }));
        let run = run(&built, &["aaaa", "77"], &symbolic, inputs.clone());
        assert_eq!(run.end, End::Exited(0));
        (run, inputs)
    };
    let texts = [
        ("abab", "12", 3),
        ("baba", "+7", 0xffff_ffff),
        ("\u{ff21}b\u{1}z", "-9", 0x8000_0000),
        ("zzzz", "00", 11),
    ];
    let runs: Vec<_> = texts.iter().map(|&(s, t, n)| given(s, t, n)).collect();
    for (one, _) in &runs {
        let exprs = written(one);
        assert_eq!(exprs.iter().filter(|(_, expr)| expr.is_some()).count(), 16, "{:#?}", events(&one.trace));
        for (other, inputs) in &runs {
            let leaves = |leaf: warpath_trace::expr::Leaf| {
                let warpath_trace::expr::Leaf::Input(input) = leaf else { return None };
                let entry = &one.trace.tables.inputs()[input.index()];
                let name = one.trace.tables.text(entry.name);
                inputs
                    .iter()
                    .find(|input| input.name == name && input.nth == entry.nth)
                    .map(|input| input.value)
            };
            let mut evaluator = warpath_trace::expr::Evaluator::new(&one.trace.tables.exprs, leaves);
            for (n, ((_, expr), (found, _))) in exprs.iter().zip(written(other)).enumerate() {
                if let Some(expr) = *expr {
                    assert_eq!(evaluator.value(expr).ok(), Some(found), "the {n}th value, {inputs:?}");
                }
            }
        }
    }
}

#[test]
fn a_key_of_a_map_is_what_it_is() {
    let built = java(
        "import java.util.concurrent.*;
        public class Main {
            public static void main(String[] a) throws Exception {
                ConcurrentHashMap<String, Integer> map = new ConcurrentHashMap<>();
                Thread t = new Thread(() -> map.put(\"b\", 2)); t.start();
                Integer found = map.get(a[0]);
                t.join();
                System.exit(found == null ? 0 : found);
            }
        }",
    );
    let plain = run(&built, &["a"], &[Source::Argument(1)], Vec::new());
    has(&plain, "T0 concretise 97 ?arg:1 outside");
}
