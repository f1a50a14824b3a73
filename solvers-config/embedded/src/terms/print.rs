//! Terms as text, with the user's own symbols.

use crate::text::write_symbol;
use rustc_hash::FxHashMap;
use std::fmt::{self, Write};
use warpath_solvers::term::{Shape, TermId, Terms};

/// How long a text may become: shared sub-terms are written as often as they occur, so a small term can have a text
/// without end.
#[derive(Debug)]
pub(crate) struct TextBudget {
    left: usize,
    out: String,
}

impl TextBudget {
    pub(crate) fn new(most: usize) -> Self {
        TextBudget { left: most, out: String::new() }
    }

    pub(crate) fn into_text(self) -> String {
        self.out
    }
}

impl Write for TextBudget {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.left = self.left.checked_sub(text.len()).ok_or(fmt::Error)?;
        self.out.push_str(text);
        Ok(())
    }
}

/// Writes a term; `symbols` has the constants whose name in the arena is not the user's.
pub(crate) fn write_term(
    out: &mut impl Write,
    terms: &Terms,
    symbols: &FxHashMap<TermId, std::sync::Arc<str>>,
    id: TermId,
) -> fmt::Result {
    enum Item<'a> {
        Term(TermId),
        /// Arguments still to write, then the closing parenthesis.
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
            Item::Term(id) => match terms.shape(id) {
                Shape::Literal(value) => write!(out, "{value}")?,
                Shape::Constant(name) => write_symbol(out, symbols.get(&id).map_or(name, |symbol| symbol))?,
                Shape::App(op, args) => {
                    write!(out, "({op}")?;
                    stack.push(Item::Rest(args));
                }
            },
        }
    }
    Ok(())
}
