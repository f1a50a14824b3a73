//! Local variables and parameters, by the frame they live in.

use std::sync::Arc;

use gimli::{DebuggingInformationEntry, UnitRef};

use super::debug::{Debug, EntryRef, Reader, guarded};
use super::demangle::demangle;
use super::evaluate::{Machine, Outcome, evaluate};
use super::unwind::{Frame, ReadWord};
use super::{types, variables};

/// A local variable or parameter, and the part of it that an address is in.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Local {
    /// The function whose variable it is.
    pub function: Option<Arc<str>>,
    /// The variable, e.g. `queue`.
    pub object: String,
    /// Where it begins.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
    /// The part, e.g. `queue.items[3]`.
    pub path: String,
}

/// What to look for, and in which frame.
pub(super) struct Question<'a> {
    pub frame: &'a Frame,
    pub cfa: Option<u64>,
    pub bias: u64,
    pub address: u64,
    pub size: u64,
}

/// The variable of the frame's function that holds the address.
pub(super) fn find(
    debug: &Debug,
    globals: &variables::Globals,
    question: &Question<'_>,
    read: &mut ReadWord<'_>,
) -> Option<Local> {
    guarded(|| search(debug, globals, question, read)).flatten()
}

fn search(
    debug: &Debug,
    globals: &variables::Globals,
    question: &Question<'_>,
    read: &mut ReadWord<'_>,
) -> Option<Local> {
    let pc = question.frame.lookup().wrapping_sub(question.bias);
    let unit = debug.lines()?.find_dwarf_and_unit(pc).skip_all_loads()?;
    let n = debug.unit_starting_at(unit.header.debug_info_offset()?)?;
    let unit = debug.unit(n)?;
    let mut entries = unit.entries();
    let mut function: Option<EntryRef> = None;
    let mut frame_base = None;
    // How deep the innermost entry is that holds `pc`: children of others are passed over.
    let mut inside = 0;
    while let Ok(Some(entry)) = entries.next_dfs() {
        let depth = entry.depth();
        let at = EntryRef { unit: n, offset: entry.offset() };
        if depth > inside + 1 {
            continue;
        }
        if function.is_some() && depth <= 1 && entry.tag() == gimli::DW_TAG_subprogram {
            break;
        }
        inside = inside.min(depth - 1).max(0);
        match entry.tag() {
            gimli::DW_TAG_namespace | gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type => {
                inside = depth
            }
            gimli::DW_TAG_subprogram if holds(&unit, entry, pc) => {
                inside = depth;
                function = Some(at);
                frame_base = base(&unit, entry, question, read);
            }
            gimli::DW_TAG_lexical_block | gimli::DW_TAG_inlined_subroutine if holds(&unit, entry, pc) => {
                inside = depth;
            }
            gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter if function.is_some() => {
                let found = place(&unit, entry, pc, frame_base, question, read).and_then(|start| {
                    let kind = debug.type_of(at)?;
                    let size = types::size_of(debug, kind)?;
                    let offset = question.address.checked_sub(start).filter(|offset| *offset < size)?;
                    let object = debug.text(at, &[gimli::DW_AT_name])?;
                    let standard = |kind: EntryRef| globals.is_standard(debug, kind);
                    let part = types::path(debug, kind, offset, question.size, &standard);
                    Some((start, size, format!("{object}{part}"), object))
                });
                if let Some((address, size, path, object)) = found {
                    let names = [gimli::DW_AT_linkage_name, gimli::DW_AT_name];
                    let function = function.and_then(|function| debug.text(function, &names));
                    let function = function.map(|name| Arc::from(demangle(&name, None)));
                    return Some(Local { function, object, address, size, path });
                }
            }
            _ => {}
        }
    }
    None
}

fn holds(unit: &UnitRef<'_, Reader>, entry: &DebuggingInformationEntry<Reader>, pc: u64) -> bool {
    let Ok(mut ranges) = unit.die_ranges(entry) else { return false };
    while let Ok(Some(range)) = ranges.next() {
        if (range.begin..range.end).contains(&pc) {
            return true;
        }
    }
    false
}

fn base(
    unit: &UnitRef<'_, Reader>,
    function: &DebuggingInformationEntry<Reader>,
    question: &Question<'_>,
    read: &mut ReadWord<'_>,
) -> Option<u64> {
    let expression = function.attr_value(gimli::DW_AT_frame_base)?.exprloc_value()?;
    let registers = &question.frame.registers;
    let mut machine = Machine { registers, frame_base: None, cfa: question.cfa, bias: question.bias, read };
    match evaluate(expression, unit.encoding(), None, &mut machine)? {
        Outcome::Address(address) => Some(address),
        Outcome::Register(register) => machine.register(register),
    }
}

/// Where a variable is in memory while `pc` is executed.
fn place(
    unit: &UnitRef<'_, Reader>,
    variable: &DebuggingInformationEntry<Reader>,
    pc: u64,
    frame_base: Option<u64>,
    question: &Question<'_>,
    read: &mut ReadWord<'_>,
) -> Option<u64> {
    let location = variable.attr_value(gimli::DW_AT_location)?;
    let expression = match location.exprloc_value() {
        Some(expression) => expression,
        None => {
            let mut list = unit.attr_locations(location).ok()??;
            loop {
                let entry = list.next().ok()??;
                if (entry.range.begin..entry.range.end).contains(&pc) {
                    break entry.data;
                }
            }
        }
    };
    let registers = &question.frame.registers;
    let mut machine = Machine { registers, frame_base, cfa: question.cfa, bias: question.bias, read };
    evaluate(expression, unit.encoding(), None, &mut machine)?.value()
}
