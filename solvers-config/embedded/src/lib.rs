//! An SMT-LIB solver for orders of events and bit-vectors, on standard input.
