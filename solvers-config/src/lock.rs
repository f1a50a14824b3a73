//! Locks around what is whole at every moment.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks also when another thread panicked with it: that left what is behind it as usable as before.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
