//! One ELF file at the place where the program has it.

use std::cell::{OnceCell, RefCell};
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use object::elf;

use super::c_library::{self, CLibrary};
use super::debug::{self, Debug};
use super::demangle::demangle;
use super::elf::Elf;
use super::locals::{self, Local};
use super::source::{self, Row, Source};
use super::symbols::{Entry, Symbol, SymbolTable};
use super::unwind::{Frame, ReadWord, Unwinder};
use super::variables::{Globals, Variable};
use super::{Facts, NamesError, types};

const PAGE: u64 = 4096;

/// A loaded ELF file: the executable, the dynamic loader, or a library.
#[derive(Debug)]
pub struct Image {
    elf: Elf,
    facts: Facts,
    base: u64,
    /// What relocation adds to each address in the file.
    bias: u64,
    span: Range<u64>,
    separate: OnceCell<Option<Elf>>,
    symbols: OnceCell<SymbolTable>,
    separate_symbols: OnceCell<Option<SymbolTable>>,
    debug: OnceCell<Option<Debug>>,
    globals: RefCell<Globals>,
    unwinder: OnceCell<Option<Unwinder>>,
    c_library: OnceCell<CLibrary>,
}

impl Image {
    /// Reads the headers of a file whose first page is mapped at `base`.
    pub fn open(path: &Path, base: u64) -> Result<Image, NamesError> {
        Ok(Image::new(Elf::open(path)?, base))
    }

    /// The same for a file that exists only in memory, such as the one the kernel maps into every process.
    pub fn from_bytes(name: &Path, bytes: impl Into<Arc<[u8]>>, base: u64) -> Result<Image, NamesError> {
        Ok(Image::new(Elf::from_bytes(name, bytes.into())?, base))
    }

