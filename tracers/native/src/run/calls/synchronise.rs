//! From a call of a synchronisation function to the step that it is.

use warpath_trace::event::{Attempt, MutexKind, RwMode, SyncKind};

use super::SyncCall;
use crate::run::action::{Action, Api, Sync, mutex_kind};
use crate::run::error::RunError;
use crate::run::kernel::Next;
use crate::run::machine::Machine;
use crate::run::sync::{Condition, Object};

impl Machine {
    pub(super) fn sync_call(&mut self, t: usize, call: SyncCall) -> Result<Next, RunError> {
        use SyncCall as C;
        self.concretise_arguments(t, arguments(call))?;
        let object = self.argument(t, 0);
        let second = self.argument(t, 1);
        let third = self.argument(t, 2);
        let until = |machine: &mut Machine, clock: i32, address: u64| {
            let time = machine.timespec(address).unwrap_or(0);
            Some(machine.deadline(clock as u64, time))
        };
        let lock = |attempt, deadline, api| Sync::Lock { mutex: object, attempt, deadline, api };
        let rw = |mode, attempt, deadline| Sync::RwLock { lock: object, mode, attempt, deadline };
        let sync = match call {
            C::MutexInit => {
                // The attribute's first word: kind in the low bits, robustness in bit 30.
                let word = if second == 0 { 0 } else { self.peek_word::<4>(second).unwrap_or(0) as u32 };
                let (kind, _) = mutex_kind(word);
                Sync::Init { object, kind: SyncKind::Mutex { kind, robust: word & 0x4000_0000 != 0 } }
            }
            C::MtxInit => {
                let kind = if second & 1 != 0 { MutexKind::Recursive } else { MutexKind::Normal };
                Sync::Init { object, kind: SyncKind::Mutex { kind, robust: false } }
            }
            C::SpinInit => {
                Sync::Init { object, kind: SyncKind::Mutex { kind: MutexKind::Normal, robust: false } }
            }
            C::RwInit => Sync::Init { object, kind: SyncKind::RwLock },
            C::CondInit | C::CndInit => {
                // Bit 1 of the attribute: deadlines on the monotonic clock.
                let word = if second == 0 || call == C::CndInit {
                    0
                } else {
                    self.peek_word::<4>(second).unwrap_or(0)
                };
                let clock = if word & 2 != 0 { libc::CLOCK_MONOTONIC } else { libc::CLOCK_REALTIME } as u64;
                self.objects.insert(object, Object::Condition(Condition { clock, ..Condition::default() }));
                Sync::Init { object, kind: SyncKind::Condition }
            }
            C::SemInit => {
                Sync::Init { object, kind: SyncKind::Semaphore { initial: third as u32, maximum: None } }
            }
            C::BarrierInit => Sync::Init { object, kind: SyncKind::Barrier { parties: third as u32 } },
            C::MutexDestroy
            | C::MtxDestroy
            | C::RwDestroy
            | C::CondDestroy
            | C::CndDestroy
            | C::SemDestroy
            | C::BarrierDestroy => Sync::Destroy { object },
            C::MutexLock => lock(Attempt::Block, None, Api::Posix),
            C::MutexTrylock => lock(Attempt::Try, None, Api::Posix),
            C::MutexTimedlock => lock(Attempt::Timed, until(self, libc::CLOCK_REALTIME, second), Api::Posix),
            C::MutexClocklock => lock(Attempt::Timed, until(self, second as i32, third), Api::Posix),
            C::MtxLock => lock(Attempt::Block, None, Api::C11),
            C::MtxTrylock => lock(Attempt::Try, None, Api::C11),
            C::MtxTimedlock => lock(Attempt::Timed, until(self, libc::CLOCK_REALTIME, second), Api::C11),
            C::SpinLock => lock(Attempt::Block, None, Api::Spin),
            C::SpinTrylock => lock(Attempt::Try, None, Api::Spin),
            C::MutexUnlock => Sync::Unlock { mutex: object, api: Api::Posix },
            C::MtxUnlock => Sync::Unlock { mutex: object, api: Api::C11 },
            C::SpinUnlock => Sync::Unlock { mutex: object, api: Api::Spin },
            C::RwRdlock => rw(RwMode::Read, Attempt::Block, None),
            C::RwWrlock => rw(RwMode::Write, Attempt::Block, None),
            C::RwTryrdlock => rw(RwMode::Read, Attempt::Try, None),
            C::RwTrywrlock => rw(RwMode::Write, Attempt::Try, None),
            C::RwTimedrdlock => rw(RwMode::Read, Attempt::Timed, until(self, libc::CLOCK_REALTIME, second)),
            C::RwTimedwrlock => rw(RwMode::Write, Attempt::Timed, until(self, libc::CLOCK_REALTIME, second)),
            C::RwUnlock => Sync::RwUnlock { lock: object },
            C::CondWait => {
                Sync::CondWait { condition: object, mutex: second, deadline: None, api: Api::Posix }
            }
            C::CndWait => Sync::CondWait { condition: object, mutex: second, deadline: None, api: Api::C11 },
            C::CondTimedwait => {
                let clock = match self.objects.get(object) {
                    Some(Object::Condition(condition)) => condition.clock as i32,
                    // A static initialiser can say so, too: bit 1 of the word of flags.
                    _ => libc::CLOCK_REALTIME,
                };
                let deadline = until(self, clock, third);
                Sync::CondWait { condition: object, mutex: second, deadline, api: Api::Posix }
            }
            C::CondClockwait => {
                let time = self.argument(t, 3);
                let deadline = until(self, third as i32, time);
                Sync::CondWait { condition: object, mutex: second, deadline, api: Api::Posix }
            }
            C::CndTimedwait => {
                let deadline = until(self, libc::CLOCK_REALTIME, third);
                Sync::CondWait { condition: object, mutex: second, deadline, api: Api::C11 }
            }
            C::CondSignal | C::CndSignal => Sync::Signal { condition: object },
            C::CondBroadcast | C::CndBroadcast => Sync::Broadcast { condition: object },
            C::SemWait => Sync::SemWait { semaphore: object, attempt: Attempt::Block, deadline: None },
            C::SemTrywait => Sync::SemWait { semaphore: object, attempt: Attempt::Try, deadline: None },
            C::SemTimedwait => Sync::SemWait {
                semaphore: object,
                attempt: Attempt::Timed,
                deadline: until(self, libc::CLOCK_REALTIME, second),
            },
            C::SemPost => Sync::SemPost { semaphore: object },
            C::SemGetvalue => Sync::SemValue { semaphore: object, into: second },
            C::BarrierWait => Sync::BarrierArrive { barrier: object },
            C::Once => Sync::OnceEnter { once: object, routine: second, api: Api::Posix },
            C::CallOnce => Sync::OnceEnter { once: object, routine: second, api: Api::C11 },
            C::Join | C::ThrdJoin => Sync::Join { thread: object, attempt: Attempt::Block, deadline: None },
            C::TryJoin => Sync::Join { thread: object, attempt: Attempt::Try, deadline: None },
            C::TimedJoin => Sync::Join {
                thread: object,
                attempt: Attempt::Timed,
                deadline: until(self, libc::CLOCK_REALTIME, third),
            },
            C::Detach => Sync::Detach { thread: object },
            C::AtomicBegin => Sync::AtomicBegin { call: false },
            C::AtomicEnd => Sync::AtomicEnd { call: false },
            C::AtomicCall => Sync::AtomicBegin { call: true },
        };
        // Taken by real code (before it was known, or by the C library), so it must be given back by real code.
        if matches!(call, C::MutexUnlock | C::MtxUnlock)
            && self.objects.get(object).is_none()
            && self.peek_word::<4>(object).is_some_and(|word| word != 0)
        {
            return self.pass(t);
        }
        // Locks that the C library takes for itself are not the program's.
        if self.called_by_library(t) {
            return self.pass(t);
        }
        Ok(Next::Poise(Action::Sync(sync)))
    }
}

/// How many arguments it has: what else is in the registers is not its business.
fn arguments(call: SyncCall) -> usize {
    use SyncCall as C;
    match call {
        C::AtomicBegin | C::AtomicEnd | C::AtomicCall => 0,
        C::MutexInit
        | C::MtxInit
        | C::CondInit
        | C::MutexTimedlock
        | C::MtxTimedlock
        | C::RwTimedrdlock
        | C::RwTimedwrlock
        | C::CondWait
        | C::CndWait
        | C::SemTimedwait
        | C::SemGetvalue
        | C::Once
        | C::CallOnce
        | C::Join
        | C::ThrdJoin
        | C::TryJoin => 2,
        C::SemInit
        | C::BarrierInit
        | C::MutexClocklock
        | C::CondTimedwait
        | C::CndTimedwait
        | C::TimedJoin => 3,
        C::CondClockwait => 4,
        _ => 1,
    }
}
