//! Where and how the interpreter stops.

use iced_x86::code_asm::*;
use warpath_native::cpu::{
    Code, Exit, Gpr, Limits, RegisterSet, Registers, Stepped, instruction_at, run, step,
};
use warpath_native::memory::{Backing, Fault, FaultKind, Protection, Space};

const CODE: u64 = 0x10_0000;
const DATA: u64 = 0x20_0000;

struct Zeros;

impl Backing for Zeros {
    fn fetch(&mut self, _: u64, into: &mut [u8; 4096]) -> bool {
        into.fill(0);
        true
    }
}

struct World {
    space: Space,
    code: Code,
    registers: Registers,
}

/// A world with this code, two pages of data, and the stack at the end of them.
fn world(write: impl FnOnce(&mut CodeAssembler) -> Result<(), IcedError>) -> World {
    let mut assembler = CodeAssembler::new(64).expect("64-bit code can be assembled");
    write(&mut assembler).expect("the instructions exist");
    let bytes = assembler.assemble(CODE).expect("the instructions can be encoded");
    let mut space = Space::new(Box::new(Zeros));
    space.map(CODE..CODE + 0x2000, Protection::ALL);
    space.map(DATA..DATA + 0x2000, Protection::READ_WRITE);
    space.write_bytes(CODE, &bytes).expect("mapped");
    let mut registers = Registers { rip: CODE, ..Registers::default() };
    registers.set(Gpr::Rsp, DATA + 0x2000);
    registers.set(Gpr::Rdi, DATA);
    World { space, code: Code::new(), registers }
}

impl World {
    fn run(&mut self, instructions: u64) -> (Exit, u64) {
        self.run_with(&mut Limits::instructions(instructions))
    }

    fn run_with(&mut self, limits: &mut Limits) -> (Exit, u64) {
        run(&mut self.registers, &mut self.code, &mut self.space, limits)
    }

    fn step(&mut self) -> Result<Stepped, Exit> {
        let decoded = self.code.decode(&mut self.space, self.registers.rip)?;
        step(&mut self.registers, &decoded, &mut self.space.unwatched())
    }

    fn get(&self, register: Gpr) -> u64 {
        self.registers.get(register)
    }
}

#[test]
fn the_budget_is_exact() {
    for budget in 0..20 {
        let mut world = world(|a| {
            let mut again = a.create_label();
            a.set_label(&mut again)?;
            a.inc(rax)?;
            a.inc(rbx)?;
            a.jmp(again)
        });
        assert_eq!(world.run(budget), (Exit::Budget, budget));
        assert_eq!(world.get(Gpr::Rax) + world.get(Gpr::Rbx), budget - budget / 3);
        // Another run goes on where the first one ended.
        assert_eq!(world.run(30), (Exit::Budget, 30));
        assert_eq!(world.get(Gpr::Rax) + world.get(Gpr::Rbx), budget + 30 - (budget + 30) / 3);
    }
}

#[test]
fn each_repetition_counts_and_can_be_the_last() {
    for budget in [1, 2, 5, 99, 100, 101, 5000] {
        let mut world = world(|a| {
            a.inc(rdx)?;
            a.rep().stosb()?;
            a.int3()
        });
        world.registers.set(Gpr::Rcx, 100);
        world.registers.set(Gpr::Rax, 0x55);
        let (exit, executed) = world.run(budget);
        // inc, 100 repetitions, int3.
        let wanted = if budget >= 102 { (Exit::Breakpoint, 102) } else { (Exit::Budget, budget) };
        assert_eq!((exit, executed), wanted);
        let repetitions = (budget - 1).min(100);
        assert_eq!(world.get(Gpr::Rcx), 100 - repetitions);
        assert_eq!(world.get(Gpr::Rdi), DATA + repetitions);
        let at = if repetitions < 100 { CODE + 3 } else { world.registers.rip };
        assert_eq!(world.registers.rip, at);
    }
}

#[test]
fn a_long_repetition_stops_at_the_page_that_is_not_there() {
    let mut world = world(|a| a.rep().stosd());
    world.registers.set(Gpr::Rcx, u64::MAX);
    let (exit, executed) = world.run(u64::MAX);
    let fault = Fault { address: DATA + 0x2000, kind: FaultKind::Write, mapped: false };
    assert_eq!((exit, executed), (Exit::Fault(fault), 0x800));
    assert_eq!(world.get(Gpr::Rdi), DATA + 0x2000);
    assert_eq!(world.get(Gpr::Rcx), u64::MAX - 0x800);
    assert_eq!(world.registers.rip, CODE);
}

