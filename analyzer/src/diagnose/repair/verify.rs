//! Which candidates are repairs: few at a time are told to a solver, several solvers at once.
//!
//! Candidates are taken in lots, the preferred ones first, since what a solver is told of others costs time. The first
//! lot that has repairs ends the search, whichever was done first, so the number of workers does not show. A candidate
//! that takes too long is put aside for the others, and tried again with more time when none of them will do.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use warpath_solvers::Query;
use warpath_solvers::term::Model;
use warpath_trace::repair::Rule;

use super::rule::{Kind, is_last_resort, kind};
use super::{Candidate, Repair, nested};
use crate::diagnose::DiagnoseError;
use crate::diagnose::failure::Failure;
use crate::diagnose::hitting::smallest;
use crate::diagnose::occurrence::Occurrences;
use crate::diagnose::session::{Assumed, Found, Session, Wanted};
use crate::encode::Options;
use crate::model::Forest;
use crate::window::OpenSolvers;

/// So many candidates are told to a solver at once.
const LOT: usize = 12;
/// So many lots are told to one solver, then another one begins anew.
const LOTS_OF_A_SOLVER: usize = 4;
/// A candidate may take at least so many times what it took the solver to take in the formula: a solver that was
/// interrupted begins anew.
const WARM_UPS: u32 = 4;
/// Which part of the time one candidate may take, from turn to turn.
const PARTS: [u32; 3] = [60, 12, 3];
/// So many repairs are handed out.
const MOST: usize = 4;
/// So many changes are combined to a repair at most.
const MOST_COMBINED: usize = 48;
/// So many failing executions are looked at for repairs that take several changes.
const MOST_FAILING: usize = 200;

/// Everything it takes to verify.
#[derive(Clone, Copy)]
pub(in crate::diagnose) struct Verifier<'a> {
    pub(in crate::diagnose) forest: &'a Forest,
    pub(in crate::diagnose) formula: Options,
    pub(in crate::diagnose) failure: &'a Failure,
    pub(in crate::diagnose) occurrences: &'a Occurrences,
    pub(in crate::diagnose) open: &'a OpenSolvers<'a>,
    pub(in crate::diagnose) query: &'a Query,
    pub(in crate::diagnose) until: Option<Instant>,
    /// Solvers at the same time, at least one.
    pub(in crate::diagnose) jobs: usize,
}

/// What came of verifying.
#[derive(Default)]
pub(in crate::diagnose) struct Verified {
    pub(in crate::diagnose) repairs: Vec<Repair>,
    /// Was there a candidate that could not be told in time?
    pub(in crate::diagnose) is_cut: bool,
    pub(in crate::diagnose) questions: u64,
    pub(in crate::diagnose) solving: Duration,
}

/// What is known of some candidates, by their positions.
#[derive(Clone, Default)]
struct Sorted {
    good: Vec<usize>,
    /// Something passes with it, but it does not do alone.
    useful: Vec<usize>,
    undecided: Vec<usize>,
    questions: u64,
    solving: Duration,
}

