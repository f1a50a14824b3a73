//! Positions in the program, locations and their names.

use warpath_trace::ids::{LocationId, SourceId, StringId, ThreadIx};
use warpath_trace::place::{Location, Object, ObjectClass, Source};

use super::{LiftError, Lifter};
use crate::classfile::JavaType;
use crate::interpret::{Cell, Site};
use crate::stream::{Definitions, ObjectRef, Value};

impl Lifter {
    /// The position of an instruction: `File.java:LINE`, else the method.
    pub(super) fn source(&mut self, definitions: &Definitions, site: Site) -> Result<SourceId, LiftError> {
        if let Some(&known) = self.sources.get(&site) {
            return Ok(known);
        }
        let method = definitions.method(site.method);
        let line = method.code().map_or(0, |code| code.line(site.pc));
        let file = &method.file().source;
        let tables = &mut self.trace.tables;
        let function = tables.string(method.full_name())?;
        let source = if line == 0 || file.is_empty() {
            // Schedules call such a place by its method alone.
            Source { function, ..Source::default() }
        } else {
            Source { file: tables.string(file)?, line, column: 0, function, address: site.pc.into() }
        };
        let id = tables.source(source)?;
        self.sources.insert(site, id);
        Ok(id)
    }

    /// A location's name, as `STREAM.md` has it.
    pub(super) fn cell_name(&mut self, definitions: &Definitions, cell: Cell) -> String {
        match cell {
            Cell::Static(name) => self.fields.name(name).to_owned(),
            Cell::Element(array, index) => format!("{}[{index}]", self.names.object(definitions, array)),
            Cell::Field(object, field) => {
                let object = self.names.object(definitions, object);
                let field = self.fields.name(field);
                if field.starts_with('[') { format!("{object}{field}") } else { format!("{object}.{field}") }
            }
        }
    }

    /// The bits of a value in a location.
    pub(super) fn value_bits(&mut self, definitions: &Definitions, kind: JavaType, value: Value) -> u128 {
        let bits: u128 = match value {
            Value::Int(value) => (value as u32).into(),
            Value::Long(value) => (value as u64).into(),
            Value::Float(bits) => bits.into(),
            Value::Double(bits) => bits.into(),
            Value::Reference(object) => self.names.number(definitions, object).into(),
        };
        bits & warpath_trace::expr::mask((kind.size() * 8) as u8)
    }

    /// The location of an access. `before`: what it held before, if that is known.
    pub(super) fn location(
        &mut self,
        definitions: &Definitions,
        cell: Cell,
        kind: JavaType,
        before: Option<Value>,
    ) -> Result<LocationId, LiftError> {
        if let Some(&known) = self.locations.get(&cell) {
            return Ok(known);
        }
        let is_new = cell.object().is_none_or(|object| self.allocated.contains(&object));
        let before = before.or_else(|| is_new.then(|| Value::default_of(kind)));
        let initial = before.map(|value| self.value_bits(definitions, kind, value));
        let name = self.cell_name(definitions, cell);
        let name = self.trace.tables.string(name)?;
        let size = kind.size();
        let object = match cell.object().and_then(|object| definitions.object(object)) {
            Some(object) => Object {
                class: ObjectClass::Heap,
                owner: Some(ThreadIx::from(object.creator as usize - 1)),
                nth: object.nth,
                size: size.into(),
                name,
            },
            None => Object { class: ObjectClass::Global, owner: None, nth: 0, size: size.into(), name },
        };
        let object = self.trace.tables.object(object)?;
        let id = self.trace.tables.location(Location { object, offset: 0, size, initial, name })?;
        self.locations.insert(cell, id);
        Ok(id)
    }

    /// A synchronisation object.
    pub(super) fn sync_object(&mut self, name: String) -> Result<LocationId, LiftError> {
        if let Some(&known) = self.sync_objects.get(&name) {
            return Ok(known);
        }
        let text = self.trace.tables.string(&name)?;
        let object = Object { class: ObjectClass::Sync, owner: None, nth: 0, size: 0, name: text };
        let object = self.trace.tables.object(object)?;
        let location = Location { object, offset: 0, size: 0, initial: None, name: text };
        let id = self.trace.tables.location(location)?;
        self.sync_objects.insert(name, id);
        Ok(id)
    }

    /// An object in the names of monitors and locks; a class goes by its own name.
    pub(super) fn object_name(&mut self, definitions: &Definitions, object: ObjectRef) -> String {
        match definitions.object(object).map(|object| &object.content) {
            Some(crate::stream::Content::Class(name)) => name.clone(),
            _ => self.names.object(definitions, object).to_string(),
        }
    }

    pub(super) fn text(&mut self, text: &str) -> Result<StringId, LiftError> {
        let mut end = text.len().min(warpath_trace::tables::Tables::MAX_STRING);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        Ok(self.trace.tables.string(&text[..end])?)
    }
}
