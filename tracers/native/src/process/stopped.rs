//! A stopped process: its registers and memory, one instruction, one system call.

use std::fmt;
use std::io::{IoSlice, IoSliceMut};

use nix::errno::Errno;
use nix::sys::ptrace;
use nix::sys::signal::Signal;
use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use super::{FpuImage, ProcessError};
use crate::cpu::{Gpr, Registers};

/// A traced process that is stopped. Dropping it kills the process.
#[derive(Debug)]
pub struct Stopped {
    pid: Pid,
    memory: Option<std::fs::File>,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With this status.
    Exited(i32),
    /// By this signal.
    Killed(i32),
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ended::Exited(status) => write!(f, "exit status {status}"),
            Ended::Killed(signal) => write!(f, "signal {signal}"),
        }
    }
}

/// Why a process that ran has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// At the end of one instruction, or at a breakpoint.
    Trap,
    /// Before it got this signal, sent to it with this `si_code` and address.
    Signal {
        /// Its number.
        signal: i32,
        /// `si_code`: positive if the kernel made it for what an instruction did.
        code: i32,
        /// The address concerned.
        address: u64,
    },
    /// It forked: this is the child.
    Forked(i32),
    /// At the entry or exit of a system call.
    Syscall,
    /// It became another program.
    Executed,
}

impl Stopped {
    pub(super) fn new(pid: Pid) -> Stopped {
        Stopped { pid, memory: None }
    }

    /// Its process id.
    pub fn pid(&self) -> i32 {
        self.pid.as_raw()
    }

    /// General registers, flags and segment bases; not the vector registers.
    pub fn registers(&self) -> Result<libc::user_regs_struct, ProcessError> {
        ptrace::getregs(self.pid).map_err(ProcessError::request("read its registers"))
    }

    /// Sets general registers, flags and segment bases.
    pub fn set_registers(&self, registers: &libc::user_regs_struct) -> Result<(), ProcessError> {
        ptrace::setregs(self.pid, *registers).map_err(ProcessError::request("set its registers"))
    }

    /// The floating-point and vector state.
    pub fn fpu(&self) -> Result<FpuImage, ProcessError> {
        FpuImage::read(self.pid).map_err(ProcessError::request("read its vector registers"))
    }

    /// Sets the floating-point and vector state.
    pub fn set_fpu(&self, image: &FpuImage) -> Result<(), ProcessError> {
        image.write(self.pid).map_err(ProcessError::request("set its vector registers"))
    }

    /// Fills `into` from the process's memory; how many bytes could be read.
    pub fn read(&self, address: u64, into: &mut [u8]) -> usize {
        let length = into.len();
        let remote = RemoteIoVec { base: address as usize, len: length };
        process_vm_readv(self.pid, &mut [IoSliceMut::new(into)], &[remote]).unwrap_or(0)
    }

