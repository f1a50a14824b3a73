//! Questions about a trace, as scripts.

use std::collections::BTreeMap;

use serde::Serialize;
use warpath_solvers::script::{EmitOptions, Script};
use warpath_solvers::smtlib::symbol;
use warpath_solvers::term::TermId;
use warpath_trace::event::Op;
use warpath_trace::ids::ThreadIx;
use warpath_trace::trace::Trace;

use crate::formula::{Formula, FormulaError};

/// A branch outcome that the trace did not take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenEnd {
    /// The thread.
    pub thread: ThreadIx,
    /// Index of the branch among the thread's events.
    pub event: u32,
}

/// All outcomes that the trace did not take, thread by thread.
pub fn open_ends(trace: &Trace) -> Vec<OpenEnd> {
    let decides = |op: &Op| {
        matches!(op, Op::Branch { .. } | Op::Switch { .. } | Op::Concretise { .. })
            || matches!(op, Op::Assert { condition: Some(_), .. })
    };
    let of_thread = |(thread, events): (usize, &Vec<_>)| {
        let events: Vec<OpenEnd> = events
            .iter()
            .zip(0u32..)
            .filter(|(event, _): &(&warpath_trace::event::Event, u32)| decides(&event.op))
            .map(|(_, event)| OpenEnd { thread: ThreadIx::from(thread), event })
            .collect();
        events
    };
    trace.threads.iter().enumerate().flat_map(of_thread).collect()
}

/// What a symbol of a script stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum Symbol {
    /// The event is executed.
    Executed {
        /// The thread's key.
        thread: String,
        /// The event's index.
        event: u32,
    },
    /// When the event is executed.
    Order {
        /// The thread's key.
        thread: String,
        /// The event's index.
        event: u32,
    },
    /// The value of an input.
    Input {
        /// Its name.
        name: String,
        /// Which of that name.
        nth: u32,
    },
}

/// What a script asks and what its symbols mean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Manifest {
    /// The question in words.
    pub question: String,
    /// The branch that should go the other way.
    pub thread: String,
    /// Its index among the thread's events.
    pub event: u32,
    /// Its position in the program.
    pub place: String,
    /// The symbols whose values make an answer, as the script spells them.
    pub symbols: BTreeMap<String, Symbol>,
}

/// The question whether an open end can be reached.
#[derive(Debug)]
pub struct Reach {
    /// The script, portable SMT-LIB.
    pub script: String,
    /// What it asks.
    pub manifest: Manifest,
}

impl Reach {
    /// Asks for a schedule and inputs under which the branch goes another way than in the trace.
    pub fn new(trace: &Trace, end: OpenEnd) -> Result<Self, FormulaError> {
        let mut formula = Formula::new(trace)?;
        let place = (end.thread, end.event);
        let Some(event) = trace.event(end.thread, end.event) else {
            unreachable!("open ends are events of the trace")
        };
        let (went, expr, value) = match event.op {
            Op::Branch { condition, taken } => (taken.to_string(), condition, u128::from(taken)),
            Op::Assert { condition: Some(condition), holds, .. } => {
                (holds.to_string(), condition, u128::from(holds))
            }
            Op::Switch { on: expr, value } | Op::Concretise { expr, value, .. } => {
                (value.to_string(), expr, value)
            }
            _ => unreachable!("open ends are decisions"),
        };
        let term = formula.expr(expr)?;
        let value = match formula.terms.sort(term) {
            warpath_solvers::term::Sort::Bits(width) => formula.terms.bits(value, width)?,
            _ => formula.terms.bool(value != 0),
        };
        let same = formula.terms.eq(term, value)?;
        let other = formula.terms.not(same)?;
        let reached = formula.en(place)?;

        let tables = &trace.tables;
        let thread = tables.key(end.thread).to_string();
        let at = tables.source_name(event.at);
        let at = if at.is_empty() { format!("event {}", end.event) } else { at };
        let question = format!("Can the decision of {thread} at {at}, which went {went}, go another way?");
        let mut script = Script::new();
        script.comment(&question);
        script.comment("sat: the values give a schedule (executed events, ascending by o) and inputs.");
        script.comment("unsat: within this trace's events, no schedule and no input makes it so.");
        for constraint in &formula.constraints {
            script.assert_named(constraint.term, &constraint.name);
        }
        script.assert_named(reached, "target is reached");
        script.assert_named(other, "target goes another way");
        script.check();
        let (values, symbols) = answer_symbols(&mut formula)?;
        script.get_values(&values);
        let text = script.emit(&formula.terms, &EmitOptions::default());
        let text = text.unwrap_or_else(|error| unreachable!("our own names are distinct: {error}"));
        Ok(Reach {
            script: text,
            manifest: Manifest { question, thread, event: end.event, place: at, symbols },
        })
    }
}

fn answer_symbols(
    formula: &mut Formula<'_>,
) -> Result<(Vec<TermId>, BTreeMap<String, Symbol>), FormulaError> {
    let trace = formula.trace();
    let mut values = Vec::new();
    let mut symbols = BTreeMap::new();
    let mut add = |formula: &Formula<'_>, term: TermId, symbol: Symbol| {
        values.push(term);
        if let Some(name) = formula.terms.name(term) {
            symbols.insert(symbol::quote(name), symbol);
        }
    };
    for (input, entry) in trace.tables.inputs().iter().enumerate() {
        let term = formula.input(input.into())?;
        let name = trace.tables.text(entry.name).into_owned();
        add(formula, term, Symbol::Input { name, nth: entry.nth });
    }
    for (thread, index, _) in trace.listing() {
        let key = trace.tables.key(thread).to_string();
        let (en, o) = (formula.en((thread, index))?, formula.o((thread, index))?);
        add(formula, en, Symbol::Executed { thread: key.clone(), event: index });
        add(formula, o, Symbol::Order { thread: key, event: index });
    }
    Ok((values, symbols))
}
