//! The DWARF of one file, or of the debug file that belongs to it.

use std::cell::OnceCell;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gimli::{DebugInfoOffset, EndianArcSlice, LittleEndian, UnitOffset};

use super::Facts;
use super::elf::{Elf, text_at};

pub(super) type Reader = EndianArcSlice<LittleEndian>;
pub(super) type Entry = gimli::DebuggingInformationEntry<Reader>;

/// Debug information, with its units parsed one by one as they are needed.
pub(super) struct Debug {
    pub dwarf: Arc<gimli::Dwarf<Reader>>,
    context: OnceCell<Option<addr2line::Context<Reader>>>,
    units: OnceCell<Vec<UnitSlot>>,
}

struct UnitSlot {
    header: gimli::UnitHeader<Reader>,
    start: usize,
    unit: OnceCell<Option<gimli::Unit<Reader>>>,
}

/// An entry of the debug information: which unit, and where in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct EntryRef {
    pub unit: usize,
    pub offset: UnitOffset<usize>,
}

impl Debug {
    /// The DWARF in `elf`; `None` if there is none.
    pub fn load(elf: &Elf) -> Option<Debug> {
        elf.section(".debug_info")?;
        let section = |id: gimli::SectionId| {
            let bytes = elf.section_data(id.name()).unwrap_or_else(|| Arc::from([]));
            Ok::<_, std::convert::Infallible>(Reader::new(bytes, LittleEndian))
        };
        let Ok(dwarf) = gimli::Dwarf::load(section);
        Some(Debug { dwarf: Arc::new(dwarf), context: OnceCell::new(), units: OnceCell::new() })
    }

    /// Line tables and inlined functions.
    pub fn lines(&self) -> Option<&addr2line::Context<Reader>> {
        let context =
            || guarded(|| addr2line::Context::from_arc_dwarf(Arc::clone(&self.dwarf)).ok()).flatten();
        self.context.get_or_init(context).as_ref()
    }

    fn slots(&self) -> &[UnitSlot] {
        self.units.get_or_init(|| {
            let mut slots = Vec::new();
            let mut headers = self.dwarf.units();
            // What follows a header that makes no sense cannot be found.
            while let Ok(Some(header)) = headers.next() {
                let start = header.debug_info_offset().map_or(0, |offset| offset.0);
                slots.push(UnitSlot { header, start, unit: OnceCell::new() });
            }
            slots
        })
    }

    pub fn unit_count(&self) -> usize {
        self.slots().len()
    }

    pub fn unit(&self, n: usize) -> Option<gimli::UnitRef<'_, Reader>> {
        let slot = self.slots().get(n)?;
        let unit = slot.unit.get_or_init(|| self.dwarf.unit(slot.header.clone()).ok()).as_ref()?;
        Some(gimli::UnitRef::new(&self.dwarf, unit))
    }

    pub fn entry(&self, at: EntryRef) -> Option<Entry> {
        self.unit(at.unit)?.entry(at.offset).ok()
    }

    /// The entry that an attribute of an entry in `unit` points to.
    pub fn target(&self, unit: usize, value: gimli::AttributeValue<Reader>) -> Option<EntryRef> {
        match value {
            gimli::AttributeValue::UnitRef(offset) => Some(EntryRef { unit, offset }),
            gimli::AttributeValue::DebugInfoRef(DebugInfoOffset(offset)) => {
                let slots = self.slots();
                let unit = slots.partition_point(|slot| slot.start <= offset).checked_sub(1)?;
                Some(EntryRef { unit, offset: UnitOffset(offset - slots[unit].start) })
            }
            _ => None,
        }
    }

    /// Which unit is the one at this offset of the section.
    pub fn unit_starting_at(&self, offset: DebugInfoOffset<usize>) -> Option<usize> {
        self.slots().binary_search_by_key(&offset.0, |slot| slot.start).ok()
    }

    /// A text attribute of an entry, looked for in what it specifies or is a copy of, too.
    pub fn text(&self, at: EntryRef, names: &[gimli::DwAt]) -> Option<String> {
        let (at, value) = self.inherited(at, names)?;
        let text = self.unit(at.unit)?.attr_string(value).ok()?;
        gimli::Reader::to_string_lossy(&text).ok().map(|text| text.into_owned())
    }

    /// The type of an entry.
    pub fn type_of(&self, at: EntryRef) -> Option<EntryRef> {
        let (at, value) = self.inherited(at, &[gimli::DW_AT_type])?;
        self.target(at.unit, value)
    }

    fn inherited(
        &self,
        at: EntryRef,
        names: &[gimli::DwAt],
    ) -> Option<(EntryRef, gimli::AttributeValue<Reader>)> {
        let mut at = at;
        // An inlined copy of a member function points to its abstract self, that one to its declaration: few steps.
        for _ in 0..8 {
            let entry = self.entry(at)?;
            if let Some(value) = names.iter().find_map(|name| entry.attr_value(*name)) {
                return Some((at, value));
            }
            let origins = [gimli::DW_AT_abstract_origin, gimli::DW_AT_specification];
            at = self.target(at.unit, origins.iter().find_map(|origin| entry.attr_value(*origin))?)?;
        }
        None
    }
}

impl std::fmt::Debug for Debug {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Debug").finish_non_exhaustive()
    }
}

/// Runs code of a library that was written for the files of compilers, on a file that may not be one.
///
/// The line tables are read by a crate that checks most of what it reads, but not that sums of what it read fit; a
/// damaged file must cost its own names and nothing else.
pub(super) fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).ok()
}

/// The separate debug file of a stripped file, where distributions and `objcopy --add-gnu-debuglink` put it.
///
/// It is taken only if it has the same build id.
pub(super) fn separate(elf: &Elf, facts: &Facts) -> Option<Elf> {
    let id = facts.build_id.as_deref().filter(|id| id.len() > 1)?;
    let belongs = |path: PathBuf| {
        let found = Elf::open(&path).ok()?;
        (Facts::read(&found).build_id.as_deref() == Some(id)).then_some(found)
    };
    let hex: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
    let (first, rest) = hex.split_at(2);
    let by_id = Path::new("/usr/lib/debug/.build-id").join(first).join(format!("{rest}.debug"));
    belongs(by_id).or_else(|| {
        let link = elf.section_data(".gnu_debuglink")?;
        let name = Path::new(std::ffi::OsStr::from_bytes(text_at(&link, 0)?)).file_name()?;
        let folder = elf.path.parent()?;
        let global = Path::new("/usr/lib/debug").join(folder.strip_prefix("/").unwrap_or(folder));
        [folder.join(name), folder.join(".debug").join(name), global.join(name)].into_iter().find_map(belongs)
    })
}
