//! Memory as the slow path sees it: shared bytes are met one access at a time.
//!
//! An instruction may access shared memory several times (`add [x], 1` reads and writes, with room for another thread
//! between). Each such access is an event of its own: what has been read already is *held* and given to the instruction
//! again when it is tried anew, until it gets to its end.

use std::collections::VecDeque;

use super::action::{Access, AccessKind};
use super::sharing::Sharing;
use super::thread::{Buffered, Held};
use crate::memory::{Memory, Space, Trouble};
use crate::sym;

/// Memory for one try of one instruction.
pub(crate) struct Careful<'a> {
    pub space: &'a mut Space,
    pub sharing: &'a Sharing,
    pub held: &'a [Held],
    pub buffer: &'a VecDeque<Buffered>,
    pub mode: Mode,
    /// The access that it was stopped at.
    pub found: Option<Access>,
    /// The first access to bytes that are watched without being shared: freed storage, margins.
    pub suspect: Option<Access>,
    /// What it did, in order.
    pub done: Vec<Done>,
    /// Held reads that were used.
    pub used: usize,
}

/// How a try treats shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// It stops at the first access to shared memory that is not held. Stores are not made.
    Probe,
    /// Everything is executed; stores to shared memory wait in the buffer if `buffered`.
    Execute {
        /// Do stores to shared memory wait?
        buffered: bool,
    },
}

/// An access that was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Done {
    pub address: u64,
    pub size: u8,
    pub value: u128,
    /// What a store found there.
    pub old: u128,
    pub kind: DoneKind,
}

/// What kind of access it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DoneKind {
    /// A load of memory that is not shared.
    Load,
    /// A load of shared memory within an atomic instruction.
    SharedLoad,
    /// A load whose value was held: the n-th.
    HeldLoad(usize),
    /// A store.
    Store,
    /// A store to shared memory.
    SharedStore {
        /// Does it wait in the buffer?
        buffered: bool,
    },
}

/// A little-endian number.
pub(crate) fn word(bytes: &[u8]) -> u128 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u128::from(byte))
}

/// What a thread sees at an address: memory with its own buffered writes on top.
pub(crate) fn forwarded(buffer: &VecDeque<Buffered>, address: u64, bytes: &mut [u8]) {
    for write in buffer {
        for (n, byte) in write.bytes.iter().enumerate() {
            let at = write.address.wrapping_add(n as u64).wrapping_sub(address);
            if let Some(target) = usize::try_from(at).ok().and_then(|at| bytes.get_mut(at)) {
                *target = *byte;
            }
        }
    }
}

impl<'a> Careful<'a> {
    /// Memory for a try in this mode, with what the instruction has read before and the thread has not yet written.
    pub(crate) fn new(
        space: &'a mut Space,
        sharing: &'a Sharing,
        held: &'a [Held],
        buffer: &'a VecDeque<Buffered>,
        mode: Mode,
    ) -> Careful<'a> {
        Careful { space, sharing, held, buffer, mode, found: None, suspect: None, done: Vec::new(), used: 0 }
    }

    fn shared(&mut self, address: u64, size: usize, kind: AccessKind) -> bool {
        let range = address..address.wrapping_add(size as u64);
        let shared = self.sharing.overlaps(range.clone());
        if !shared && self.suspect.is_none() && self.space.is_shared(range) {
            self.suspect = Some(Access { address, size: size as u32, kind });
        }
        shared
    }
}

impl Memory for Careful<'_> {
    fn load<const N: usize>(&mut self, address: u64) -> Result<[u8; N], Trouble> {
        let shared = self.shared(address, N, AccessKind::Read);
        let done = |value, kind| Done { address, size: N as u8, value, old: 0, kind };
        if shared
            && let Some(held) =
                self.held.get(self.used).filter(|held| held.address == address && held.bytes.len() == N)
        {
            let mut bytes = [0; N];
            bytes.copy_from_slice(&held.bytes);
            self.done.push(done(word(&bytes), DoneKind::HeldLoad(self.used)));
            self.used += 1;
            return Ok(bytes);
        }
        // Protections first: an access that faults is not an event.
        let mut bytes = self.space.unwatched().load::<N>(address)?;
        if shared && self.mode == Mode::Probe {
            self.found = Some(Access { address, size: N as u32, kind: AccessKind::Read });
            return Err(Trouble::Watched);
        }
        forwarded(self.buffer, address, &mut bytes);
        self.done.push(done(word(&bytes), if shared { DoneKind::SharedLoad } else { DoneKind::Load }));
        Ok(bytes)
    }

    fn store<const N: usize>(&mut self, address: u64, bytes: [u8; N]) -> Result<(), Trouble> {
        let shared = self.shared(address, N, AccessKind::Write);
        match self.mode {
            Mode::Probe => {
                if shared {
                    self.found = Some(Access { address, size: N as u32, kind: AccessKind::Write });
                    return Err(Trouble::Watched);
                }
                // Nothing is written in a probe: a fault shows when the instruction is executed.
                Ok(())
            }
            Mode::Execute { buffered } => {
                let buffered = buffered && shared;
                let mut before = [0; N];
                self.space.read_bytes(address, &mut before)?;
                if buffered {
                    // What is there already: to fault where the store would.
                    self.space.unwatched().store(address, before)?;
                } else {
                    self.space.unwatched().store(address, bytes)?;
                }
                let kind = if shared { DoneKind::SharedStore { buffered } } else { DoneKind::Store };
                self.done.push(Done {
                    address,
                    size: N as u8,
                    value: word(&bytes),
                    old: word(&before),
                    kind,
                });
                Ok(())
            }
        }
    }
}

impl Done {
    /// For the symbolic part; `read` gives the expression of a shared or held load.
    pub(crate) fn symbolic(&self, mut read: impl FnMut(&Done) -> sym::Source) -> sym::Access {
        let kind = match self.kind {
            DoneKind::Load => sym::AccessKind::Read(sym::Source::Memory),
            DoneKind::SharedLoad | DoneKind::HeldLoad(_) => sym::AccessKind::Read(read(self)),
            DoneKind::Store | DoneKind::SharedStore { buffered: false } => sym::AccessKind::Write,
            DoneKind::SharedStore { buffered: true } => sym::AccessKind::Held,
        };
        sym::Access { address: self.address, size: self.size, kind, value: self.value }
    }
}
