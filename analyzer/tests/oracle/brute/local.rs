//! What a thread does between two visible events.

use super::Explorer;
use super::code::Op;
use super::state::{Life, State};
use crate::oracle::decision::Decision;
use crate::oracle::program::ThreadNr;

impl Explorer<'_> {
    /// Does what is local from where the thread stands; one state for each value of the inputs taken.
    pub(super) fn settle(&mut self, state: State, nr: ThreadNr) -> Vec<State> {
        let mut moving = vec![state];
        let mut settled = Vec::new();
        while let Some(mut state) = moving.pop() {
            let at = usize::from(state.threads[nr].at);
            let instruction = self.code[nr][at].clone();
            if state.threads[nr].life != Life::Alive || !instruction.op.is_local() {
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
                thread.set(*to, value, symbolic);
                next
            }
            Op::Unless(condition, otherwise) => {
                let holds = thread.holds(condition);
                decision = thread.depends(condition).then_some(Decision::Branch(holds));
                if holds { next } else { *otherwise }
            }
            Op::Jump(target) => *target,
            Op::Select(on, cases, default) => {
                let value = thread.value(on);
                decision = thread.is_symbolic(on).then_some(Decision::Switch(value));
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
        if let Some(decision) = decision {
            self.decide(state, nr, decision);
        }
    }

    pub(super) fn decide(&mut self, state: &mut State, nr: ThreadNr, decision: Decision) {
        let history = &mut state.threads[nr].history;
        *history = self.histories[nr].extend(*history, decision);
    }
}
