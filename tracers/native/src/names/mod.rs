//! Names for addresses: what people call the functions, lines and variables that a run only knows as numbers.
//!
//! [`Images`] holds every ELF file that the program has mapped, and answers from symbol tables, DWARF and unwind
//! tables. Nothing is read before it is asked for, and everything that was read once is kept: adding an image costs a
//! few kilobytes of headers, the first symbol its table, the first line the units around that address.
//!
//! Files come from outside and may be damaged: a part that makes no sense is as good as absent, so questions are
//! answered with `None` and never with an error. Only a file that cannot be traced at all is refused, by
//! [`NamesError`].

mod c_library;
mod debug;
mod demangle;
mod elf;
mod error;
mod evaluate;
mod facts;
mod image;
mod images;
mod locals;
mod source;
mod symbols;
mod types;
mod unwind;
mod variables;

pub use c_library::CLibrary;
pub use error::NamesError;
pub use facts::Facts;
pub use image::Image;
pub use images::Images;
pub use locals::Local;
pub use source::{Row, Source};
pub use symbols::{Symbol, SymbolKind};
pub use unwind::{Frame, ReadWord};
pub use variables::Variable;
