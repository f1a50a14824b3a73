//! Jumps, calls and returns.

use std::marker::PhantomData;

use super::operand::Place;
use crate::cpu::state::{Body, Cpu, Fields, Flow, RCX, RSP, load, store};
use crate::memory::{Memory, Trouble};

/// `jmp` to a given address.
pub(crate) struct Jump;
/// `jmp` to what an operand says.
pub(crate) struct JumpTo<S>(PhantomData<S>);
/// `jcc`.
pub(crate) struct JumpIf<const CONDITION: u8>;
/// `jrcxz`, `jecxz`: `W` bytes of RCX are zero.
pub(crate) struct JumpIfNone<const W: usize>;
/// `loop`, `loope`, `loopne` over `W` bytes of RCX; [`Fields::extra`]: whatever the zero flag is (2), or it has to be
/// that.
pub(crate) struct Loop<const W: usize>;
/// `call` of a given address.
pub(crate) struct Call;
/// `call` of what an operand says.
pub(crate) struct CallTo<S>(PhantomData<S>);
/// `ret`, releasing as many bytes of the stack as the immediate says.
pub(crate) struct Return;

impl Body for Jump {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, _: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        cpu.rip = f.imm;
        Ok(Flow::Jump)
    }
}

impl<S: Place> Body for JumpTo<S> {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let from = S::locate(cpu, f);
        cpu.rip = S::read::<8, M>(cpu, memory, f, from)?;
        Ok(Flow::Indirect)
    }
}

/// To the target or behind the instruction.
#[inline(always)]
fn either(cpu: &mut Cpu, f: &Fields, jump: bool) -> Result<Flow, Trouble> {
    if jump {
        cpu.rip = f.imm;
        Ok(Flow::Jump)
    } else {
        Ok(Flow::Next)
    }
}

impl<const CONDITION: u8> Body for JumpIf<CONDITION> {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, _: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let jump = cpu.flags.condition(CONDITION);
        either(cpu, f, jump)
    }
}

impl<const W: usize> Body for JumpIfNone<W> {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, _: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let jump = cpu.part::<W>(RCX as u8, 0) == 0;
        either(cpu, f, jump)
    }
}

impl<const W: usize> Body for Loop<W> {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, _: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let count = cpu.part::<W>(RCX as u8, 0).wrapping_sub(1);
        cpu.set_part::<W>(RCX as u8, 0, count);
        let wanted = f.extra == 2 || cpu.flags.zero() == (f.extra == 1);
        let jump = cpu.part::<W>(RCX as u8, 0) != 0 && wanted;
        either(cpu, f, jump)
    }
}

#[inline(always)]
fn call<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields, target: u64) -> Result<(), Trouble> {
    let stack = cpu.r[RSP].wrapping_sub(8);
    store::<8, M>(memory, stack, f.next())?;
    cpu.r[RSP] = stack;
    cpu.rip = target;
    Ok(())
}

impl Body for Call {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        call(cpu, memory, f, f.imm)?;
        Ok(Flow::Jump)
    }
}

impl<S: Place> Body for CallTo<S> {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        let from = S::locate(cpu, f);
        let target = S::read::<8, M>(cpu, memory, f, from)?;
        call(cpu, memory, f, target)?;
        Ok(Flow::Indirect)
    }
}

impl Body for Return {
    #[inline(always)]
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble> {
        cpu.rip = load::<8, M>(memory, cpu.r[RSP])?;
        cpu.r[RSP] = cpu.r[RSP].wrapping_add(8).wrapping_add(f.imm);
        Ok(Flow::Indirect)
    }
}
