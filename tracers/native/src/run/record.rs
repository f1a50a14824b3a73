//! The trace as it grows.

use std::ops::Range;

use rustc_hash::FxHashMap;
use warpath_trace::event::{Event, Op};
use warpath_trace::header::{Footer, Header, Outcome, SharedRange};
use warpath_trace::ids::{InputId, LocationId, ObjectId, SourceId, StringId, ThreadIx};
use warpath_trace::place::{Input, Location, Object, Source};
use warpath_trace::tables::TableError;
use warpath_trace::thread::Thread as Entry;
use warpath_trace::trace::Trace;

use super::error::RunError;
use super::machine::{Machine, word_at};
use super::place::Place;
use crate::cpu::Gpr;
use crate::names::{Frame, Image, Images};
use crate::sym::{Effect, Effects};

/// The trace of a run, and what is needed to add to it.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    pub trace: Trace,
    sources: FxHashMap<u64, SourceId>,
    locations: FxHashMap<(u64, u32), LocationId>,
    objects: FxHashMap<(u64, u64), ObjectId>,
    /// Bytes as they were before the first event that touched them.
    originals: FxHashMap<u64, u8>,
    inputs: FxHashMap<Vec<u8>, u32>,
}

impl Recorder {
    pub(crate) fn new(header: Header) -> Recorder {
        Recorder {
            trace: Trace::new(header),
            sources: FxHashMap::default(),
            locations: FxHashMap::default(),
            objects: FxHashMap::default(),
            originals: FxHashMap::default(),
            inputs: FxHashMap::default(),
        }
    }

    pub(crate) fn string(&mut self, bytes: &[u8]) -> Result<StringId, TableError> {
        self.trace.tables.string(bytes)
    }

    /// How many events a thread has.
    pub(crate) fn events(&self, thread: ThreadIx) -> usize {
        self.trace.threads.get(thread.index()).map_or(0, Vec::len)
    }

    pub(crate) fn add_thread(&mut self, entry: Entry) -> Result<ThreadIx, TableError> {
        self.trace.add_thread(entry)
    }

    /// Puts something else in the place of an event that was recorded before it was known.
    pub(crate) fn amend(&mut self, thread: ThreadIx, event: u32, op: Op) {
        if let Some(event) =
            self.trace.threads.get_mut(thread.index()).and_then(|events| events.get_mut(event as usize))
        {
            event.op = op;
        }
    }

    pub(crate) fn location_name(&self, location: LocationId) -> String {
        self.trace.tables.location_name(location)
    }

    /// Where locations lie.
    pub(crate) fn addresses(&self) -> impl Iterator<Item = (Range<u64>, LocationId)> {
        self.locations.iter().map(|(&(address, size), &id)| (address..address + u64::from(size), id))
    }

    /// The object of a block of storage.
    pub(crate) fn heap_object(&mut self, address: u64, object: Object) -> Result<ObjectId, TableError> {
        let key = (address, object.size);
        let id = self.trace.tables.object(object)?;
        self.objects.insert(key, id);
        Ok(id)
    }

    /// The next input of a name; those of a stream have the number of the byte instead.
    pub(crate) fn input(
        &mut self,
        name: &str,
        nth: Option<u32>,
        width: u8,
    ) -> Result<(InputId, u32), TableError> {
        let nth = nth.unwrap_or_else(|| {
            let next = self.inputs.entry(name.as_bytes().to_vec()).or_default();
            *next += 1;
            *next - 1
        });
        let name = self.string(name.as_bytes())?;
        Ok((self.trace.tables.input(Input { name, nth, width })?, nth))
    }

    pub(crate) fn finish(
        &mut self,
        outcome: Outcome,
        approximations: Vec<(StringId, u64)>,
        sharing: Vec<SharedRange>,
    ) {
        let events = self.trace.len();
        self.trace.sharing = sharing;
        self.trace.footer = Some(Footer { outcome, events, approximations });
    }
}

impl Machine {
    /// Adds an event of a thread, at the place in the program where it stands; the event's index.
    pub(crate) fn record(&mut self, t: usize, op: Op) -> Result<u32, RunError> {
        let site = self.site(t);
        self.record_at(t, op, site)
    }

    /// Adds an event at another place.
    pub(crate) fn record_at(&mut self, t: usize, op: Op, site: u64) -> Result<u32, RunError> {
        let at = self.source(site)?;
        let thread = &mut self.threads[t];
        if op.is_visible() {
            thread.visible += 1;
        }
        // Expressions are made in the shadow's pool and belong to the trace's tables.
        std::mem::swap(self.shadow.pool_mut(), &mut self.recorder.trace.tables.exprs);
        let index = self.recorder.trace.push(thread.ix, Event { op, at });
        std::mem::swap(self.shadow.pool_mut(), &mut self.recorder.trace.tables.exprs);
        Ok(index?)
    }

