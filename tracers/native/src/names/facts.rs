//! What the headers of a file say about how it is loaded.

use std::path::{Path, PathBuf};

use object::LittleEndian as LE;
use object::elf;
use object::pod::slice_from_bytes;
use object::read::elf::NoteIterator;

use super::NamesError;
use super::elf::{Elf, text_at};

/// A note or dynamic section larger than this is not what a linker writes.
const LARGEST: u64 = 1 << 20;

/// How a program or library wants to be loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Facts {
    /// The address of its first instruction, before relocation.
    pub entry: u64,
    /// The linker's fingerprint of the file.
    pub build_id: Option<Vec<u8>>,
    /// An executable that may be loaded anywhere.
    pub is_pie: bool,
    /// An executable that needs no dynamic loader.
    pub is_static: bool,
    /// The dynamic loader it asks for.
    pub interpreter: Option<PathBuf>,
    /// The name under which others link to it.
    pub soname: Option<String>,
    /// The libraries it needs, by their sonames.
    pub needed: Vec<String>,
    /// It has a symbol table besides the one for dynamic linking.
    pub has_symbols: bool,
    /// It has DWARF of its own.
    pub has_debug_info: bool,
}

impl Facts {
    /// Reads the headers of a file, which need not be running.
    ///
    /// This is how to find out that a file cannot be traced before it is started.
    pub fn of(path: &Path) -> Result<Facts, NamesError> {
        Elf::open(path).map(|elf| Facts::read(&elf))
    }

    pub(super) fn read(elf: &Elf) -> Facts {
        let dynamic = Dynamic::read(elf);
        let interpreter = part(elf, elf::PT_INTERP).and_then(|bytes| {
            let text = text_at(&bytes, 0)?;
            Some(PathBuf::from(std::str::from_utf8(text).ok()?))
        });
        let relocatable = elf.kind == elf::ET_DYN;
        let is_pie = relocatable && (dynamic.pie || (interpreter.is_some() && dynamic.soname.is_none()));
        Facts {
            entry: elf.entry,
            build_id: build_id(elf),
            is_pie,
            is_static: interpreter.is_none() && (!relocatable || is_pie),
            interpreter,
            soname: dynamic.soname,
            needed: dynamic.needed,
            has_symbols: elf.section(".symtab").is_some(),
            has_debug_info: elf.section(".debug_info").is_some(),
        }
    }
}

fn part(elf: &Elf, kind: elf::ProgramType) -> Option<std::sync::Arc<[u8]>> {
    let segment = elf.segments.iter().find(|segment| segment.kind == kind && segment.file_size <= LARGEST)?;
    elf.at(segment.offset, segment.file_size)
}

fn build_id(elf: &Elf) -> Option<Vec<u8>> {
    let notes =
        elf.segments.iter().filter(|segment| segment.kind == elf::PT_NOTE && segment.file_size <= LARGEST);
    for segment in notes {
        let Some(bytes) = elf.at(segment.offset, segment.file_size) else { continue };
        let Ok(notes) = NoteIterator::<elf::FileHeader64<LE>>::new(LE, segment.align, &bytes) else {
            continue;
        };
        for note in notes.map_while(Result::ok) {
            if note.name() == elf::ELF_NOTE_GNU && note.n_type(LE) == elf::NT_GNU_BUILD_ID {
                return Some(note.desc().to_vec());
            }
        }
    }
    None
}

#[derive(Default)]
struct Dynamic {
    soname: Option<String>,
    needed: Vec<String>,
    pie: bool,
}

impl Dynamic {
    fn read(elf: &Elf) -> Dynamic {
        Dynamic::of(elf).unwrap_or_default()
    }

    fn of(elf: &Elf) -> Option<Dynamic> {
        let bytes = part(elf, elf::PT_DYNAMIC)?;
        let (entries, _) =
            slice_from_bytes::<elf::Dyn64<LE>>(&bytes, bytes.len() / size_of::<elf::Dyn64<LE>>()).ok()?;
        let entries = || {
            let pairs = entries.iter().map(|entry| (entry.d_tag.get(LE), entry.d_val.get(LE)));
            pairs.take_while(|(tag, _)| *tag != elf::DT_NULL)
        };
        let value = |wanted| entries().find(|(tag, _)| *tag == wanted).map(|(_, value)| value);
        let strings = value(elf::DT_STRTAB).zip(value(elf::DT_STRSZ)).and_then(|(address, size)| {
            let segment = elf.segments.iter().find(|segment| {
                segment.kind == elf::PT_LOAD && (segment.address..).contains(&address) && {
                    address - segment.address < segment.file_size
                }
            })?;
            elf.at(segment.offset.checked_add(address - segment.address)?, size)
        });
        let text = |offset: u64| {
            let text = text_at(strings.as_deref()?, u32::try_from(offset).ok()?)?;
            Some(String::from_utf8_lossy(text).into_owned())
        };
        Some(Dynamic {
            soname: value(elf::DT_SONAME).and_then(text),
            needed: entries()
                .filter(|(tag, _)| *tag == elf::DT_NEEDED)
                .filter_map(|(_, value)| text(value))
                .collect(),
            pie: value(elf::DT_FLAGS_1).is_some_and(|flags| flags & elf::DF_1_PIE.0 != 0),
        })
    }
}
