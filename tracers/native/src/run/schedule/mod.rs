//! Who goes next: a policy, or a schedule that is followed.

mod follow;
mod guide;
mod pct;
mod policy;

pub(crate) use follow::fits;
pub use follow::{Divergence, Follow, Strictness};
pub(crate) use guide::Place;
pub use guide::{Guide, Guided, Pace, Parting};
pub(crate) use policy::Chooser;
pub use policy::Policy;

use super::perform::Ability;

/// What a scheduler chooses from.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// The thread.
    pub thread: usize,
    /// What it can do.
    pub ability: Ability,
    /// It slept or yielded since its last turn.
    pub yielded: bool,
    /// Writes waiting in its buffer that could reach memory next, by position in the buffer.
    pub commits: Vec<usize>,
}

/// Whose turn it is, and for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The thread's next step.
    Step(usize),
    /// A write of the thread's buffer reaches memory.
    Commit(usize, usize),
    /// Nothing is possible.
    Stuck,
    /// Something outside may have changed: look again.
    Again,
}
