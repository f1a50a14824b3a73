//! What a thread did, as the agent says it.

use super::definitions::MethodIx;
use crate::classfile::JavaType;

/// The number of an object in the stream; 0 is null.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectRef(pub u32);

impl ObjectRef {
    /// No object.
    pub const NULL: ObjectRef = ObjectRef(0);

    /// Is it none?
    pub fn is_null(self) -> bool {
        self.0 == 0
    }
}

/// A value of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// An `int` and everything smaller.
    Int(i32),
    /// A `long`.
    Long(i64),
    /// A `float`, by its bits.
    Float(u32),
    /// A `double`, by its bits.
    Double(u64),
    /// An object.
    Reference(ObjectRef),
}

impl Value {
    /// The value that a location of a type has before anybody writes it.
    pub fn default_of(kind: JavaType) -> Value {
        match kind {
            JavaType::Long => Value::Long(0),
            JavaType::Float => Value::Float(0),
            JavaType::Double => Value::Double(0),
            JavaType::Reference => Value::Reference(ObjectRef::NULL),
            _ => Value::Int(0),
        }
    }
}

/// One record, and of whom.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The thread's number, from 1; 0 before the first switch.
    pub thread: u32,
    /// Was it a step of the schedule?
    pub step: bool,
    /// Where in the stream it begins.
    pub offset: usize,
    /// What happened.
    pub record: Record,
}

/// What happened. `pc` is the offset of an instruction in the method that the thread is in.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the fields are those of STREAM.md")]
pub enum Record {
    Enter { method: MethodIx, arguments: Vec<Value> },
    Exit,
    Unwind { exception: ObjectRef },
    Catch { pc: u32, exception: ObjectRef },
    Return { pc: u32, value: Option<Value> },
    GetField { pc: u32, object: ObjectRef, value: Value },
    GetStatic { pc: u32, value: Value },
    PutField { pc: u32, object: ObjectRef, value: Value },
    PutStatic { pc: u32, value: Value },
    ArrayLoad { pc: u32, array: ObjectRef, index: i32, value: Value, kind: JavaType },
    ArrayStore { pc: u32, array: ObjectRef, index: i32, value: Value, kind: JavaType },
    Alloc { pc: u32, object: ObjectRef },
    ArrayCopy { pc: u32 },
    Sync(SyncRecord),
    Atomic(Box<AtomicRecord>),
    Fork { pc: u32, child: u32 },
    Begin,
    End,
    Join { pc: u32, child: u32, attempt: u64, result: u64 },
    Yield { pc: u32 },
    Commit { object: ObjectRef, field: String, index: i64 },
    Fence { pc: u32, order: u64 },
    Buffered { pc: u32 },
    Input { name: String, nth: u64, width: u64, value: i64 },
    Text { object: ObjectRef, name: String },
    Line { object: ObjectRef, first: u64, inputs: u64 },
    Assume { holds: bool },
    Uncaught { exception: ObjectRef, class: String, message: String },
    Deadlock { text: String },
    Stop { why: String, text: String },
    Note { what: String },
    Exited { status: i64 },
}

/// An operation that synchronises; the numbers are those of `STREAM.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of STREAM.md")]
pub struct SyncRecord {
    pub pc: u32,
    pub verb: u64,
    pub space: u64,
    pub object: ObjectRef,
    pub a: u64,
    pub b: u64,
    pub result: u64,
}

impl SyncRecord {
    /// Is it about the monitor of a synchronized method? No instruction that enters or leaves one is the first.
    pub fn is_of_method(&self) -> bool {
        self.pc == 0 && self.space == 0 && matches!(self.verb, 1 | 2)
    }
}

/// What an atomic operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicOp {
    /// Reads.
    Get,
    /// Writes.
    Set,
    /// Reads and writes something else.
    GetAndSet,
    /// Writes if it finds what is expected.
    CompareAndSet,
    /// Adds.
    GetAndAdd,
    /// Bitwise and.
    GetAndAnd,
    /// Bitwise or.
    GetAndOr,
    /// Bitwise exclusive or.
    GetAndXor,
    /// Writes what code of the program has made of what was found.
    Update,
}

impl AtomicOp {
    pub(super) fn of(number: u64) -> Option<AtomicOp> {
        use AtomicOp::*;
        let all = [Get, Set, GetAndSet, CompareAndSet, GetAndAdd, GetAndAnd, GetAndOr, GetAndXor, Update];
        all.get(usize::try_from(number).ok()?).copied()
    }

    /// How many operands the record has.
    pub(super) fn operands(self) -> usize {
        match self {
            AtomicOp::Get | AtomicOp::Update => 0,
            AtomicOp::CompareAndSet => 2,
            _ => 1,
        }
    }
}

/// An operation of `AtomicInteger` and its like.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of STREAM.md")]
pub struct AtomicRecord {
    pub pc: u32,
    pub object: ObjectRef,
    pub field: String,
    pub kind: JavaType,
    pub op: AtomicOp,
    pub order: u64,
    pub operands: Vec<Value>,
    pub old: Value,
    pub new: Value,
}

impl Record {
    /// The instruction that it names, if it names one.
    pub fn pc(&self) -> Option<u32> {
        match *self {
            Record::Catch { pc, .. }
            | Record::Return { pc, .. }
            | Record::GetField { pc, .. }
            | Record::GetStatic { pc, .. }
            | Record::PutField { pc, .. }
            | Record::PutStatic { pc, .. }
            | Record::ArrayLoad { pc, .. }
            | Record::ArrayStore { pc, .. }
            | Record::Alloc { pc, .. }
            | Record::ArrayCopy { pc }
            | Record::Fork { pc, .. }
            | Record::Join { pc, .. }
            | Record::Yield { pc }
            | Record::Buffered { pc }
            | Record::Fence { pc, .. } => Some(pc),
            Record::Sync(SyncRecord { pc, .. }) => Some(pc),
            Record::Atomic(ref atomic) => Some(atomic.pc),
            _ => None,
        }
    }
}
