//! One sequence: a machine that is followed symbolically, and others with other inputs beside it.

use iced_x86::{Decoder, DecoderOptions, Formatter, Instruction, IntelFormatter, Mnemonic};
use warpath_native::cpu::{self, Code, Decoded, Exit, Flag, Gpr, Registers, Stepped, status_flags};
use warpath_native::memory::{Backing, Protection, Space};
use warpath_native::sym::{Access, Check, Effect, Effects, Shadow, ShadowOptions, ThreadShadow};
use warpath_trace::event::Concretised;
use warpath_trace::expr::{Leaf, Node, Width, mask};
use warpath_trace::ids::InputId;

use crate::generate::{EXACT, Generator};
use crate::machine::{CODE, DATA, DATA_SIZE, Machine};
use crate::random::Random;

/// How many machines with other inputs there are.
const OTHERS: usize = 3;

struct Nothing;

impl Backing for Nothing {
    fn fetch(&mut self, _: u64, into: &mut [u8; 4096]) -> bool {
        into.fill(0);
        true
    }
}

/// A machine with other inputs.
struct Other {
    machine: Machine,
    check: Check<Box<dyn Fn(Leaf) -> Option<u128>>>,
    /// Still on the path?
    alive: bool,
}

pub struct Trial {
    shadow: Shadow,
    thread: ThreadShadow,
    machine: Machine,
    check: Check<Box<dyn Fn(Leaf) -> Option<u128>>>,
    others: Vec<Other>,
    code: Code,
    space: Space,
    /// Flags that the manual leaves undefined now.
    undefined: u64,
    /// Has the last instruction, a repeated one, more to do?
    repeating: bool,
    /// The bytes of data that have been announced to be symbolic.
    marked: Vec<bool>,
    text: Vec<String>,
    pub compared: u64,
}

/// Where an input goes.
#[derive(Clone, Copy)]
enum Target {
    Register(Gpr),
    Memory(u64),
}

impl Trial {
    pub fn new(random: &mut Random) -> Self {
        let mut space = Space::new(Box::new(Nothing));
        space.map(CODE..CODE + 4096, Protection::READ_EXECUTE);
        let mut machine = Machine { registers: Registers::default(), data: vec![0; DATA_SIZE] };
        for register in &mut machine.registers.gpr {
            *register = random.number();
        }
        for register in &mut machine.registers.xmm {
            *register = u128::from(random.number()) << 64 | u128::from(random.number());
        }
        for piece in machine.data.chunks_mut(8) {
            piece.copy_from_slice(&random.number().to_le_bytes());
        }
        machine.registers.flags = 0x202 | random.next() & Flag::STATUS;
        if random.one_in(4) {
            machine.registers.set(Gpr::Rbp, DATA + 1024);
            machine.registers.set(Gpr::Rbx, DATA + 64);
        }
        if random.one_in(2) {
            machine.registers.set(Gpr::Rcx, random.below(10) as u64);
        }
        machine.point();

        let mut inputs: Vec<(Target, Width, u128)> = Vec::new();
        for register in [Gpr::Rax, Gpr::Rcx, Gpr::Rdx, Gpr::Rbx, Gpr::R8, Gpr::R9] {
            if random.one_in(2) {
                let width = random.pick(&[8, 16, 32, 64, 64]);
                let value = u128::from(machine.registers.get(register)) & mask(width);
                inputs.push((Target::Register(register), width, value));
            }
        }
        for _ in 0..12 {
            let width: Width = random.pick(&[8, 16, 32, 64, 128]);
            let offset = random.below(DATA_SIZE - 16);
            // Where the instructions find it.
            let offset = if random.one_in(4) { offset } else { offset % 300 };
            inputs.push((Target::Memory(DATA + offset as u64), width, 0));
        }

        let mut trial = Trial {
            shadow: Shadow::new(ShadowOptions::default()),
            thread: ThreadShadow::new(),
            machine,
            check: Check::new(Box::new(|_| None)),
            others: Vec::new(),
            code: Code::new(),
            space,
            undefined: 0,
            repeating: false,
            marked: vec![false; DATA_SIZE],
            text: Vec::new(),
            compared: 0,
        };
        trial.set_inputs(random, &mut inputs);
        for number in 0..3 {
            trial.load_vector(random, number);
        }
        trial
    }

