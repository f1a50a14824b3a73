//! What the names in a text stand for.

use rustc_hash::FxHashMap;

use super::cursor::{Cursor, Mark, Parsed};
use crate::expr::Width;
use crate::ids::{ExprId, InputId, LocationId, ObjectId, ThreadIx};
use crate::text::error::Problem;
use crate::text::lex;
use crate::trace::Trace;

/// What a `$` name stands for.
#[derive(Clone, Copy)]
pub(super) enum Named {
    /// The value found by an event.
    Read(ThreadIx, u32, Width),
    /// An event that writes.
    Write(ThreadIx, u32),
    /// A sub-expression.
    Expr(ExprId),
}

/// The names given so far. A name that several entries have stands for none of them.
#[derive(Default)]
pub(super) struct Names {
    locations: FxHashMap<Vec<u8>, Option<LocationId>>,
    objects: FxHashMap<Vec<u8>, Option<ObjectId>>,
    inputs: FxHashMap<Vec<u8>, FxHashMap<u32, Option<InputId>>>,
    dollars: FxHashMap<String, Named>,
}

impl Names {
    pub(super) fn add_location(&mut self, name: &[u8], id: LocationId) {
        self.locations.entry(name.to_vec()).and_modify(|known| *known = None).or_insert(Some(id));
    }

    pub(super) fn add_object(&mut self, name: &[u8], id: ObjectId) {
        self.objects.entry(name.to_vec()).and_modify(|known| *known = None).or_insert(Some(id));
    }

    pub(super) fn add_input(&mut self, name: &[u8], nth: u32, id: InputId) {
        let numbers = self.inputs.entry(name.to_vec()).or_default();
        numbers.entry(nth).and_modify(|known| *known = None).or_insert(Some(id));
    }

    /// Gives a `$` name its meaning.
    pub(super) fn define(&mut self, cursor: &Cursor<'_>, mark: Mark, name: &str, named: Named) -> Parsed<()> {
        match self.dollars.insert(name.to_owned(), named) {
            None => Ok(()),
            Some(_) => Err(cursor.error_at(mark, Problem::NameTaken(name.to_owned()))),
        }
    }

    /// What a `$` name stands for.
    pub(super) fn dollar(&self, cursor: &Cursor<'_>, mark: Mark, name: &str) -> Parsed<Named> {
        self.dollars.get(name).copied().ok_or_else(|| {
            let hint = "; a read is named where it happens, as in `r x $1=5`, and a sub-expression where it first occurs";
            unknown(cursor, mark, "value", format!("${name}"), hint.to_owned())
        })
    }

    /// A reference to a location: its name, or `&` and its number.
    pub(super) fn location(&self, cursor: &mut Cursor<'_>, trace: &Trace) -> Parsed<LocationId> {
        let mark = cursor.mark();
        if cursor.skip("&") {
            let number = cursor.number("the number of a location")?;
            let len = trace.tables.locations().len();
            return numbered(cursor, mark, "location", number, len).map(LocationId);
        }
        let name = cursor.name("a location: its name, or `&` and its number")?;
        match self.locations.get(&*name) {
            Some(Some(id)) if !name.is_empty() => Ok(*id),
            Some(_) => Err(ambiguous(cursor, mark, "location", "`&`")),
            None => {
                let hint =
                    near("", &name, self.locations.keys(), "declare it with `global`, `sync` or `location`");
                Err(unknown(cursor, mark, "location", cursor.since(mark).to_owned(), hint))
            }
        }
    }

    /// A reference to an object: `%` and its name or its number.
    pub(super) fn object(&self, cursor: &mut Cursor<'_>, trace: &Trace) -> Parsed<ObjectId> {
        let mark = cursor.mark();
        if !cursor.skip("%") {
            return Err(cursor.expected("an object: `%` and its name or its number"));
        }
        if cursor.peek().is_some_and(|c| c.is_ascii_digit()) {
            let number = cursor.number("the number of an object")?;
            let len = trace.tables.objects().len();
            return numbered(cursor, mark, "object", number, len).map(ObjectId);
        }
        let name = cursor.name("the name or number of an object")?;
        match self.objects.get(&*name) {
            Some(Some(id)) if !name.is_empty() => Ok(*id),
            Some(_) => Err(ambiguous(cursor, mark, "object", "`%`")),
            None => {
                let hint = near("%", &name, self.objects.keys(), "declare it with `object` or `global`");
                Err(unknown(cursor, mark, "object", cursor.since(mark).to_owned(), hint))
            }
        }
    }