    /// Writes to the process's memory, read-only pages included.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), ProcessError> {
        use std::os::unix::fs::FileExt;
        let failed = |error: std::io::Error| ProcessError::Request {
            what: "write its memory",
            errno: Errno::from_raw(error.raw_os_error().unwrap_or(0)),
        };
        let file = match self.memory.take() {
            Some(file) => file,
            None => std::fs::OpenOptions::new()
                .read(true)
                .write(true)
                .open(format!("/proc/{}/mem", self.pid))
                .map_err(failed)?,
        };
        let result = file.write_all_at(bytes, address).map_err(failed);
        self.memory = Some(file);
        result
    }

    /// Writes several pieces of memory at once, in one request where the pages are writable.
    pub fn write_all(&mut self, pieces: &[(u64, &[u8])]) -> Result<(), ProcessError> {
        // The kernel takes at most 1024 pieces in one request.
        for group in pieces.chunks(1024) {
            let local: Vec<IoSlice<'_>> = group.iter().map(|(_, bytes)| IoSlice::new(bytes)).collect();
            let remote: Vec<RemoteIoVec> = group
                .iter()
                .map(|(address, bytes)| RemoteIoVec { base: *address as usize, len: bytes.len() })
                .collect();
            let total: usize = group.iter().map(|(_, bytes)| bytes.len()).sum();
            if nix::sys::uio::process_vm_writev(self.pid, &local, &remote) != Ok(total) {
                for (address, bytes) in group {
                    self.write(*address, bytes)?;
                }
            }
        }
        Ok(())
    }

    /// Runs until something happens.
    pub fn resume(&mut self, signal: Option<i32>) -> Result<Stop, ProcessError> {
        ptrace::cont(self.pid, known(signal)).map_err(ProcessError::request("run"))?;
        self.wait()
    }

    /// Runs to the next entry or exit of a system call, or until something else happens.
    pub fn resume_to_syscall(&mut self) -> Result<Stop, ProcessError> {
        ptrace::syscall(self.pid, None).map_err(ProcessError::request("run"))?;
        self.wait()
    }

    /// Executes one instruction.
    pub fn step(&mut self) -> Result<Stop, ProcessError> {
        ptrace::step(self.pid, None).map_err(ProcessError::request("execute one instruction"))?;
        self.wait()
    }

    /// Executes one system call at `instruction`, which must be the address of a `syscall` instruction; its result.
    ///
    /// The general registers are as before afterwards.
    pub fn system_call(
        &mut self,
        instruction: u64,
        number: u64,
        arguments: [u64; 6],
    ) -> Result<i64, ProcessError> {
        let before = self.registers()?;
        let mut call = before;
        call.rip = instruction;
        call.rax = number;
        call.orig_rax = u64::MAX;
        [call.rdi, call.rsi, call.rdx, call.r10, call.r8, call.r9] = arguments;
        self.set_registers(&call)?;
        loop {
            match self.step()? {
                Stop::Trap => break,
                // What happens beside it (a signal from outside, the stop of a fork) does not end the call.
                Stop::Signal { .. } | Stop::Forked(_) | Stop::Syscall | Stop::Executed => {}
            }
        }
        let result = self.registers()?.rax as i64;
        self.set_registers(&before)?;
        Ok(result)
    }

    /// Makes the process fork, by the `syscall` instruction at this address: the kernel's answer, and the child, stopped
    /// behind that instruction.
    pub fn fork(&mut self, instruction: u64) -> Result<(i64, Option<Stopped>), ProcessError> {
        self.clone_by(instruction, libc::SIGCHLD as u64)
    }

    /// As [`fork`](Self::fork), but the child becomes one of this process's parent: of ours, if we started it. The
    /// process itself knows nothing of it, and need not wait for its end.
    pub fn copy(&mut self, instruction: u64) -> Result<(i64, Option<Stopped>), ProcessError> {
        self.clone_by(instruction, (libc::SIGCHLD | libc::CLONE_PARENT) as u64)
    }

    fn clone_by(&mut self, instruction: u64, flags: u64) -> Result<(i64, Option<Stopped>), ProcessError> {
        let before = self.registers()?;
        let mut call = before;
        call.rip = instruction;
        call.rax = libc::SYS_clone as u64;
        [call.rdi, call.rsi, call.rdx, call.r10, call.r8] = [flags, 0, 0, 0, 0];
        call.orig_rax = u64::MAX;
        self.set_registers(&call)?;
        let mut child = None;
        loop {
            match self.step()? {
                Stop::Trap => break,
                Stop::Forked(pid) => child = Some(self.adopt(pid)?),
                Stop::Signal { .. } | Stop::Syscall | Stop::Executed => {}
            }
        }
        let result = self.registers()?.rax as i64;
        self.set_registers(&before)?;
        Ok((result, child))
    }

    /// Puts an interpreted thread's registers into the hardware. `base` has what the interpreter does not keep.
    pub fn load(&self, registers: &Registers, base: &libc::user_regs_struct) -> Result<(), ProcessError> {
        self.set_registers(&to_native(registers, base))
    }

    fn wait(&mut self) -> Result<Stop, ProcessError> {
        loop {
            let status = match waitpid(self.pid, Some(WaitPidFlag::__WALL)) {
                Err(Errno::EINTR) => continue,
                other => other.map_err(ProcessError::request("be waited for"))?,
            };
            if let Some(ended) = super::Ended::of(status) {
                return Err(ProcessError::Gone(ended));
            }
            return Ok(match status {
                WaitStatus::Stopped(_, Signal::SIGTRAP) => Stop::Trap,
                WaitStatus::Stopped(_, signal) => {
                    let information = ptrace::getsiginfo(self.pid).ok();
                    // SAFETY: the kernel filled the structure for a signal that has an address, or left zeros there.
                    let address =
                        information.map_or(0, |information| unsafe { information.si_addr() } as u64);
                    Stop::Signal {
                        signal: signal as i32,
                        code: information.map_or(0, |i| i.si_code),
                        address,
                    }
                }
                WaitStatus::PtraceSyscall(_) => Stop::Syscall,
                WaitStatus::PtraceEvent(_, _, event) if event == libc::PTRACE_EVENT_EXEC => Stop::Executed,
                WaitStatus::PtraceEvent(..) => {
                    let child =
                        ptrace::getevent(self.pid).map_err(ProcessError::request("name its child"))?;
                    Stop::Forked(child as i32)
                }
                _ => continue,
            });
        }
    }

    /// How it ended, if it did while nobody looked. To be asked after a request that failed: the end of a large process
    /// takes its time, so that is waited for a little.
    pub fn ended(&self) -> Option<Ended> {
        for _ in 0..100 {
            let status = waitpid(self.pid, Some(WaitPidFlag::__WALL | WaitPidFlag::WNOHANG)).ok()?;
            if let Some(ended) = Ended::of(status) {
                return Some(ended);
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        None
    }

    /// Takes over a child that this process forked, once it has stopped.
    fn adopt(&self, child: i32) -> Result<Stopped, ProcessError> {
        let pid = Pid::from_raw(child);
        loop {
            match waitpid(pid, Some(WaitPidFlag::__WALL)) {
                Err(Errno::EINTR) => {}
                Err(errno) => return Err(ProcessError::request("be waited for")(errno)),
                Ok(status) => match Ended::of(status) {
                    Some(ended) => return Err(ProcessError::Gone(ended)),
                    None => return Ok(Stopped::new(pid)),
                },
            }
        }
    }

    /// Lets the process go on by itself, untraced, with this signal if any.
    pub fn release(self, signal: Option<i32>) -> Result<(), ProcessError> {
        let result = ptrace::detach(self.pid, known(signal)).map_err(ProcessError::request("be left alone"));
        std::mem::forget(self);
        result
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        // It may be gone already; there is nothing to do about that here.
        let _ = nix::sys::signal::kill(self.pid, Signal::SIGKILL);
        while let Ok(status) = waitpid(self.pid, Some(WaitPidFlag::__WALL)) {
            if Ended::of(status).is_some() {
                break;
            }
        }
    }
}

fn known(signal: Option<i32>) -> Option<Signal> {
    signal.and_then(|signal| Signal::try_from(signal).ok())
}

/// The kernel's form of a thread's registers; what the interpreter does not keep is taken from `base`.
pub(crate) fn to_native(registers: &Registers, base: &libc::user_regs_struct) -> libc::user_regs_struct {
    let get = |register| registers.get(register);
    libc::user_regs_struct {
        rax: get(Gpr::Rax),
        rcx: get(Gpr::Rcx),
        rdx: get(Gpr::Rdx),
        rbx: get(Gpr::Rbx),
        rsp: get(Gpr::Rsp),
        rbp: get(Gpr::Rbp),
        rsi: get(Gpr::Rsi),
        rdi: get(Gpr::Rdi),
        r8: get(Gpr::R8),
        r9: get(Gpr::R9),
        r10: get(Gpr::R10),
        r11: get(Gpr::R11),
        r12: get(Gpr::R12),
        r13: get(Gpr::R13),
        r14: get(Gpr::R14),
        r15: get(Gpr::R15),
        rip: registers.rip,
        eflags: registers.flags,
        fs_base: registers.fs_base,
        gs_base: registers.gs_base,
        // No system call is under way that the kernel could restart.
        orig_rax: u64::MAX,
        ..*base
    }
}

/// Takes over what the hardware has in its general registers.
pub(crate) fn from_native(native: &libc::user_regs_struct, registers: &mut Registers) {
    registers.gpr = [
        native.rax, native.rcx, native.rdx, native.rbx, native.rsp, native.rbp, native.rsi, native.rdi,
        native.r8, native.r9, native.r10, native.r11, native.r12, native.r13, native.r14, native.r15,
    ];
    registers.rip = native.rip;
    // The trap flag is the stepper's own.
    registers.flags = native.eflags & !0x100;
    registers.fs_base = native.fs_base;
    registers.gs_base = native.gs_base;
}
