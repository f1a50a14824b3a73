//! The tables that events refer to, filled as a trace is recorded or read.

use std::borrow::Cow;
use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::event::{Event, Ref};
use crate::expr::{ExprError, ExprPool, Sort};
use crate::ids::{InputId, LocationId, ObjectId, SourceId, StringId, ThreadIx};
use crate::place::{Input, Location, Object, Source};
use crate::thread::{Thread, ThreadKey};

/// An entry or a reference that does not make sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// A reference beyond the end of a table.
    #[error("{table} {index} does not exist; there are {len}")]
    Dangling {
        /// Which table.
        table: &'static str,
        /// The reference.
        index: u32,
        /// Entries that the table has.
        len: usize,
    },
    /// A read or write of a location that is too large to be one access.
    #[error("location {location} has {size} bytes; an access has 1 to {max}", max = Location::MAX_ACCESS)]
    AccessSize {
        /// The location.
        location: u32,
        /// Its size.
        size: u32,
    },
    /// An initial value larger than the location.
    #[error("location {location} has {size} bytes, too few for the value {value}")]
    ValueSize {
        /// The location.
        location: u32,
        /// Its size.
        size: u32,
        /// The value.
        value: u128,
    },
    /// A thread whose place among its parent's children is taken.
    #[error("two threads have the key {0}")]
    DuplicateThread(ThreadKey),
    /// A second thread without parent, or a first one with.
    #[error("thread {0} has no parent; only the first thread of a trace may be without")]
    NoParent(u32),
    /// Threads nested too deep.
    #[error("thread {0} is the end of a chain of more than {max} forks", max = Tables::MAX_DEPTH)]
    TooDeep(u32),
    /// An input of no bits or too many.
    #[error("input {input} has {width} bits; 1 to 128 are possible")]
    InputWidth {
        /// The input.
        input: u32,
        /// Its width.
        width: u8,
    },
    /// An expression.
    #[error(transparent)]
    Expr(#[from] ExprError),
    /// A string that is too long to be stored.
    #[error("a string of {0} bytes; at most {max} are possible", max = Tables::MAX_STRING)]
    LongString(usize),
    /// A table that is full.
    #[error("the table of {0} is full")]
    Full(&'static str),
}

/// A table with equal entries stored once.
#[derive(Clone, Debug)]
pub(crate) struct Interned<T> {
    entries: Vec<T>,
    ids: FxHashMap<T, u32>,
}

impl<T: Clone + Eq + Hash> Interned<T> {
    fn with_first(first: T) -> Self {
        Interned { ids: [(first.clone(), 0)].into_iter().collect(), entries: vec![first] }
    }

    fn intern(&mut self, entry: T) -> usize {
        match self.ids.get(&entry) {
            Some(&id) => id as usize,
            None => self.push(entry),
        }
    }

    /// Appends even an equal entry: file ids are positions.
    fn push(&mut self, entry: T) -> usize {
        let id = self.entries.len();
        self.ids.entry(entry.clone()).or_insert(id as u32);
        self.entries.push(entry);
        id
    }
}

/// Everything that events refer to by index.
#[derive(Clone, Debug)]
pub struct Tables {
    strings: Interned<Vec<u8>>,
    sources: Interned<Source>,
    objects: Vec<Object>,
    locations: Vec<Location>,
    inputs: Vec<Input>,
    threads: Vec<Thread>,
    keys: Vec<ThreadKey>,
    key_ids: FxHashMap<ThreadKey, ThreadIx>,
    /// The expressions.
    pub exprs: ExprPool,
}

impl Default for Tables {
    fn default() -> Self {
        Tables {
            strings: Interned::with_first(Vec::new()),
            sources: Interned::with_first(Source::default()),
            objects: Vec::new(),
            locations: Vec::new(),
            inputs: Vec::new(),
            threads: Vec::new(),
            keys: Vec::new(),
            key_ids: FxHashMap::default(),
            exprs: ExprPool::new(),
        }
    }
}

impl PartialEq for Tables {
    fn eq(&self, other: &Self) -> bool {
        self.strings() == other.strings()
            && self.sources() == other.sources()
            && self.objects == other.objects
            && self.locations == other.locations
            && self.inputs == other.inputs
            && self.threads == other.threads
            && self.exprs == other.exprs
    }
}

impl Eq for Tables {}

impl Tables {
    /// The longest string that can be stored.
    pub const MAX_STRING: usize = 1 << 20;
    /// The longest chain of forks. Keys are stored whole, so a bound keeps a short file from making large ones.
    pub const MAX_DEPTH: usize = 64;

    /// All strings; the index is the id.
    pub fn strings(&self) -> &[Vec<u8>] {
        &self.strings.entries
    }

    /// All sources; the index is the id.
    pub fn sources(&self) -> &[Source] {
        &self.sources.entries
    }

    /// All objects; the index is the id.
    pub fn objects(&self) -> &[Object] {
        &self.objects
    }

    /// All locations; the index is the id.
    pub fn locations(&self) -> &[Location] {
        &self.locations
    }

    /// All inputs; the index is the id.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// All threads; the index is the id.
    pub fn threads(&self) -> &[Thread] {
        &self.threads
    }

    /// The keys of all threads; the index is the id.
    pub fn keys(&self) -> &[ThreadKey] {
        &self.keys
    }

    /// The key of a thread of this trace.
    ///
    /// # Panics
    /// If the index is of another trace.
    pub fn key(&self, thread: ThreadIx) -> &ThreadKey {
        &self.keys[thread.index()]
    }

    /// The thread with this key.
    pub fn thread_by_key(&self, key: &ThreadKey) -> Option<ThreadIx> {
        self.key_ids.get(key).copied()
    }

    /// A string for people: bytes that are not UTF-8 are replaced; an unknown id is empty.
    pub fn text(&self, id: StringId) -> Cow<'_, str> {
        self.strings.entries.get(id.index()).map_or(Cow::Borrowed(""), |bytes| String::from_utf8_lossy(bytes))
    }

    /// A location's name for people: its own, else made from the object's.
    pub fn location_name(&self, id: LocationId) -> String {
        let Some(location) = self.locations.get(id.index()) else { return format!("%{}", id.0) };
        if location.name != StringId::EMPTY {
            return self.text(location.name).into_owned();
        }
        let object = self.objects.get(location.object.index()).map(|object| self.text(object.name));
        let base = object.filter(|name| !name.is_empty());
        let base = base.map_or_else(|| format!("object{}", location.object.0), Cow::into_owned);
        if location.offset == 0 { base } else { format!("{base}+{}", location.offset) }
    }

    /// A position for people: `file:line`, `file:line:column`, a function, or an address; empty if unknown.
    pub fn source_name(&self, id: SourceId) -> String {
        let Some(source) = self.sources.entries.get(id.index()) else { return String::new() };
        let file = self.text(source.file);
        match source {
            Source { line: 0, function, address, .. } => match (self.text(*function), address) {
                (function, 0) => function.into_owned(),
                (function, address) => format!("{function}+{address:#x}"),
            },
            Source { line, column: 0, .. } => format!("{file}:{line}"),
            Source { line, column, .. } => format!("{file}:{line}:{column}"),
        }
    }

    /// Stores a string, once.
    pub fn string(&mut self, bytes: impl AsRef<[u8]>) -> Result<StringId, TableError> {
        let bytes = bytes.as_ref();
        match self.strings.ids.get(bytes) {
            Some(&id) => Ok(StringId(id)),
            None => self.push_string(bytes.to_vec()),
        }
    }

    /// Stores a position, once.
    pub fn source(&mut self, source: Source) -> Result<SourceId, TableError> {
        self.check_source(&source)?;
        Ok(SourceId::from(self.sources.intern(source)))
    }

    /// Stores the position `file:line`, once.
    pub fn source_line(&mut self, file: &str, line: u32) -> Result<SourceId, TableError> {
        let file = self.string(file)?;
        self.source(Source { file, line, ..Source::default() })
    }

    /// Adds an object.
    pub fn object(&mut self, object: Object) -> Result<ObjectId, TableError> {
        self.check_string(object.name)?;
        if let Some(owner) = object.owner {
            self.check_thread(owner)?;
        }
        add(&mut self.objects, object, "objects").map(ObjectId::from)
    }

    /// Adds a location.
    pub fn location(&mut self, location: Location) -> Result<LocationId, TableError> {
        self.check_string(location.name)?;
        check(location.object.0, self.objects.len(), "object")?;
        let id = self.locations.len();
        if let Some(value) = location.initial
            && location.size < Location::MAX_ACCESS
            && value >> (8 * location.size) != 0
        {
            return Err(TableError::ValueSize { location: id as u32, size: location.size, value });
        }
        add(&mut self.locations, location, "locations").map(LocationId::from)
    }

    /// Adds an input.
    pub fn input(&mut self, input: Input) -> Result<InputId, TableError> {
        self.check_string(input.name)?;
        if !(1..=Sort::MAX_WIDTH).contains(&input.width) {
            return Err(TableError::InputWidth { input: self.inputs.len() as u32, width: input.width });
        }
        add(&mut self.inputs, input, "inputs").map(InputId::from)
    }

    /// Adds a thread; its parent must be there already.
    pub fn thread(&mut self, thread: Thread) -> Result<ThreadIx, TableError> {
        self.check_string(thread.start)?;
        self.check_string(thread.name)?;
        let index = self.threads.len() as u32;
        let key = match thread.parent {
            None if index == 0 => ThreadKey::main(),
            None => return Err(TableError::NoParent(index)),
            Some((parent, nth)) => {
                self.check_thread(parent)?;
                self.key(parent).child(nth)
            }
        };
        if key.depth() > Self::MAX_DEPTH {
            return Err(TableError::TooDeep(index));
        }
        if self.key_ids.contains_key(&key) {
            return Err(TableError::DuplicateThread(key));
        }
        let ix = add(&mut self.threads, thread, "threads").map(ThreadIx::from)?;
        self.key_ids.insert(key.clone(), ix);
        self.keys.push(key);
        Ok(ix)
    }

    /// Are all references of this event good?
    #[inline]
    pub fn check_event(&self, event: &Event) -> Result<(), TableError> {
        let mut event = *event;
        event.try_refs(|reference| match reference {
            Ref::Thread(id) => self.check_thread(*id),
            Ref::Data(id) => {
                check(id.0, self.locations.len(), "location")?;
                let size = self.locations[id.index()].size;
                if !(1..=Location::MAX_ACCESS).contains(&size) {
                    return Err(TableError::AccessSize { location: id.0, size });
                }
                Ok(())
            }
            Ref::Sync(id) => check(id.0, self.locations.len(), "location"),
            Ref::Object(id) => check(id.0, self.objects.len(), "object"),
            Ref::Input(id) => check(id.0, self.inputs.len(), "input"),
            Ref::Expr(id) => check(id.0, self.exprs.len(), "expression"),
            Ref::String(id) => self.check_string(*id),
            Ref::Source(id) => check(id.0, self.sources.entries.len(), "source"),
        })
    }

    pub(crate) fn push_string(&mut self, bytes: Vec<u8>) -> Result<StringId, TableError> {
        if bytes.len() > Self::MAX_STRING {
            return Err(TableError::LongString(bytes.len()));
        }
        if self.strings.entries.len() >= u32::MAX as usize {
            return Err(TableError::Full("strings"));
        }
        Ok(StringId::from(self.strings.push(bytes)))
    }

    pub(crate) fn push_source(&mut self, source: Source) -> Result<SourceId, TableError> {
        self.check_source(&source)?;
        if self.sources.entries.len() >= u32::MAX as usize {
            return Err(TableError::Full("sources"));
        }
        Ok(SourceId::from(self.sources.push(source)))
    }

    fn check_source(&self, source: &Source) -> Result<(), TableError> {
        self.check_string(source.file)?;
        self.check_string(source.function)
    }

    pub(crate) fn check_string(&self, id: StringId) -> Result<(), TableError> {
        check(id.0, self.strings.entries.len(), "string")
    }

    pub(crate) fn check_object(&self, id: ObjectId) -> Result<(), TableError> {
        check(id.0, self.objects.len(), "object")
    }

    pub(crate) fn check_thread(&self, id: ThreadIx) -> Result<(), TableError> {
        check(id.0, self.threads.len(), "thread")
    }
}

#[inline]
fn check(index: u32, len: usize, table: &'static str) -> Result<(), TableError> {
    if (index as usize) < len { Ok(()) } else { Err(TableError::Dangling { table, index, len }) }
}

fn add<T>(table: &mut Vec<T>, entry: T, name: &'static str) -> Result<usize, TableError> {
    if table.len() >= u32::MAX as usize {
        return Err(TableError::Full(name));
    }
    table.push(entry);
    Ok(table.len() - 1)
}
