//! Signals that the program sends to itself or earns, and its handlers.

use warpath_trace::event::FailureKind;

use super::{Call, Next, PID, error};
use crate::cpu::{Flag, Gpr, Registers};
use crate::run::action::{Action, Wait};
use crate::run::error::RunError;
use crate::run::machine::Machine;
use crate::run::outcome::{End, Failure};

/// Handlers, by signal number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Signals {
    handlers: Vec<(i32, Handler)>,
}

/// What `rt_sigaction` was given: handler, flags, restorer, mask.
#[derive(Clone, Copy, Debug, Default)]
struct Handler {
    function: u64,
    flags: u64,
    restorer: u64,
    mask: u64,
}

/// A signal that is to be handled now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Raised {
    pub signal: i32,
    /// `si_code`.
    pub code: i32,
    /// The address concerned.
    pub address: u64,
}

const GENERAL: [Gpr; 16] = [
    Gpr::R8,
    Gpr::R9,
    Gpr::R10,
    Gpr::R11,
    Gpr::R12,
    Gpr::R13,
    Gpr::R14,
    Gpr::R15,
    Gpr::Rdi,
    Gpr::Rsi,
    Gpr::Rbp,
    Gpr::Rbx,
    Gpr::Rdx,
    Gpr::Rax,
    Gpr::Rcx,
    Gpr::Rsp,
];
// Within the frame that the kernel builds: return address, `ucontext`, `siginfo`.
const CONTEXT: u64 = 8;
const GREGS: u64 = CONTEXT + 40;
const FPSTATE: u64 = CONTEXT + 224;
const MASK: u64 = CONTEXT + 296;
const INFO: u64 = CONTEXT + 304;
const FRAME: u64 = INFO + 128;
const FXSAVE: u64 = 512;

impl Signals {
    fn get(&self, signal: i32) -> Handler {
        self.handlers
            .iter()
            .find(|(number, _)| *number == signal)
            .map_or_else(Handler::default, |(_, handler)| *handler)
    }

    fn set(&mut self, signal: i32, handler: Handler) {
        self.handlers.retain(|(number, _)| *number != signal);
        self.handlers.push((signal, handler));
    }
}

impl Machine {
    pub(super) fn signal_call(&mut self, t: usize, call: Call) -> Result<Next, RunError> {
        let [first, second, third, ..] = call.arguments;
        let result = match call.number {
            libc::SYS_rt_sigaction => self.sigaction(first as i32, second, third),
            libc::SYS_rt_sigprocmask => self.sigprocmask(t, first as i32, second, third),
            libc::SYS_sigaltstack => {
                let (sp, size) = self.threads[t].signal_stack;
                let old =
                    [sp.to_le_bytes(), if size == 0 { 2_u64 } else { 0 }.to_le_bytes(), size.to_le_bytes()]
                        .concat();
                if first != 0 {
                    let word =
                        |machine: &mut Machine, n: u64| machine.peek_word::<8>(first + 8 * n).unwrap_or(0);
                    let disabled = word(self, 1) & 2 != 0;
                    let (sp, size) = (word(self, 0), word(self, 2));
                    self.threads[t].signal_stack = if disabled { (0, 0) } else { (sp, size) };
                }
                if second != 0 && !self.poke(second, &old) { error(libc::EFAULT) } else { 0 }
            }
            libc::SYS_rt_sigreturn => return Ok(self.sigreturn(t)),
            libc::SYS_kill | libc::SYS_tkill | libc::SYS_tgkill => return self.kill(t, call),
            libc::SYS_rt_sigpending => match self.poke(first, &[0; 8]) {
                true => 0,
                false => error(libc::EFAULT),
            },
            libc::SYS_alarm | libc::SYS_setitimer => {
                self.approximate("timers that would send a signal");
                0
            }
            // Nobody but the program itself sends it signals here: the wait is for ever.
            _ => return Ok(Next::Poise(Action::Blocked(Wait::Signal))),
        };
        Ok(self.give(t, result))
    }

    fn sigaction(&mut self, signal: i32, new: u64, old: u64) -> i64 {
        if !(1..=64).contains(&signal) || [libc::SIGKILL, libc::SIGSTOP].contains(&signal) && new != 0 {
            return error(libc::EINVAL);
        }
        let before = self.kernel.signals.get(signal);
        if new != 0 {
            let word = |machine: &mut Machine, n: u64| machine.peek_word::<8>(new + 8 * n);
            let [Some(function), Some(flags), Some(restorer), Some(mask)] =
                [0, 1, 2, 3].map(|n| word(self, n))
            else {
                return error(libc::EFAULT);
            };
            self.kernel.signals.set(signal, Handler { function, flags, restorer, mask });
        }
        let words =
            [before.function, before.flags, before.restorer, before.mask].map(u64::to_le_bytes).concat();
        if old != 0 && !self.poke(old, &words) {
            return error(libc::EFAULT);
        }
        0
    }

