//! Does a trace make sense? Readers call this once, so that nothing behind them has to ask again.

use crate::event::{Event, Op};
use crate::expr::{Leaf, Sort, mask};
use crate::header::OrderKind;
use crate::ids::{ExprId, LocationId, ThreadIx};
use crate::order::Order;
use crate::tables::{TableError, Tables};
use crate::trace::Trace;

/// A trace that does not make sense, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Inconsistency {
    /// An event with a bad reference.
    #[error("event {index} of {thread}: {error}")]
    Reference {
        /// The thread's key.
        thread: String,
        /// The event's index.
        index: u32,
        /// What is wrong.
        error: TableError,
    },
    /// An expression of the wrong sort.
    #[error("event {index} of {thread}: e{expr} is {found}, but {wanted} is needed here")]
    Sort {
        /// The thread's key.
        thread: String,
        /// The event's index.
        index: u32,
        /// The expression.
        expr: u32,
        /// Its sort.
        found: Sort,
        /// The sort it should have.
        wanted: String,
    },
    /// A value that the location cannot hold.
    #[error("event {index} of {thread}: the value {value} does not fit {width} bits")]
    Value {
        /// The thread's key.
        thread: String,
        /// The event's index.
        index: u32,
        /// The value.
        value: u128,
        /// Bits that it may have.
        width: u32,
    },
    /// An expression that refers to a read that is not there, not a read, or of another thread.
    #[error(
        "event {index} of {thread} uses the value read by event {read} of {reader}, which is not an earlier read of that width in the same thread"
    )]
    Leaf {
        /// The thread's key.
        thread: String,
        /// The event's index.
        index: u32,
        /// The key of the thread referred to.
        reader: String,
        /// The event referred to.
        read: u32,
    },
    /// An expression that refers to an input that is not there or has another width.
    #[error("event {index} of {thread} uses input {input}, which is not in the input table with that width")]
    InputLeaf {
        /// The thread's key.
        thread: String,
        /// The event's index.
        index: u32,
        /// The input referred to.
        input: u32,
    },
    /// An order that does not fit the events.
    #[error("the observed order has {ordered} events of {thread}, which has {events}")]
    Order {
        /// The thread's key.
        thread: String,
        /// Events in the order.
        ordered: u64,
        /// Events of the thread.
        events: u64,
    },
    /// An order of another kind than the header says, or for another number of threads than there are.
    #[error(
        "the header says `{header:?}`, the thread table has {threads} threads, but the events are of {lists} threads and the order is `{order:?}` for {ordered}"
    )]
    Shape {
        /// The kind of order that the header names.
        header: OrderKind,
        /// The kind of order that there is.
        order: OrderKind,
        /// Threads in the thread table.
        threads: usize,
        /// Threads that have a list of events.
        lists: usize,
        /// Threads that the order is for.
        ordered: usize,
    },
    /// Tickets that are not ascending by event, or of an event that is not there.
    #[error("the tickets of {thread} do not ascend by event, or there is no event {event}")]
    Tickets {
        /// The thread's key.
        thread: String,
        /// The event of the first bad ticket.
        event: u32,
    },
    /// An order, a shared range or a footer with a bad reference.
    #[error("{place}: {error}")]
    Outside {
        /// Where the reference is.
        place: &'static str,
        /// What is wrong.
        error: TableError,
    },
    /// A footer that counts other events than there are.
    #[error("the footer counts {footer} events; the trace has {events}")]
    Count {
        /// Events by the footer.
        footer: u64,
        /// Events in the trace.
        events: u64,
    },
}

impl Trace {
    /// Checks every reference, sort, width and count.
    pub fn check(&self) -> Result<(), Inconsistency> {
        self.check_shape()?;
        let mut leaves = LeafCheck::new(&self.tables);
        for (thread, events) in self.threads.iter().enumerate() {
            let thread = ThreadIx::from(thread);
            leaves.thread = thread.0;
            for (event, index) in events.iter().zip(0u32..) {
                Check { trace: self, thread, index }.event(event, &mut leaves)?;
            }
        }
        self.check_order()?;
        self.check_tickets()?;
        self.check_outside()?;
        match &self.footer {
            Some(footer) if footer.events != self.len() => {
                Err(Inconsistency::Count { footer: footer.events, events: self.len() })
            }
            _ => Ok(()),
        }
    }

