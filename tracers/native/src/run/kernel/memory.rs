//! Mappings: made by the kernel, placed by us.

use super::Call;
use crate::memory::Protection;
use crate::run::error::RunError;
use crate::run::machine::Machine;

const PAGE: u64 = 4096;

fn pages(length: u64) -> u64 {
    length.saturating_add(PAGE - 1) & !(PAGE - 1)
}

/// What a `PROT_*` argument allows.
pub(crate) fn protection(bits: u64) -> Protection {
    let has = |bit: i32| bits & bit as u64 != 0;
    Protection { read: has(libc::PROT_READ), write: has(libc::PROT_WRITE), execute: has(libc::PROT_EXEC) }
}

impl Machine {
    pub(super) fn mapping_call(&mut self, t: usize, call: Call) -> Result<i64, RunError> {
        let [address, length, third, fourth, ..] = call.arguments;
        let length = pages(length);
        match call.number {
            libc::SYS_mmap => self.map(t, call),
            libc::SYS_munmap => {
                let result = self.raw_call(call.number, [address, length, 0, 0, 0, 0])?;
                if result == 0 {
                    self.shadow.clear(address, length);
                    self.space.unmap(address..address.saturating_add(length));
                    self.code.invalidate(address..address.saturating_add(length));
                }
                Ok(result)
            }
            libc::SYS_mprotect => {
                // What was written while it was writable must be there before it no longer is.
                self.write_back()?;
                let result = self.raw_call(call.number, [address, length, third, 0, 0, 0])?;
                if result == 0 {
                    self.space.protect(address..address.saturating_add(length), protection(third));
                }
                Ok(result)
            }
            libc::SYS_mremap => self.remap(t, address, length, pages(third), fourth),
            _ => self.brk(address),
        }
    }

    fn map(&mut self, t: usize, call: Call) -> Result<i64, RunError> {
        let [wanted, length, bits, flags, descriptor, offset] = call.arguments;
        let fixed = flags & (libc::MAP_FIXED | libc::MAP_FIXED_NOREPLACE) as u64 != 0;
        let size = pages(length);
        let place = if fixed || size == 0 {
            wanted
        } else {
            match self.place(t, size) {
                Some(place) => place,
                None => return Ok(super::error(libc::ENOMEM)),
            }
        };
        // MAP_FIXED_NOREPLACE, so that a mistake of ours can never cut a hole into the program.
        let flags_here = if fixed { flags } else { flags | libc::MAP_FIXED_NOREPLACE as u64 };
        // A mapping may replace one that has changes of ours, and a shared file mapping must show them.
        self.write_back()?;
        let result = self.raw_call(call.number, [place, length, bits, flags_here, descriptor, offset])?;
        if !(-4095..0).contains(&result) {
            let range = result as u64..result as u64 + size;
            self.shadow.clear(range.start, size);
            self.space.unmap(range.clone());
            self.code.invalidate(range.clone());
            self.space.map(range, protection(bits));
            if flags & libc::MAP_ANONYMOUS as u64 == 0 && bits & libc::PROT_EXEC as u64 != 0 {
                self.add_images()?;
            }
        }
        Ok(result)
    }

    /// The next free place for a mapping of this thread, with a gap behind it that catches overruns.
    pub(crate) fn place(&mut self, t: usize, size: u64) -> Option<u64> {
        let thread = &mut self.threads[t];
        let area = thread.slot.mappings();
        let start = area.start.checked_add(thread.mapped)?;
        let end = start.checked_add(size)?;
        if end > area.end {
            return None;
        }
        thread.mapped += size + PAGE;
        Some(start)
    }

    fn remap(
        &mut self,
        t: usize,
        old: u64,
        old_size: u64,
        new_size: u64,
        flags: u64,
    ) -> Result<i64, RunError> {
        if flags & !(libc::MREMAP_MAYMOVE as u64) != 0 || old_size == 0 {
            return Ok(super::error(libc::EINVAL));
        }
        self.write_back()?;
        if new_size <= old_size {
            let result = self.raw_call(libc::SYS_mremap, [old, old_size, new_size, 0, 0, 0])?;
            if result as u64 == old {
                self.shadow.clear(old + new_size, old_size - new_size);
                self.space.unmap(old + new_size..old + old_size);
            }
            return Ok(result);
        }
        if flags & libc::MREMAP_MAYMOVE as u64 == 0 {
            return Ok(super::error(libc::ENOMEM));
        }
        let Some(place) = self.place(t, new_size) else { return Ok(super::error(libc::ENOMEM)) };
        let protection = self.space.protection(old);
        let flags = (libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED) as u64;
        let result = self.raw_call(libc::SYS_mremap, [old, old_size, new_size, flags, place, 0])?;
        if result as u64 == place {
            self.shadow.copy(old, place, old_size);
            self.shadow.clear(old, old_size);
            self.space.unmap(old..old + old_size);
            self.space.map(place..place + new_size, protection.unwrap_or(protection_of_data()));
            self.update_marks();
        }
        Ok(result)
    }

    fn brk(&mut self, wanted: u64) -> Result<i64, RunError> {
        let before = self.kernel.brk;
        self.write_back()?;
        let result = self.raw_call(libc::SYS_brk, [wanted, 0, 0, 0, 0, 0])? as u64;
        let (low, high) = (pages(before.min(result)), pages(before.max(result)));
        if before != 0 && low < high {
            match result > before {
                true => self.space.map(low..high, protection_of_data()),
                false => self.space.unmap(low..high),
            }
        }
        self.kernel.brk = result;
        Ok(result as i64)
    }
}

fn protection_of_data() -> Protection {
    Protection { read: true, write: true, execute: false }
}
