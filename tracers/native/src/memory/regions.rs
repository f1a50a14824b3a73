//! Which addresses are mapped, and what may be done there.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Protection;

/// Mapped ranges by their first address; no two overlap.
#[derive(Clone, Debug, Default)]
pub(crate) struct Regions(BTreeMap<u64, (u64, Protection)>);

impl Regions {
    /// What is mapped at an address.
    pub(crate) fn at(&self, address: u64) -> Option<Protection> {
        let (_, &(end, protection)) = self.0.range(..=address).next_back()?;
        (address < end).then_some(protection)
    }

    pub(crate) fn map(&mut self, range: Range<u64>, protection: Protection) {
        self.unmap(range.clone());
        if range.start < range.end {
            self.0.insert(range.start, (range.end, protection));
        }
    }

    pub(crate) fn unmap(&mut self, range: Range<u64>) {
        self.cut(range.start);
        self.cut(range.end);
        let inside: Vec<u64> = self.within(&range);
        for start in inside {
            self.0.remove(&start);
        }
    }

    /// Changes what may be done in the mapped parts of a range.
    pub(crate) fn protect(&mut self, range: Range<u64>, protection: Protection) {
        self.cut(range.start);
        self.cut(range.end);
        for start in self.within(&range) {
            if let Some(region) = self.0.get_mut(&start) {
                region.1 = protection;
            }
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Range<u64>, Protection)> {
        self.0.iter().map(|(&start, &(end, protection))| (start..end, protection))
    }

    fn within(&self, range: &Range<u64>) -> Vec<u64> {
        if range.start >= range.end {
            return Vec::new();
        }
        self.0.range(range.clone()).map(|(&start, _)| start).collect()
    }

    /// Makes an address the border between two regions if it is inside one.
    fn cut(&mut self, at: u64) {
        if let Some((&start, &(end, protection))) = self.0.range(..at).next_back()
            && at < end
        {
            self.0.insert(start, (at, protection));
            self.0.insert(at, (end, protection));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_split_at_the_edges_of_a_change() {
        let mut regions = Regions::default();
        regions.map(0x1000..0x5000, Protection::READ_WRITE);
        regions.protect(0x2000..0x3000, Protection::READ);
        regions.unmap(0x3000..0x4000);
        let all: Vec<_> = regions.iter().collect();
        assert_eq!(
            all,
            [
                (0x1000..0x2000, Protection::READ_WRITE),
                (0x2000..0x3000, Protection::READ),
                (0x4000..0x5000, Protection::READ_WRITE)
            ]
        );
        assert_eq!(regions.at(0x2fff), Some(Protection::READ));
        assert_eq!(regions.at(0x3000), None);
        assert_eq!(regions.at(0x4fff), Some(Protection::READ_WRITE));
        assert_eq!(regions.at(0x5000), None);
        assert_eq!(regions.at(0xfff), None);
    }
}
