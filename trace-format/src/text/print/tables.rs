//! The lines that declare threads, objects, locations and inputs.

use super::Printer;
use crate::ids::{ObjectId, StringId};
use crate::place::{Location, Object, ObjectClass};
use crate::text::lex::{self, push};
use crate::text::words::Declaration;

impl Printer<'_> {
    pub(super) fn tables(&mut self) {
        self.threads();
        self.storage();
        let trace = self.trace;
        for input in trace.tables.inputs() {
            self.begin(Declaration::Input);
            self.name(input.name);
            if input.nth != 0 {
                push(&mut self.line, format_args!("#{}", input.nth));
            }
            self.number(input.width);
            self.end_line();
        }
        for range in &trace.sharing {
            self.begin(Declaration::Shared);
            self.range(range.object, range.offset, range.size);
            self.end_line();
        }
        self.recorded();
    }

    /// What came from outside, a line for so many bytes.
    fn recorded(&mut self) {
        const SHOWN: usize = 4096;
        for input in &self.trace.recorded {
            for start in (0..input.bytes.len().max(1)).step_by(SHOWN) {
                let end = (start + SHOWN).min(input.bytes.len());
                self.begin(Declaration::Recorded);
                self.quoted(&input.name);
                self.quoted(&input.bytes[start..end]);
                if !input.whole && end == input.bytes.len() {
                    self.line.push_str(" cut");
                }
                self.end_line();
            }
        }
    }

    fn threads(&mut self) {
        let trace = self.trace;
        for (thread, key) in trace.tables.threads().iter().zip(trace.tables.keys()) {
            push(&mut self.line, format_args!("thread {key}"));
            if thread.start != StringId::EMPTY {
                self.line.push_str(" start");
                self.string(thread.start);
            }
            if let Some(argument) = thread.argument {
                self.line.push_str(" arg");
                self.number(argument);
            }
            if thread.name != StringId::EMPTY {
                self.line.push_str(" name");
                self.string(thread.name);
            }
            self.end_line();
        }
    }

    /// Objects and locations, each in the order of its table. A location comes as soon as its object is
    /// there, so that the two can share a line where the shorthand says the same.
    fn storage(&mut self) {
        let trace = self.trace;
        let mut locations = trace.tables.locations().iter().peekable();
        for (index, object) in trace.tables.objects().iter().enumerate() {
            let shorthand = locations.peek().filter(|location| location.object.index() == index);
            if let Some(declaration) = shorthand.and_then(|location| shorthand_for(object, location)) {
                let location = locations.next().expect("it was peeked");
                self.shorthand(declaration, location);
            } else {
                self.object_line(object);
            }
            while let Some(location) = locations.next_if(|location| location.object.index() <= index) {
                self.location_line(location);
            }
        }
    }

    fn shorthand(&mut self, declaration: Declaration, location: &Location) {
        self.begin(declaration);
        self.name(location.name);
        if declaration == Declaration::Global {
            self.number(location.size);
            self.initial(location);
        }
        self.end_line();
    }

    fn object_line(&mut self, object: &Object) {
        self.begin(Declaration::Object);
        self.word(object.class);
        self.name(object.name);
        self.number(object.size);
        if let Some(owner) = object.owner {
            push(&mut self.line, format_args!(" of {}", self.trace.tables.key(owner)));
        }
        if object.nth != 0 {
            self.line.push_str(" nth");
            self.number(object.nth);
        }
        self.end_line();
    }

    fn location_line(&mut self, location: &Location) {
        self.begin(Declaration::Location);
        if location.name != StringId::EMPTY {
            self.name(location.name);
        }
        self.range(location.object, location.offset, location.size.into());
        self.initial(location);
        self.end_line();
    }

    fn initial(&mut self, location: &Location) {
        if let Some(value) = location.initial {
            self.line.push_str(" =");
            self.number(value);
        }
    }

    fn range(&mut self, object: ObjectId, offset: u64, size: u64) {
        push(&mut self.line, format_args!(" {}+", self.names.object(object)));
        lex::write_number(&mut self.line, offset.into());
        self.line.push(':');
        lex::write_number(&mut self.line, size.into());
    }
}

/// The shorthand that declares exactly this object and location, if there is one.
fn shorthand_for(object: &Object, location: &Location) -> Option<Declaration> {
    let plain = object.owner.is_none() && object.nth == 0 && object.name == location.name;
    let whole = location.offset == 0 && u64::from(location.size) == object.size;
    match object.class {
        ObjectClass::Global if plain && whole => Some(Declaration::Global),
        ObjectClass::Sync if plain && whole && location.size == 0 && location.initial.is_none() => {
            Some(Declaration::Sync)
        }
        _ => None,
    }
}
