//! Ctrl-C as a request: finish what can be finished, write the results so far.
//!
//! `SIGINT` and `SIGTERM` are blocked in every thread and waited for by one. No handler runs in the middle of
//! anything. A program that we start inherits that; one that is to run as it would without us is started by
//! [`spawn_unblocked`].

use std::io;
use std::process::{self, Child, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use nix::sys::signal::{SigSet, Signal};

use crate::console;

/// Signals so soon behind the first mean the same: `timeout` sends one to us and one to our group.
const SAME_WISH: Duration = Duration::from_millis(500);

/// Whether the user asked us to stop.
#[derive(Clone, Debug)]
pub(crate) struct Interrupt {
    asked: Arc<AtomicBool>,
    /// Somebody else has the terminal: its Ctrl-C is not for us.
    elsewhere: Arc<AtomicBool>,
}

impl Interrupt {
    /// Starts listening. `on_first` runs once, on a thread of its own, at the first signal; a second signal ends the
    /// process at once. To be called before other threads exist, since they inherit the blocked signals.
    pub(crate) fn listen(on_first: impl FnOnce() + Send + 'static) -> anyhow::Result<Interrupt> {
        let signals = SigSet::from_iter([Signal::SIGINT, Signal::SIGTERM]);
        signals.thread_block().context("cannot block signals")?;
        let interrupt = Interrupt { asked: Arc::default(), elsewhere: Arc::default() };
        let Interrupt { asked, elsewhere } = interrupt.clone();
        thread::Builder::new()
            .name("interrupt".into())
            .spawn(move || {
                let wait = || loop {
                    let signal = signals.wait().ok()?;
                    if signal != Signal::SIGINT || !elsewhere.load(Ordering::SeqCst) {
                        return Some(());
                    }
                };
                if wait().is_none() {
                    return;
                }
                asked.store(true, Ordering::SeqCst);
                let first = Instant::now();
                console::complain(
                    &"warpath: stopping; the results so far are being written (once more: at once)",
                );
                on_first();
                while wait().is_some() {
                    if first.elapsed() > SAME_WISH {
                        // 3 as everywhere: no definite answer.
                        process::exit(3);
                    }
                }
            })
            .context("cannot start the thread that waits for Ctrl-C")?;
        Ok(interrupt)
    }

    /// While `work` has the terminal, Ctrl-C means it and not us.
    pub(crate) fn leave_to<T>(&self, work: impl FnOnce() -> T) -> T {
        self.elsewhere.store(true, Ordering::SeqCst);
        let result = work();
        self.elsewhere.store(false, Ordering::SeqCst);
        result
    }

    /// Has the user asked?
    pub(crate) fn asked(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }
}

/// Starts a program for which no signal is blocked. A signal that comes at this very moment ends us.
pub(crate) fn spawn_unblocked(command: &mut Command) -> io::Result<Child> {
    // A new process has the mask of the thread that makes it, and this thread needs its own no more.
    let start = || {
        SigSet::empty().thread_set_mask()?;
        command.spawn()
    };
    thread::scope(|scope| scope.spawn(start).join())
        .unwrap_or_else(|_| Err(io::Error::other("the thread ended")))
}
