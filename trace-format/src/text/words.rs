//! The words of the text form: each table is read in both directions, by the printer and by the parser.

use crate::event::{Attempt, Concretised, FailureKind, MemoryOrder, MutexKind, OnceStep, Verb, WaitResult};
use crate::expr::{BinaryOp, UnaryOp};
use crate::header::{MemoryModel, OrderKind, Values};
use crate::place::ObjectClass;

/// A value that one word stands for.
pub(crate) trait Word: Copy + 'static {
    /// Every word and what it stands for.
    const ALL: &'static [(&'static str, Self)];

    /// The value's word.
    fn word(self) -> &'static str;

    /// The value of a word.
    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == word).map(|&(_, value)| value)
    }
}

/// The words of a type. The match is exhaustive, so a new variant does not compile without its word.
macro_rules! words {
    ($kind:ty { $($variant:path => $word:literal),+ $(,)? }) => {
        impl Word for $kind {
            const ALL: &'static [(&'static str, Self)] = &[$(($word, $variant)),+];

            fn word(self) -> &'static str {
                match self {
                    $($variant => $word),+
                }
            }
        }
    };
}

words!(Verb {
    Verb::Read => "r",
    Verb::Write => "w",
    Verb::Lock => "lock",
    Verb::Unlock => "unlock",
    Verb::Branch => "branch",
    Verb::Rmw => "rmw",
    Verb::Fence => "fence",
    Verb::Commit => "commit",
    Verb::Begin => "begin",
    Verb::End => "end",
    Verb::Fork => "fork",
    Verb::Join => "join",
    Verb::Detach => "detach",
    Verb::Init => "init",
    Verb::Destroy => "destroy",
    Verb::RdLock => "rdlock",
    Verb::WrLock => "wrlock",
    Verb::RdUnlock => "rdunlock",
    Verb::WrUnlock => "wrunlock",
    Verb::CondWait => "cond-wait",
    Verb::CondWake => "cond-wake",
    Verb::Signal => "signal",
    Verb::Broadcast => "broadcast",
    Verb::SemWait => "sem-wait",
    Verb::SemPost => "sem-post",
    Verb::SemValue => "sem-value",
    Verb::BarrierArrive => "barrier-arrive",
    Verb::BarrierLeave => "barrier-leave",
    Verb::Once => "once",
    Verb::FutexWait => "futex-wait",
    Verb::FutexResume => "futex-resume",
    Verb::FutexWake => "futex-wake",
    Verb::FutexRequeue => "futex-requeue",
    Verb::AtomicBegin => "atomic-begin",
    Verb::AtomicEnd => "atomic-end",
    Verb::Await => "await",
    Verb::Switch => "switch",
    Verb::Concretise => "concretise",
    Verb::Assume => "assume",
    Verb::Assert => "assert",
    Verb::Input => "input",
    Verb::Alloc => "alloc",
    Verb::Free => "free",
    Verb::Output => "output",
    Verb::Fail => "fail",
});

/// What a line that is not an event says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    Program,
    BuildId,
    Tracer,
    Clock,
    Order,
    Model,
    Values,
    Thread,
    Object,
    Global,
    Sync,
    Location,
    Input,
    Shared,
    Outcome,
    Approximated,
}

words!(Entry {
    Entry::Program => "program",
    Entry::BuildId => "build-id",
    Entry::Tracer => "tracer",
    Entry::Clock => "clock",
    Entry::Order => "order",
    Entry::Model => "model",
    Entry::Values => "values",
    Entry::Thread => "thread",
    Entry::Object => "object",
    Entry::Global => "global",
    Entry::Sync => "sync",
    Entry::Location => "location",
    Entry::Input => "input",
    Entry::Shared => "shared",
    Entry::Outcome => "outcome",
    Entry::Approximated => "approximated",
});

words!(OrderKind { OrderKind::Total => "total", OrderKind::Tickets => "tickets" });

words!(MemoryModel { MemoryModel::Sc => "sc", MemoryModel::Tso => "tso", MemoryModel::Pso => "pso" });

words!(Values { Values::Symbolic => "symbolic", Values::Pinned => "pinned" });

words!(ObjectClass {
    ObjectClass::Global => "global",
    ObjectClass::Heap => "heap",
    ObjectClass::Stack => "stack",
    ObjectClass::ThreadLocal => "thread-local",
    ObjectClass::Stream => "stream",
    ObjectClass::Sync => "sync",
    ObjectClass::Other => "other",
});

words!(MemoryOrder {
    MemoryOrder::Relaxed => "relaxed",
    MemoryOrder::Acquire => "acquire",
    MemoryOrder::Release => "release",
    MemoryOrder::AcqRel => "acqrel",
    MemoryOrder::SeqCst => "seqcst",
    MemoryOrder::Volatile => "volatile",
});

