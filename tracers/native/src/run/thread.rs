//! One thread of the program.

use std::collections::VecDeque;
use std::ops::Range;

use warpath_trace::ids::{ExprId, ThreadIx};
use warpath_trace::thread::ThreadKey;

use super::action::Action;
use super::layout::Slot;
use super::repair::{Progress, Repairing};
use super::spin::Spin;
use crate::cpu::Registers;
use crate::process::FpuImage;
use crate::sym::{Stored, ThreadShadow};

/// A thread: a register file, and what it is about to do.
#[derive(Clone, Debug)]
pub(crate) struct Thread {
    /// Its name in every run.
    pub key: ThreadKey,
    /// Its place in the trace.
    pub ix: ThreadIx,
    /// Where its memory lies.
    pub slot: Slot,
    /// What the program sees as its thread id.
    pub tid: i32,
    /// Its registers.
    pub registers: Registers,
    /// What else the hardware keeps for it, once an instruction needed that.
    pub fpu: Option<FpuImage>,
    /// Symbolic values in its registers.
    pub shadow: ThreadShadow,
    /// What it does next.
    pub state: State,
    /// Values that its current instruction has read already.
    pub held: Vec<Held>,
    /// Writes that have not reached memory.
    pub buffer: VecDeque<Buffered>,
    /// Its stack.
    pub stack: Range<u64>,
    /// Word to clear when it ends.
    pub clear_tid: u64,
    /// Threads it has created.
    pub forks: u32,
    /// Bytes of address space that it has used for mappings.
    pub mapped: u64,
    /// Visible events so far.
    pub visible: u64,
    /// Its events up to here have been accounted for by a schedule.
    pub accounted: usize,
    /// How deep it is in atomic regions.
    pub atomic: u32,
    /// Instructions since its last visible step.
    pub alone: u64,
    /// It slept or yielded: another thread should have a turn.
    pub yielded: bool,
    /// Blocked signals.
    pub signal_mask: u64,
    /// Stack for signal handlers: address and size.
    pub signal_stack: (u64, u64),
    /// Calls into modelled functions that have to return here before they are over.
    pub returns: Vec<super::calls::Return>,
    /// The variable for what an atomic instruction under way has read.
    pub updating: Option<ExprId>,
    /// What the last instruction put into the store buffer.
    pub stored: Vec<Stored>,
    /// Execute the instruction at a hooked address instead of what it stands for.
    pub pass: bool,
    /// A fence has been recorded: the instruction itself is still to be executed.
    pub fenced: bool,
    /// A system call that is tried again until this (virtual) time.
    pub retrying: Option<Option<u64>>,
    /// Start routine and argument of the thread that it is about to create.
    pub starting: Option<Starting>,
    /// Its last Rust panic.
    pub panic: Option<super::calls::Panic>,
    /// Its start routine.
    pub start: u64,
    /// How the C library calls it.
    pub handle: u64,
    /// Idle turns of a loop.
    pub spin: Spin,
    /// Its way through the places of a repair.
    pub progress: Progress,
    /// Steps of a repair that it takes before what it is about to do.
    pub repairing: Option<Repairing>,
    /// They have been taken.
    pub repaired: bool,
}

/// What a thread does next.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum State {
    /// It has invisible instructions to execute.
    Running,
    /// It is about to do this.
    Poised(Action),
    /// It is gone.
    Ended,
}

/// The thread that a call of `pthread_create` is about to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Starting {
    /// The start routine.
    pub start: u64,
    /// Its argument.
    pub argument: u64,
    /// The call.
    pub site: u64,
}

/// A value that the current instruction has read as an event of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    pub address: u64,
    pub bytes: Vec<u8>,
    /// The variable for it.
    pub expr: Option<ExprId>,
}

/// A write that is in the thread's store buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Buffered {
    pub address: u64,
    pub bytes: Vec<u8>,
    /// Index of the write among the thread's events.
    pub event: u32,
    /// Its symbolic value.
    pub expr: Option<ExprId>,
}

impl Thread {
    /// A thread that has not begun.
    pub(crate) fn new(key: ThreadKey, ix: ThreadIx, slot: Slot, tid: i32, registers: Registers) -> Thread {
        Thread {
            key,
            ix,
            slot,
            tid,
            registers,
            fpu: None,
            shadow: ThreadShadow::new(),
            state: State::Poised(Action::Begin),
            held: Vec::new(),
            buffer: VecDeque::new(),
            stack: 0..0,
            clear_tid: 0,
            forks: 0,
            mapped: 0,
            visible: 0,
            accounted: 0,
            atomic: 0,
            alone: 0,
            yielded: false,
            signal_mask: 0,
            signal_stack: (0, 0),
            returns: Vec::new(),
            updating: None,
            stored: Vec::new(),
            pass: false,
            fenced: false,
            retrying: None,
            starting: None,
            panic: None,
            start: 0,
            handle: 0,
            spin: Spin::default(),
            progress: Progress::default(),
            repairing: None,
            repaired: false,
        }
    }

    pub(crate) fn pending(&self) -> Option<&Action> {
        match &self.state {
            State::Poised(action) => Some(action),
            State::Running | State::Ended => None,
        }
    }

    pub(crate) fn pending_mut(&mut self) -> Option<&mut Action> {
        match &mut self.state {
            State::Poised(action) => Some(action),
            State::Running | State::Ended => None,
        }
    }

    pub(crate) fn alive(&self) -> bool {
        self.state != State::Ended
    }
}