    fn set_inputs(&mut self, random: &mut Random, inputs: &mut [(Target, Width, u128)]) {
        // Later inputs overwrite earlier ones where they overlap, in all machines alike.
        for (index, (target, width, value)) in inputs.iter_mut().enumerate() {
            let input = InputId::from(index);
            match *target {
                Target::Register(register) => {
                    self.machine.registers.set(register, *value as u64);
                    let expr = self.shadow.pool_mut().intern(Node::Input { input, width: *width }).unwrap();
                    self.thread.set(register, Some(expr));
                }
                Target::Memory(address) => {
                    let from = (address - DATA) as usize;
                    let mut bytes = [0; 16];
                    bytes.copy_from_slice(&self.machine.data[from..from + 16]);
                    *value = u128::from_le_bytes(bytes) & mask(*width);
                    self.shadow.input(address, input, *width, *value);
                }
            }
        }
        let values: Vec<u128> = inputs.iter().map(|&(_, _, value)| value).collect();
        self.check = Check::new(assignment(values.clone()));
        for _ in 0..OTHERS {
            let mut machine = self.machine.clone();
            let mut values = values.clone();
            for (value, &(target, width, _)) in values.iter_mut().zip(inputs.iter()) {
                match random.below(4) {
                    0 => *value = u128::from(random.number()) << 64 | u128::from(random.number()),
                    1 => *value ^= 1 << random.below(width.into()),
                    2 => *value = value.wrapping_add(random.below(5) as u128).wrapping_sub(2),
                    _ => {}
                }
                *value &= mask(width);
                match target {
                    Target::Register(register) => machine.registers.set(register, *value as u64),
                    Target::Memory(address) => {
                        let from = (address - DATA) as usize;
                        let count = usize::from(width / 8);
                        machine.data[from..from + count].copy_from_slice(&value.to_le_bytes()[..count]);
                    }
                }
            }
            self.others.push(Other { machine, check: Check::new(assignment(values)), alive: true });
        }
    }

    /// `movdqu xmmN, [r15 + …]`.
    fn load_vector(&mut self, random: &mut Random, number: u8) {
        let mut bytes = vec![0xf3, 0x41, 0x0f, 0x6f, 0x87 | number << 3];
        bytes.extend((random.below(280) as u32).to_le_bytes());
        self.execute(&bytes, true);
    }

    /// One random instruction. `None` if none was found that can be executed; else whether it touched symbolic data.
    pub fn turn(&mut self, random: &mut Random, generator: &Generator, mnemonic: Mnemonic) -> Option<bool> {
        if matches!(mnemonic, Mnemonic::Div | Mnemonic::Idiv) && random.one_in(2) {
            // The usual preparation: cdq, cqo, or xor edx, edx.
            let bytes: &[u8] = random.pick(&[&[0x99], &[0x48, 0x99], &[0x31, 0xd2]]);
            self.execute(bytes, true);
        }
        for _ in 0..20 {
            let Some(bytes) = generator.instruction(random, mnemonic, &self.machine.registers.gpr) else {
                continue;
            };
            let lazily = random.one_in(2);
            let mut any = None;
            while let Some(symbolic) = self.execute(&bytes, !lazily) {
                any = Some(any.unwrap_or(false) | symbolic);
                // A repeated string instruction has further turns.
                if !self.repeating {
                    break;
                }
            }
            // Pointers that were moved are put back in all machines, which makes them concrete.
            let pointers = [Gpr::R15, Gpr::Rsp, Gpr::Rsi, Gpr::Rdi];
            self.machine.point();
            self.others.iter_mut().for_each(|other| other.machine.point());
            pointers.into_iter().for_each(|pointer| self.thread.set(pointer, None));
            if any.is_some() {
                return any;
            }
        }
        None
    }