    fn new(elf: Elf, base: u64) -> Image {
        let facts = Facts::read(&elf);
        let lowest = elf.loaded().map(|range| range.start).min().unwrap_or(0) / PAGE * PAGE;
        let highest = elf.loaded().map(|range| range.end).max().unwrap_or(0);
        let bias = base.wrapping_sub(lowest);
        let size = highest.saturating_sub(lowest);
        let size = size.checked_next_multiple_of(PAGE).unwrap_or(size);
        Image {
            elf,
            facts,
            base,
            bias,
            span: base..base.saturating_add(size),
            separate: OnceCell::new(),
            symbols: OnceCell::new(),
            separate_symbols: OnceCell::new(),
            debug: OnceCell::new(),
            globals: RefCell::default(),
            unwinder: OnceCell::new(),
            c_library: OnceCell::new(),
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.elf.path
    }

    /// The file's base name.
    pub fn name(&self) -> String {
        let name = self.elf.path.file_name().unwrap_or(self.elf.path.as_os_str());
        name.to_string_lossy().into_owned()
    }

    /// Where its first page is mapped.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// The addresses it takes, from its first page to its last.
    pub fn range(&self) -> Range<u64> {
        self.span.clone()
    }

    /// What its headers say.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The address of its first instruction in the running program.
    pub fn entry(&self) -> u64 {
        self.facts.entry.wrapping_add(self.bias)
    }

    /// Its machine code, in the running program.
    pub fn code(&self) -> Vec<Range<u64>> {
        let code =
            self.elf.segments.iter().filter(|segment| segment.kind == elf::PT_LOAD && segment.executable);
        code.map(|segment| self.moved(segment.address..segment.address.saturating_add(segment.memory_size)))
            .collect()
    }

    /// How much of it is the C library; addresses are those of the running program.
    pub fn c_library(&self) -> &CLibrary {
        self.c_library.get_or_init(|| match c_library::judge(&self.elf, &self.facts, || self.symbols()) {
            CLibrary::Parts(parts) => {
                CLibrary::Parts(parts.into_iter().map(|part| self.moved(part)).collect())
            }
            other => other,
        })
    }

    fn moved(&self, range: Range<u64>) -> Range<u64> {
        range.start.wrapping_add(self.bias)..range.end.wrapping_add(self.bias)
    }

    fn separate(&self) -> Option<&Elf> {
        let find = || if self.facts.has_debug_info { None } else { debug::separate(&self.elf, &self.facts) };
        self.separate.get_or_init(find).as_ref()
    }

    /// The file's own symbols.
    fn symbols(&self) -> &SymbolTable {
        self.symbols.get_or_init(|| SymbolTable::read(&self.elf, &self.elf))
    }

    /// Those that were moved to a separate file, which is not opened while the file's own are enough.
    fn separate_symbols(&self) -> Option<&SymbolTable> {
        let read = || {
            if self.facts.has_symbols {
                return None;
            }
            self.separate().map(|debug| SymbolTable::read(debug, &self.elf))
        };
        self.separate_symbols.get_or_init(read).as_ref()
    }

    /// The C library is asked for often, by names that are all in its own table, and its insides are not the program.
    fn is_c_library(&self) -> bool {
        matches!(self.c_library(), CLibrary::Whole)
    }

    fn debug(&self) -> Option<&Debug> {
        self.debug.get_or_init(|| Debug::load(self.separate().unwrap_or(&self.elf))).as_ref()
    }

    fn unwinder(&self) -> Option<&Unwinder> {
        self.unwinder.get_or_init(|| Unwinder::load(&self.elf)).as_ref()
    }

    pub(super) fn function(&self, address: u64) -> Option<String> {
        let address = address.wrapping_sub(self.bias);
        let named = |table: &SymbolTable| Some(demangle(table.name(table.function_at(address)?), None));
        let found = named(self.symbols()).or_else(|| named(self.separate_symbols()?));
        if found.is_some() {
            return found;
        }
        let frames = source::frames(self.debug()?, address);
        frames.last()?.function.as_deref().map(str::to_owned)
    }

    /// The files that it was compiled from, as far as its debug information says: what [`Source::file`] calls each of
    /// them, and where it was. Several can have one name.
    pub fn source_files(&self) -> Vec<(String, PathBuf)> {
        self.debug().map(source::files).unwrap_or_default()
    }

    pub(super) fn frames(&self, address: u64) -> Vec<Source> {
        let Some(debug) = self.debug() else { return Vec::new() };
        let mut frames = source::frames(debug, address.wrapping_sub(self.bias));
        if let Some(outermost) = frames.last_mut()
            && outermost.function.is_none()
        {
            outermost.function = self.function(address).map(Arc::from);
        }
        frames
    }

    /// Whether anything is known of the source of the program's own code in it.
    pub fn has_lines(&self) -> bool {
        !self.is_c_library() && self.debug().is_some()
    }

    /// The rows of its line table for these lines, in whichever source file.
    pub(super) fn rows(&self, lines: &RangeInclusive<u32>) -> Vec<Row> {
        if self.is_c_library() {
            return Vec::new();
        }
        let mut found = self.debug().map(|debug| source::rows(debug, lines)).unwrap_or_default();
        for row in &mut found {
            row.address = row.address.wrapping_add(self.bias);
        }
        found
    }

    pub(super) fn named(&self, name: &str) -> Vec<Symbol> {
        let in_table = |table: &SymbolTable| -> Vec<Symbol> {
            table.named(name).map(|entry| table.symbol(entry, self.bias)).collect()
        };
        let found = in_table(self.symbols());
        if !found.is_empty() || self.is_c_library() {
            return found;
        }
        self.separate_symbols().map(in_table).unwrap_or_default()
    }

    /// Functions whose names begin like this, by address; none of the C library has any that one would ask for so.
    pub(super) fn functions_like(&self, fits: impl Fn(&str) -> bool) -> Vec<u64> {
        if self.is_c_library() {
            return Vec::new();
        }
        let table = self.symbols();
        let fits = |entry: &&Entry| fits(table.name(entry));
        table.functions().filter(fits).map(|entry| table.symbol(entry, self.bias).address).collect()
    }

    pub(super) fn variable(&self, address: u64, size: u64) -> Variable {
        let inside = address.wrapping_sub(self.bias);
        self.typed_variable(inside, size).or_else(|| self.plain_variable(inside)).unwrap_or_else(|| {
            let (name, offset) = (self.name(), address.wrapping_sub(self.base));
            let size = self.span.end - self.span.start;
            Variable { path: format!("{name}+{offset:#x}"), object: name, address: self.base, size }
        })
    }

    fn typed_variable(&self, inside: u64, size: u64) -> Option<Variable> {
        if self.is_c_library() {
            return None;
        }
        let debug = self.debug()?;
        let mut globals = self.globals.try_borrow_mut().ok()?;
        let (start, global) = globals.at(debug, inside)?;
        let kind = global.kind?;
        let part = types::path(debug, kind, inside - start, size, &|kind| globals.is_standard(debug, kind));
        Some(Variable {
            path: format!("{}{part}", global.name),
            object: global.name,
            address: start.wrapping_add(self.bias),
            size: global.size,
        })
    }

    /// Where the storage with one of these names begins: the file itself and its variables, by the name that
    /// [`Variable::object`] has. The insides of the C library have none.
    pub fn storage(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<(String, u64)> {
        if self.is_c_library() {
            return Vec::new();
        }
        let mut found: Vec<(String, u64)> = Vec::new();
        if let (Some(debug), Ok(mut globals)) = (self.debug(), self.globals.try_borrow_mut()) {
            let named = globals.all(debug).filter(|(_, global)| is_wanted(&global.name));
            found.extend(named.map(|(address, global)| (global.name.clone(), address)));
        }
        for table in [Some(self.symbols()), self.separate_symbols()].into_iter().flatten() {
            let named = table.objects().map(|entry| (demangle(table.name(entry), None), entry.address));
            found.extend(named.filter(|(name, _)| is_wanted(name)));
        }
        for (_, address) in &mut found {
            *address = address.wrapping_add(self.bias);
        }
        // A program is often called like its most important variable.
        let name = self.name();
        if is_wanted(&name) && found.iter().all(|(known, _)| *known != name) {
            found.push((name, self.base));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    fn plain_variable(&self, inside: u64) -> Option<Variable> {
        let in_table = |table: &SymbolTable| {
            let entry = table.object_at(inside)?;
            let object = demangle(table.name(entry), None);
            let path = match inside - entry.address {
                0 => object.clone(),
                offset => format!("{object}+{offset}"),
            };
            Some(Variable { object, address: entry.address.wrapping_add(self.bias), size: entry.size, path })
        };
        in_table(self.symbols()).or_else(|| in_table(self.separate_symbols()?))
    }

    pub(super) fn step(&self, frame: &Frame, read: &mut ReadWord<'_>) -> Option<(u64, Option<Frame>)> {
        self.unwinder()?.step(frame, self.bias, read)
    }

    pub(super) fn local(
        &self,
        frame: &Frame,
        address: u64,
        size: u64,
        read: &mut ReadWord<'_>,
    ) -> Option<Local> {
        let debug = self.debug()?;
        let cfa = self.step(frame, read).map(|(cfa, _)| cfa);
        let question = locals::Question { frame, cfa, bias: self.bias, address, size };
        locals::find(debug, &*self.globals.try_borrow().ok()?, &question, read)
    }
}

/// The frame to show among those of [`Image::frames`].
pub(super) fn shown(frames: &[Source]) -> Option<&Source> {
    source::shown(frames)
}
