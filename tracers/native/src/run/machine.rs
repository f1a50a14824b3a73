//! The state of one run: the native process, memory, threads, and everything that is modelled.

use std::collections::BTreeMap;

use super::careful::word;
use super::error::RunError;
use super::heap::Heap;
use super::kernel::Kernel;
use super::layout::Slots;
use super::options::RunOptions;
use super::record::Recorder;
use super::sharing::Sharing;
use super::sync::Objects;
use super::thread::Thread;
use crate::cpu::Code;
use crate::memory::Space;
use crate::names::Images;
use crate::process::{FpuImage, Stopped, from_native, to_native};
use crate::sym::Shadow;

/// Everything there is about one run.
pub(crate) struct Machine {
    pub process: Stopped,
    pub native: Native,
    pub space: Space,
    pub code: Code,
    pub images: Images,
    pub threads: Vec<Thread>,
    /// The thread whose turn it is.
    pub current: usize,
    pub slots: Slots,
    pub kernel: Kernel,
    pub heap: Heap,
    pub objects: Objects,
    pub keys: super::calls::Keys,
    pub shadow: Shadow,
    pub owners: super::flow::Owners,
    pub recorder: Recorder,
    pub sharing: Sharing,
    /// What of it is accessed too often to be followed.
    pub hot: Sharing,
    /// What of it is watched.
    pub watched: Sharing,
    /// What is shared by name; its addresses are found as the program goes.
    pub known: super::known::Known,
    /// Is sharing looked for before the first thread is started? Needed where inputs decide what is written there.
    pub early: bool,
    pub hooks: super::calls::Hooks,
    pub options: RunOptions,
    /// What the program is taken to have been changed by.
    pub repair: super::repair::Repair,
    /// What the program has written, if that is kept.
    pub output: Vec<(i32, Vec<u8>)>,
    /// Does the run end when `main` is reached?
    pub stop_at_main: bool,
    /// Instructions that a thread may execute without a visible step before others get a turn.
    pub patience: u64,
    /// Instructions at which threads were seen to spin.
    pub spin_sites: rustc_hash::FxHashSet<u64>,
    /// Bytes of thread-local variables of the program itself.
    pub thread_locals: u64,
    /// Bytes were found to be shared that were not known before.
    pub grown: bool,
    /// Values of inputs in a plain run, by name.
    pub environment: rustc_hash::FxHashMap<String, String>,
    /// Where threads stand with respect to a recorded run.
    pub standings: super::guided::Standings,
    /// Steps of the schedule that were left out.
    pub skipped: u64,
    /// Something may have happened that threads wait for outside the program.
    pub outside_changed: bool,
    /// What was approximated, and how often.
    pub approximations: BTreeMap<&'static str, u64>,
    /// Instructions interpreted so far.
    pub instructions: u64,
    /// Instructions that the hardware executed.
    pub hardware_steps: u64,
}

/// What the native process needs to be used.
#[derive(Clone, Debug)]
pub(crate) struct Native {
    /// Address of a `syscall` instruction of ours.
    pub syscall: u64,
    /// Where functions that we call on the program's behalf return to; hooked.
    pub landing: u64,
    /// The stack pointer at the program's first instruction: its arguments and environment.
    pub first_sp: u64,
    /// A page of ours for arguments of system calls.
    pub scratch: u64,
    /// Registers that the interpreter does not keep (segments).
    pub base: libc::user_regs_struct,
    /// Vector state of a thread that has not used any.
    pub fpu: FpuImage,
}

impl Machine {
    /// Counts something that is not followed exactly.
    pub(crate) fn approximate(&mut self, what: &'static str) {
        *self.approximations.entry(what).or_default() += 1;
    }

    /// Writes what the interpreter changed back to the native process.
    pub(crate) fn write_back(&mut self) -> Result<(), RunError> {
        {
            let dirty = self.space.dirty();
            let pieces: Vec<(u64, &[u8])> =
                dirty.iter().map(|(address, page)| (*address, &page[..])).collect();
            self.process.write_all(&pieces)?;
        }
        self.space.clean();
        Ok(())
    }

