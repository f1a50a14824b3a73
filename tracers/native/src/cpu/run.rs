//! The fast loop.

use super::code::{Block, Code};
use super::state::{Cpu, Flow};
use super::{Exit, Limits, RegisterSet, Registers};
use crate::memory::Space;

/// Repetitions of a string instruction between two looks at the budget.
const REPETITIONS: u64 = 4096;

/// Interprets until something happens that is not for the interpreter to decide; says what, and how many instructions
/// were executed.
///
/// `limits.instructions` stays as it is; `limits.symbolic` loses the registers that were overwritten.
pub fn run(
    registers: &mut Registers,
    code: &mut Code,
    space: &mut Space,
    limits: &mut Limits,
) -> (Exit, u64) {
    code.catch_up(space);
    let mut cpu = Cpu::load(registers);
    let mut left = limits.instructions;
    let exit = blocks(&mut cpu, code, space, &mut left, &mut limits.symbolic);
    cpu.save(registers);
    (exit, limits.instructions - left)
}

fn blocks(
    cpu: &mut Cpu,
    code: &mut Code,
    space: &mut Space,
    left: &mut u64,
    symbolic: &mut RegisterSet,
) -> Exit {
    let mut next = code.block_at(space, cpu.rip);
    loop {
        let number = match next {
            Ok(number) => number,
            Err(exit) => return exit,
        };
        let block = &code.blocks[number as usize];
        space.set_half(block.half);
        let flow = if *left >= block.ops.len() as u64 && !block.effects.touches.intersects(*symbolic) {
            swiftly(cpu, block, space, left, symbolic)
        } else {
            match carefully(cpu, block, space, left, symbolic) {
                Ok(flow) => flow,
                Err(exit) => return exit,
            }
        };
        next = match flow {
            Flow::Next => {
                cpu.rip = block.end;
                follow(code, space, cpu.rip, number, 0)
            }
            Flow::Jump => follow(code, space, cpu.rip, number, 1),
            Flow::Indirect => {
                let slot = Code::target_slot(cpu.rip);
                let guess = code.targets[slot];
                if code.blocks[guess as usize].address == cpu.rip {
                    Ok(guess)
                } else {
                    code.block_at(space, cpu.rip).inspect(|&number| code.targets[slot] = number)
                }
            }
            Flow::Again => code.block_at(space, cpu.rip),
            Flow::Leave => return cpu.exit,
            Flow::Refused if space.take_refused_code_write() => {
                write_code(cpu, code, space, left, symbolic).and_then(|()| code.block_at(space, cpu.rip))
            }
            Flow::Refused => return cpu.exit,
        };
    }
}

/// Executes a block that the budget has room for and that touches nothing symbolic.
#[inline(always)]
fn swiftly(
    cpu: &mut Cpu,
    block: &Block,
    space: &mut Space,
    left: &mut u64,
    symbolic: &mut RegisterSet,
) -> Flow {
    let length = block.ops.len() as u64;
    cpu.repetitions = (*left - length).min(REPETITIONS);
    let mut ops = block.ops.iter();
    for op in &mut ops {
        let flow = (op.run)(cpu, space, &op.fields);
        if flow == Flow::Next {
            continue;
        }
        if matches!(flow, Flow::Jump | Flow::Indirect) {
            break_even(cpu, block, left, symbolic);
            return flow;
        }
        let index = block.ops.len() - ops.len() - 1;
        *left -= index as u64;
        for effects in &block.each[..index] {
            symbolic.remove(effects.kills);
        }
        account(cpu, block, index, flow, left, symbolic);
        return flow;
    }
    break_even(cpu, block, left, symbolic);
    Flow::Next
}

/// Takes account of a block that was executed to its end.
#[inline(always)]
fn break_even(cpu: &mut Cpu, block: &Block, left: &mut u64, symbolic: &mut RegisterSet) {
    *left -= block.ops.len() as u64 + std::mem::take(&mut cpu.repeated);
    symbolic.remove(block.effects.kills);
}

/// Executes a block and looks before each instruction whether it may be executed.
#[cold]
#[inline(never)]
fn carefully(
    cpu: &mut Cpu,
    block: &Block,
    space: &mut Space,
    left: &mut u64,
    symbolic: &mut RegisterSet,
) -> Result<Flow, Exit> {
    for (index, op) in block.ops.iter().enumerate() {
        let reason = if *left == 0 {
            Some(Exit::Budget)
        } else {
            block.each[index].touches.intersects(*symbolic).then_some(Exit::Symbolic)
        };
        if let Some(exit) = reason {
            cpu.rip = op.fields.at;
            return Err(exit);
        }
        cpu.repetitions = (*left - 1).min(REPETITIONS);
        let flow = (op.run)(cpu, space, &op.fields);
        account(cpu, block, index, flow, left, symbolic);
        if flow != Flow::Next {
            return Ok(flow);
        }
    }
    Ok(Flow::Next)
}

/// Takes account of one instruction.
fn account(
    cpu: &mut Cpu,
    block: &Block,
    index: usize,
    flow: Flow,
    left: &mut u64,
    symbolic: &mut RegisterSet,
) {
    *left -= std::mem::take(&mut cpu.repeated);
    if matches!(flow, Flow::Again | Flow::Refused) {
        cpu.rip = block.ops[index].fields.at;
    }
    if flow != Flow::Refused {
        *left -= 1;
        symbolic.remove(block.each[index].kills);
    }
}

/// The block that comes after another one.
#[inline(always)]
fn follow(code: &mut Code, space: &mut Space, address: u64, from: u32, way: usize) -> Result<u32, Exit> {
    let guess = code.blocks[from as usize].next[way];
    if code.blocks[guess as usize].address == address {
        return Ok(guess);
    }
    let number = code.block_at(space, address)?;
    code.blocks[from as usize].next[way] = number;
    Ok(number)
}

/// Executes the one instruction that stores to where decoded code lies, then forgets that code: it may be the very
/// block that the instruction is in.
#[cold]
fn write_code(
    cpu: &mut Cpu,
    code: &mut Code,
    space: &mut Space,
    left: &mut u64,
    symbolic: &mut RegisterSet,
) -> Result<(), Exit> {
    let decoded = code.decode(space, cpu.rip)?;
    cpu.repetitions = 0;
    let flow = space.with_code_writes(|space| (decoded.handlers.fast)(cpu, space, &decoded.fields));
    code.catch_up(space);
    *left -= std::mem::take(&mut cpu.repeated);
    if flow == Flow::Refused {
        return Err(cpu.exit);
    }
    *left -= 1;
    symbolic.remove(decoded.effects.kills);
    match flow {
        Flow::Next => cpu.rip = decoded.fields.next(),
        Flow::Leave => return Err(cpu.exit),
        _ => {}
    }
    Ok(())
}