#[test]
fn stepping_a_repetition_goes_one_at_a_time() {
    let mut world = world(|a| a.rep().stosb());
    world.registers.set(Gpr::Rcx, 3);
    assert_eq!(world.step(), Ok(Stepped::Repeating));
    assert_eq!(world.step(), Ok(Stepped::Repeating));
    assert_eq!(world.registers.rip, CODE);
    assert_eq!(world.step(), Ok(Stepped::Done));
    assert_eq!(world.registers.rip, CODE + 2);
}

#[test]
fn hooks_stop_before_their_instruction_and_can_be_passed() {
    let mut world = world(|a| {
        a.inc(rax)?;
        a.inc(rax)?;
        a.inc(rax)?;
        a.int3()
    });
    // Once the block is decoded, too.
    assert_eq!(world.run(100), (Exit::Breakpoint, 4));
    world.code.hook(CODE + 3);
    world.registers.rip = CODE;
    assert_eq!(world.run(100), (Exit::Hook, 1));
    assert_eq!(world.registers.rip, CODE + 3);
    assert_eq!(world.run(100), (Exit::Hook, 0));
    assert_eq!(world.step(), Ok(Stepped::Done));
    assert_eq!(world.run(100), (Exit::Breakpoint, 2));
    world.code.unhook(CODE + 3);
    world.registers.rip = CODE;
    assert_eq!(world.run(100), (Exit::Breakpoint, 4));
}

#[test]
fn what_others_decide_comes_with_the_pointer_behind_it() {
    let mut world = world(|a| {
        a.syscall()?;
        a.cpuid()?;
        a.rdtsc()?;
        a.rdtscp()?;
        a.int3()?;
        a.ud2()
    });
    world.registers.flags = 0x246;
    assert_eq!(world.run(100), (Exit::Syscall, 1));
    assert_eq!(world.registers.rip, CODE + 2);
    assert_eq!((world.get(Gpr::Rcx), world.get(Gpr::R11)), (CODE + 2, 0x246));
    for (exit, length) in [(Exit::Cpuid, 2), (Exit::Rdtsc, 2), (Exit::Rdtscp, 3), (Exit::Breakpoint, 1)] {
        let before = world.registers.rip;
        assert_eq!(world.run(100), (exit, 1));
        assert_eq!(world.registers.rip, before + length);
    }
    let before = world.registers.rip;
    assert_eq!(world.run(100), (Exit::Illegal, 0));
    assert_eq!(world.registers.rip, before);
}

#[test]
fn unknown_instructions_are_for_the_hardware() {
    let mut world = world(|a| {
        a.inc(rax)?;
        a.fld1()?;
        a.int3()
    });
    assert_eq!(world.run(100), (Exit::Hardware, 1));
    assert_eq!(world.registers.rip, CODE + 3);
    assert_eq!(world.step(), Err(Exit::Hardware));
    let decoded = world.code.decode(&mut world.space, CODE + 3).expect("it is an instruction");
    assert!(!decoded.interpreted);
}

#[test]
fn chance_does_not_exist() {
    let mut world = world(|a| a.rdrand(rax));
    assert_eq!(world.run(100), (Exit::Illegal, 0));
}

#[test]
fn floating_point_with_unmasked_exceptions_is_for_the_hardware() {
    let mut world = world(|a| {
        a.addsd(xmm0, xmm1)?;
        a.int3()
    });
    assert_eq!(world.run(100), (Exit::Breakpoint, 2));
    world.registers.rip = CODE;
    world.registers.mxcsr = 0x1f00;
    assert_eq!(world.run(100), (Exit::Hardware, 0));
}

