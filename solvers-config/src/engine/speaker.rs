//! Telling a process what it has to know for a query, in the way its solver needs, and asking for reasons.

use super::dialogue::Dialogue;
use super::mirror::{Listener, Named, assumption_symbol, wish_symbol};
use super::{Inquiry, Process};
use crate::answer::Core;
use crate::config::Cores;
use crate::smtlib::Introduction;
use crate::smtlib::sexpr::{Sexpr, SexprLimits};
use crate::supervise::Failure;
use crate::term::TermId;

/// What stands for the assumptions of a query in the dialogue.
pub(super) struct Assumed {
    /// Literals for `check-sat-assuming`.
    pub(super) assumed: Vec<String>,
    /// Each assumption and the literal or assertion name that stands for it.
    literals: Vec<(String, TermId)>,
    /// The query has a level of its own, which is left to it.
    pub(super) own_level: bool,
}

/// How this solver is spoken to.
#[derive(Clone, Copy)]
pub(super) struct Speaker {
    pub(super) cores: Cores,
    pub(super) incremental: bool,
    /// It can be asked under assumptions.
    pub(super) assumptions: bool,
}

impl Speaker {
    /// Brings the process up to the query; leaves it in the query's own level.
    pub(super) fn tell(self, process: &mut Process, inquiry: &Inquiry<'_>) -> Result<Assumed, Failure> {
        let Process { dialogue, mirror, gives_cores, .. } = process;
        let mut listener = Telling { dialogue, speaker: self, gives_cores: *gives_cores };
        mirror.follow(inquiry.terms, inquiry.stack, &mut listener)?;
        let roots = inquiry.roots();
        let own = mirror.follow_query(inquiry.terms, &roots);
        let is_constant = |term: &TermId| inquiry.terms.name(*term).is_some();
        let as_they_are = self.assumptions && inquiry.wishes.0.is_empty() && roots.iter().all(is_constant);
        // Opened only if needed: a level alone makes Z3 change to a solver that is many times slower on its first
        // question.
        let own_level = !own.is_empty() || !(roots.is_empty() || as_they_are);
        match own_level {
            true => listener.push()?,
            false => mirror.pop(),
        }
        own.iter().try_for_each(|news| listener.introduce(news))?;
        self.wishes(process, inquiry)?;
        self.assume(process, inquiry, own_level)
    }

    fn assume(
        self,
        process: &mut Process,
        inquiry: &Inquiry<'_>,
        own_level: bool,
    ) -> Result<Assumed, Failure> {
        let Process { dialogue, mirror, gives_cores, .. } = process;
        let mut assumed = Assumed { assumed: Vec::new(), literals: Vec::new(), own_level };
        if self.cores == Cores::Assumptions {
            assumed.assumed.extend(mirror.named().iter().map(|named| named.symbol.clone()));
        }
        for (number, &term) in inquiry.query.assumptions.iter().enumerate() {
            let formula = mirror.definitions.text(inquiry.terms, term);
            let stand_in = assumption_symbol(number);
            // Not so a negated constant: Boolector forgets the negation when it gives reasons.
            let is_constant = inquiry.terms.name(term).is_some();
            match self.assumptions {
                true if is_constant => {
                    assumed.assumed.push(formula.clone());
                    assumed.literals.push((formula, term));
                }
                true => {
                    dialogue.declare(&stand_in, "Bool")?;
                    dialogue.assert(&format!("(= {stand_in} {formula})"))?;
                    assumed.assumed.push(stand_in.clone());
                    assumed.literals.push((stand_in, term));
                }
                false if *gives_cores && self.cores == Cores::Named => {
                    dialogue.assert_named(&stand_in, &formula)?;
                    assumed.literals.push((stand_in, term));
                }
                false => dialogue.assert(&formula)?,
            }
        }
        Ok(assumed)
    }

