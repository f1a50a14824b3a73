//! What operations do to synchronisation objects.

use warpath_trace::event::{MutexKind, RwMode};

use super::state::{Object, State};
use crate::oracle::program::ThreadNr;

/// The threads of a set.
fn each(set: u8) -> impl Iterator<Item = ThreadNr> {
    (0..8).filter(move |nr| set >> nr & 1 == 1)
}

/// All ways to wake as many of those waiting as the limit allows.
pub fn wake(state: State, waiting: u8, limit: u32, leave: impl Fn(&mut State, u8)) -> Vec<State> {
    let count = limit.min(waiting.count_ones());
    let chosen = (0..=u8::MAX).filter(|set| set & !waiting == 0 && set.count_ones() == count);
    chosen
        .map(|set| {
            let mut next = state.clone();
            leave(&mut next, waiting & !set);
            each(set).for_each(|nr| next.threads[nr].woken = true);
            next
        })
        .collect()
}

/// All ways to move as many of those that wait on a word as the limit allows to another.
pub fn move_some(state: State, from: usize, to: usize, limit: u32) -> Vec<State> {
    let waiting = state.futexes[from];
    let count = limit.min(waiting.count_ones());
    let chosen = (0..=u8::MAX).filter(|set| set & !waiting == 0 && set.count_ones() == count);
    chosen
        .map(|set| {
            let mut next = state.clone();
            next.futexes[from] &= !set;
            next.futexes[to] |= set;
            next
        })
        .collect()
}

/// Takes a mutex or a unit of a semaphore, if that is possible.
pub fn take(object: &mut Object, nr: ThreadNr) -> bool {
    match object {
        Object::Mutex { owner, depth, kind } => {
            let mine = *owner == Some(nr as u8);
            let free = owner.is_none() || (mine && *kind == MutexKind::Recursive);
            if free {
                *owner = Some(nr as u8);
                *depth += 1;
            }
            free
        }
        Object::Semaphore { count, .. } => {
            let free = *count > 0;
            *count -= u8::from(free);
            free
        }
        other => panic!("{other:?} cannot be taken"),
    }
}

/// Does an error-checking mutex refuse its owner?
pub fn refuses(object: &Object, nr: ThreadNr) -> bool {
    matches!(object, Object::Mutex { owner, kind: MutexKind::ErrorCheck, .. } if *owner == Some(nr as u8))
}

/// Gives a mutex back; false if the thread does not hold it.
pub fn give_back(object: &mut Object, nr: ThreadNr) -> bool {
    match object {
        Object::Mutex { owner, depth, .. } if *owner == Some(nr as u8) => {
            *depth -= 1;
            if *depth == 0 {
                *owner = None;
            }
            true
        }
        _ => false,
    }
}

/// Takes a read/write lock, if that is possible.
pub fn enter(object: &mut Object, nr: ThreadNr, mode: RwMode) -> bool {
    let Object::RwLock { writer, readers } = object else { panic!("{object:?} is not a read/write lock") };
    let free = writer.is_none() && (mode == RwMode::Read || readers.iter().all(|&count| count == 0));
    match mode {
        RwMode::Read => readers[nr] += u8::from(free),
        RwMode::Write if free => *writer = Some(nr as u8),
        RwMode::Write => {}
    }
    free
}

/// Gives a read/write lock back; false if the thread does not hold it.
pub fn leave(object: &mut Object, nr: ThreadNr) -> bool {
    let Object::RwLock { writer, readers } = object else { panic!("{object:?} is not a read/write lock") };
    if *writer == Some(nr as u8) {
        *writer = None;
        return true;
    }
    let held = readers[nr] > 0;
    readers[nr] -= u8::from(held);
    held
}
