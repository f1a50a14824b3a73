//! Values and orderings of memory accesses.

use bincode::de::{BorrowDecode, BorrowDecoder, Decode, Decoder};
use bincode::enc::{Encode, Encoder};
use bincode::error::{DecodeError, EncodeError};

use crate::ids::ExprId;

/// A concrete value and, where it depends on inputs or reads, the expression for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Datum {
    /// The value in this run.
    pub value: u128,
    /// What it is in terms of inputs and reads; `None` if it is the same in every run that comes here.
    pub expr: Option<ExprId>,
}

impl Datum {
    /// A value that depends on nothing.
    pub fn concrete(value: u128) -> Self {
        Datum { value, expr: None }
    }

    /// A value that is `expr` in general and `value` in this run.
    pub fn symbolic(value: u128, expr: ExprId) -> Self {
        Datum { value, expr: Some(expr) }
    }
}

// Written by hand: expression 0 is "none" and expression n is n + 1, one byte less for every
// symbolic value than the tag byte of an `Option` would cost.
impl Encode for Datum {
    fn encode<E: Encoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
        self.value.encode(encoder)?;
        self.expr.map_or(0, |expr| expr.0.saturating_add(1)).encode(encoder)
    }
}

impl<Context> Decode<Context> for Datum {
    fn decode<D: Decoder<Context = Context>>(decoder: &mut D) -> Result<Self, DecodeError> {
        let value = u128::decode(decoder)?;
        let expr = u32::decode(decoder)?.checked_sub(1).map(ExprId);
        Ok(Datum { value, expr })
    }
}

impl<'de, Context> BorrowDecode<'de, Context> for Datum {
    fn borrow_decode<D: BorrowDecoder<'de, Context = Context>>(decoder: &mut D) -> Result<Self, DecodeError> {
        Datum::decode(decoder)
    }
}

/// The ordering of an atomic access or a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, bincode::Encode, bincode::Decode)]
pub enum MemoryOrder {
    /// C/C++/Rust `relaxed`, Java opaque.
    Relaxed,
    /// `acquire` (and `consume`).
    Acquire,
    /// `release`.
    Release,
    /// `acq_rel`.
    AcqRel,
    /// `seq_cst`, Java volatile; `mfence` and `lock`-prefixed instructions.
    SeqCst,
    /// C `volatile`: not atomic by the language, but not optimised away either.
    Volatile,
}
