//! Shared memory and the store buffers in front of it.

use warpath_trace::event::MemoryOrder;
use warpath_trace::header::MemoryModel;

use crate::oracle::program::{Cell, Program};

/// A write that has not reached memory.
#[derive(Clone, Debug)]
pub struct Buffered {
    pub cell: usize,
    pub bytes: Vec<u8>,
    /// Index of the write among its thread's events.
    pub event: u32,
    pub statement: u32,
    /// Under PSO: do all earlier writes reach memory before this one?
    release: bool,
    /// Under PSO, writes of lower epochs reach memory first; a release fence begins a new one.
    epoch: u32,
}

/// A thread's writes under way, the oldest first.
#[derive(Clone, Debug, Default)]
pub struct StoreBuffer {
    pub writes: Vec<Buffered>,
    epoch: u32,
}

/// Does a release order put earlier stores before later ones?
fn releases(order: MemoryOrder) -> bool {
    matches!(order, MemoryOrder::Release | MemoryOrder::AcqRel)
}

impl StoreBuffer {
    pub fn push(
        &mut self,
        cell: usize,
        bytes: Vec<u8>,
        order: Option<MemoryOrder>,
        event: u32,
        statement: u32,
    ) {
        let release = order.is_some_and(releases);
        self.writes.push(Buffered { cell, bytes, event, statement, release, epoch: self.epoch });
    }

    pub fn fence(&mut self, order: MemoryOrder) {
        if releases(order) {
            self.epoch += 1;
        }
    }
}

/// All storages' bytes.
#[derive(Clone, Debug)]
pub struct Memory {
    bytes: Vec<Vec<u8>>,
    pub freed: Vec<bool>,
    model: MemoryModel,
}

impl Memory {
    pub fn new(program: &Program, model: MemoryModel) -> Memory {
        let bytes: Vec<Vec<u8>> = program.storages.iter().map(|storage| storage.bytes.clone()).collect();
        Memory { freed: vec![false; bytes.len()], bytes, model }
    }

    /// Is a store of this order kept in the buffer first?
    pub fn is_buffered(&self, order: Option<MemoryOrder>) -> bool {
        self.model != MemoryModel::Sc && order != Some(MemoryOrder::SeqCst)
    }

    pub fn write(&mut self, cell: &Cell, bytes: &[u8]) {
        self.bytes[cell.storage][cell.offset..cell.offset + cell.size].copy_from_slice(bytes);
    }

    /// What a thread finds in a cell: byte by byte its own youngest write, else memory.
    pub fn read(&self, program: &Program, buffer: &StoreBuffer, cell: &Cell) -> Vec<u8> {
        let byte = |at: usize| {
            let own = buffer.writes.iter().rev().find_map(|write| {
                let written = &program.cells[write.cell];
                let inside = written.storage == cell.storage
                    && (written.offset..written.offset + written.size).contains(&at);
                inside.then(|| write.bytes[at - written.offset])
            });
            own.unwrap_or(self.bytes[cell.storage][at])
        };
        (cell.offset..cell.offset + cell.size).map(byte).collect()
    }

    /// Which of the buffered writes may reach memory now.
    pub fn committable(&self, program: &Program, buffer: &StoreBuffer) -> Vec<usize> {
        let may = |&nth: &usize| {
            let write = &buffer.writes[nth];
            let mut earlier = buffer.writes[..nth].iter();
            match self.model {
                MemoryModel::Sc | MemoryModel::Tso => nth == 0,
                MemoryModel::Pso => !earlier.any(|before| {
                    write.release
                        || before.epoch < write.epoch
                        || program.cells[before.cell].overlaps(&program.cells[write.cell])
                }),
            }
        };
        (0..buffer.writes.len()).filter(may).collect()
    }

    /// All bytes, one storage after the other.
    pub fn all(&self) -> Vec<u8> {
        self.bytes.concat()
    }
}
