//! One instruction at a time, over any memory.

use super::code::Decoded;
use super::dynamic::Dynamic;
use super::state::{Cpu, Flow};
use super::{Exit, Registers, Stepped};
use crate::memory::Memory;

/// Executes one instruction (of a repeated string instruction: one repetition) over any memory.
///
/// `decoded` is what [`Code::decode`](super::Code::decode) gives for `registers.rip`. On an error that leaves the
/// instruction pointer at the instruction nothing has changed; [`Exit`] says which errors come *after* it, as for
/// [`run`](super::run). Hooks, marks of a space, and symbolic registers are not looked at.
pub fn step<M: Memory>(
    registers: &mut Registers,
    decoded: &Decoded,
    memory: &mut M,
) -> Result<Stepped, Exit> {
    let mut cpu = Cpu::load(registers);
    cpu.repetitions = 0;
    let flow = Dynamic::with(memory, |memory| (decoded.handlers.slow)(&mut cpu, memory, &decoded.fields));
    match flow {
        Flow::Next => cpu.rip = decoded.fields.next(),
        Flow::Jump | Flow::Indirect => {}
        Flow::Again => {
            cpu.save(registers);
            return Ok(Stepped::Repeating);
        }
        Flow::Refused => return Err(cpu.exit),
        Flow::Leave => {
            cpu.save(registers);
            return Err(cpu.exit);
        }
    }
    cpu.save(registers);
    Ok(Stepped::Done)
}
