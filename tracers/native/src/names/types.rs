//! Where in a variable an address is: `.next` of `[3]` of a table.

use std::fmt::Write as _;

use gimli::{AttributeValue, DwTag};

use super::debug::{Debug, Entry, EntryRef};

/// Types nested deeper are not followed; damaged ones can contain themselves.
const DEEPEST: usize = 64;

/// How many types and members one question may look at, unions tried in several ways included.
const MOST: usize = 1 << 16;

/// The part of a variable of type `kind` that an access of `size` bytes at `offset` is for, as text behind its name.
///
/// Of a union it is the first member that has a part of exactly that place and size, or else the first that has room.
/// What is left, an offset within a number or across several fields, is added as `+N`. `wrappers` says which types are
/// the standard library's, whose only field is not worth naming: the value of `std::atomic<int> n` is `n`.
pub(super) fn path(
    debug: &Debug,
    kind: EntryRef,
    offset: u64,
    size: u64,
    wrappers: &dyn Fn(EntryRef) -> bool,
) -> String {
    let mut fuel = MOST;
    let walk = Walk { debug, wrappers, kind, offset, size: size.max(1), text: String::new() };
    let walk = walk.whole(&mut fuel, DEEPEST);
    let mut text = walk.text;
    if walk.offset != 0 {
        let _ = write!(text, "+{}", walk.offset);
    }
    text
}

/// The size of a type in bytes.
pub(super) fn size_of(debug: &Debug, kind: EntryRef) -> Option<u64> {
    sized(debug, kind, DEEPEST)
}

fn sized(debug: &Debug, kind: EntryRef, fuel: usize) -> Option<u64> {
    let fuel = fuel.checked_sub(1)?;
    let entry = debug.entry(kind)?;
    if let Some(size) = entry.attr_value(gimli::DW_AT_byte_size).and_then(|value| value.udata_value()) {
        return Some(size);
    }
    match entry.tag() {
        tag if is_name_only(tag) => sized(debug, target(debug, kind, &entry)?, fuel),
        gimli::DW_TAG_array_type => {
            let element = sized(debug, target(debug, kind, &entry)?, fuel)?;
            dimensions(debug, kind)?.into_iter().try_fold(element, |size, count| size.checked_mul(count?))
        }
        gimli::DW_TAG_pointer_type | gimli::DW_TAG_reference_type | gimli::DW_TAG_rvalue_reference_type => {
            Some(8)
        }
        _ => None,
    }
}

/// Typedefs and qualifiers: the same thing by another name.
fn is_name_only(tag: DwTag) -> bool {
    matches!(
        tag,
        gimli::DW_TAG_typedef
            | gimli::DW_TAG_const_type
            | gimli::DW_TAG_volatile_type
            | gimli::DW_TAG_restrict_type
            | gimli::DW_TAG_atomic_type
    )
}

fn target(debug: &Debug, at: EntryRef, entry: &Entry) -> Option<EntryRef> {
    debug.target(at.unit, entry.attr_value(gimli::DW_AT_type)?)
}

/// How many elements each dimension of an array has, where known.
fn dimensions(debug: &Debug, array: EntryRef) -> Option<Vec<Option<u64>>> {
    let mut counts = Vec::new();
    for_children(debug, array, |_, entry| {
        if entry.tag() == gimli::DW_TAG_subrange_type && counts.len() < DEEPEST {
            let number =
                |name| entry.attr_value(name).and_then(|value: AttributeValue<_>| value.udata_value());
            let from_bound = || number(gimli::DW_AT_upper_bound).and_then(|last| last.checked_add(1));
            counts.push(number(gimli::DW_AT_count).or_else(from_bound));
        }
        Some(())
    })?;
    Some(counts)
}

/// Calls `each` for every direct child until it answers `None`.
pub(super) fn for_children(
    debug: &Debug,
    parent: EntryRef,
    mut each: impl FnMut(EntryRef, &Entry) -> Option<()>,
) -> Option<()> {
    let unit = debug.unit(parent.unit)?;
    let mut tree = unit.entries_tree(Some(parent.offset)).ok()?;
    let mut children = tree.root().ok()?.children();
    while let Ok(Some(child)) = children.next() {
        let entry = child.entry();
        let at = EntryRef { unit: parent.unit, offset: entry.offset() };
        if each(at, entry).is_none() {
            break;
        }
    }
    Some(())
}

/// A way into a type, so far.
#[derive(Clone)]
struct Walk<'a> {
    debug: &'a Debug,
    wrappers: &'a dyn Fn(EntryRef) -> bool,
    kind: EntryRef,
    offset: u64,
    size: u64,
    text: String,
}

/// A member in which the access has room.
struct Room {
    kind: EntryRef,
    start: u64,
    name: Option<String>,
}

