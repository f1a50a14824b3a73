//! Strings put together by `+`: a call site that is computed, with a recipe.

use std::rc::Rc;

use warpath_trace::event::Concretised;
use warpath_trace::ids::ExprId;

use super::advance::CodeBytes;
use super::frame::Frame;
use super::thread::{Done, Interpreter};
use super::value::{Known, Reference, Slot};
use crate::classfile::{Constant, JavaType, MethodDescriptor};
use crate::stream::Value;

/// In a recipe: the next operand goes here.
const OPERAND: char = '\u{1}';

impl Interpreter<'_> {
    /// A string that the frame has put together, if characters of its parts are symbolic and all parts are known.
    pub(super) fn joined(&mut self, frame: &Frame, operands: &[Slot], value: Value) -> Done<Option<Slot>> {
        if self.texts.is_empty() || !operands.iter().any(|slot| self.symbolic_text(slot).is_some()) {
            return Ok(None);
        }
        let Some((recipe, types)) = self.recipe(frame, operands.len()) else { return Ok(None) };
        let mut rest = operands.iter().zip(types);
        let mut characters: Vec<ExprId> = Vec::new();
        let mut origin = String::new();
        for part in recipe.chars() {
            let text = if part == OPERAND {
                let Some((slot, kind)) = rest.next() else { return Ok(None) };
                if let Some(text) = self.symbolic_text(slot) {
                    characters.extend(text.characters.iter());
                    origin.push_str(&text.origin);
                    continue;
                }
                self.concretise(frame.site(), slot, Concretised::Outside);
                match self.written(slot, kind) {
                    Some(text) => text,
                    None => return Ok(None),
                }
            } else {
                part.to_string()
            };
            for unit in text.encode_utf16() {
                characters.push(self.pool.constant(16, unit.into())?);
            }
            origin.push_str(&format!("+{text:?}"));
        }
        Ok(self.derived(value, Rc::from(characters), &origin))
    }

    /// How the frame puts operands together, and their types.
    fn recipe(&self, frame: &Frame, operands: usize) -> Option<(String, Vec<JavaType>)> {
        let definition = self.definitions.method(frame.method);
        let file = definition.file();
        let code = CodeBytes(&definition.code()?.bytes);
        if code.u8(frame.pc).ok()? != super::opcode::INVOKEDYNAMIC {
            return None;
        }
        let index = code.u16(frame.pc + 1).ok()?;
        let &Constant::Dynamic(bootstrap, _) = file.constants.get(index)? else { return None };
        let (handle, arguments) = file.bootstraps.get(usize::from(bootstrap))?;
        let factory = file.constants.handle(*handle).ok()?;
        if factory.class != "java/lang/invoke/StringConcatFactory" {
            return None;
        }
        let types = MethodDescriptor::parse(file.constants.member(index).ok()?.descriptor).ok()?.arguments;
        let recipe = match arguments.first() {
            None => OPERAND.to_string().repeat(operands),
            Some(&recipe) => match file.constants.get(recipe)? {
                &Constant::String(text) => file.constants.text(text).ok()?.to_owned(),
                _ => return None,
            },
        };
        // Constants that a recipe cannot have in itself are rare.
        (!recipe.contains('\u{2}')).then_some((recipe, types))
    }

    /// A value as text; `None` for what has a text of its own making.
    fn written(&self, slot: &Slot, kind: JavaType) -> Option<String> {
        Some(match (slot.known, kind) {
            (Known::Int(value), JavaType::Boolean) => (value != 0).to_string(),
            (Known::Int(value), JavaType::Char) => String::from_utf16(&[value as u16]).ok()?,
            (Known::Int(value), _) => value.to_string(),
            (Known::Long(value), _) => value.to_string(),
            (Known::Reference(Reference::NULL), _) => "null".to_owned(),
            (Known::Reference(_), _) => self.text(slot)?,
            _ => return None,
        })
    }
}
