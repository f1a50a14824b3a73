//! Going along what another recorder has seen of a run.
//!
//! A schedule says every visible step. A recording of a run at full speed has less: what threads did to synchronisation
//! objects, in one order, and nothing, or not everything, of what they did to memory. Its order is kept; whatever it
//! does not speak of is free. The two see slightly different things (the one stands in front of the C library, the other
//! inside it; objects without a name are called differently), so what fits nothing is passed over, and counted.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use warpath_trace::event::{Event, Op, Verb, WaitResult};
use warpath_trace::order::{Contradiction, ordered_location};
use warpath_trace::place::ObjectClass;
use warpath_trace::si::Expected;
use warpath_trace::thread::ThreadKey;
use warpath_trace::trace::Trace;

/// Recorded steps of a thread that are looked at to find the one that it is about to take.
const AHEAD: usize = 64;

/// A step that was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Recorded {
    thread: ThreadKey,
    /// What was done; of a failure, what follows is free until then.
    what: Expected,
    /// Its object has no name that another tracer would know.
    anonymous: bool,
    /// A wait that ended because its time was up.
    timed_out: bool,
}

impl fmt::Display for Recorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.thread, self.what)
    }
}

/// When a thread does what the recording does not speak of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Just before its next recorded step.
    Late,
    /// Right after its last one.
    Early,
}

/// A recorded run that is gone along, and how far.
#[derive(Clone, Debug)]
pub struct Guide {
    steps: Arc<Vec<Recorded>>,
    queues: FxHashMap<ThreadKey, Queue>,
    /// Locations whose accesses are steps.
    accessed: Arc<FxHashSet<String>>,
    done: Vec<bool>,
    /// The first step that is not done.
    next: usize,
    /// Objects without a common name: what the recording calls them.
    known_as: FxHashMap<String, String>,
    pace: Pace,
    report: Guided,
}

/// The steps of one thread.
#[derive(Clone, Debug, Default)]
struct Queue {
    steps: Arc<Vec<usize>>,
    at: usize,
}

/// How a run went along a recorded one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guided {
    /// Recorded steps.
    pub steps: usize,
    /// Those that were taken, in the recorded order.
    pub taken: usize,
    /// Those that were passed over, by what they are.
    pub passed: BTreeMap<&'static str, u64>,
    /// Synchronisation that the recording does not have, by what it is.
    pub unrecorded: BTreeMap<&'static str, u64>,
    /// The first place where the two part.
    pub parting: Option<Parting>,
}

/// Where the program did something else than was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parting {
    /// The number of the recorded step, from 1.
    pub step: usize,
    /// What was recorded.
    pub recorded: String,
    /// What was found instead.
    pub found: String,
}

impl fmt::Display for Parting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {} was recorded as `{}`, but {}", self.step, self.recorded, self.found)
    }
}

/// Where what a thread is about to do has its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The recording does not speak of such things.
    Free,
    /// It does, but not of this one, which is free, too.
    Unrecorded(Verb),
    /// It is this step.
    Step(usize),
}

impl Guide {
    /// Along this recorded run.
    pub fn of(trace: &Trace) -> Result<Guide, Contradiction> {
        let mut steps = Vec::new();
        for (thread, _, event) in trace.in_order()? {
            if event.op.is_pending() || !is_step(&event.op) {
                continue;
            }
            let step = recorded(trace, thread, event);
            // Which bytes of a stack are meant depends on who names them.
            if !(is_access(step.what.verb) && is_on_stack(trace, event)) {
                steps.push(step);
            }
        }
        let mut queues: FxHashMap<ThreadKey, Vec<usize>> = FxHashMap::default();
        for (index, step) in steps.iter().enumerate() {
            queues.entry(step.thread.clone()).or_default().push(index);
        }
        let accesses = steps.iter().filter(|step| is_access(step.what.verb));
        let accessed = accesses.filter_map(|step| step.what.location.clone()).collect();
        let queue = |(key, steps)| (key, Queue { steps: Arc::new(steps), at: 0 });
        Ok(Guide {
            done: vec![false; steps.len()],
            report: Guided {
                steps: steps.iter().filter(|step| step.what.verb != Verb::Fail).count(),
                ..Guided::default()
            },
            queues: queues.into_iter().map(queue).collect(),
            accessed: Arc::new(accessed),
            steps: Arc::new(steps),
            next: 0,
            known_as: FxHashMap::default(),
            pace: Pace::Late,
        })
    }

