//! C++'s `new` and `delete`: they are asked for storage by the program, and ask the C library for it. Here only the place
//! is kept, for the call to the C library that follows.

use core::ffi::c_void;

use crate::here::here;
use crate::interpose::interpose;
use crate::real::real;

macro_rules! operators {
    ($($name:ident $register:literal $ours:ident ($($arg:ident: $ty:ty),*) -> $ret:ty;)*) => {
        interpose! { $($name $register => $ours;)* }

        mod real {
            use super::*;
            super::real! { $(fn $name($($arg: $ty),*) -> $ret;)* }
        }

        $(
            unsafe extern "C-unwind" fn $ours($($arg: $ty,)* at: u64) -> $ret {
                // One of them may call another: the first one is the program's.
                let before = here().operator_at.get();
                here().operator_at.set(if before == 0 { at } else { before });
                // SAFETY: the arguments are the program's.
                let answer = unsafe { real::$name($($arg),*) };
                here().operator_at.set(before);
                answer
            }
        )*
    };
}

type Block = *mut c_void;
type Tag = *const c_void;

operators! {
    _Znwm "rsi" new (size: usize) -> Block;
    _Znam "rsi" new_array (size: usize) -> Block;
    _ZnwmRKSt9nothrow_t "rdx" new_nothrow (size: usize, tag: Tag) -> Block;
    _ZnamRKSt9nothrow_t "rdx" new_array_nothrow (size: usize, tag: Tag) -> Block;
    _ZnwmSt11align_val_t "rdx" new_aligned (size: usize, align: usize) -> Block;
    _ZnamSt11align_val_t "rdx" new_array_aligned (size: usize, align: usize) -> Block;
    _ZnwmSt11align_val_tRKSt9nothrow_t "rcx" new_aligned_nothrow (size: usize, align: usize, tag: Tag) -> Block;
    _ZnamSt11align_val_tRKSt9nothrow_t "rcx" new_array_aligned_nothrow (
        size: usize, align: usize, tag: Tag
    ) -> Block;
    _ZdlPv "rsi" delete (block: Block) -> ();
    _ZdaPv "rsi" delete_array (block: Block) -> ();
    _ZdlPvm "rdx" delete_sized (block: Block, size: usize) -> ();
    _ZdaPvm "rdx" delete_array_sized (block: Block, size: usize) -> ();
    _ZdlPvRKSt9nothrow_t "rdx" delete_nothrow (block: Block, tag: Tag) -> ();
    _ZdaPvRKSt9nothrow_t "rdx" delete_array_nothrow (block: Block, tag: Tag) -> ();
    _ZdlPvSt11align_val_t "rdx" delete_aligned (block: Block, align: usize) -> ();
    _ZdaPvSt11align_val_t "rdx" delete_array_aligned (block: Block, align: usize) -> ();
    _ZdlPvmSt11align_val_t "rcx" delete_sized_aligned (block: Block, size: usize, align: usize) -> ();
    _ZdaPvmSt11align_val_t "rcx" delete_array_sized_aligned (block: Block, size: usize, align: usize) -> ();
}
