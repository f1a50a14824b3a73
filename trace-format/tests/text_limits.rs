//! Texts of unusual shape: as deep, as wide and as long as they like, on a small stack.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fmt::Write;

use warpath_trace::event::{Event, Op};
use warpath_trace::expr::{BinaryOp, Node};
use warpath_trace::header::{Header, Outcome};
use warpath_trace::ids::{InputId, SourceId, StringId};
use warpath_trace::place::Input;
use warpath_trace::text;
use warpath_trace::thread::Thread;
use warpath_trace::trace::Trace;

fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(256 << 10).spawn(work).unwrap().join().unwrap();
}

/// A trace of one branch on a condition that `build` makes of an input of 32 bits.
fn branch_on(build: impl FnOnce(&mut Trace) -> warpath_trace::ids::ExprId) -> Trace {
    let mut trace = Trace::new(Header::default());
    let thread = Thread { parent: None, start: StringId::EMPTY, argument: None, name: StringId::EMPTY };
    let thread = trace.add_thread(thread).unwrap();
    let name = trace.tables.string("i").unwrap();
    trace.tables.input(Input { name, nth: 0, width: 32 }).unwrap();
    let value = build(&mut trace);
    let zero = trace.tables.exprs.constant(32, 0).unwrap();
    let condition = trace.tables.exprs.intern(Node::Binary(BinaryOp::Eq, value, zero)).unwrap();
    let op = Op::Branch { condition, taken: true };
    trace.push(thread, Event { op, at: SourceId::UNKNOWN }).unwrap();
    trace.finish(Outcome::Exited(0));
    trace
}

fn round_trip(trace: &Trace) -> String {
    let mut out = Vec::new();
    text::print(trace, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert_eq!(text::parse(&text).unwrap(), trace.canonical().unwrap());
    text
}

#[test]
fn an_expression_a_million_deep_goes_through() {
    on_a_small_stack(|| {
        let trace = branch_on(|trace| {
            let pool = &mut trace.tables.exprs;
            let input = pool.input(InputId(0), 32).unwrap();
            let three = pool.constant(32, 3).unwrap();
            (0..1_000_000u32).fold(input, |deep, link| {
                let op = if link % 2 == 0 { BinaryOp::Add } else { BinaryOp::BvXor };
                pool.intern(Node::Binary(op, deep, three)).unwrap()
            })
        });
        let text = round_trip(&trace);
        assert!(!text.contains("$e"), "nothing is used twice");
    });
}

/// `x + x`, doubled a thousand times: a tree of 2^1000 nodes, a graph of a thousand.
#[test]
fn a_shared_graph_is_written_in_the_size_of_the_graph() {
    let trace = branch_on(|trace| {
        let pool = &mut trace.tables.exprs;
        let input = pool.input(InputId(0), 32).unwrap();
        (0..1000).fold(input, |half, _| pool.intern(Node::Binary(BinaryOp::Add, half, half)).unwrap())
    });
    let text = round_trip(&trace);
    assert!(text.len() < 40_000, "{} bytes", text.len());
}

#[test]
fn a_million_open_parentheses_are_an_error() {
    on_a_small_stack(|| {
        let mut text = "warpath-trace 1\nT0 branch true ".to_owned();
        text.extend(std::iter::repeat_n("(not ", 1_000_000));
        let error = text::parse(&text).unwrap_err();
        assert_eq!((error.line, error.column), (2, 16 + 5 * 1_000_000));
    });
}

#[test]
fn a_hundred_thousand_names_are_found_and_missed_quickly() {
    let mut text = "warpath-trace 1\n".to_owned();
    for index in 0..100_000 {
        writeln!(text, "global v{index} 4 = 0").unwrap();
    }
    for index in 0..100_000 {
        writeln!(text, "T0 r v{index} $r{index}=0").unwrap();
        writeln!(text, "T0 branch true (= $r{index} 0:32)").unwrap();
    }
    assert_eq!(text::parse(&text).unwrap().len(), 200_000);
    text.push_str("T0 r v99999x 0\n");
    let error = text::parse(&text).unwrap_err();
    assert!(error.to_string().contains("there is no location `v99999x`; did you mean"), "{error}");
}
