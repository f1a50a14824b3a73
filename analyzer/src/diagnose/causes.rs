//! The loop: a failing schedule, the smallest set of its orderings after which nothing can pass, and again with
//! failing schedules that do not show it, until there is none (Algorithm 1 of the thesis on ConcBugAssist).
//!
//! It deviates where the thesis leaves the choice to a solver. Which failing schedule comes next and which of several
//! sets is taken would then depend on the solver; here both are defined by an order of preference on orderings alone:
//!
//! - the next failing schedule is the one that keeps, going through all orderings by preference, each one of the first
//!   failing run that can still be kept;
//! - a cause is the smallest set of that schedule's orderings which no passing execution has, and of several smallest
//!   ones the one that is preferred. It is found by *implicit hitting sets* (Ignatiev, Previti, Liffiton,
//!   Marques-Silva; CP 2015): each passing execution that keeps as much as possible violates some orderings, and a
//!   cause has one of each. So no ordering of it can be left out, and none can do with fewer.
//!
//! Where a schedule has many orderings, or too many passing executions would have to be looked at, a cause is minimal,
//! but perhaps not the smallest: `minimal`. Solver cores only save questions. Any solver leads to the same causes.

use std::collections::BTreeSet;
use std::time::Instant;

use warpath_solvers::Reason;
use warpath_solvers::term::Model;

use super::DiagnoseError;
use super::ahead::Ahead;
use super::hitting::smallest;
use super::session::{Assumed, Found, Session, Wanted};

/// So many passing executions are looked at for one cause; if they do not suffice, a cause that is minimal, but perhaps
/// not the smallest, will do.
const MOST_PASSING: usize = 300;

/// Of a schedule with more orderings than this, a minimal cause is looked for before the smallest.
const FEW: usize = 60;

/// Of a schedule with more orderings than this, a minimal cause will do: each passing execution takes hundreds of
/// questions. A count and not a time, so that every solver leads to the same causes.
const MANY: usize = 450;

/// Positions in the list of orderings, ascending: that is by preference.
pub(super) type Chosen = Vec<usize>;

/// One cause, and the schedule it was found in.
#[derive(Clone, Debug)]
pub(super) struct Found1 {
    /// The orderings of the cause.
    pub(super) orderings: Chosen,
    /// All orderings of the failing schedule it was found in.
    pub(super) of: Chosen,
    /// Has no other cause of that schedule fewer?
    pub(super) is_smallest: bool,
}

/// What came of looking for a cause.
pub(super) enum Looked {
    /// This is one.
    Cause(Found1),
    /// No execution passes, whatever its orderings.
    NothingPasses,
    /// An execution passes with all these orderings: they do not determine the failure.
    Undetermined,
}

/// The search, with what it has found out on the way.
pub(super) struct Search<'s, 'f> {
    pub(super) session: &'s mut Session<'f>,
    /// Those who help.
    ahead: &'s Ahead,
    /// Sets that no passing, and no failing, execution has.
    refuted: [Vec<BTreeSet<Assumed>>; 2],
    /// Of the passing executions seen, the one that violates the fewest orderings of the schedule it was asked for.
    pub(super) nearest: Option<(usize, Model)>,
}

impl<'s, 'f> Search<'s, 'f> {
    pub(super) fn new(session: &'s mut Session<'f>, ahead: &'s Ahead) -> Self {
        Search { session, ahead, refuted: [Vec::new(), Vec::new()], nearest: None }
    }

    /// Is there such an execution? What is known is not asked. If there is none: what of the assumed is enough for that.
    pub(super) fn ask(
        &mut self,
        wanted: Wanted,
        assumed: &[Assumed],
    ) -> Result<Result<Model, BTreeSet<Assumed>>, DiagnoseError> {
        for (wanted, set) in self.ahead.refuted() {
            self.refuted[wanted as usize].push(set);
        }
        let refuted = &mut self.refuted[wanted as usize];
        let assumed_set: BTreeSet<Assumed> = assumed.iter().copied().collect();
        if let Some(known) = refuted.iter().find(|known| known.is_subset(&assumed_set)) {
            return Ok(Err(known.clone()));
        }
        match self.session.find(wanted, assumed)? {
            Found::Some(model) => Ok(Ok(model)),
            Found::None(core) => {
                let core: BTreeSet<Assumed> = core.map_or(assumed_set, |core| core.into_iter().collect());
                refuted.push(core.clone());
                Ok(Err(core))
            }
        }
    }

    fn find(&mut self, wanted: Wanted, assumed: &[Assumed]) -> Result<Option<Model>, DiagnoseError> {
        Ok(self.ask(wanted, assumed)?.ok())
    }

    /// Goes through `wishes` and keeps each one that can be had together with what is kept already. `model` is an
    /// execution that has `kept`.
    fn keep(
        &mut self,
        wanted: Wanted,
        kept: &mut Vec<Assumed>,
        wishes: &[Assumed],
        mut model: Model,
    ) -> Result<Model, DiagnoseError> {
        let mut so = self.session.is_so(&model, wishes);
        for (n, &wish) in wishes.iter().enumerate() {
            if kept.contains(&wish) {
                continue;
            }
            kept.push(wish);
            if so[n] {
                continue;
            }
            if self.ahead.is_worth(self.session.time) {
                let others = wishes.iter().zip(&so).skip(n + 1).filter(|(_, so)| !**so);
                self.ahead.publish(wanted, &kept[..kept.len() - 1], others.map(|(&wish, _)| wish).collect());
            }
            match self.find(wanted, kept)? {
                Some(better) => {
                    model = better;
                    so = self.session.is_so(&model, wishes);
                }
                None => {
                    kept.pop();
                }
            }
        }
        Ok(model)
    }

