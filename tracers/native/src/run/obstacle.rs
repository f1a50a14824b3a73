//! Why a thread cannot go on, in words.

use super::action::{Action, Sync, Wait};
use super::machine::Machine;
use super::sync::Object;

impl Machine {
    /// What the thread waits for.
    pub(crate) fn obstacle(&mut self, t: usize) -> String {
        let Some(action) = self.threads[t].pending().cloned() else { return "has ended".into() };
        // Its whole size: a part of it would be called by the name of that part.
        let name = |machine: &mut Machine, address, size| machine.place_of(address, size).path;
        match action {
            Action::Sync(Sync::Lock { mutex, .. }) => {
                format!("waits for mutex `{}`{}", name(self, mutex, 40), self.holder(mutex))
            }
            Action::Sync(Sync::RwLock { lock, .. }) => {
                format!("waits for read/write lock `{}`{}", name(self, lock, 56), self.holder(lock))
            }
            Action::Sync(Sync::CondWake { condition, mutex, .. }) => match self.objects.get(condition) {
                Some(Object::Condition(condition)) if condition.queue.woken(t) => {
                    format!("waits for mutex `{}`{}", name(self, mutex, 40), self.holder(mutex))
                }
                _ => format!("waits on condition `{}`, which nobody signals", name(self, condition, 48)),
            },
            Action::Sync(Sync::SemWait { semaphore, .. }) => {
                format!("waits for semaphore `{}`, which is at 0", name(self, semaphore, 32))
            }
            Action::Sync(Sync::BarrierLeave { barrier, .. }) => {
                format!("waits at barrier `{}`, where not all have arrived", name(self, barrier, 32))
            }
            Action::Sync(Sync::OnceEnter { once, .. }) => {
                format!("waits for the initialiser of `{}`", name(self, once, 4))
            }
            Action::Sync(Sync::Join { thread, .. }) => {
                let target = self.by_handle(thread).map(|target| &self.threads[target]);
                format!(
                    "waits for {} to end",
                    target.map_or_else(|| "a thread".into(), |target| target.key.to_string())
                )
            }
            Action::FutexResume(wait) => {
                format!("waits on futex `{}`, which nobody wakes", name(self, wait.word, 4))
            }
            Action::Blocked(Wait::Futex(_)) => "waits within the C library".into(),
            Action::Blocked(Wait::Change(cells)) => {
                let mut names: Vec<String> =
                    cells.iter().map(|cell| format!("`{}`", name(self, cell.address, cell.size))).collect();
                names.dedup();
                format!("spins until {} changes, which nobody does", names.join(" or "))
            }
            Action::Blocked(Wait::Signal) => "waits for a signal".into(),
            Action::Blocked(_) => "waits for something outside the program".into(),
            _ if self.threads.iter().any(|thread| thread.atomic > 0) => {
                "waits for an atomic region to end".into()
            }
            _ => "can go on".into(),
        }
    }

    fn holder(&self, address: u64) -> String {
        let holders: Vec<String> = match self.objects.get(address) {
            Some(Object::Mutex(mutex)) => {
                mutex.owner.iter().map(|&(owner, _)| self.threads[owner].key.to_string()).collect()
            }
            Some(Object::RwLock(lock)) => {
                let mut holders: Vec<usize> =
                    lock.writer.into_iter().chain(lock.readers.keys().copied()).collect();
                holders.sort_unstable();
                holders.into_iter().map(|holder| self.threads[holder].key.to_string()).collect()
            }
            _ => Vec::new(),
        };
        if holders.is_empty() { String::new() } else { format!(", held by {}", holders.join(", ")) }
    }
}
