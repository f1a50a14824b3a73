//! Random conversations as data: written as a script for us, or for a solver that only knows the basics.

use super::random::Random;
use std::fmt::Write;
use warpath_solvers::smtlib::term_text;
use warpath_solvers::term::{Sort, TermId, Terms};

/// One step of a conversation.
#[derive(Debug, Clone)]
pub enum Step {
    Push,
    Pop,
    Assert { term: TermId, name: Option<String> },
    Soft { term: TermId, weight: u64, id: Option<String> },
    Check { assumptions: Vec<TermId> },
}

/// An assertion and its name.
pub type Asserted<'a> = (Option<&'a str>, TermId);

/// A conversation over an arena of its own.
pub struct Case {
    pub terms: Terms,
    pub constants: Vec<TermId>,
    /// What our search takes as a seed: half of them none.
    pub seed: u64,
    pub steps: Vec<Step>,
}

impl Case {
    pub fn text(&self, term: TermId) -> String {
        term_text(&self.terms, term)
    }

    /// Declarations of all constants.
    pub fn declarations(&self) -> String {
        let mut text = String::new();
        for &id in &self.constants {
            let (name, sort) = (self.text(id), self.terms.sort(id));
            writeln!(text, "(declare-const {name} {sort})").unwrap();
        }
        text
    }

    /// What is asserted when each check is made, and what is assumed.
    pub fn checks(&self) -> Vec<(Vec<Asserted<'_>>, &[TermId])> {
        let mut levels = Vec::new();
        let mut live = Vec::new();
        let mut checks = Vec::new();
        for step in &self.steps {
            match step {
                Step::Push => levels.push(live.len()),
                Step::Pop => live.truncate(levels.pop().unwrap_or(0)),
                Step::Assert { term, name } => live.push((name.as_deref(), *term)),
                Step::Soft { .. } => {}
                Step::Check { assumptions } => checks.push((live.clone(), assumptions.as_slice())),
            }
        }
        checks
    }

    /// The whole conversation, for us. Each check is followed by [`QUESTIONS`] questions.
    pub fn script(&self) -> String {
        let mut text =
            String::from("(set-option :produce-unsat-cores true)\n(set-option :timeout-ms 20000)\n");
        writeln!(text, "(set-option :random-seed {})", self.seed).unwrap();
        text.push_str(&self.declarations());
        let constants: Vec<String> = self.constants.iter().map(|&id| self.text(id)).collect();
        for step in &self.steps {
            match step {
                Step::Push => text.push_str("(push 1)\n"),
                Step::Pop => text.push_str("(pop 1)\n"),
                Step::Assert { term, name: None } => writeln!(text, "(assert {})", self.text(*term)).unwrap(),
                Step::Assert { term, name: Some(name) } => {
                    writeln!(text, "(assert (! {} :named {name}))", self.text(*term)).unwrap();
                }
                Step::Soft { term, weight, id } => {
                    let id = id.as_ref().map(|id| format!(" :id {id}")).unwrap_or_default();
                    writeln!(text, "(assert-soft {} :weight {weight}{id})", self.text(*term)).unwrap();
                }
                Step::Check { assumptions } => {
                    let texts: Vec<String> = assumptions.iter().map(|&term| self.text(term)).collect();
                    match texts.is_empty() {
                        true => text.push_str("(check-sat)\n"),
                        false => writeln!(text, "(check-sat-assuming ({}))", texts.join(" ")).unwrap(),
                    }
                    writeln!(text, "(get-value ({}))", constants.join(" ")).unwrap();
                    text.push_str("(get-unsat-core)\n(get-unsat-assumptions)\n");
                }
            }
        }
        text
    }

    /// The same for a solver that only knows `assert`, `push`, `pop` and `check-sat`, in a level of its own.
    pub fn plain_script(&self) -> String {
        let mut text = format!("(push 1)\n{}", self.declarations());
        let mut open = 1;
        for step in &self.steps {
            match step {
                Step::Push => {
                    open += 1;
                    text.push_str("(push 1)\n");
                }
                Step::Pop => {
                    open -= 1;
                    text.push_str("(pop 1)\n");
                }
                Step::Assert { term, .. } => writeln!(text, "(assert {})", self.text(*term)).unwrap(),
                Step::Soft { .. } => {}
                Step::Check { assumptions } if assumptions.is_empty() => text.push_str("(check-sat)\n"),
                Step::Check { assumptions } => {
                    text.push_str("(push 1)\n");
                    for &term in assumptions {
                        writeln!(text, "(assert {})", self.text(term)).unwrap();
                    }
                    text.push_str("(check-sat)\n(pop 1)\n");
                }
            }
        }
        for _ in 0..open {
            text.push_str("(pop 1)\n");
        }
        text
    }

    /// Spreads checks, levels and assumptions over assertions.
    pub fn arrange(random: &mut Random, terms: Terms, assertions: Vec<TermId>) -> Case {
        let constants = terms.constants_in(&all_constants(&terms));
        let flags: Vec<TermId> =
            constants.iter().copied().filter(|&id| terms.sort(id) == Sort::Bool).collect();
        let mut case =
            Case { terms, constants, seed: random.below(8).saturating_sub(3) as u64, steps: Vec::new() };
        let mut open = 0;
        for (index, term) in assertions.into_iter().enumerate() {
            let name = random.once_in(2).then(|| format!("n{index}"));
            case.steps.push(Step::Assert { term, name });
            if random.once_in(5) {
                case.steps.push(Step::Push);
                open += 1;
            }
            if random.once_in(6) {
                case.check(random, &flags);
            }
            if open > 0 && random.once_in(6) {
                case.steps.push(Step::Pop);
                open -= 1;
            }
        }
        case.check(random, &flags);
        if open > 0 {
            case.steps.push(Step::Pop);
            case.check(random, &flags);
        }
        case
    }

    fn check(&mut self, random: &mut Random, flags: &[TermId]) {
        let mut assumptions = Vec::new();
        if !flags.is_empty() && random.once_in(2) {
            for _ in 0..=random.below(3) {
                let flag = *random.pick(flags);
                assumptions.push(if random.once_in(2) { self.terms.not(flag).unwrap() } else { flag });
            }
        }
        self.steps.push(Step::Check { assumptions });
    }

    /// Fewer steps that still fail, by leaving out one after the other.
    pub fn minimise(&mut self, fails: impl Fn(&Case) -> bool) {
        let mut index = 0;
        while index < self.steps.len() {
            let removed = self.steps.remove(index);
            if self.is_balanced() && fails(self) {
                continue;
            }
            self.steps.insert(index, removed);
            index += 1;
        }
    }

    fn is_balanced(&self) -> bool {
        let mut open = 0_i32;
        self.steps.iter().all(|step| {
            open += match step {
                Step::Push => 1,
                Step::Pop => -1,
                _ => 0,
            };
            open >= 0
        })
    }
}

/// How many answers each check has in [`Case::script`], its own included.
pub const ANSWERS: usize = 4;

fn all_constants(terms: &Terms) -> Vec<TermId> {
    // Every constant that a generator makes is named by a letter and a number.
    let names = ["b", "o", "v", "r"].into_iter().flat_map(|kind| (0..256).map(move |n| format!("{kind}{n}")));
    names.filter_map(|name| terms.find_constant(&name)).collect()
}
