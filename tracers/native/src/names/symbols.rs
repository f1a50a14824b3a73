//! The symbol tables of one file: names by address and addresses by name.

use std::cmp::Reverse;
use std::hash::{BuildHasher, BuildHasherDefault};
use std::sync::Arc;

use object::LittleEndian as LE;
use object::elf;
use object::pod::slice_from_bytes;
use rustc_hash::{FxHashMap, FxHasher};

use super::demangle::without_version;
use super::elf::{Elf, Section, text_at};

/// What a symbol names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SymbolKind {
    /// Code.
    Function,
    /// Code that returns the address of the function to use: the name's real address is known only after it ran.
    IndirectFunction,
    /// Data.
    Object,
    /// Data that each thread has its own of; the address is an offset into the thread-local block.
    ThreadLocal,
    /// A label of which the table says no more.
    Label,
}

/// A name that a file defines.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Symbol {
    /// As in the table, mangled, without its version.
    pub name: String,
    /// Where it is in the running program (for [`SymbolKind::ThreadLocal`] an offset).
    pub address: u64,
    /// In bytes; zero if the table does not say.
    pub size: u64,
    /// What it names.
    pub kind: SymbolKind,
    /// Its version, e.g. `GLIBC_2.3.2`.
    pub version: Option<String>,
    /// Whether a program that is linked today gets this one and not an older version.
    pub is_default: bool,
}

/// A defined symbol in the tables.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    table: usize,
    /// Position and length of the name without version.
    name: (u32, u32),
    pub address: u64,
    pub size: u64,
    pub kind: SymbolKind,
    section: u16,
    pub global: bool,
    is_default: bool,
    version: u16,
    /// Local symbols with the same number come from the same object file.
    pub origin: u32,
}

/// All defined symbols of a file.
#[derive(Debug, Default)]
pub(super) struct SymbolTable {
    strings: Vec<Arc<[u8]>>,
    versions: FxHashMap<u16, String>,
    entries: Vec<Entry>,
    /// Entries with code, and with data, by address.
    functions: Vec<u32>,
    objects: Vec<u32>,
    /// Hash of a name → the first entry that has it; `next` chains the others.
    by_name: FxHashMap<u64, u32>,
    next: Vec<u32>,
    sections: Vec<(std::ops::Range<u64>, bool)>,
}

const NONE: u32 = u32::MAX;

impl SymbolTable {
    /// Reads the tables of a file. `loaded` is the file that is mapped, which for a separate debug file is another one.
    pub fn read(elf: &Elf, loaded: &Elf) -> SymbolTable {
        let sections = loaded.sections.iter().map(|section| (section.range(), section.executable)).collect();
        let mut table = SymbolTable { sections, ..SymbolTable::default() };
        for section in &elf.sections {
            if section.kind == elf::SHT_SYMTAB || section.kind == elf::SHT_DYNSYM {
                // A damaged table is as good as none.
                let _ = table.add(elf, section);
            }
        }
        table.index();
        table
    }

    fn add(&mut self, elf: &Elf, section: &Section) -> Option<()> {
        let bytes = elf.data(section)?;
        let strings = elf.data(elf.sections.get(section.link)?)?;
        let (symbols, _) =
            slice_from_bytes::<elf::Sym64<LE>>(&bytes, bytes.len() / size_of::<elf::Sym64<LE>>()).ok()?;
        let dynamic = section.kind == elf::SHT_DYNSYM;
        let versions = if dynamic { elf.section_data(".gnu.version") } else { None };
        if dynamic {
            self.versions = version_names(elf).unwrap_or_default();
        }
        let version_of = |n: usize| {
            let bytes = versions.as_deref()?.get(2 * n..2 * n + 2)?;
            Some(u16::from_le_bytes([bytes[0], bytes[1]]))
        };
        let table = self.strings.len();
        let mut origin = 0;
        for (n, symbol) in symbols.iter().enumerate() {
            let defined_in = symbol.st_shndx.get(LE);
            if symbol.st_type() == elf::STT_FILE {
                origin += 1;
            }
            let Some(kind) = kind_of(symbol.st_type()) else { continue };
            if defined_in == elf::SHN_UNDEF || defined_in == elf::SHN_ABS {
                continue;
            }
            let position = symbol.st_name.get(LE);
            let Some(text) = text_at(&strings, position).filter(|text| !text.is_empty()) else { continue };
            let Ok(text) = std::str::from_utf8(text) else { continue };
            let (plain, written) = without_version(text);
            let version = version_of(n).unwrap_or(1);
            let hidden = version & 0x8000 != 0 || matches!(written, Some((_, false)));
            self.entries.push(Entry {
                table,
                name: (position, plain.len() as u32),
                address: symbol.st_value.get(LE),
                size: symbol.st_size.get(LE),
                kind,
                section: defined_in.0,
                global: symbol.st_bind() != elf::STB_LOCAL,
                is_default: !hidden,
                version: version & 0x7fff,
                origin,
            });
        }
        self.strings.push(strings);
        Some(())
    }

