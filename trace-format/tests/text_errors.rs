//! Errors of the text form: where, what, and what to do.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use proptest::prelude::*;
use warpath_trace::text::{self, Problem};

/// A text with one wrong line behind a good beginning, and the message it gives.
fn error(line: &str) -> String {
    let text = format!(
        "warpath-trace 1\nglobal x 4 = 0\nglobal table 8\nsync l\ninput i 32\n\
         object heap node 24\nlocation node.next %node+8:8\nlocation big %node+0:24\n\
         T0 r x $1=0\nT0 w x $w=1\nT0 fork T0.0\nT0.0 r x $2=1\n{line}\n"
    );
    let error = text::parse(&text).expect_err(line);
    assert_eq!(error.line, 13, "{line}: {error}");
    format!("{}: {}", error.column, error.problem)
}

#[test]
fn each_error_names_its_place_and_what_to_do() {
    let cases = [
        ("T0 w z 5", "6: there is no location `z`; did you mean `l` or `x`?"),
        ("T0 w tabel 5", "6: there is no location `tabel`; did you mean `table`?"),
        (
            "T0 w somewhere 5",
            "6: there is no location `somewhere`; declare it with `global`, `sync` or `location`",
        ),
        ("T0 w &9 5", "6: there is no location `&9`; 5 are declared before this line, counted from 0"),
        ("T0 free %nod", "9: there is no object `%nod`; did you mean `%node`?"),
        ("T0 w x 4294967296", "8: the value 4294967296 does not fit 32 bits"),
        ("T0 w x -2147483649", "8: the value -2147483649 does not fit 32 bits"),
        ("T0 w l 5", "6: location `l` has 0 bytes; only 1 to 16 can be read or written at once"),
        ("T0 r big 5", "6: location `big` has 24 bytes; only 1 to 16 can be read or written at once"),
        ("T0 w x", "7: expected a value, found the end of the line"),
        ("T0 w x # nothing", "8: expected a value, found the end of the line"),
        ("T0 w x 5 6", "10: expected the end of the line, found `6`"),
        ("T0 jump x", "4: expected an operation such as `r`, `w`, `lock` or `branch`, found `jump`"),
        ("nonsense", "1: expected a thread key such as `T0.1`, or a word such as `global`, found `nonsense`"),
        (
            "T0.7 begin",
            "1: there is no thread `T0.7`; declare it with `thread T0.7`, or let its parent `fork T0.7` before",
        ),
        (
            "T0 join T0.7",
            "9: there is no thread `T0.7`; declare it with `thread T0.7`, or let its parent `fork T0.7` before",
        ),
        ("T1 begin", "1: expected a thread key: `T0`, or `T0.1` for the second thread it forked, found `T1`"),
        ("thread T0.0", "8: two threads have the key T0.0"),
        ("T0 branch true (= $1 5:8)", "17: Eq cannot take 8 bits where it needs 32 bits"),
        ("T0 branch true (add $1 $1)", "16: this expression is 32 bits, but a Boolean is needed here"),
        ("T0 w x 5 := true", "13: this expression is a Boolean, but 32 bits is needed here"),
        ("T0 branch maybe true", "11: expected `true` or `false`, found `maybe`"),
        ("T0 branch true (plus $1 $1)", "17: there is no operator `plus`; docs/trace-text.md has the list"),
        (
            "T0 branch true (= $1)",
            "21: expected an expression: `(`, a constant such as `5:32`, `?input` or `$name`, found `)`",
        ),
        ("T0 branch true (= $1 5:32", "26: expected `)`, found the end of the line"),
        (
            "T0 branch true (= $1 5)",
            "23: expected `:` and the width of the constant, as in `5:32`, found `)`",
        ),
        ("T0 branch true (= $1 5:0)", "22: the value 5:0 does not fit 0 bits"),
        ("T0 switch 0 0:0", "13: a bit-vector of 0 bits; 1 to 128 are possible"),
        (
            "T0 branch true (= $9 5:32)",
            "19: there is no value `$9`; a read is named where it happens, as in `r x $1=5`, and a sub-expression where it first occurs",
        ),
        (
            "T0 branch true (= $2 5:32)",
            "19: `$2` is a value read by another thread, but a value of this thread is needed here",
        ),
        ("T0 branch true (= $w 5:32)", "19: `$w` is a write, but a value of this thread is needed here"),
        ("T0 commit $1", "11: `$1` is a read, but a write of this thread is needed here"),
        ("T0 r x $1=5", "8: `$1` has a meaning already; give this one another name"),
        ("T0 w x 5 ^3", "10: `^3` is a ticket; it needs the header line `order tickets`"),
        ("T0 w x 5 @m.c:x", "14: expected the end of the line, found `:x`"),
        (
            "T0 output 1 \"open",
            "13: expected a string between quotes, closed on the same line, found `\"open`",
        ),
        (
            "T0 output 1 \"\\q\"",
            "13: expected a string between quotes, closed on the same line, found `\"\\q\"`",
        ),
        ("T0 input k 5", "10: there is no input `k`; did you mean `i`?"),
        (
            "T0 fence strong",
            "10: expected `relaxed`, `acquire`, `release`, `acqrel`, `seqcst` or `volatile`, found `strong`",
        ),
        ("model tso", "1: `model` belongs to the header, before the first thread, object or event"),
        ("approximated \"x\" 1", "1: `approximated` belongs behind the `outcome` line"),
        ("input k 129", "7: input 1 has 129 bits; 1 to 128 are possible"),
        ("location y %node+0:4 = 4294967296", "24: the value 4294967296 does not fit 32 bits"),
        (
            "outcome failed boom",
            "16: expected `assertion`, `abort`, `segfault`, `null-dereference`, `bus`, `arithmetic`, `illegal-instruction`, `out-of-bounds`, `use-after-free`, `double-free`, `invalid-free`, `deadlock`, `livelock`, `unlock-not-held`, `uncaught-exception`, `panic`, `bound-reached`, `other`, `exit` or `killed`, found `boom`",
        ),
    ];
    let found = cases.map(|(line, _)| format!("{line}\n    {}", error(line)));
    let wanted = cases.map(|(line, message)| format!("{line}\n    {message}"));
    assert_eq!(found.join("\n"), wanted.join("\n"));
}

