//! System calls: what the program asks of the kernel.
//!
//! Threads, futexes, time, chance and signals are ours. Memory and files are the kernel's, asked through the native
//! process; addresses of new mappings are chosen here. A call that would block is not made until it would not.

mod chance;
mod files;
mod futex;
mod given;
mod memory;
mod poll;
mod process;
mod signals;
mod status;
mod threads;
mod time;

pub(crate) use files::Files;
pub(crate) use futex::Waiters;
pub(crate) use signals::{Raised, Signals};
pub(crate) use status::Since;

use super::action::Action;
use super::error::RunError;
use super::machine::Machine;
use super::outcome::End;
use crate::cpu::Gpr;

/// What the modelled part of the kernel remembers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kernel {
    /// Virtual time, in nanoseconds since the program's start.
    pub clock: u64,
    /// How many numbers were drawn by lot.
    pub drawn: u64,
    /// End of the data segment.
    pub brk: u64,
    /// Descriptors that matter.
    pub files: Files,
    /// Handlers and what is pending.
    pub signals: Signals,
    /// Threads that wait on words.
    pub waiters: Waiters,
}

/// What comes after a system call or a modelled function.
#[derive(Debug)]
pub(crate) enum Next {
    /// The thread goes on.
    Go,
    /// It is about to do something visible.
    Poise(Action),
    /// The run is over.
    End(End),
}

/// The process id that the program sees.
pub(crate) const PID: i32 = 1000;

/// A system call that the program made: its number and arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub number: i64,
    pub arguments: [u64; 6],
}

impl Call {
    fn of(registers: &crate::cpu::Registers) -> Call {
        let get = |register| registers.get(register);
        Call {
            number: get(Gpr::Rax) as i64,
            arguments: [Gpr::Rdi, Gpr::Rsi, Gpr::Rdx, Gpr::R10, Gpr::R8, Gpr::R9].map(get),
        }
    }
}

/// The kernel's way to return an error.
pub(crate) fn error(errno: i32) -> i64 {
    -i64::from(errno)
}

impl Machine {
    /// The thread stands behind a `syscall` instruction: does what it asks.
    pub(crate) fn syscall(&mut self, t: usize) -> Result<Next, RunError> {
        // The kernel is given values: whatever was symbolic in them is fixed.
        self.concretise_call(t)?;
        let call = Call::of(&self.threads[t].registers);
        let result = match call.number {
            libc::SYS_exit => return Ok(Next::Poise(Action::End)),
            // Others may do something until then.
            libc::SYS_exit_group => return Ok(Next::Poise(Action::Exit(call.arguments[0] as i32))),
            libc::SYS_clone | libc::SYS_clone3 | libc::SYS_fork | libc::SYS_vfork => {
                return self.clone_call(t, call);
            }
            libc::SYS_execve | libc::SYS_execveat => return self.execute(call),
            libc::SYS_futex => return self.futex_call(t, call),
            libc::SYS_set_tid_address => {
                self.threads[t].clear_tid = call.arguments[0];
                self.threads[t].tid.into()
            }
            libc::SYS_gettid => self.threads[t].tid.into(),
            libc::SYS_getpid | libc::SYS_getpgrp => PID.into(),
            libc::SYS_getppid => 1,
            libc::SYS_set_robust_list => 0,
            libc::SYS_rseq | libc::SYS_membarrier => error(libc::ENOSYS),
            libc::SYS_arch_prctl => self.arch_prctl(t, call),
            libc::SYS_sched_yield => {
                self.threads[t].yielded = true;
                0
            }
            libc::SYS_sched_getaffinity => self.affinity(call),
            libc::SYS_getcpu => self.get_cpu(call),

            libc::SYS_mmap | libc::SYS_munmap | libc::SYS_mprotect | libc::SYS_mremap | libc::SYS_brk => {
                self.mapping_call(t, call)?
            }

            libc::SYS_nanosleep
            | libc::SYS_clock_nanosleep
            | libc::SYS_clock_gettime
            | libc::SYS_gettimeofday
            | libc::SYS_time
            | libc::SYS_times
            | libc::SYS_clock_getres => self.time_call(t, call)?,
            libc::SYS_getrandom => self.random_call(t, call)?,

            libc::SYS_rt_sigaction
            | libc::SYS_rt_sigprocmask
            | libc::SYS_sigaltstack
            | libc::SYS_rt_sigreturn
            | libc::SYS_kill
            | libc::SYS_tkill
            | libc::SYS_tgkill
            | libc::SYS_rt_sigpending
            | libc::SYS_pause
            | libc::SYS_rt_sigsuspend
            | libc::SYS_alarm
            | libc::SYS_setitimer => return self.signal_call(t, call),

            libc::SYS_poll
            | libc::SYS_ppoll
            | libc::SYS_select
            | libc::SYS_pselect6
            | libc::SYS_epoll_wait
            | libc::SYS_epoll_pwait
            | libc::SYS_wait4
            | libc::SYS_waitid => return self.waiting_call(t, call),

            _ => return self.file_call(t, call),
        };
        self.threads[t].registers.set(Gpr::Rax, result as u64);
        Ok(Next::Go)
    }

    /// Puts a system call back: the thread makes it again when it is next chosen.
    pub(crate) fn call_again(&mut self, t: usize, call: Call) {
        let registers = &mut self.threads[t].registers;
        registers.rip -= 2;
        registers.set(Gpr::Rax, call.number as u64);
    }

    pub(crate) fn give(&mut self, t: usize, result: i64) -> Next {
        self.threads[t].registers.set(Gpr::Rax, result as u64);
        Next::Go
    }
}
