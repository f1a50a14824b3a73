//! A thread at run time: where it is, what it does next.

use warpath_trace::event::Op;
use warpath_trace::ids::ExprId;

use super::memory::StoreBuffer;
use super::record::Recorder;
use super::values::{Value, truth, value};
use crate::oracle::program::{REGISTERS, Statement, ThreadNr, What};

/// A thread's next visible event, or why it has none.
#[derive(Clone, Copy, Debug)]
pub enum Next<'p> {
    NotForked,
    Begin,
    /// Brings a synchronisation object into being.
    Init(usize),
    Fork(ThreadNr),
    Statement(&'p Statement),
    /// The second half of a wait on a condition.
    Wake {
        statement: &'p Statement,
        wait: usize,
        depth: u32,
    },
    /// The second half of a barrier.
    Leave {
        statement: &'p Statement,
        round: u32,
    },
    /// The second half of a futex wait.
    Resume {
        statement: &'p Statement,
        wait: usize,
    },
    /// The end of a once-only initialiser.
    Finish {
        once: usize,
        id: u32,
    },
    /// The end of an atomic region.
    AtomicEnd {
        id: u32,
    },
    Join(ThreadNr),
    End,
    Ended,
    /// Stopped by an assumption.
    Stopped,
    /// About to record that an assertion does not hold.
    Failing {
        id: u32,
        condition: Option<ExprId>,
    },
}

/// A block under way.
#[derive(Clone, Debug)]
pub struct Frame<'p> {
    pub block: &'p [Statement],
    pub at: usize,
    pub exit: Exit,
}

/// What happens at the end of a block.
#[derive(Clone, Copy, Debug)]
pub enum Exit {
    Nothing,
    /// It is done so many times more.
    Again(u8),
    Finish {
        once: usize,
        id: u32,
    },
    AtomicEnd {
        id: u32,
    },
}

#[derive(Clone, Debug)]
pub struct Thread<'p> {
    pub nr: ThreadNr,
    pub next: Next<'p>,
    pub frames: Vec<Frame<'p>>,
    pub registers: [Value; REGISTERS],
    pub buffer: StoreBuffer,
}

impl<'p> Thread<'p> {
    pub fn new(nr: ThreadNr, body: &'p [Statement]) -> Thread<'p> {
        Thread {
            nr,
            next: if nr == 0 { Next::Begin } else { Next::NotForked },
            frames: vec![Frame { block: body, at: 0, exit: Exit::Nothing }],
            registers: [Value::default(); REGISTERS],
            buffer: StoreBuffer::default(),
        }
    }

    pub fn enter(&mut self, block: &'p [Statement], exit: Exit) {
        self.frames.push(Frame { block, at: 0, exit });
    }

    /// Does what is local and finds the next visible event of the body; `None` at its end. `domains` has the
    /// domain and the value of each input.
    pub fn advance(&mut self, recorder: &mut Recorder, domains: &[(u8, u8)]) -> Option<Next<'p>> {
        while let Some(frame) = self.frames.last_mut() {
            let Some(statement) = frame.block.get(frame.at) else {
                match frame.exit {
                    Exit::Again(left) if left > 0 => {
                        frame.at = 0;
                        frame.exit = Exit::Again(left - 1);
                        continue;
                    }
                    Exit::Finish { once, id } => {
                        self.frames.pop();
                        return Some(Next::Finish { once, id });
                    }
                    Exit::AtomicEnd { id } => {
                        self.frames.pop();
                        return Some(Next::AtomicEnd { id });
                    }
                    Exit::Nothing | Exit::Again(_) => self.frames.pop(),
                };
                continue;
            };
            frame.at += 1;
            if let Some(next) = self.local(statement, recorder, domains) {
                return Some(next);
            }
        }
        None
    }

    /// Does a statement that is local; otherwise answers what stands here.
    fn local(
        &mut self,
        statement: &'p Statement,
        recorder: &mut Recorder,
        domains: &[(u8, u8)],
    ) -> Option<Next<'p>> {
        let id = statement.id;
        match &statement.what {
            What::Assign { to, value: expr } => {
                self.registers[usize::from(*to)] = value(recorder.pool(), &self.registers, expr);
            }
            What::Input { to, input } => {
                let (domain, given) = domains[*input];
                let taken = recorder.input(self.nr, id, *input, given);
                self.registers[usize::from(*to)] = taken;
                let below = super::values::below(recorder.pool(), taken, domain);
                let holds = given < domain;
                recorder.event(self.nr, id, Op::Assume { condition: Some(below), holds });
                if !holds {
                    return Some(Next::Stopped);
                }
            }
            What::If { condition, then, otherwise } => {
                let went = truth(recorder.pool(), &self.registers, condition);
                if let Some(condition) = went.expr {
                    recorder.event(self.nr, id, Op::Branch { condition, taken: went.holds });
                }
                self.enter(if went.holds { then } else { otherwise }, Exit::Nothing);
            }
            What::Switch { on, cases, default } => {
                let on = value(recorder.pool(), &self.registers, on);
                if let Some(expr) = on.expr {
                    recorder.event(self.nr, id, Op::Switch { on: expr, value: on.value.into() });
                }
                let case = cases.iter().find(|(value, _)| *value == on.value);
                self.enter(case.map_or(default, |(_, block)| block), Exit::Nothing);
            }
            What::Repeat { times, body } => {
                if let Some(more) = times.checked_sub(1) {
                    self.enter(body, Exit::Again(more));
                }
            }
            What::Assume { condition } => {
                let found = truth(recorder.pool(), &self.registers, condition);
                recorder.event(self.nr, id, Op::Assume { condition: found.expr, holds: found.holds });
                if !found.holds {
                    return Some(Next::Stopped);
                }
            }
            What::Assert { condition } => {
                let found = truth(recorder.pool(), &self.registers, condition);
                if !found.holds {
                    return Some(Next::Failing { id, condition: found.expr });
                }
                let message = recorder.assertion(id);
                recorder.event(self.nr, id, Op::Assert { condition: found.expr, holds: true, message });
            }
            _ => return Some(Next::Statement(statement)),
        }
        None
    }
}