impl Walk<'_> {
    /// As deep as the access allows.
    fn whole(mut self, fuel: &mut usize, deepest: usize) -> Self {
        for _ in 0..deepest {
            if *fuel == 0 || self.step(fuel, deepest).is_none() {
                break;
            }
            *fuel = fuel.saturating_sub(1);
        }
        self
    }

    /// Goes one type deeper; `None` when there is nothing inside, or the access is for more than one part.
    fn step(&mut self, fuel: &mut usize, deepest: usize) -> Option<()> {
        let entry = self.debug.entry(self.kind)?;
        match entry.tag() {
            tag if is_name_only(tag) => self.kind = target(self.debug, self.kind, &entry)?,
            gimli::DW_TAG_array_type => self.element(&entry)?,
            gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type => {
                let room = self.rooms(fuel)?.into_iter().next()?;
                self.enter(room);
            }
            gimli::DW_TAG_union_type => self.alternative(fuel, deepest)?,
            _ => return None,
        }
        Some(())
    }

    fn element(&mut self, array: &Entry) -> Option<()> {
        let element = target(self.debug, self.kind, array)?;
        let size = size_of(self.debug, element).filter(|size| *size != 0)?;
        let counts = dimensions(self.debug, self.kind)?;
        let (mut text, mut offset) = (String::new(), self.offset);
        for dimension in 0..counts.len() {
            let inner = counts.get(dimension + 1..)?;
            let stride = inner.iter().try_fold(size, |stride, count| stride.checked_mul((*count)?));
            let stride = stride.filter(|stride| *stride != 0)?;
            let index = offset / stride;
            if counts[dimension].is_some_and(|count| index >= count) {
                return None;
            }
            let _ = write!(text, "[{index}]");
            offset %= stride;
        }
        if offset.checked_add(self.size)? > size {
            return None;
        }
        self.text.push_str(&text);
        (self.offset, self.kind) = (offset, element);
        Some(())
    }

    fn alternative(&mut self, fuel: &mut usize, deepest: usize) -> Option<()> {
        let is_all = self.offset == 0 && size_of(self.debug, self.kind) == Some(self.size);
        let mut first = None;
        for room in self.rooms(fuel)? {
            let mut inside = self.clone();
            inside.enter(room);
            let inside = inside.whole(fuel, deepest.saturating_sub(1));
            let is_exact = inside.offset == 0 && size_of(self.debug, inside.kind) == Some(self.size);
            // All of a union is the union, unless it is one number.
            if is_exact && !(is_all && inside.is_aggregate()) {
                *self = inside;
                return Some(());
            }
            first.get_or_insert(inside);
        }
        *self = first.filter(|_| !is_all)?;
        Some(())
    }

    fn is_aggregate(&self) -> bool {
        let tag = self.debug.entry(self.kind).map(|entry| entry.tag());
        tag.is_none_or(|tag| {
            let of_parts = [gimli::DW_TAG_structure_type, gimli::DW_TAG_class_type, gimli::DW_TAG_union_type];
            of_parts.contains(&tag) || tag == gimli::DW_TAG_array_type || is_name_only(tag)
        })
    }

    fn enter(&mut self, room: Room) {
        if let Some(name) = room.name {
            let _ = write!(self.text, ".{name}");
        }
        self.offset -= room.start;
        self.kind = room.kind;
    }

    /// The members and base classes that the access lies in.
    fn rooms(&self, fuel: &mut usize) -> Option<Vec<Room>> {
        let debug = self.debug;
        let end = self.offset.checked_add(self.size)?;
        let (mut found, mut parts) = (Vec::new(), 0);
        for_children(debug, self.kind, |at, entry| {
            *fuel = fuel.checked_sub(1)?;
            if entry.tag() != gimli::DW_TAG_member && entry.tag() != gimli::DW_TAG_inheritance {
                // Which variant of an enum is the current one is not ours to guess.
                return Some(());
            }
            let Some(kind) = target(debug, at, entry) else { return Some(()) };
            let Some(size) = size_of(debug, kind).filter(|size| *size != 0) else { return Some(()) };
            let Some(start) = start_of(entry) else { return Some(()) };
            parts += 1;
            if start <= self.offset && start.checked_add(size).is_some_and(|last| end <= last) {
                let name = debug.text(at, &[gimli::DW_AT_name]);
                found.push(Room { kind, start, name });
            }
            Some(())
        })?;
        if parts == 1 && (self.wrappers)(self.kind) {
            for room in &mut found {
                room.name = None;
            }
        }
        Some(found)
    }
}

/// Where in its structure a member begins. Members of unions have no position; static ones are none at all.
fn start_of(member: &Entry) -> Option<u64> {
    if member.attr(gimli::DW_AT_external).is_some() || member.attr(gimli::DW_AT_declaration).is_some() {
        return None;
    }
    if let Some(bits) = member.attr_value(gimli::DW_AT_data_bit_offset) {
        return bits.udata_value().map(|bits| bits / 8);
    }
    match member.attr_value(gimli::DW_AT_data_member_location) {
        None => Some(0),
        // Virtual bases are found through expressions over the object's memory.
        Some(place) => place.udata_value(),
    }
}