#[test]
fn code_must_be_mapped_and_executable() {
    let mut world = world(|a| a.jmp(DATA + 8));
    let fault = Fault { address: DATA + 8, kind: FaultKind::Execute, mapped: true };
    assert_eq!(world.run(100), (Exit::Fault(fault), 1));
    assert_eq!(world.registers.rip, DATA + 8);
    world.registers.rip = 0x123;
    let fault = Fault { address: 0x123, kind: FaultKind::Execute, mapped: false };
    assert_eq!(world.run(100), (Exit::Fault(fault), 0));
    assert_eq!(instruction_at(&mut world.code, &mut world.space, 0x123), None);
    // An instruction whose end is in a page that is not there.
    world.space.write_bytes(CODE + 0x1ffe, &[0x48, 0xb8]).expect("mapped");
    world.registers.rip = CODE + 0x1ffe;
    let fault = Fault { address: CODE + 0x2000, kind: FaultKind::Execute, mapped: false };
    assert_eq!(world.run(100), (Exit::Fault(fault), 0));
}

#[test]
fn marks_stop_before_the_instruction_in_the_middle_of_a_block() {
    let mut world = world(|a| {
        a.inc(rax)?;
        a.add(dword_ptr(rdi + 6), 1)?;
        a.inc(rax)?;
        a.push(qword_ptr(rdi))?;
        a.int3()
    });
    world.space.mark_symbolic(DATA + 9..DATA + 10);
    assert_eq!(world.run(100), (Exit::Watched, 1));
    assert_eq!(world.registers.rip, CODE + 3);
    assert_eq!(world.get(Gpr::Rax), 1);
    assert_eq!(world.step(), Ok(Stepped::Done));
    // The other instruction touches the same page, but no mark.
    assert_eq!(world.run(100), (Exit::Breakpoint, 3));
    // A load that is fine and a store that is not: nothing has happened.
    world.space.mark_shared(DATA + 0x1ff0..DATA + 0x1ff1);
    world.registers.rip = CODE + 10;
    assert_eq!(world.run(100), (Exit::Watched, 0));
    assert_eq!(world.get(Gpr::Rsp), DATA + 0x1ff8);
}

#[test]
fn symbolic_registers_stop_or_die() {
    let mut world = world(|a| {
        a.mov(rbx, 5u64)?;
        a.mov(eax, ecx)?; // overwrites RAX whole
        a.xor(edx, edx)?; // does not read EDX
        a.mov(sil, 1)?; // writes a part of RSI
        a.int3()
    });
    let set = |registers: &[Gpr]| {
        registers.iter().fold(RegisterSet::EMPTY, |all, &register| all | RegisterSet::gpr(register as usize))
    };
    let mut limits = Limits { instructions: 100, symbolic: set(&[Gpr::Rax, Gpr::Rdx, Gpr::Rsi, Gpr::R9]) };
    assert_eq!(world.run_with(&mut limits).0, Exit::Symbolic);
    assert_eq!(limits.symbolic, set(&[Gpr::Rsi, Gpr::R9]));
    assert_eq!(world.get(Gpr::Rbx), 5);
    let stopped = instruction_at(&mut world.code, &mut world.space, world.registers.rip).expect("mapped");
    assert_eq!(stopped.op0_register(), iced_x86::Register::SIL);

    world.registers.rip = CODE;
    let mut limits = Limits { instructions: 100, symbolic: set(&[Gpr::Rcx]) };
    assert_eq!(world.run_with(&mut limits), (Exit::Symbolic, 1));

    // Flags: `xor` overwrites them all, `inc` leaves the carry.
    world.registers.rip = CODE;
    let mut limits = Limits { instructions: 100, symbolic: RegisterSet::FLAGS | RegisterSet::xmm(3) };
    assert_eq!(world.run_with(&mut limits).0, Exit::Breakpoint);
    assert_eq!(limits.symbolic, RegisterSet::xmm(3));
}

