//! **Interference** (Con2colic): at most `k` reads may find what another thread wrote. Asking for `k` = 0, 1, 2, …
//! finds the violation that needs the least of it.
//!
//! A write that every execution has before the read, because it comes before the reader's start, is no choice of
//! the schedule and does not count.

use std::collections::BTreeMap;

use warpath_solvers::term::{TermError, TermId, Terms};

use super::ask::Question;
use super::open_end::OpenEnd;
use crate::encode::{Encoding, Options, ReadFrom, Reductions};
use crate::model::{Forest, NodeId};

/// How many interferences may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Interferences(pub usize);

/// Can this end be reached with at most so many interferences? `node` is where the end is in this forest: see
/// [`OpenEnd::place`].
pub fn with_interferences<'f>(
    forest: &'f Forest,
    end: &OpenEnd,
    node: NodeId,
    options: Options,
    most: Interferences,
) -> Result<Question<'f>, TermError> {
    let described = format!(
        "{} With at most {} reads of what another thread wrote.",
        end.describe(forest, &options),
        most.0
    );
    Question::of(end.encoding(forest, node, counted(options), Terms::new())?, described, |encoding| {
        Ok(vec![end.target(encoding, node)?, at_most(encoding, most)?])
    })
}

/// The formula's options for questions that count interferences.
pub(super) fn counted(options: Options) -> Options {
    // A write that must come first because of what its value is for is a choice of the schedule all the same.
    Options { reductions: Reductions { saturate: false, ..options.reductions }, ..options }
}

/// At most so many reads find what another thread wrote.
pub(super) fn at_most(encoding: &mut Encoding<'_>, most: Interferences) -> Result<TermId, TermError> {
    let foreign = interferences(encoding)?;
    encoding.terms.at_most(most.0, &foreign)
}

/// Per read and write of another thread: the read is executed and finds what the write left.
fn interferences(encoding: &mut Encoding<'_>) -> Result<Vec<TermId>, TermError> {
    let forest = encoding.forest;
    let mut foreign: BTreeMap<(NodeId, NodeId), Vec<(u32, TermId)>> = BTreeMap::new();
    for ReadFrom { read, cell, write, holds } in encoding.reads_from()? {
        if forest.node(write).tree != forest.node(read).tree && !encoding.must.before(write, read) {
            foreign.entry((read, write)).or_default().push((cell.0, holds));
        }
    }
    let mut all = Vec::new();
    for ((read, _), mut cells) in foreign {
        cells.sort_unstable();
        let cells: Vec<TermId> = cells.into_iter().map(|(_, rf)| rf).collect();
        let any = encoding.terms.or(&cells)?;
        let en = encoding.en(read)?;
        all.push(encoding.terms.and(&[en, any])?);
    }
    Ok(all)
}
