//! How a window begins: the part of the run's state that its events can depend on.

use std::collections::BTreeSet;
use std::ops::Range;

use warpath_trace::event::{Op, Ref, SyncKind};
use warpath_trace::ids::{LocationId, ThreadIx};

use super::cut::{Cut, Window};
use super::recorded::Recorded;
use super::state::{Settled, State, Stored, Unflushed};

/// A window and its start.
#[derive(Debug)]
pub(super) struct Start {
    pub(super) window: Window,
    /// Events that are still under way or whose effect counts, ascending by position.
    pub(super) settled: Vec<Settled>,
    /// The threads that take part, ascending, with the nodes that each has had and the event in which it waits for
    /// ever, if the window begins behind it.
    pub(super) threads: Vec<(ThreadIx, u32, Option<u32>)>,
    /// What the locations hold that the window accesses.
    pub(super) storage: Vec<(LocationId, Stored)>,
    /// What the synchronisation objects were made as that the window uses.
    pub(super) kinds: Vec<(LocationId, Vec<SyncKind>)>,
    /// Writes that are flushed at the start.
    pub(super) unflushed: Vec<Unflushed>,
}

/// What the events of a window speak of.
#[derive(Debug, Default)]
struct Mentioned {
    threads: BTreeSet<ThreadIx>,
    data: BTreeSet<LocationId>,
    sync: BTreeSet<LocationId>,
}

impl Mentioned {
    fn op(&mut self, op: Op) {
        let mut event = warpath_trace::event::Event { op, at: warpath_trace::ids::SourceId::UNKNOWN };
        let visited = event.try_refs(|reference| {
            match reference {
                Ref::Thread(id) => {
                    self.threads.insert(*id);
                }
                // The word of a futex is both.
                Ref::Data(id) => {
                    self.data.insert(*id);
                    self.sync.insert(*id);
                }
                Ref::Sync(id) => {
                    self.sync.insert(*id);
                }
                _ => {}
            }
            Ok::<(), std::convert::Infallible>(())
        });
        visited.unwrap_or_else(|never| match never {});
    }
}

/// The starts of all windows, one after the other, in one pass over the trace.
pub(super) struct Starts<'r, 't> {
    recorded: &'r Recorded<'t>,
    state: State<'r, 't>,
    windows: Box<dyn Iterator<Item = Window>>,
}

impl<'r, 't> Starts<'r, 't> {
    pub(super) fn new(recorded: &'r Recorded<'t>, cut: Cut) -> Self {
        let windows = Box::new(cut.windows(recorded.events()));
        Starts { recorded, state: State::new(recorded), windows }
    }

    fn mentioned(&self, events: Range<u32>) -> Mentioned {
        let mut mentioned = Mentioned::default();
        for &(thread, index) in &self.recorded.steps[events.start as usize..events.end as usize] {
            mentioned.threads.insert(thread);
            mentioned.op(self.recorded.event(thread, index).op);
        }
        mentioned
    }

    fn start(&self, window: Window) -> Start {
        let state = &self.state;
        let mut mentioned = self.mentioned(window.events.clone());
        for (thread, state) in state.threads.iter().enumerate() {
            if let Some(index) = state.pending {
                mentioned.op(self.recorded.event(ThreadIx::from(thread), index).op);
            }
        }
        let mut settled: Vec<Settled> = state.locks.all().chain(state.queues.all()).collect();
        for barrier in &mentioned.sync {
            settled.extend(state.barriers.at(*barrier));
        }
        for (object, once) in &state.onces {
            // One that runs is something that its thread has; one that is over counts for those who ask.
            if once.finish.is_none() || mentioned.sync.contains(object) {
                settled.push(once.run);
                settled.extend(once.finish);
            }
        }
        settled.extend(state.threads.iter().filter_map(|thread| thread.region));
        for event in &settled {
            mentioned.op(event.op);
        }
        mentioned.threads.extend(settled.iter().map(|event| event.thread));
        self.add_threads(&mut mentioned.threads, &mut settled);
        // Of one position there is more than one if a mutex was acquired again, as deep as before: these are alike.
        settled.sort_by_key(|event| event.position);
        let unflushed = state.storage.unflushed();
        let stored = |&id: &LocationId| (id, state.storage.flushed(&unflushed, id));
        let thread = |&id: &ThreadIx| {
            let thread = &state.threads[id.index()];
            (id, thread.depth, thread.pending)
        };
        Start {
            settled,
            threads: mentioned.threads.iter().map(thread).collect(),
            storage: mentioned.data.iter().map(stored).collect(),
            kinds: mentioned.sync.iter().map(|&id| (id, state.kinds(id))).collect(),
            unflushed,
            window,
        }
    }

