//! What symbols mean, by levels.
//!
//! A symbol is interned once and known by its number, so a token costs one look into one table. Meanings are kept by
//! number; a trail remembers those that a level, or a command that fails, must take back.

use crate::error::Complaint;
use crate::terms::{Macro, Operator, theory_symbols};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;
use warpath_solvers::term::{Sort, TermId};

/// A symbol's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Symbol(u32);

/// What a symbol stands for.
#[derive(Debug, Clone)]
pub(crate) enum Meaning {
    Nothing,
    /// A declared or defined constant, a name, or a variable of a `let`.
    Term(TermId),
    /// A function defined with parameters.
    Macro(Rc<Macro>),
    /// Of a theory.
    Operator(Operator),
}

/// Symbols of a letter and a number, as programs name what they count: found without a look at their text.
#[derive(Default)]
struct Numbered {
    /// By letter and number.
    symbols: [Vec<Option<Symbol>>; 26],
}

/// So many numbers may be without a symbol for each that has one.
const SPARSE: usize = 64;

impl Numbered {
    /// The letter and the number, if the text is nothing else; a number is written in one way only.
    fn parts(text: &[u8]) -> Option<(usize, usize)> {
        let (letter, digits) = match text {
            [letter @ b'a'..=b'z', digits @ ..] => (usize::from(letter - b'a'), digits),
            _ => return None,
        };
        if digits.is_empty() || digits.len() > 9 || (digits[0] == b'0' && digits.len() > 1) {
            return None;
        }
        let add =
            |sum: usize, digit: &u8| digit.is_ascii_digit().then(|| sum * 10 + usize::from(digit - b'0'));
        digits.iter().try_fold(0, add).map(|number| (letter, number))
    }

    fn get(&self, (letter, number): (usize, usize)) -> Option<Symbol> {
        self.symbols[letter].get(number).copied().flatten()
    }

    /// Takes the symbol, unless that would cost more memory than `known` symbols are worth.
    fn insert(&mut self, (letter, number): (usize, usize), symbol: Symbol, known: usize) -> bool {
        if number >= SPARSE * (known + 16) {
            return false;
        }
        let symbols = &mut self.symbols[letter];
        if symbols.len() <= number {
            symbols.resize(number + 1, None);
        }
        symbols[number] = Some(symbol);
        true
    }
}

/// The table of symbols.
pub(crate) struct Names {
    numbered: Numbered,
    /// The others.
    by_text: FxHashMap<Arc<[u8]>, Symbol>,
    texts: Vec<Arc<str>>,
    meanings: Vec<Meaning>,
    /// What symbols meant before they got the meaning they have.
    trail: Vec<(Symbol, Meaning)>,
    sorts: FxHashMap<Symbol, Sort>,
    sort_trail: Vec<Symbol>,
    /// What variables of `let` and parameters hide.
    hidden: Vec<(Symbol, Meaning)>,
}

/// How far the trails reached at some time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    trail: usize,
    sorts: usize,
}

impl Names {
    /// The theories' symbols and nothing else.
    pub(crate) fn new() -> Self {
        let mut names = Names {
            numbered: Numbered::default(),
            by_text: FxHashMap::default(),
            texts: Vec::new(),
            meanings: Vec::new(),
            trail: Vec::new(),
            sorts: FxHashMap::default(),
            sort_trail: Vec::new(),
            hidden: Vec::new(),
        };
        for (text, meaning) in theory_symbols() {
            let symbol = names.insert(text);
            names.meanings[symbol.0 as usize] = meaning;
        }
        for (text, sort) in [("Bool", Sort::Bool), ("Int", Sort::Int)] {
            let symbol = names.insert(text);
            names.sorts.insert(symbol, sort);
        }
        names
    }

    fn insert(&mut self, text: &str) -> Symbol {
        let symbol = Symbol(self.texts.len() as u32);
        self.texts.push(text.into());
        self.meanings.push(Meaning::Nothing);
        let parts = Numbered::parts(text.as_bytes());
        if !parts.is_some_and(|parts| self.numbered.insert(parts, symbol, self.texts.len())) {
            self.by_text.insert(text.as_bytes().into(), symbol);
        }
        symbol
    }

