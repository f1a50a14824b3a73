//! Rust panics show where the program's own source lets them begin.

use warpath_native::run::{End, Policy};
use warpath_trace::event::FailureKind;

use crate::build::{quiet, rust};

/// How a program fails: the kind, the function and line, and the message.
#[track_caller]
fn fails_built(source: &str, options: &[&str]) -> (FailureKind, String, u32, String) {
    let run = rust(source, options).record(quiet(), Policy::RunToBlock);
    let End::Failed(failure) = run.end else { panic!("it ends with {:?}", run.end) };
    let failed = run.trace.failed().unwrap();
    let event = run.trace.event(failed.thread, failed.event).unwrap();
    let source = &run.trace.tables.sources()[event.at.index()];
    let function = run.trace.tables.text(source.function).into_owned();
    (failure.kind, function, source.line, failure.message)
}

#[track_caller]
fn fails(source: &str) -> (FailureKind, String, u32, String) {
    fails_built(source, &["-C", "opt-level=1"])
}

#[track_caller]
fn expect(found: &(FailureKind, String, u32, String), function: &str, line: u32) {
    assert_eq!((found.0, found.1.as_str(), found.2), (FailureKind::Panic, function, line), "{}", found.3);
}

#[test]
fn in_the_initial_thread() {
    let source = "fn main() {\n    let n = std::env::args().count();\n    assert_eq!(n, 7);\n}\n";
    for options in [["-C", "opt-level=0"], ["-C", "opt-level=1"], ["-C", "opt-level=3"]] {
        expect(&fails_built(source, &options), "program::main", 3);
    }
}

#[test]
fn in_a_library_that_the_program_calls() {
    let found = fails(
        "#[inline(never)]\nfn pick(v: &[u32], n: usize) -> u32 {\n    v[n]\n}\n\
         fn main() {\n    println!(\"{}\", pick(&[1, 2], std::env::args().count() + 1));\n}\n",
    );
    expect(&found, "program::pick", 3);
    let found = fails(
        "#[inline(never)]\nfn parse(text: &str) -> u32 {\n    text.parse().unwrap()\n}\n\
         fn main() {\n    println!(\"{}\", parse(\"x\"));\n}\n",
    );
    expect(&found, "program::parse", 3);
}

#[test]
fn who_joins_a_thread_that_panicked_fails_because_of_it() {
    let found = fails(
        "#[inline(never)]\nfn work(n: usize) {\n    assert!(n > 1, \"too few\");\n}\n\
         fn main() {\n    let n = std::env::args().count();\n    std::thread::spawn(move || work(n)).join().unwrap();\n}\n",
    );
    expect(&found, "program::work", 3);
    assert!(found.3.ends_with(", of T0.0"), "{}", found.3);
}

#[test]
fn a_panic_that_was_caught_is_not_the_one_that_ends_the_thread() {
    let found = fails(
        "fn main() {\n    let n = std::env::args().count();\n    \
         let first = std::panic::catch_unwind(|| assert_eq!(n, 2));\n    \
         assert!(first.is_ok(), \"as it should be\");\n}\n",
    );
    expect(&found, "program::main", 4);
}

#[test]
fn what_goes_wrong_while_a_panic_unwinds_is_its_consequence() {
    let found = fails(
        "struct Bad;\nimpl Drop for Bad {\n    fn drop(&mut self) {\n        panic!(\"again\");\n    }\n}\n\
         fn main() {\n    let _bad = Bad;\n    panic!(\"first\");\n}\n",
    );
    expect(&found, "program::main", 9);
}

#[test]
fn panics_that_abort() {
    let found = fails(
        "#[inline(never)]\nextern \"C\" fn called(n: usize) {\n    assert!(n == 2);\n}\n\
         fn main() {\n    called(std::env::args().count());\n}\n",
    );
    expect(&found, "program::called", 3);
    let source = "fn main() {\n    let n = std::env::args().count();\n    assert!(n == 2);\n}\n";
    expect(&fails_built(source, &["-C", "panic=abort"]), "program::main", 3);
}

#[test]
fn panics_that_somebody_deals_with_are_no_failure() {
    let source = "fn main() {\n    let n = std::env::args().count();\n    \
                  assert!(std::thread::spawn(move || assert_eq!(n, 2)).join().is_err());\n    \
                  assert!(std::panic::catch_unwind(|| assert_eq!(n, 2)).is_err());\n}\n";
    assert_eq!(rust(source, &["-C", "opt-level=1"]).run().end, End::Exited(0));
}

#[test]
fn without_debug_information_names_tell() {
    let source = "#[inline(never)]\nfn pick(v: &[u32], n: usize) -> u32 {\n    v[n]\n}\n\
                  fn main() {\n    println!(\"{}\", pick(&[1, 2], std::env::args().count() + 1));\n}\n";
    let found = fails_built(source, &["-C", "strip=debuginfo"]);
    assert_eq!((found.0, found.1.as_str()), (FailureKind::Panic, "program::pick"));
}