    fn index(&mut self) {
        let executable =
            |entry: &Entry| self.sections.get(usize::from(entry.section)).is_some_and(|(_, code)| *code);
        for (n, entry) in self.entries.iter().enumerate() {
            match entry.kind {
                SymbolKind::Function | SymbolKind::IndirectFunction => self.functions.push(n as u32),
                SymbolKind::Label if executable(entry) => self.functions.push(n as u32),
                SymbolKind::Object => self.objects.push(n as u32),
                SymbolKind::Label | SymbolKind::ThreadLocal => {}
            }
        }
        let (entries, strings) = (&self.entries, &self.strings);
        let address = |n: &u32| entries[*n as usize].address;
        let rank = |n: &u32| {
            let entry = &entries[*n as usize];
            let name = name_in(strings, entry);
            // Of several names for one address the last is taken: with a size, few underscores, visible, short.
            let underscores = name.bytes().take_while(|byte| *byte == b'_').count();
            (entry.size != 0, Reverse(underscores), entry.global, Reverse((name.len(), name)))
        };
        let order = |a: &u32, b: &u32| address(a).cmp(&address(b)).then_with(|| rank(a).cmp(&rank(b)));
        self.functions.sort_unstable_by(order);
        self.objects.sort_unstable_by(order);
        self.next = vec![NONE; self.entries.len()];
        self.by_name.reserve(self.entries.len());
        for (n, entry) in self.entries.iter().enumerate().rev() {
            let hash = hash_of(name_in(&self.strings, entry));
            if let Some(first) = self.by_name.insert(hash, n as u32) {
                self.next[n] = first;
            }
        }
    }

    pub fn name(&self, entry: &Entry) -> &str {
        name_in(&self.strings, entry)
    }

    /// The function whose code holds the address.
    pub fn function_at(&self, address: u64) -> Option<&Entry> {
        self.covering(&self.functions, address)
    }

    /// The variable that holds the address.
    pub fn object_at(&self, address: u64) -> Option<&Entry> {
        self.covering(&self.objects, address).filter(|entry| entry.size != 0)
    }

    fn covering(&self, sorted: &[u32], address: u64) -> Option<&Entry> {
        let entry = |n: &u32| &self.entries[*n as usize];
        let end = sorted.partition_point(|n| entry(n).address <= address);
        let next = sorted.get(end).map(|n| entry(n).address);
        // Symbols may lie within each other, though hardly ever deep: a few steps back are enough.
        sorted[..end].iter().rev().take(16).map(entry).find(|entry| {
            if entry.size != 0 {
                return address - entry.address < entry.size;
            }
            let section = self.sections.get(usize::from(entry.section));
            section.is_some_and(|(range, _)| range.contains(&entry.address) && range.contains(&address))
                && next.is_none_or(|next| address < next)
        })
    }

    /// All symbols of that name.
    pub fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Entry> {
        let mut at = self.by_name.get(&hash_of(name)).copied().unwrap_or(NONE);
        std::iter::from_fn(move || {
            let n = at as usize;
            let entry = self.entries.get(n)?;
            at = self.next[n];
            Some(entry)
        })
        .filter(move |entry| self.name(entry) == name)
    }

    /// Every function, by address.
    pub fn functions(&self) -> impl Iterator<Item = &Entry> {
        self.functions.iter().map(|n| &self.entries[*n as usize])
    }

    /// Every variable, by address.
    pub fn objects(&self) -> impl Iterator<Item = &Entry> {
        self.objects.iter().map(|n| &self.entries[*n as usize]).filter(|entry| entry.size != 0)
    }

    /// The symbol as others see it, moved by the image's bias.
    pub fn symbol(&self, entry: &Entry, bias: u64) -> Symbol {
        let thread_local = entry.kind == SymbolKind::ThreadLocal;
        Symbol {
            name: self.name(entry).to_owned(),
            address: if thread_local { entry.address } else { entry.address.wrapping_add(bias) },
            size: entry.size,
            kind: entry.kind,
            version: self.versions.get(&entry.version).cloned().or_else(|| {
                let text = text_at(self.strings.get(entry.table)?, entry.name.0)?;
                let (_, version) = without_version(std::str::from_utf8(text).ok()?);
                version.map(|(version, _)| version.to_owned())
            }),
            is_default: entry.is_default,
        }
    }
}

fn name_in<'a>(strings: &'a [Arc<[u8]>], entry: &Entry) -> &'a str {
    let (position, length) = (entry.name.0 as usize, entry.name.1 as usize);
    let bytes = strings.get(entry.table).and_then(|strings| strings.get(position..position + length));
    bytes.and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or("")
}

fn hash_of(name: &str) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one(name)
}

fn kind_of(kind: elf::SymbolType) -> Option<SymbolKind> {
    match kind {
        elf::STT_FUNC => Some(SymbolKind::Function),
        elf::STT_GNU_IFUNC => Some(SymbolKind::IndirectFunction),
        elf::STT_OBJECT | elf::STT_COMMON => Some(SymbolKind::Object),
        elf::STT_TLS => Some(SymbolKind::ThreadLocal),
        elf::STT_NOTYPE => Some(SymbolKind::Label),
        _ => None,
    }
}

/// Names of the versions that the file defines, by their index.
fn version_names(elf: &Elf) -> Option<FxHashMap<u16, String>> {
    let section = elf.section(".gnu.version_d")?;
    let bytes = elf.data(section)?;
    let strings = elf.data(elf.sections.get(section.link)?)?;
    let mut names = FxHashMap::default();
    let mut at = 0usize;
    // Each definition is at least 20 bytes long, and steps only go forward.
    while let Some(definition) = bytes.get(at..at + 20) {
        let half = |n: usize| u16::from_le_bytes([definition[n], definition[n + 1]]);
        let word = |n: usize| {
            u32::from_le_bytes([definition[n], definition[n + 1], definition[n + 2], definition[n + 3]])
        };
        let (flags, index, auxiliary, step) = (half(2), half(4), word(12) as usize, word(16) as usize);
        let is_base = flags & 1 != 0;
        if !is_base
            && let Some(first) =
                at.checked_add(auxiliary).and_then(|from| bytes.get(from..from.checked_add(4)?))
            && let Ok(first) = first.try_into()
            && let Some(name) = text_at(&strings, u32::from_le_bytes(first))
        {
            names.insert(index & 0x7fff, String::from_utf8_lossy(name).into_owned());
        }
        if step == 0 {
            break;
        }
        at += step;
    }
    Some(names)
}
