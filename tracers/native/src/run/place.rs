//! What an address means: the same words in every run.

use warpath_trace::ids::{StringId, ThreadIx};
use warpath_trace::place::{Object, ObjectClass};

use super::machine::{Machine, word_at};
use crate::names::Frame;

/// Frames that are searched for a local variable.
const FRAMES: usize = 16;

/// The storage that an address lies in.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// Where the storage starts.
    pub start: u64,
    /// What it is; its name is filled in later.
    pub object: Object,
    /// Its name.
    pub name: String,
    /// What people call the bytes at the address.
    pub path: String,
}

fn object(class: ObjectClass, owner: Option<ThreadIx>, nth: u64, size: u64) -> Object {
    Object { class, owner, nth, size, name: StringId::EMPTY }
}

fn with_offset(name: &str, offset: u64) -> String {
    if offset == 0 { name.to_owned() } else { format!("{name}+{offset}") }
}

impl Machine {
    /// The local variable of a thread at an address: `main: queue.items[3]`.
    fn local(&mut self, owner: usize, address: u64, size: u32) -> Option<String> {
        let mut frame = Frame::innermost(&self.threads[owner].registers);
        let key = self.threads[owner].key.clone();
        let (images, space) = (&self.images, &mut self.space);
        let mut read = |address: u64| word_at(space, address);
        for _ in 0..FRAMES {
            // The C library's own locals tell nobody anything, and its debug information is large.
            if !images.is_c_library(frame.pc)
                && let Some(local) = images.local(&frame, address, size.into(), &mut read)
            {
                let function = local.function.as_deref().unwrap_or("?");
                return Some(format!("{key} {function}:{}", local.path));
            }
            frame = images.caller(&frame, &mut read)?;
        }
        None
    }

    pub(crate) fn place_of(&mut self, address: u64, size: u32) -> Place {
        if let Some(added) = self.added_place(address, size) {
            return added;
        }
        if let Some(block) = self.heap.block_at(address) {
            let name = block.name();
            return Place {
                start: block.address,
                object: object(ObjectClass::Heap, Some(block.owner), block.nth, block.size),
                path: with_offset(&name, address - block.address),
                name,
            };
        }
        if let Some(variable) = self.images.variable(address, size.into()) {
            return Place {
                start: variable.address,
                object: object(ObjectClass::Global, None, 0, variable.size),
                name: variable.object.clone(),
                path: variable.path.clone(),
            };
        }
        // Stacks are named from their upper end: what lies below does not move it.
        let stack = self.threads.iter().position(|thread| thread.stack.contains(&address));
        if let Some(owner) = stack {
            let local = self.local(owner, address, size);
            let thread = &self.threads[owner];
            let name = format!("stack {}", thread.key);
            return Place {
                start: thread.stack.start,
                object: object(ObjectClass::Stack, Some(thread.ix), 0, thread.stack.end - thread.stack.start),
                path: local.unwrap_or_else(|| format!("{name}-{}", thread.stack.end - address)),
                name,
            };
        }
        let mapping = self.threads.iter().find(|thread| thread.slot.mappings().contains(&address));
        if let Some(thread) = mapping {
            let area = thread.slot.mappings();
            let name = format!("mapping {}", thread.key);
            return Place {
                start: area.start,
                object: object(ObjectClass::Other, Some(thread.ix), 0, area.end - area.start),
                path: with_offset(&name, address - area.start),
                name,
            };
        }
        let start = address & !0xfff;
        let name = format!("{start:#x}");
        Place {
            start,
            object: object(ObjectClass::Other, None, start, 4096),
            path: with_offset(&name, address - start),
            name,
        }
    }
}
