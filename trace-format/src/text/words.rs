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

/// What a header line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Setting {
    Program,
    BuildId,
    Tracer,
    Clock,
    Order,
    Model,
    Values,
}

words!(Setting {
    Setting::Program => "program",
    Setting::BuildId => "build-id",
    Setting::Tracer => "tracer",
    Setting::Clock => "clock",
    Setting::Order => "order",
    Setting::Model => "model",
    Setting::Values => "values",
});

/// What a line declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Declaration {
    Thread,
    Object,
    Global,
    Sync,
    Location,
    Input,
    Shared,
    Recorded,
}

words!(Declaration {
    Declaration::Thread => "thread",
    Declaration::Object => "object",
    Declaration::Global => "global",
    Declaration::Sync => "sync",
    Declaration::Location => "location",
    Declaration::Input => "input",
    Declaration::Shared => "shared",
    Declaration::Recorded => "recorded",
});

/// What a line at the end says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closing {
    Outcome,
    Approximated,
}

words!(Closing { Closing::Outcome => "outcome", Closing::Approximated => "approximated" });

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

/// Makes a value of a number, if it is in range.
pub(crate) type FromNumber<T> = fn(i64) -> Option<T>;

/// A value whose word may be followed by a number, such as `failed 22`.
pub(crate) trait NumberedWord: Copy + 'static {
    /// The words that stand alone.
    const PLAIN: &'static [(&'static str, Self)];
    /// The words that a number follows, and what they make of it.
    const NUMBERED: &'static [(&'static str, FromNumber<Self>)];

    /// The word and, if it has one, the number.
    fn word(self) -> (&'static str, Option<i64>);
}

/// As [`words`], for types some of whose variants carry a number.
macro_rules! numbered_words {
    ($kind:ty { $($variant:path => $word:literal),+ ; $($with:path => $numbered:literal),+ $(,)? }) => {
        impl NumberedWord for $kind {
            const PLAIN: &'static [(&'static str, Self)] = &[$(($word, $variant)),+];
            const NUMBERED: &'static [(&'static str, FromNumber<Self>)] =
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

#[cfg(test)]
mod tests {
    use super::*;

    fn words<W: Word>() -> Vec<&'static str> {
        W::ALL.iter().map(|(word, _)| *word).collect()
    }

    fn numbered_words<W: NumberedWord>() -> Vec<&'static str> {
        W::PLAIN.iter().map(|(word, _)| *word).chain(W::NUMBERED.iter().map(|(word, _)| *word)).collect()
    }

    fn vocabularies() -> Vec<Vec<&'static str>> {
        vec![
            words::<Verb>(),
            words::<Setting>(),
            words::<Declaration>(),
            words::<Closing>(),
            words::<OrderKind>(),
            words::<MemoryModel>(),
            words::<Values>(),
            words::<ObjectClass>(),
            words::<MemoryOrder>(),
            words::<Attempt>(),
            words::<MutexKind>(),
            words::<OnceStep>(),
            words::<Concretised>(),
            words::<bool>(),
            words::<UnaryOp>(),
            words::<BinaryOp>(),
            numbered_words::<WaitResult>(),
            numbered_words::<FailureKind>(),
        ]
    }

    #[test]
    fn no_word_means_two_things_in_one_place() {
        for mut words in vocabularies() {
            let count = words.len();
            words.sort_unstable();
            words.dedup();
            assert_eq!(words.len(), count, "{words:?}");
        }
        let mut operators = [words::<UnaryOp>(), words::<BinaryOp>()].concat();
        let mut lines = [words::<Setting>(), words::<Declaration>(), words::<Closing>()].concat();
        for words in [&mut operators, &mut lines] {
            let count = words.len();
            words.sort_unstable();
            words.dedup();
            assert_eq!(words.len(), count, "{words:?}");
        }
    }

    #[test]
    fn every_word_is_in_the_documentation() {
        let page = include_str!("../../../docs/trace-text.md");
        for word in vocabularies().concat() {
            let found = page.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '=')));
            assert!(
                found.into_iter().any(|other| other == word),
                "docs/trace-text.md does not mention `{word}`"
            );
        }
    }
}
