//! A repair as the scheduler enforces it: which steps are added where.

use warpath_trace::repair::{How, Region, Rule};
use warpath_trace::thread::ThreadKey;

/// Where the objects that a repair adds lie: the kernel's half of the addresses, which no program has.
const OBJECTS: u64 = 0xffff_8000_0000_0000;
/// Room for the objects of one rule.
const RULE: u64 = 1 << 32;
/// Room for one object.
const OBJECT: u64 = 64;

/// A region of the program, by its number in the repair.
pub(crate) type PlaceIx = usize;

/// A repair, made ready.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// As it was given.
    pub rules: Vec<Rule>,
    /// The lines that it is about.
    pub places: Vec<Region>,
    pub measures: Vec<Measure>,
}

/// What one rule comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// One lock around all of these places.
    Lock { mutex: u64, places: Vec<PlaceIx> },
    /// A fence in front of each of these places.
    Fence { places: Vec<PlaceIx> },
    /// Latches, each open for ever once somebody has been at the place that is waited for.
    Latch { first: u64, before: PlaceIx, until: PlaceIx, opened: Opened },
    /// Who starts a thread at this place waits for its end.
    Join { place: PlaceIx },
    /// One lock around all that these threads do.
    Threads { mutex: u64, threads: Vec<ThreadKey> },
}

/// Who opens which latch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Opened {
    /// There is one, for everybody.
    Once,
    /// The n-th, by whoever has been there n times.
    Each,
    /// Each of these threads its own.
    All(Vec<ThreadKey>),
}

impl Plan {
    /// The measures of these rules, which have been checked.
    pub(crate) fn new(rules: &[Rule]) -> Plan {
        let mut plan = Plan { rules: rules.to_vec(), ..Plan::default() };
        for (n, rule) in rules.iter().enumerate() {
            let object = OBJECTS + n as u64 * RULE;
            let from = plan.places.len();
            plan.places.extend(rule.regions());
            let places: Vec<PlaceIx> = (from..plan.places.len()).collect();
            let keys = |keys: &[String]| keys.iter().filter_map(|key| key.parse().ok()).collect();
            plan.measures.push(match rule {
                Rule::CriticalSections { .. } => Measure::Lock { mutex: object, places },
                Rule::Fences { .. } => Measure::Fence { places },
                Rule::JoinAtOnce { .. } => Measure::Join { place: from },
                Rule::OneByOne { threads } => Measure::Threads { mutex: object, threads: keys(threads) },
                Rule::Wait { how, threads, .. } => Measure::Latch {
                    first: object,
                    before: from,
                    until: from + 1,
                    opened: match how {
                        How::Once => Opened::Once,
                        How::Each => Opened::Each,
                        How::All => Opened::All(keys(threads)),
                    },
                },
            });
        }
        plan
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Does it matter that a thread has been at a place where it did nothing that others can notice? To others who
    /// wait for it, or whom it waits for; a lock around nothing keeps nobody out.
    pub(super) fn is_marked(&self, place: PlaceIx) -> bool {
        self.measures.iter().any(|measure| match measure {
            Measure::Latch { before, until, .. } => [*before, *until].contains(&place),
            Measure::Fence { places } => places.contains(&place),
            Measure::Lock { .. } | Measure::Threads { .. } | Measure::Join { .. } => false,
        })
    }

    /// What an added object is called; `None` for what is not one.
    pub(crate) fn name(&self, address: u64) -> Option<String> {
        let offset = address.checked_sub(OBJECTS)?;
        let (rule, nth) = (offset / RULE, offset % RULE / OBJECT);
        let name = if rule == 0 { "repair".to_owned() } else { format!("repair_{}", rule + 1) };
        Some(match self.measures.get(usize::try_from(rule).ok()?)? {
            Measure::Latch { opened: Opened::Each, .. } => format!("{name}[{nth}]"),
            Measure::Latch { opened: Opened::All(threads), .. } => {
                format!("{name}[{}]", threads.get(usize::try_from(nth).ok()?)?)
            }
            _ => name,
        })
    }
}

/// The n-th latch of those that begin at an address.
pub(super) fn latch(first: u64, nth: usize) -> u64 {
    first + (nth as u64 % (RULE / OBJECT)) * OBJECT
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpath_trace::repair::Spot;

    #[test]
    fn added_objects_have_names() {
        let spot = |line| Spot { file: "m.c".into(), line, function: "f".into() };
        let wait = |how, threads: &[&str]| Rule::Wait {
            before: spot(1),
            until: spot(2),
            how,
            threads: threads.iter().map(|&key| key.to_owned()).collect(),
        };
        let plan = Plan::new(&[
            Rule::Fences { before: vec![spot(3)] },
            wait(How::Each, &[]),
            wait(How::All, &["T0", "T0.1"]),
            wait(How::Once, &[]),
        ]);
        let name = |rule: u64, nth| plan.name(latch(OBJECTS + rule * RULE, nth));
        assert_eq!(name(1, 7).as_deref(), Some("repair_2[7]"));
        assert_eq!(name(2, 1).as_deref(), Some("repair_3[T0.1]"));
        assert_eq!(name(3, 0).as_deref(), Some("repair_4"));
        assert_eq!((plan.name(0x40_0000), name(9, 0)), (None, None));
        assert_eq!(plan.places.len(), 7);
    }
}