    /// The same, with what is free done at another time.
    pub fn at_pace(mut self, pace: Pace) -> Guide {
        self.pace = pace;
        self
    }

    pub(crate) fn pace(&self) -> Pace {
        self.pace
    }

    /// How it went so far.
    pub(crate) fn report(&self) -> &Guided {
        &self.report
    }

    /// Recorded steps that are still to come.
    pub(crate) fn left(&self) -> usize {
        self.done.iter().filter(|done| !**done).count()
    }

    /// The step that comes next, if there is one.
    pub(crate) fn next(&self) -> Option<usize> {
        (self.next < self.steps.len()).then_some(self.next)
    }

    /// The thread whose step it is.
    pub(crate) fn thread(&self, step: usize) -> &ThreadKey {
        &self.steps[step].thread
    }

    /// Did a wait end there because its time was up?
    pub(crate) fn timed_out(&self, step: usize) -> bool {
        self.steps[step].timed_out
    }

    /// The next recorded step of a thread; its failure counts as one.
    pub(crate) fn next_of(&self, thread: &ThreadKey) -> Option<usize> {
        let queue = self.queues.get(thread)?;
        queue.steps.get(queue.at).copied()
    }

    /// Finds the place of what a thread is about to do. Recorded steps before it are passed over.
    pub(crate) fn place(&mut self, thread: &ThreadKey, found: &Expected) -> Place {
        if is_access(found.verb) && !self.speaks_of(found) {
            return Place::Free;
        }
        if !is_access(found.verb) && !is_synchronisation(found.verb) {
            return Place::Free;
        }
        let Some(queue) = self.queues.get(thread) else {
            return Place::Unrecorded(found.verb);
        };
        let mut at_head = true;
        let mut chosen = None;
        for (distance, &step) in queue.steps[queue.at..].iter().take(AHEAD).enumerate() {
            if self.fits(&self.steps[step], found, at_head) {
                chosen = Some((distance, step));
                break;
            }
            // The recorder says what an object is when it meets it, also if nobody made it then.
            at_head &= self.steps[step].what.verb == Verb::Init;
        }
        let Some((distance, step)) = chosen else {
            return Place::Unrecorded(found.verb);
        };
        self.bind(step, found);
        for _ in 0..distance {
            let passed = self.next_of(thread).expect("the chosen step is behind it");
            // What is memory that threads share is found out by both, each in its own way.
            let verb = self.steps[passed].what.verb;
            if verb != Verb::Init && !is_access(verb) {
                self.part(passed, &format!("{thread} is about to do `{found}`"));
            }
            self.pass(passed);
        }
        Place::Step(step)
    }

    /// Is it about a location whose accesses were recorded?
    fn speaks_of(&self, found: &Expected) -> bool {
        found.location.as_ref().is_some_and(|location| self.accessed.contains(location))
    }

    /// Could the recorded step be what was found? Without a common name only if it is the next one.
    fn fits(&self, step: &Recorded, found: &Expected, at_head: bool) -> bool {
        if !same_verb(step.what.verb, found.verb) {
            return false;
        }
        let (Some(wanted), Some(location)) = (&step.what.location, &found.location) else {
            let same_place = step.what.place.is_none() || step.what.place == found.place;
            return step.what.location.is_none() == found.location.is_none() && (at_head || same_place);
        };
        if wanted == location {
            return true;
        }
        if !step.anonymous || is_access(found.verb) {
            return false;
        }
        match self.known_as.get(location) {
            Some(known) if known == wanted => true,
            // Made anew in the same place, it is another object.
            Some(_) => at_head && step.what.verb == Verb::Init,
            None => at_head && !self.known_as.values().any(|known| known == wanted),
        }
    }

    fn bind(&mut self, step: usize, found: &Expected) {
        let step = &self.steps[step];
        if let (true, Some(wanted), Some(location)) = (step.anonymous, &step.what.location, &found.location) {
            self.known_as.insert(location.clone(), wanted.clone());
        }
    }

    /// A step has been taken.
    pub(crate) fn take(&mut self, step: usize) {
        self.report.taken += 1;
        self.finish(step);
    }

