//! How the tables' entries are called in a text: by name where that says which one, else by number.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::ids::{InputId, LocationId, ObjectId, StringId};
use crate::tables::Tables;
use crate::text::lex;
use crate::trace::Trace;

/// The reference to every location, object and input.
pub(super) struct Names {
    locations: Vec<String>,
    objects: Vec<String>,
    inputs: Vec<String>,
}

impl Names {
    pub(super) fn new(trace: &Trace) -> Self {
        let tables = &trace.tables;
        Names { locations: locations(tables), objects: objects(tables), inputs: inputs(tables) }
    }

    pub(super) fn location(&self, id: LocationId) -> &str {
        &self.locations[id.index()]
    }

    pub(super) fn object(&self, id: ObjectId) -> &str {
        &self.objects[id.index()]
    }

    /// The input without the `?` that marks it in an expression, unless it has only a number.
    pub(super) fn input(&self, id: InputId) -> &str {
        &self.inputs[id.index()]
    }
}

fn locations(tables: &Tables) -> Vec<String> {
    let names = tables.locations().iter().map(|location| bytes(tables, location.name));
    let unique = unique(names.clone());
    let text = |(index, name): (usize, &[u8])| {
        if name.is_empty() || !unique[index] { format!("&{index}") } else { written(name) }
    };
    names.enumerate().map(text).collect()
}

fn objects(tables: &Tables) -> Vec<String> {
    let names = tables.objects().iter().map(|object| bytes(tables, object.name));
    let unique = unique(names.clone());
    let text = |(index, name): (usize, &[u8])| {
        if name.is_empty() || !unique[index] { format!("%{index}") } else { format!("%{}", written(name)) }
    };
    names.enumerate().map(text).collect()
}

fn inputs(tables: &Tables) -> Vec<String> {
    let names = tables.inputs().iter().map(|input| (bytes(tables, input.name), input.nth));
    let unique = unique(names.clone());
    let text = |(index, (name, nth)): (usize, (&[u8], u32))| match nth {
        _ if !unique[index] => format!("?{index}"),
        0 => written(name),
        nth => format!("{}#{nth}", written(name)),
    };
    names.enumerate().map(text).collect()
}

fn bytes(tables: &Tables, id: StringId) -> &[u8] {
    &tables.strings()[id.index()]
}

fn written(name: &[u8]) -> String {
    let mut out = String::new();
    lex::write_name(&mut out, name);
    out
}

/// For each entry: is there no other with the same name?
fn unique<T: Hash + Eq + Copy>(names: impl Iterator<Item = T> + Clone) -> Vec<bool> {
    let mut count: FxHashMap<T, u32> = FxHashMap::default();
    for name in names.clone() {
        *count.entry(name).or_default() += 1;
    }
    names.map(|name| count[&name] == 1).collect()
}
