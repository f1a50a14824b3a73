//! Which functions are known, by name.

use rustc_hash::FxHashMap;

/// Functions by the address of their first instruction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hooks(FxHashMap<u64, Function>);

impl Hooks {
    pub(crate) fn insert(&mut self, address: u64, function: Function) {
        self.0.entry(address).or_insert(function);
    }

    pub(crate) fn addresses(&self) -> Vec<u64> {
        self.0.keys().copied().collect()
    }

    pub(crate) fn get(&self, address: u64) -> Option<Function> {
        self.0.get(&address).copied()
    }
}

/// A function that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "named after the functions")]
pub(crate) enum Function {
    Malloc,
    Calloc,
    Realloc,
    Free,
    Memalign,
    PosixMemalign,
    Valloc,
    UsableSize,
    KeyCreate,
    KeyDelete,
    KeyUse,
    Create,
    StartMain,
    Main,
    WarpathInput,
    KleeMakeSymbolic,
    Nondet { name: &'static str, bytes: u8, boolean: bool },
    Rand,
    Assume,
    WarpathAssert,
    AssertFail,
    ReachError,
    Terminate,
    RustPanic,
    RustCaught,
    StackSmashed,
    Sync(SyncCall),
}

impl Function {
    /// Is the function's own code executed, too, behind what its call means?
    pub(crate) fn goes_on_inside(self) -> bool {
        use SyncCall as S;
        matches!(
            self,
            Function::Create | Function::Sync(S::Join | S::TryJoin | S::TimedJoin | S::ThrdJoin | S::Detach)
        )
    }

