//! What a schedule from a file knows of a program: shared bytes, by the names of their storage, and loops that wait.
//!
//! Within one process, addresses say what is shared ([`super::sharing`]). A file has names, which are turned into
//! addresses as soon as the storage is there: variables when their file is mapped, stacks and mappings when their thread
//! starts, blocks when they are allocated.

use std::ops::Range;

use rustc_hash::FxHashMap;
use warpath_trace::si::{SharedBytes, Si};

use super::machine::Machine;

/// What a schedule knows of the program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// Bytes that are shared, by the name of their storage.
    shared: FxHashMap<String, Vec<Range<u64>>>,
    /// Loops that wait, by the address within their module.
    spins: Vec<u64>,
    /// Nothing else is taken as shared, whatever the run shows.
    is_final: bool,
}

impl Known {
    pub(crate) fn new(si: &Si) -> Known {
        let mut known = Known { spins: si.spins.clone(), is_final: true, ..Known::default() };
        for SharedBytes { object, bytes } in &si.shared {
            known.shared.entry(object.clone()).or_default().push(bytes.clone());
        }
        known
    }
}

impl Known {
    /// Is nothing else to be taken as shared?
    pub(crate) fn is_final(&self) -> bool {
        self.is_final
    }
}

impl Machine {
    /// Storage of this name lies at this address from now on.
    pub(crate) fn meet(&mut self, object: &str, address: u64) {
        for bytes in self.known.shared.get(object).cloned().unwrap_or_default() {
            let range = address.saturating_add(bytes.start)..address.saturating_add(bytes.end);
            if !range.is_empty() {
                self.space.mark_shared(range.clone());
                self.watched.insert(range.clone());
                self.sharing.insert(range);
            }
        }
    }

    /// The program is about to begin: what has no name but its address is there.
    pub(crate) fn meet_pages(&mut self) {
        let page =
            |name: &String| Some((name.clone(), u64::from_str_radix(name.strip_prefix("0x")?, 16).ok()?));
        let pages: Vec<(String, u64)> = self.known.shared.keys().filter_map(page).collect();
        for (name, address) in pages {
            self.meet(&name, address);
        }
    }

    /// The file at this address was mapped: its variables are there.
    pub(crate) fn meet_variables(&mut self, base: u64) {
        if self.known.shared.is_empty() {
            return;
        }
        let image = self.images.iter().find(|image| image.base() == base);
        let is_wanted = |name: &str| self.known.shared.contains_key(name);
        for (name, address) in image.map_or(Vec::new(), |image| image.storage(is_wanted)) {
            self.meet(&name, address);
        }
    }

    /// Loops that wait are looked at closely from their first turn on, and others as if nothing were known of them.
    pub(crate) fn know_spins(&mut self) {
        let bases = self.images.iter().map(|image| image.base());
        let spins = &self.known.spins;
        self.spin_sites =
            bases.flat_map(|base| spins.iter().map(move |spin| base.wrapping_add(*spin))).collect();
    }

    /// A thread was started: its stack and where it maps files are there.
    pub(crate) fn meet_thread(&mut self, t: usize) {
        let thread = &self.threads[t];
        let (stack, mappings) = (thread.stack.start, thread.slot.mappings().start);
        let (of_stack, of_mappings) = (format!("stack {}", thread.key), format!("mapping {}", thread.key));
        self.meet(&of_stack, stack);
        self.meet(&of_mappings, mappings);
    }
}
