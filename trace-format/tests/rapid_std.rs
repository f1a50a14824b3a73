//! RAPID STD files: what is imported is exported again, and an export says only what STD can say.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::path::Path;

use proptest::prelude::*;
use warpath_trace::event::Op;
use warpath_trace::header::{Outcome, Values};
use warpath_trace::rapid::{self, ImportError, Positions};
use warpath_trace::text;
use warpath_trace::trace::Trace;

fn export(trace: &Trace) -> (Vec<u8>, rapid::ExportReport) {
    let mut out = Vec::new();
    let report = rapid::export(trace, &mut out).unwrap();
    (out, report)
}

fn exported(text: &str) -> (String, rapid::ExportReport) {
    let (out, report) = export(&text::parse(text).unwrap());
    (String::from_utf8(out).unwrap(), report)
}

#[test]
fn the_sample_reads_and_writes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples/traces/example.std");
    let std = std::fs::read(path).unwrap();
    let trace = rapid::import(&std[..]).unwrap();
    assert_eq!(trace.len(), 15);
    assert_eq!(trace.header.values, Values::Pinned);
    assert_eq!(trace.footer.as_ref().unwrap().outcome, Outcome::Unknown);
    let (out, report) = export(&trace);
    assert_eq!(String::from_utf8(out).unwrap(), String::from_utf8(std).unwrap());
    assert_eq!((report.written, report.left_out.len(), report.positions), (15, 0, Positions::Lines));
}

#[test]
fn reads_have_the_version_of_the_last_write() {
    let trace = rapid::import(&b"A|r(x)|1\nA|w(x)|2\nB|w(x)|3\nA|r(x)|4\nA|r(y)|5\n"[..]).unwrap();
    let values = |thread: usize| -> Vec<u128> {
        let value = |op: &Op| op.read_value().or(op.written().map(|(_, datum)| datum.value));
        trace.threads[thread].iter().filter_map(|event| value(&event.op)).collect()
    };
    assert_eq!(values(0), [0, 1, 2, 0]);
    assert_eq!(values(1), [2]);
}

#[test]
fn threads_get_keys_by_who_forked_them() {
    let std = b"main|fork(a)|1\na|fork(b)|2\nstray|r(x)|3\nmain|fork(c)|4\n";
    let trace = rapid::import(&std[..]).unwrap();
    let tables = &trace.tables;
    let named: Vec<String> = tables
        .threads()
        .iter()
        .zip(tables.keys())
        .map(|(thread, key)| format!("{} {key}", tables.text(thread.name)))
        .collect();
    assert_eq!(named, ["main T0", "a T0.0", "b T0.0.0", "stray T0.1", "c T0.2"]);
}

#[test]
fn a_variable_and_a_lock_of_one_name_are_two_things() {
    let std = b"T|acq(x)|1\nT|w(x)|2\nT|rel(x)|3\n";
    let trace = rapid::import(&std[..]).unwrap();
    assert_eq!(trace.tables.locations().len(), 2);
    assert_eq!(export(&trace).0, std);
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    let cases = [
        (
            "T|r(x)|1\nnonsense\n",
            "line 2: `nonsense` has not the three fields thread|operation(operand)|position",
        ),
        ("T|r(x)|1|2\n", "line 1: `T|r(x)|1|2` has not the three fields thread|operation(operand)|position"),
        ("|r(x)|1\n", "line 1: the thread has no name; write one before the first `|`"),
        (
            "T|req(l)|1\n",
            "line 1: `req(l)` is not an operation; there are r(…), w(…), acq(…), rel(…), fork(…), join(…), begin and end",
        ),
        ("\n\nT|r(x)|m.c:3\n", "line 3: the position `m.c:3` is not a number of 32 bits"),
        (
            "T|r(x)|1\nU|fork(T)|1\n",
            "line 2: thread `T` is forked after it was seen; its events must come behind the fork",
        ),
    ];
    for (std, message) in cases {
        assert_eq!(rapid::import(std.as_bytes()).unwrap_err().to_string(), message);
    }
}

#[test]
fn an_endless_line_is_refused_without_being_kept() {
    let endless = std::io::Read::take(std::io::repeat(b'x'), 1 << 40);
    let error = rapid::import(endless).unwrap_err();
    assert!(matches!(error, ImportError::LongLine { line: 1, .. }), "{error}");
}

#[test]
fn carriage_returns_and_a_missing_last_newline_do_not_matter() {
    let trace = rapid::import(&b"T|r(x)|1\r\nT|w(x)|2"[..]).unwrap();
    assert_eq!(export(&trace).0, b"T|r(x)|1\nT|w(x)|2\n");
}

