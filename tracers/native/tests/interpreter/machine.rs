//! The same program on the hardware and in the interpreter.

use warpath_native::cpu::{Code, Decoded, Exit, Flag, Limits, Registers, Stepped, run, step};
use warpath_native::memory::{Backing, Protection, Space};
use warpath_native::process::{Launch, Stop, Stopped, spawn};

/// Where code is; room for one sequence.
pub const CODE: u64 = 0x1000_0000;
pub const CODE_SIZE: u64 = 0x4000;
/// Where data is, the stack in its last page. Pages on both sides are not mapped.
pub const DATA: u64 = 0x2000_0000;
pub const DATA_SIZE: u64 = 0x3000;
/// The stack pointer that a sequence starts with.
pub const STACK: u64 = DATA + 0x2800;

/// Registers and data at one time.
#[derive(Clone, PartialEq, Eq)]
pub struct State {
    pub registers: Registers,
    pub data: Vec<u8>,
}

/// A stopped process whose registers and memory are ours.
pub struct Hardware {
    process: Stopped,
    base: libc::user_regs_struct,
}

impl Hardware {
    pub fn new() -> Hardware {
        let mut process = spawn(&Launch::new("/bin/true", [])).expect("/bin/true can be traced");
        let base = process.registers().expect("its registers can be read");
        process.write(base.rip, &[0x0f, 0x05]).expect("its code can be written");
        for (address, size) in [(CODE, CODE_SIZE), (DATA, DATA_SIZE)] {
            let flags = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED) as u64;
            let arguments = [address, size, 7, flags, u64::MAX, 0];
            let result =
                process.system_call(base.rip, libc::SYS_mmap as u64, arguments).expect("it can make calls");
            assert_eq!(result as u64, address, "memory can be mapped there");
        }
        Hardware { process, base }
    }

    pub fn load(&mut self, code: &[u8], state: &State) {
        self.process.write_all(&[(CODE, code), (DATA, &state.data)]).expect("its memory can be written");
        self.process.load(&state.registers, &self.base).expect("its registers can be set");
        let mut fpu = self.process.fpu().expect("its vector registers can be read");
        fpu.set_xmm(&state.registers.xmm);
        fpu.set_mxcsr(state.registers.mxcsr);
        self.process.set_fpu(&fpu).expect("its vector registers can be set");
    }

    /// Runs to the next breakpoint or signal; the signal.
    pub fn resume(&mut self) -> Option<i32> {
        match self.process.resume(None).expect("it goes on") {
            Stop::Trap => None,
            Stop::Signal { signal, .. } => Some(signal),
            other => panic!("the process stopped for no reason of ours: {other:?}"),
        }
    }

    /// Executes one instruction (one repetition); the signal that it raised.
    pub fn step(&mut self) -> Option<i32> {
        match self.process.step().expect("it goes on") {
            Stop::Trap => None,
            Stop::Signal { signal, .. } => Some(signal),
            other => panic!("the process stopped for no reason of ours: {other:?}"),
        }
    }

    pub fn state(&mut self) -> State {
        let native = self.process.registers().expect("its registers can be read");
        let fpu = self.process.fpu().expect("its vector registers can be read");
        let mut data = vec![0; DATA_SIZE as usize];
        assert_eq!(self.process.read(DATA, &mut data), data.len(), "its memory can be read");
        let registers = Registers {
            xmm: fpu.xmm(),
            gpr: [
                native.rax, native.rcx, native.rdx, native.rbx, native.rsp, native.rbp, native.rsi,
                native.rdi, native.r8, native.r9, native.r10, native.r11, native.r12, native.r13, native.r14,
                native.r15,
            ],
            rip: native.rip,
            flags: native.eflags,
            fs_base: native.fs_base,
            gs_base: native.gs_base,
            mxcsr: fpu.mxcsr(),
        };
        State { registers, data }
    }
}

/// Pages that are zero until they are written.
pub struct Zeros;

impl Backing for Zeros {
    fn fetch(&mut self, _: u64, into: &mut [u8; 4096]) -> bool {
        into.fill(0);
        true
    }
}

/// The interpreter over the same addresses.
pub struct Software {
    pub space: Space,
    pub code: Code,
}

impl Software {
    pub fn new() -> Software {
        let mut space = Space::new(Box::new(Zeros));
        space.map(CODE..CODE + CODE_SIZE, Protection::ALL);
        space.map(DATA..DATA + DATA_SIZE, Protection::ALL);
        Software { space, code: Code::new() }
    }

    pub fn load(&mut self, code: &[u8], state: &State) {
        self.space.write_bytes(CODE, code).expect("mapped");
        self.space.write_bytes(DATA, &state.data).expect("mapped");
    }

    /// The instruction at an address.
    pub fn decode(&mut self, address: u64) -> Decoded {
        self.code.decode(&mut self.space, address).expect("code is mapped")
    }

    /// Runs until it stops by itself; how many instructions that took.
    pub fn run(&mut self, registers: &mut Registers) -> (Exit, u64) {
        run(registers, &mut self.code, &mut self.space, &mut Limits::instructions(1_000_000))
    }

    /// Executes one instruction (one repetition) the slow way.
    pub fn step(&mut self, registers: &mut Registers) -> Result<Stepped, Exit> {
        let decoded = self.decode(registers.rip);
        step(registers, &decoded, &mut self.space.unwatched())
    }

    pub fn data(&mut self) -> Vec<u8> {
        let mut data = vec![0; DATA_SIZE as usize];
        self.space.read_bytes(DATA, &mut data).expect("mapped");
        data
    }
}

/// Flags that a sequence can change.
pub const FLAGS: u64 = Flag::STATUS | Flag::DF;

/// How two states differ, in words; `undefined` flags do not count. `None` if they do not.
pub fn difference(hardware: &State, software: &State, undefined: u64) -> Option<String> {
    let mut text = String::new();
    let (hard, soft) = (&hardware.registers, &software.registers);
    for n in 0..16 {
        if hard.gpr[n] != soft.gpr[n] {
            text += &format!("  r{n}: hardware {:#018x}, interpreter {:#018x}\n", hard.gpr[n], soft.gpr[n]);
        }
    }
    for n in 0..16 {
        if hard.xmm[n] != soft.xmm[n] {
            text += &format!("  xmm{n}: hardware {:#034x}, interpreter {:#034x}\n", hard.xmm[n], soft.xmm[n]);
        }
    }
    if hard.rip != soft.rip {
        text += &format!("  rip: hardware {:#x}, interpreter {:#x}\n", hard.rip, soft.rip);
    }
    let mask = FLAGS & !undefined;
    if (hard.flags ^ soft.flags) & mask != 0 {
        text +=
            &format!("  flags: hardware {:#06x}, interpreter {:#06x} ", hard.flags & mask, soft.flags & mask);
        text += &format!("(undefined {undefined:#06x})\n");
    }
    if hard.mxcsr != soft.mxcsr {
        text += &format!("  mxcsr: hardware {:#06x}, interpreter {:#06x}\n", hard.mxcsr, soft.mxcsr);
    }
    let differing = hardware.data.iter().zip(&software.data).enumerate().filter(|(_, (a, b))| a != b);
    for (offset, (a, b)) in differing.take(32) {
        text += &format!("  [{:#x}]: hardware {a:#04x}, interpreter {b:#04x}\n", DATA + offset as u64);
    }
    (!text.is_empty()).then_some(text)
}
