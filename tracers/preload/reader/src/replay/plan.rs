//! From a schedule to the plan that the library reads.

use rustc_hash::FxHashMap;

use warpath_light_format::Word;
use warpath_light_format::plan::{
    self, Act, LENIENT, Layout, MAGIC, NOBODY, Place, Range, Storage, TOGETHER, VERSION, at,
};
use warpath_native::names::Image;
use warpath_trace::event::Verb;
use warpath_trace::si::{Expected, SharedBytes, Si, Step, Visible};
use warpath_trace::thread::ThreadKey;

use super::ReplayError;

/// A plan, and what its numbers stand for.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) words: Vec<Word>,
    pub(super) layout: Layout,
    /// Threads by their places in the plan.
    pub(super) threads: Vec<ThreadKey>,
    /// Storage of the schedule that the library will not find.
    pub(super) unknown: Vec<String>,
}

#[derive(Default)]
struct Names {
    threads: Vec<ThreadKey>,
    by_key: FxHashMap<ThreadKey, u32>,
    objects: Vec<String>,
    by_name: FxHashMap<String, u32>,
}

impl Names {
    /// A thread's place, behind those of its ancestors.
    fn thread(&mut self, key: &ThreadKey) -> u32 {
        if let Some(&known) = self.by_key.get(key) {
            return known;
        }
        // From the oldest ancestor down; keys come from a file, and may be deep.
        let mut line = vec![key.clone()];
        while let Some((parent, _)) = line.last().and_then(ThreadKey::parent) {
            line.push(parent);
        }
        for key in line.into_iter().rev() {
            if !self.by_key.contains_key(&key) {
                self.by_key.insert(key.clone(), self.threads.len() as u32);
                self.threads.push(key);
            }
        }
        self.by_key.get(key).copied().unwrap_or(NOBODY)
    }

    fn object(&mut self, name: &str) -> u32 {
        if let Some(&known) = self.by_name.get(name) {
            return known;
        }
        let place = self.objects.len() as u32;
        self.objects.push(name.to_owned());
        self.by_name.insert(name.to_owned(), place);
        place
    }
}

/// What the plan calls the operations of schedules; those that are not here cannot be followed by the library.
const ACTS: [(Act, &[Verb]); 27] = [
    (Act::Begin, &[Verb::Begin]),
    (Act::End, &[Verb::End]),
    (Act::Fork, &[Verb::Fork]),
    (Act::Join, &[Verb::Join]),
    (Act::Detach, &[Verb::Detach]),
    (Act::Init, &[Verb::Init]),
    (Act::Destroy, &[Verb::Destroy]),
    (Act::Lock, &[Verb::Lock]),
    (Act::Unlock, &[Verb::Unlock]),
    (Act::RdLock, &[Verb::RdLock]),
    (Act::WrLock, &[Verb::WrLock]),
    (Act::RwUnlock, &[Verb::RdUnlock, Verb::WrUnlock]),
    (Act::CondWait, &[Verb::CondWait]),
    (Act::CondWake, &[Verb::CondWake]),
    (Act::Signal, &[Verb::Signal]),
    (Act::Broadcast, &[Verb::Broadcast]),
    (Act::SemWait, &[Verb::SemWait]),
    (Act::SemPost, &[Verb::SemPost]),
    (Act::SemValue, &[Verb::SemValue]),
    (Act::BarrierArrive, &[Verb::BarrierArrive]),
    (Act::BarrierLeave, &[Verb::BarrierLeave]),
    (Act::Once, &[Verb::Once]),
    (Act::Read, &[Verb::Read]),
    (Act::Write, &[Verb::Write]),
    (Act::Rmw, &[Verb::Rmw]),
    (Act::Fence, &[Verb::Fence]),
    (Act::Free, &[Verb::Free]),
];

fn act(verb: Verb) -> Option<Act> {
    ACTS.iter().find(|(_, verbs)| verbs.contains(&verb)).map(|(act, _)| *act)
}

/// What schedules call an act; nothing for what stands for any.
pub(super) fn verbs(act: Act) -> &'static [Verb] {
    ACTS.iter().find(|(known, _)| *known == act).map_or(&[], |(_, verbs)| verbs)
}