    /// The symbol of this text.
    pub(crate) fn intern(&mut self, text: &[u8]) -> Result<Symbol, Complaint> {
        if let Some(symbol) = Numbered::parts(text).and_then(|parts| self.numbered.get(parts)) {
            return Ok(symbol);
        }
        match self.by_text.get(text) {
            Some(&symbol) => Ok(symbol),
            None => {
                if u32::try_from(self.texts.len()).is_err() {
                    return Err(Complaint::unsupported("more than 2³² symbols are"));
                }
                std::str::from_utf8(text).map(|text| self.insert(text)).map_err(|_| Complaint::NotUtf8)
            }
        }
    }

    pub(crate) fn text(&self, symbol: Symbol) -> &Arc<str> {
        &self.texts[symbol.0 as usize]
    }

    pub(crate) fn meaning(&self, symbol: Symbol) -> &Meaning {
        &self.meanings[symbol.0 as usize]
    }

    /// Gives a symbol a meaning, if it has none.
    pub(crate) fn define(&mut self, symbol: Symbol, meaning: Meaning) -> Result<(), Complaint> {
        self.expect_free(symbol)?;
        let before = std::mem::replace(&mut self.meanings[symbol.0 as usize], meaning);
        self.trail.push((symbol, before));
        Ok(())
    }

    /// Complains if the symbol has a meaning.
    pub(crate) fn expect_free(&self, symbol: Symbol) -> Result<(), Complaint> {
        match self.meaning(symbol) {
            Meaning::Nothing => Ok(()),
            _ => Err(Complaint::Redeclared { symbol: self.text(symbol).to_string() }),
        }
    }

    /// Gives a symbol a meaning for a while, see [`Names::unhide`]. Symbols of theories keep theirs.
    pub(crate) fn hide(&mut self, symbol: Symbol, term: TermId) -> Result<(), Complaint> {
        let meaning = &mut self.meanings[symbol.0 as usize];
        if let Meaning::Operator(_) = meaning {
            return Err(Complaint::Redeclared { symbol: self.text(symbol).to_string() });
        }
        let before = std::mem::replace(meaning, Meaning::Term(term));
        self.hidden.push((symbol, before));
        Ok(())
    }

    /// How many symbols are hidden.
    pub(crate) fn hidden(&self) -> usize {
        self.hidden.len()
    }

    /// Brings back what was hidden, down to `count` symbols.
    pub(crate) fn unhide(&mut self, count: usize) {
        while self.hidden.len() > count {
            if let Some((symbol, before)) = self.hidden.pop() {
                self.meanings[symbol.0 as usize] = before;
            }
        }
    }

    pub(crate) fn sort(&self, symbol: Symbol) -> Option<Sort> {
        self.sorts.get(&symbol).copied()
    }

    pub(crate) fn define_sort(&mut self, symbol: Symbol, sort: Sort) -> Result<(), Complaint> {
        if self.sorts.contains_key(&symbol) {
            return Err(Complaint::Redeclared { symbol: self.text(symbol).to_string() });
        }
        self.sorts.insert(symbol, sort);
        self.sort_trail.push(symbol);
        Ok(())
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark { trail: self.trail.len(), sorts: self.sort_trail.len() }
    }

    /// Takes back every meaning given since.
    pub(crate) fn back_to(&mut self, mark: Mark) {
        while self.trail.len() > mark.trail {
            if let Some((symbol, before)) = self.trail.pop() {
                self.meanings[symbol.0 as usize] = before;
            }
        }
        for symbol in self.sort_trail.drain(mark.sorts.min(self.sort_trail.len())..) {
            self.sorts.remove(&symbol);
        }
    }

    /// Makes the meanings given since stay for ever.
    pub(crate) fn keep_since(&mut self, mark: Mark) {
        self.trail.truncate(mark.trail);
        self.sort_trail.truncate(mark.sorts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_one_symbol_however_it_is_kept() {
        let mut names = Names::new();
        let texts =
            ["x0", "x", "x00", "x01", "x1", "y1", "x1a", "x-1", "X1", "x999999999", "x4294967296", "def.1"];
        let far: Vec<String> = (0..2000).map(|number| format!("x{}", number * 37)).collect();
        let texts: Vec<&str> = texts.into_iter().chain(far.iter().map(String::as_str)).collect();
        let mut known: FxHashMap<&str, Symbol> = FxHashMap::default();
        for _ in 0..2 {
            for &text in &texts {
                let symbol = names.intern(text.as_bytes()).unwrap();
                assert_eq!(**names.text(symbol), *text);
                assert_eq!(*known.entry(text).or_insert(symbol), symbol, "{text}");
            }
        }
        let different: std::collections::BTreeSet<Symbol> = known.values().copied().collect();
        assert_eq!(different.len(), known.len());
    }
}
