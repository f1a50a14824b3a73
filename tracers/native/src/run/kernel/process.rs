//! The whole process: its end, children, other programs.

use super::{Call, Next};
use crate::cpu::Gpr;
use crate::process::{Stop, to_native};
use crate::run::error::RunError;
use crate::run::machine::Machine;
use crate::run::outcome::{End, Failure, Why};
use warpath_trace::event::FailureKind;

impl Machine {
    pub(crate) fn exit(&mut self, status: i32) -> Next {
        let status = status & 0xff;
        // What the standard library of Rust does when the initial thread panics.
        if status == 101
            && let Some(failure) = self.panic_failure("a Rust panic that nobody catches")
        {
            return Next::End(End::Failed(failure));
        }
        if status != 0 && self.options.fail_on_exit {
            let message = format!("exit status {status}");
            return Next::End(End::Failed(Failure::new(FailureKind::Exit(status), message)));
        }
        Next::End(End::Exited(status))
    }

    /// A child process: it goes on natively and is not traced. Its parent sees its real process id.
    pub(super) fn fork_process(&mut self, t: usize) -> Result<Next, RunError> {
        self.approximate("child processes, which are not traced");
        self.write_back()?;
        // Always a plain fork: a child that shared our memory would run in what the interpreter believes to own.
        let (result, child) = self.process.fork(self.native.syscall)?;
        if let Some(child) = child {
            let mut registers = to_native(&self.threads[t].registers, &self.native.base);
            registers.rax = 0;
            // glibc asks for the stack of the child with `clone`; with a copy of the memory the parent's does.
            child.set_registers(&registers)?;
            let mut fpu = self.threads[t].fpu.clone().unwrap_or_else(|| self.native.fpu.clone());
            fpu.set_xmm(&self.threads[t].registers.xmm);
            child.set_fpu(&fpu)?;
            child.release(None)?;
        }
        self.threads[t].registers.set(Gpr::Rax, result as u64);
        Ok(Next::Go)
    }

    /// The program becomes another one, which is not traced.
    pub(super) fn execute(&mut self, call: Call) -> Result<Next, RunError> {
        self.approximate("programs started by exec, which are not traced");
        self.write_back()?;
        let before = self.process.registers()?;
        let mut registers = before;
        registers.rip = self.native.syscall;
        registers.rax = call.number as u64;
        [registers.rdi, registers.rsi, registers.rdx, registers.r10, registers.r8, registers.r9] =
            call.arguments;
        self.process.set_registers(&registers)?;
        loop {
            match self.process.step()? {
                Stop::Executed => return Ok(Next::End(End::Stopped(Why::Executed))),
                Stop::Trap => break,
                Stop::Signal { .. } | Stop::Syscall | Stop::Forked(_) => {}
            }
        }
        let result = self.process.registers()?.rax;
        self.process.set_registers(&before)?;
        let t = self.current;
        self.threads[t].registers.set(Gpr::Rax, result);
        Ok(Next::Go)
    }
}
