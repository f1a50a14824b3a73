//! Loops that wait for another thread by looking again and again.
//!
//! A turn that did nothing but read, and after which its frame has what it had before, is followed by the same turn until
//! one of the values that it read is another: an *await*. What the frames below have cannot have changed meanwhile, and
//! what lies in memory only by writes, which end the turn's innocence.

use warpath_trace::event::Op;

use super::{LiftError, Lifter};
use crate::interpret::Site;
use crate::stream::{AtomicOp, Definitions, Record};

/// The last turn of a loop that a thread has begun.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spin {
    having: u64,
    /// The thread's events at that time.
    events: u32,
    /// Has anything been done since then but to read?
    active: bool,
    /// Was the call under way one that only lets others go on?
    pauses: bool,
}

impl Lifter {
    /// What a record means for the turn that a thread is in.
    pub(super) fn note_activity(&mut self, t: usize, record: &Record) {
        let spin = &mut self.spins[t];
        match record {
            Record::Yield { .. } => spin.pauses = true,
            Record::Return { .. } => spin.active |= !std::mem::take(&mut spin.pauses),
            Record::Atomic(atomic) if atomic.op == AtomicOp::Get => spin.pauses = true,
            Record::GetField { .. }
            | Record::GetStatic { .. }
            | Record::ArrayLoad { .. }
            | Record::Enter { .. }
            | Record::Exit
            | Record::Note { .. } => {}
            _ => spin.active = true,
        }
    }

    /// A loop begins another turn.
    pub(super) fn turn(
        &mut self,
        definitions: &Definitions,
        t: usize,
        site: Site,
        having: u64,
    ) -> Result<(), LiftError> {
        let spin = self.spins[t];
        let window = self.next_event(t) - spin.events;
        let turn = &self.trace.threads[t][spin.events as usize..];
        let reads = turn.iter().any(|event| event.op.read_location().is_some());
        if spin.having == having && !spin.active && reads {
            let at = self.source(definitions, site)?;
            self.push(t, Op::Await { window }, at)?;
        }
        self.spins[t] = Spin { having, events: self.next_event(t), ..Spin::default() };
        Ok(())
    }
}