#[test]
fn what_std_cannot_say_is_counted() {
    let (std, report) = exported(
        "warpath-trace 1\n\
         global x 4 = 0\nglobal a 4 = 0\nsync l\nsync c\nsync rw\nsync w\ninput i 32\n\
         T0 begin\n\
         T0 fork T0.0 @m.c:1\n\
         T0.0 lock l @m.c:2\n\
         T0.0 r x $1=0 @m.c:3\n\
         T0.0 branch false (= $1 5:32) @m.c:3\n\
         T0.0 cond-wait c l @m.c:4\n\
         T0 lock try l @m.c:5\n\
         T0 lock try l busy @m.c:5\n\
         T0 signal c 1 @m.c:6\n\
         T0 unlock l @m.c:7\n\
         T0.0 cond-wake c l @m.c:4\n\
         T0.0 rmw a seqcst 0 -> 1 @m.c:8\n\
         T0.0 rdlock rw @m.c:9\n\
         T0.0 rdunlock rw @m.c:9\n\
         T0.0 wrlock w @m.c:10\n\
         T0.0 wrunlock w @m.c:10\n\
         T0.0 end\n\
         T0 join timed T0.0 timed-out @m.c:11\n\
         T0 join T0.0 @m.c:12\n\
         outcome exited 0\n",
    );
    assert_eq!(
        std,
        "T0|fork(T0.0)|1\n\
         T0.0|acq(l)|2\n\
         T0.0|r(x)|3\n\
         T0.0|rel(l)|4\n\
         T0|acq(l)|5\n\
         T0|rel(l)|7\n\
         T0.0|acq(l)|4\n\
         T0.0|acq(w)|10\n\
         T0.0|rel(w)|10\n\
         T0|join(T0.0)|12\n"
    );
    let left: Vec<(&str, u64)> = report.left_out.into_iter().collect();
    assert_eq!(
        left,
        [
            ("atomic access", 1),
            ("branch", 1),
            ("join that did not succeed", 1),
            ("lock that did not succeed", 1),
            ("read/write lock", 2),
            ("signal", 1),
            ("thread begin or end", 2),
        ]
    );
}

#[test]
fn names_that_std_cannot_hold_become_numbers() {
    let (std, report) = exported(
        "warpath-trace 1\n\
         global \"a b\" 4 = 0\nglobal x 4 = 0\nobject heap n 8\nlocation x %n+0:8\nlocation lo %n+4:4\n\
         thread T0 name \"m|n\"\n\
         T0 w \"a b\" 1 @m.c:1\nT0 w &1 1 @n.c:1\nT0 w &2 1\nT0 w lo 1\n",
    );
    assert_eq!(std, "T0|w(&0)|1\nT0|w(&1)|2\nT0|w(&2)|0\nT0|w(lo)|0\n");
    assert_eq!((report.positions, report.overlapping), (Positions::Numbers, 2));
}

/// Lines that RAPID accepts: names are arbitrary, threads are seen first at their fork or never forked.
fn std_file() -> impl Strategy<Value = String> {
    let operand = "[!-{}~]{1,6}";
    let thread = prop_oneof![Just("T0".to_owned()), Just("main thread".to_owned()), "[A-Za-z%$#@.]{1,3}"];
    let position = prop_oneof!["0|[1-9][0-9]{0,8}", "-[0-9]{1,3}", "0[0-9]{1,4}"];
    let verb = prop_oneof![Just("r"), Just("w"), Just("acq"), Just("rel"), Just("join")];
    let on = (verb, operand).prop_map(|(verb, operand)| format!("{verb}({operand})"));
    let mark = prop_oneof![Just("begin".to_owned()), Just("end".to_owned()), Just("end(a b)".to_owned())];
    let operation = prop_oneof![5 => on, 1 => mark];
    let line = (thread, operation, position).prop_map(|(t, op, at)| format!("{t}|{op}|{at}\n"));
    (prop::collection::vec(line, 0..60), 0usize..4).prop_map(|(lines, forks)| {
        let forks = (0..forks).map(|nth| format!("T0|fork(child.{nth})|{nth}\nchild.{nth}|r(x)|1\n"));
        forks.chain(lines).collect()
    })
}

proptest! {
    #[test]
    fn an_imported_file_is_exported_as_it_was(std in std_file()) {
        let trace = rapid::import(std.as_bytes()).unwrap();
        trace.check().unwrap();
        prop_assert_eq!(trace.len(), std.lines().count() as u64);
        prop_assert_eq!(String::from_utf8(export(&trace).0).unwrap(), std);
    }

    #[test]
    fn an_import_survives_the_text_form(std in std_file()) {
        let trace = rapid::import(std.as_bytes()).unwrap();
        let mut out = Vec::new();
        text::print(&trace, &mut out).unwrap();
        let back = text::parse(std::str::from_utf8(&out).unwrap()).unwrap();
        prop_assert_eq!(String::from_utf8(export(&back).0).unwrap(), std);
    }

    #[test]
    fn every_event_is_written_or_counted(trace in common::complete_trace()) {
        let (out, report) = export(&trace);
        let lines = out.iter().filter(|&&byte| byte == b'\n').count() as u64;
        prop_assert_eq!(lines, report.written);
        prop_assert_eq!(report.written + report.left_out.values().sum::<u64>(), trace.len());
        // What was written is STD, unless a thread seems to be forked late: keys and tickets say otherwise.
        match rapid::import(&out[..]) {
            Ok(back) => prop_assert_eq!(export(&back).0, out),
            Err(error) => prop_assert!(matches!(error, ImportError::LateFork { .. }), "{}", error),
        }
    }
}
