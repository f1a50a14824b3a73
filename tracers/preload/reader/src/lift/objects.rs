//! Synchronisation objects: which location of the trace an address stands for.

use rustc_hash::FxHashMap;

use warpath_trace::ids::{LocationId, StringId, ThreadIx};
use warpath_trace::place::{Location, Object, ObjectClass};
use warpath_trace::tables::{TableError, Tables};

use super::places::{Holder, Places};
use crate::names::Names;

/// What an object is, as far as its name and size go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Mutex,
    RwLock,
    Condition,
    Semaphore,
    Barrier,
    Once,
}

impl What {
    fn size(self) -> u32 {
        match self {
            What::Mutex => 40,
            What::RwLock => 56,
            What::Condition => 48,
            What::Semaphore | What::Barrier => 32,
            What::Once => 4,
        }
    }

    fn word(self) -> &'static str {
        match self {
            What::Mutex => "mutex",
            What::RwLock => "rwlock",
            What::Condition => "condition",
            What::Semaphore => "semaphore",
            What::Barrier => "barrier",
            What::Once => "once",
        }
    }
}

/// What is known of an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) location: LocationId,
    pub(super) what: What,
    /// Signals and wake-ups seen so far, of a condition.
    pub(super) signals: usize,
    pub(super) wakes: usize,
    /// Who has it, of a mutex, and how often.
    pub(super) owner: Option<(usize, u32)>,
}

/// All objects of a trace.
#[derive(Debug, Default)]
pub(super) struct Objects {
    known: FxHashMap<u64, Known>,
    /// Objects outside the program's variables that each thread was the first to use.
    made: FxHashMap<ThreadIx, u64>,
    pub(super) places: Places,
}

impl Objects {
    pub(super) fn get_mut(&mut self, address: u64) -> Option<&mut Known> {
        self.known.get_mut(&address)
    }

    /// Is it known, as this?
    pub(super) fn location(&self, address: u64, what: What) -> Option<LocationId> {
        self.known.get(&address).filter(|known| known.what == what).map(|known| known.location)
    }

    /// A new object at this address. Variables of the program, storage and stacks that are known have their names;
    /// others are called after the thread that used them first, which is the same in every run that takes the same path.
    pub(super) fn make(
        &mut self,
        tables: &mut Tables,
        names: &Names,
        address: u64,
        what: What,
        user: ThreadIx,
        holder: Holder,
    ) -> Result<LocationId, TableError> {
        let size = what.size();
        let generation = self.known.contains_key(&address);
        let fixed = matches!(holder, Holder::Fixed);
        let variable = fixed && !generation && names.variable(address, u64::from(size)).is_some();
        if variable || !fixed {
            let location = self.places.location(tables, names, holder, address, size, None)?;
            self.known.insert(address, Known { location, what, signals: 0, wakes: 0, owner: None });
            return Ok(location);
        }
        let object = {
            let made = self.made.entry(user).or_default();
            let nth = *made;
            *made += 1;
            let name = format!("{}({}, {nth})", what.word(), tables.key(user));
            let name = tables.string(name)?;
            Object { class: ObjectClass::Other, owner: Some(user), nth, size: u64::from(size), name }
        };
        let object = tables.object(object)?;
        let location = Location { object, offset: 0, size, initial: None, name: StringId::EMPTY };
        let location = tables.location(location)?;
        self.known.insert(address, Known { location, what, signals: 0, wakes: 0, owner: None });
        Ok(location)
    }
}