    fn check_shape(&self) -> Result<(), Inconsistency> {
        let (threads, lists) = (self.tables.threads().len(), self.threads.len());
        let (order, ordered) = match &self.order {
            Order::Total(_) => (OrderKind::Total, lists),
            Order::Tickets(tickets) => (OrderKind::Tickets, tickets.len()),
        };
        let header = self.header.order;
        if header == order && threads == lists && lists == ordered {
            return Ok(());
        }
        Err(Inconsistency::Shape { header, order, threads, lists, ordered })
    }

    fn check_tickets(&self) -> Result<(), Inconsistency> {
        let Order::Tickets(tickets) = &self.order else { return Ok(()) };
        for ((tickets, events), key) in tickets.iter().zip(&self.threads).zip(self.tables.keys()) {
            let mut next = 0;
            for ticket in tickets {
                if u64::from(ticket.event) < next || ticket.event as usize >= events.len() {
                    return Err(Inconsistency::Tickets { thread: key.to_string(), event: ticket.event });
                }
                next = u64::from(ticket.event) + 1;
            }
        }
        Ok(())
    }

    /// References that are not of events: of the order, of shared ranges, of the footer.
    fn check_outside(&self) -> Result<(), Inconsistency> {
        let at = |place| move |error| Inconsistency::Outside { place, error };
        if let Order::Total(runs) = &self.order {
            for run in runs {
                self.tables.check_thread(run.thread).map_err(at("the observed order"))?;
            }
        }
        for range in &self.sharing {
            self.tables.check_object(range.object).map_err(at("a shared range"))?;
        }
        for &(name, _) in self.footer.iter().flat_map(|footer| &footer.approximations) {
            self.tables.check_string(name).map_err(at("the footer"))?;
        }
        Ok(())
    }

    fn check_order(&self) -> Result<(), Inconsistency> {
        let Order::Total(runs) = &self.order else { return Ok(()) };
        let mut ordered = vec![0u64; self.threads.len()];
        for run in runs {
            if let Some(count) = ordered.get_mut(run.thread.index()) {
                *count += u64::from(run.count);
            }
        }
        for ((&ordered, events), key) in ordered.iter().zip(&self.threads).zip(self.tables.keys()) {
            let events = events.len() as u64;
            if ordered != events {
                return Err(Inconsistency::Order { thread: key.to_string(), ordered, events });
            }
        }
        Ok(())
    }
}

/// The check of one event.
struct Check<'a> {
    trace: &'a Trace,
    thread: ThreadIx,
    index: u32,
}

