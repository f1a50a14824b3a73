//! **Order violation**: something that another thread sets up is read before it has been.
//!
//! Candidates are cells that one thread alone writes and the reader does not: the reader saw the other's write,
//! and does not look whether it has come, as no branch depends on what it read.

use std::collections::{BTreeMap, BTreeSet};

use warpath_solvers::term::{TermError, TermId};
use warpath_trace::event::Op;

use super::ask::under;
use super::depends::depends_on;
use super::groups::{Group, in_order};
use super::race::touched;
use super::survey::Survey;
use super::violation::Violation;
use crate::encode::{Encoding, Options, Point};
use crate::model::{CellId, NodeId, TreeIx};

/// Groups of `[read, write]`: the write that was seen, and how many there are.
pub(crate) struct EarlyReads {
    pub(crate) groups: Vec<Group<2>>,
    pub(crate) all: u64,
    /// Of these: the write must come first.
    pub(crate) ordered: u64,
    /// Of these: a branch depends on what was read.
    pub(crate) guarded: u64,
}

pub(crate) fn early_reads(survey: &Survey<'_>, limit: usize) -> EarlyReads {
    let forest = survey.forest;
    let mut writes: BTreeMap<CellId, Vec<NodeId>> = BTreeMap::new();
    let mut guards: BTreeMap<TreeIx, Vec<warpath_trace::ids::ExprId>> = BTreeMap::new();
    for id in forest.ids() {
        let node = forest.node(id);
        if node.op.written().is_some() {
            for &cell in touched(survey, id) {
                writes.entry(cell).or_default().push(id);
            }
        }
        if let Op::Branch { condition: expr, .. } | Op::Switch { on: expr, .. } = node.op {
            guards.entry(node.tree).or_default().push(expr);
        }
    }
    let mut groups: BTreeMap<(String, String), Group<2>> = BTreeMap::new();
    let mut found = EarlyReads { groups: Vec::new(), all: 0, ordered: 0, guarded: 0 };
    for read in forest.ids() {
        let node = forest.node(read);
        if !matches!(node.op, Op::Read { .. } | Op::AtomicRead { .. }) || node.pinned {
            continue;
        }
        if node.op.read_location().is_some_and(|location| forest.before().written.contains(&location)) {
            continue;
        }
        let Some(write) = saw(survey, &writes, read) else { continue };
        found.all += 1;
        let guarded = |expr: &warpath_trace::ids::ExprId| depends_on(forest, *expr, read);
        if survey.must.before(write, read) {
            found.ordered += 1;
        } else if forest.before().guarded.contains(&read)
            || guards.get(&node.tree).is_some_and(|guards| guards.iter().any(guarded))
        {
            found.guarded += 1;
        } else {
            let key = (forest.place(read), forest.place(write));
            groups.entry(key).or_default().add(survey, [read, write], limit);
        }
    }
    found.groups = in_order(survey, groups.into_values(), limit);
    found
}

/// The write that the read was seen to find, if it is one of the only other thread that writes there.
fn saw(survey: &Survey<'_>, writes: &BTreeMap<CellId, Vec<NodeId>>, read: NodeId) -> Option<NodeId> {
    let forest = survey.forest;
    let [cell] = touched(survey, read) else { return None };
    let writes = writes.get(cell)?;
    let writers: BTreeSet<TreeIx> = writes.iter().map(|&write| forest.node(write).tree).collect();
    if writers.len() != 1 || writers.contains(&forest.node(read).tree) {
        return None;
    }
    let moment = forest.node(read).observed;
    let earlier = writes.iter().copied().filter(|&write| forest.node(write).observed < moment);
    earlier.max_by_key(|&write| forest.node(write).observed)
}

/// `[read, write]`: the read comes before every write.
pub(crate) struct TooEarly;

impl Violation<2> for TooEarly {
    fn cone(&self, _: &Survey<'_>, member: [NodeId; 2]) -> Vec<NodeId> {
        member.to_vec()
    }

    /// `en(r)`, and no write to its cell has taken effect before.
    fn term(
        &self,
        survey: &Survey<'_>,
        encoding: &mut Encoding<'_>,
        [read, _]: [NodeId; 2],
    ) -> Result<TermId, TermError> {
        let cells = touched(survey, read);
        let mut parts = vec![encoding.en(read)?];
        for write in encoding.forest.ids() {
            let writes = encoding.forest.node(write).op.written().is_some();
            let here = writes && touched(survey, write).iter().any(|cell| cells.contains(cell));
            if !here || !encoding.has(write) {
                continue;
            }
            let en = encoding.en(write)?;
            let effect = match encoding.is_buffered(write) {
                true => Point::Commit(write),
                false => Point::Issue(write),
            };
            let ways = [encoding.terms.not(en)?, encoding.before(Point::Issue(read), effect)?];
            parts.push(encoding.terms.or(&ways)?);
        }
        encoding.terms.and(&parts)
    }

    fn describe(&self, survey: &Survey<'_>, options: &Options, pairs: &[[NodeId; 2]]) -> String {
        let forest = survey.forest;
        let [read, write] = pairs[0];
        format!(
            "Can {} read at {} before {} has written at {}? ({})",
            forest.key(forest.node(read).tree),
            forest.place(read),
            forest.key(forest.node(write).tree),
            forest.place(write),
            under(options)
        )
    }
}
