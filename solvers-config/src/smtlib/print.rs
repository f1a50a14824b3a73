//! Terms as SMT-LIB text.

use super::symbol;
use crate::term::{Shape, TermId, Terms};
use std::fmt;

/// The term written out in full, shared sub-terms as often as they occur: for error messages and
/// small terms. [`Definitions`](super::Definitions) prints large ones in linear size.
pub fn term_text(terms: &Terms, id: TermId) -> String {
    let mut text = String::new();
    write_term(&mut text, terms, id, |_, _| Ok(false)).expect("writing to a string does not fail");
    text
}

/// Writes a term. `named` may write a name in place of a sub-term; it says whether it did.
pub(super) fn write_term<W: fmt::Write>(
    out: &mut W,
    terms: &Terms,
    id: TermId,
    named: impl Fn(&mut W, TermId) -> Result<bool, fmt::Error>,
) -> fmt::Result {
    enum Item<'a> {
        Term(TermId),
        /// Arguments still to write, each after a space, then the closing parenthesis.
        Rest(&'a [TermId]),
    }
    let mut stack = vec![Item::Term(id)];
    while let Some(item) = stack.pop() {
        match item {
            Item::Rest([]) => out.write_str(")")?,
            Item::Rest([first, rest @ ..]) => {
                out.write_str(" ")?;
                stack.push(Item::Rest(rest));
                stack.push(Item::Term(*first));
            }
            Item::Term(id) => {
                if named(out, id)? {
                    continue;
                }
                match terms.shape(id) {
                    Shape::Literal(value) => write!(out, "{value}")?,
                    Shape::Constant(name) => out.write_str(&symbol::quote(name))?,
                    Shape::App(op, args) => {
                        write!(out, "({op}")?;
                        stack.push(Item::Rest(args));
                    }
                }
            }
        }
    }
    Ok(())
}
