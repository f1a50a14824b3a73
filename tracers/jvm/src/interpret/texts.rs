//! Strings whose characters are inputs. Their lengths are what they are; what is asked of their characters is exact.
//!
//! A string never changes, so its characters belong to the object, whoever has it. Methods that are not known here get the
//! characters of this run.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use warpath_trace::event::Concretised;
use warpath_trace::expr::{BinaryOp, ExprError, ExprPool};
use warpath_trace::ids::ExprId;

use super::frame::Site;
use super::symbols::symbolic;
use super::thread::{Done, Interpreter};
use super::value::{Known, Reference, Slot};
use crate::classfile::Member;
use crate::stream::{Content, ObjectRef, Value};

/// A string with symbolic characters.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    /// 16 bits each.
    pub characters: Rc<[ExprId]>,
    /// Where it comes from, the same in every run: `arg:1`.
    pub origin: Rc<str>,
}

/// Strings with symbolic characters, by object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts(FxHashMap<ObjectRef, Text>);

/// Characters that a formula speaks of at most.
const LONGEST: usize = 1024;

impl Texts {
    /// The characters of a string are these.
    pub(crate) fn insert(&mut self, object: ObjectRef, text: Text) {
        self.0.insert(object, text);
    }

    /// Is there none?
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Interpreter<'_> {
    /// The string that a slot has, if its characters are symbolic.
    pub(super) fn symbolic_text(&self, slot: &Slot) -> Option<&Text> {
        let Known::Reference(reference) = slot.known else { return None };
        let Reference::Object(object) = self.resolve(reference) else { return None };
        self.texts.0.get(&object)
    }

    /// The string that a slot has, whatever its characters.
    pub(super) fn text(&self, slot: &Slot) -> Option<String> {
        let Known::Reference(reference) = slot.known else { return None };
        match self.resolve(reference) {
            Reference::Object(object) => match &self.definitions.object(object)?.content {
                Content::Text(text) => Some(text.clone()),
                _ => None,
            },
            fresh => self.identities.literal_text(fresh).map(str::to_owned),
        }
    }

    /// The characters of a string, those of this run as constants.
    fn characters(&mut self, slot: &Slot) -> Done<Option<Vec<ExprId>>> {
        if let Some(text) = self.symbolic_text(slot) {
            return Ok(Some(text.characters.to_vec()));
        }
        let Some(text) = self.text(slot) else { return Ok(None) };
        let units = text.encode_utf16().map(|unit| self.pool.constant(16, unit.into()));
        Ok(Some(units.collect::<Result<_, ExprError>>()?))
    }

    /// All characters of a string are used by their values.
    pub(super) fn concretise_text(&mut self, site: Site, slot: &Slot) {
        let Some(characters) = self.symbolic_text(slot).map(|text| Rc::clone(&text.characters)) else {
            return;
        };
        let Some(text) = self.text(slot) else { return };
        for (&character, unit) in characters.iter().zip(text.encode_utf16()) {
            let why = Concretised::Outside;
            self.thread.effects.concretise(self.pool, site, character, unit.into(), why);
        }
    }

    /// An array goes where its elements are not followed: strings that it may have are used by their values.
    pub(super) fn concretise_texts(&mut self, site: Site, array: ObjectRef) {
        let class = self.definitions.object(array).map_or("", |object| object.class.as_str());
        if !matches!(class, "java.lang.String[]" | "java.lang.Object[]" | "java.lang.CharSequence[]") {
            return;
        }
        let mut all: Vec<ObjectRef> = self.texts.0.keys().copied().collect();
        all.sort_unstable();
        for text in all {
            self.concretise_text(site, &Slot::of(Value::Reference(text)));
        }
    }

