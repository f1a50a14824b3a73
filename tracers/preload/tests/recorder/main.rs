//! Programs under the recorder, in processes of their own.

mod ends;
mod follows;
mod generate;
mod inputs;
mod memory;
mod random;
mod records;
mod replayed;
mod support;
