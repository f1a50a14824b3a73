//! Assumptions, assertions, and ways in which a program says that something is wrong.

use warpath_trace::event::{FailureKind, Op};

use super::Function;
use crate::cpu::Gpr;
use crate::run::error::RunError;
use crate::run::kernel::Next;
use crate::run::machine::Machine;
use crate::run::outcome::{End, Failure, Why};

impl Machine {
    pub(super) fn claim(&mut self, t: usize, function: Function) -> Result<Next, RunError> {
        let failed = |kind, message: String| Ok(Next::End(End::Failed(Failure::new(kind, message))));
        match function {
            Function::Assume => {
                // `_Bool` for ours, `int` for the competition's, `uintptr_t` for KLEE's: the low half has it all.
                let holds = self.argument(t, 0) as u32 != 0;
                let thread = &self.threads[t];
                let condition = self.shadow.truth(&thread.shadow, Gpr::Rdi, 32, &thread.registers);
                self.record(t, Op::Assume { condition, holds })?;
                if !holds {
                    return Ok(Next::End(End::Stopped(Why::Assumption)));
                }
                Ok(self.return_from(t, 0))
            }
            Function::WarpathAssert => {
                let holds = self.argument(t, 0) as u8 != 0;
                let text = self.argument(t, 1);
                let text = self.peek_string(text, 1024).unwrap_or_default();
                let message = self.recorder.string(&text)?;
                let thread = &self.threads[t];
                let condition = self.shadow.truth(&thread.shadow, Gpr::Rdi, 8, &thread.registers);
                self.record(t, Op::Assert { condition, holds, message })?;
                if !holds {
                    let text = String::from_utf8_lossy(&text).into_owned();
                    return failed(FailureKind::Assertion, text);
                }
                Ok(self.return_from(t, 0))
            }
            Function::AssertFail => {
                let text = self.argument(t, 0);
                let text = self.peek_string(text, 1024).unwrap_or_default();
                failed(FailureKind::Assertion, String::from_utf8_lossy(&text).into_owned())
            }
            Function::ReachError => failed(FailureKind::Assertion, "an error location is reached".into()),
            // `noexcept` and `std::terminate` by hand come here, too: for the program it is the same end.
            Function::Terminate => {
                failed(FailureKind::UncaughtException, "a C++ exception that nobody catches".into())
            }
            Function::RustPanic => {
                self.panic_begins(t);
                self.pass(t)
            }
            Function::RustCaught => {
                self.panic_caught(t);
                self.pass(t)
            }
            Function::StackSmashed => {
                failed(FailureKind::OutOfBounds, "a buffer on the stack was overrun".into())
            }
            _ => self.pass(t),
        }
    }

    /// Why a program aborts, as far as can be told.
    pub(crate) fn abort_reason(&mut self, t: usize) -> Failure {
        let panic =
            self.threads[t].panic.and_then(|_| self.panic_failure("a Rust panic that ends the program"));
        panic.unwrap_or_else(|| Failure::new(FailureKind::Abort, "the program aborts"))
    }
}
