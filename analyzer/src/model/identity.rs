//! Objects and locations that mean the same in every trace.

use std::collections::HashMap;

use warpath_trace::ids::{LocationId, ObjectId};
use warpath_trace::place::{Location, ObjectClass};
use warpath_trace::tables::Tables;
use warpath_trace::thread::ThreadKey;

/// What makes an object the same in another run: not its address, but whose it is and which.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ObjectKey {
    /// What kind of storage.
    pub class: ObjectClass,
    /// The thread that allocated it.
    pub owner: Option<ThreadKey>,
    /// Which of that thread's.
    pub nth: u64,
    /// Its name.
    pub name: String,
}

/// A location that means the same in every trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The object, by position in [`Places::objects`].
    pub object: ObjectId,
    /// First byte.
    pub offset: u64,
    /// Bytes.
    pub size: u32,
    /// Value before the first event, if some trace knew it.
    pub initial: Option<u128>,
    /// Name for people.
    pub name: String,
}

/// The objects and locations of all merged traces.
#[derive(Clone, Debug, Default)]
pub struct Places {
    objects: Vec<ObjectKey>,
    object_ids: HashMap<ObjectKey, ObjectId>,
    locations: Vec<Place>,
    location_ids: HashMap<(ObjectId, u64, u32), LocationId>,
}

impl Places {
    /// All objects; the index is the id.
    pub fn objects(&self) -> &[ObjectKey] {
        &self.objects
    }

    /// All locations; the index is the id.
    pub fn locations(&self) -> &[Place] {
        &self.locations
    }

    /// A location.
    pub fn location(&self, id: LocationId) -> &Place {
        &self.locations[id.index()]
    }

    /// The forest's id for one of a trace's objects.
    pub(crate) fn admit_object(&mut self, tables: &Tables, id: ObjectId) -> ObjectId {
        let object = &tables.objects()[id.index()];
        self.object(ObjectKey {
            class: object.class,
            owner: object.owner.map(|owner| tables.key(owner).clone()),
            nth: object.nth,
            name: tables.text(object.name).into_owned(),
        })
    }

    /// The forest's id for one of a trace's locations.
    pub(crate) fn admit_location(&mut self, tables: &Tables, id: LocationId) -> LocationId {
        let location = &tables.locations()[id.index()];
        let object = self.admit_object(tables, location.object);
        self.location_of(object, location, tables.location_name(id))
    }

    /// Says what a location holds when the window begins.
    pub(crate) fn set_initial(&mut self, id: LocationId, initial: Option<u128>) {
        self.locations[id.index()].initial = initial;
    }

    /// The forest's ids for a trace's objects and locations.
    pub(super) fn absorb(&mut self, tables: &Tables) -> (Vec<ObjectId>, Vec<LocationId>) {
        let objects = (0..tables.objects().len()).map(ObjectId::from);
        let objects: Vec<ObjectId> = objects.map(|id| self.admit_object(tables, id)).collect();
        let locations = tables.locations().iter().zip(0u32..);
        let locations = locations
            .map(|(location, id)| {
                let name = tables.location_name(LocationId(id));
                self.location_of(objects[location.object.index()], location, name)
            })
            .collect();
        (objects, locations)
    }

    fn object(&mut self, key: ObjectKey) -> ObjectId {
        if let Some(&id) = self.object_ids.get(&key) {
            return id;
        }
        let id = ObjectId::from(self.objects.len());
        self.objects.push(key.clone());
        self.object_ids.insert(key, id);
        id
    }

    fn location_of(&mut self, object: ObjectId, location: &Location, name: String) -> LocationId {
        let key = (object, location.offset, location.size);
        if let Some(&id) = self.location_ids.get(&key) {
            let known = &mut self.locations[id.index()];
            known.initial = known.initial.or(location.initial);
            return id;
        }
        let id = LocationId::from(self.locations.len());
        self.locations.push(Place {
            object,
            offset: location.offset,
            size: location.size,
            initial: location.initial,
            name,
        });
        self.location_ids.insert(key, id);
        id
    }
}
