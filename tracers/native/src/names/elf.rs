//! One ELF file: its headers, read at once, and its sections, read when asked for.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use object::LittleEndian as LE;
use object::elf;
use object::pod::{from_bytes, slice_from_bytes};
use object::read::{CompressedData, CompressionFormat};

use super::NamesError;

/// No single section of a program is larger; what claims to be is damaged.
const LARGEST: u64 = 1 << 30;
/// What one byte of deflated data can at most become.
const ZLIB_RATIO: u64 = 1032;

/// A segment that the loader maps, or that tells it something.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub kind: elf::ProgramType,
    pub executable: bool,
    pub offset: u64,
    pub file_size: u64,
    pub address: u64,
    pub memory_size: u64,
    pub align: u64,
}

/// A section: names and debug information are found through these.
#[derive(Clone, Debug)]
pub(super) struct Section {
    pub name: Vec<u8>,
    pub kind: elf::SectionType,
    pub address: u64,
    pub offset: u64,
    pub size: u64,
    pub link: usize,
    pub allocated: bool,
    pub executable: bool,
    compressed: bool,
}

impl Section {
    /// The addresses it takes in memory, before relocation.
    pub fn range(&self) -> Range<u64> {
        if self.allocated { self.address..self.address.saturating_add(self.size) } else { 0..0 }
    }
}

#[derive(Debug)]
enum Bytes {
    /// Kept open, so that a program that is rebuilt while it runs keeps its own names.
    File(File, u64),
    Memory(Arc<[u8]>),
}

/// An ELF file for x86-64.
#[derive(Debug)]
pub(super) struct Elf {
    bytes: Bytes,
    pub path: PathBuf,
    pub entry: u64,
    pub kind: elf::FileType,
    pub segments: Vec<Segment>,
    pub sections: Vec<Section>,
}

impl Elf {
    pub fn open(path: &Path) -> Result<Elf, NamesError> {
        let unreadable = |reason| NamesError::Unreadable { path: path.to_owned(), reason };
        // Opening a FIFO would wait for a writer, so the kind of file is looked at first.
        let found = std::fs::metadata(path).map_err(unreadable)?;
        if !found.is_file() {
            return Err(NamesError::NotElf { path: path.to_owned() });
        }
        let file = File::open(path).map_err(unreadable)?;
        let length = file.metadata().map_err(unreadable)?.len();
        Elf::parse(path, Bytes::File(file, length))
    }

    pub fn from_bytes(name: &Path, bytes: Arc<[u8]>) -> Result<Elf, NamesError> {
        Elf::parse(name, Bytes::Memory(bytes))
    }

    fn parse(path: &Path, bytes: Bytes) -> Result<Elf, NamesError> {
        let path = path.to_owned();
        let damaged = |what| NamesError::Damaged { path: path.clone(), what };
        let first = bytes.read(0, 64.min(bytes.length()));
        let first = match first {
            Ok(first) => first,
            Err(reason) => return Err(NamesError::Unreadable { path, reason }),
        };
        if first.get(..4) != Some(&elf::ELFMAG[..]) {
            return Err(NamesError::NotElf { path });
        }
        if first.get(4) == Some(&1) {
            return Err(NamesError::ThirtyTwoBit { path });
        }
        let (header, _) =
            from_bytes::<elf::FileHeader64<LE>>(&first).map_err(|()| damaged("its header is cut"))?;
        let machine = header.e_machine.get(LE);
        if first.get(5) != Some(&1) || machine != elf::EM_X86_64 {
            return Err(NamesError::OtherMachine { path, machine: machine.0 });
        }
        let kind = header.e_type.get(LE);
        if kind != elf::ET_EXEC && kind != elf::ET_DYN {
            return Err(NamesError::NotLoadable { path, kind: kind.0 });
        }
        let segments =
            segments(&bytes, header).ok_or_else(|| damaged("its program headers are not all there"))?;
        // Without section headers, as after `sstrip`, a program still runs; it only has fewer names.
        let sections = sections(&bytes, header).unwrap_or_default();
        Ok(Elf { entry: header.e_entry.get(LE), kind, segments, sections, bytes, path })
    }

    /// Part of the file; `None` where the file does not reach.
    pub fn at(&self, offset: u64, size: u64) -> Option<Arc<[u8]>> {
        self.bytes.read(offset, size).ok()
    }

    /// What a section holds in the file, inflated if need be.
    pub fn data(&self, section: &Section) -> Option<Arc<[u8]>> {
        if section.kind == elf::SHT_NOBITS || section.size > LARGEST {
            return None;
        }
        let raw = self.at(section.offset, section.size)?;
        if section.compressed { inflate(&raw) } else { Some(raw) }
    }

    /// The first section of that name.
    pub fn section(&self, name: &str) -> Option<&Section> {
        self.sections.iter().find(|section| section.name == name.as_bytes())
    }

    /// The contents of the first section of that name.
    pub fn section_data(&self, name: &str) -> Option<Arc<[u8]>> {
        self.data(self.section(name)?)
    }