words!(Attempt { Attempt::Block => "block", Attempt::Try => "try", Attempt::Timed => "timed" });

words!(MutexKind {
    MutexKind::Normal => "normal",
    MutexKind::Recursive => "recursive",
    MutexKind::ErrorCheck => "error-check",
});

words!(OnceStep {
    OnceStep::Run => "run",
    OnceStep::Finish => "finish",
    OnceStep::Abandon => "abandon",
    OnceStep::Seen => "seen",
    OnceStep::Pending => "pending",
});

words!(Concretised {
    Concretised::Address => "address",
    Concretised::Jump => "jump",
    Concretised::Divisor => "divisor",
    Concretised::Float => "float",
    Concretised::Outside => "outside",
    Concretised::Size => "size",
    Concretised::Other => "other",
});

impl Word for bool {
    const ALL: &'static [(&'static str, Self)] = &[("true", true), ("false", false)];

    fn word(self) -> &'static str {
        if self { "true" } else { "false" }
    }
}

/// A value whose word may be followed by a number, such as `failed 22`.
pub(super) trait NumberedWord: Copy + 'static {
    /// The words that stand alone.
    const PLAIN: &'static [(&'static str, Self)];
    /// The words that a number follows, and what they make of it; `None` for a number out of range.
    const NUMBERED: &'static [(&'static str, fn(i64) -> Option<Self>)];

    /// The word and, if it has one, the number.
    fn word(self) -> (&'static str, Option<i64>);
}

/// As [`words`], for types some of whose variants carry a number.
macro_rules! numbered_words {
    ($kind:ty { $($variant:path => $word:literal),+ ; $($with:path => $numbered:literal),+ $(,)? }) => {
        impl NumberedWord for $kind {
            const PLAIN: &'static [(&'static str, Self)] = &[$(($word, $variant)),+];
            const NUMBERED: &'static [(&'static str, fn(i64) -> Option<Self>)] =
                &[$(($numbered, |number| number.try_into().ok().map($with))),+];

            fn word(self) -> (&'static str, Option<i64>) {
                match self {
                    $($variant => ($word, None),)+
                    $($with(number) => ($numbered, Some(number.into())),)+
                }
            }
        }
    };
}

numbered_words!(WaitResult {
    WaitResult::Done => "done",
    WaitResult::Busy => "busy",
    WaitResult::TimedOut => "timed-out",
    WaitResult::WouldDeadlock => "would-deadlock",
    WaitResult::OwnerDied => "owner-died",
    WaitResult::Interrupted => "interrupted",
    WaitResult::Spurious => "spurious",
    WaitResult::Pending => "pending";
    WaitResult::Failed => "failed",
});

numbered_words!(FailureKind {
    FailureKind::Assertion => "assertion",
    FailureKind::Abort => "abort",
    FailureKind::Segfault => "segfault",
    FailureKind::NullDereference => "null-dereference",
    FailureKind::Bus => "bus",
    FailureKind::Arithmetic => "arithmetic",
    FailureKind::IllegalInstruction => "illegal-instruction",
    FailureKind::OutOfBounds => "out-of-bounds",
    FailureKind::UseAfterFree => "use-after-free",
    FailureKind::DoubleFree => "double-free",
    FailureKind::InvalidFree => "invalid-free",
    FailureKind::Deadlock => "deadlock",
    FailureKind::Livelock => "livelock",
    FailureKind::UnlockNotHeld => "unlock-not-held",
    FailureKind::UncaughtException => "uncaught-exception",
    FailureKind::Panic => "panic",
    FailureKind::BoundReached => "bound-reached",
    FailureKind::Other => "other";
    FailureKind::Exit => "exit",
    FailureKind::Killed => "killed",
});

words!(UnaryOp { UnaryOp::Not => "not", UnaryOp::BvNot => "bvnot", UnaryOp::Neg => "neg" });

words!(BinaryOp {
    BinaryOp::And => "and",
    BinaryOp::Or => "or",
    BinaryOp::Xor => "xor",
    BinaryOp::Eq => "=",
    BinaryOp::Ult => "ult",
    BinaryOp::Ule => "ule",
    BinaryOp::Slt => "slt",
    BinaryOp::Sle => "sle",
    BinaryOp::Add => "add",
    BinaryOp::Sub => "sub",
    BinaryOp::Mul => "mul",
    BinaryOp::UDiv => "udiv",
    BinaryOp::URem => "urem",
    BinaryOp::SDiv => "sdiv",
    BinaryOp::SRem => "srem",
    BinaryOp::BvAnd => "bvand",
    BinaryOp::BvOr => "bvor",
    BinaryOp::BvXor => "bvxor",
    BinaryOp::Shl => "shl",
    BinaryOp::LShr => "lshr",
    BinaryOp::AShr => "ashr",
    BinaryOp::Concat => "concat",
});