    fn sigprocmask(&mut self, t: usize, how: i32, new: u64, old: u64) -> i64 {
        let before = self.threads[t].signal_mask;
        if new != 0 {
            let Some(mask) = self.peek_word::<8>(new) else { return error(libc::EFAULT) };
            self.threads[t].signal_mask = match how {
                libc::SIG_BLOCK => before | mask,
                libc::SIG_UNBLOCK => before & !mask,
                _ => mask,
            };
        }
        if old != 0 && !self.poke(old, &before.to_le_bytes()) {
            return error(libc::EFAULT);
        }
        0
    }

    fn kill(&mut self, t: usize, call: Call) -> Result<Next, RunError> {
        let [first, second, third, ..] = call.arguments;
        let (target, signal) = match call.number {
            libc::SYS_kill => {
                let pid = first as i32;
                if pid != PID && pid != 0 && pid != -PID {
                    return self.kill_other(t, call);
                }
                (t, second as i32)
            }
            libc::SYS_tkill => (self.thread_by_tid(first as i32).unwrap_or(usize::MAX), second as i32),
            _ => (self.thread_by_tid(second as i32).unwrap_or(usize::MAX), third as i32),
        };
        if target == usize::MAX {
            return Ok(self.give(t, error(libc::ESRCH)));
        }
        self.give(t, 0);
        if signal == 0 {
            return Ok(Next::Go);
        }
        if target != t {
            let handler = self.kernel.signals.get(signal);
            if handler.function > 1 {
                // The other thread may be anywhere in a modelled call; it would have to be interrupted there.
                self.approximate("signals sent to another thread, which are not delivered");
                return Ok(Next::Go);
            }
        }
        self.raise(target, Raised { signal, code: -6, address: 0 })
    }

    fn kill_other(&mut self, t: usize, call: Call) -> Result<Next, RunError> {
        let result = self.raw_call(call.number, call.arguments)?;
        Ok(self.give(t, result))
    }

    pub(crate) fn thread_by_tid(&self, tid: i32) -> Option<usize> {
        self.threads.iter().position(|thread| thread.tid == tid && thread.alive())
    }

    /// A signal for this thread: its handler runs, or what happens without one.
    pub(crate) fn raise(&mut self, t: usize, raised: Raised) -> Result<Next, RunError> {
        let handler = self.kernel.signals.get(raised.signal);
        let ignored = [libc::SIGCHLD, libc::SIGURG, libc::SIGWINCH, libc::SIGCONT];
        match handler.function {
            1 => Ok(Next::Go),
            0 if ignored.contains(&raised.signal) => Ok(Next::Go),
            0 => Ok(Next::End(End::Failed(self.fatal(t, raised)))),
            _ => {
                if self.deliver(t, raised, handler) {
                    Ok(Next::Go)
                } else {
                    Ok(Next::End(End::Failed(self.fatal(t, raised))))
                }
            }
        }
    }