    /// A step is not waited for any more: it cannot be taken, for this reason.
    pub(crate) fn give_up(&mut self, step: usize, found: &str) {
        self.part(step, found);
        self.pass(step);
    }

    fn part(&mut self, step: usize, found: &str) {
        if self.report.parting.is_none() {
            let recorded = self.steps[step].to_string();
            self.report.parting = Some(Parting { step: step + 1, recorded, found: found.to_owned() });
        }
    }

    fn pass(&mut self, step: usize) {
        let verb = self.steps[step].what.verb;
        // That the program did not fail here is told by how it ended.
        if verb != Verb::Fail {
            *self.report.passed.entry(verb.name()).or_default() += 1;
        }
        self.finish(step);
    }

    fn finish(&mut self, step: usize) {
        self.done[step] = true;
        while self.done.get(self.next) == Some(&true) {
            self.next += 1;
        }
        if let Some(queue) = self.queues.get_mut(&self.steps[step].thread) {
            while queue.steps.get(queue.at).is_some_and(|&step| self.done[step]) {
                queue.at += 1;
            }
        }
    }

    /// Something was done that was not recorded.
    pub(crate) fn count_unrecorded(&mut self, verb: Verb) {
        *self.report.unrecorded.entry(verb.name()).or_default() += 1;
    }
}

fn recorded(trace: &Trace, thread: warpath_trace::ids::ThreadIx, event: &Event) -> Recorded {
    let tables = &trace.tables;
    let object = ordered_location(&event.op).map(|location| tables.locations()[location.index()].object);
    let class = object.map(|object| tables.objects()[object.index()].class);
    let timed_out = matches!(
        event.op,
        Op::CondWake { result: WaitResult::TimedOut, .. }
            | Op::Lock { result: WaitResult::TimedOut, .. }
            | Op::RwLock { result: WaitResult::TimedOut, .. }
            | Op::SemWait { result: WaitResult::TimedOut, .. }
            | Op::Join { result: WaitResult::TimedOut, .. }
    );
    let what = Expected::of(tables, &trace.threads[thread.index()], event);
    Recorded {
        thread: tables.key(thread).clone(),
        what: atomic_section(trace, event, &what).unwrap_or(what),
        // Variables have one name. Of other storage it depends on who counts what.
        anonymous: class.is_some_and(|class| class != ObjectClass::Global),
        timed_out,
    }
}

/// Atomic sections of `<warpath.h>` are a lock in a plain run (`stubs/warpath_stubs.c`), and steps of their own here.
fn atomic_section(trace: &Trace, event: &Event, what: &Expected) -> Option<Expected> {
    let function = trace.tables.sources().get(event.at.index())?.function;
    let verb = match (what.verb, trace.tables.text(function).as_ref()) {
        (Verb::Lock, "enter_atomic") => Verb::AtomicBegin,
        (Verb::Unlock, "leave_atomic") => Verb::AtomicEnd,
        _ => return None,
    };
    let is_stub = what.location.as_deref() == Some("atomic_lock");
    is_stub.then_some(Expected { verb, location: None, place: None })
}

fn is_on_stack(trace: &Trace, event: &Event) -> bool {
    let tables = &trace.tables;
    let location = ordered_location(&event.op).map(|location| &tables.locations()[location.index()]);
    let class = location.map(|location| tables.objects()[location.object.index()].class);
    matches!(class, Some(ObjectClass::Stack | ObjectClass::ThreadLocal | ObjectClass::Other))
}

fn is_step(op: &Op) -> bool {
    is_synchronisation(op.verb()) || is_access(op.verb()) || op.verb() == Verb::Fail
}

fn is_access(verb: Verb) -> bool {
    matches!(verb, Verb::Read | Verb::Write | Verb::Rmw)
}

/// What recorders at full speed see of a thread.
fn is_synchronisation(verb: Verb) -> bool {
    matches!(
        verb,
        Verb::Begin
            | Verb::End
            | Verb::Fork
            | Verb::Join
            | Verb::Detach
            | Verb::Init
            | Verb::Destroy
            | Verb::Lock
            | Verb::Unlock
            | Verb::RdLock
            | Verb::WrLock
            | Verb::RdUnlock
            | Verb::WrUnlock
            | Verb::CondWait
            | Verb::CondWake
            | Verb::Signal
            | Verb::Broadcast
            | Verb::SemWait
            | Verb::SemPost
            | Verb::SemValue
            | Verb::BarrierArrive
            | Verb::BarrierLeave
            | Verb::Once
            | Verb::AtomicBegin
            | Verb::AtomicEnd
    )
}