    /// Executes an instruction on all machines; `None` if it cannot be, else whether it touched symbolic data. Unless
    /// told to, it does not follow one that touches none.
    fn execute(&mut self, bytes: &[u8], always: bool) -> Option<bool> {
        self.space.write_bytes(CODE, bytes).unwrap();
        self.machine.registers.rip = CODE;
        let decoded = self.code.decode(&mut self.space, CODE).unwrap();
        let instruction = decoded.instruction;
        if !decoded.interpreted || reads_flags(&instruction) & self.undefined != 0 {
            return None;
        }
        let before = self.machine.registers.clone();
        let mut next = self.machine.clone();
        let done = next.step(&decoded);
        let divided = done.exit == Err(Exit::DivideError);
        if done.exit.is_err() && !divided {
            return None;
        }
        self.text.push(show(bytes));
        let touched = |access: &Access| self.shadow.is_symbolic(access.address, access.size.into());
        let symbolic =
            self.thread.symbolic().intersects(decoded.effects.touches) || done.accesses.iter().any(touched);

        let mut effects = Effects::new();
        if symbolic || always {
            let (shadow, thread) = (&mut self.shadow, &mut self.thread);
            shadow.prepare(thread, &instruction, &before, &mut effects);
            if divided {
                shadow.divide_error(thread, &instruction, &before, &done.accesses, &mut effects);
            } else {
                shadow.execute(thread, &instruction, &before, &next.registers, &done.accesses, &mut effects);
            }
        } else if !divided {
            let kept = self.thread.symbolic() - decoded.effects.kills;
            self.thread.keep_only(kept);
        }
        self.repeating = done.exit == Ok(Stepped::Repeating);
        self.machine = next;
        if !divided {
            let undefined = undefined_flags(&instruction);
            self.undefined |= undefined;
            self.undefined &= !(defined_flags(&instruction) & !undefined);
        }
        if let Some(effect) = effects.path.iter().find(|&effect| is_inexact(&instruction, effect)) {
            self.fail(&format!("followed inexactly: {effect:?}"), &before, &effects);
        }
        if self.shadow.disagreements() != 0 {
            self.fail("the expression of a result is not what the result is", &before, &effects);
        }
        for mark in self.shadow.take_marks() {
            let from = (mark.address - DATA) as usize;
            self.marked[from..from + mark.len as usize].fill(mark.symbolic);
        }
        self.compare(&decoded, &before, &effects, divided);
        Some(symbolic)
    }

    fn compare(&mut self, decoded: &Decoded, before: &Registers, effects: &Effects, divided: bool) {
        let flags = Flag::STATUS & !self.undefined;
        let mut failed = None;
        let checked = self
            .check
            .thread(&mut self.shadow, &self.thread, &self.machine.registers, flags)
            .and_then(|()| self.check.memory(&mut self.shadow, DATA, &self.machine.data));
        if let Err(error) = checked {
            failed = Some(format!("here: {error}"));
        }
        for effect in &effects.path {
            if !holds(&mut self.check, &self.shadow, effect) {
                failed = Some(format!("the condition {effect:?} does not hold on its own path"));
            }
        }
        let symbolic = self.thread.symbolic();
        let ranges = self.shadow.symbolic_ranges(DATA, DATA_SIZE as u64);
        let in_ranges = |address: u64| ranges.iter().any(|&(from, len)| address.wrapping_sub(from) < len);
        if (DATA..).zip(&self.marked).any(|(address, &marked)| marked != in_ranges(address)) {
            failed = Some("marks and shadow memory differ".to_owned());
        }
        for other in self.others.iter_mut().filter(|other| other.alive) {
            other.alive = effects.path.iter().all(|effect| holds(&mut other.check, &self.shadow, effect));
            if !other.alive || failed.is_some() {
                continue;
            }
            self.compared += 1;
            other.machine.registers.rip = CODE;
            let done = other.machine.step(decoded);
            if (done.exit == Err(Exit::DivideError)) != divided || done.exit.is_err() != divided {
                failed = Some(format!("it ends in {:?} elsewhere", done.exit));
                continue;
            }
            let (mine, theirs) = (&self.machine.registers, &other.machine.registers);
            if mine.rip != theirs.rip {
                failed = Some(format!("it goes to {:#x} here, to {:#x} elsewhere", mine.rip, theirs.rip));
            }
            for number in 0..16 {
                if !symbolic.has_gpr(number) && mine.gpr[number] != theirs.gpr[number] {
                    failed = Some(format!("general register {number} is not concrete"));
                }
                if !symbolic.has_xmm(number) && mine.xmm[number] != theirs.xmm[number] {
                    failed = Some(format!("vector register {number} is not concrete"));
                }
            }
            if !symbolic.has_flags() && (mine.flags ^ theirs.flags) & flags != 0 {
                failed = Some(format!("flags are not concrete: {:#x}, {:#x}", mine.flags, theirs.flags));
            }
            for (address, (a, b)) in (DATA..).zip(self.machine.data.iter().zip(&other.machine.data)) {
                if a != b && !in_ranges(address) {
                    failed = Some(format!("the byte at {address:#x} is not concrete"));
                }
            }
            let checked = other
                .check
                .thread(&mut self.shadow, &self.thread, &other.machine.registers, flags)
                .and_then(|()| other.check.memory_of_other(&mut self.shadow, DATA, &other.machine.data));
            if let Err(error) = checked {
                failed = Some(format!("elsewhere: {error}"));
            }
        }
        if let Some(what) = failed {
            self.fail(&what, before, effects);
        }
    }

