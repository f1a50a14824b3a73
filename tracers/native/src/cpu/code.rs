//! Decoded code, kept by address.

use std::ops::Range;

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory};
use rustc_hash::{FxHashMap, FxHashSet};

use super::effects::{Effects, effects_with};
use super::lower::lower;
use super::state::{Fields, Handler, Handlers};
use super::{Exit, RegisterSet};
use crate::memory::{Fault, FaultKind, Half, Space, page_of};

/// Instructions in a block at most.
const LONGEST: usize = 64;
/// An address that no block begins at: it is not canonical.
const NOWHERE: u64 = 1 << 63;
/// Places in the cache of jump targets.
const TARGETS: usize = 4096;

/// One instruction in a block, ready to be executed over a [`Space`].
pub(super) struct Op {
    pub(super) run: Handler<Space>,
    pub(super) fields: Fields,
}

/// Instructions that are executed one after the other.
pub(super) struct Block {
    /// Where it begins; [`NOWHERE`] if it is not valid any more.
    pub(super) address: u64,
    /// The address behind its last instruction.
    pub(super) end: u64,
    pub(super) half: Half,
    pub(super) ops: Box<[Op]>,
    /// What all of it has to do with, when entered at its beginning.
    pub(super) effects: Effects,
    /// The same, by instruction.
    pub(super) each: Box<[Effects]>,
    /// Blocks that followed it last time: by falling through, by its jump.
    pub(super) next: [u32; 2],
}

/// One instruction, decoded: for [`step`](super::step).
#[derive(Clone, Copy)]
pub struct Decoded {
    /// The instruction.
    pub instruction: Instruction,
    /// What it has to do with.
    pub effects: Effects,
    /// Whether it is interpreted; if not, executing it gives [`Exit::Hardware`].
    pub interpreted: bool,
    pub(super) fields: Fields,
    pub(super) handlers: Handlers,
}

/// The program's code, decoded as far as it was executed.
///
/// Belongs to one [`Space`]: it notices when code there is changed.
pub struct Code {
    pub(super) blocks: Vec<Block>,
    by_address: FxHashMap<u64, u32>,
    /// Blocks that have bytes in a page.
    by_page: FxHashMap<u64, Vec<u32>>,
    /// Places in `blocks` to use again.
    free: Vec<u32>,
    singles: FxHashMap<u64, Decoded>,
    /// The block that a computed jump to an address found last time.
    pub(super) targets: Box<[u32; TARGETS]>,
    hooks: FxHashSet<u64>,
    foreign: Vec<Range<u64>>,
    information: InstructionInfoFactory,
}

impl Default for Code {
    fn default() -> Self {
        Code::new()
    }
}

impl Code {
    /// Nothing decoded, no hooks, nothing foreign.
    pub fn new() -> Code {
        Code {
            // The first block is never valid: what has not been looked up yet points to it.
            blocks: vec![Block::invalid()],
            by_address: FxHashMap::default(),
            by_page: FxHashMap::default(),
            free: Vec::new(),
            singles: FxHashMap::default(),
            targets: Box::new([0; TARGETS]),
            hooks: FxHashSet::default(),
            foreign: Vec::new(),
            information: InstructionInfoFactory::new(),
        }
    }

    /// [`run`](super::run) stops with [`Exit::Hook`] before it executes at this address.
    /// [`step`](super::step) does not: it is the way past a hook.
    pub fn hook(&mut self, address: u64) {
        self.hooks.insert(address);
        self.invalidate(address..address.saturating_add(1));
    }

    /// Takes a hook away.
    pub fn unhook(&mut self, address: u64) {
        if self.hooks.remove(&address) {
            self.invalidate(address..address.saturating_add(1));
        }
    }

    /// Whether there is a hook at an address.
    pub fn is_hooked(&self, address: u64) -> bool {
        self.hooks.contains(&address)
    }

    /// Says which code is foreign: its accesses see no shared marks and are not noted.
    pub fn set_foreign(&mut self, ranges: Vec<Range<u64>>) {
        self.foreign = ranges;
        self.invalidate(0..u64::MAX);
    }

    /// Whether the code at an address is foreign.
    pub fn is_foreign(&self, address: u64) -> bool {
        self.foreign.iter().any(|range| range.contains(&address))
    }

    /// Forgets the instructions that have bytes in a range. Changes made through the space are noticed without this.
    pub fn invalidate(&mut self, range: Range<u64>) {
        if range.start >= range.end {
            return;
        }
        let (first, last) = (page_of(range.start), page_of(range.end - 1));
        let mut pages: Vec<u64> =
            self.by_page.keys().copied().filter(|page| (first..=last).contains(page)).collect();
        pages.sort_unstable();
        for page in pages {
            let numbers = self.by_page.remove(&page).unwrap_or_default();
            let (hit, kept) = numbers.into_iter().partition::<Vec<_>, _>(|&number| {
                let block = &self.blocks[number as usize];
                block.address < range.end && range.start < block.end
            });
            if !kept.is_empty() {
                self.by_page.insert(page, kept);
            }
            for number in hit {
                self.drop_block(number);
            }
        }
        // An instruction has at most 15 bytes.
        self.singles.retain(|&address, _| address >= range.end || address.saturating_add(15) <= range.start);
    }

