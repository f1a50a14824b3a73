//! Functions that are modelled instead of executed, or watched when they are called.
//!
//! A modelled function never blocks in the kernel: it becomes a step that the scheduler can choose once it is possible.

mod allocate;
mod failures;
mod inputs;
mod keys;
mod panics;
mod synchronise;
mod table;

pub(crate) use keys::{Keys, SIZE as KEY_SIZE};
pub(crate) use panics::Panic;
pub(crate) use table::{ATOMIC_PREFIX, FUNCTIONS, Function, Hooks, RUST_FUNCTIONS, SyncCall};

use super::error::RunError;
use super::kernel::Next;
use super::machine::Machine;
use super::outcome::{End, Why};
use super::thread::Starting;
use crate::cpu::Gpr;

/// Something to do when a function that the program called for us returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Return {
    /// A function that is atomic as a whole.
    Atomic {
        /// Where its call returns to.
        to: u64,
        /// The stack pointer at its entry.
        sp: u64,
    },
    /// The initialiser of a once object.
    Once {
        /// The object.
        once: u64,
        /// Where the call that asked for it returns to.
        to: u64,
        /// The stack pointer there.
        sp: u64,
    },
    /// The C library's own making of a key.
    Key {
        /// The function's first instruction.
        entry: u64,
        /// The stack pointer there.
        sp: u64,
        /// Where the C library puts its number.
        number: u64,
        /// Where the program wants the key.
        into: u64,
    },
}

impl Machine {
    /// The thread stands at the entry of a function that is modelled or watched.
    pub(crate) fn hooked(&mut self, t: usize) -> Result<Next, RunError> {
        let rip = self.threads[t].registers.rip;
        let Some(function) = self.hooks.get(rip) else { return self.pass(t) };
        if function.goes_on_inside() && self.called_by_recorder(t) {
            return self.pass(t);
        }
        use Function as F;
        match function {
            F::Malloc
            | F::Calloc
            | F::Realloc
            | F::Free
            | F::Memalign
            | F::PosixMemalign
            | F::Valloc
            | F::UsableSize => self.allocation(t, function),
            F::WarpathInput | F::KleeMakeSymbolic | F::Nondet { .. } | F::Rand => {
                self.input_call(t, function)
            }
            F::Assume
            | F::WarpathAssert
            | F::AssertFail
            | F::ReachError
            | F::Terminate
            | F::RustPanic
            | F::RustCaught
            | F::StackSmashed => self.claim(t, function),
            F::KeyCreate | F::KeyDelete | F::KeyUse => self.key_call(t, function),
            F::Create => {
                let (start, argument) = (self.argument(t, 2), self.argument(t, 3));
                let site = self.site(t);
                self.threads[t].starting = Some(Starting { start, argument, site });
                self.pass(t)
            }
            F::StartMain => {
                let main = self.argument(t, 0);
                self.hooks.insert(main, F::Main);
                self.code.hook(main);
                self.pass(t)
            }
            F::Main => {
                self.pass(t)?;
                Ok(if self.stop_at_main { Next::End(End::Stopped(Why::Main)) } else { Next::Go })
            }
            F::Sync(call) => self.sync_call(t, call),
        }
    }

    /// A program may be linked to the light recorder, which stands in front of the C library: what was modelled at its
    /// function is not modelled once more at the one behind.
    fn called_by_recorder(&mut self, t: usize) -> bool {
        let site = self.call_site(t);
        self.images.image_at(site).is_some_and(|image| image.name().starts_with("libwarpath_preload"))
    }

    /// Lets the function at whose entry the thread stands return to us.
    pub(crate) fn catch_return(&mut self, t: usize, made: impl FnOnce(u64, u64) -> Return) {
        let (to, sp) = self.return_address(t);
        self.poke(sp, &self.native.landing.to_le_bytes());
        self.threads[t].returns.push(made(to, sp));
    }

    /// Executes the instruction at a hooked address as if there were no hook.
    pub(crate) fn pass(&mut self, t: usize) -> Result<Next, RunError> {
        self.threads[t].pass = true;
        Ok(Next::Go)
    }

    /// The n-th argument of the function at whose entry the thread stands.
    pub(crate) fn argument(&self, t: usize, n: usize) -> u64 {
        const ORDER: [Gpr; 6] = [Gpr::Rdi, Gpr::Rsi, Gpr::Rdx, Gpr::Rcx, Gpr::R8, Gpr::R9];
        self.threads[t].registers.get(ORDER[n])
    }

    /// Returns from the function at whose entry the thread stands.
    pub(crate) fn return_from(&mut self, t: usize, result: u64) -> Next {
        let (to, sp) = self.return_address(t);
        self.land(t, to, sp, Some(result))
    }

    /// A call is over: goes on behind it, with this result or the one that is there.
    pub(crate) fn land(&mut self, t: usize, to: u64, sp: u64, result: Option<u64>) -> Next {
        let thread = &mut self.threads[t];
        thread.registers.rip = to;
        thread.registers.set(Gpr::Rsp, sp + 8);
        if let Some(result) = result {
            thread.registers.set(Gpr::Rax, result);
            thread.shadow.set(Gpr::Rax, None);
        }
        Next::Go
    }

    /// Where the function at whose entry the thread stands returns to, and the stack pointer there.
    fn return_address(&mut self, t: usize) -> (u64, u64) {
        let sp = self.threads[t].registers.get(Gpr::Rsp);
        (self.peek_word::<8>(sp).unwrap_or(0), sp)
    }

    /// Address of the call, for positions in the program.
    pub(crate) fn call_site(&mut self, t: usize) -> u64 {
        self.return_address(t).0.wrapping_sub(1)
    }
}