    fn fail(&self, what: &str, before: &Registers, effects: &Effects) -> ! {
        panic!(
            "{what}\nafter {}\nregisters before the last: {before:#x?}\nnow: {:#x?}\n{:#?}",
            self.text.join("\n      "),
            self.machine.registers,
            effects.path
        );
    }
}

fn assignment(values: Vec<u128>) -> Box<dyn Fn(Leaf) -> Option<u128>> {
    Box::new(move |leaf| match leaf {
        Leaf::Input(input) => values.get(input.index()).copied(),
        Leaf::Read(..) => None,
    })
}

fn holds<F: Fn(Leaf) -> Option<u128>>(check: &mut Check<F>, shadow: &Shadow, effect: &Effect) -> bool {
    match *effect {
        Effect::Branch { condition, taken } => check.value(shadow, condition).unwrap() == u128::from(taken),
        Effect::Switch { on: expr, value } | Effect::Concretise { expr, value, .. } => {
            check.value(shadow, expr).unwrap() == value
        }
    }
}

/// Was a value used by its number that has to be followed?
fn is_inexact(instruction: &Instruction, effect: &Effect) -> bool {
    let Effect::Concretise { why: Concretised::Other | Concretised::Float, .. } = effect else {
        return false;
    };
    // Flags that are not status flags are always concrete; counts above sixteen are undefined.
    let exempt = [Mnemonic::Popfq, Mnemonic::Shld, Mnemonic::Shrd].contains(&instruction.mnemonic());
    EXACT.contains(&instruction.mnemonic()) && !exempt
}

fn reads_flags(instruction: &Instruction) -> u64 {
    status_flags(instruction.rflags_read())
}

/// Flags that the manual leaves undefined.
fn undefined_flags(instruction: &Instruction) -> u64 {
    // A rotation through carry by its whole cycle leaves the value as it is, but not overflow.
    let rotates = matches!(instruction.mnemonic(), Mnemonic::Rcl | Mnemonic::Rcr);
    let by = instruction.try_immediate(1).unwrap_or(0) & 0x1f;
    cpu::undefined_flags(instruction) | if rotates && by > 1 { Flag::OF } else { 0 }
}

/// Flags that the instruction always sets to something that the manual says.
fn defined_flags(instruction: &Instruction) -> u64 {
    let by_register = instruction.op_count() > 0
        && instruction.op_register(instruction.op_count() - 1) == iced_x86::Register::CL;
    let repeated = instruction.has_rep_prefix() || instruction.has_repne_prefix();
    if by_register || repeated { 0 } else { status_flags(instruction.rflags_modified()) }
}

fn show(bytes: &[u8]) -> String {
    let instruction = Decoder::with_ip(64, bytes, CODE, DecoderOptions::NONE).decode();
    let mut text = String::new();
    IntelFormatter::new().format(&instruction, &mut text);
    text
}
