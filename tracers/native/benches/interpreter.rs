//! Instructions per second over a few kernels, with nothing symbolic and nothing marked.

use std::time::{Duration, Instant};

use iced_x86::code_asm::*;
use warpath_native::cpu::{Code, Exit, Limits, Registers, run};
use warpath_native::memory::{Backing, Protection, Space};

const CODE: u64 = 0x40_0000;
const DATA: u64 = 0x60_0000;
const DATA_SIZE: u64 = 0x40_0000;
const STACK: u64 = 0x1000_0000;

struct Zeros;

impl Backing for Zeros {
    fn fetch(&mut self, _: u64, into: &mut [u8; 4096]) -> bool {
        into.fill(0);
        true
    }
}

type Written = Result<CodeAssembler, IcedError>;
type Kernel = fn() -> Written;

/// Arithmetic in registers, one branch in eight instructions.
fn integers() -> Written {
    let mut a = CodeAssembler::new(64)?;
    let mut again = a.create_label();
    a.set_label(&mut again)?;
    a.add(rax, rcx)?;
    a.xor(rdx, rax)?;
    a.lea(rsi, qword_ptr(rdx + rcx * 4 + 7))?;
    a.shl(rsi, 3)?;
    a.imul_2(rbx, rsi)?;
    a.sub(eax, ebx)?;
    a.dec(rcx)?;
    a.jne(again)?;
    a.int3()?;
    Ok(a)
}

/// A copy loop over 64 KiB: eight bytes at a time.
fn copy() -> Written {
    let mut a = CodeAssembler::new(64)?;
    let (mut outer, mut inner) = (a.create_label(), a.create_label());
    a.set_label(&mut outer)?;
    a.xor(eax, eax)?;
    a.set_label(&mut inner)?;
    a.mov(rdx, qword_ptr(rdi + rax))?;
    a.mov(qword_ptr(rsi + rax), rdx)?;
    a.add(rax, 8)?;
    a.cmp(rax, 0x10000)?;
    a.jb(inner)?;
    a.dec(rcx)?;
    a.jne(outer)?;
    a.int3()?;
    Ok(a)
}

/// The same with vectors.
fn vectors() -> Written {
    let mut a = CodeAssembler::new(64)?;
    let (mut outer, mut inner) = (a.create_label(), a.create_label());
    a.set_label(&mut outer)?;
    a.xor(eax, eax)?;
    a.set_label(&mut inner)?;
    a.movdqa(xmm0, xmmword_ptr(rdi + rax))?;
    a.movdqa(xmm1, xmmword_ptr(rdi + rax + 16))?;
    a.pcmpeqb(xmm2, xmm0)?;
    a.pmovmskb(edx, xmm2)?;
    a.movdqa(xmmword_ptr(rsi + rax), xmm0)?;
    a.movdqa(xmmword_ptr(rsi + rax + 16), xmm1)?;
    a.add(rax, 32)?;
    a.cmp(rax, 0x10000)?;
    a.jb(inner)?;
    a.dec(rcx)?;
    a.jne(outer)?;
    a.int3()?;
    Ok(a)
}

/// Branches that depend on data: the length of Collatz chains.
fn branches() -> Written {
    let mut a = CodeAssembler::new(64)?;
    let (mut outer, mut again, mut odd, mut next) =
        (a.create_label(), a.create_label(), a.create_label(), a.create_label());
    a.set_label(&mut outer)?;
    a.mov(rax, rcx)?;
    a.set_label(&mut again)?;
    a.inc(rbx)?;
    a.test(al, 1)?;
    a.jne(odd)?;
    a.shr(rax, 1)?;
    a.jmp(next)?;
    a.set_label(&mut odd)?;
    a.lea(rax, qword_ptr(rax + rax * 2 + 1))?;
    a.set_label(&mut next)?;
    a.cmp(rax, 1)?;
    a.ja(again)?;
    a.dec(rcx)?;
    a.jne(outer)?;
    a.int3()?;
    Ok(a)
}