    /// What a method of a string gives back, if it is known how that depends on characters.
    pub(super) fn model_text(
        &mut self,
        site: Site,
        member: &Member<'_>,
        operands: &[Slot],
        value: Value,
    ) -> Done<Option<Slot>> {
        if self.texts.is_empty() || !operands.iter().any(|slot| self.symbolic_text(slot).is_some()) {
            return Ok(None);
        }
        if matches!(member.name, "parseInt" | "parseLong" | "valueOf") {
            return self.parsed(site, member, operands, value);
        }
        let Some(own) = self.characters(&operands[0])?.filter(|own| own.len() <= LONGEST) else {
            return Ok(None);
        };
        // Which position, which other string: that is as it is in this run.
        for slot in &operands[1..] {
            self.concretise(site, slot, Concretised::Address);
        }
        let position = |n: usize| match operands.get(n).map(|slot| slot.known) {
            Some(Known::Int(value)) => usize::try_from(value).ok(),
            _ => None,
        };
        let expr = match (member.name, operands.len()) {
            ("length" | "isEmpty" | "toString", 1) => return Ok(Some(Slot::of(value))),
            ("hashCode", 1) => hash(self.pool, &own)?,
            ("charAt", 2) => {
                let Some(&character) = position(1).and_then(|at| own.get(at)) else { return Ok(None) };
                symbolic(self.pool, |pool| pool.zero_extend(32, character))?
            }
            ("indexOf", 2) if matches!(operands[1].known, Known::Int(_)) => {
                let Known::Int(wanted) = operands[1].known else { return Ok(None) };
                index_of(self.pool, &own, wanted)?
            }
            ("equals" | "compareTo" | "startsWith" | "endsWith", 2) => {
                let Some(other) = self.characters(&operands[1])? else {
                    // Something else than a string: that is no question of characters.
                    return Ok((member.name == "equals").then(|| Slot::of(value)));
                };
                match member.name {
                    "compareTo" => compared(self.pool, &own, &other)?,
                    "equals" if own.len() != other.len() => None,
                    _ if own.len() < other.len() => None,
                    "endsWith" => same(self.pool, &own[own.len() - other.len()..], &other)?,
                    _ => same(self.pool, &own[..other.len()], &other)?,
                }
            }
            ("substring" | "subSequence", 2 | 3) => {
                let (from, to) =
                    (position(1), if operands.len() == 3 { position(2) } else { Some(own.len()) });
                let (Some(from), Some(to)) = (from, to) else { return Ok(None) };
                let origin =
                    self.symbolic_text(&operands[0]).map(|text| format!("{}[{from}..{to}]", text.origin));
                let (Some(part), Some(origin)) = (own.get(from..to), origin) else { return Ok(None) };
                return Ok(self.derived(value, part.into(), &origin));
            }
            ("concat", 2) => {
                let Some(other) = self.characters(&operands[1])? else { return Ok(None) };
                let origin = format!("{}+{}", self.origin(&operands[0]), self.origin(&operands[1]));
                let all: Rc<[ExprId]> = own.iter().chain(&other).copied().collect();
                return Ok(self.derived(value, all, &origin));
            }
            _ => return Ok(None),
        };
        Ok(Some(Slot { expr, ..Slot::of(value) }))
    }

    /// Where a string comes from, or what it is.
    pub(super) fn origin(&self, slot: &Slot) -> String {
        match self.symbolic_text(slot) {
            Some(text) => text.origin.to_string(),
            None => format!("{:?}", self.text(slot).unwrap_or_default()),
        }
    }

    /// A string made of these characters; `None` if it is not.
    pub(super) fn derived(&mut self, value: Value, characters: Rc<[ExprId]>, origin: &str) -> Option<Slot> {
        let Value::Reference(object) = value else { return None };
        let found = self.text(&Slot::of(value))?;
        if found.encode_utf16().count() != characters.len() {
            return None;
        }
        let is_open = characters.iter().any(|&character| self.pool.as_constant(character).is_none());
        if is_open && !self.texts.0.contains_key(&object) {
            self.names.call(object, self.definitions, origin);
            self.texts.insert(object, Text { characters, origin: origin.into() });
        }
        Some(Slot::of(value))
    }
}

type Built = Result<Option<ExprId>, ExprError>;

/// A Boolean as an `int`.
fn truth(pool: &mut ExprPool, condition: ExprId) -> Built {
    let (one, zero) = (pool.constant(32, 1)?, pool.constant(32, 0)?);
    symbolic(pool, |pool| pool.ite(condition, one, zero))
}

/// Are these characters those?
fn same(pool: &mut ExprPool, a: &[ExprId], b: &[ExprId]) -> Built {
    let mut all = pool.bool(true)?;
    for (&a, &b) in a.iter().zip(b) {
        let equal = pool.equal(a, b)?;
        all = pool.binary(BinaryOp::And, all, equal)?;
    }
    truth(pool, all)
}

/// `String.hashCode`: 31 times what was before, and the next character.
fn hash(pool: &mut ExprPool, characters: &[ExprId]) -> Built {
    let factor = pool.constant(32, 31)?;
    let mut hash = pool.constant(32, 0)?;
    for &character in characters {
        let wide = pool.zero_extend(32, character)?;
        let shifted = pool.binary(BinaryOp::Mul, hash, factor)?;
        hash = pool.binary(BinaryOp::Add, shifted, wide)?;
    }
    Ok(pool.as_constant(hash).is_none().then_some(hash))
}

/// `String.compareTo`: the first difference, else that of the lengths.
fn compared(pool: &mut ExprPool, a: &[ExprId], b: &[ExprId]) -> Built {
    let lengths = a.len() as i32 - b.len() as i32;
    let mut result = pool.constant(32, (lengths as u32).into())?;
    for (&a, &b) in a.iter().zip(b).rev() {
        let equal = pool.equal(a, b)?;
        let (wide_a, wide_b) = (pool.zero_extend(32, a)?, pool.zero_extend(32, b)?);
        let difference = pool.binary(BinaryOp::Sub, wide_a, wide_b)?;
        result = pool.ite(equal, result, difference)?;
    }
    Ok(pool.as_constant(result).is_none().then_some(result))
}

/// The first place of a character, or -1.
fn index_of(pool: &mut ExprPool, characters: &[ExprId], wanted: i32) -> Built {
    let Ok(wanted) = u16::try_from(wanted) else { return Ok(None) };
    let wanted = pool.constant(16, wanted.into())?;
    let mut result = pool.constant(32, u32::MAX.into())?;
    for (at, &character) in characters.iter().enumerate().rev() {
        let equal = pool.equal(character, wanted)?;
        let here = pool.constant(32, at as u128)?;
        result = pool.ite(equal, here, result)?;
    }
    Ok(pool.as_constant(result).is_none().then_some(result))
}
