//! Going back to what memory was.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Space;
use super::regions::Regions;
use super::space::Frame;

/// What a space was at some time. Cheap to keep: pages are shared until one side changes them.
#[derive(Clone)]
pub struct Snapshot(Arc<State>);

struct State {
    id: u64,
    frames: Vec<Frame>,
    regions: Regions,
    dirty: Vec<u32>,
}

/// Snapshots of different spaces must not be taken for one another.
static NEXT: AtomicU64 = AtomicU64::new(1);

impl Space {
    /// Remembers contents, mappings, dirtiness, symbolic marks and tracking.
    ///
    /// Shared marks are not part of it: they are knowledge about the program that later runs are to start with.
    pub fn snapshot(&mut self) -> Snapshot {
        // What could be written without asking must ask from now on: its pages are no longer ours alone.
        for number in std::mem::take(&mut self.changed) {
            self.drop_short_cuts(number);
        }
        self.epoch += 1;
        self.base = NEXT.fetch_add(1, Ordering::Relaxed);
        Snapshot(Arc::new(State {
            id: self.base,
            frames: self.frames.clone(),
            regions: self.regions.clone(),
            dirty: self.dirty.clone(),
        }))
    }

    /// Goes back to a snapshot of this space.
    ///
    /// Takes time for the pages changed since, if the snapshot is the last one taken or gone back to; else for all
    /// pages. Bytes found to be shared since and not taken yet stay listed.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        let state = &snapshot.0;
        let changed = std::mem::take(&mut self.changed);
        if self.base == state.id {
            for number in changed {
                self.restore_frame(number, state);
            }
        } else {
            for number in 0..self.frames.len() as u32 {
                self.restore_frame(number, state);
            }
        }
        // Not only those of restored frames: others may have been made under protections that are no more.
        self.tlb.clear();
        self.base = state.id;
        self.epoch += 1;
        self.regions = state.regions.clone();
        self.dirty.clone_from(&state.dirty);
        self.refused_code_write = false;
    }

    fn restore_frame(&mut self, number: u32, state: &State) {
        let unknown = Frame::default();
        let then = state.frames.get(number as usize).unwrap_or(&unknown);
        let now = &mut self.frames[number as usize];
        let same = match (&now.data, &then.data) {
            (Some(now), Some(then)) => now.is(then),
            (None, None) => true,
            _ => false,
        };
        if !same && now.code {
            self.stale_code.push(now.address);
        }
        now.data.clone_from(&then.data);
        now.symbolic.clone_from(&then.symbolic);
        now.owners.clone_from(&then.owners);
        now.dirty = then.dirty;
    }
}
