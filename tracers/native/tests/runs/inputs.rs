//! Inputs of every kind: they become variables, and values given for them are what the program sees.

use warpath_native::run::{End, Plan, Policy, Run, RunOptions, Source};
use warpath_trace::event::{FailureKind, Op};
use warpath_trace::si::InputValue;

use crate::build::{Built, c, quiet};

fn value(name: &str, nth: u32, width: u8, value: u128) -> InputValue {
    InputValue { name: name.into(), nth, width, value }
}

fn run_with(built: &Built, arguments: &[&str], options: RunOptions) -> Run {
    let run = built.program(arguments).record(&Plan::by_policy(options, Policy::RunToBlock)).unwrap();
    run.trace.check().unwrap();
    run
}

/// The program fails exactly with these values, and without them its path has conditions on inputs.
fn fails_with(built: &Built, arguments: &[&str], symbolic: Vec<Source>, inputs: Vec<InputValue>) {
    let plain = run_with(built, arguments, RunOptions { symbolic: symbolic.clone(), ..quiet() });
    assert_eq!(plain.end, End::Exited(0));
    let branches =
        plain.trace.threads.iter().flatten().filter(|event| matches!(event.op, Op::Branch { .. })).count();
    assert!(branches > 0, "nothing of the path depends on inputs");
    let chosen = run_with(built, arguments, RunOptions { symbolic, inputs, ..quiet() });
    match chosen.end {
        End::Failed(failure) => assert_eq!(failure.kind, FailureKind::Assertion),
        end => {
            let events = chosen.trace.threads.iter().flatten();
            let seen: Vec<_> =
                events.filter(|event| matches!(event.op, Op::Input { .. })).map(|event| event.op).collect();
            panic!("{end:?} with {seen:?}");
        }
    }
}

#[test]
fn named_inputs() {
    let built = c("#include <warpath.h>\nint main(void) { short a, b; warpath_input(&a, sizeof a, \"a\");\n\
        warpath_input(&b, sizeof b, \"a\"); warpath_assume(b > 3); warpath_assert(a * b != 35); return 0; }");
    // Without values both are zero, so the assumption ends the run.
    let plain = built.run();
    assert!(matches!(plain.end, End::Stopped(_)), "{:?}", plain.end);
    let inputs = vec![value("a", 0, 16, 7), value("a", 1, 16, 5)];
    let run = run_with(&built, &[], RunOptions { inputs, ..quiet() });
    assert!(matches!(run.end, End::Failed(_)), "{:?}", run.end);
}

#[test]
fn intrinsics_of_the_competition_and_of_klee() {
    let built = c(
        "#include <assert.h>\nextern int __VERIFIER_nondet_int(void); extern _Bool __VERIFIER_nondet_bool(void);\n\
        void klee_make_symbolic(void *, unsigned long, const char *);\n\
        int main(void) { int x = __VERIFIER_nondet_int(); _Bool b = __VERIFIER_nondet_bool(); char k; klee_make_symbolic(&k, 1, \"k\");\n\
        if (b && x - 5 == 1000 && k == 'z') assert(0); return 0; }",
    );
    fails_with(
        &built,
        &[],
        vec![],
        vec![value("int", 0, 32, 1005), value("bool", 0, 1, 1), value("k", 0, 8, b'z'.into())],
    );
}

#[test]
fn arguments_and_environment() {
    let built = c("#include <assert.h>\n#include <string.h>\n#include <stdlib.h>\n\
        int main(int c, char **v) { assert(c == 3); if (strcmp(v[1], \"magic\") == 0) assert(atoi(v[2]) != 41); return 0; }");
    let letters = |name: &str, text: &str| -> Vec<InputValue> {
        text.bytes().zip(0..).map(|(byte, nth)| value(name, nth, 8, byte.into())).collect()
    };
    let inputs = [letters("arg:1", "magic"), letters("arg:2", "41")].concat();
    fails_with(&built, &["aaaaa", "00"], vec![Source::Argument(1), Source::Argument(2)], inputs);
}

#[test]
fn files_in_pieces_and_to_their_end() {
    let source = "#include <assert.h>\n#include <fcntl.h>\n#include <unistd.h>\n\
        int main(int c, char **v) { (void)c; int fd = open(v[1], O_RDONLY); unsigned char b[8] = {0}; long n = 0, r;\n\
        while ((r = read(fd, b + n, 3)) > 0) n += r; assert(n == 5); assert(read(fd, b, 1) == 0);\n\
        if (b[0] == 'x' && b[4] == 0xff) assert(b[2] == 'q'); return 0; }";
    let built = c(source);
    let file = built.folder().join("data");
    std::fs::write(&file, "abcde").unwrap();
    let name = file.to_str().unwrap();
    let symbolic = vec![Source::File { path: file.clone(), bytes: 64 }];
    let input = format!("file:{name}");
    fails_with(&built, &[name], symbolic, vec![value(&input, 0, 8, b'x'.into()), value(&input, 4, 8, 0xff)]);
}

#[test]
fn chance_and_time() {
    let built = c(
        "#include <assert.h>\n#include <stdlib.h>\nint main(void) { if (rand() == 77) assert(0); return 0; }",
    );
    fails_with(&built, &[], vec![Source::Random], vec![value("rand", 0, 32, 77)]);
    let built = c(
        "#include <assert.h>\n#include <time.h>\nint main(void) { struct timespec t; clock_gettime(CLOCK_REALTIME, &t);\n\
        if (t.tv_nsec == 5) assert(0); return 0; }",
    );
    let run = run_with(&built, &[], RunOptions { symbolic: vec![Source::Time], ..quiet() });
    assert_eq!(run.end, End::Exited(0));
    let inputs = run.trace.tables.inputs();
    assert!(!inputs.is_empty());
}

#[test]
fn the_c_library_works_on_symbolic_data() {
    let built = c("#include <warpath.h>\n#include <string.h>\n#include <stdlib.h>\n#include <assert.h>\n\
        int main(void) { char s[8]; warpath_input(s, 8, \"s\"); s[7] = 0; char t[8]; memcpy(t, s, 8); memmove(t + 1, t, 6);\n\
        if (strlen(s) == 3 && strtol(s, 0, 10) == 123 && memcmp(t, \"1123\", 4) == 0) assert(0); return 0; }");
    let bytes = u128::from(u64::from_le_bytes(*b"123\0zzzz"));
    fails_with(&built, &[], vec![], vec![value("s", 0, 64, bytes)]);
}