    fn wishes(self, process: &mut Process, inquiry: &Inquiry<'_>) -> Result<(), Failure> {
        let Process { dialogue, mirror, .. } = process;
        for (number, wish) in inquiry.wishes.0.iter().enumerate() {
            let stand_in = wish_symbol(number);
            let formula = mirror.definitions.text(inquiry.terms, wish.term);
            dialogue.declare(&stand_in, "Bool")?;
            dialogue.assert(&format!("(= {stand_in} {formula})"))?;
            dialogue.assert_soft(&stand_in, wish.weight)?;
        }
        Ok(())
    }

    /// Asks for the reason of an `unsat`.
    pub(super) fn core(
        self,
        process: &mut Process,
        inquiry: &Inquiry<'_>,
        own: &Assumed,
    ) -> Result<Option<Core>, Failure> {
        let mut symbols = Vec::new();
        if self.cores == Cores::Named {
            symbols.extend(process.dialogue.unsat_core()?);
        }
        if !own.assumed.is_empty() {
            symbols.extend(literals(&process.dialogue.unsat_assumptions()?)?);
        }
        let mut core = Core::default();
        for symbol in &symbols {
            let symbol = normal(symbol);
            if let Some(named) = process.mirror.named().iter().find(|named| named.symbol == symbol) {
                if !core.names.iter().any(|name| **name == *named.name) {
                    core.names.push(named.name.to_string());
                }
            } else if let Some((_, term)) = own.literals.iter().find(|(literal, _)| normal(literal) == symbol)
            {
                if !core.assumptions.contains(term) {
                    core.assumptions.push(*term);
                }
            } else {
                let reason = "the core names something that was never asserted".to_owned();
                return Err(Failure::Malformed { reason, excerpt: symbol });
            }
        }
        let position =
            |term: &TermId| inquiry.query.assumptions.iter().position(|assumption| assumption == term);
        core.assumptions.sort_by_key(position);
        core.names.sort();
        Ok(Some(core))
    }
}

/// Tells a process what is new to it.
struct Telling<'a> {
    dialogue: &'a mut Dialogue,
    speaker: Speaker,
    gives_cores: bool,
}

impl Listener for Telling<'_> {
    fn pop(&mut self) -> Result<(), Failure> {
        self.dialogue.pop()
    }

    fn push(&mut self) -> Result<(), Failure> {
        if self.speaker.incremental { self.dialogue.push() } else { Ok(()) }
    }

    fn introduce(&mut self, news: &Introduction) -> Result<(), Failure> {
        self.dialogue.introduce(news)
    }

    fn assert(&mut self, formula: &str, named: Option<&Named>) -> Result<(), Failure> {
        match (named, self.speaker.cores) {
            (Some(named), Cores::Named) if self.gives_cores => {
                self.dialogue.assert_named(&named.symbol, formula)
            }
            (Some(named), Cores::Assumptions) => {
                self.dialogue.declare(&named.symbol, "Bool")?;
                self.dialogue.assert(&format!("(=> {} {formula})", named.symbol))
            }
            _ => self.dialogue.assert(formula),
        }
    }
}

/// One spelling for every way a solver may print a symbol or literal.
pub(super) fn normal(literal: &str) -> String {
    let text = literal.replace('|', "").split_whitespace().collect::<Vec<_>>().join(" ");
    // Boolector puts the level in front of symbols that are not of the first one.
    let level = text.strip_prefix("BTOR_").and_then(|rest| rest.split_once('@'));
    match level {
        Some((number, symbol)) if number.bytes().all(|byte| byte.is_ascii_digit()) => symbol.to_owned(),
        _ => text,
    }
}

fn literals(answer: &str) -> Result<Vec<String>, Failure> {
    let malformed =
        |reason: String| Failure::Malformed { reason, excerpt: answer.chars().take(200).collect() };
    let tree = Sexpr::parse(answer.as_bytes(), SexprLimits::default())
        .map_err(|error| malformed(error.to_string()))?;
    let items = tree.as_list().ok_or_else(|| malformed("a list of literals was expected".to_owned()))?;
    Ok(items.iter().map(Sexpr::to_string).collect())
}
