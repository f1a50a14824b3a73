//! What a solver has already been told, and what it must be told before it can read a term.
//!
//! Terms share sub-terms; SMT-LIB text does not. So a sub-term that would be written twice gets a
//! name by `(define-fun def.7 () Bool …)` first: a command that z3, cvc5, Yices, Bitwuzla and
//! Boolector all accept, and that keeps the text linear in the number of nodes. Names are also
//! given wherever parentheses would nest deeper than [`MAX_NESTING`], because some solvers parse
//! recursively.

use super::print::write_term;
use super::symbol;
use crate::term::{Paged, Shape, Sort, TermId, Terms};
use rustc_hash::FxHashMap;
use std::convert::Infallible;
use std::fmt;

/// Deepest nesting of operations in one printed term.
pub const MAX_NESTING: u32 = 64;

/// A shared term of at most this many nodes is written out each time: `(< a b)` says more than a
/// name, and is not longer.
const SMALL: u32 = 4;

/// A command that introduces a symbol. Its `Display` is the command.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Introduction {
    /// `(declare-const symbol sort)`
    Declare {
        /// The constant as the arena knows it.
        constant: TermId,
        /// Its symbol, quoted if necessary.
        symbol: String,
        /// Its sort.
        sort: Sort,
    },
    /// `(define-fun symbol () sort body)`
    Define {
        /// The term that gets a name.
        term: TermId,
        /// The name, a simple symbol.
        symbol: String,
        /// Its sort.
        sort: Sort,
        /// The term, written with the names given before.
        body: String,
    },
}

impl Introduction {
    /// The constant that is declared, if it is a declaration.
    pub fn constant(&self) -> Option<TermId> {
        match self {
            Introduction::Declare { constant, .. } => Some(*constant),
            Introduction::Define { .. } => None,
        }
    }
}

impl fmt::Display for Introduction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Introduction::Declare { symbol, sort, .. } => {
                write!(f, "(declare-const {symbol} {sort})")
            }
            Introduction::Define { symbol, sort, body, .. } => {
                write!(f, "(define-fun {symbol} () {sort} {body})")
            }
        }
    }
}

/// What is known of a term.
#[derive(Debug, Clone, Copy)]
struct Entry {
    mark: Mark,
    /// The last call of `introduce` that met the term.
    call: u64,
    /// Whether that call met it more than once.
    shared: bool,
    /// Its extent as that call wrote it.
    size: Size,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// Not written in any earlier call.
    New,
    /// Written out before, without a name.
    Written,
    /// Named `def.N`.
    Named(u64),
}

/// What constants are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Naming {
    /// By their names: for scripts, which people read.
    #[default]
    Names,
    /// By numbers: for dialogues, which nobody reads and whose length costs time.
    Numbers,
}

/// The symbols that are known to a solver, by levels of its assertion stack.
///
/// ```
/// use warpath_solvers::smtlib::Definitions;
/// use warpath_solvers::term::{Sort, Terms};
/// # fn main() -> Result<(), warpath_solvers::term::TermError> {
/// let mut terms = Terms::new();
/// let a = terms.constant("a b", Sort::Bool)?;
/// let formula = terms.not(a)?;
/// let mut known = Definitions::new();
/// let news = known.introduce(&terms, &[formula]);
/// assert_eq!(news[0].to_string(), "(declare-const |a b| Bool)");
/// assert_eq!(known.text(&terms, formula), "(not |a b|)");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Definitions {
    entries: Paged<Entry>,
    call: u64,
    /// Declared constants and their symbols.
    symbols: FxHashMap<TermId, Box<str>>,
    /// What each level above the first introduced.
    levels: Vec<Vec<TermId>>,
    next: u64,
    naming: Naming,
    /// Working memory of `collect`, kept because most assertions are small.
    stack: Vec<(TermId, bool)>,
    cone: Vec<TermId>,
}

impl Definitions {
    /// Nothing is known.
    pub fn new() -> Self {
        Self::default()
    }

    /// Nothing is known, and constants will be called by numbers: for dialogues, whose length costs time.
    pub fn with_numbers() -> Self {
        Self { naming: Naming::Numbers, ..Self::default() }
    }

    /// Follows `(push n)`.
    pub fn push(&mut self, levels: usize) {
        self.levels.resize_with(self.levels.len() + levels, Vec::new);
    }

    /// Follows `(pop n)`: what these levels introduced is unknown again. Pops of levels that are
    /// not there are ignored.
    pub fn pop(&mut self, levels: usize) {
        let keep = self.levels.len().saturating_sub(levels);
        for id in self.levels.drain(keep..).flatten() {
            self.symbols.remove(&id);
            if let Some(entry) = self.entries.get(id) {
                let mark = Mark::Written;
                self.entries.insert(id, Entry { mark, ..entry });
            }
        }
    }

