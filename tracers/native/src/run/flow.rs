//! Symbolic values that cross from one thread to another.
//!
//! An expression of a thread is over inputs and its own reads. A value that another thread computed from *its* reads
//! must come in by a read of shared memory: where it is found in memory that was not known to be shared (a result that
//! the C library hands over, for example), that memory is shared from the next run on.

use warpath_trace::expr::{ExprPool, Leaf};
use warpath_trace::ids::{ExprId, ThreadIx};

use super::careful::{Done, DoneKind};
use super::machine::Machine;

/// Whose reads expressions depend on, as far as it has been asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Owners(Vec<Option<Owner>>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Nobody,
    Thread(ThreadIx),
}

impl Owners {
    /// The thread whose reads the expression depends on.
    fn of(&mut self, pool: &ExprPool, expr: ExprId) -> Option<ThreadIx> {
        self.0.resize(pool.len(), None);
        let mut stack = vec![expr];
        while let Some(&top) = stack.last() {
            if self.0[top.index()].is_some() {
                stack.pop();
                continue;
            }
            let node = pool.node(top);
            let open: Vec<ExprId> =
                node.operands().filter(|operand| self.0[operand.index()].is_none()).collect();
            if !open.is_empty() {
                stack.extend(open);
                continue;
            }
            let own = match node.leaf() {
                Some(Leaf::Read(thread, _)) => Some(Owner::Thread(thread)),
                _ => node
                    .operands()
                    .find_map(|operand| self.0[operand.index()].filter(|&owner| owner != Owner::Nobody)),
            };
            self.0[top.index()] = Some(own.unwrap_or(Owner::Nobody));
            stack.pop();
        }
        match self.0[expr.index()] {
            Some(Owner::Thread(thread)) => Some(thread),
            _ => None,
        }
    }
}

impl Machine {
    /// Looks for values of other threads among what an instruction has loaded.
    pub(crate) fn watch_flow(&mut self, t: usize, done: &[Done]) {
        for load in done.iter().filter(|done| done.kind == DoneKind::Load) {
            let (address, size) = (load.address, u64::from(load.size));
            if !self.shadow.is_symbolic(address, size) {
                continue;
            }
            let Some(expr) = self.shadow.read(address, load.size, load.value) else { continue };
            let owner = self.owners.of(self.shadow.pool(), expr);
            if owner.is_some_and(|owner| owner != self.threads[t].ix) {
                self.widen_sharing(address, size);
                self.shadow.clear(address, size);
                self.update_marks();
            }
        }
    }
}
