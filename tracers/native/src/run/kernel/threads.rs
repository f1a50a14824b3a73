//! Threads: `clone`, and what belongs to a thread alone.

use super::{Call, Next, error};
use crate::cpu::Gpr;
use crate::run::action::{Action, Fork};
use crate::run::error::RunError;
use crate::run::machine::Machine;

impl Machine {
    pub(super) fn clone_call(&mut self, t: usize, call: Call) -> Result<Next, RunError> {
        let [first, second, third, fourth, fifth, _] = call.arguments;
        let fork = match call.number {
            libc::SYS_clone => Fork {
                flags: first,
                stack: second,
                stack_size: 0,
                parent_tid: third,
                child_tid: fourth,
                tls: fifth,
            },
            libc::SYS_clone3 => {
                // flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls
                let mut words = [0; 8];
                for (word, n) in words.iter_mut().zip(0..) {
                    let Some(value) = self.peek_word::<8>(first + 8 * n) else {
                        return Ok(self.give(t, error(libc::EFAULT)));
                    };
                    *word = value;
                }
                let [flags, _, child_tid, parent_tid, _, stack, stack_size, tls] = words;
                let top = if stack == 0 { 0 } else { stack + stack_size };
                Fork { flags, stack: top, stack_size, parent_tid, child_tid, tls }
            }
            _ => return self.fork_process(t),
        };
        let thread = (libc::CLONE_THREAD | libc::CLONE_VM) as u64;
        if fork.flags & thread == thread {
            return Ok(Next::Poise(Action::Fork(fork)));
        }
        self.fork_process(t)
    }

    pub(super) fn arch_prctl(&mut self, t: usize, call: Call) -> i64 {
        const SET_GS: u64 = 0x1001;
        const SET_FS: u64 = 0x1002;
        const GET_FS: u64 = 0x1003;
        const GET_GS: u64 = 0x1004;
        let [what, value, ..] = call.arguments;
        let registers = &mut self.threads[t].registers;
        let base = match what {
            SET_FS => {
                registers.fs_base = value;
                return 0;
            }
            SET_GS => {
                registers.gs_base = value;
                return 0;
            }
            GET_FS => registers.fs_base,
            GET_GS => registers.gs_base,
            _ => return error(libc::EINVAL),
        };
        match self.poke(value, &base.to_le_bytes()) {
            true => 0,
            false => error(libc::EFAULT),
        }
    }

    /// The program sees four processors, whatever the machine has.
    pub(super) fn affinity(&mut self, call: Call) -> i64 {
        let [_, length, address, ..] = call.arguments;
        if length < 8 {
            return error(libc::EINVAL);
        }
        match self.poke(address, &0xf_u64.to_le_bytes()) {
            true => 8,
            false => error(libc::EFAULT),
        }
    }

    pub(super) fn get_cpu(&mut self, call: Call) -> i64 {
        for address in call.arguments.into_iter().take(2).filter(|&address| address != 0) {
            if !self.poke(address, &[0; 4]) {
                return error(libc::EFAULT);
            }
        }
        0
    }

    /// The result of the call that started a thread.
    pub(crate) fn forked(&mut self, t: usize, child_tid: i32) {
        self.threads[t].registers.set(Gpr::Rax, child_tid as u64);
    }
}
