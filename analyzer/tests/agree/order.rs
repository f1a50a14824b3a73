//! Candidates for order violations, read off a single trace by the definition: a read of bytes that one other
//! thread alone writes, that came after such a write, and on which no branch or switch depends.

use std::collections::{BTreeMap, BTreeSet};

use warpath_trace::event::Op;
use warpath_trace::expr::{Evaluator, Leaf};
use warpath_trace::ids::{ExprId, LocationId, ThreadIx};
use warpath_trace::trace::Trace;

use crate::oracle::rng::Rng;

/// What is known of a statement that reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Candidate {
    /// It is one.
    Yes,
    /// It is executed several times, or it is not clear whether a branch depends on it.
    Maybe,
}

/// Statements that read, if they are candidates.
pub fn candidates(trace: &Trace) -> BTreeMap<u32, Candidate> {
    let steps: Vec<_> = trace.in_order().expect("the oracle records a total order").collect();
    let range = |location: LocationId| {
        let place = &trace.tables.locations()[location.index()];
        (place.object, place.offset, place.offset + u64::from(place.size))
    };
    let overlap = |a: LocationId, b: LocationId| {
        let ((a, a_from, a_to), (b, b_from, b_to)) = (range(a), range(b));
        a == b && a_from < b_to && b_from < a_to
    };
    let splits = |a: LocationId, b: LocationId| {
        let ((_, a_from, a_to), (_, b_from, b_to)) = (range(a), range(b));
        overlap(a, b) && (a_from > b_from || a_to < b_to)
    };
    let accessed: Vec<LocationId> = steps
        .iter()
        .filter_map(|(.., event)| event.op.read_location().or(event.op.written().map(|(place, _)| place)))
        .collect();
    let mut found: BTreeMap<u32, Candidate> = BTreeMap::new();
    let mut executed: BTreeMap<u32, usize> = BTreeMap::new();
    for (moment, &(thread, index, event)) in steps.iter().enumerate() {
        let (Op::Read { location, .. } | Op::AtomicRead { location, .. }) = event.op else { continue };
        let line = trace.tables.source_name(event.at);
        let line: u32 = line.rsplit(':').next().and_then(|line| line.parse().ok()).expect("reads have lines");
        *executed.entry(line).or_default() += 1;
        let writes = |(_, _, event): &&(ThreadIx, u32, &warpath_trace::event::Event)| {
            event.op.written().is_some_and(|(written, _)| overlap(written, location))
        };
        let writers: BTreeSet<ThreadIx> = steps.iter().filter(writes).map(|&(thread, ..)| thread).collect();
        let whole = !accessed.iter().any(|&other| splits(other, location));
        let alone = writers.len() == 1 && !writers.contains(&thread);
        if !whole || !alone || !steps[..moment].iter().any(|step| writes(&step)) {
            continue;
        }
        match guarded(trace, thread, index) {
            Some(true) => {}
            Some(false) => {
                found.entry(line).or_insert(Candidate::Yes);
            }
            None => {
                found.insert(line, Candidate::Maybe);
            }
        }
    }
    for (line, candidate) in &mut found {
        if executed[line] > 1 {
            *candidate = Candidate::Maybe;
        }
    }
    found
}

/// Does a branch or switch of the thread depend on what the event read? `None` if it mentions it, but no other
/// value was found that makes a difference.
fn guarded(trace: &Trace, thread: ThreadIx, read: u32) -> Option<bool> {
    let mut guarded = Some(false);
    for event in &trace.threads[thread.index()] {
        let (Op::Branch { condition: expr, .. } | Op::Switch { on: expr, .. }) = event.op else { continue };
        if !mentions(trace, expr, Leaf::Read(thread, read)) {
            continue;
        }
        if matters(trace, expr, Leaf::Read(thread, read)) {
            return Some(true);
        }
        guarded = None;
    }
    guarded
}

fn mentions(trace: &Trace, root: ExprId, leaf: Leaf) -> bool {
    let node = trace.tables.exprs.node(root);
    node.leaf() == Some(leaf) || node.operands().any(|operand| mentions(trace, operand, leaf))
}

/// Is there an assignment under which another value of the leaf gives another value of the expression?
fn matters(trace: &Trace, root: ExprId, leaf: Leaf) -> bool {
    let mut rng = Rng::new(1);
    (0..200).any(|_| {
        let seed = rng.below(1 << 30);
        let value = |ours: u128| {
            let find = |other: Leaf| {
                let number = match other {
                    other if other == leaf => return Some(ours),
                    Leaf::Read(thread, event) => thread.index() * 64 + event as usize,
                    Leaf::Input(input) => 4096 + input.index(),
                };
                // Small values meet the constants of programs.
                Some((Rng::new((seed + number) as u64).below(6)) as u128)
            };
            Evaluator::new(&trace.tables.exprs, find).value(root).ok()
        };
        let values: BTreeSet<Option<u128>> = (0..=255).map(value).collect();
        values.len() > 1
    })
}
