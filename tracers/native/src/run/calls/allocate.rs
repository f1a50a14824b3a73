//! `malloc` and its family.

use warpath_trace::event::{FailureKind, Op};
use warpath_trace::ids::StringId;
use warpath_trace::place::{Object, ObjectClass};

use super::Function;
use crate::memory::Protection;
use crate::run::action::Action;
use crate::run::error::RunError;
use crate::run::heap::{Block, MARGIN};
use crate::run::kernel::Next;
use crate::run::machine::Machine;
use crate::run::outcome::{End, Failure};

impl Machine {
    pub(super) fn allocation(&mut self, t: usize, function: Function) -> Result<Next, RunError> {
        // What else is in the registers of arguments is a leftover, not an argument.
        self.concretise_arguments(
            t,
            match function {
                Function::PosixMemalign => 3,
                Function::Calloc | Function::Memalign | Function::Realloc => 2,
                _ => 1,
            },
        )?;
        let (first, second, third) = (self.argument(t, 0), self.argument(t, 1), self.argument(t, 2));
        let result = match function {
            Function::Malloc => self.allocate(t, first, 16)?,
            Function::Calloc => match first.checked_mul(second) {
                Some(size) => self.allocate(t, size, 16)?,
                None => None,
            },
            Function::Memalign => self.allocate(t, second, first.next_power_of_two())?,
            Function::Valloc => self.allocate(t, first, 4096)?,
            Function::PosixMemalign => {
                if !second.is_power_of_two() || second % 8 != 0 {
                    return Ok(self.return_from(t, libc::EINVAL as u64));
                }
                let Some(address) = self.allocate(t, third, second)? else {
                    return Ok(self.return_from(t, libc::ENOMEM as u64));
                };
                self.kernel_write(t, first, &address.to_le_bytes())?;
                return Ok(self.return_from(t, 0));
            }
            Function::UsableSize => {
                let size = self.heap.block_at(first).map_or(0, |block| block.size);
                return Ok(self.return_from(t, size));
            }
            Function::Realloc => return self.reallocate(t, first, second),
            _ => return self.free(t, first),
        };
        if result.is_none() {
            self.set_errno(t, libc::ENOMEM);
        }
        Ok(self.return_from(t, result.unwrap_or(0)))
    }

    /// A block for the caller of the function at whose entry the thread stands.
    fn allocate(&mut self, t: usize, size: u64, align: u64) -> Result<Option<u64>, RunError> {
        let library = self.called_by_library(t);
        let thread = &self.threads[t];
        let (slot, owner, key) = (thread.slot, thread.ix, thread.key.clone());
        let Some(room) = self.heap.room(slot, library, size, align) else { return Ok(None) };
        if let Some((address, length)) = room.map {
            let flags =
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE | libc::MAP_NORESERVE;
            let bits = (libc::PROT_READ | libc::PROT_WRITE) as u64;
            let result = self.raw_call(libc::SYS_mmap, [address, length, bits, flags as u64, u64::MAX, 0])?;
            if result as u64 != address {
                return Ok(None);
            }
            self.space.map(address..address + length, Protection::READ_WRITE);
        }
        let address = room.address;
        let mut object = None;
        if !library {
            let name = format!("heap {key}#{}", room.nth);
            let name =
                if name.is_empty() { StringId::EMPTY } else { self.recorder.string(name.as_bytes())? };
            let entry = Object { class: ObjectClass::Heap, owner: Some(owner), nth: room.nth, size, name };
            let id = self.recorder.heap_object(address, entry)?;
            self.record(t, Op::Alloc { object: id, size, address })?;
            object = Some(id);
            self.space.mark_shared(address + size..address + size + MARGIN);
        }
        let block = Block { address, size, owner, key, nth: room.nth, freed: false, library, object };
        if !library {
            self.meet(&block.name(), address);
        }
        self.heap.insert(block);
        Ok(Some(address))
    }

    fn reallocate(&mut self, t: usize, old: u64, size: u64) -> Result<Next, RunError> {
        if old == 0 {
            let result = self.allocate(t, size, 16)?;
            return Ok(self.return_from(t, result.unwrap_or(0)));
        }
        let Some(block) = self.heap.block(old).cloned() else { return self.free(t, old) };
        if block.freed {
            return Ok(Next::End(End::Failed(self.bad_free(old))));
        }
        let Some(address) = self.allocate(t, size, 16)? else {
            self.set_errno(t, libc::ENOMEM);
            return Ok(self.return_from(t, 0));
        };
        let length = block.size.min(size);
        if let Some(bytes) = self.peek(old, length as usize) {
            self.space.note_access(old..old + length, false);
            self.kernel_write(t, address, &bytes)?;
            self.shadow.copy(old, address, length);
            self.update_marks();
        }
        self.discard(t, old)?;
        Ok(self.return_from(t, address))
    }

    fn free(&mut self, t: usize, address: u64) -> Result<Next, RunError> {
        if address == 0 {
            return Ok(self.return_from(t, 0));
        }
        // From before the tracer served storage: the loader's own.
        let foreign = self.own_of_library(address) || crate::run::layout::Slot::of_heap(address).is_none();
        match self.heap.block(address) {
            None if foreign => Ok(self.return_from(t, 0)),
            Some(block) if block.library => {
                block.freed = true;
                Ok(self.return_from(t, 0))
            }
            _ => Ok(Next::Poise(Action::Free { address })),
        }
    }

    /// Gives a block back, as an event.
    pub(crate) fn free_block(&mut self, t: usize, address: u64) -> Result<Next, RunError> {
        match self.heap.block(address) {
            Some(block) if !block.freed => {}
            _ => return Ok(Next::End(End::Failed(self.bad_free(address)))),
        }
        self.discard(t, address)?;
        Ok(self.return_from(t, 0))
    }

    fn discard(&mut self, t: usize, address: u64) -> Result<(), RunError> {
        let Some(block) = self.heap.block(address) else { return Ok(()) };
        block.freed = true;
        let (size, object) = (block.size, block.object);
        if let Some(object) = object {
            self.record(t, Op::Free { object })?;
        }
        // To whoever else accesses it, giving it back is as good as a write.
        self.space.note_access(address..address + size, true);
        self.space.mark_shared(address..address + size.max(1));
        Ok(())
    }

    fn bad_free(&self, address: u64) -> Failure {
        let (kind, message) = match self.heap.block_at(address) {
            Some(block) if block.freed => (
                FailureKind::DoubleFree,
                format!("storage of {} bytes ({}) is freed twice", block.size, block.name()),
            ),
            Some(block) => (
                FailureKind::InvalidFree,
                format!(
                    "{:#x} is freed, which is {} bytes into {}",
                    address,
                    address - block.address,
                    block.name()
                ),
            ),
            None => (FailureKind::InvalidFree, format!("{address:#x} is freed, which was never allocated")),
        };
        Failure { address: Some(address), ..Failure::new(kind, message) }
    }

    /// Is the function at whose entry the thread stands called from within the C library?
    pub(crate) fn called_by_library(&mut self, t: usize) -> bool {
        let site = self.call_site(t);
        self.images.is_c_library(site)
    }
}
