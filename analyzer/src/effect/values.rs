//! Which other values a read can find.

use std::collections::{HashMap, HashSet};

use warpath_trace::ids::ObjectId;
use warpath_trace::place::Location;
use warpath_trace::trace::Trace;

use super::{At, Candidate};

/// So many reads of what one write wrote are looked at.
const READERS: usize = 16;

/// An access: the bytes, what it found there and what it left there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access<'t> {
    pub(super) at: At,
    location: &'t Location,
    found: Option<u128>,
    left: Option<u128>,
}

impl<'t> Access<'t> {
    pub(super) fn of(trace: &'t Trace, at: At) -> Option<Access<'t>> {
        let op = trace.event(at.0, at.1)?.op;
        let written = op.written();
        let location = op.read_location().or(written.map(|(location, _)| location))?;
        Some(Access {
            at,
            location: trace.tables.locations().get(location.index())?,
            found: op.read_value(),
            left: written.map(|(_, value)| value.value),
        })
    }
}

/// What was in memory around the accesses of interest.
#[derive(Debug, Default)]
pub(super) struct Others<'t> {
    /// What each write replaced, where that is known.
    replaced: HashMap<At, u128>,
    /// When each access of interest happened.
    moments: HashMap<At, usize>,
    /// Who found what each write had left.
    readers: HashMap<At, Vec<Access<'t>>>,
}

impl<'t> Others<'t> {
    /// Goes through the run once, with the memory of the objects that the accesses of interest touch.
    pub(super) fn of(trace: &'t Trace, wanted: &HashSet<At>) -> Others<'t> {
        let mut others = Others::default();
        let objects: HashSet<ObjectId> = wanted
            .iter()
            .filter_map(|&at| Access::of(trace, at))
            .map(|access| access.location.object)
            .collect();
        let Ok(order) = trace.in_order() else { return others };
        if objects.is_empty() {
            return others;
        }
        // Per byte, its value and who wrote it.
        let mut memory: HashMap<(ObjectId, u64), (u8, Option<At>)> = HashMap::new();
        for location in trace.tables.locations().iter().filter(|location| objects.contains(&location.object))
        {
            let Some(initial) = location.initial.filter(|_| location.size <= Location::MAX_ACCESS) else {
                continue;
            };
            for (n, byte) in bytes(location, initial) {
                memory.insert((location.object, n), (byte, None));
            }
        }
        for (moment, (thread, index, _)) in order.enumerate() {
            let at = (thread, index);
            if wanted.contains(&at) {
                others.moments.insert(at, moment);
            }
            let Some(access) =
                Access::of(trace, at).filter(|access| objects.contains(&access.location.object))
            else {
                continue;
            };
            let Access { location, found, left, .. } = access;
            if let Some(found) = found {
                let mut writers: Vec<At> = Vec::new();
                for (n, byte) in bytes(location, found) {
                    let known = memory.entry((location.object, n)).or_insert((byte, None));
                    writers.extend(known.1);
                }
                writers.dedup();
                for writer in writers.into_iter().filter(|writer| wanted.contains(writer)) {
                    let readers = others.readers.entry(writer).or_default();
                    if readers.len() < READERS {
                        readers.push(access);
                    }
                }
            }
            if let Some(left) = left {
                if wanted.contains(&at) {
                    let before: Option<Vec<u8>> = bytes(location, left)
                        .map(|(n, _)| memory.get(&(location.object, n)).map(|(byte, _)| *byte))
                        .collect();
                    if let Some(before) = before {
                        let value =
                            before.iter().rev().fold(0u128, |value, byte| value << 8 | u128::from(*byte));
                        others.replaced.insert(at, value);
                    }
                }
                for (n, byte) in bytes(location, left) {
                    memory.insert((location.object, n), (byte, Some(at)));
                }
            }
        }
        others
    }

    /// Of some accesses the one of another thread that happened nearest to this one.
    pub(super) fn nearest<'a>(&self, one: &Access<'_>, of: &'a [Access<'t>]) -> Option<&'a Access<'t>> {
        let moment = |access: &Access<'_>| self.moments.get(&access.at).copied();
        let here = moment(one)?;
        let others = of.iter().filter(|other| other.at.0 != one.at.0);
        others
            .filter_map(|other| Some((moment(other)?.abs_diff(here), other)))
            .min_by_key(|(far, _)| *far)
            .map(|(_, other)| other)
    }

    /// What the order of a write and another access lets a read find: that access, or who found what it had left.
    pub(super) fn of_pair(&self, write: &Access<'_>, other: &Access<'_>) -> Vec<Candidate> {
        let Some(left) = write.left.filter(|_| write.location.overlaps(other.location)) else {
            return Vec::new();
        };
        let candidate = |read: &Access<'_>, value: u128| {
            let found = read.found?;
            let instead = overlay(read.location, found, write.location, value);
            (instead != found).then_some(Candidate { read: read.at, found, other: instead })
        };
        if other.found.is_some() {
            let replaced = self.replaced.get(&write.at);
            let either = candidate(other, left).or_else(|| candidate(other, *replaced?));
            return either.into_iter().collect();
        }
        let readers = self.readers.get(&other.at).into_iter().flatten();
        readers
            .filter(|read| read.location.overlaps(write.location))
            .filter_map(|read| candidate(read, left))
            .collect()
    }
}

/// The bytes of a value in a location, each with its place in the object.
fn bytes(location: &Location, value: u128) -> impl Iterator<Item = (u64, u8)> + use<> {
    let (offset, size) = (location.offset, location.size.min(Location::MAX_ACCESS));
    value
        .to_le_bytes()
        .into_iter()
        .zip(0u64..)
        .take(size as usize)
        .map(move |(byte, n)| (offset.wrapping_add(n), byte))
}

/// The value of a location after a part of it was overwritten.
fn overlay(location: &Location, value: u128, written: &Location, with: u128) -> u128 {
    let over: HashMap<u64, u8> = bytes(written, with).collect();
    let after = bytes(location, value).map(|(n, byte)| over.get(&n).copied().unwrap_or(byte));
    let all: Vec<u8> = after.collect();
    all.iter().rev().fold(0, |value, byte| value << 8 | u128::from(*byte))
}