#[test]
fn partial_and_conditional_changes_of_flags_and_vectors_touch_them() {
    type Writer = fn(&mut CodeAssembler) -> Result<(), IcedError>;
    let flags = RegisterSet::FLAGS;
    let cases: [(Writer, RegisterSet, bool); 12] = [
        (|a| a.inc(rax), flags, true),
        (|a| a.shl(rax, cl), flags, true),
        (|a| a.shl(rax, 3), flags, false),
        (|a| a.bt(rax, 3), flags, true),
        (|a| a.jne(CODE), flags, true),
        (|a| a.cmp(rax, rbx), flags, false),
        (|a| a.repe().cmpsb(), flags, true),
        (|a| a.cmove(rax, rbx), RegisterSet::gpr(0), true),
        (|a| a.movss(xmm1, xmm2), RegisterSet::xmm(1), true),
        (|a| a.movss(xmm1, dword_ptr(rdi)), RegisterSet::xmm(1), false),
        (|a| a.pxor(xmm1, xmm1), RegisterSet::xmm(1), false),
        (|a| a.cvtsi2sd(xmm1, rax), RegisterSet::xmm(1), true),
    ];
    for (number, (write, symbolic, stops)) in cases.into_iter().enumerate() {
        let mut world = world(write);
        world.registers.set(Gpr::Rsi, DATA);
        let mut limits = Limits { instructions: 1, symbolic };
        let (exit, executed) = world.run_with(&mut limits);
        let wanted =
            if stops { (Exit::Symbolic, 0, symbolic) } else { (Exit::Budget, 1, RegisterSet::EMPTY) };
        assert_eq!((exit, executed, limits.symbolic), wanted, "case {number}");
    }
}

#[test]
fn code_that_changes_itself_is_seen() {
    // The second instruction overwrites the immediate of the third, in the same block.
    let mut world = world(|a| {
        a.nop()?;
        a.mov(byte_ptr(rdx), 42)?;
        a.mov(eax, 1)?;
        a.int3()
    });
    let changing = CODE + 1 + 3;
    world.registers.set(Gpr::Rdx, changing + 1);
    assert_eq!(world.run(100), (Exit::Breakpoint, 4));
    assert_eq!(world.get(Gpr::Rax), 42);

    // A tracer's write, after the code was executed.
    world.space.write_bytes(changing + 1, &[7]).expect("mapped");
    world.registers.rip = changing;
    assert_eq!(world.run(100), (Exit::Breakpoint, 2));
    assert_eq!(world.get(Gpr::Rax), 7);
    assert_eq!(instruction_at(&mut world.code, &mut world.space, changing).expect("mapped").immediate32(), 7);

    // Going back to a snapshot.
    let snapshot = world.space.snapshot();
    world.space.write_bytes(changing + 1, &[8]).expect("mapped");
    world.registers.rip = changing;
    assert_eq!(world.run(100), (Exit::Breakpoint, 2));
    assert_eq!(world.get(Gpr::Rax), 8);
    world.space.restore(&snapshot);
    world.registers.rip = changing;
    assert_eq!(world.run(100), (Exit::Breakpoint, 2));
    assert_eq!(world.get(Gpr::Rax), 7);

    // The native process changed it: all zero there.
    world.space.forget(CODE..CODE + 1);
    world.registers.rip = changing;
    world.registers.set(Gpr::Rax, DATA);
    assert_eq!(world.run(1), (Exit::Budget, 1));
    assert_eq!(world.registers.rip, changing + 2, "two zeros are `add [rax], al`");
}

#[test]
fn a_loop_that_counts_in_its_own_code_ends() {
    let mut world = world(|a| {
        let mut again = a.create_label();
        a.set_label(&mut again)?;
        a.inc(dword_ptr(rdx))?; // the immediate of the next one
        a.mov(eax, 0)?;
        a.cmp(eax, 1000)?;
        a.jne(again)?;
        a.int3()
    });
    world.registers.set(Gpr::Rdx, CODE + 2 + 1);
    assert_eq!(world.run(1_000_000), (Exit::Breakpoint, 4001));
    assert_eq!(world.get(Gpr::Rax), 1000);
}

#[test]
fn changes_in_a_page_with_a_block_that_begins_in_another_are_seen() {
    let mut world = world(|a| a.nop());
    // mov eax, imm32 across the border of two pages.
    world.space.write_bytes(CODE + 0xffd, &[0xb8, 1, 0, 0, 0, 0xcc]).expect("mapped");
    world.registers.rip = CODE + 0xffd;
    assert_eq!(world.run(100), (Exit::Breakpoint, 2));
    assert_eq!(world.get(Gpr::Rax), 1);
    world.space.write_bytes(CODE + 0x1001, &[1]).expect("mapped");
    world.registers.rip = CODE + 0xffd;
    assert_eq!(world.run(100), (Exit::Breakpoint, 2));
    assert_eq!(world.get(Gpr::Rax), 0x0100_0001);
}
