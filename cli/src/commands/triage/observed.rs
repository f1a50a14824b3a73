//! What a recorded run itself shows: that it failed, or that it hangs.

use std::collections::HashMap;

use warpath_trace::event::{Event, FailureKind, Op, WaitResult};
use warpath_trace::failed::Failed;
use warpath_trace::ids::{LocationId, ThreadIx};
use warpath_trace::si::{Expect, Expected, Si, Step, Visible};
use warpath_trace::trace::Trace;

use super::entry::{Class, Part};
use super::position::position;

/// So many steps at the end of a schedule are written out one by one; what comes before is a count for each thread.
const WRITTEN_OUT: usize = 2_000;

/// What a run ended with.
pub(super) struct Observed {
    pub(super) class: Class,
    /// In the words of predictions, so that both are one cause.
    pub(super) kind: String,
    pub(super) message: String,
    pub(super) parts: Vec<Part>,
    expect: Expect,
}

impl Observed {
    /// Of a run that failed, or that was ended while threads waited for each other.
    pub(super) fn of(trace: &Trace) -> Option<Observed> {
        let failed = trace.failed();
        match &failed {
            Some(failed) if matters(&failed.kind) && !is_waiting(&failed.kind) => {
                Some(Observed::failure(trace, failed))
            }
            Some(failed) if matters(&failed.kind) => Some(Observed::waiting(trace, Some(failed))),
            Some(_) => None,
            None => (!circle(trace).is_empty()).then(|| Observed::waiting(trace, None)),
        }
    }

    fn failure(trace: &Trace, failed: &Failed) -> Observed {
        let kind = match failed.kind {
            FailureKind::Assertion => "assertion-failure".to_owned(),
            FailureKind::Arithmetic => "division-by-zero".to_owned(),
            ref other => other.to_string(),
        };
        let thread = trace.tables.key(failed.thread).to_string();
        let said = if failed.message.is_empty() { String::new() } else { format!(": {}", failed.message) };
        let at = if failed.place.is_empty() { String::new() } else { format!(" at {}", failed.place) };
        let part = Part {
            position: position(&failed.place, "fails", &kind),
            place: failed.place.clone(),
            thread: thread.clone(),
            role: "fails".to_owned(),
        };
        Observed {
            class: Class::Crash,
            message: format!("{}{at}{said}", kind.replace('-', " ")),
            kind,
            parts: vec![part],
            expect: expect(trace, Some(failed)),
        }
    }

    fn waiting(trace: &Trace, failed: Option<&Failed>) -> Observed {
        let mut waits: Vec<Wait> = circle(trace);
        let is_livelock = failed.is_some_and(|failed| failed.kind == FailureKind::Livelock);
        if waits.is_empty() {
            waits = failed.map(|failed| without_help(trace, failed)).unwrap_or_default();
        }
        let parts: Vec<Part> = waits.iter().map(|wait| wait.part(trace)).collect();
        let threads: Vec<String> = parts.iter().map(|part| part.thread.clone()).collect();
        let places: Vec<String> = parts.iter().map(|part| part.place.clone()).collect();
        let kind = if is_livelock { "livelock" } else { "deadlock" };
        Observed {
            class: Class::Deadlock,
            kind: kind.to_owned(),
            message: match &parts[..] {
                [one] => format!("{kind}: {} waits for ever at {}", one.thread, one.place),
                _ => format!("{kind} of {}: {}", threads.join(", "), places.join(", ")),
            },
            parts,
            expect: expect(trace, failed),
        }
    }

    /// The schedule of the run: the last steps one by one, those before as counts, which say the same.
    pub(super) fn si(&self, trace: &Trace) -> anyhow::Result<Si> {
        let mut si = Si::of_run(trace)?;
        let counted = si.schedule.len().saturating_sub(WRITTEN_OUT);
        let mut steps: Vec<Step> = Vec::new();
        for step in si.schedule.drain(..counted) {
            match steps.last_mut() {
                Some(Step { thread, what: Visible::Any(count) }) if *thread == step.thread => *count += 1,
                _ => steps.push(Step { thread: step.thread, what: Visible::Any(1) }),
            }
        }
        steps.append(&mut si.schedule);
        si.schedule = steps;
        si.expect = self.expect.clone();
        Ok(si)
    }
}

fn expect(trace: &Trace, failed: Option<&Failed>) -> Expect {
    match failed {
        None => Expect { outcome: "deadlock".to_owned(), ..Expect::default() },
        Some(failed) => Expect {
            outcome: failed.kind.to_string(),
            thread: trace.tables.key(failed.thread).to_string(),
            place: failed.place.clone(),
            message: failed.message.clone(),
        },
    }
}