    /// Adds the threads that are under way, those that started the ones that take part, and how all of them began
    /// and ended. A thread that has ended and that nobody speaks of is left out.
    fn add_threads(&self, threads: &mut BTreeSet<ThreadIx>, settled: &mut Vec<Settled>) {
        let all = &self.state.threads;
        for (thread, state) in all.iter().enumerate() {
            let begun = state.first.is_some() || state.fork.is_some() || state.pending.is_some();
            if begun && state.end.is_none() {
                threads.insert(ThreadIx::from(thread));
            }
        }
        let mut open: Vec<ThreadIx> = threads.iter().copied().collect();
        while let Some(thread) = open.pop() {
            let forker = all[thread.index()].fork.map(|fork| fork.thread);
            open.extend(forker.filter(|&forker| threads.insert(forker)));
        }
        for thread in threads.iter() {
            let state = &all[thread.index()];
            settled.extend(state.fork);
            // The first event stands for everything that is not kept: behind it the thread has begun.
            settled.extend(state.first.map(|first| Settled { op: Op::Begin, ..first }));
            settled.extend(state.end);
        }
        // What was the first event itself stands beside it; a beginning has nothing more to say.
        settled.sort_by_key(|event| (event.position, !matches!(event.op, Op::Begin)));
    }
}

impl Iterator for Starts<'_, '_> {
    type Item = Start;

    fn next(&mut self) -> Option<Start> {
        let mut window = self.windows.next()?;
        window.events.start = self.recorded.begin(window.events.start);
        self.state.advance(window.events.start);
        Some(self.start(window))
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use warpath_trace::header::MemoryModel;
    use warpath_trace::text;

    use super::*;

    /// However long the run, what is under way stays small: one thread waits all the time, one is slow to leave a
    /// barrier, and everything that is over leaves nothing behind.
    #[test]
    fn what_is_settled_does_not_grow_with_the_trace() {
        let mut trace = String::from("warpath-trace 1\nglobal f 4 = 0\nglobal x 4 = 0\n");
        for object in ["m", "c", "d", "s", "w", "b"] {
            let _ = writeln!(trace, "sync {object}");
        }
        trace.push_str("T0 init b barrier 2\nT0 init s semaphore 0\n");
        for thread in 0..4 {
            let _ = writeln!(trace, "T0 fork T0.{thread}\nT0.{thread} begin");
        }
        trace.push_str("T0.0 lock m\nT0.0 cond-wait c m\nT0.3 barrier-arrive b\nT0.1 barrier-arrive b\n");
        trace.push_str("T0.1 barrier-leave b\n");
        for round in 0..1000 {
            let _ = writeln!(trace, "sync o{round}\nT0.1 once o{round} run\nT0.1 once o{round} finish");
            trace.push_str(
                "T0.2 once o0 seen\nT0.1 lock m\nT0.1 cond-wait d m\nT0.2 lock m\nT0.2 signal d 1\n",
            );
            trace.push_str(
                "T0.2 signal c 0\nT0.2 broadcast d 0\nT0.2 unlock m\nT0.1 cond-wake d m\nT0.1 unlock m\n",
            );
            trace.push_str(
                "T0.1 barrier-arrive b\nT0.2 barrier-arrive b\nT0.1 barrier-leave b\nT0.2 barrier-leave b\n",
            );
            trace.push_str(
                "T0.1 sem-post s\nT0.2 sem-wait s\nT0.1 rdlock w\nT0.2 rdlock w\nT0.1 rdunlock w\n",
            );
            trace.push_str(
                "T0.2 rdunlock w\nT0.1 futex-wait f 0 expected 0 queued\nT0.2 futex-wake f 2 woke 1\n",
            );
            trace.push_str("T0.1 futex-resume f\nT0.2 w x 1\n");
            let _ = writeln!(trace, "T0 fork T0.{0}\nT0.{0} begin\nT0.{0} end", round + 4);
        }
        trace.push_str("outcome stopped\n");
        let trace = text::parse(&trace).unwrap_or_else(|error| panic!("{error}"));
        let recorded = Recorded::of(&trace, MemoryModel::Sc).expect("the trace has an order");
        let cut = Cut::new(60, 30).expect("the overlap is smaller");
        let mut windows = 0;
        for start in Starts::new(&recorded, cut) {
            windows += 1;
            assert!(start.settled.len() < 40, "{:?}: {:?}", start.window, start.settled);
            assert!(start.threads.len() < 12, "{:?}: {:?}", start.window, start.threads);
            assert!(start.settled.is_sorted_by_key(|event| event.position));
        }
        assert!(windows > 900, "{windows}");
    }
}
