//! Which object is which: across runs by a number made of its name, within a run also before the stream has a number.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::value::Reference;
use crate::stream::{Content, Definitions, ObjectDef, ObjectRef};

/// Objects whose numbers are not known yet, and names as numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Identities {
    /// The number of each fresh object, as soon as it is known.
    fresh: Vec<Option<ObjectRef>>,
    /// Strings and classes that instructions have as constants.
    literals: FxHashMap<String, u32>,
    /// The text of each constant string, by its token.
    texts: FxHashMap<u32, Rc<str>>,
}

impl Identities {
    /// An object that has just come into being.
    pub(crate) fn new_object(&mut self) -> Reference {
        self.fresh.push(None);
        Reference::Fresh(self.fresh.len() as u32 - 1)
    }

    /// The object of a constant: the same one every time.
    pub(crate) fn literal(&mut self, text: String) -> Reference {
        let next = self.fresh.len() as u32;
        if let Some(text) = text.strip_prefix("text ")
            && !self.literals.contains_key(&format!("text {text}"))
        {
            self.texts.insert(next, text.into());
        }
        let token = *self.literals.entry(text).or_insert(next);
        if token == next {
            self.fresh.push(None);
        }
        self.resolve(Reference::Fresh(token))
    }

    /// Is it the object of this constant?
    pub(crate) fn is_literal(&self, token: u32, text: &str) -> bool {
        self.literals.get(text) == Some(&token)
    }

    /// The text of a constant string whose number is not known yet.
    pub(crate) fn literal_text(&self, reference: Reference) -> Option<&str> {
        match reference {
            Reference::Fresh(token) => self.texts.get(&token).map(|text| &**text),
            Reference::Object(_) => None,
        }
    }

    /// The reference with the number of its object, if that is known by now.
    pub(crate) fn resolve(&self, reference: Reference) -> Reference {
        match reference {
            Reference::Fresh(token) => {
                self.fresh.get(token as usize).copied().flatten().map_or(reference, Reference::Object)
            }
            Reference::Object(_) => reference,
        }
    }

    /// A record says which object it is; whether that can be.
    pub(crate) fn identify(&mut self, reference: Reference, object: ObjectRef) -> bool {
        match self.resolve(reference) {
            Reference::Object(known) => known == object,
            Reference::Fresh(token) => {
                if object.is_null() {
                    return false;
                }
                self.fresh[token as usize] = Some(object);
                true
            }
        }
    }
}

/// Names of threads and objects, and the numbers that stand for them; the same in every run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    threads: Vec<String>,
    objects: FxHashMap<ObjectRef, (Rc<str>, u64)>,
}

impl Names {
    /// The key of a thread: `T0.1`.
    pub(crate) fn thread(&mut self, definitions: &Definitions, number: u32) -> String {
        while self.threads.len() < definitions.threads().len() {
            let thread = &definitions.threads()[self.threads.len()];
            let parent = (thread.parent as usize).checked_sub(1).and_then(|at| self.threads.get(at));
            let key = parent.map_or_else(|| "T0".to_owned(), |parent| format!("{parent}.{}", thread.nth));
            self.threads.push(key);
        }
        (number as usize).checked_sub(1).and_then(|at| self.threads.get(at)).cloned().unwrap_or_default()
    }

    fn entry(&mut self, definitions: &Definitions, object: ObjectRef) -> (Rc<str>, u64) {
        if let Some(known) = self.objects.get(&object) {
            return known.clone();
        }
        let Some(definition) = definitions.object(object) else { return ("null".into(), 0) };
        let key = self.thread(definitions, definition.creator);
        let name = format!("{}@{key}:{}", definition.class, definition.nth);
        let entry = (Rc::from(name.as_str()), stable_number(definition, &name));
        self.objects.insert(object, entry.clone());
        entry
    }

    /// A string goes by where its characters come from: what they are differs from run to run.
    pub(crate) fn call(&mut self, object: ObjectRef, definitions: &Definitions, origin: &str) {
        let (name, _) = self.entry(definitions, object);
        self.objects.insert(object, (name, hashed(&format!("text of {origin}"))));
    }

    /// An object's name: `pkg.Class@T0.1:5`.
    pub(crate) fn object(&mut self, definitions: &Definitions, object: ObjectRef) -> Rc<str> {
        self.entry(definitions, object).0
    }

    /// The number that stands for a reference in values and expressions; 0 for null.
    pub(crate) fn number(&mut self, definitions: &Definitions, object: ObjectRef) -> u64 {
        self.entry(definitions, object).1
    }
}

/// The number of an object by its name.
///
/// Strings, classes and boxes go by what they contain: who made them first differs from run to run.
fn stable_number(object: &ObjectDef, name: &str) -> u64 {
    let text = match &object.content {
        Content::Plain | Content::Array(_) => name.to_owned(),
        Content::Text(text) => format!("text {text}"),
        Content::Class(class) => format!("class {class}"),
        Content::Box(value) => format!("{} {value}", object.class),
    };
    hashed(&text)
}

/// The number that stands for a reference to an object of this name, `pkg.Class@T0.1:5`, in values.
pub fn number_of_object(name: &str) -> u64 {
    hashed(name)
}

fn hashed(text: &str) -> u64 {
    // FNV-1a, then mixed: the same on every machine.
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in text.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash ^= hash >> 32;
    hash.wrapping_mul(0x9e37_79b9_7f4a_7c15).max(1)
}
