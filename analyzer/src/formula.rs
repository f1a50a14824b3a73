//! The formula of one trace under sequential consistency.
//!
//! It follows Maximal Path Causality (Yi and Huang, ESEC/FSE 2018): a solution is a prefix of an execution in
//! which every thread does what it did in the trace, as far as it goes, but with other inputs, in another
//! order and reading other values. Per event `n` a Boolean `en(n)` (executed) and an integer `o(n)` (when).
//! Deviation: threads may stop anywhere, so that one branch can be asked for without completing the path.

use std::collections::HashMap;

use warpath_solvers::term::{Sort, TermError, TermId, Terms};
use warpath_trace::event::{Datum, Event, Op, WaitResult};
use warpath_trace::expr::Leaf;
use warpath_trace::ids::{ExprId, InputId, LocationId, ThreadIx};
use warpath_trace::trace::Trace;

use crate::lower::Lowering;

/// A trace that the formula cannot speak of.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormulaError {
    /// An event whose meaning is not in the formula.
    #[error("event {index} of {thread} ({operation}) is of a kind that the formula does not have yet")]
    Unsupported {
        /// The thread's key.
        thread: String,
        /// The event's index.
        index: u32,
        /// What it does.
        operation: String,
    },
    /// Two locations that share some bytes.
    #[error("{0} and {1} overlap; the formula does not cut locations into cells yet")]
    Overlap(
        /// The one.
        String,
        /// The other.
        String,
    ),
    /// A term that does not make sense: a bug of ours.
    #[error("internal error: {0}")]
    Term(#[from] TermError),
}

/// An event by its place: thread and index.
pub(crate) type Place = (ThreadIx, u32);

/// A constraint with the name by which an unsat core speaks of it.
#[derive(Clone, Debug)]
pub struct Constraint {
    pub(crate) name: String,
    pub(crate) term: TermId,
}

/// The formula and the terms it is made of.
#[derive(Debug)]
pub struct Formula<'t> {
    trace: &'t Trace,
    /// The arena of all terms.
    pub terms: Terms,
    pub(crate) constraints: Vec<Constraint>,
    lowering: Lowering,
    accesses: HashMap<LocationId, Accesses>,
}

/// Who reads and who writes a location, in the order of the listing.
#[derive(Debug, Default)]
struct Accesses {
    reads: Vec<Place>,
    writes: Vec<(Place, Datum)>,
    acquisitions: Vec<Acquisition>,
}

/// A mutex being held: from the lock to the first unlock below it, if there is one.
#[derive(Clone, Copy, Debug)]
struct Acquisition {
    lock: Place,
    unlock: Option<Place>,
}

impl<'t> Formula<'t> {
    /// The formula of a trace.
    pub fn new(trace: &'t Trace) -> Result<Self, FormulaError> {
        let mut formula = Formula {
            trace,
            terms: Terms::new(),
            constraints: Vec::new(),
            lowering: Lowering::default(),
            accesses: HashMap::new(),
        };
        formula.collect()?;
        for thread in 0..trace.threads.len() {
            formula.thread(ThreadIx::from(thread))?;
        }
        let mut locations: Vec<LocationId> = formula.accesses.keys().copied().collect();
        locations.sort();
        formula.check_overlaps(&locations)?;
        for location in locations {
            let accesses = formula.accesses.remove(&location).unwrap_or_default();
            for &read in &accesses.reads {
                formula.read(location, read, &accesses.writes)?;
            }
            formula.mutex(location, &accesses.acquisitions)?;
        }
        Ok(formula)
    }

