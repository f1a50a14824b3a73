//! Following a schedule, step by step.

use std::fmt;

use rustc_hash::FxHashSet;
use warpath_trace::event::Verb;
use warpath_trace::si::{Expected, Step, Visible};
use warpath_trace::thread::ThreadKey;

use super::guide::{Guide, Guided};

/// A schedule that is followed, and how far it has come.
#[derive(Clone, Debug)]
pub struct Follow {
    steps: Vec<Step>,
    at: usize,
    /// Of a step that stands for several events: how many are done.
    repeated: u32,
    strictness: Strictness,
    /// Locations that steps name, if accesses to others are made on the way.
    named: Option<FxHashSet<String>>,
    /// Who goes on when the schedule is over.
    then: Option<ThreadKey>,
    /// A recorded run that is gone along instead.
    guide: Option<Guide>,
}

/// What happens when the program does something else than the schedule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// The run ends.
    Strict,
    /// The step is left out, and the run goes on.
    Lenient,
}

/// The first place where the program and the schedule part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// The number of the step, from 1.
    pub step: usize,
    /// How many steps there are.
    pub steps: usize,
    /// What the schedule says.
    pub expected: String,
    /// What the thread was about to do instead.
    pub found: String,
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Divergence { step, steps, expected, found } = self;
        write!(f, "at step {step} of {steps} the schedule says `{expected}`, but {found}")
    }
}

impl Follow {
    /// Follows these steps.
    pub fn new(steps: Vec<Step>, strictness: Strictness) -> Follow {
        Follow { steps, at: 0, repeated: 0, strictness, named: None, then: None, guide: None }
    }

    /// Goes along a run that another recorder has seen.
    pub fn along(guide: Guide) -> Follow {
        Follow { guide: Some(guide), ..Follow::nothing() }
    }

    pub(crate) fn guide(&mut self) -> Option<&mut Guide> {
        self.guide.as_mut()
    }

    /// How it went along a recorded run, if there is one.
    pub(crate) fn guided(&self) -> Option<Guided> {
        self.guide.as_ref().map(|guide| guide.report().clone())
    }

    /// Accesses to locations that no step names are made on the way: for a schedule that does not say which bytes it
    /// takes as shared.
    pub fn passing_others(mut self) -> Follow {
        let named = |step: &Step| match &step.what {
            Visible::Event(expected) => expected.location.clone(),
            Visible::Any(_) => None,
        };
        self.named = Some(self.steps.iter().filter_map(named).collect());
        self
    }

    /// Lets this thread go on first when the schedule is over.
    pub fn then(mut self, thread: ThreadKey) -> Follow {
        self.then = Some(thread);
        self
    }

    /// All steps.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// What happens when the program does something else.
    pub fn strictness(&self) -> Strictness {
        self.strictness
    }

    /// Are accesses to locations that no step names made on the way?
    pub fn passes_some(&self) -> bool {
        self.named.is_some()
    }

    /// Who goes on first when the schedule is over, if it says so.
    pub fn goes_on_with(&self) -> Option<&ThreadKey> {
        self.then.as_ref()
    }

    /// Who goes on now that the schedule is over, if it says so; asked once.
    pub(crate) fn take_then(&mut self) -> Option<ThreadKey> {
        self.then.take()
    }

    /// The same schedule, left where the program does something else.
    pub(crate) fn leniently(&self) -> Follow {
        Follow { strictness: Strictness::Lenient, ..self.clone() }
    }

    /// May events that the program did not wait with happen without being a step?
    pub(crate) fn passes_events(&self) -> bool {
        self.named.is_some() || self.is_lenient()
    }

    /// May an access to this location be made without being a step?
    pub(crate) fn passes(&self, location: &str) -> bool {
        self.named.as_ref().is_some_and(|named| !named.contains(location))
    }

    /// Follows nothing.
    pub fn nothing() -> Follow {
        Follow::new(Vec::new(), Strictness::Strict)
    }

    pub(crate) fn current(&self) -> Option<&Step> {
        self.steps.get(self.at)
    }

    /// Steps that are still to come.
    pub(crate) fn left(&self) -> usize {
        let guided = self.guide.as_ref().map_or(0, Guide::left);
        self.steps.len() - self.at.min(self.steps.len()) + guided
    }

    pub(crate) fn is_lenient(&self) -> bool {
        self.strictness == Strictness::Lenient
    }

    /// The current step has been done (one event of it).
    pub(crate) fn done(&mut self) {
        match self.current().map(|step| &step.what) {
            Some(Visible::Any(count)) if self.repeated + 1 < *count => self.repeated += 1,
            _ => self.skip(),
        }
    }

    /// Leaves the current step out.
    pub(crate) fn skip(&mut self) {
        self.at += 1;
        self.repeated = 0;
    }

    pub(crate) fn divergence(&self, found: String) -> Divergence {
        Divergence {
            step: self.at + 1,
            steps: self.steps.len(),
            expected: self.current().map(ToString::to_string).unwrap_or_default(),
            found,
        }
    }
}

/// Is what a thread is about to do what the step says?
pub(crate) fn fits(step: &Step, found: &Expected) -> bool {
    match &step.what {
        Visible::Any(_) => true,
        Visible::Event(expected) => {
            // Which kind of unlock it will be is known only afterwards.
            let unlocks = [Verb::RdUnlock, Verb::WrUnlock];
            if unlocks.contains(&expected.verb) && unlocks.contains(&found.verb) {
                return Expected { verb: expected.verb, ..expected.clone() }
                    .fits(&Expected { verb: expected.verb, ..found.clone() });
            }
            expected.fits(found)
        }
    }
}