impl Check<'_> {
    fn key(&self) -> String {
        self.trace.tables.key(self.thread).to_string()
    }

    fn event(&self, event: &Event, leaves: &mut LeafCheck) -> Result<(), Inconsistency> {
        let tables = &self.trace.tables;
        tables.check_event(event).map_err(|error| Inconsistency::Reference {
            thread: self.key(),
            index: self.index,
            error,
        })?;
        let width = |location: LocationId| tables.locations()[location.index()].width().unwrap_or(0);
        if let (Some(location), Some(value)) = (event.op.read_location(), event.op.read_value()) {
            self.fits(location, value)?;
        }
        if let Some((location, datum)) = event.op.written() {
            self.fits(location, datum.value)?;
            if let Some(expr) = datum.expr {
                self.expr(expr, Some(Sort::Bits(width(location) as u8)), leaves)?;
            }
        }
        match event.op {
            Op::FutexWait { word, expected, .. } => {
                self.fits(word, expected.value)?;
                match expected.expr {
                    Some(expr) => self.expr(expr, Some(Sort::Bits(width(word) as u8)), leaves),
                    None => Ok(()),
                }
            }
            Op::Branch { condition, .. } => self.expr(condition, Some(Sort::Bool), leaves),
            Op::Assume { condition: Some(condition), .. } | Op::Assert { condition: Some(condition), .. } => {
                self.expr(condition, Some(Sort::Bool), leaves)
            }
            Op::Switch { on: expr, value } | Op::Concretise { expr, value, .. } => {
                self.expr(expr, None, leaves)?;
                self.fits_width(tables.exprs.width(expr), value)
            }
            Op::Input { input, value } => self.fits_width(tables.inputs()[input.index()].width, value),
            _ => Ok(()),
        }
    }

    fn fits_width(&self, width: u8, value: u128) -> Result<(), Inconsistency> {
        if value & !mask(width) != 0 {
            return Err(self.too_wide(value, width.into()));
        }
        Ok(())
    }

    fn too_wide(&self, value: u128, width: u32) -> Inconsistency {
        Inconsistency::Value { thread: self.key(), index: self.index, value, width }
    }

    fn fits(&self, location: LocationId, value: u128) -> Result<(), Inconsistency> {
        let size = self.trace.tables.locations()[location.index()].size;
        if size < 16 && value >> (8 * size) != 0 {
            return Err(self.too_wide(value, 8 * size));
        }
        Ok(())
    }

    /// `wanted` of `None` means bits of any width.
    fn expr(&self, expr: ExprId, wanted: Option<Sort>, leaves: &mut LeafCheck) -> Result<(), Inconsistency> {
        let found = self.trace.tables.exprs.sort(expr);
        let fits = wanted.map_or(matches!(found, Sort::Bits(_)), |wanted| wanted == found);
        if !fits {
            return Err(Inconsistency::Sort {
                thread: self.key(),
                index: self.index,
                expr: expr.0,
                found,
                wanted: wanted.map_or_else(|| "a bit-vector".to_owned(), |sort| sort.to_string()),
            });
        }
        leaves.below(expr, |leaf, width| self.leaf(leaf, width))
    }

    fn leaf(&self, leaf: Leaf, width: u8) -> Result<(), Inconsistency> {
        match leaf {
            Leaf::Input(input) => match self.trace.tables.inputs().get(input.index()) {
                Some(entry) if entry.width == width => Ok(()),
                _ => Err(Inconsistency::InputLeaf { thread: self.key(), index: self.index, input: input.0 }),
            },
            Leaf::Read(thread, read) => {
                let location = self.trace.event(thread, read).and_then(|event| event.op.read_location());
                let location = location.and_then(|id| self.trace.tables.locations().get(id.index()));
                let same_width = location.and_then(|l| l.width()) == Some(u32::from(width));
                if thread == self.thread && read <= self.index && same_width {
                    return Ok(());
                }
                let reader = self.trace.tables.keys().get(thread.index());
                Err(Inconsistency::Leaf {
                    thread: self.key(),
                    index: self.index,
                    reader: reader.map_or_else(|| format!("thread {}", thread.0), ToString::to_string),
                    read,
                })
            }
        }
    }
}

/// Visits the leaves below expressions, each node once per thread in all: an expression of a thread stays
/// good for that thread's later events.
struct LeafCheck<'a> {
    tables: &'a Tables,
    /// Thread whose leaves the node was last checked for, +1; 0 for none.
    seen: Vec<u32>,
    thread: u32,
    stack: Vec<ExprId>,
}

impl<'a> LeafCheck<'a> {
    fn new(tables: &'a Tables) -> Self {
        LeafCheck { tables, seen: vec![0; tables.exprs.len()], thread: 0, stack: Vec::new() }
    }

    fn below(
        &mut self,
        root: ExprId,
        mut visit: impl FnMut(Leaf, u8) -> Result<(), Inconsistency>,
    ) -> Result<(), Inconsistency> {
        self.stack.push(root);
        while let Some(id) = self.stack.pop() {
            if std::mem::replace(&mut self.seen[id.index()], self.thread + 1) == self.thread + 1 {
                continue;
            }
            let node = self.tables.exprs.node(id);
            if let Some(leaf) = node.leaf() {
                visit(leaf, self.tables.exprs.width(id))?;
            }
            self.stack.extend(node.operands());
        }
        Ok(())
    }
}
