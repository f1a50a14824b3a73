//! Events of memory: accesses to shared bytes, storage that comes and goes.

use std::io::Write;

use warpath_light_format::{Kind, access, atomic};
use warpath_trace::event::{Datum, MemoryOrder, Op};
use warpath_trace::header::SharedRange;
use warpath_trace::ids::{SourceId, ThreadIx};

use super::emit::Emitter;
use super::places::Holder;
use crate::error::LightError;
use crate::pieces::{Piece, pieces};
use crate::space::{Owner, Space};
use crate::thread::Record;

/// Is such a record lifted here?
pub(super) fn touches_memory(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Access
            | Kind::RangeRead
            | Kind::RangeWrite
            | Kind::Fill
            | Kind::AtomicLoad
            | Kind::AtomicStore
            | Kind::AtomicUpdate
            | Kind::Fence
            | Kind::Alloc
            | Kind::Free
    )
}

fn order(code: u8) -> MemoryOrder {
    match atomic::order(code) {
        atomic::order::RELAXED => MemoryOrder::Relaxed,
        atomic::order::CONSUME | atomic::order::ACQUIRE => MemoryOrder::Acquire,
        atomic::order::RELEASE => MemoryOrder::Release,
        atomic::order::ACQ_REL => MemoryOrder::AcqRel,
        _ => MemoryOrder::SeqCst,
    }
}

impl<W: Write> Emitter<'_, W> {
    /// Whom an address belongs to now, with what its name is made of.
    pub(super) fn holder(&mut self, address: u64, space: &mut Space) -> Result<Holder, LightError> {
        let owner = space.owner(address);
        self.holder_of(owner, space)
    }

    fn holder_of(&mut self, owner: Owner, space: &Space) -> Result<Holder, LightError> {
        Ok(match owner {
            Owner::Fixed => Holder::Fixed,
            Owner::Block(number) => {
                let block = space.blocks[number as usize];
                Holder::Block(number, block, self.thread(block.thread)?)
            }
            Owner::Stack(number) => {
                let file = self.recording.threads.iter().find(|file| file.number == u64::from(number));
                let top = file.map_or(0, |file| file.stack.1);
                Holder::Stack(number, top, self.thread(number as usize)?)
            }
        })
    }

    /// Writes what the record says, if it is about shared bytes.
    pub(super) fn memory(
        &mut self,
        thread: ThreadIx,
        record: &Record<'_>,
        space: &mut Space,
    ) -> Result<(), LightError> {
        let address = record.word(2);
        match record.kind {
            Kind::Fence => {
                let at = self.place(record)?;
                self.put(thread, Op::Fence { order: order(record.a as u8) }, at)
            }
            Kind::Alloc | Kind::Free => {
                let Holder::Block(number, block, owner) = self.holder(address, space)? else { return Ok(()) };
                if !self.shared.has_block(number) || block.address != address {
                    return Ok(());
                }
                let holder = Holder::Block(number, block, owner);
                let tables = self.writer.tables();
                let (object, _) = self.objects.places.object(tables, self.names, holder, address)?;
                let at = self.place(record)?;
                let op = match record.kind {
                    Kind::Alloc => Op::Alloc { object, size: block.size, address },
                    _ => Op::Free { object },
                };
                self.put(thread, op, at)
            }
            _ => {
                let mut found: Vec<Piece> = Vec::new();
                pieces(record, |piece| {
                    let owner = space.owner(piece.address);
                    if self.shared.overlaps(owner, piece.address, piece.size) {
                        found.push(piece);
                    }
                });
                self.accesses(thread, record, &found, space)
            }
        }
    }

    fn place(&mut self, record: &Record<'_>) -> Result<SourceId, LightError> {
        Ok(self.names.call(self.writer.tables(), record.word(1))?)
    }

    fn accesses(
        &mut self,
        thread: ThreadIx,
        record: &Record<'_>,
        found: &[Piece],
        space: &mut Space,
    ) -> Result<(), LightError> {
        if found.is_empty() {
            return Ok(());
        }
        let at = self.place(record)?;
        if let (Kind::AtomicUpdate, [old, new]) = (record.kind, found) {
            let location = self.access(old, space)?;
            let new = Datum::concrete(new.value);
            let op = Op::Rmw { location, old: old.value, new, order: order(record.a as u8) };
            return self.put(thread, op, at);
        }
        let order = match record.kind {
            Kind::AtomicLoad | Kind::AtomicStore => Some(order(record.a as u8)),
            Kind::Access => access::is_volatile(record.a as u8).then_some(MemoryOrder::Volatile),
            _ => None,
        };
        for piece in found {
            let location = self.access(piece, space)?;
            let (value, datum) = (piece.value, Datum::concrete(piece.value));
            let op = match (piece.writes, order) {
                (false, None) => Op::Read { location, value },
                (true, None) => Op::Write { location, value: datum },
                (false, Some(order)) => Op::AtomicRead { location, value, order },
                (true, Some(order)) => Op::AtomicWrite { location, value: datum, order },
            };
            self.put(thread, op, at)?;
        }
        Ok(())
    }

    fn access(
        &mut self,
        piece: &Piece,
        space: &mut Space,
    ) -> Result<warpath_trace::ids::LocationId, LightError> {
        let holder = self.holder(piece.address, space)?;
        let found = (!piece.writes).then_some(piece.value);
        let tables = self.writer.tables();
        Ok(self.objects.places.access(tables, self.names, holder, piece.address, piece.size, found)?)
    }

    /// Says which bytes are shared; how many.
    pub(super) fn sharing(&mut self, space: &Space) -> Result<u64, LightError> {
        let mut ranges = Vec::new();
        for (owner, from, to) in self.shared.ranges() {
            let holder = self.holder_of(owner, space)?;
            let mut at = from;
            while at < to {
                let tables = self.writer.tables();
                let (object, offset) = self.objects.places.object(tables, self.names, holder, at)?;
                let left = tables
                    .objects()
                    .get(object.index())
                    .map_or(0, |object| object.size.saturating_sub(offset));
                let size = left.clamp(1, to - at);
                ranges.push(SharedRange { object, offset, size });
                at += size;
            }
        }
        ranges.sort_unstable();
        self.writer.sharing(&ranges)?;
        Ok(ranges.iter().map(|range| range.size).sum())
    }
}
