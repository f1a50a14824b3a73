//! DWARF expressions over the registers and memory of a stopped thread.

use gimli::{EvaluationResult, Expression, Location, Register, Value};

use super::debug::Reader;
use super::unwind::ReadWord;

/// Far more than compilers write; a damaged expression may loop.
const LONGEST: u32 = 10_000;

/// What an expression may ask for.
pub(super) struct Machine<'a, 'b> {
    pub registers: &'a [Option<u64>; 16],
    pub frame_base: Option<u64>,
    pub cfa: Option<u64>,
    /// What to add to addresses in the file.
    pub bias: u64,
    pub read: &'a mut ReadWord<'b>,
}

impl Machine<'_, '_> {
    pub fn register(&self, register: Register) -> Option<u64> {
        self.registers.get(usize::from(register.0)).copied().flatten()
    }
}

/// What an expression stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Something at this address (or, for expressions that compute one, this number).
    Address(u64),
    /// Something in a register.
    Register(Register),
}

impl Outcome {
    /// The address or number.
    pub fn value(self) -> Option<u64> {
        match self {
            Outcome::Address(value) => Some(value),
            Outcome::Register(_) => None,
        }
    }
}

/// Evaluates an expression; `None` if it needs what is not at hand, or what it describes is in several pieces.
pub(super) fn evaluate(
    expression: Expression<Reader>,
    encoding: gimli::Encoding,
    initial: Option<u64>,
    machine: &mut Machine<'_, '_>,
) -> Option<Outcome> {
    let mut evaluation = expression.evaluation(encoding);
    evaluation.set_max_iterations(LONGEST);
    if let Some(initial) = initial {
        evaluation.set_initial_value(initial);
    }
    let mut state = evaluation.evaluate().ok()?;
    loop {
        state = match state {
            EvaluationResult::Complete => break,
            EvaluationResult::RequiresRegister { register, .. } => {
                evaluation.resume_with_register(Value::Generic(machine.register(register)?))
            }
            EvaluationResult::RequiresMemory { address, size, space: None, .. } => {
                let word = (machine.read)(address)?;
                let kept = if size >= 8 { word } else { word & ((1 << (8 * u32::from(size))) - 1) };
                evaluation.resume_with_memory(Value::Generic(kept))
            }
            EvaluationResult::RequiresFrameBase => evaluation.resume_with_frame_base(machine.frame_base?),
            EvaluationResult::RequiresCallFrameCfa => evaluation.resume_with_call_frame_cfa(machine.cfa?),
            EvaluationResult::RequiresRelocatedAddress(address) => {
                evaluation.resume_with_relocated_address(address.wrapping_add(machine.bias))
            }
            _ => return None,
        }
        .ok()?;
    }
    match evaluation.result().as_slice() {
        [piece] if piece.size_in_bits.is_none() => match piece.location {
            Location::Address { address } => Some(Outcome::Address(address)),
            Location::Register { register } => Some(Outcome::Register(register)),
            _ => None,
        },
        _ => None,
    }
}