    /// A reference to an input: its name and `#` and which of that name, or `?` and its number.
    pub(super) fn input(&self, cursor: &mut Cursor<'_>, trace: &Trace) -> Parsed<InputId> {
        let mark = cursor.mark();
        if cursor.skip("?") && cursor.peek().is_some_and(|c| c.is_ascii_digit()) {
            let number = cursor.number("the number of an input")?;
            let len = trace.tables.inputs().len();
            return numbered(cursor, mark, "input", number, len).map(InputId);
        }
        let (name, nth) = input_name(cursor)?;
        match self.inputs.get(&*name).and_then(|numbers| numbers.get(&nth)) {
            Some(Some(id)) => Ok(*id),
            Some(None) => Err(ambiguous(cursor, mark, "input", "`?`")),
            None => {
                let hint = near("", &name, self.inputs.keys(), "declare it with `input`");
                Err(unknown(cursor, mark, "input", cursor.since(mark).to_owned(), hint))
            }
        }
    }
}

/// An input's name and which of that name.
pub(super) fn input_name<'a>(cursor: &mut Cursor<'a>) -> Parsed<(std::borrow::Cow<'a, [u8]>, u32)> {
    let (name, marked) = cursor.take(lex::input_name, "the name of an input")?;
    let nth = if marked { cursor.number("which input of that name, from 0")? } else { 0 };
    Ok((name, nth))
}

fn numbered(cursor: &Cursor<'_>, mark: Mark, what: &'static str, number: u32, len: usize) -> Parsed<u32> {
    if (number as usize) < len {
        return Ok(number);
    }
    let hint = format!("; {len} are declared before this line, counted from 0");
    Err(unknown(cursor, mark, what, cursor.since(mark).to_owned(), hint))
}

fn ambiguous(
    cursor: &Cursor<'_>,
    mark: Mark,
    what: &'static str,
    instead: &'static str,
) -> super::ParseError {
    let name = cursor.since(mark).to_owned();
    cursor.error_at(mark, Problem::Ambiguous { what, name, instead })
}

pub(super) fn unknown(
    cursor: &Cursor<'_>,
    mark: Mark,
    what: &'static str,
    name: String,
    hint: String,
) -> super::ParseError {
    cursor.error_at(mark, Problem::Unknown { what, name, hint })
}

/// A hint that names what was probably meant, else what to do.
fn near<'n>(sigil: &str, name: &[u8], known: impl Iterator<Item = &'n Vec<u8>>, otherwise: &str) -> String {
    /// Names looked at: an error message must not cost more than the text.
    const LOOKED_AT: usize = 10_000;
    let mut close: Vec<(usize, &[u8])> = known
        .take(LOOKED_AT)
        .filter(|known| !known.is_empty())
        .filter_map(|known| distance(name, known).map(|distance| (distance, &known[..])))
        .collect();
    close.sort();
    let close: Vec<String> =
        close.iter().take(3).map(|(_, name)| format!("`{sigil}{}`", name.escape_ascii())).collect();
    match close.is_empty() {
        true => format!("; {otherwise}"),
        false => format!("; did you mean {}?", close.join(" or ")),
    }
}

/// How many letters must be added, dropped or exchanged to make one name of the other; `None` if that is
/// more than half of the name or the names are long.
fn distance(a: &[u8], b: &[u8]) -> Option<usize> {
    const LONGEST: usize = 64;
    if a.len() > LONGEST || b.len() > LONGEST {
        return None;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let exchanged = diagonal + usize::from(!x.eq_ignore_ascii_case(y));
            diagonal = row[j + 1];
            row[j + 1] = exchanged.min(diagonal + 1).min(row[j] + 1);
        }
    }
    let allowed = (a.len().max(b.len()) / 2).clamp(1, 3);
    Some(row[b.len()]).filter(|&distance| distance <= allowed)
}