/// Calls and returns: Fibonacci numbers the slow way.
fn calls() -> Written {
    let mut a = CodeAssembler::new(64)?;
    let (mut outer, mut fib, mut small) = (a.create_label(), a.create_label(), a.create_label());
    a.set_label(&mut outer)?;
    a.mov(edi, 16)?;
    a.call(fib)?;
    a.dec(rcx)?;
    a.jne(outer)?;
    a.int3()?;
    a.set_label(&mut fib)?;
    a.cmp(edi, 2)?;
    a.jb(small)?;
    a.push(rbp)?;
    a.mov(rbp, rsp)?;
    a.push(rdi)?;
    a.dec(edi)?;
    a.call(fib)?;
    a.pop(rdi)?;
    a.push(rax)?;
    a.sub(edi, 2)?;
    a.call(fib)?;
    a.pop(rdx)?;
    a.add(eax, edx)?;
    a.leave()?;
    a.ret()?;
    a.set_label(&mut small)?;
    a.mov(eax, edi)?;
    a.ret()?;
    Ok(a)
}

/// Doubles: each operation is executed under the program's own MXCSR.
fn doubles() -> Written {
    let mut a = CodeAssembler::new(64)?;
    let mut again = a.create_label();
    a.set_label(&mut again)?;
    a.cvtsi2sd(xmm0, rcx)?;
    a.mulsd(xmm0, xmm1)?;
    a.addsd(xmm2, xmm0)?;
    a.ucomisd(xmm2, xmm3)?;
    a.dec(rcx)?;
    a.jne(again)?;
    a.int3()?;
    Ok(a)
}

#[derive(Clone, Copy, Default)]
struct Setting {
    tracking: bool,
    foreign: bool,
}

/// The processor time of this thread so far: what else runs on the machine does not matter so much.
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel fills the structure, which outlives the call.
    let result = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    assert_eq!(result, 0, "every thread has a clock");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Nanoseconds per instruction, the best of a few rounds.
fn measure(mut kernel: CodeAssembler, setting: Setting) -> f64 {
    let code_bytes = kernel.assemble(CODE).expect("the kernel can be assembled");
    let mut space = Space::new(Box::new(Zeros));
    space.map(CODE..CODE + 0x1000, Protection::READ_EXECUTE);
    space.map(DATA..DATA + DATA_SIZE, Protection::READ_WRITE);
    space.map(STACK - 0x10_0000..STACK, Protection::READ_WRITE);
    space.write_bytes(CODE, &code_bytes).expect("mapped");
    let mut code = Code::new();
    space.track(setting.tracking);
    if setting.foreign {
        code.set_foreign(Vec::from_iter(Some(CODE..CODE + 0x1000)));
    }
    let mut best = f64::INFINITY;
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_millis(1500) {
        let mut registers = Registers { rip: CODE, ..Registers::default() };
        registers.gpr[1] = 1 << 40;
        registers.gpr[4] = STACK - 64;
        registers.gpr[6] = DATA + 0x20_0000;
        registers.gpr[7] = DATA;
        let start = processor_time();
        let (exit, executed) =
            run(&mut registers, &mut code, &mut space, &mut Limits::instructions(20_000_000));
        let elapsed = processor_time() - start;
        assert_eq!(exit, Exit::Budget, "the kernel goes on");
        best = best.min(elapsed.as_nanos() as f64 / executed as f64);
    }
    best
}

fn main() {
    let only = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let kernels: [(&str, Kernel); 6] = [
        ("integers", integers),
        ("copy", copy),
        ("vectors", vectors),
        ("branches", branches),
        ("calls", calls),
        ("doubles", doubles),
    ];
    println!("{:<24}{:>10}{:>16}", "kernel", "ns", "million/s");
    for (name, kernel) in kernels {
        if only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
            continue;
        }
        let settings = [
            ("", Setting::default()),
            (", tracked", Setting { tracking: true, ..Setting::default() }),
            (", tracked, foreign", Setting { tracking: true, foreign: true }),
        ];
        for (how, setting) in settings {
            let time = measure(kernel().expect("the kernel can be written"), setting);
            println!("{:<24}{time:>10.2}{:>16.0}", format!("{name}{how}"), 1000.0 / time);
        }
    }
}