    /// Adds what was decided about symbolic values.
    pub(crate) fn record_effects(&mut self, t: usize, effects: &mut Effects) -> Result<(), RunError> {
        for effect in std::mem::take(&mut effects.path) {
            let op = match effect {
                Effect::Branch { condition, taken } => Op::Branch { condition, taken },
                Effect::Switch { on, value } => Op::Switch { on, value },
                Effect::Concretise { expr, value, why } => {
                    self.approximate("symbolic values used by their concrete value");
                    Op::Concretise { expr, value, why }
                }
            };
            self.record(t, op)?;
        }
        Ok(())
    }

    /// Where in the program's own text the thread is: its instruction, or the call that led into the C library.
    pub(crate) fn site(&mut self, t: usize) -> u64 {
        if let Some(repairing) = &self.threads[t].repairing {
            return repairing.site();
        }
        let registers = &self.threads[t].registers;
        let (rip, sp) = (registers.rip, registers.get(Gpr::Rsp));
        // A modelled function happens where it is called; one that is only watched is the program's own.
        let modelled = self.hooks.get(rip).is_some_and(|function| !function.is_program_code());
        if is_own(&self.images, rip) && !modelled {
            return rip;
        }
        // At the entry of a function the return address is on top of the stack.
        let to = self.peek_word::<8>(sp).unwrap_or(0);
        if modelled && is_own(&self.images, to) {
            return to.wrapping_sub(1);
        }
        let registers = &self.threads[t].registers;
        let mut frame = if modelled { Frame::of_caller(registers, to) } else { Frame::innermost(registers) };
        let (images, space) = (&self.images, &mut self.space);
        let mut read = |address: u64| word_at(space, address);
        for _ in 0..32 {
            match images.caller(&frame, &mut read) {
                Some(caller) => frame = caller,
                None => break,
            }
            if is_own(images, frame.pc) {
                return frame.lookup();
            }
        }
        rip
    }

    pub(crate) fn source(&mut self, site: u64) -> Result<SourceId, RunError> {
        if let Some(&id) = self.recorder.sources.get(&site) {
            return Ok(id);
        }
        if site == 0 {
            return Ok(SourceId::UNKNOWN);
        }
        // Lines of the C library tell nobody anything, and its debug information is large.
        let named = if self.images.is_c_library(site) { None } else { self.images.source(site) };
        let function =
            named.as_ref().and_then(|source| source.function.clone()).or_else(|| self.images.function(site));
        let base = self.images.image_at(site).map_or(0, Image::base);
        let tables = &mut self.recorder.trace.tables;
        let function = match function {
            Some(function) => tables.string(function.as_bytes())?,
            None => StringId::EMPTY,
        };
        let (file, line, column) = match &named {
            Some(source) => (tables.string(source.file.as_bytes())?, source.line, source.column),
            None => (StringId::EMPTY, 0, 0),
        };
        let id = tables.source(Source { file, line, column, function, address: site - base.min(site) })?;
        self.recorder.sources.insert(site, id);
        Ok(id)
    }

    /// The location of an access or object, with the value that it had before anything happened to it.
    pub(crate) fn location(&mut self, address: u64, size: u32) -> Result<LocationId, RunError> {
        let mut initial = None;
        if size <= Location::MAX_ACCESS {
            let bytes = self.peek(address, size as usize).unwrap_or_else(|| vec![0; size as usize]);
            let mut value = 0_u128;
            for (n, byte) in bytes.into_iter().enumerate() {
                let first = *self.recorder.originals.entry(address.wrapping_add(n as u64)).or_insert(byte);
                value |= u128::from(first) << (8 * n);
            }
            initial = Some(value);
        }
        if let Some(&id) = self.recorder.locations.get(&(address, size)) {
            return Ok(id);
        }
        let place = self.place_of(address, size);
        let object = self.object_of(&place)?;
        let name = self.recorder.string(place.path.as_bytes())?;
        let offset = address.wrapping_sub(place.start);
        let location = Location { object, offset, size, initial, name };
        let id = self.recorder.trace.tables.location(location)?;
        self.recorder.locations.insert((address, size), id);
        Ok(id)
    }

    /// The object of a place.
    pub(crate) fn object_of(&mut self, place: &Place) -> Result<ObjectId, RunError> {
        let key = (place.start, place.object.size);
        if let Some(&object) = self.recorder.objects.get(&key) {
            return Ok(object);
        }
        let name = self.recorder.string(place.name.as_bytes())?;
        let object = self.recorder.trace.tables.object(Object { name, ..place.object.clone() })?;
        self.recorder.objects.insert(key, object);
        Ok(object)
    }
}

/// Is this where people look for their own code: not in the C library, the runtime of C++, or the light recorder, which
/// a program may be linked to?
pub(super) fn is_own(images: &Images, address: u64) -> bool {
    let runtime = |image: &Image| {
        let name = image.facts().soname.as_deref().unwrap_or_default();
        image.name().starts_with("libwarpath_preload")
            || ["libstdc++", "libgcc_s", "libc++"].iter().any(|prefix| name.starts_with(prefix))
    };
    !images.is_c_library(address) && !images.image_at(address).is_some_and(runtime)
}
