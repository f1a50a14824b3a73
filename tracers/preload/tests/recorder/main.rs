//! Programs under the recorder, in processes of their own.

mod ends;
mod records;
mod support;
