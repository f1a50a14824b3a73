//! Questions on the formula.

mod answered;
mod ask;
pub(crate) mod assertion;
pub(crate) mod atomicity;
pub(crate) mod deadlock;
mod depends;
pub(crate) mod groups;
mod growing;
mod interference;
mod manifest;
pub(crate) mod memory;
mod open_end;
pub(crate) mod order;
mod path;
pub(crate) mod pending;
pub(crate) mod race;
mod seeds;
mod several;
pub(crate) mod survey;
mod value;
pub(crate) mod violation;
pub(crate) mod witness;

pub use answered::NotAnAnswer;
pub use ask::{Question, Verdict};
pub use growing::{GrowingSolver, Kept};
pub use interference::{Interferences, with_interferences};
pub use manifest::{Manifest, Symbol};
pub(crate) use open_end::endings;
pub use open_end::{OpenEnd, Want, open_ends};
pub use path::{Beyond, PathPrefix, threads_in};
pub use seeds::{Keep, NewSeeds, Seed, SeedSearch};
pub use several::{Several, Wish, reach_several, reach_several_within};
pub use value::NewValue;
