//! The model of executions: thread trees, merged from traces, and what must happen before what.

mod before;
mod cells;
mod divergence;
mod facts;
mod forest;
mod identity;
mod idle;
mod merge;
mod must;
mod normal;
mod run;
mod seats;
mod unseen;

pub(crate) use before::Before;
pub(crate) use cells::part;
pub use cells::{Cell, CellId, Cells};
pub use divergence::Divergence;
pub use forest::{Child, Forest, InputVar, Node, NodeId, Outcome, TreeIx};
pub use identity::{ObjectKey, Places};
pub use must::MustOrder;
pub(crate) use normal::{Reads, has_node, split};
pub use run::{Moment, Run};
pub use seats::Seats;
pub(crate) use unseen::monitors;
