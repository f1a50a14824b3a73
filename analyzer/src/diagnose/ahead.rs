//! Further solvers that find out ahead what cannot be, while a search goes on.
//!
//! A search asks of one ordering after the other whether it can be had besides those that are kept. Helpers ask the
//! same of orderings that it will come to later. All they ever say is that some orderings cannot be had together, which
//! holds for ever: so the search comes to the same end with any number of them, only sooner.

use std::collections::BTreeSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use warpath_solvers::CancelToken;

use super::DiagnoseError;
use super::session::{Assumed, Found, Session, Wanted};

/// A search whose questions took less than this does without help: telling another solver the formula takes longer.
const WORTH_HELP: Duration = Duration::from_secs(1);

/// Such executions do not have all of these.
pub(super) type Refuted = (Wanted, BTreeSet<Assumed>);

/// What a search and its helpers tell each other.
pub(super) struct Ahead {
    board: Mutex<Board>,
    changed: Condvar,
    after: Duration,
}

#[derive(Default)]
struct Board {
    /// What is asked for next: these executions, with all of these.
    wanted: Option<(Wanted, Vec<Assumed>)>,
    /// And with one of these.
    open: Vec<Assumed>,
    refuted: Vec<Refuted>,
    /// The causes that failing executions must not show.
    blocked: Vec<Vec<usize>>,
    is_over: bool,
}

/// Ends the helpers when it is dropped.
pub(super) struct Ending<'a> {
    ahead: &'a Ahead,
    cancel: CancelToken,
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.ahead.lock().is_over = true;
        self.ahead.changed.notify_all();
        self.cancel.cancel();
    }
}

impl Ahead {
    /// Nobody helps before the questions of a search have taken so long.
    pub(super) fn after(after: Option<Duration>) -> Ahead {
        Ahead { board: Mutex::default(), changed: Condvar::new(), after: after.unwrap_or(WORTH_HELP) }
    }

    /// Does a search want help whose questions took so long?
    pub(super) fn is_worth(&self, taken: Duration) -> bool {
        taken >= self.after
    }

    fn lock(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The helpers end with the result of this; the switch is that of their questions.
    pub(super) fn until_dropped(&self, cancel: CancelToken) -> Ending<'_> {
        Ending { ahead: self, cancel }
    }

    /// The search is going to ask for each of these besides what is kept. What it said before is over.
    pub(super) fn publish(&self, wanted: Wanted, kept: &[Assumed], open: Vec<Assumed>) {
        let mut board = self.lock();
        (board.wanted, board.open) = (Some((wanted, kept.to_vec())), open);
        drop(board);
        self.changed.notify_all();
    }

    /// What the helpers have found out since the last time.
    pub(super) fn refuted(&self) -> Vec<Refuted> {
        std::mem::take(&mut self.lock().refuted)
    }

    /// Failing executions with all of these orderings are of no interest any more.
    pub(super) fn block(&self, orderings: &[usize]) {
        self.lock().blocked.push(orderings.to_vec());
    }

    /// Helps until the search is over. A solver is opened when there is something to do for it; without one there is
    /// no help, and the search does not miss it.
    pub(super) fn help<'f>(&self, open: impl FnOnce() -> Result<Session<'f>, DiagnoseError>) {
        let (mut open, mut session, mut told) = (Some(open), None, 0);
        while let Some((wanted, assumed, blocked)) = self.next(told) {
            if let Some(Ok(opened)) = open.take().map(|open| open()) {
                session = Some(opened);
            }
            let Some(session) = &mut session else { return };
            told += blocked.len();
            if blocked.iter().any(|cause| session.block(cause).is_err()) {
                return;
            }
            match session.find(wanted, &assumed) {
                Ok(Found::Some(_)) | Err(DiagnoseError::Unanswered(_)) => {}
                Ok(Found::None(core)) => {
                    let core = core.unwrap_or(assumed).into_iter().collect();
                    self.lock().refuted.push((wanted, core));
                }
                Err(_) => return,
            }
        }
    }

    /// The next question for a helper that was told of so many causes, and the causes since; `None` when it is over.
    fn next(&self, told: usize) -> Option<(Wanted, Vec<Assumed>, Vec<Vec<usize>>)> {
        let mut board = self.lock();
        loop {
            if board.is_over {
                return None;
            }
            // The search comes from the front, and other helpers take from what is left.
            let middle = board.open.len() / 2;
            if let Some((wanted, kept)) = board.wanted.clone()
                && middle < board.open.len()
            {
                let mut assumed = kept;
                assumed.push(board.open.remove(middle));
                return Some((wanted, assumed, board.blocked[told..].to_vec()));
            }
            board = self.changed.wait(board).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
