//! Addresses to locations of the trace: the same words in every run.

use rustc_hash::FxHashMap;

use warpath_trace::ids::{LocationId, ObjectId, ThreadIx};
use warpath_trace::place::{Location, Object, ObjectClass};
use warpath_trace::tables::{TableError, Tables};

use crate::names::Names;
use crate::space::{Block, Owner, STACK};

const PAGE: u64 = 4096;

/// Storage that an address lies in.
struct Place {
    start: u64,
    object: Object,
    name: String,
    path: String,
}

/// Locations made so far.
#[derive(Debug, Default)]
pub(super) struct Places {
    locations: FxHashMap<(Owner, u64, u32), LocationId>,
    objects: FxHashMap<(Owner, u64, u64), ObjectId>,
    /// Bytes as they were before the first event that touched them, where that is known.
    originals: FxHashMap<(Owner, u64), Option<u8>>,
}

/// Whom an address belongs to, with what its name is made of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Holder {
    /// Nobody in particular.
    Fixed,
    /// A block of storage, allocated by this thread.
    Block(u32, Block, ThreadIx),
    /// The stack of this thread, which ends here.
    Stack(u32, u64, ThreadIx),
}

impl Holder {
    fn owner(&self) -> Owner {
        match self {
            Holder::Fixed => Owner::Fixed,
            Holder::Block(number, ..) => Owner::Block(*number),
            Holder::Stack(number, ..) => Owner::Stack(*number),
        }
    }
}

fn with_offset(name: &str, offset: u64) -> String {
    if offset == 0 { name.to_owned() } else { format!("{name}+{offset}") }
}

impl Places {
    /// The location of an access. `found` is what a read found there, which is what was there before if nothing has
    /// touched it.
    pub(super) fn access(
        &mut self,
        tables: &mut Tables,
        names: &Names,
        holder: Holder,
        address: u64,
        size: u32,
        found: Option<u128>,
    ) -> Result<LocationId, TableError> {
        let owner = holder.owner();
        let mut initial = Some(0);
        for place in 0..size {
            let at = address.wrapping_add(place.into());
            let first = *self.originals.entry((owner, at)).or_insert_with(|| match found {
                Some(value) => Some((value >> (8 * place)) as u8),
                None if owner == Owner::Fixed => names.initial(at),
                None => None,
            });
            let byte = first.map(|byte| u128::from(byte) << (8 * place));
            initial = initial.zip(byte).map(|(value, byte)| value | byte);
        }
        self.location(tables, names, holder, address, size, initial)
    }

    /// The location of a synchronisation object, or of an access whose initial value is known.
    pub(super) fn location(
        &mut self,
        tables: &mut Tables,
        names: &Names,
        holder: Holder,
        address: u64,
        size: u32,
        initial: Option<u128>,
    ) -> Result<LocationId, TableError> {
        let key = (holder.owner(), address, size);
        if let Some(&known) = self.locations.get(&key) {
            return Ok(known);
        }
        let place = place_of(tables, names, holder, address, size);
        let object = self.object_of(tables, holder.owner(), &place)?;
        let name = tables.string(&place.path)?;
        let offset = address.wrapping_sub(place.start);
        let location = tables.location(Location { object, offset, size, initial, name })?;
        self.locations.insert(key, location);
        Ok(location)
    }

    /// The object that an address lies in, and where in it.
    pub(super) fn object(
        &mut self,
        tables: &mut Tables,
        names: &Names,
        holder: Holder,
        address: u64,
    ) -> Result<(ObjectId, u64), TableError> {
        let place = place_of(tables, names, holder, address, 1);
        let object = self.object_of(tables, holder.owner(), &place)?;
        Ok((object, address.wrapping_sub(place.start)))
    }

    fn object_of(
        &mut self,
        tables: &mut Tables,
        owner: Owner,
        place: &Place,
    ) -> Result<ObjectId, TableError> {
        let key = (owner, place.start, place.object.size);
        if let Some(&known) = self.objects.get(&key) {
            return Ok(known);
        }
        let name = tables.string(&place.name)?;
        let object = tables.object(Object { name, ..place.object.clone() })?;
        self.objects.insert(key, object);
        Ok(object)
    }
}

fn place_of(tables: &Tables, names: &Names, holder: Holder, address: u64, size: u32) -> Place {
    let object = |class, owner, nth, size| Object { class, owner, nth, size, name: Default::default() };
    match holder {
        Holder::Block(_, block, thread) => {
            let name = format!("heap {}#{}", tables.key(thread), block.nth);
            Place {
                start: block.address,
                object: object(ObjectClass::Heap, Some(thread), block.nth, block.size),
                path: with_offset(&name, address.wrapping_sub(block.address)),
                name,
            }
        }
        Holder::Stack(_, top, thread) => {
            let name = format!("stack {}", tables.key(thread));
            Place {
                start: top.wrapping_sub(STACK),
                object: object(ObjectClass::Stack, Some(thread), 0, STACK + PAGE),
                path: match top.checked_sub(address) {
                    Some(below) => format!("{name}-{below}"),
                    None => format!("{name}+{}", address - top),
                },
                name,
            }
        }
        Holder::Fixed => match names.variable(address, size.into()) {
            Some(variable) => Place {
                start: variable.address,
                object: object(ObjectClass::Global, None, 0, variable.size),
                name: variable.object.clone(),
                path: variable.path.clone(),
            },
            None => {
                let start = address & !(PAGE - 1);
                let name = format!("{start:#x}");
                Place {
                    start,
                    object: object(ObjectClass::Other, None, start, PAGE),
                    path: with_offset(&name, address - start),
                    name,
                }
            }
        },
    }
}
