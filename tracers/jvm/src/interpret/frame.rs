//! One execution of one method.

use super::value::{Known, Reference, Slot};
use crate::stream::MethodIx;

/// An instruction of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Site {
    pub method: MethodIx,
    pub pc: u32,
}

/// What a frame does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It can go on.
    Running,
    /// The instruction at `pc` needs a record.
    Waiting,
    /// The callee of the call at `pc` has returned this; whether the stream repeats it is not known yet.
    Returned(Option<Slot>),
    /// Whether the cast at `pc` succeeds, or what the test of a type gives, shows in what comes next.
    Doubtful,
    /// An exception is on its way.
    Throwing,
    /// It returns this.
    Returning(Option<Slot>),
    /// What it does is not followed any more.
    Lost,
}

/// One execution of one method.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub method: MethodIx,
    pub pc: u32,
    pub locals: Vec<Slot>,
    pub stack: Vec<Slot>,
    pub state: State,
    /// Was it called by the frame below, whose call is at an end when this one is?
    pub direct: bool,
    /// Of the call that it waits for: what the callee was given has been dealt with.
    pub modelled: bool,
    /// The last instruction that a record named.
    pub last_pc: u32,
}

/// An operand that was needed and is not there, or of another type: the bytecode is not what ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Astray;

impl Frame {
    pub(crate) fn new(method: MethodIx, locals: Vec<Slot>, direct: bool) -> Frame {
        Frame {
            method,
            pc: 0,
            locals,
            stack: Vec::new(),
            state: State::Running,
            direct,
            modelled: false,
            last_pc: 0,
        }
    }

    pub(crate) fn site(&self) -> Site {
        let pc = if self.state == State::Lost { self.last_pc } else { self.pc };
        Site { method: self.method, pc }
    }

    pub(crate) fn push(&mut self, slot: Slot) {
        self.stack.push(slot);
    }

    pub(crate) fn pop(&mut self) -> Result<Slot, Astray> {
        self.stack.pop().ok_or(Astray)
    }

    pub(crate) fn peek(&self, below: usize) -> Result<Slot, Astray> {
        let at = self.stack.len().checked_sub(below + 1).ok_or(Astray)?;
        Ok(self.stack[at])
    }

    pub(crate) fn pop_int(&mut self) -> Result<(i32, Slot), Astray> {
        let slot = self.pop()?;
        match slot.known {
            Known::Int(value) => Ok((value, slot)),
            _ => Err(Astray),
        }
    }

    pub(crate) fn pop_long(&mut self) -> Result<(i64, Slot), Astray> {
        let slot = self.pop()?;
        match slot.known {
            Known::Long(value) => Ok((value, slot)),
            _ => Err(Astray),
        }
    }

    pub(crate) fn pop_reference(&mut self) -> Result<(Reference, Slot), Astray> {
        let slot = self.pop()?;
        match slot.known {
            Known::Reference(reference) => Ok((reference, slot)),
            _ => Err(Astray),
        }
    }

    pub(crate) fn local(&self, index: usize) -> Result<Slot, Astray> {
        self.locals.get(index).copied().filter(|slot| slot.known != Known::Unknown).ok_or(Astray)
    }

    pub(crate) fn set_local(&mut self, index: usize, slot: Slot) -> Result<(), Astray> {
        let wide = slot.is_wide();
        *self.locals.get_mut(index).ok_or(Astray)? = slot;
        if wide && let Some(second) = self.locals.get_mut(index + 1) {
            *second = Slot::concrete(Known::Unknown);
        }
        Ok(())
    }
}
