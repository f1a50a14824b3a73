//! Ending a running query from another thread.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::lock::lock;

/// A switch that ends every query it was given to, at once and for good. Clones are the same switch.
#[derive(Debug, Clone, Default)]
pub struct CancelToken {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    cancelled: AtomicBool,
    supervisors: Mutex<Vec<Pid>>,
    parent: Option<CancelToken>,
    children: Mutex<Vec<std::sync::Weak<Shared>>>,
}

impl CancelToken {
    /// A switch that is not thrown.
    pub fn new() -> Self {
        Self::default()
    }

    /// A switch of its own that is also thrown by this one.
    pub fn child(&self) -> Self {
        let child = Self { shared: Arc::new(Shared { parent: Some(self.clone()), ..Shared::default() }) };
        let mut children = lock(&self.shared.children);
        children.retain(|child| child.strong_count() > 0);
        children.push(Arc::downgrade(&child.shared));
        child
    }

    /// Ends the running queries, and those to come, as interrupted.
    pub fn cancel(&self) {
        self.shared.cancel();
    }

    /// Whether the switch has been thrown.
    pub fn is_cancelled(&self) -> bool {
        self.shared.cancelled.load(Ordering::SeqCst)
            || self.shared.parent.as_ref().is_some_and(CancelToken::is_cancelled)
    }

    /// Ties a supervisor to the switch for as long as the result lives. The process must not be reaped before.
    pub(crate) fn attach(&self, supervisor: Pid) -> Attached {
        let mut supervisors = lock(&self.shared.supervisors);
        supervisors.push(supervisor);
        // Under the lock: a switch thrown meanwhile has either seen the supervisor or is seen here.
        if self.is_cancelled() {
            let _ = kill(supervisor, Signal::SIGTERM);
        }
        drop(supervisors);
        Attached { token: self.clone(), supervisor }
    }
}

impl Shared {
    fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
        for supervisor in lock(&self.supervisors).iter() {
            let _ = kill(*supervisor, Signal::SIGTERM);
        }
        let children: Vec<_> = lock(&self.children).iter().filter_map(std::sync::Weak::upgrade).collect();
        for child in children {
            child.cancel();
        }
    }
}

/// A supervisor that a switch can reach.
#[derive(Debug)]
pub(crate) struct Attached {
    token: CancelToken,
    supervisor: Pid,
}

impl Drop for Attached {
    fn drop(&mut self) {
        let mut supervisors = lock(&self.token.shared.supervisors);
        if let Some(at) = supervisors.iter().position(|pid| *pid == self.supervisor) {
            supervisors.swap_remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_follows_its_parent_but_not_the_other_way() {
        let parent = CancelToken::new();
        let (first, second) = (parent.child(), parent.child());
        first.cancel();
        assert!(first.is_cancelled() && !parent.is_cancelled() && !second.is_cancelled());
        parent.cancel();
        assert!(second.is_cancelled());
        assert!(parent.child().is_cancelled());
    }
}
