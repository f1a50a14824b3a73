//! The memory of an arena: compact nodes, interned so that equal terms are the same term.
//!
//! A node is 20 bytes. Up to three arguments stand inside it; longer lists stand in one shared
//! vector. Interning uses a table over the nodes themselves (8 bytes a slot) instead of a map with
//! keys of its own: a formula of ten million nodes should cost hundreds of megabytes, not
//! gigabytes. A slot keeps half of the hash beside the identifier, so that a collision seldom costs
//! a look at a node, which is a cache miss in a large formula.

use super::op::Op;
use super::sort::{PackedSort, Sort};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// A term of one [`Terms`](super::Terms) arena. Arguments always have smaller identifiers than the
/// terms they stand in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TermId(pub(super) u32);

impl TermId {
    /// Position in the arena, counted from 0 in order of creation.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Head {
    /// Arguments 0 and 1 are the low 64 bits, or, if argument 2 says so, argument 0 is an index
    /// into `wide`.
    Literal,
    /// Argument 0 is the number of the constant.
    Constant,
    App(Op),
}

#[derive(Debug, Clone, Copy)]
struct Node {
    head: Head,
    sort: PackedSort,
    args: [TermId; 3],
}

/// Fills unused inline arguments.
const NONE: TermId = TermId(u32::MAX);
/// In the third inline argument: the first two are start and length in `spill`.
const SPILLED: TermId = TermId(u32::MAX - 1);

/// A slot of the table.
#[derive(Debug, Clone, Copy)]
struct Slot {
    id: u32,
    /// The low half of the hash: enough to place the slot in any table of up to 2³² slots.
    hash: u32,
}

const FREE: Slot = Slot { id: u32::MAX, hash: 0 };

impl Slot {
    fn is_free(self) -> bool {
        self.id == FREE.id
    }
}

#[derive(Debug, Clone)]
pub(super) struct Store {
    nodes: Vec<Node>,
    spill: Vec<TermId>,
    /// Literals beyond 64 bits.
    wide: Vec<u128>,
    /// Open addressing with linear probing; a power of two, at most 3/4 full.
    table: Vec<Slot>,
}

impl Store {
    /// Most terms that one arena numbers: the rest of `u32` is kept for marks.
    pub(super) const LIMIT: u32 = u32::MAX - 16;

