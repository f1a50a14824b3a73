//! Cells: the largest pieces of storage that no access splits.
//!
//! Accesses of different size that overlap are cut at each other's borders. A location is then a row of
//! cells; a wide value is the concatenation of its cells' values, the first byte lowest.

use std::collections::{BTreeMap, BTreeSet};

use warpath_trace::ids::{LocationId, ObjectId};

use super::forest::Forest;

/// A cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CellId(pub u32);

/// Bytes that are always accessed together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The object.
    pub object: ObjectId,
    /// First byte.
    pub offset: u64,
    /// Bytes, 1 to 16.
    pub size: u32,
    /// Value before the first event, if known.
    pub initial: Option<u128>,
    /// Name for people.
    pub name: String,
}

impl Cell {
    /// Bits of the cell.
    pub fn width(&self) -> u32 {
        self.size * 8
    }
}

/// All cells, and the row of each location that is read or written.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    cells: Vec<Cell>,
    rows: BTreeMap<LocationId, Vec<CellId>>,
}

impl Cells {
    /// Cuts the locations that the forest's nodes access.
    pub fn of(forest: &Forest) -> Cells {
        let accessed: BTreeSet<LocationId> = forest
            .nodes()
            .iter()
            .filter_map(|node| node.op.read_location().or(node.op.written().map(|(location, _)| location)))
            .collect();
        let mut borders: BTreeMap<ObjectId, BTreeSet<u64>> = BTreeMap::new();
        for &location in &accessed {
            let place = forest.places.location(location);
            let object = borders.entry(place.object).or_default();
            object.insert(place.offset);
            object.insert(place.offset.saturating_add(place.size.into()));
        }
        let mut cells = Cells::default();
        let mut ids: BTreeMap<(ObjectId, u64), CellId> = BTreeMap::new();
        for &location in &accessed {
            let place = forest.places.location(location);
            let end = place.offset.saturating_add(place.size.into());
            let mut row = Vec::new();
            let cuts: Vec<u64> = borders[&place.object].range(place.offset..=end).copied().collect();
            for cut in cuts.windows(2) {
                let (from, to) = (cut[0], cut[1]);
                let initial = place.initial.map(|value| part(value, from - place.offset, to - from));
                let id = *ids.entry((place.object, from)).or_insert_with(|| {
                    let whole = cuts.len() == 2;
                    let name = if whole {
                        place.name.clone()
                    } else {
                        format!("{}+{}", place.name, from - place.offset)
                    };
                    cells.cells.push(Cell {
                        object: place.object,
                        offset: from,
                        size: (to - from) as u32,
                        initial: None,
                        name,
                    });
                    CellId(cells.cells.len() as u32 - 1)
                });
                let cell = &mut cells.cells[id.0 as usize];
                cell.initial = cell.initial.or(initial);
                row.push(id);
            }
            cells.rows.insert(location, row);
        }
        cells
    }

    /// All cells; the index is the id.
    pub fn all(&self) -> &[Cell] {
        &self.cells
    }

    /// A cell.
    pub fn cell(&self, id: CellId) -> &Cell {
        &self.cells[id.0 as usize]
    }

    /// The cells of a location, lowest byte first; none if it is never accessed.
    pub fn row(&self, location: LocationId) -> &[CellId] {
        self.rows.get(&location).map_or(&[], |row| &row[..])
    }
}

/// `size` bytes of a value from `offset` on.
pub(crate) fn part(value: u128, offset: u64, size: u64) -> u128 {
    let shifted = value.checked_shr(8 * offset as u32).unwrap_or(0);
    if size >= 16 { shifted } else { shifted & ((1 << (8 * size)) - 1) }
}