impl Plan {
    /// The plan of a schedule for this program.
    pub(super) fn new(si: &Si, program: &Image, lenient: bool) -> Result<Plan, ReplayError> {
        let mut names = Names::default();
        names.thread(&ThreadKey::main());
        let steps: Result<Vec<plan::Step>, ReplayError> =
            si.schedule.iter().map(|step| planned(&mut names, step)).collect();
        let steps = steps?;
        let mut unknown = Vec::new();
        let mut ranges = Vec::new();
        let storage: FxHashMap<String, u64> = {
            let shared = si.shared.iter().map(|shared| shared.object.as_str());
            let wanted: rustc_hash::FxHashSet<&str> =
                shared.chain(names.objects.iter().map(String::as_str)).collect();
            program.storage(|name| wanted.contains(name)).into_iter().collect()
        };
        for SharedBytes { object, bytes } in &si.shared {
            match place_of(object, &storage, &mut names) {
                Some(storage) => ranges.push(Range { storage, from: bytes.start, to: bytes.end }),
                None => unknown.push(object.clone()),
            }
        }
        unknown.dedup();
        // The library looks for storage by the middle.
        ranges.sort_unstable_by_key(|range: &Range| {
            let [kind, number, from, _] = range.pack();
            (kind as u32, kind >> 32, number, from)
        });
        let layout = Layout::new(names.threads.len(), names.objects.len(), steps.len(), ranges.len());
        let mut words = vec![0; layout.len()];
        words[at::MAGIC] = MAGIC;
        words[at::VERSION] = VERSION;
        let together = if si.expect.outcome == "data-race" { TOGETHER } else { 0 };
        words[at::FLAGS] = together | if lenient { LENIENT } else { 0 };
        let counts =
            [layout.threads, layout.objects, layout.steps, layout.ranges, layout.slots].map(|n| n as Word);
        words[at::THREADS..=at::SLOTS].copy_from_slice(&counts);
        for (nth, key) in names.threads.iter().enumerate() {
            words[layout.thread(nth)] = match key.parent() {
                None => u64::from(NOBODY),
                Some((parent, which)) => {
                    let parent = names.by_key.get(&parent).copied().unwrap_or(NOBODY);
                    u64::from(parent) | u64::from(which) << 32
                }
            };
        }
        for (nth, name) in names.objects.iter().enumerate() {
            let place = storage.get(name).map_or(Place::Unknown, |offset| Place::Executable(*offset));
            words[layout.object(nth)..][..plan::OBJECT].copy_from_slice(&place.pack());
        }
        for (nth, step) in steps.iter().enumerate() {
            words[layout.step(nth)..][..plan::STEP].copy_from_slice(&step.pack());
        }
        for (nth, range) in ranges.iter().enumerate() {
            words[layout.range(nth)..][..plan::RANGE].copy_from_slice(&range.pack());
        }
        Ok(Plan { words, layout, threads: names.threads, unknown })
    }

    /// As bytes of a file.
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

fn planned(names: &mut Names, step: &Step) -> Result<plan::Step, ReplayError> {
    let thread = names.thread(&step.thread);
    let Expected { verb, location, .. } = match &step.what {
        Visible::Any(count) => {
            return Ok(plan::Step { thread, act: Act::Any, object: None, count: (*count).max(1) });
        }
        Visible::Event(expected) => expected,
    };
    let refused = || ReplayError::Step(step.to_string());
    let act = act(*verb).ok_or_else(refused)?;
    let object = match location {
        Some(name) if act.is_about_thread() => Some(names.thread(&name.parse().map_err(|_| refused())?)),
        Some(name) => Some(names.object(name)),
        None => None,
    };
    Ok(plan::Step { thread, act, object, count: 1 })
}

/// Where storage of this name is.
fn place_of(object: &str, variables: &FxHashMap<String, u64>, names: &mut Names) -> Option<Storage> {
    if let Some(block) = object.strip_prefix("heap ") {
        let (key, nth) = block.split_once('#')?;
        return Some(Storage::Heap(names.thread(&key.parse().ok()?), nth.parse().ok()?));
    }
    if let Some(key) = object.strip_prefix("stack ") {
        return Some(Storage::Stack(names.thread(&key.parse().ok()?)));
    }
    variables.get(object).map(|offset| Storage::Executable(*offset))
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpath_trace::header::MemoryModel;

    fn plan(steps: &[&str]) -> Result<Plan, ReplayError> {
        let mut si = Si::new(MemoryModel::Sc);
        si.schedule = steps.iter().map(|step| step.parse().expect("a step")).collect();
        let own = std::env::current_exe().expect("this test");
        Plan::new(&si, &Image::open(&own, 0).expect("an executable"), false)
    }

    #[test]
    fn what_is_planned_is_a_plan() {
        let steps = ["T0 begin", "T0 fork T0.1.3", "T0.1.3 lock m @a.c:1", "T0 *7", "T0 rdunlock l"];
        let made = plan(&steps).expect("all of it can be followed");
        let layout = Layout::check(made.words.len(), |place| made.words[place]).expect("a plan");
        assert_eq!(layout, made.layout);
        let keys: Vec<String> = made.threads.iter().map(ToString::to_string).collect();
        assert_eq!(keys, ["T0", "T0.1", "T0.1.3"]);
        let from = layout.step(1);
        let fork = plan::Step::unpack([made.words[from], made.words[from + 1]]);
        assert_eq!(fork, Some(plan::Step { thread: 0, act: Act::Fork, object: Some(2), count: 1 }));
    }

    #[test]
    fn what_cannot_be_followed_is_named() {
        assert!(
            matches!(plan(&["T0 begin", "T0 commit x"]), Err(ReplayError::Step(step)) if step == "T0 commit x")
        );
    }

    #[test]
    fn no_change_of_a_word_is_taken_for_more_than_it_is() {
        let made = plan(&["T0 begin", "T0 fork T0.0", "T0.0 begin", "T0.0 lock m"]).expect("a plan");
        for place in 0..made.layout.slot(0) {
            for value in [0, 1, u64::MAX, 1 << 32, u64::from(u32::MAX)] {
                let mut words = made.words.clone();
                words[place] = value;
                let Ok(layout) = Layout::check(words.len(), |place| words[place]) else { continue };
                assert_eq!(layout.len(), words.len());
                let steps = (0..layout.steps).map(|nth| layout.step(nth));
                for step in steps.map(|from| plan::Step::unpack([words[from], words[from + 1]])) {
                    assert!(step.is_some_and(|step| (step.thread as usize) < layout.threads));
                }
            }
        }
        for len in 0..made.words.len() {
            assert!(Layout::check(len, |place| made.words[place]).is_err(), "cut at {len}");
        }
    }
}