impl Verifier<'_> {
    /// Finds repairs among these changes.
    pub(in crate::diagnose) fn repairs(&self, all: &[Candidate]) -> Result<Verified, DiagnoseError> {
        let mut verified = Verified::default();
        let mut useful: BTreeSet<usize> = BTreeSet::new();
        let mut open: Vec<usize> = (0..all.len()).collect();
        for part in PARTS {
            let sorted = self.sort(all, &open, part)?;
            open.clear();
            for lot in &sorted {
                verified.questions += lot.questions;
                verified.solving += lot.solving;
                useful.extend(&lot.useful);
                open.extend(&lot.undecided);
            }
            if let Some(lot) = sorted.iter().find(|lot| !lot.good.is_empty()) {
                let alone = |&n: &usize| Repair { rules: vec![all[n].rule.clone()] };
                verified.repairs = lot.good.iter().take(MOST).map(alone).collect();
                return Ok(verified);
            }
            if open.is_empty() {
                break;
            }
        }
        verified.is_cut = !open.is_empty();
        let combined: Vec<&Candidate> = useful.iter().take(MOST_COMBINED).map(|&n| &all[n]).collect();
        if !combined.is_empty() {
            match self.several(&combined, &mut verified) {
                Ok(repair) => verified.repairs.extend(repair),
                Err(DiagnoseError::Late | DiagnoseError::Unanswered(_)) => verified.is_cut = true,
                Err(error) => return Err(error),
            }
        }
        Ok(verified)
    }

    fn session(&self) -> Result<Session<'_>, DiagnoseError> {
        let smt = (self.open)().map_err(DiagnoseError::Solver)?;
        let known = (self.failure, self.occurrences);
        let bounds = (self.query.clone(), self.until);
        Session::new(self.forest, self.formula, known, &[], smt, bounds)
    }

    /// Looks at these candidates lot by lot, up to the first with a repair.
    fn sort(&self, all: &[Candidate], which: &[usize], part: u32) -> Result<Vec<Sorted>, DiagnoseError> {
        let lots: Vec<&[usize]> = which.chunks(LOT).collect();
        let left = self.until.map(|until| until.saturating_duration_since(Instant::now()));
        let allowed = left.map(|left| left / part);
        let (next, enough) = (AtomicUsize::new(0), AtomicUsize::new(lots.len()));
        let done: Vec<Mutex<Option<Result<Sorted, DiagnoseError>>>> =
            lots.iter().map(|_| Mutex::new(None)).collect();
        let work = || {
            let mut session = None;
            loop {
                let lot = next.fetch_add(1, Relaxed);
                if lot >= lots.len() || lot > enough.load(Relaxed) {
                    return;
                }
                let is_needless = || lot > enough.load(Relaxed);
                let sorted = self.sort_lot(&mut session, all, lots[lot], allowed, is_needless);
                if sorted.as_ref().is_ok_and(|sorted| !sorted.good.is_empty()) {
                    enough.fetch_min(lot, Relaxed);
                }
                *done[lot].lock().expect("nobody panics with it") = Some(sorted);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.jobs.min(lots.len()) {
                scope.spawn(work);
            }
            work();
        });
        let enough = enough.into_inner();
        let done = done.into_iter().take(enough.saturating_add(1));
        done.filter_map(|sorted| sorted.into_inner().expect("nobody panics with it")).collect()
    }

    fn sort_lot<'s>(
        &'s self,
        session: &mut Option<Session<'s>>,
        all: &[Candidate],
        lot: &[usize],
        allowed: Option<Duration>,
        is_needless: impl Fn() -> bool,
    ) -> Result<Sorted, DiagnoseError> {
        let mut sorted = Sorted::default();
        if self.until.is_some_and(|until| until <= Instant::now()) {
            sorted.undecided = lot.to_vec();
            return Ok(sorted);
        }
        let candidates: Vec<&Candidate> = lot.iter().map(|&n| &all[n]).collect();
        let session = match session {
            Some(known) if known.changes() < LOTS_OF_A_SOLVER * LOT => known,
            other => {
                let session = other.insert(self.session()?);
                session.warm_up()?;
                session
            }
        };
        let allowed = allowed.map(|allowed| allowed.max(WARM_UPS * session.warmed_up));
        let first = session.add(&candidates)?;
        let (questions, solving) = (session.questions, session.time);
        let mut order: Vec<(usize, usize)> = lot.iter().copied().zip(first..).collect();
        let left = self.until.map(|until| until.saturating_duration_since(Instant::now()));
        if left.is_some_and(|left| left < LOT as u32 * WARM_UPS * session.warmed_up) {
            // Not all of them can be tried: those that rule out the most are, before the time is up.
            order.sort_by_key(|&(id, _)| strength(&all[id].rule));
        }
        order.sort_by_key(|&(id, _)| is_last_resort(&all[id].rule));
        // Which changes rule out each failing execution seen so far.
        let mut against: Vec<BTreeSet<usize>> = Vec::new();
        for (id, n) in order {
            if sorted.good.len() >= MOST || is_needless() {
                break;
            }
            if is_last_resort(&all[id].rule) && !sorted.good.is_empty() {
                continue;
            }
            session.within(allowed);
            match is_repair(session, first..first + lot.len(), n, &mut against) {
                Ok(Some(true)) => sorted.good.push(id),
                Ok(Some(false)) => sorted.useful.push(id),
                Ok(None) => {}
                Err(DiagnoseError::Unanswered(_) | DiagnoseError::Late) => sorted.undecided.push(id),
                Err(error) => return Err(error),
            }
        }
        sorted.good.sort_unstable();
        (sorted.questions, sorted.solving) = (session.questions - questions, session.time - solving);
        Ok(sorted)
    }

    /// The smallest set of changes that does it together.
    fn several(
        &self,
        candidates: &[&Candidate],
        verified: &mut Verified,
    ) -> Result<Option<Repair>, DiagnoseError> {
        let mut session = self.session()?;
        session.add(candidates)?;
        let found = together(&mut session, candidates);
        verified.questions += session.questions;
        verified.solving += session.time;
        found
    }
}

