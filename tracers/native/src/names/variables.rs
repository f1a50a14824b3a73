//! Global and static variables, by address.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::debug::{Debug, EntryRef, Reader};
use super::demangle::demangle;
use super::types;

/// Scopes nested deeper are left out of names.
const DEEPEST: usize = 64;

/// A named piece of memory and the part of it that an address is in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Variable {
    /// The variable, e.g. `table`; a function's static is `function::name`. Without any symbol, the file.
    pub object: String,
    /// Where the variable begins.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
    /// The part, e.g. `table[3].next`, `name+8` if its type is unknown, or `file+0x4010`.
    pub path: String,
}

/// A variable of the debug information.
#[derive(Clone, Debug)]
pub(super) struct Global {
    pub name: String,
    pub size: u64,
    pub kind: Option<EntryRef>,
}

/// The variables found so far. Units are scanned in the order of the file until the one asked for turns up: a program's
/// own come before those of the libraries linked into it.
#[derive(Debug, Default)]
pub(super) struct Globals {
    found: BTreeMap<u64, Global>,
    scanned: usize,
    /// Where the types of standard libraries are, of units that were asked for: what a thing is called must not depend
    /// on what was looked for before.
    standard: RefCell<FxHashMap<usize, Vec<Range<usize>>>>,
}

impl Globals {
    /// The variable that holds the address (before relocation), and where it begins.
    pub fn at(&mut self, debug: &Debug, address: u64) -> Option<(u64, Global)> {
        loop {
            let before = self.found.range(..=address).next_back();
            if let Some((start, global)) = before
                && address - start < global.size
            {
                return Some((*start, global.clone()));
            }
            if !self.scan_next(debug) {
                return None;
            }
        }
    }

    /// All variables with where they begin (before relocation).
    pub fn all(&mut self, debug: &Debug) -> impl Iterator<Item = (u64, &Global)> {
        while self.scan_next(debug) {}
        self.found.iter().map(|(address, global)| (*address, global))
    }

    /// Scans one more unit; false if there is none.
    fn scan_next(&mut self, debug: &Debug) -> bool {
        if self.scanned == debug.unit_count() {
            return false;
        }
        let unit = self.scanned;
        self.scanned += 1;
        // A unit that breaks off has said what it had to say.
        let _ = self.scan(debug, unit);
        true
    }

    /// Whether a type belongs to a standard library.
    pub fn is_standard(&self, debug: &Debug, kind: EntryRef) -> bool {
        let mut known = self.standard.borrow_mut();
        let ranges = known.entry(kind.unit).or_insert_with(|| standard(debug, kind.unit));
        ranges.iter().any(|range| range.contains(&kind.offset.0))
    }

    fn scan(&mut self, debug: &Debug, n: usize) -> Option<()> {
        let unit = debug.unit(n)?;
        let has_variables = (1..)
            .map_while(|code| unit.abbreviations.get(code))
            .any(|abbreviation| abbreviation.tag() == gimli::DW_TAG_variable);
        if !has_variables {
            return Some(());
        }
        let mut scopes: Vec<(isize, EntryRef)> = Vec::new();
        // A variable declared in a namespace or class may be defined outside of it.
        let mut declared: FxHashMap<EntryRef, Vec<(isize, EntryRef)>> = FxHashMap::default();
        let mut entries = unit.entries_raw(None).ok()?;
        while !entries.is_empty() {
            let (depth, offset) = (entries.next_depth(), entries.next_offset());
            let Some(abbreviation) = entries.read_abbreviation().ok()? else { continue };
            let at = EntryRef { unit: n, offset };
            while scopes.last().is_some_and(|(scope, _)| *scope >= depth) {
                scopes.pop();
            }
            match abbreviation.tag() {
                gimli::DW_TAG_variable | gimli::DW_TAG_member => {
                    if let Some((address, global)) = global(debug, at, &scopes, &declared) {
                        self.found.entry(address).or_insert(global);
                    } else if !scopes.is_empty() && is_declaration(abbreviation) {
                        declared.insert(at, scopes.clone());
                    }
                }
                gimli::DW_TAG_namespace
                | gimli::DW_TAG_structure_type
                | gimli::DW_TAG_class_type
                | gimli::DW_TAG_union_type
                | gimli::DW_TAG_subprogram
                    if scopes.len() < DEEPEST =>
                {
                    scopes.push((depth, at));
                }
                _ => {}
            }
            entries.skip_attributes(abbreviation.attributes()).ok()?;
        }
        Some(())
    }
}

