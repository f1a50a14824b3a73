//! Threads that wait to be woken, and wakes that have not been used.
//!
//! Which of several waiters a wake reaches is the kernel's choice. It is left open here until one of them goes on, so
//! that a schedule can decide it: a wake is a grant that any thread waiting at that moment may use.

/// The queue of a futex word or a condition variable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Queue {
    waiting: Vec<usize>,
    grants: Vec<Grant>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Grant {
    remaining: u32,
    eligible: Vec<usize>,
}

impl Queue {
    /// The thread starts to wait.
    pub(crate) fn enter(&mut self, thread: usize) {
        self.waiting.push(thread);
    }

    /// Wakes up to `limit` of the waiters that `reaches` accepts; how many.
    pub(crate) fn wake(&mut self, limit: u32, reaches: impl Fn(usize) -> bool) -> u32 {
        let eligible: Vec<usize> = self.waiting.iter().copied().filter(|&thread| reaches(thread)).collect();
        let spoken_for: u32 = self.grants.iter().map(|grant| grant.remaining).sum();
        let free = (eligible.len() as u32).saturating_sub(spoken_for);
        let woken = limit.min(free);
        if woken > 0 {
            self.grants.push(Grant { remaining: woken, eligible });
        }
        woken
    }

    /// May the thread go on because somebody woke it?
    pub(crate) fn woken(&self, thread: usize) -> bool {
        self.grants.iter().any(|grant| grant.eligible.contains(&thread))
    }

    /// The thread goes on: by a wake if there is one for it (the answer), or for another reason.
    pub(crate) fn leave(&mut self, thread: usize) -> bool {
        let used = self.grants.iter().position(|grant| grant.eligible.contains(&thread));
        if let Some(used) = used {
            self.grants[used].remaining -= 1;
        }
        self.waiting.retain(|&other| other != thread);
        for grant in &mut self.grants {
            grant.eligible.retain(|&other| other != thread);
        }
        self.grants.retain(|grant| grant.remaining > 0);
        used.is_some()
    }

    /// Takes up to `limit` waiters out that no wake is meant for, longest waiting first.
    pub(crate) fn take(&mut self, limit: u32) -> Vec<usize> {
        let spoken_for: u32 = self.grants.iter().map(|grant| grant.remaining).sum();
        let free = self.waiting.len().saturating_sub(spoken_for as usize).min(limit as usize);
        let taken: Vec<usize> = self.waiting.drain(self.waiting.len() - free..).collect();
        for grant in &mut self.grants {
            grant.eligible.retain(|thread| !taken.contains(thread));
        }
        taken
    }

    /// Does nobody wait here?
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_waiter_of_that_moment_may_use_a_wake_and_no_later_one() {
        let mut queue = Queue::default();
        queue.enter(1);
        queue.enter(2);
        assert_eq!(queue.wake(1, |_| true), 1);
        queue.enter(3);
        assert!(queue.woken(1) && queue.woken(2) && !queue.woken(3));
        assert!(queue.leave(2));
        assert!(!queue.woken(1));
        assert_eq!(queue.wake(5, |_| true), 2);
        assert!(queue.leave(3) && queue.leave(1));
        assert!(queue.is_empty());
        assert_eq!(queue.wake(1, |_| true), 0);
    }

    #[test]
    fn a_second_wake_does_not_count_waiters_that_the_first_will_take() {
        let mut queue = Queue::default();
        queue.enter(1);
        assert_eq!(queue.wake(1, |_| true), 1);
        assert_eq!(queue.wake(1, |_| true), 0);
    }
}
