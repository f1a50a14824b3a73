//! Numbers that are read from strings with symbolic characters: `Integer.parseInt` and its like.
//!
//! Whether all characters are ASCII digits, behind an optional sign, is a branch. If they are, and so few that nothing
//! overflows, the number is a function of them; otherwise what comes of it is that of these characters.

use warpath_trace::expr::{BinaryOp, ExprError, ExprPool, Width};
use warpath_trace::ids::ExprId;

use super::calls::Call;
use super::frame::{Frame, Site};
use super::thread::{Done, Interpreter};
use super::value::Slot;
use crate::classfile::Member;
use crate::stream::Value;

/// Digits that always fit, sign aside, and bits of the number; `None` for another method.
fn numeral(member: &Member<'_>) -> Option<(usize, Width)> {
    match (member.class, member.name, member.descriptor) {
        ("java/lang/Integer", "parseInt", "(Ljava/lang/String;)I")
        | ("java/lang/Integer", "valueOf", "(Ljava/lang/String;)Ljava/lang/Integer;") => Some((9, 32)),
        ("java/lang/Long", "parseLong", "(Ljava/lang/String;)J")
        | ("java/lang/Long", "valueOf", "(Ljava/lang/String;)Ljava/lang/Long;") => Some((18, 64)),
        _ => None,
    }
}

impl Interpreter<'_> {
    /// The number that a string was found to have.
    pub(super) fn parsed(
        &mut self,
        site: Site,
        member: &Member<'_>,
        operands: &[Slot],
        value: Value,
    ) -> Done<Option<Slot>> {
        if !self.decide_numeral(site, member, operands)? {
            return Ok(None);
        }
        let (Some((_, width)), Some(text)) = (numeral(member), self.symbolic_text(&operands[0])) else {
            return Ok(None);
        };
        let characters = std::rc::Rc::clone(&text.characters);
        let number = Some(number(self.pool, &characters, width)?);
        Ok(Some(match value {
            Value::Reference(_) => Slot { boxed: number, ..Slot::of(value) },
            _ => Slot { expr: number, ..Slot::of(value) },
        }))
    }

    /// A call may have thrown because a string is no number: that is decided before anything else.
    pub(super) fn no_number(&mut self, frame: &Frame, call: &Call<'_>) -> Done<()> {
        let Some(from) = frame.stack.len().checked_sub(call.operands) else { return Ok(()) };
        let operands = frame.stack[from..].to_vec();
        self.decide_numeral(frame.site(), &call.member, &operands).map(drop)
    }

    /// The branch on whether it is a number; whether it is, and its digits all count.
    fn decide_numeral(&mut self, site: Site, member: &Member<'_>, operands: &[Slot]) -> Done<bool> {
        let Some((most, _)) = numeral(member) else { return Ok(false) };
        let [text] = operands else { return Ok(false) };
        let Some(characters) = self.symbolic_text(text).map(|text| text.characters.to_vec()) else {
            return Ok(false);
        };
        let Some(units) = self.text(text).map(|text| text.encode_utf16().collect::<Vec<u16>>()) else {
            return Ok(false);
        };
        if characters.is_empty() || characters.len() > most {
            return Ok(false);
        }
        let is_digit = |unit: &u16| (0x30..=0x39).contains(unit);
        let signed = matches!(units[0], 0x2b | 0x2d) && units.len() > 1;
        let holds = (is_digit(&units[0]) || signed) && units[1..].iter().all(is_digit);
        let condition = all_digits(self.pool, &characters)?;
        self.thread.effects.branch(self.pool, site, condition, holds)?;
        Ok(holds)
    }
}

fn digit(pool: &mut ExprPool, character: ExprId) -> Result<ExprId, ExprError> {
    let (zero, ten) = (pool.constant(16, 0x30)?, pool.constant(16, 10)?);
    let from_zero = pool.binary(BinaryOp::Sub, character, zero)?;
    pool.binary(BinaryOp::Ult, from_zero, ten)
}

/// Is the first character this one?
fn is(pool: &mut ExprPool, character: ExprId, wanted: u8) -> Result<ExprId, ExprError> {
    let wanted = pool.constant(16, wanted.into())?;
    pool.equal(character, wanted)
}

fn all_digits(pool: &mut ExprPool, characters: &[ExprId]) -> Result<ExprId, ExprError> {
    let mut all = digit(pool, characters[0])?;
    if characters.len() > 1 {
        let (plus, minus) = (is(pool, characters[0], b'+')?, is(pool, characters[0], b'-')?);
        let signed = pool.binary(BinaryOp::Or, plus, minus)?;
        all = pool.binary(BinaryOp::Or, all, signed)?;
    }
    for &character in &characters[1..] {
        let next = digit(pool, character)?;
        all = pool.binary(BinaryOp::And, all, next)?;
    }
    Ok(all)
}

fn number(pool: &mut ExprPool, characters: &[ExprId], width: Width) -> Result<ExprId, ExprError> {
    let (zero, ten) = (pool.constant(width, 0)?, pool.constant(width, 10)?);
    let append = |pool: &mut ExprPool, before: ExprId, character: ExprId| {
        let base = pool.constant(16, 0x30)?;
        let digit = pool.binary(BinaryOp::Sub, character, base)?;
        let digit = pool.zero_extend(width, digit)?;
        let shifted = pool.binary(BinaryOp::Mul, before, ten)?;
        pool.binary(BinaryOp::Add, shifted, digit)
    };
    let mut rest = zero;
    for &character in &characters[1..] {
        rest = append(pool, rest, character)?;
    }
    let mut all = append(pool, zero, characters[0])?;
    for &character in &characters[1..] {
        all = append(pool, all, character)?;
    }
    if characters.len() == 1 {
        return Ok(all);
    }
    let (plus, minus) = (is(pool, characters[0], b'+')?, is(pool, characters[0], b'-')?);
    let negative = pool.binary(BinaryOp::Sub, zero, rest)?;
    let unsigned = pool.ite(plus, rest, all)?;
    pool.ite(minus, negative, unsigned)
}
