//! Runs a small program symbolically from its first instruction to its end.

use iced_x86::code_asm::CodeAssembler;
use warpath_native::cpu::{Code, Gpr, Registers};
use warpath_native::memory::{Backing, Protection, Space};
use warpath_native::sym::{Effect, Effects, Shadow, ShadowOptions, ThreadShadow};
use warpath_trace::expr::{BinaryOp, ExprPool, Node, UnaryOp, Width};
use warpath_trace::ids::{ExprId, InputId};

use crate::machine::{CODE, DATA, DATA_SIZE, Machine};

pub struct Runner {
    pub shadow: Shadow,
    pub thread: ThreadShadow,
    pub machine: Machine,
    pub path: Vec<Effect>,
    /// Instructions executed.
    pub steps: u64,
}

pub struct Zeros;

impl Backing for Zeros {
    fn fetch(&mut self, _: u64, into: &mut [u8; 4096]) -> bool {
        into.fill(0);
        true
    }
}

impl Runner {
    pub fn new() -> Self {
        let mut machine = Machine { registers: Registers::default(), data: vec![0; DATA_SIZE] };
        machine.point();
        Runner {
            shadow: Shadow::new(ShadowOptions::default()),
            thread: ThreadShadow::new(),
            machine,
            path: Vec::new(),
            steps: 0,
        }
    }

    /// Makes a register an input.
    pub fn input(&mut self, input: u32, register: Gpr, width: Width, value: u64) -> ExprId {
        let expr = self.shadow.pool_mut().intern(Node::Input { input: InputId(input), width }).unwrap();
        self.machine.registers.set(register, value);
        self.thread.set(register, Some(expr));
        expr
    }

    /// Makes bytes of memory inputs of one byte each, numbered from 0.
    pub fn bytes(&mut self, offset: usize, bytes: &[u8]) {
        self.machine.data[offset..offset + bytes.len()].copy_from_slice(bytes);
        for (index, &byte) in (0..).zip(bytes) {
            self.shadow.input(DATA + offset as u64 + u64::from(index), InputId(index), 8, byte.into());
        }
    }

    /// Runs until the end of the program is reached.
    pub fn run(&mut self, program: impl FnOnce(&mut CodeAssembler) -> Result<(), iced_x86::IcedError>) {
        let mut assembler = CodeAssembler::new(64).unwrap();
        program(&mut assembler).unwrap();
        let bytes = assembler.assemble(CODE).unwrap();
        let end = CODE + bytes.len() as u64;
        let mut space = Space::new(Box::new(Zeros));
        space.map(CODE..CODE + 4096, Protection::READ_EXECUTE);
        space.write_bytes(CODE, &bytes).unwrap();
        let mut code = Code::new();
        self.machine.registers.rip = CODE;
        let mut effects = Effects::new();
        while self.machine.registers.rip != end {
            assert!(self.steps < 10_000, "the program does not end");
            let decoded = code.decode(&mut space, self.machine.registers.rip).unwrap();
            let before = self.machine.registers.clone();
            effects.clear();
            self.shadow.prepare(&mut self.thread, &decoded.instruction, &before, &mut effects);
            let done = self.machine.step(&decoded);
            if done.exit.is_err() {
                self.shadow.divide_error(
                    &mut self.thread,
                    &decoded.instruction,
                    &before,
                    &done.accesses,
                    &mut effects,
                );
                self.path.append(&mut effects.path);
                return;
            }
            let (thread, after) = (&mut self.thread, &self.machine.registers);
            self.shadow.execute(thread, &decoded.instruction, &before, after, &done.accesses, &mut effects);
            self.path.append(&mut effects.path);
            self.steps += 1;
        }
        assert_eq!(self.shadow.disagreements(), 0);
    }

    /// The conditions of the path, as text.
    pub fn conditions(&self) -> Vec<String> {
        let pool = self.shadow.pool();
        let show = |effect: &Effect| match *effect {
            Effect::Branch { condition, taken: true } => show(pool, condition),
            Effect::Branch { condition, taken: false } => format!("not {}", show(pool, condition)),
            Effect::Switch { on, value } => format!("switch {} is {value}", show(pool, on)),
            Effect::Concretise { expr, value, why } => format!("{why:?}: {} is {value}", show(pool, expr)),
        };
        self.path.iter().map(show).collect()
    }

    /// A register's low bits as text, if they are symbolic.
    pub fn text(&mut self, register: Gpr, width: Width) -> Option<String> {
        let expr = self.shadow.register(&self.thread, register, width, &self.machine.registers)?;
        Some(show(self.shadow.pool(), expr))
    }
}

/// An expression as people write it; inputs are `i0`, `i1`, …, constants are signed.
pub fn show(pool: &ExprPool, id: ExprId) -> String {
    let sub = |id| show(pool, id);
    match pool.node(id) {
        Node::Bool(value) => value.to_string(),
        Node::Const { width, value } => warpath_trace::expr::to_signed(value, width).to_string(),
        Node::Input { input, .. } => format!("i{}", input.0),
        Node::Read { thread, event, .. } => format!("r{}.{event}", thread.0),
        Node::Unary(UnaryOp::Not, a) => format!("!{}", sub(a)),
        Node::Unary(UnaryOp::BvNot, a) => format!("~{}", sub(a)),
        Node::Unary(UnaryOp::Neg, a) => format!("-{}", sub(a)),
        Node::Binary(op, a, b) => {
            let sign = match op {
                BinaryOp::And => "&&",
                BinaryOp::Or => "||",
                BinaryOp::Xor => "!=",
                BinaryOp::Eq => "==",
                BinaryOp::Ult => "<u",
                BinaryOp::Ule => "<=u",
                BinaryOp::Slt => "<s",
                BinaryOp::Sle => "<=s",
                BinaryOp::Add => "+",
                BinaryOp::Sub => "-",
                BinaryOp::Mul => "*",
                BinaryOp::UDiv => "/u",
                BinaryOp::URem => "%u",
                BinaryOp::SDiv => "/s",
                BinaryOp::SRem => "%s",
                BinaryOp::BvAnd => "&",
                BinaryOp::BvOr => "|",
                BinaryOp::BvXor => "^",
                BinaryOp::Shl => "<<",
                BinaryOp::LShr => ">>u",
                BinaryOp::AShr => ">>s",
                BinaryOp::Concat => "++",
            };
            format!("({} {sign} {})", sub(a), sub(b))
        }
        Node::Extract { high, low, of } => format!("{}[{high}:{low}]", sub(of)),
        Node::ZeroExtend { width, of } => format!("zext{width}({})", sub(of)),
        Node::SignExtend { width, of } => format!("sext{width}({})", sub(of)),
        Node::Ite { condition, then, otherwise } => {
            format!("({} ? {} : {})", sub(condition), sub(then), sub(otherwise))
        }
    }
}