/// Where the namespaces of standard libraries are in a unit, as far as it can be read.
fn standard(debug: &Debug, n: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<(isize, usize)> = None;
    let mut scan = || {
        let unit = debug.unit(n)?;
        let mut entries = unit.entries_raw(None).ok()?;
        while !entries.is_empty() {
            let (depth, offset) = (entries.next_depth(), entries.next_offset());
            let Some(abbreviation) = entries.read_abbreviation().ok()? else { continue };
            if let Some((above, from)) = open
                && depth <= above
            {
                found.push(from..offset.0);
                open = None;
            }
            // Right below the unit itself.
            if abbreviation.tag() == gimli::DW_TAG_namespace && depth == 1 {
                let name = debug.text(EntryRef { unit: n, offset }, &[gimli::DW_AT_name]);
                if let Some("std" | "core" | "alloc") = name.as_deref() {
                    open = Some((depth, offset.0));
                }
            }
            entries.skip_attributes(abbreviation.attributes()).ok()?;
        }
        Some(())
    };
    let _ = scan();
    found.extend(open.map(|(_, from)| from..usize::MAX));
    found
}

type Scopes = [(isize, EntryRef)];

fn is_declaration(abbreviation: &gimli::Abbreviation) -> bool {
    abbreviation.attributes().iter().any(|attribute| attribute.name() == gimli::DW_AT_declaration)
}

fn global(
    debug: &Debug,
    at: EntryRef,
    scopes: &Scopes,
    declared: &FxHashMap<EntryRef, Vec<(isize, EntryRef)>>,
) -> Option<(u64, Global)> {
    let entry = debug.entry(at)?;
    let address = place(debug, at.unit, entry.attr_value(gimli::DW_AT_location)?)?;
    let kind = debug.type_of(at);
    let size = kind.and_then(|kind| types::size_of(debug, kind)).unwrap_or(1);
    let unit = debug.unit(at.unit)?;
    let name = match debug.text(at, &[gimli::DW_AT_linkage_name, gimli::DW_AT_MIPS_linkage_name]) {
        Some(mangled) => demangle(&mangled, None),
        None => {
            let name = debug.text(at, &[gimli::DW_AT_name])?;
            let declaration = entry.attr_value(gimli::DW_AT_specification);
            let declaration = declaration.and_then(|value| declared.get(&debug.target(at.unit, value)?));
            let scopes = declaration.map_or(scopes, Vec::as_slice).iter();
            let mut parts: Vec<String> = scopes.filter_map(|(_, scope)| scope_name(debug, *scope)).collect();
            parts.push(name);
            parts.join("::")
        }
    };
    let known = !unit.header.is_tombstone_address(address) && address != 0;
    known.then_some((address, Global { name, size, kind }))
}

fn scope_name(debug: &Debug, scope: EntryRef) -> Option<String> {
    let name = debug.text(scope, &[gimli::DW_AT_name]);
    let is_namespace = || debug.entry(scope).is_some_and(|entry| entry.tag() == gimli::DW_TAG_namespace);
    name.or_else(|| is_namespace().then(|| "(anonymous namespace)".to_owned()))
}

/// The fixed address that a location says, if it does.
fn place(debug: &Debug, unit: usize, location: gimli::AttributeValue<Reader>) -> Option<u64> {
    let unit = debug.unit(unit)?;
    let mut operations = location.exprloc_value()?.operations(unit.encoding());
    let mut address = match operations.next().ok()?? {
        gimli::Operation::Address { address } => address,
        gimli::Operation::AddressIndex { index } => unit.address(index).ok()?,
        _ => return None,
    };
    loop {
        match operations.next().ok()? {
            None => return Some(address),
            Some(gimli::Operation::PlusConstant { value }) => address = address.wrapping_add(value),
            Some(_) => return None,
        }
    }
}
