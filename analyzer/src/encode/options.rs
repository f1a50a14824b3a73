//! What to encode, and how.

use warpath_solvers::ResolvedChoice;
use warpath_solvers::config::{Encoding, OrderEncoding};
use warpath_trace::header::MemoryModel;

/// How "when" is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OrderSort {
    /// Integers, compared with `<`: difference logic.
    Int,
    /// Bit-vectors just wide enough, compared unsigned: for solvers without integers, and beside bit-vector
    /// values, because solvers are slow where the two sorts mix.
    Bits,
    /// No variable for a moment, but a Boolean for each pair that some constraint compares; circles are refuted
    /// as the solver comes up with them.
    Pairs,
}

impl From<OrderEncoding> for OrderSort {
    fn from(encoding: OrderEncoding) -> Self {
        match encoding {
            OrderEncoding::Int => OrderSort::Int,
            OrderEncoding::Bits => OrderSort::Bits,
            OrderEncoding::Pairs => OrderSort::Pairs,
        }
    }
}

impl OrderSort {
    /// All of them.
    pub const ALL: [OrderSort; 3] = [OrderSort::Int, OrderSort::Bits, OrderSort::Pairs];
}

/// Reductions that change the formula but not its answers. Each can be switched off, so that tests can
/// compare with and without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reductions {
    /// Leave out writes that a read can never see.
    pub prune_writers: bool,
    /// Put the value of the only possible write in the place of the read.
    pub substitute: bool,
    /// Leave out what the target cannot depend on.
    pub cone: bool,
    /// Fold comparisons that the must-order decides.
    pub fold_must: bool,
    /// Write comparisons so that *false* means "as observed".
    pub phase: bool,
    /// Say what program order implies between comparisons of two threads.
    pub lemmas: bool,
    /// Reads that only have to have a certain value choose among writes of that value; no variable is made.
    pub filter_pinned: bool,
    /// Let the must-order know what pinned values and locks imply.
    pub saturate: bool,
    /// Give events of one thread that are alike and never both executed one place in time.
    pub share_seats: bool,
    /// Say in which range what a read finds is, as far as writes tell.
    pub ranges: bool,
}

impl Reductions {
    /// All of them.
    pub const ALL: Reductions = Reductions {
        prune_writers: true,
        substitute: true,
        cone: true,
        fold_must: true,
        phase: true,
        lemmas: true,
        filter_pinned: true,
        saturate: true,
        share_seats: true,
        ranges: true,
    };
    /// None of them.
    pub const NONE: Reductions = Reductions {
        prune_writers: false,
        substitute: false,
        cone: false,
        fold_must: false,
        phase: false,
        lemmas: false,
        filter_pinned: false,
        saturate: false,
        share_seats: false,
        ranges: false,
    };
}

/// What to encode, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The memory model.
    pub model: MemoryModel,
    /// How "when" is written.
    pub orders: OrderSort,
    /// What to leave out.
    pub reductions: Reductions,
    /// Up to so many comparisons lemmas are said: they are most of a long formula, and some solvers know by themselves.
    pub lemmas_up_to: usize,
    /// From so many events on, locks and reads are said as families, for solvers that know them.
    pub families_from: usize,
    /// From so many events on, reads are told their ranges.
    pub ranges_from: usize,
    /// May a wait on a condition end without a signal?
    pub spurious_wakeups: bool,
}

impl Options {
    /// The formula as a solver likes it best.
    pub fn liked_by(solver: &ResolvedChoice) -> Options {
        let Encoding { order, lemmas_up_to, families_from, ranges_from, .. } = solver.encoding();
        let [lemmas_up_to, families_from, ranges_from] =
            [lemmas_up_to, families_from, ranges_from].map(|it| it.unwrap_or(usize::MAX));
        Options { orders: order.into(), lemmas_up_to, families_from, ranges_from, ..Options::default() }
    }

    /// The same with every clause for itself, and without what follows from all of them: where reasons are asked for, or
    /// formulas grow.
    pub(crate) fn clause_by_clause(self) -> Options {
        Options { families_from: usize::MAX, ranges_from: usize::MAX, ..self }
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            model: MemoryModel::Sc,
            orders: OrderSort::Pairs,
            reductions: Reductions::ALL,
            lemmas_up_to: usize::MAX,
            families_from: usize::MAX,
            ranges_from: 0,
            spurious_wakeups: false,
        }
    }
}