/// Sorts changes by how much they rule out, as far as that can be told without asking: the most first.
fn strength(rule: &Rule) -> (Kind, Reverse<u32>) {
    match kind(rule) {
        Kind::CriticalSections => (Kind::CriticalSections, Reverse(rule.lines())),
        Kind::OneByOne => (Kind::CriticalSections, Reverse(u32::MAX)),
        other => (other, Reverse(0)),
    }
}

/// Does the change do alone? `None` if it is of no use: nothing passes with it, or threads might wait for ever.
fn is_repair(
    session: &mut Session<'_>,
    lot: Range<usize>,
    n: usize,
    against: &mut Vec<BTreeSet<usize>>,
) -> Result<Option<bool>, DiagnoseError> {
    if let Found::None(_) = session.find_beside(Wanted::Passing, &[Assumed::Rule(n)], &[])? {
        return Ok(None);
    }
    if session.may_wait(n)
        && let Found::Some(_) =
            session.find_beside(Wanted::Any, &[Assumed::Rule(n), Assumed::Waits(n)], &[])?
    {
        return Ok(None);
    }
    if against.iter().any(|ruling_out| !ruling_out.contains(&n)) {
        return Ok(Some(false));
    }
    Ok(Some(match session.find_beside(Wanted::Failing, &[Assumed::Rule(n)], &[])? {
        Found::None(_) => true,
        Found::Some(model) => {
            against.push(broken(session, &model, lot));
            false
        }
    }))
}

/// The changes that an execution breaks.
fn broken(session: &Session<'_>, model: &Model, changes: Range<usize>) -> BTreeSet<usize> {
    let all: Vec<Assumed> = changes.clone().map(Assumed::Rule).collect();
    let so = session.is_so(model, &all);
    changes.zip(so).filter(|(_, so)| !so).map(|(n, _)| n).collect()
}

fn together(session: &mut Session<'_>, candidates: &[&Candidate]) -> Result<Option<Repair>, DiagnoseError> {
    let mut against: Vec<BTreeSet<usize>> = Vec::new();
    while against.len() < MOST_FAILING {
        let Some(chosen) = smallest(&against, 0) else { return Ok(None) };
        let assumed: Vec<Assumed> = chosen.iter().map(|&n| Assumed::Rule(n)).collect();
        if let Found::Some(model) = session.find_beside(Wanted::Failing, &assumed, &[])? {
            against.push(broken(session, &model, 0..candidates.len()));
            continue;
        }
        let rules: Vec<_> = chosen.iter().map(|&n| candidates[n].rule.clone()).collect();
        // Locks around each other could be taken in different orders.
        if chosen.is_empty() || nested(&rules) {
            return Ok(None);
        }
        let passes = session.find_beside(Wanted::Passing, &assumed, &[])?;
        return Ok(matches!(passes, Found::Some(_)).then_some(Repair { rules }));
    }
    Ok(None)
}
