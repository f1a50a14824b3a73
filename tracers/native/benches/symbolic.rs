//! How fast instructions on symbolic data are followed: each one decoded (from a cache), stepped over a memory that
//! notes accesses, and followed in the shadow. This is the whole slow path of the tracer but for its scheduler.

use std::collections::HashMap;
use std::time::Duration;

use iced_x86::IcedError;
use iced_x86::code_asm::*;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use warpath_native::cpu::{self, Code, Decoded, Gpr, Registers};
use warpath_native::memory::{Backing, Memory, Protection, Space, Trouble};
use warpath_native::sym::{Access, Effects, Shadow, ShadowOptions, ThreadShadow};
use warpath_trace::ids::InputId;

const CODE: u64 = 0x40_0000;
const DATA: u64 = 0x10_0000;
const SIZE: usize = 4096;

struct Zeros;

impl Backing for Zeros {
    fn fetch(&mut self, _: u64, into: &mut [u8; 4096]) -> bool {
        into.fill(0);
        true
    }
}

struct Noting {
    bytes: Vec<u8>,
    accesses: Vec<Access>,
}

impl Noting {
    fn note<const N: usize>(&mut self, address: u64, bytes: [u8; N], make: fn(u64, u8, u128) -> Access) {
        let mut value = [0; 16];
        value[..N].copy_from_slice(&bytes);
        self.accesses.push(make(address, N as u8, u128::from_le_bytes(value)));
    }
}

impl Memory for Noting {
    fn load<const N: usize>(&mut self, address: u64) -> Result<[u8; N], Trouble> {
        let at = (address - DATA) as usize;
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.bytes[at..at + N]);
        self.note(address, bytes, Access::read);
        Ok(bytes)
    }

    fn store<const N: usize>(&mut self, address: u64, bytes: [u8; N]) -> Result<(), Trouble> {
        let at = (address - DATA) as usize;
        self.bytes[at..at + N].copy_from_slice(&bytes);
        self.note(address, bytes, Access::write);
        Ok(())
    }
}

/// Processor time of this thread: others may be busy on the machine.
fn now() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_THREAD).expect("a thread can ask for its own usage");
    let time = usage.user_time() + usage.system_time();
    Duration::from_micros(time.num_microseconds().unsigned_abs())
}

fn measure(name: &str, program: fn(&mut CodeAssembler) -> Result<(), IcedError>) {
    let mut assembler = CodeAssembler::new(64).expect("64 bits exist");
    program(&mut assembler).expect("the program is well formed");
    let bytes = assembler.assemble(CODE).expect("the program is well formed");
    let end = CODE + bytes.len() as u64;
    let mut space = Space::new(Box::new(Zeros));
    space.map(CODE..CODE + 4096, Protection::READ_EXECUTE);
    space.write_bytes(CODE, &bytes).expect("code is mapped");
    let mut code = Code::new();
    let mut decoded: HashMap<u64, Decoded> = HashMap::new();

    let (mut stepping, mut following, mut instructions, mut nodes, mut conditions) =
        (Duration::ZERO, Duration::ZERO, 0u64, 0, 0);
    let start = now();
    while now() - start < Duration::from_secs(2) {
        let mut registers = Registers { rip: CODE, ..Registers::default() };
        registers.set(Gpr::R15, DATA);
        registers.set(Gpr::Rsp, DATA + SIZE as u64);
        let mut memory = Noting { bytes: vec![0x41; SIZE], accesses: Vec::new() };
        let mut shadow = Shadow::new(ShadowOptions::default());
        let mut thread = ThreadShadow::new();
        for index in 0..64u32 {
            let value = u128::from(u64::from_le_bytes([0x41; 8]));
            shadow.input(DATA + 8 * u64::from(index), InputId(index), 64, value);
        }
        let mut effects = Effects::new();
        let mut trace: Vec<(Decoded, Registers, Registers, Vec<Access>)> = Vec::new();
        let began = now();
        while registers.rip != end {
            let at = registers.rip;
            let decoded =
                *decoded.entry(at).or_insert_with(|| code.decode(&mut space, at).expect("code is there"));
            let before = registers.clone();
            cpu::step(&mut registers, &decoded, &mut memory).expect("the program does nothing special");
            let accesses = std::mem::take(&mut memory.accesses);
            trace.push((decoded, before, registers.clone(), accesses));
        }
        stepping += now() - began;
        let began = now();
        for (decoded, before, after, accesses) in &trace {
            let instruction = &decoded.instruction;
            shadow.prepare(&mut thread, instruction, before, &mut effects);
            shadow.execute(&mut thread, instruction, before, after, accesses, &mut effects);
        }
        following += now() - began;
        instructions += trace.len() as u64;
        nodes += shadow.pool().len();
        conditions += effects.path.len();
        assert_eq!(shadow.disagreements(), 0, "expressions and values differ");
    }
    let rate = |time: Duration| instructions as f64 / time.as_secs_f64() / 1e6;
    println!(
        "{name:<12} {:6.2} M instructions/s followed, {:6.2} M/s with the concrete step; {:4.2} expressions and {:5.3} \
         conditions per instruction",
        rate(following),
        rate(following + stepping),
        nodes as f64 / instructions as f64,
        conditions as f64 / instructions as f64,
    );
}

