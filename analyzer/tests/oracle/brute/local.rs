//! What a thread does between two visible events.

use super::Explorer;
use super::code::Op;
use super::state::{Life, State};
use crate::oracle::decision::{Decision, View};
use crate::oracle::program::ThreadNr;

impl Explorer<'_> {
    /// Does what is local from where the thread stands; one state for each value of the inputs taken.
    pub(super) fn settle(&mut self, state: State, nr: ThreadNr) -> Vec<State> {
        let mut moving = vec![state];
        let mut settled = Vec::new();
        while let Some(mut state) = moving.pop() {
            let at = usize::from(state.threads[nr].at);
            let instruction = self.code[nr][at].clone();
            let over = state.threads[nr].life != Life::Alive || self.is_outside(&state);
            if over || !instruction.op.is_local() {
                settled.push(state);
                continue;
            }
            if let Op::Input(to, input) = instruction.op {
                for &value in &self.domains[input] {
                    let mut next = state.clone();
                    next.threads[nr].set(to, value, true);
                    next.threads[nr].at += 1;
                    moving.push(next);
                }
                continue;
            }
            self.local(&mut state, nr, instruction.id, &instruction.op);
            moving.push(state);
        }
        settled
    }

    fn local(&mut self, state: &mut State, nr: ThreadNr, id: u32, op: &Op) {
        let thread = &mut state.threads[nr];
        let next = usize::from(thread.at) + 1;
        let mut decision = None;
        let target = match op {
            Op::Assign(to, expr) => {
                let (value, symbolic) = (thread.value(expr), thread.is_symbolic(expr));
                let depends = thread.dependence(expr);
                thread.set(*to, value, symbolic);
                thread.set_dependence(*to, depends);
                next
            }
            Op::Unless(condition, otherwise) => {
                let holds = thread.holds(condition);
                decision = thread.depends(condition).then_some(Decision::Branch(holds));
                thread.decides_on(thread.condition_dependence(condition));
                if holds { next } else { *otherwise }
            }
            Op::Jump(target) => *target,
            Op::Select(on, cases, default) => {
                let value = thread.value(on);
                decision = thread.is_symbolic(on).then_some(Decision::Switch(value));
                thread.decides_on(thread.dependence(on));
                cases.iter().find(|(case, _)| *case == value).map_or(*default, |(_, target)| *target)
            }
            Op::Assume(condition) => {
                if !thread.holds(condition) {
                    thread.life = Life::Stopped;
                    thread.forget();
                }
                next
            }
            Op::Assert(condition) => {
                let holds = thread.holds(condition);
                decision = Some(Decision::Assert(holds));
                thread.decides_on(thread.condition_dependence(condition));
                if !holds {
                    self.truth.failures.insert((nr, id));
                    thread.life = Life::Stopped;
                    thread.forget();
                }
                next
            }
            other => unreachable!("{other:?} is not local, or has been dealt with"),
        };
        thread.at = target as u16;
        if let Some(decision) = decision
            && self.view == View::Symbolic
        {
            self.decide(state, nr, decision);
        }
    }

    /// A value was found: a decision, if control is taken to depend on values.
    pub(super) fn found(&mut self, state: &mut State, nr: ThreadNr, decision: Decision) {
        if self.view == View::Pinned {
            self.decide(state, nr, decision);
        }
    }

    pub(super) fn decide(&mut self, state: &mut State, nr: ThreadNr, decision: Decision) {
        if self.view == View::Nothing {
            return;
        }
        let thread = &mut state.threads[nr];
        thread.history = self.histories[nr].extend(thread.history, decision);
        // A decision behind an event has no effect on others: the event may happen and the thread stop there.
        let behind = match decision {
            Decision::Branch(_) | Decision::Switch(_) | Decision::Assert(_) => true,
            Decision::Queued(_) | Decision::Found(_) => true,
            Decision::Acquired(_) | Decision::Woken(_) | Decision::RunsOnce(_) => false,
            Decision::Counted(_) | Decision::Updated(_) => false,
        };
        if behind && self.histories[nr].is_outside(thread.history) {
            thread.life = Life::Stopped;
        }
    }
}
