//! Text and back without loss, for any consistent trace.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use warpath_trace::text;
use warpath_trace::trace::Trace;

fn print(trace: &Trace) -> String {
    let mut out = Vec::new();
    text::print(trace, &mut out).expect("a consistent trace can be printed");
    String::from_utf8(out).expect("the text form is UTF-8")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn text_reads_back_as_the_canonical_trace(trace in common::trace()) {
        let text = print(&trace);
        let canonical = trace.canonical().expect("a consistent trace has a canonical form");
        match text::parse(&text) {
            Ok(parsed) => prop_assert_eq!(parsed, canonical, "{}", text),
            Err(error) => prop_assert!(false, "{error}\n{text}"),
        }
    }

    #[test]
    fn printing_what_was_parsed_is_a_fixed_point(trace in common::trace()) {
        let once = print(&text::parse(&print(&trace)).unwrap());
        let twice = print(&text::parse(&once).unwrap());
        prop_assert_eq!(once, twice);
    }

    #[test]
    fn one_clean_line_per_event(trace in common::trace()) {
        let text = print(&trace);
        let events = text.lines().filter(|line| line.starts_with('T')).count();
        prop_assert_eq!(events as u64, trace.len());
        prop_assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{:?}", text);
    }
}

/// The name of an enum's variant, as `Debug` writes it.
fn variant(value: &impl std::fmt::Debug) -> String {
    let text = format!("{value:?}");
    text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned()
}

#[test]
fn the_generator_makes_every_operation() {
    let mut runner = TestRunner::deterministic();
    let mut seen = BTreeSet::new();
    let (mut cut, mut tickets, mut symbolic) = (0, 0, 0);
    for _ in 0..300 {
        let trace = common::trace().new_tree(&mut runner).unwrap().current();
        seen.extend(trace.threads.iter().flatten().map(|event| variant(&event.op)));
        cut += u32::from(trace.footer.is_none());
        tickets += u32::from(matches!(trace.order, warpath_trace::order::Order::Tickets(_)));
        symbolic += u32::from(trace.tables.exprs.len() > 20);
        trace.in_order().map(Iterator::count).expect("tickets of generated traces fit");
    }
    let wanted = "Read Write AtomicRead AtomicWrite Rmw Fence Commit Begin End Fork Join Detach SyncInit \
        SyncDestroy Lock Unlock RwLock RwUnlock CondWait CondWake Signal Broadcast SemWait SemPost SemValue \
        BarrierArrive BarrierLeave Once FutexWait FutexResume FutexWake FutexRequeue AtomicBegin AtomicEnd \
        Await Branch Switch Concretise Assume Assert Input Alloc Free Output Failure";
    let wanted: BTreeSet<String> = wanted.split_whitespace().map(str::to_owned).collect();
    assert_eq!(seen, wanted);
    assert!(cut > 20 && tickets > 20 && symbolic > 20, "{cut} cut, {tickets} tickets, {symbolic} symbolic");
}