    /// Makes a system call in the native process, without looking at what it does to memory.
    pub(crate) fn raw_call(&mut self, number: i64, arguments: [u64; 6]) -> Result<i64, RunError> {
        Ok(self.process.system_call(self.native.syscall, number as u64, arguments)?)
    }

    /// Makes a system call that reads or writes the program's memory: `wrote` names what it may have written.
    pub(crate) fn memory_call(
        &mut self,
        number: i64,
        arguments: [u64; 6],
        wrote: &[(u64, u64)],
    ) -> Result<i64, RunError> {
        self.write_back()?;
        let result = self.raw_call(number, arguments)?;
        for &(address, length) in wrote {
            self.space.forget(address..address.saturating_add(length));
        }
        Ok(result)
    }

    /// Lets the hardware execute the instruction at which the thread stands.
    pub(crate) fn hardware_step(&mut self, t: usize) -> Result<crate::process::Stop, RunError> {
        self.write_back()?;
        self.hardware_steps += 1;
        let thread = &mut self.threads[t];
        let mut fpu = thread.fpu.take().unwrap_or_else(|| self.native.fpu.clone());
        fpu.set_xmm(&thread.registers.xmm);
        fpu.set_mxcsr(thread.registers.mxcsr);
        self.process.set_fpu(&fpu)?;
        self.process.set_registers(&to_native(&thread.registers, &self.native.base))?;
        let stop = self.process.step()?;
        from_native(&self.process.registers()?, &mut thread.registers);
        let fpu = self.process.fpu()?;
        thread.registers.xmm = fpu.xmm();
        thread.registers.mxcsr = fpu.mxcsr();
        thread.fpu = Some(fpu);
        Ok(stop)
    }

    /// Lets the process stand for itself: stopped, untraced, with the memory and the registers of the thread that ran
    /// last. Any debugger may attach, and the process ends with the one that it was forked from.
    pub(crate) fn leave(mut self) -> Result<i32, RunError> {
        self.write_back()?;
        self.raw_call(libc::SYS_prctl, [libc::PR_SET_PDEATHSIG as u64, libc::SIGKILL as u64, 0, 0, 0, 0])?;
        // Where only relatives may attach, a debugger is none. Kernels without that rule refuse, which is as well.
        self.raw_call(libc::SYS_prctl, [libc::PR_SET_PTRACER as u64, u64::MAX, 0, 0, 0, 0])?;
        let thread = &self.threads[self.current];
        let mut fpu = thread.fpu.clone().unwrap_or_else(|| self.native.fpu.clone());
        fpu.set_xmm(&thread.registers.xmm);
        fpu.set_mxcsr(thread.registers.mxcsr);
        self.process.set_fpu(&fpu)?;
        self.process.set_registers(&to_native(&thread.registers, &self.native.base))?;
        let pid = self.process.pid();
        self.process.release(Some(libc::SIGSTOP))?;
        Ok(pid)
    }

    /// Reads the program's memory as the thread sees it without its store buffer.
    pub(crate) fn peek(&mut self, address: u64, length: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.space.read_bytes(address, &mut bytes).ok().map(|()| bytes)
    }

    /// A little-endian word.
    pub(crate) fn peek_word<const N: usize>(&mut self, address: u64) -> Option<u64> {
        let bytes = self.peek(address, N)?;
        Some(word(&bytes) as u64)
    }

    /// A string that ends with a zero byte, cut after `limit` bytes.
    pub(crate) fn peek_string(&mut self, address: u64, limit: usize) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        while text.len() < limit {
            let [byte] = self.peek(address + text.len() as u64, 1)?[..] else { return None };
            if byte == 0 {
                break;
            }
            text.push(byte);
        }
        Some(text)
    }

    /// Changes the program's memory on behalf of the kernel or a modelled function: what is written is concrete.
    pub(crate) fn poke(&mut self, address: u64, bytes: &[u8]) -> bool {
        self.shadow.clear(address, bytes.len() as u64);
        self.space.write_bytes(address, bytes).is_ok()
    }
}

/// Eight bytes of memory, as the tracer itself sees them.
pub(crate) fn word_at(space: &mut Space, address: u64) -> Option<u64> {
    let mut bytes = [0; 8];
    space.read_bytes(address, &mut bytes).ok().map(|()| u64::from_le_bytes(bytes))
}