#[test]
fn names_that_several_things_have_are_refused() {
    let text = "warpath-trace 1\nglobal x 4\nglobal x 4\nT0 w x 5\n";
    let error = text::parse(text).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 4, column 6: more than one location is called `x`; write `&` with its number instead"
    );
    assert!(text::parse("warpath-trace 1\nglobal x 4\nglobal x 4\nT0 w &1 5\n").is_ok());
}

#[test]
fn a_text_must_begin_as_a_trace() {
    let message = |text| text::parse(text).unwrap_err().to_string();
    let begin = "expected `warpath-trace 1`, with which every text trace begins";
    assert_eq!(message(""), format!("line 1, column 1: {begin}, found the end of the line"));
    assert_eq!(
        message("# only a comment\n"),
        format!("line 1, column 1: {begin}, found the end of the line")
    );
    assert_eq!(message("\n  T0 begin\n"), format!("line 2, column 3: {begin}, found `T0`"));
    assert_eq!(
        message("warpath-trace 2\n"),
        "line 1, column 15: this is version 2 of the text form; this program reads version 1"
    );
}

#[test]
fn nothing_but_approximations_follows_the_outcome() {
    let late = text::parse("warpath-trace 1\nT0 begin\noutcome stopped\nT0 end\n").unwrap_err();
    assert_eq!(late.to_string(), "line 4, column 1: `T0` comes too late: the `outcome` line ends the trace");
    let twice = text::parse("warpath-trace 1\noutcome stopped\noutcome stopped\n").unwrap_err();
    assert_eq!(twice.to_string(), "line 3, column 1: `outcome` is there already; a run ends once");
}

/// What only the check of the whole trace finds still has the line of its event.
#[test]
fn an_inconsistency_has_the_line_of_its_event() {
    let text = "warpath-trace 1\nglobal x 4\nT0 r x $1=5\nT0 branch true $e=(= $1 5:32)\nT0 fork T0.0\n\
                T0.0 begin\nT0.0 branch true $e # of another thread\nT0.0 end\n";
    let error = text::parse(text).unwrap_err();
    assert_eq!((error.line, error.column), (7, 1));
    assert!(matches!(error.problem, Problem::Inconsistent(_)), "{error}");
}

#[test]
fn columns_count_characters() {
    let error = text::parse("warpath-trace 1\nglobal \"größe→\" 4 oops\n").unwrap_err();
    assert_eq!((error.line, error.column), (2, 19));
}

#[test]
fn hand_written_convenience_means_what_it_says() {
    let short = "warpath-trace 1\nglobal x 4 = -1 # comment\r\n\n  T0\tw x -1:=(neg 1:32)@m.c:3\nT0 fork T0.0\n\
                 T0.0 lock block \"x\" done\noutcome exited -1";
    let long = "warpath-trace 1\nthread T0\nthread T0.0\nobject global x 4\nlocation x %0+0:4 = 0xffffffff\n\
                T0 w &0 4294967295 := (neg 0x1:32) @m.c:3\nT0 fork T0.0\nT0.0 lock x\noutcome exited -1\n";
    assert_eq!(text::parse(short).unwrap(), text::parse(long).unwrap());
}

const PIECES: &[&str] = &[
    "T0",
    "T0.0",
    "w",
    "r",
    "rmw",
    "x",
    "l",
    "5",
    "$1",
    "$1=5",
    ":=",
    "(",
    ")",
    "(=",
    "(add",
    "5:32",
    "?i",
    "branch",
    "true",
    "seqcst",
    "->",
    "\n",
    "\n",
    "\nT0 ",
    "lock",
    "try",
    "\"",
    "\\",
    "@m.c:1",
    "^7",
    "fork",
    "outcome",
    "exited",
    "global",
    "thread",
    "location",
    "%0+0:4",
    "&0",
    "=",
    "#",
    "order",
    "tickets",
    "\u{2028}",
    "é",
    "-",
    "0x",
    "extract",
    "999999999999999999999999999999999999999999",
    "commit",
    "futex-wait",
    "expected",
    "queued",
    "input",
    "assert",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// Whatever the text, the answer is a trace that prints or an error within the text.
    #[test]
    fn no_text_makes_the_parser_fail_otherwise(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..60),
        blanks in prop::collection::vec(any::<bool>(), 60),
    ) {
        let mut text = "warpath-trace 1\nglobal x 4 = 0\nsync l\ninput i 32\nT0 ".to_owned();
        for (piece, blank) in pieces.iter().zip(blanks) {
            text.push_str(piece);
            if blank {
                text.push(' ');
            }
        }
        match text::parse(&text) {
            Ok(trace) => text::print(&trace, &mut std::io::sink()).unwrap(),
            Err(error) => {
                let line = text.split('\n').nth(error.line - 1).expect("the line exists");
                prop_assert!(error.column <= line.chars().count() + 1, "{}", error);
            }
        }
    }
}