/// Every instruction computes something new.
fn hash(a: &mut CodeAssembler) -> Result<(), IcedError> {
    let mut again = a.create_label();
    a.mov(ecx, 2000)?;
    a.mov(rax, qword_ptr(r15))?;
    a.mov(rbx, qword_ptr(r15 + 8))?;
    a.set_label(&mut again)?;
    a.add(rax, rbx)?;
    a.rol(rbx, 13)?;
    a.xor(rbx, rax)?;
    a.imul_3(rax, rax, 0x9e37)?;
    a.mov(qword_ptr(r15 + 16), rax)?;
    a.add(rbx, qword_ptr(r15 + 16))?;
    a.dec(ecx)?;
    a.jne(again)
}

/// Symbolic data is moved about.
fn copy(a: &mut CodeAssembler) -> Result<(), IcedError> {
    let mut again = a.create_label();
    a.mov(ecx, 64)?;
    a.mov(rsi, r15)?;
    a.lea(rdi, ptr(r15 + 1024))?;
    a.set_label(&mut again)?;
    a.movdqu(xmm0, xmmword_ptr(rsi))?;
    a.movups(xmmword_ptr(rdi), xmm0)?;
    a.mov(rax, qword_ptr(rsi))?;
    a.mov(qword_ptr(rdi + 512), rax)?;
    a.add(rsi, 8)?;
    a.add(rdi, 8)?;
    a.dec(ecx)?;
    a.jne(again)
}

/// Characters are compared, one branch each.
fn scan(a: &mut CodeAssembler) -> Result<(), IcedError> {
    let mut again = a.create_label();
    let mut end = a.create_label();
    a.mov(rsi, r15)?;
    a.xor(edx, edx)?;
    a.lea(rdi, ptr(r15 + 500))?;
    a.set_label(&mut again)?;
    a.movzx(eax, byte_ptr(rsi))?;
    a.cmp(al, 0x30)?;
    a.je(end)?;
    a.sub(eax, 0x20)?;
    a.cmp(eax, 90)?;
    a.ja(end)?;
    a.add(edx, eax)?;
    a.inc(rsi)?;
    a.cmp(rsi, rdi)?;
    a.jne(again)?;
    a.set_label(&mut end)?;
    a.zero_bytes()
}

/// Sixteen bytes at a time.
fn vectors(a: &mut CodeAssembler) -> Result<(), IcedError> {
    let mut again = a.create_label();
    a.mov(rsi, r15)?;
    a.lea(rdi, ptr(r15 + 448))?;
    a.pxor(xmm0, xmm0)?;
    a.set_label(&mut again)?;
    a.movdqu(xmm1, xmmword_ptr(rsi))?;
    a.pcmpeqb(xmm1, xmm0)?;
    a.pmovmskb(eax, xmm1)?;
    a.test(eax, eax)?;
    a.jne(again)?;
    a.add(rsi, 16)?;
    a.cmp(rsi, rdi)?;
    a.jb(again)
}

fn main() {
    measure("hash", hash);
    measure("copy", copy);
    measure("scan", scan);
    measure("vectors", vectors);
}