    /// The addresses that loadable segments take, before relocation.
    pub fn loaded(&self) -> impl Iterator<Item = Range<u64>> {
        self.segments
            .iter()
            .filter(|segment| segment.kind == elf::PT_LOAD)
            .map(|segment| segment.address..segment.address.saturating_add(segment.memory_size))
    }
}

impl Bytes {
    fn length(&self) -> u64 {
        match self {
            Bytes::File(_, length) => *length,
            Bytes::Memory(bytes) => bytes.len() as u64,
        }
    }

    fn read(&self, offset: u64, size: u64) -> std::io::Result<Arc<[u8]>> {
        let cut = || std::io::Error::from(std::io::ErrorKind::UnexpectedEof);
        let end = offset.checked_add(size).filter(|end| *end <= self.length()).ok_or_else(cut)?;
        match self {
            Bytes::File(file, _) => {
                let mut bytes = vec![0; size as usize];
                file.read_exact_at(&mut bytes, offset)?;
                Ok(bytes.into())
            }
            Bytes::Memory(bytes) => bytes.get(offset as usize..end as usize).map(Arc::from).ok_or_else(cut),
        }
    }
}

fn segments(bytes: &Bytes, header: &elf::FileHeader64<LE>) -> Option<Vec<Segment>> {
    let count = header.e_phnum.get(LE) as usize;
    if count == 0 {
        return Some(Vec::new());
    }
    let size = size_of::<elf::ProgramHeader64<LE>>();
    if header.e_phentsize.get(LE) as usize != size {
        return None;
    }
    let table = bytes.read(header.e_phoff.get(LE), (count * size) as u64).ok()?;
    let (headers, _) = slice_from_bytes::<elf::ProgramHeader64<LE>>(&table, count).ok()?;
    let segment = |header: &elf::ProgramHeader64<LE>| Segment {
        kind: header.p_type.get(LE),
        executable: header.p_flags.get(LE).contains(elf::PF_X),
        offset: header.p_offset.get(LE),
        file_size: header.p_filesz.get(LE),
        address: header.p_vaddr.get(LE),
        memory_size: header.p_memsz.get(LE),
        align: header.p_align.get(LE),
    };
    Some(headers.iter().map(segment).collect())
}

fn sections(bytes: &Bytes, header: &elf::FileHeader64<LE>) -> Option<Vec<Section>> {
    let size = size_of::<elf::SectionHeader64<LE>>();
    let offset = header.e_shoff.get(LE);
    if offset == 0 || header.e_shentsize.get(LE) as usize != size {
        return None;
    }
    let first = bytes.read(offset, size as u64).ok()?;
    let (first, _) = from_bytes::<elf::SectionHeader64<LE>>(&first).ok()?;
    // Numbers too large for the file header are kept in the first, otherwise empty, section header.
    let count = match header.e_shnum.get(LE) {
        0 => usize::try_from(first.sh_size.get(LE)).ok()?,
        count => usize::from(count),
    };
    let names = match u32::from(header.e_shstrndx.get(LE).0) {
        0xffff => first.sh_link.get(LE) as usize,
        names => names as usize,
    };
    let table = bytes.read(offset, count.checked_mul(size)? as u64).ok()?;
    let (headers, _) = slice_from_bytes::<elf::SectionHeader64<LE>>(&table, count).ok()?;
    let names = headers.get(names)?;
    let names = bytes.read(names.sh_offset.get(LE), names.sh_size.get(LE)).ok()?;
    let section = |header: &elf::SectionHeader64<LE>| {
        let flags = header.sh_flags.get(LE);
        Section {
            name: text_at(&names, header.sh_name.get(LE)).unwrap_or_default().to_vec(),
            kind: header.sh_type.get(LE),
            address: header.sh_addr.get(LE),
            offset: header.sh_offset.get(LE),
            size: header.sh_size.get(LE),
            link: header.sh_link.get(LE) as usize,
            allocated: flags.contains(elf::SHF_ALLOC),
            executable: flags.contains(elf::SHF_EXECINSTR),
            compressed: flags.contains(elf::SHF_COMPRESSED),
        }
    };
    Some(headers.iter().map(section).collect())
}

/// The zero-terminated text at an offset of a string table.
pub(super) fn text_at(strings: &[u8], offset: u32) -> Option<&[u8]> {
    let rest = strings.get(offset as usize..)?;
    rest.iter().position(|byte| *byte == 0).map(|end| &rest[..end])
}

fn inflate(raw: &[u8]) -> Option<Arc<[u8]>> {
    let (header, data) = from_bytes::<elf::CompressionHeader64<LE>>(raw).ok()?;
    let uncompressed_size = header.ch_size.get(LE);
    let format = match header.ch_type.get(LE) {
        elf::ELFCOMPRESS_ZLIB => CompressionFormat::Zlib,
        elf::ELFCOMPRESS_ZSTD => CompressionFormat::Zstandard,
        _ => return None,
    };
    // The claimed size is allocated before the first byte is inflated, so it must be possible.
    let possible = match format {
        CompressionFormat::Zlib => (data.len() as u64).saturating_mul(ZLIB_RATIO).min(LARGEST),
        _ => LARGEST,
    };
    if uncompressed_size > possible {
        return None;
    }
    CompressedData { format, data, uncompressed_size }.decompress().ok().map(Arc::from)
}
