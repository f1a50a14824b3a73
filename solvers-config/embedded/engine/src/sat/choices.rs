//! Choices: one of some literals must be true, but only if something asks for it.
//!
//! What a read finds matters only if the read is executed. So its variables are decided upon when that is known to be
//! so, and else last of all, and false: a search that executes nothing but what is asked for meets fewer conflicts. All
//! this is about the order of decisions alone, so a choice may go on being known when what asked for it has been popped.

use super::literal::{Lit, Var};
use super::{Sat, Theory};

const NONE: u32 = u32::MAX;

#[derive(Debug)]
struct Choice {
    options: Vec<Lit>,
    /// One of the options must be true if one of these is. Without any, a choice counts as asked for.
    askers: Vec<Lit>,
}

#[derive(Debug, Default)]
pub(super) struct Choices {
    all: Vec<Choice>,
    /// By variable: the choice that it is an option of.
    of_var: Vec<u32>,
    /// By literal: what it asks for.
    asks: Vec<Vec<u32>>,
    /// Options that nothing asked for when it was their turn, each once; and by variable, whether it is there.
    idle: Vec<Var>,
    is_idle: Vec<bool>,
}

impl Choices {
    fn number(&self, var: Var) -> Option<u32> {
        self.of_var.get(var.index()).copied().filter(|&number| number != NONE)
    }

    fn of(&self, var: Var) -> Option<&Choice> {
        Some(&self.all[self.number(var)? as usize])
    }
}

impl<T: Theory> Sat<T> {
    /// One of these must be true if something asks for it, as [`Sat::may_ask`] will be told.
    pub(crate) fn add_choice(&mut self, options: impl Iterator<Item = Lit>) {
        let number = self.choices.all.len() as u32;
        let options: Vec<Lit> = options.filter(|&option| self.fixed(option).is_none()).collect();
        for option in &options {
            let var = option.var().index();
            if self.choices.of_var.len() <= var {
                self.choices.of_var.resize(var + 1, NONE);
                self.choices.is_idle.resize(var + 1, false);
            }
            self.choices.of_var[var] = number;
        }
        self.choices.all.push(Choice { options, askers: Vec::new() });
    }

    /// A clause of the question asks for a choice if it has options of it and one other literal, which is then tried
    /// false. That of a level does not count.
    pub(crate) fn may_ask(&mut self, clause: &[Lit], level: Option<Lit>) {
        let Some(number) = clause.iter().find_map(|literal| self.choices.number(literal.var())) else {
            return;
        };
        let choice = &mut self.choices.all[number as usize];
        let (options, others): (Vec<Lit>, Vec<Lit>) = clause
            .iter()
            .filter(|&&literal| Some(literal) != level)
            .partition(|it| choice.options.contains(it));
        let (false, &[other]) = (options.is_empty(), &others[..]) else { return };
        let asker = !other;
        choice.askers.push(asker);
        if self.choices.asks.len() <= asker.index() {
            self.choices.asks.resize_with(asker.index() + 1, Vec::new);
        }
        self.choices.asks[asker.index()].push(number);
        self.steady[asker.var().index()] = true;
    }

    /// A literal became true: what it asks for is to be decided upon.
    pub(super) fn ask(&mut self, literal: Lit) {
        let Some(asked) = self.choices.asks.get(literal.index()) else { return };
        for &number in asked {
            for option in &self.choices.all[number as usize].options {
                if self.values[option.index()] == 0 {
                    self.heap.insert(option.var());
                }
            }
        }
    }

    /// If nothing asks for a variable, it is put aside.
    pub(super) fn put_aside(&mut self, var: Var) -> bool {
        let Some(choice) = self.choices.of(var) else { return false };
        let is_true = |asker: &Lit| self.values[asker.index()] > 0;
        let is_idle = !choice.askers.is_empty() && !choice.askers.iter().any(is_true);
        if is_idle && !std::mem::replace(&mut self.choices.is_idle[var.index()], true) {
            self.choices.idle.push(var);
        }
        is_idle
    }

    /// The next option that was put aside, to be false.
    pub(super) fn next_idle(&mut self) -> Option<Lit> {
        while let Some(var) = self.choices.idle.pop() {
            self.choices.is_idle[var.index()] = false;
            if self.values[var.positive().index()] == 0 {
                let options = &self.choices.of(var)?.options;
                return options.iter().find(|option| option.var() == var).map(|&option| !option);
            }
        }
        None
    }
}