    fn drop_block(&mut self, number: u32) {
        let block = std::mem::replace(&mut self.blocks[number as usize], Block::invalid());
        // A block in two pages is met twice.
        if block.address == NOWHERE {
            return;
        }
        self.by_address.remove(&block.address);
        for page in [page_of(block.address), page_of(block.end - 1)] {
            if let Some(numbers) = self.by_page.get_mut(&page) {
                numbers.retain(|&other| other != number);
            }
        }
        self.free.push(number);
    }

    /// Takes notice of code that was changed in the space.
    pub(super) fn catch_up(&mut self, space: &mut Space) {
        if space.has_stale_code() {
            for page in space.take_stale_code() {
                self.invalidate(page..page.saturating_add(4096));
            }
        }
    }

    /// The block at an address.
    pub(super) fn block_at(&mut self, space: &mut Space, address: u64) -> Result<u32, Exit> {
        if let Some(&number) = self.by_address.get(&address) {
            return Ok(number);
        }
        if self.hooks.contains(&address) {
            return Err(Exit::Hook);
        }
        let block = self.build(space, address)?;
        let (first, last) = (page_of(address), page_of(block.end - 1));
        let number = match self.free.pop() {
            Some(number) => {
                self.blocks[number as usize] = block;
                number
            }
            None => {
                self.blocks.push(block);
                self.blocks.len() as u32 - 1
            }
        };
        self.by_address.insert(address, number);
        self.by_page.entry(first).or_default().push(number);
        if last != first {
            self.by_page.entry(last).or_default().push(number);
        }
        Ok(number)
    }

    fn build(&mut self, space: &mut Space, address: u64) -> Result<Block, Exit> {
        let foreign = self.is_foreign(address);
        let mut ops = Vec::new();
        let mut each = Vec::new();
        let mut all = Effects::default();
        let mut at = address;
        while ops.len() < LONGEST {
            // A block reaches into a second page only with its last instruction.
            let elsewhere =
                page_of(at) != page_of(address) || self.hooks.contains(&at) || self.is_foreign(at) != foreign;
            if !ops.is_empty() && elsewhere {
                break;
            }
            let decoded = match self.decode_new(space, at) {
                Ok(decoded) => decoded,
                // What cannot be fetched matters when it is reached.
                Err(_) if !ops.is_empty() => break,
                Err(exit) => return Err(exit),
            };
            ops.push(Op { run: decoded.handlers.fast, fields: decoded.fields });
            each.push(decoded.effects);
            all.touches |= decoded.effects.touches - all.kills;
            all.kills |= decoded.effects.kills;
            at = decoded.instruction.next_ip();
            if decoded.instruction.flow_control() != FlowControl::Next || !decoded.interpreted {
                break;
            }
        }
        Ok(Block {
            address,
            end: at,
            half: if foreign { Half::Foreign } else { Half::Own },
            ops: ops.into(),
            effects: all,
            each: each.into(),
            next: [0; 2],
        })
    }

    /// The instruction at an address, decoded. Fails where no instruction can be fetched.
    pub fn decode(&mut self, space: &mut Space, address: u64) -> Result<Decoded, Exit> {
        self.catch_up(space);
        if let Some(decoded) = self.singles.get(&address) {
            return Ok(*decoded);
        }
        let decoded = self.decode_new(space, address)?;
        self.singles.insert(address, decoded);
        Ok(decoded)
    }

    fn decode_new(&mut self, space: &mut Space, address: u64) -> Result<Decoded, Exit> {
        let mut bytes = [0; 15];
        let length = space.fetch_code(address, &mut bytes).map_err(Exit::Fault)?;
        let mut decoder = Decoder::with_ip(64, &bytes[..length], address, DecoderOptions::NONE);
        let instruction = decoder.decode();
        if instruction.is_invalid() && length < 15 {
            // It may be valid with the bytes of the next page, which cannot be had.
            let at = address + length as u64;
            let fault =
                Fault { address: at, kind: FaultKind::Execute, mapped: space.protection(at).is_some() };
            return Err(Exit::Fault(fault));
        }
        let (handlers, fields, interpreted) = lower(&instruction);
        let effects = effects_with(&mut self.information, &instruction);
        Ok(Decoded { instruction, effects, interpreted, fields, handlers })
    }

    /// The place for a computed jump's target in the cache.
    #[inline(always)]
    pub(super) fn target_slot(address: u64) -> usize {
        (address ^ (address >> 12)) as usize & (TARGETS - 1)
    }
}

/// The instruction at an address; `None` where none can be fetched, or it is not one.
pub fn instruction_at(code: &mut Code, space: &mut Space, address: u64) -> Option<Instruction> {
    let decoded = code.decode(space, address).ok()?;
    (!decoded.instruction.is_invalid()).then_some(decoded.instruction)
}

impl Block {
    fn invalid() -> Block {
        Block {
            address: NOWHERE,
            end: NOWHERE,
            half: Half::Own,
            ops: Box::new([]),
            effects: Effects { touches: RegisterSet::EMPTY, kills: RegisterSet::EMPTY },
            each: Box::new([]),
            next: [0; 2],
        }
    }
}