    /// Follows `(reset)` and `(reset-assertions)`: nothing is known and no level is open.
    pub fn reset(&mut self) {
        *self = Self { naming: self.naming, ..Self::new() };
    }

    /// What must be sent, in this order, before `roots` can be written. Introduces it.
    pub fn introduce(&mut self, terms: &Terms, roots: &[TermId]) -> Vec<Introduction> {
        let mut all = Vec::new();
        let done: Result<(), Infallible> = self.introduce_each(terms, roots, |news| {
            all.push(news);
            Ok(())
        });
        match done {
            Ok(()) => all,
        }
    }

    /// The same, handing each over as soon as it is written. After an error some of it may be introduced, some not.
    pub fn introduce_each<E>(
        &mut self,
        terms: &Terms,
        roots: &[TermId],
        mut send: impl FnMut(Introduction) -> Result<(), E>,
    ) -> Result<(), E> {
        self.collect(terms, roots);
        let cone = std::mem::take(&mut self.cone);
        for &id in &cone {
            match terms.shape(id) {
                Shape::Literal(_) => {}
                Shape::Constant(_) => {
                    if !self.symbols.contains_key(&id) {
                        send(self.declare(terms, id))?;
                    }
                }
                Shape::App(_, args) => {
                    let size = self.size(args);
                    let shared = self.entries.get(id).is_some_and(|entry| entry.shared);
                    if (shared && size.nodes > SMALL) || size.depth >= MAX_NESTING {
                        send(self.define(terms, id))?;
                    } else {
                        self.set(id, Mark::Written, size);
                    }
                }
            }
        }
        self.cone = cone;
        Ok(())
    }

    /// Extent of an operation on `args`, which this call has met.
    fn size(&self, args: &[TermId]) -> Size {
        args.iter().fold(Size { nodes: 1, depth: 1 }, |sum, &arg| {
            let arg = match self.entries.get(arg) {
                Some(entry) => entry.size,
                None => Size::LEAF,
            };
            Size { nodes: sum.nodes.saturating_add(arg.nodes), depth: sum.depth.max(arg.depth + 1) }
        })
    }

    fn set(&mut self, id: TermId, mark: Mark, size: Size) {
        if let Some(entry) = self.entries.get(id) {
            self.entries.insert(id, Entry { mark, size, ..entry });
        }
    }

    fn named(&self, id: TermId) -> Option<u64> {
        match self.entries.get(id)?.mark {
            Mark::Named(number) => Some(number),
            Mark::New | Mark::Written => None,
        }
    }

    /// The symbol of a constant or of a named term, if it has been introduced.
    pub fn symbol(&self, id: TermId) -> Option<String> {
        match self.named(id) {
            Some(number) => Some(symbol::definition(number)),
            None => self.symbols.get(&id).map(|symbol| symbol.to_string()),
        }
    }

    /// The term as text, using the names that are known.
    pub fn text(&self, terms: &Terms, id: TermId) -> String {
        let mut text = String::new();
        self.append(&mut text, terms, id);
        text
    }

    /// Appends the term, using the names that are known.
    pub fn append(&self, text: &mut String, terms: &Terms, id: TermId) {
        self.write(text, terms, id).expect("writing to a string does not fail");
    }

    /// What a constant is, or would be, called.
    pub(crate) fn symbol_of_constant(&self, terms: &Terms, id: TermId) -> String {
        match (self.naming, terms.name(id)) {
            (Naming::Names, Some(name)) => symbol::quote(name),
            (Naming::Names, None) | (Naming::Numbers, _) => format!("x{}", id.index()),
        }
    }

    /// Writes the term, using the names that are known.
    pub fn write(&self, out: &mut impl fmt::Write, terms: &Terms, id: TermId) -> fmt::Result {
        write_term(out, terms, id, |out, id| match self.named(id) {
            Some(number) => out.write_str(&symbol::definition(number)).map(|()| true),
            None => match self.symbols.get(&id) {
                Some(symbol) => out.write_str(symbol).map(|()| true),
                None => Ok(false),
            },
        })
    }

