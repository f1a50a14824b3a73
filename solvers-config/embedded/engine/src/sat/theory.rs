//! What the propositional core asks of the theory beside it.

use super::literal::{Lit, Var};

/// A theory that hears of literals as they become true and takes them back last first.
pub(crate) trait Theory {
    /// Whether the theory gives the variable a meaning.
    fn knows(&self, var: Var) -> bool;

    /// A literal with a meaning became true. Literals that follow are added to `implied`. An error is a contradiction,
    /// of which [`Theory::conflict`] speaks; the literal then does not count as told.
    fn tell(&mut self, literal: Lit, since: Since, implied: &mut Vec<Lit>) -> Result<(), Contradiction>;

    /// Takes back the last literal told.
    fn retract(&mut self);

    /// After a contradiction: a clause of the theory that is false now. Literals whose negations are permanent may be
    /// left out of `clause`; `whole` has them.
    fn conflict(&mut self, clause: &mut Vec<Lit>);

    /// A clause of the theory with `literal`, which was implied, whose others were false before it.
    fn explain(&mut self, literal: Lit, clause: &mut Vec<Lit>);

    /// The whole of the clause last given by `conflict` or `explain`, with what was left out.
    fn whole(&self) -> &[Lit];
}

/// How a literal became true.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Since {
    /// As long as the guards are assumed, or for good.
    pub(crate) permanent: bool,
    /// Because the theory implied it.
    pub(crate) implied: bool,
}

/// What was told contradicts itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Contradiction;
