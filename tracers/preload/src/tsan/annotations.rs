//! What programs may tell a race detector. Nothing of it is about what the program does, so nothing is done; the functions
//! are there so that programs that call them can be linked.

use core::ffi::{c_char, c_int, c_void};

macro_rules! nothing {
    ($($name:ident($($ty:ty),*);)*) => {$(
        #[unsafe(no_mangle)]
        extern "C" fn $name($(_: $ty),*) {}
    )*};
}

type Text = *const c_char;
type Memory = *const c_void;

nothing! {
    AnnotateBenignRace(Text, c_int, Memory, Text);
    AnnotateBenignRaceSized(Text, c_int, Memory, usize, Text);
    AnnotateCondVarSignal(Text, c_int, Memory);
    AnnotateCondVarSignalAll(Text, c_int, Memory);
    AnnotateCondVarWait(Text, c_int, Memory, Memory);
    AnnotateEnableRaceDetection(Text, c_int, c_int);
    AnnotateExpectRace(Text, c_int, Memory, Text);
    AnnotateFlushExpectedRaces(Text, c_int);
    AnnotateFlushState(Text, c_int);
    AnnotateHappensAfter(Text, c_int, Memory);
    AnnotateHappensBefore(Text, c_int, Memory);
    AnnotateIgnoreReadsBegin(Text, c_int);
    AnnotateIgnoreReadsEnd(Text, c_int);
    AnnotateIgnoreSyncBegin(Text, c_int);
    AnnotateIgnoreSyncEnd(Text, c_int);
    AnnotateIgnoreWritesBegin(Text, c_int);
    AnnotateIgnoreWritesEnd(Text, c_int);
    AnnotateMemoryIsInitialized(Text, c_int, Memory, usize);
    AnnotateMemoryIsUninitialized(Text, c_int, Memory, usize);
    AnnotateMutexIsNotPHB(Text, c_int, Memory);
    AnnotateMutexIsUsedAsCondVar(Text, c_int, Memory);
    AnnotateNewMemory(Text, c_int, Memory, usize);
    AnnotateNoOp(Text, c_int, Memory);
    AnnotatePCQCreate(Text, c_int, Memory);
    AnnotatePCQDestroy(Text, c_int, Memory);
    AnnotatePCQGet(Text, c_int, Memory);
    AnnotatePCQPut(Text, c_int, Memory);
    AnnotatePublishMemoryRange(Text, c_int, Memory, usize);
    AnnotateRWLockAcquired(Text, c_int, Memory, usize);
    AnnotateRWLockCreate(Text, c_int, Memory);
    AnnotateRWLockCreateStatic(Text, c_int, Memory);
    AnnotateRWLockDestroy(Text, c_int, Memory);
    AnnotateRWLockReleased(Text, c_int, Memory, usize);
    AnnotateThreadName(Text, c_int, Text);
    AnnotateTraceMemory(Text, c_int, Memory);
    AnnotateUnpublishMemoryRange(Text, c_int, Memory, usize);
    WTFAnnotateBenignRaceSized(Text, c_int, Memory, usize, Text);
    WTFAnnotateHappensAfter(Text, c_int, Memory);
    WTFAnnotateHappensBefore(Text, c_int, Memory);
    __tsan_acquire(Memory);
    __tsan_release(Memory);
    __tsan_flush_memory();
    __tsan_ignore_thread_begin();
    __tsan_ignore_thread_end();
    __tsan_mutex_create(Memory, u32);
    __tsan_mutex_destroy(Memory, u32);
    __tsan_mutex_pre_lock(Memory, u32);
    __tsan_mutex_post_lock(Memory, u32, c_int);
    __tsan_mutex_post_unlock(Memory, u32);
    __tsan_mutex_pre_signal(Memory, u32);
    __tsan_mutex_post_signal(Memory, u32);
    __tsan_mutex_pre_divert(Memory, u32);
    __tsan_mutex_post_divert(Memory, u32);
    __tsan_external_register_header(Memory, Text);
    __tsan_external_assign_tag(Memory, Memory);
    __tsan_external_read(Memory, Memory, Memory);
    __tsan_external_write(Memory, Memory, Memory);
    __tsan_set_fiber_name(Memory, Text);
    __tsan_destroy_fiber(Memory);
    __tsan_switch_to_fiber(Memory, u32);
}

/// How often the caller has the mutex: once, as far as we know.
#[unsafe(no_mangle)]
extern "C" fn __tsan_mutex_pre_unlock(_: Memory, _: u32) -> c_int {
    1
}

/// Something that is not null, for who keeps it.
#[unsafe(no_mangle)]
extern "C" fn __tsan_external_register_tag(name: Text) -> Memory {
    name.cast()
}

/// Fibers are not told apart: what they do is what their thread does.
#[unsafe(no_mangle)]
extern "C" fn __tsan_get_current_fiber() -> Memory {
    (&raw const *crate::here::here()).cast()
}

/// As above.
#[unsafe(no_mangle)]
extern "C" fn __tsan_create_fiber(_: u32) -> Memory {
    (&raw const *crate::here::here()).cast()
}

/// No.
#[unsafe(no_mangle)]
extern "C" fn RunningOnValgrind() -> c_int {
    0
}

/// As if it ran as it is.
#[unsafe(no_mangle)]
extern "C" fn ValgrindSlowdown() -> f64 {
    1.0
}
