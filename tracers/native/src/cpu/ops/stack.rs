//! The stack.

use std::marker::PhantomData;

use super::operand::Place;
use crate::cpu::flags::Flags;
use crate::cpu::state::{Body, Cpu, Fields, Flow, RBP, RSP, load, store};
use crate::memory::{Memory, Trouble};

/// `push S` of `W` bytes.
pub(crate) struct Push<const W: usize, S>(PhantomData<S>);
/// `pop` to a register.
pub(crate) struct Pop<const W: usize>;
/// `pop` to memory.
pub(crate) struct PopToMemory<const W: usize>;
/// `pushf`.
pub(crate) struct PushFlags<const W: usize>;
/// `popf`.
pub(crate) struct PopFlags<const W: usize>;
/// `leave`.
pub(crate) struct Leave;
/// `enter` without copied frames; the size is the immediate.
pub(crate) struct Enter;

#[inline(always)]
fn push<const W: usize, M: Memory>(cpu: &mut Cpu, memory: &mut M, value: u64) -> Result<(), Trouble> {
    let stack = cpu.r[RSP].wrapping_sub(W as u64);
    store::<W, M>(memory, stack, value)?;
    cpu.r[RSP] = stack;
    Ok(())
}

impl<const W: usize, S: Place> Body for Push<W, S> {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let from = S::locate(cpu, f);
        let value = S::read::<W, M>(cpu, memory, f, from)?;
        push::<W, M>(cpu, memory, value)?;
        Ok(Flow::Next)
    }
}

impl<const W: usize> Body for Pop<W> {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let value = load::<W, M>(memory, cpu.r[RSP])?;
        // In this order: `pop rsp` keeps what was loaded.
        cpu.r[RSP] = cpu.r[RSP].wrapping_add(W as u64);
        cpu.set_part::<W>(f.a, 0, value);
        Ok(Flow::Next)
    }
}

impl<const W: usize> Body for PopToMemory<W> {
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let before = cpu.r[RSP];
        let value = load::<W, M>(memory, before)?;
        // An address relative to RSP is taken after it has moved.
        cpu.r[RSP] = before.wrapping_add(W as u64);
        let at = cpu.address(f);
        if let Err(trouble) = store::<W, M>(memory, at, value) {
            cpu.r[RSP] = before;
            return Err(trouble);
        }
        Ok(Flow::Next)
    }
}

/// Flags that a program can change: status, trap, direction, nested task, alignment check, identification.
const CHANGEABLE: u64 = 0x24_4dd5;
/// Resume and virtual-8086 mode, which are pushed as zero.
const NOT_PUSHED: u64 = 0x3_0000;

impl<const W: usize> Body for PushFlags<W> {
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, _: &Fields) -> Result<Flow, Trouble> {
        push::<W, M>(cpu, memory, cpu.all_flags() & !NOT_PUSHED)?;
        Ok(Flow::Next)
    }
}

impl<const W: usize> Body for PopFlags<W> {
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, _: &Fields) -> Result<Flow, Trouble> {
        let value = load::<W, M>(memory, cpu.r[RSP])?;
        cpu.r[RSP] = cpu.r[RSP].wrapping_add(W as u64);
        let changeable = if W == 2 { CHANGEABLE & 0xffff } else { CHANGEABLE };
        let all = (cpu.all_flags() & !changeable) | (value & changeable);
        cpu.flags = Flags::from_bits(all);
        cpu.other_flags = all & !crate::cpu::Flag::STATUS;
        Ok(Flow::Next)
    }
}

impl Body for Leave {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, _: &Fields) -> Result<Flow, Trouble> {
        let frame = cpu.r[RBP];
        cpu.r[RBP] = load::<8, M>(memory, frame)?;
        cpu.r[RSP] = frame.wrapping_add(8);
        Ok(Flow::Next)
    }
}

impl Body for Enter {
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let frame = cpu.r[RSP].wrapping_sub(8);
        store::<8, M>(memory, frame, cpu.r[RBP])?;
        cpu.r[RBP] = frame;
        cpu.r[RSP] = frame.wrapping_sub(f.imm);
        Ok(Flow::Next)
    }
}