    /// Is it the program's own code that is executed there, whatever else its call means?
    pub(crate) fn is_program_code(self) -> bool {
        matches!(self, Function::Main | Function::Sync(SyncCall::AtomicCall))
    }
}

/// A synchronisation function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "named after the functions")]
pub(crate) enum SyncCall {
    MutexInit,
    MutexDestroy,
    MutexLock,
    MutexTrylock,
    MutexTimedlock,
    MutexClocklock,
    MutexUnlock,
    MtxInit,
    MtxLock,
    MtxTrylock,
    MtxTimedlock,
    MtxUnlock,
    MtxDestroy,
    SpinInit,
    SpinLock,
    SpinTrylock,
    SpinUnlock,
    RwInit,
    RwDestroy,
    RwRdlock,
    RwWrlock,
    RwTryrdlock,
    RwTrywrlock,
    RwTimedrdlock,
    RwTimedwrlock,
    RwUnlock,
    CondInit,
    CondDestroy,
    CondWait,
    CondTimedwait,
    CondClockwait,
    CondSignal,
    CondBroadcast,
    CndInit,
    CndWait,
    CndTimedwait,
    CndSignal,
    CndBroadcast,
    CndDestroy,
    SemInit,
    SemDestroy,
    SemWait,
    SemTrywait,
    SemTimedwait,
    SemPost,
    SemGetvalue,
    BarrierInit,
    BarrierDestroy,
    BarrierWait,
    Once,
    CallOnce,
    Join,
    TryJoin,
    TimedJoin,
    ThrdJoin,
    Detach,
    AtomicBegin,
    AtomicEnd,
    AtomicCall,
}

/// Functions of the verification competition that are atomic as a whole begin like this.
pub(crate) const ATOMIC_PREFIX: &str = "__VERIFIER_atomic_";

/// Functions of Rust's runtime whose names are mangled: in front are parts that depend on the compiler.
pub(crate) const RUST_FUNCTIONS: &[(&str, Function)] = &[
    ("7___rustc17rust_begin_unwind", Function::RustPanic),
    ("7___rustc10rust_panic", Function::RustPanic),
    ("7___rustc20___rust_panic_cleanup", Function::RustCaught),
];

macro_rules! nondet {
    ($name:literal, $bytes:literal) => {
        (
            concat!("__VERIFIER_nondet_", $name),
            Function::Nondet { name: $name, bytes: $bytes, boolean: false },
        )
    };
}

/// Names in the program or its libraries, and what they mean.
pub(crate) const FUNCTIONS: &[(&str, Function)] = &[
    ("malloc", Function::Malloc),
    ("calloc", Function::Calloc),
    ("realloc", Function::Realloc),
    ("free", Function::Free),
    ("cfree", Function::Free),
    ("memalign", Function::Memalign),
    ("aligned_alloc", Function::Memalign),
    ("posix_memalign", Function::PosixMemalign),
    ("valloc", Function::Valloc),
    ("malloc_usable_size", Function::UsableSize),
    ("pthread_key_create", Function::KeyCreate),
    ("__pthread_key_create", Function::KeyCreate),
    ("pthread_key_delete", Function::KeyDelete),
    ("pthread_getspecific", Function::KeyUse),
    ("__pthread_getspecific", Function::KeyUse),
    ("pthread_setspecific", Function::KeyUse),
    ("__pthread_setspecific", Function::KeyUse),
    ("pthread_create", Function::Create),
    ("__libc_start_main", Function::StartMain),
    ("warpath_input", Function::WarpathInput),
    ("klee_make_symbolic", Function::KleeMakeSymbolic),
    nondet!("int", 4),
    nondet!("uint", 4),
    nondet!("unsigned", 4),
    nondet!("unsigned_int", 4),
    nondet!("long", 8),
    nondet!("ulong", 8),
    nondet!("unsigned_long", 8),
    nondet!("longlong", 8),
    nondet!("ulonglong", 8),
    nondet!("short", 2),
    nondet!("ushort", 2),
    nondet!("char", 1),
    nondet!("uchar", 1),
    nondet!("size_t", 8),
    nondet!("loff_t", 8),
    nondet!("u8", 1),
    nondet!("u16", 2),
    nondet!("u32", 4),
    nondet!("u64", 8),
    ("__VERIFIER_nondet_bool", Function::Nondet { name: "bool", bytes: 1, boolean: true }),
    ("__VERIFIER_nondet__Bool", Function::Nondet { name: "bool", bytes: 1, boolean: true }),
    ("warpath_assume", Function::Assume),
    ("__VERIFIER_assume", Function::Assume),
    ("klee_assume", Function::Assume),
    ("warpath_assert_at", Function::WarpathAssert),
    ("__assert_fail", Function::AssertFail),
    ("__assert_perror_fail", Function::AssertFail),
    ("reach_error", Function::ReachError),
    ("__VERIFIER_error", Function::ReachError),
    ("_ZSt9terminatev", Function::Terminate),
    // Panics with a message come through the first, all that unwind through the second.
    ("rust_begin_unwind", Function::RustPanic),
    ("rust_panic", Function::RustPanic),
    ("__rust_panic_cleanup", Function::RustCaught),
    ("__stack_chk_fail", Function::StackSmashed),
    ("rand", Function::Rand),
    ("random", Function::Rand),
    ("pthread_mutex_init", Function::Sync(SyncCall::MutexInit)),
    ("pthread_mutex_destroy", Function::Sync(SyncCall::MutexDestroy)),
    ("pthread_mutex_lock", Function::Sync(SyncCall::MutexLock)),
    ("pthread_mutex_trylock", Function::Sync(SyncCall::MutexTrylock)),
    ("pthread_mutex_timedlock", Function::Sync(SyncCall::MutexTimedlock)),
    ("pthread_mutex_clocklock", Function::Sync(SyncCall::MutexClocklock)),
    ("pthread_mutex_unlock", Function::Sync(SyncCall::MutexUnlock)),
    ("mtx_init", Function::Sync(SyncCall::MtxInit)),
    ("mtx_lock", Function::Sync(SyncCall::MtxLock)),
    ("mtx_trylock", Function::Sync(SyncCall::MtxTrylock)),
    ("mtx_timedlock", Function::Sync(SyncCall::MtxTimedlock)),
    ("mtx_unlock", Function::Sync(SyncCall::MtxUnlock)),
    ("mtx_destroy", Function::Sync(SyncCall::MtxDestroy)),
    ("pthread_spin_init", Function::Sync(SyncCall::SpinInit)),
    ("pthread_spin_destroy", Function::Sync(SyncCall::MutexDestroy)),
    ("pthread_spin_lock", Function::Sync(SyncCall::SpinLock)),
    ("pthread_spin_trylock", Function::Sync(SyncCall::SpinTrylock)),
    ("pthread_spin_unlock", Function::Sync(SyncCall::SpinUnlock)),
    ("pthread_rwlock_init", Function::Sync(SyncCall::RwInit)),
    ("pthread_rwlock_destroy", Function::Sync(SyncCall::RwDestroy)),
    ("pthread_rwlock_rdlock", Function::Sync(SyncCall::RwRdlock)),
    ("pthread_rwlock_wrlock", Function::Sync(SyncCall::RwWrlock)),
    ("pthread_rwlock_tryrdlock", Function::Sync(SyncCall::RwTryrdlock)),
    ("pthread_rwlock_trywrlock", Function::Sync(SyncCall::RwTrywrlock)),
    ("pthread_rwlock_timedrdlock", Function::Sync(SyncCall::RwTimedrdlock)),
    ("pthread_rwlock_timedwrlock", Function::Sync(SyncCall::RwTimedwrlock)),
    ("pthread_rwlock_unlock", Function::Sync(SyncCall::RwUnlock)),
    ("pthread_cond_init", Function::Sync(SyncCall::CondInit)),
    ("pthread_cond_destroy", Function::Sync(SyncCall::CondDestroy)),
    ("pthread_cond_wait", Function::Sync(SyncCall::CondWait)),
    ("pthread_cond_timedwait", Function::Sync(SyncCall::CondTimedwait)),
    ("pthread_cond_clockwait", Function::Sync(SyncCall::CondClockwait)),
    ("pthread_cond_signal", Function::Sync(SyncCall::CondSignal)),
    ("pthread_cond_broadcast", Function::Sync(SyncCall::CondBroadcast)),
    ("cnd_init", Function::Sync(SyncCall::CndInit)),
    ("cnd_wait", Function::Sync(SyncCall::CndWait)),
    ("cnd_timedwait", Function::Sync(SyncCall::CndTimedwait)),
    ("cnd_signal", Function::Sync(SyncCall::CndSignal)),
    ("cnd_broadcast", Function::Sync(SyncCall::CndBroadcast)),
    ("cnd_destroy", Function::Sync(SyncCall::CndDestroy)),
    ("sem_init", Function::Sync(SyncCall::SemInit)),
    ("sem_destroy", Function::Sync(SyncCall::SemDestroy)),
    ("sem_wait", Function::Sync(SyncCall::SemWait)),
    ("sem_trywait", Function::Sync(SyncCall::SemTrywait)),
    ("sem_timedwait", Function::Sync(SyncCall::SemTimedwait)),
    ("sem_post", Function::Sync(SyncCall::SemPost)),
    ("sem_getvalue", Function::Sync(SyncCall::SemGetvalue)),
    ("pthread_barrier_init", Function::Sync(SyncCall::BarrierInit)),
    ("pthread_barrier_destroy", Function::Sync(SyncCall::BarrierDestroy)),
    ("pthread_barrier_wait", Function::Sync(SyncCall::BarrierWait)),
    ("pthread_once", Function::Sync(SyncCall::Once)),
    ("call_once", Function::Sync(SyncCall::CallOnce)),
    ("pthread_join", Function::Sync(SyncCall::Join)),
    ("pthread_tryjoin_np", Function::Sync(SyncCall::TryJoin)),
    ("pthread_timedjoin_np", Function::Sync(SyncCall::TimedJoin)),
    ("thrd_join", Function::Sync(SyncCall::ThrdJoin)),
    ("pthread_detach", Function::Sync(SyncCall::Detach)),
    ("thrd_detach", Function::Sync(SyncCall::Detach)),
    ("warpath_atomic_begin", Function::Sync(SyncCall::AtomicBegin)),
    ("__VERIFIER_atomic_begin", Function::Sync(SyncCall::AtomicBegin)),
    ("warpath_atomic_end", Function::Sync(SyncCall::AtomicEnd)),
    ("__VERIFIER_atomic_end", Function::Sync(SyncCall::AtomicEnd)),
];
