//! Which location a field instruction is about.

use rustc_hash::FxHashMap;

use crate::classfile::{JavaType, access, parse_field_type};
use crate::interpret::{Cell, Site};
use crate::stream::{Definitions, ObjectRef};

/// A field as an instruction names it.
#[derive(Clone, Copy, Debug)]
pub(super) struct FieldUse {
    /// Of a static field the number of its full name, else of its own.
    pub name: u32,
    pub kind: JavaType,
    pub is_volatile: bool,
}

/// Names of fields as numbers, and what instructions are about.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields {
    names: Vec<String>,
    numbers: FxHashMap<String, u32>,
    uses: FxHashMap<Site, FieldUse>,
}

impl Fields {
    /// The number of a name.
    pub(super) fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// The name of a number.
    pub(super) fn name(&self, number: u32) -> &str {
        self.names.get(number as usize).map_or("", String::as_str)
    }

    /// The location that a record names by object and field; an element if the field is empty.
    pub(super) fn cell(&mut self, object: ObjectRef, field: &str, index: i64) -> Cell {
        match (object, field) {
            (ObjectRef::NULL, _) => Cell::Static(self.number(field)),
            (_, "") => Cell::Element(object, index as i32),
            _ => Cell::Field(object, self.number(field)),
        }
    }

    /// The field of the instruction at a place.
    pub(super) fn at(&mut self, definitions: &Definitions, site: Site, is_static: bool) -> Option<FieldUse> {
        if let Some(&known) = self.uses.get(&site) {
            return Some(known);
        }
        let method = definitions.method(site.method);
        let code = &method.code()?.bytes;
        let at = site.pc as usize;
        let index = u16::from_be_bytes([*code.get(at + 1)?, *code.get(at + 2)?]);
        let member = method.file().constants.member(index).ok()?;
        let (owner, flags) = declaration(definitions, member.class, member.name);
        let name = if is_static {
            self.number(&format!("{}.{}", owner.replace('/', "."), member.name))
        } else {
            self.number(member.name)
        };
        let kind = parse_field_type(member.descriptor).ok()?;
        let found = FieldUse { name, kind, is_volatile: flags & access::VOLATILE != 0 };
        self.uses.insert(site, found);
        Some(found)
    }
}

/// The class that declares a field, and the field's flags; as far as classes are known.
fn declaration(definitions: &Definitions, class: &str, field: &str) -> (String, u16) {
    let mut pending = vec![class.to_owned()];
    // Nobody's ancestors are as many as this, unless the files lie about them.
    for _ in 0..1000 {
        let Some(name) = pending.pop() else { break };
        let Some(file) = definitions.class(&name) else { continue };
        if let Some(found) = file.field(field) {
            return (name, found.access);
        }
        pending.extend((!file.superclass.is_empty()).then(|| file.superclass.clone()));
        pending.extend(file.interfaces.iter().cloned());
    }
    (class.to_owned(), 0)
}