    /// Failing executions in which all of these orderings hold are of no interest any more.
    pub(super) fn block(&mut self, orderings: &[usize]) -> Result<(), DiagnoseError> {
        self.ahead.block(orderings);
        self.session.block(orderings)
    }

    /// The orderings of the next failing schedule, if there is one that shows no cause known so far. Orderings come in
    /// twos, both ways round, the preferred one first.
    pub(super) fn next_failing(
        &mut self,
        orderings: usize,
    ) -> Result<Option<(Chosen, Model)>, DiagnoseError> {
        let Some(model) = self.find(Wanted::Failing, &[])? else { return Ok(None) };
        let mut kept = Vec::new();
        let preferred: Vec<Assumed> = (0..orderings).step_by(2).map(Assumed::Happens).collect();
        let model = self.keep(Wanted::Failing, &mut kept, &preferred, model)?;
        let others = (1..orderings).step_by(2).filter(|n| !kept.contains(&Assumed::Happens(n - 1)));
        let others: Vec<Assumed> = others.map(Assumed::Happens).collect();
        let model = self.keep(Wanted::Failing, &mut kept, &others, model)?;
        let mut chosen: Chosen = kept
            .iter()
            .map(|assumed| match assumed {
                Assumed::Holds(n) | Assumed::Happens(n) | Assumed::Rule(n) | Assumed::Waits(n) => *n,
            })
            .collect();
        chosen.sort_unstable();
        Ok(Some((chosen, model)))
    }

    /// A cause of the failing schedule that has these orderings.
    pub(super) fn cause(&mut self, of: &Chosen) -> Result<Looked, DiagnoseError> {
        let found = |orderings: Chosen, is_smallest| match orderings.is_empty() {
            true => Looked::NothingPasses,
            false => Looked::Cause(Found1 { orderings, of: of.clone(), is_smallest }),
        };
        if of.len() <= FEW {
            return match self.smallest(of)? {
                Some(looked) => Ok(looked),
                None => Ok(self.minimal(of)?.map_or(Looked::Undetermined, |cause| found(cause, false))),
            };
        }
        let Some(minimal) = self.minimal(of)? else { return Ok(Looked::Undetermined) };
        if minimal.len() <= 1 {
            return Ok(found(minimal, true));
        }
        if of.len() > MANY {
            return Ok(found(minimal, false));
        }
        // What is known already is not lost if this takes too long.
        let later = self.session.until;
        self.session.until = later.map(|later| half_way(Instant::now(), later));
        let looked = self.smallest(of);
        self.session.until = later;
        match looked {
            Ok(Some(looked)) => Ok(looked),
            Ok(None) | Err(DiagnoseError::Late | DiagnoseError::Unanswered(Reason::Timeout { .. })) => {
                Ok(found(minimal, false))
            }
            Err(error) => Err(error),
        }
    }

    /// The smallest cause, and of several the preferred one; `None` if that would take too many passing executions.
    fn smallest(&mut self, of: &Chosen) -> Result<Option<Looked>, DiagnoseError> {
        let all: Vec<Assumed> = of.iter().map(|&n| Assumed::Holds(n)).collect();
        let mut violated: Vec<BTreeSet<usize>> = Vec::new();
        let mut size = 0;
        while violated.len() < MOST_PASSING {
            let Some(chosen) = smallest(&violated, size) else { break };
            size = chosen.len();
            let mut kept: Vec<Assumed> = chosen.iter().map(|&n| Assumed::Holds(n)).collect();
            let Some(model) = self.find(Wanted::Passing, &kept)? else {
                return Ok(Some(match chosen.is_empty() {
                    true => Looked::NothingPasses,
                    false => Looked::Cause(Found1 { orderings: chosen, of: of.clone(), is_smallest: true }),
                }));
            };
            // Whichever of the nearest it is: what is the smallest cause in the end does not depend on it.
            let (model, missed) = match self.session.nearest(&kept, &all)? {
                Some(model) => {
                    let so = self.session.is_so(&model, &all);
                    let missed = of.iter().zip(so).filter(|(_, so)| !so).map(|(&n, _)| n);
                    (model, missed.collect::<BTreeSet<usize>>())
                }
                None => {
                    let model = self.keep(Wanted::Passing, &mut kept, &all, model)?;
                    let missed = of.iter().copied().filter(|&n| !kept.contains(&Assumed::Holds(n)));
                    (model, missed.collect())
                }
            };
            if missed.is_empty() {
                return Ok(Some(Looked::Undetermined));
            }
            self.saw_passing(missed.len(), model);
            violated.push(missed);
        }
        Ok(None)
    }

    /// Remembers the passing execution that violates the fewest orderings.
    pub(super) fn saw_passing(&mut self, violates: usize, model: Model) {
        if self.nearest.as_ref().is_none_or(|(least, _)| violates < *least) {
            self.nearest = Some((violates, model));
        }
    }

    /// Is there any failing execution at all?
    pub(super) fn can_fail(&mut self) -> Result<bool, DiagnoseError> {
        Ok(matches!(self.session.find_beside(Wanted::Failing, &[], &[])?, Found::Some(_)))
    }

    /// Which of these causes are needed so that every failing schedule shows one: later ones are left out first.
    pub(super) fn needed(&mut self, causes: usize) -> Result<Vec<usize>, DiagnoseError> {
        let mut needed: Vec<usize> = (0..causes).collect();
        for cause in (0..causes).rev() {
            let others: Vec<usize> = needed.iter().copied().filter(|&other| other != cause).collect();
            if let Found::None(_) = self.session.find_beside(Wanted::Failing, &[], &others)? {
                needed = others;
            }
        }
        Ok(needed)
    }
}

fn half_way(from: Instant, to: Instant) -> Instant {
    from + to.saturating_duration_since(from) / 2
}