fn same_verb(recorded: Verb, found: Verb) -> bool {
    let unlocks = [Verb::RdUnlock, Verb::WrUnlock];
    recorded == found
        || (unlocks.contains(&recorded) && unlocks.contains(&found))
        // An atomic store is an exchange for some compilers.
        || (recorded == Verb::Write && found == Verb::Rmw)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guide(events: &str) -> Guide {
        let text = format!(
            "warpath-trace 1\nthread T0\nthread T0.0\nglobal a 40\nglobal b 40\nobject other \"mutex(T0, 0)\" 40\n\
             location %2+0:40\n{events}"
        );
        Guide::of(&warpath_trace::text::parse(&text).expect("the text is good")).expect("a total order")
    }

    fn found(verb: Verb, location: &str) -> Expected {
        Expected { verb, location: Some(location.to_owned()), place: None }
    }

    fn main() -> ThreadKey {
        ThreadKey::main()
    }

    #[test]
    fn what_was_recorded_has_its_place() {
        let mut guide = guide("T0 begin\nT0 lock a\nT0 unlock a\noutcome exited 0\n");
        assert_eq!(
            guide.place(&main(), &Expected { verb: Verb::Begin, location: None, place: None }),
            Place::Step(0)
        );
        guide.take(0);
        assert_eq!(guide.place(&main(), &found(Verb::Lock, "a")), Place::Step(1));
        guide.take(1);
        assert_eq!((guide.next(), guide.left(), guide.report().taken), (Some(2), 1, 2));
        assert_eq!(guide.report().parting, None);
    }

    #[test]
    fn what_was_not_recorded_is_free_and_counted() {
        let mut guide = guide("T0 lock a\nT0 unlock a\noutcome exited 0\n");
        assert_eq!(
            guide.place(&main(), &found(Verb::Lock, "inside_a_library")),
            Place::Unrecorded(Verb::Lock)
        );
        assert_eq!(guide.place(&main(), &found(Verb::Write, "x")), Place::Free);
        assert_eq!(guide.report().parting, None, "the recorder need not see everything");
    }

    #[test]
    fn what_the_program_leaves_out_is_passed_over_and_named() {
        let mut guide = guide("T0 lock a\nT0 unlock a\nT0 lock b\noutcome exited 0\n");
        assert_eq!(guide.place(&main(), &found(Verb::Lock, "b")), Place::Step(2));
        let parting = guide.report().parting.clone().expect("two steps are missing");
        assert_eq!((parting.step, parting.recorded.as_str()), (1, "T0 lock a"));
        assert_eq!(parting.found, "T0 is about to do `lock b`");
        assert_eq!(guide.report().passed, BTreeMap::from([("lock", 1), ("unlock", 1)]));
        assert_eq!(guide.next(), Some(2));
    }

    #[test]
    fn an_atomic_section_is_not_the_lock_that_a_plain_run_takes_for_it() {
        let mut guide = guide(
            "global atomic_lock 40\nT0 lock atomic_lock @ in enter_atomic\nT0 unlock atomic_lock @ in leave_atomic\n\
             outcome exited 0\n",
        );
        let here = |verb| Expected { verb, location: None, place: Some("m.c:3".to_owned()) };
        assert_eq!(guide.place(&main(), &here(Verb::AtomicBegin)), Place::Step(0));
        guide.take(0);
        assert_eq!(guide.place(&main(), &here(Verb::AtomicEnd)), Place::Step(1));
    }

    #[test]
    fn an_object_without_a_common_name_stays_the_same_object() {
        let mut guide = guide("T0 lock &2\nT0 unlock &2\nT0 lock &2\noutcome exited 0\n");
        assert_eq!(guide.place(&main(), &found(Verb::Lock, "heap-7")), Place::Step(0));
        guide.take(0);
        assert_eq!(
            guide.place(&main(), &found(Verb::Unlock, "heap-8")),
            Place::Unrecorded(Verb::Unlock),
            "another object"
        );
        assert_eq!(guide.place(&main(), &found(Verb::Unlock, "heap-7")), Place::Step(1));
    }
}