    pub(super) fn new() -> Self {
        Store { nodes: Vec::new(), spill: Vec::new(), wide: Vec::new(), table: vec![FREE; 1024] }
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn contains(&self, id: TermId) -> bool {
        id.index() < self.nodes.len()
    }

    pub(super) fn head(&self, id: TermId) -> Head {
        self.nodes[id.index()].head
    }

    pub(super) fn sort(&self, id: TermId) -> Sort {
        self.nodes[id.index()].sort.unpack()
    }

    /// Arguments of an application; empty for leaves.
    pub(super) fn args(&self, id: TermId) -> &[TermId] {
        let node = &self.nodes[id.index()];
        match node.head {
            Head::App(_) => self.args_of(node),
            Head::Literal | Head::Constant => &[],
        }
    }

    /// The number of a constant, as given to [`Store::constant`].
    pub(super) fn constant_number(&self, id: TermId) -> Option<usize> {
        let node = &self.nodes[id.index()];
        (node.head == Head::Constant).then(|| node.args[0].index())
    }

    /// The raw bits of a literal (integers in two's complement).
    pub(super) fn literal(&self, id: TermId) -> Option<u128> {
        let node = &self.nodes[id.index()];
        (node.head == Head::Literal).then(|| self.literal_bits(node))
    }

    /// Interns an application. `None` when the arena is full.
    pub(super) fn app(&mut self, op: Op, sort: Sort, args: &[TermId]) -> Option<TermId> {
        let sort = PackedSort::new(sort);
        let head = Head::App(op);
        let hash = hash_of(head, sort, args);
        match self
            .find(hash, |store, node| node.head == head && node.sort == sort && store.args_of(node) == args)
        {
            Ok(found) => Some(found),
            Err(vacancy) => {
                let args = match *args {
                    [a] => [a, NONE, NONE],
                    [a, b] => [a, b, NONE],
                    [a, b, c] => [a, b, c],
                    _ => {
                        let start = u32::try_from(self.spill.len()).ok()?;
                        let length = u32::try_from(args.len()).ok()?;
                        self.spill.extend_from_slice(args);
                        [TermId(start), TermId(length), SPILLED]
                    }
                };
                self.insert(vacancy, Node { head, sort, args })
            }
        }
    }

    /// Interns a literal given by its raw bits.
    pub(super) fn literal_term(&mut self, raw: u128, sort: Sort) -> Option<TermId> {
        let sort = PackedSort::new(sort);
        let words = words_of(raw);
        let hash = hash_of(Head::Literal, sort, &words);
        match self.find(hash, |store, node| {
            node.head == Head::Literal && node.sort == sort && store.literal_bits(node) == raw
        }) {
            Ok(found) => Some(found),
            Err(vacancy) => {
                let args = if raw >> 64 == 0 {
                    [words[0], words[1], NONE]
                } else {
                    let index = u32::try_from(self.wide.len()).ok()?;
                    self.wide.push(raw);
                    [TermId(index), NONE, SPILLED]
                };
                let head = Head::Literal;
                self.insert(vacancy, Node { head, sort, args })
            }
        }
    }

    /// Adds a constant; its caller keeps names apart, so it is not looked up.
    pub(super) fn constant(&mut self, number: usize, sort: Sort) -> Option<TermId> {
        let sort = PackedSort::new(sort);
        let number = TermId(u32::try_from(number).ok()?);
        let hash = hash_of(Head::Constant, sort, &[number]);
        let vacancy =
            self.find(hash, |_, _| false).expect_err("nothing is accepted, so a free slot is found");
        let head = Head::Constant;
        let args = [number, NONE, NONE];
        self.insert(vacancy, Node { head, sort, args })
    }

    fn literal_bits(&self, node: &Node) -> u128 {
        let [low, high, wide] = node.args;
        match wide {
            SPILLED => self.wide[low.index()],
            _ => u128::from(low.0) | u128::from(high.0) << 32,
        }
    }

    fn args_of<'a>(&'a self, node: &'a Node) -> &'a [TermId] {
        let [start, length, last] = node.args;
        match last {
            SPILLED => &self.spill[start.index()..][..length.index()],
            NONE if length == NONE => &node.args[..1],
            NONE => &node.args[..2],
            _ => &node.args,
        }
    }

    /// The node that `accept`s, or the free slot where it belongs.
    fn find(&self, hash: u32, accept: impl Fn(&Self, &Node) -> bool) -> Result<TermId, Vacancy> {
        let mask = self.table.len() - 1;
        let mut index = hash as usize & mask;
        loop {
            let slot = self.table[index];
            if slot.is_free() {
                return Err(Vacancy { index, hash });
            }
            if slot.hash == hash && accept(self, &self.nodes[slot.id as usize]) {
                return Ok(TermId(slot.id));
            }
            index = (index + 1) & mask;
        }
    }

    fn insert(&mut self, vacancy: Vacancy, node: Node) -> Option<TermId> {
        let id = u32::try_from(self.nodes.len()).ok().filter(|&id| id < Self::LIMIT)?;
        self.nodes.push(node);
        let Vacancy { index, hash } = vacancy;
        self.table[index] = Slot { id, hash };
        if self.nodes.len() * 4 > self.table.len() * 3 {
            self.grow();
        }
        Some(TermId(id))
    }

    fn grow(&mut self) {
        let mut table = vec![FREE; self.table.len() * 2];
        let mask = table.len() - 1;
        for &slot in self.table.iter().filter(|slot| !slot.is_free()) {
            let mut index = slot.hash as usize & mask;
            while !table[index].is_free() {
                index = (index + 1) & mask;
            }
            table[index] = slot;
        }
        self.table = table;
    }
}

/// Where a node that is not there yet belongs.
#[derive(Debug)]
struct Vacancy {
    index: usize,
    hash: u32,
}

/// The bits of a literal in words of the size of arguments.
fn words_of(raw: u128) -> [TermId; 4] {
    [0, 32, 64, 96].map(|shift| TermId((raw >> shift) as u32))
}

fn hash_of(head: Head, sort: PackedSort, args: &[TermId]) -> u32 {
    let mut hasher = FxHasher::default();
    head.hash(&mut hasher);
    sort.hash(&mut hasher);
    for arg in args {
        hasher.write_u32(arg.0);
    }
    hasher.finish() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_compact() {
        assert_eq!(std::mem::size_of::<Node>(), 20);
    }

    #[test]
    fn equal_nodes_are_one_through_growth() {
        let mut store = Store::new();
        let make = |store: &mut Store| {
            let mut ids = Vec::new();
            for number in 0..5000_u128 {
                ids.push(store.literal_term(number << 60, Sort::Int).unwrap());
            }
            for width in 1..6 {
                for start in 0..1000 {
                    let args = &ids[start..start + width];
                    let id = store.app(Op::And, Sort::Bool, args).unwrap();
                    assert_eq!(store.args(id), args);
                }
            }
            ids
        };
        let first = make(&mut store);
        let size = store.len();
        assert_eq!(make(&mut store), first);
        assert_eq!(store.len(), size);
        assert_eq!(size, 10_000);
        assert_eq!(store.literal(first[4999]), Some(4999 << 60));
    }
}