    /// Puts into `cone` the terms that `roots` are made of down to known names, arguments before
    /// the terms they stand in, and marks those that are written more than once.
    ///
    /// "More than once" also counts earlier calls: a term that was written out then and is reached
    /// from a new place now gets a name now. Below it nothing new is reached, so its own arguments
    /// need none.
    fn collect(&mut self, terms: &Terms, roots: &[TermId]) {
        self.call += 1;
        self.cone.clear();
        self.stack.clear();
        self.stack.extend(roots.iter().map(|&id| (id, true)));
        while let Some((id, from_new)) = self.stack.pop() {
            let known = self.entries.get(id);
            let mark = known.map_or(Mark::New, |entry| entry.mark);
            if let Mark::Named(_) = mark {
                continue;
            }
            if let Some(entry) = known.filter(|entry| entry.call == self.call) {
                let shared = true;
                self.entries.insert(id, Entry { shared, ..entry });
                continue;
            }
            let is_new = mark == Mark::New;
            let entry = Entry { mark, call: self.call, shared: !is_new && from_new, size: Size::LEAF };
            self.entries.insert(id, entry);
            self.cone.push(id);
            self.stack.extend(terms.args(id).iter().map(|&arg| (arg, is_new)));
        }
        // Identifiers grow from arguments to terms.
        self.cone.sort_unstable();
    }

    fn declare(&mut self, terms: &Terms, id: TermId) -> Introduction {
        let symbol = self.symbol_of_constant(terms, id);
        self.symbols.insert(id, symbol.as_str().into());
        self.record(id);
        Introduction::Declare { constant: id, symbol, sort: terms.sort(id) }
    }

    fn define(&mut self, terms: &Terms, id: TermId) -> Introduction {
        let body = self.text(terms, id);
        let number = self.next;
        self.next += 1;
        self.set(id, Mark::Named(number), Size::LEAF);
        self.record(id);
        Introduction::Define { term: id, symbol: symbol::definition(number), sort: terms.sort(id), body }
    }

    fn record(&mut self, id: TermId) {
        if let Some(level) = self.levels.last_mut() {
            level.push(id);
        }
    }
}

/// Extent of a term as it is written; a name or a leaf is one node of depth 0.
#[derive(Debug, Clone, Copy)]
struct Size {
    nodes: u32,
    depth: u32,
}

impl Size {
    const LEAF: Size = Size { nodes: 1, depth: 0 };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Op;

    fn texts(news: &[Introduction]) -> Vec<String> {
        news.iter().map(Introduction::to_string).collect()
    }

    #[test]
    fn a_doubling_chain_stays_linear() {
        let mut terms = Terms::new();
        let mut x = terms.constant("x", Sort::Bits(8)).unwrap();
        let y = terms.constant("y", Sort::Bits(8)).unwrap();
        for _ in 0..200 {
            let sum = terms.apply(Op::BvAdd, &[x, x]).unwrap();
            x = terms.apply(Op::BvXor, &[sum, y]).unwrap();
        }
        let mut known = Definitions::new();
        let news = known.introduce(&terms, &[x]);
        let length: usize = texts(&news).iter().map(String::len).sum();
        assert!(length + known.text(&terms, x).len() < 200 * 80);
    }

    #[test]
    fn what_comes_back_in_a_later_call_gets_a_name_once() {
        let mut terms = Terms::new();
        let a = terms.constant("a", Sort::Int).unwrap();
        let b = terms.constant("b", Sort::Int).unwrap();
        let sum = terms.add(&[a, b]).unwrap();
        let ordered = terms.lt(sum, a).unwrap();
        let first = terms.not(ordered).unwrap();
        let mut known = Definitions::new();
        assert_eq!(known.introduce(&terms, &[first]).len(), 2);
        assert_eq!(known.text(&terms, first), "(not (< (+ a b) a))");

        let other = terms.lt(b, a).unwrap();
        let second = terms.or(&[ordered, other]).unwrap();
        known.push(1);
        assert_eq!(texts(&known.introduce(&terms, &[second])), ["(define-fun def.0 () Bool (< (+ a b) a))"]);
        assert_eq!(known.text(&terms, second), "(or def.0 (< b a))");
        assert!(known.introduce(&terms, &[ordered]).is_empty());
        known.pop(1);
        assert_eq!(known.text(&terms, ordered), "(< (+ a b) a)");
        assert_eq!(known.symbol(a).as_deref(), Some("a"));
    }

    #[test]
    fn a_pop_forgets_declarations() {
        let mut terms = Terms::new();
        let a = terms.constant("a", Sort::Bool).unwrap();
        let mut known = Definitions::new();
        known.push(2);
        assert_eq!(known.introduce(&terms, &[a]).len(), 1);
        known.pop(1);
        assert_eq!(known.introduce(&terms, &[a]).len(), 1);
        known.pop(5);
        assert_eq!(known.introduce(&terms, &[a]).len(), 1);
        assert!(known.introduce(&terms, &[a]).is_empty());
        known.reset();
        assert_eq!(known.introduce(&terms, &[a]).len(), 1);
    }
}