    pub(crate) fn trace(&self) -> &'t Trace {
        self.trace
    }

    /// `en(n)`: the event is executed.
    pub(crate) fn en(&mut self, place: Place) -> Result<TermId, TermError> {
        let name = format!("en({})", self.name(place));
        self.terms.constant(&name, Sort::Bool)
    }

    /// `o(n)`: when it is executed.
    pub(crate) fn o(&mut self, place: Place) -> Result<TermId, TermError> {
        let name = format!("o({})", self.name(place));
        self.terms.constant(&name, Sort::Int)
    }

    /// An input of the program.
    pub(crate) fn input(&mut self, input: InputId) -> Result<TermId, TermError> {
        let entry = &self.trace.tables.inputs()[input.index()];
        let name = format!("input({}#{})", self.trace.tables.text(entry.name), entry.nth);
        self.terms.constant(&name, Sort::Bits(entry.width.into()))
    }

    /// The term for a Boolean or bit-vector expression of the trace.
    pub(crate) fn expr(&mut self, expr: ExprId) -> Result<TermId, TermError> {
        let mut lowering = std::mem::take(&mut self.lowering);
        let exprs = &self.trace.tables.exprs;
        let mut terms = std::mem::take(&mut self.terms);
        let term = lowering.term(&mut terms, exprs, expr, |terms, leaf, sort| {
            // The naming functions want the arena where it usually is.
            std::mem::swap(terms, &mut self.terms);
            let term = match leaf {
                Leaf::Input(input) => self.input(input),
                Leaf::Read(thread, event) => self.found((thread, event), sort),
            };
            std::mem::swap(terms, &mut self.terms);
            term
        });
        self.terms = terms;
        self.lowering = lowering;
        term
    }

    pub(crate) fn name(&self, (thread, index): Place) -> String {
        format!("{}#{index}", self.trace.tables.key(thread))
    }

    /// `R_r`: the value that a read finds.
    fn found(&mut self, read: Place, sort: Sort) -> Result<TermId, TermError> {
        let name = format!("R({})", self.name(read));
        self.terms.constant(&name, sort)
    }

    fn constrain(&mut self, name: String, condition: TermId, then: &[TermId]) -> Result<(), TermError> {
        let then = self.terms.and(then)?;
        let term = self.terms.implies(condition, then)?;
        self.constraints.push(Constraint { name, term });
        Ok(())
    }

    /// Both are executed, this one first.
    fn before(&mut self, first: Place, second: Place) -> Result<TermId, TermError> {
        let (a, b) = (self.o(first)?, self.o(second)?);
        self.terms.lt(a, b)
    }

    fn collect(&mut self) -> Result<(), FormulaError> {
        for (thread, index, event) in self.trace.listing() {
            let place = (thread, index);
            match event.op {
                Op::Read { location, .. } => self.accesses.entry(location).or_default().reads.push(place),
                Op::Write { location, value } => {
                    self.accesses.entry(location).or_default().writes.push((place, value));
                }
                Op::Lock { mutex, result: WaitResult::Done, .. } => {
                    let acquisitions = &mut self.accesses.entry(mutex).or_default().acquisitions;
                    acquisitions.push(Acquisition { lock: place, unlock: None });
                }
                Op::Unlock { mutex, result: WaitResult::Done } => {
                    let acquisitions = &mut self.accesses.entry(mutex).or_default().acquisitions;
                    let held = acquisitions.iter_mut().rev().find(|held| held.lock.0 == thread);
                    if let Some(held @ Acquisition { unlock: None, .. }) = held {
                        held.unlock = Some(place);
                    }
                }
                Op::Begin
                | Op::End
                | Op::Fork { .. }
                | Op::Join { result: WaitResult::Done, .. }
                | Op::SyncInit { .. }
                | Op::SyncDestroy { .. }
                | Op::Branch { .. }
                | Op::Switch { .. }
                | Op::Concretise { .. }
                | Op::Assume { .. }
                | Op::Assert { .. }
                | Op::Input { .. }
                | Op::Output { .. }
                | Op::Failure { .. } => {}
                other => {
                    return Err(FormulaError::Unsupported {
                        thread: self.trace.tables.key(thread).to_string(),
                        index,
                        operation: format!("{other:?}"),
                    });
                }
            }
        }
        Ok(())
    }

    fn check_overlaps(&self, locations: &[LocationId]) -> Result<(), FormulaError> {
        let tables = &self.trace.tables;
        let table = tables.locations();
        for (n, &a) in locations.iter().enumerate() {
            for &b in &locations[..n] {
                if table[a.index()].overlaps(&table[b.index()]) {
                    return Err(FormulaError::Overlap(tables.location_name(b), tables.location_name(a)));
                }
            }
        }
        Ok(())
    }

    /// **Thread.** Each event needs the one before it, and what decided that control came here.
    fn thread(&mut self, thread: ThreadIx) -> Result<(), FormulaError> {
        let events = &self.trace.threads[thread.index()];
        for (event, index) in events.iter().zip(0u32..) {
            let place = (thread, index);
            let en = self.en(place)?;
            let mut needs = Vec::new();
            if let Some(parent) = index.checked_sub(1) {
                let parent = (thread, parent);
                needs.push(self.en(parent)?);
                needs.push(self.before(parent, place)?);
                if let Some(outcome) = self.outcome(&events[index as usize - 1])? {
                    needs.push(outcome);
                }
            } else if let Some(fork) = self.find(|op| matches!(*op, Op::Fork { child } if child == thread)) {
                needs.push(self.en(fork)?);
                needs.push(self.before(fork, place)?);
            }
            match event.op {
                Op::Join { child, .. } => {
                    let ended = self.find_in(child, |op| matches!(op, Op::End));
                    match ended {
                        Some(end) => {
                            needs.push(self.en(end)?);
                            needs.push(self.before(end, place)?);
                        }
                        None => needs.push(self.terms.bool(false)),
                    }
                }
                Op::Assume { condition: Some(condition), .. } => needs.push(self.expr(condition)?),
                _ => {}
            }
            self.constrain(format!("thread {}", self.name(place)), en, &needs)?;
        }
        Ok(())
    }

    /// What must hold for control to go on behind this event as it did in the trace.
    fn outcome(&mut self, event: &Event) -> Result<Option<TermId>, TermError> {
        let (expr, value) = match event.op {
            Op::Branch { condition, taken } => (condition, u128::from(taken)),
            Op::Assert { condition: Some(condition), holds, .. } => (condition, u128::from(holds)),
            Op::Switch { on: expr, value } | Op::Concretise { expr, value, .. } => (expr, value),
            _ => return Ok(None),
        };
        let term = self.expr(expr)?;
        let value = match self.terms.sort(term) {
            Sort::Bits(width) => self.terms.bits(value, width)?,
            _ => self.terms.bool(value != 0),
        };
        self.terms.eq(term, value).map(Some)
    }

    /// **Read.** It finds what some write left, with no other write in between.
    fn read(
        &mut self,
        location: LocationId,
        read: Place,
        writes: &[(Place, Datum)],
    ) -> Result<(), FormulaError> {
        let entry = &self.trace.tables.locations()[location.index()];
        let width = entry.width().unwrap_or(8);
        let initial = entry.initial;
        let en = self.en(read)?;
        let found = self.found(read, Sort::Bits(width))?;
        let mut sources = Vec::new();

        // The initial value, if no write came first.
        let initial = match initial {
            Some(value) => self.terms.bits(value, width)?,
            None => {
                let name = format!("initial({})", self.trace.tables.location_name(location));
                self.terms.constant(&name, Sort::Bits(width))?
            }
        };
        let rf = self.rf("initial", read)?;
        let mut needs = vec![self.terms.eq(found, initial)?];
        for &(write, _) in writes {
            needs.push(self.not_before(write, read)?);
        }
        self.constrain(format!("rf initial {}", self.name(read)), rf, &needs)?;
        sources.push(rf);

        for &(write, datum) in writes {
            let rf = self.rf(&self.name(write), read)?;
            let value = match datum.expr {
                Some(expr) => self.expr(expr)?,
                None => self.terms.bits(datum.value, width)?,
            };
            let mut needs = vec![self.en(write)?, self.before(write, read)?, self.terms.eq(found, value)?];
            for &(other, _) in writes.iter().filter(|(other, _)| *other != write) {
                let not_after = self.not_before(other, read)?;
                let earlier = self.before(other, write)?;
                needs.push(self.terms.or(&[not_after, earlier])?);
            }
            self.constrain(format!("rf {} {}", self.name(write), self.name(read)), rf, &needs)?;
            sources.push(rf);
        }
        let some = self.terms.or(&sources)?;
        self.constrain(format!("read {}", self.name(read)), en, &[some])?;
        Ok(())
    }

    fn rf(&mut self, write: &str, read: Place) -> Result<TermId, TermError> {
        let name = format!("rf({write},{})", self.name(read));
        self.terms.constant(&name, Sort::Bool)
    }

    /// If it is executed at all, then not before the other.
    fn not_before(&mut self, event: Place, other: Place) -> Result<TermId, TermError> {
        let en = self.en(event)?;
        let missing = self.terms.not(en)?;
        let later = self.before(other, event)?;
        self.terms.or(&[missing, later])
    }

    /// **Mutex.** Of two acquisitions by different threads, one is released before the other begins.
    fn mutex(&mut self, mutex: LocationId, acquisitions: &[Acquisition]) -> Result<(), FormulaError> {
        for (n, &b) in acquisitions.iter().enumerate() {
            for &a in acquisitions[..n].iter().filter(|a| a.lock.0 != b.lock.0) {
                let both = [self.en(a.lock)?, self.en(b.lock)?];
                let both = self.terms.and(&both)?;
                let mut ways = Vec::new();
                for (first, second) in [(a, b), (b, a)] {
                    if let Some(unlock) = first.unlock {
                        let parts = [self.en(unlock)?, self.before(unlock, second.lock)?];
                        ways.push(self.terms.and(&parts)?);
                    }
                }
                let way = self.terms.or(&ways)?;
                let name = format!(
                    "mutex {} {} {}",
                    self.trace.tables.location_name(mutex),
                    self.name(a.lock),
                    self.name(b.lock)
                );
                self.constrain(name, both, &[way])?;
            }
        }
        Ok(())
    }

    fn find(&self, wanted: impl Fn(&Op) -> bool) -> Option<Place> {
        (0..self.trace.threads.len()).find_map(|thread| self.find_in(ThreadIx::from(thread), &wanted))
    }

    fn find_in(&self, thread: ThreadIx, wanted: impl Fn(&Op) -> bool) -> Option<Place> {
        let index = self.trace.threads[thread.index()].iter().position(|event| wanted(&event.op))?;
        Some((thread, index as u32))
    }
}
