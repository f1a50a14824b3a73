//! One numbering for all traces with the same content.

use rustc_hash::FxHashMap;

use crate::event::Ref;
use crate::expr::{ExprPool, Node};
use crate::header::Footer;
use crate::ids::{ExprId, SourceId, StringId};
use crate::order::{Order, Run};
use crate::place::Source;
use crate::tables::{TableError, Tables};
use crate::trace::Trace;

impl Trace {
    /// The same trace with strings, positions and expressions stored once each, numbered by first use, and
    /// without those that nothing uses. Two recordings of the same run become equal, and so do a trace and
    /// what its text form reads back as.
    pub fn canonical(&self) -> Result<Trace, TableError> {
        let mut to = Trace::new(self.header.clone());
        let mut renumber = Renumber { from: &self.tables, sources: FxHashMap::default(), exprs: Vec::new() };
        renumber.exprs.resize(self.tables.exprs.len(), None);
        for thread in self.tables.threads() {
            let mut thread = thread.clone();
            thread.start = renumber.string(&mut to.tables, thread.start)?;
            thread.name = renumber.string(&mut to.tables, thread.name)?;
            to.add_thread(thread)?;
        }
        for object in self.tables.objects() {
            let mut object = object.clone();
            object.name = renumber.string(&mut to.tables, object.name)?;
            to.tables.object(object)?;
        }
        for location in self.tables.locations() {
            let mut location = location.clone();
            location.name = renumber.string(&mut to.tables, location.name)?;
            to.tables.location(location)?;
        }
        for input in self.tables.inputs() {
            let mut input = input.clone();
            input.name = renumber.string(&mut to.tables, input.name)?;
            to.tables.input(input)?;
        }
        for (thread, _, event) in self.listing() {
            let mut event = *event;
            event.try_refs(|reference| renumber.reference(&mut to.tables, reference))?;
            to.threads[thread.index()].push(event);
        }
        to.order = match &self.order {
            Order::Total(runs) => Order::Total(merged(runs)),
            Order::Tickets(tickets) => Order::Tickets(tickets.clone()),
        };
        to.recorded = self.recorded.clone();
        to.sharing = self.sharing.clone();
        to.sharing.sort();
        to.sharing.dedup();
        if let Some(footer) = &self.footer {
            let mut approximations = Vec::new();
            for &(name, count) in &footer.approximations {
                approximations.push((renumber.string(&mut to.tables, name)?, count));
            }
            to.footer = Some(Footer { approximations, ..footer.clone() });
        }
        Ok(to)
    }
}

/// Runs with neighbours of the same thread made one, and empty ones left out.
fn merged(runs: &[Run]) -> Vec<Run> {
    let mut all: Vec<Run> = Vec::new();
    for run in runs.iter().filter(|run| run.count > 0) {
        match all.last_mut() {
            Some(last) if last.thread == run.thread && last.count.checked_add(run.count).is_some() => {
                last.count += run.count;
            }
            _ => all.push(*run),
        }
    }
    all
}

struct Renumber<'a> {
    from: &'a Tables,
    sources: FxHashMap<SourceId, SourceId>,
    exprs: Vec<Option<ExprId>>,
}

impl Renumber<'_> {
    fn reference(&mut self, to: &mut Tables, reference: Ref<'_>) -> Result<(), TableError> {
        match reference {
            Ref::String(id) => *id = self.string(to, *id)?,
            Ref::Source(id) => *id = self.source(to, *id)?,
            Ref::Expr(id) => *id = self.expr(&mut to.exprs, *id)?,
            _ => {}
        }
        Ok(())
    }

    fn string(&self, to: &mut Tables, id: StringId) -> Result<StringId, TableError> {
        to.string(&self.from.strings()[id.index()])
    }

    fn source(&mut self, to: &mut Tables, id: SourceId) -> Result<SourceId, TableError> {
        if let Some(&new) = self.sources.get(&id) {
            return Ok(new);
        }
        let source = &self.from.sources()[id.index()];
        let file = self.string(to, source.file)?;
        let function = self.string(to, source.function)?;
        let new = to.source(Source { file, function, ..source.clone() })?;
        self.sources.insert(id, new);
        Ok(new)
    }

    fn expr(&mut self, to: &mut ExprPool, root: ExprId) -> Result<ExprId, TableError> {
        // Operands first, left to right: the order in which the text form names them.
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if self.exprs[id.index()].is_some() {
                stack.pop();
                continue;
            }
            let node: Node = self.from.exprs.node(id);
            let waiting = stack.len();
            stack.extend(node.operands().filter(|operand| self.exprs[operand.index()].is_none()));
            if stack.len() == waiting {
                let operand = |operand: ExprId| self.exprs[operand.index()].expect("operands come first");
                self.exprs[id.index()] = Some(to.intern(node.map_operands(operand))?);
                stack.pop();
            } else {
                stack[waiting..].reverse();
            }
        }
        Ok(self.exprs[root.index()].expect("the loop ends when the root is done"))
    }
}