/// Nobody holds what the others want: threads that wait for something that never comes. Who waits for the end of one of
/// them only does so because of that.
fn without_help(trace: &Trace, failed: &Failed) -> Vec<Wait> {
    let waits = |thread: ThreadIx| failed.waits.iter().any(|wait| wait.thread == thread);
    let is_root = |thread: ThreadIx, event: u32| match trace.event(thread, event).map(|event| event.op) {
        Some(Op::Join { child, result: WaitResult::Pending, .. }) => !waits(child),
        _ => true,
    };
    let all = failed.waits.iter().filter(|wait| is_root(wait.thread, wait.event));
    all.map(|wait| Wait { thread: wait.thread, event: wait.event, on: None }).collect()
}

/// A run that was cut, or killed from outside, did not fail.
fn matters(kind: &FailureKind) -> bool {
    !matches!(kind, FailureKind::BoundReached | FailureKind::Killed(_))
}

fn is_waiting(kind: &FailureKind) -> bool {
    matches!(kind, FailureKind::Deadlock | FailureKind::Livelock)
}

/// A thread that waits: its last event, and for whom.
#[derive(Clone, Copy, Debug)]
struct Wait {
    thread: ThreadIx,
    event: u32,
    on: Option<ThreadIx>,
}

impl Wait {
    fn part(&self, trace: &Trace) -> Part {
        let tables = &trace.tables;
        let event = &trace.threads[self.thread.index()][self.event as usize];
        let what = Expected::of(tables, &trace.threads[self.thread.index()], event);
        let object = what.location.clone().unwrap_or_default();
        let role = match (self.on, event.op) {
            (Some(on), Op::Join { .. }) => format!("waits for the end of {}", tables.key(on)),
            (Some(on), _) => format!("waits for {object}, which {} has", tables.key(on)),
            (None, _) if object.is_empty() => format!("waits ({})", Expected { place: None, ..what }),
            (None, _) => format!("waits for {object}, and nobody is left to help"),
        };
        let place = tables.source_name(event.at);
        Part {
            position: position(&place, "waits for", &object),
            place,
            thread: tables.key(self.thread).to_string(),
            role,
        }
    }
}

/// Threads whose last event is a wait for what the next one has.
fn circle(trace: &Trace) -> Vec<Wait> {
    let holders = holders(trace);
    let waits: HashMap<ThreadIx, Wait> = trace
        .threads
        .iter()
        .enumerate()
        .filter_map(|(thread, events)| {
            let thread = ThreadIx::from(thread);
            let last = events.iter().rposition(|event| !matches!(event.op, Op::Failure { .. }))?;
            let on = waited_for(&events[last], &holders)?;
            Some((thread, Wait { thread, event: last as u32, on: Some(on) }))
        })
        .collect();
    let mut starts: Vec<ThreadIx> = waits.keys().copied().collect();
    starts.sort_unstable();
    for start in starts {
        let mut path: Vec<Wait> = Vec::new();
        let mut current = waits.get(&start);
        while let Some(wait) = current {
            if let Some(begin) = path.iter().position(|known| known.thread == wait.thread) {
                return path.split_off(begin);
            }
            path.push(*wait);
            current = wait.on.and_then(|on| waits.get(&on));
        }
    }
    Vec::new()
}

fn waited_for(event: &Event, holders: &HashMap<LocationId, ThreadIx>) -> Option<ThreadIx> {
    match event.op {
        Op::Lock { mutex: object, result: WaitResult::Pending, .. }
        | Op::RwLock { lock: object, result: WaitResult::Pending, .. } => holders.get(&object).copied(),
        Op::Join { child, result: WaitResult::Pending, .. } => Some(child),
        _ => None,
    }
}

/// Who holds which lock at the end; of several readers, one.
fn holders(trace: &Trace) -> HashMap<LocationId, ThreadIx> {
    let mut held: HashMap<LocationId, Vec<ThreadIx>> = HashMap::new();
    for (thread, _, event) in trace.in_order().into_iter().flatten() {
        match event.op {
            Op::Lock { mutex: object, result: WaitResult::Done, .. }
            | Op::RwLock { lock: object, result: WaitResult::Done, .. }
            | Op::CondWake { mutex: object, result: WaitResult::Done, .. } => {
                held.entry(object).or_default().push(thread);
            }
            Op::Unlock { mutex: object, result: WaitResult::Done }
            | Op::RwUnlock { lock: object, result: WaitResult::Done, .. }
            | Op::CondWait { mutex: object, .. } => {
                let holders = held.entry(object).or_default();
                if let Some(at) = holders.iter().rposition(|holder| *holder == thread) {
                    holders.remove(at);
                }
            }
            _ => {}
        }
    }
    held.into_iter().filter_map(|(object, holders)| Some((object, *holders.last()?))).collect()
}