    fn deliver(&mut self, t: usize, raised: Raised, handler: Handler) -> bool {
        const ON_STACK: u64 = 0x0800_0000;
        const RESET: u64 = 0x8000_0000;
        const NO_DEFER: u64 = 0x4000_0000;
        let thread = &self.threads[t];
        let registers = thread.registers.clone();
        let (mask, (alternate, size)) = (thread.signal_mask, thread.signal_stack);
        let on_alternate = |sp: u64| size != 0 && sp.wrapping_sub(alternate) < size;
        let sp = registers.get(Gpr::Rsp);
        let top = match handler.flags & ON_STACK != 0 && size != 0 && !on_alternate(sp) {
            true => alternate + size,
            false => sp.wrapping_sub(128),
        };
        let fpu = top.wrapping_sub(FXSAVE) & !63;
        // At the handler's first instruction the stack looks as after a call: 8 modulo 16.
        let frame = (fpu.wrapping_sub(FRAME) & !15).wrapping_sub(8);
        let mut words: Vec<(u64, u64)> = vec![(0, handler.restorer), (FPSTATE, fpu), (MASK, mask)];
        words.extend(GENERAL.iter().zip(0..).map(|(&register, n)| (GREGS + 8 * n, registers.get(register))));
        words.push((GREGS + 8 * 16, registers.rip));
        words.push((GREGS + 8 * 17, registers.flags));
        words.push((GREGS + 8 * 22, raised.address));
        words.push((CONTEXT + 16, alternate));
        words.push((CONTEXT + 32, size));
        words.push((INFO, raised.signal as u64));
        words.push((INFO + 8, u64::from(raised.code as u32)));
        words.push((INFO + 16, if raised.code > 0 { raised.address } else { PID as u64 }));
        let mut image = vec![0; FXSAVE as usize];
        image[24..28].copy_from_slice(&registers.mxcsr.to_le_bytes());
        for (n, value) in registers.xmm.iter().enumerate() {
            image[160 + 16 * n..176 + 16 * n].copy_from_slice(&value.to_le_bytes());
        }
        let fine = self.poke(frame, &[0; FRAME as usize])
            && words.iter().all(|&(offset, word)| self.poke(frame + offset, &word.to_le_bytes()))
            && self.poke(fpu, &image);
        if !fine {
            return false;
        }
        if handler.flags & RESET != 0 {
            self.kernel.signals.set(raised.signal, Handler::default());
        }
        let thread = &mut self.threads[t];
        let own = if handler.flags & NO_DEFER != 0 { 0 } else { 1 << (raised.signal - 1) };
        thread.signal_mask |= handler.mask | own;
        let registers = &mut thread.registers;
        registers.rip = handler.function;
        registers.flags &= !Flag::DF;
        registers.set(Gpr::Rsp, frame);
        registers.set(Gpr::Rdi, raised.signal as u64);
        registers.set(Gpr::Rsi, frame + INFO);
        registers.set(Gpr::Rdx, frame + CONTEXT);
        registers.set(Gpr::Rax, 0);
        thread.shadow.clear();
        true
    }

    fn sigreturn(&mut self, t: usize) -> Next {
        // The handler's `ret` has taken the return address off.
        let frame = self.threads[t].registers.get(Gpr::Rsp).wrapping_sub(8);
        let mut registers: Registers = self.threads[t].registers.clone();
        let mut word = |offset| self.peek_word::<8>(frame.wrapping_add(offset));
        let mut restored = Vec::new();
        for (&register, n) in GENERAL.iter().zip(0..) {
            restored.push((register, word(GREGS + 8 * n)));
        }
        let (Some(rip), Some(flags), Some(mask), Some(fpu)) =
            (word(GREGS + 8 * 16), word(GREGS + 8 * 17), word(MASK), word(FPSTATE))
        else {
            return Next::End(End::Failed(Failure::new(
                FailureKind::Segfault,
                "a signal handler lost its frame",
            )));
        };
        for (register, value) in restored {
            registers.set(register, value.unwrap_or(0));
        }
        registers.rip = rip;
        registers.flags = flags;
        if let Some(image) = self.peek(fpu, FXSAVE as usize) {
            for (n, xmm) in registers.xmm.iter_mut().enumerate() {
                let bytes: [u8; 16] = image[160 + 16 * n..176 + 16 * n].try_into().unwrap_or_default();
                *xmm = u128::from_le_bytes(bytes);
            }
        }
        let thread = &mut self.threads[t];
        thread.registers = registers;
        thread.signal_mask = mask;
        thread.shadow.clear();
        Next::Go
    }

    fn fatal(&mut self, t: usize, raised: Raised) -> Failure {
        let kind = match raised.signal {
            libc::SIGABRT => FailureKind::Abort,
            libc::SIGSEGV if raised.address < 4096 => FailureKind::NullDereference,
            libc::SIGSEGV => FailureKind::Segfault,
            libc::SIGBUS => FailureKind::Bus,
            libc::SIGFPE => FailureKind::Arithmetic,
            libc::SIGILL => FailureKind::IllegalInstruction,
            signal => FailureKind::Killed(signal as u32),
        };
        let synchronous = raised.code > 0;
        let failure = match kind {
            FailureKind::Abort => self.abort_reason(t),
            FailureKind::NullDereference => {
                Failure::new(kind, format!("access to address {:#x}", raised.address))
            }
            FailureKind::Segfault => Failure::new(
                kind,
                format!("access to address {:#x}, where nothing may be accessed", raised.address),
            ),
            FailureKind::Arithmetic => {
                Failure::new(kind, "division by zero, or a quotient that does not fit")
            }
            FailureKind::IllegalInstruction => Failure::new(kind, "an instruction that does not exist"),
            _ => Failure::new(kind, format!("ended by signal {}", raised.signal)),
        };
        Failure { address: synchronous.then_some(raised.address), ..failure }
    }
}
