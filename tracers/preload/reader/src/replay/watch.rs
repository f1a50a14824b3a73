//! What a process that follows a plan has come to, seen from outside.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;

use warpath_light_format::plan::{Act, HEADER, SLOT, at, slot, state, why};
use warpath_light_format::{Kind, Word};
use warpath_trace::si::Expected;
use warpath_trace::thread::ThreadKey;

use super::plan::{Plan, verbs};

/// The plan's file, which the process writes to.
pub(super) struct Status<'a> {
    plan: &'a Plan,
    file: File,
    header: Vec<Word>,
    slots: Vec<Word>,
}

/// A thread that waits for something, as long as it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Waiting {
    tid: u64,
    changes: u64,
    kind: Option<Kind>,
    /// Where the kernel's number of the thread is that has it.
    owner: u64,
}

/// Nobody can go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stuck(Vec<Waiting>);

impl<'a> Status<'a> {
    pub(super) fn new(plan: &'a Plan, file: File) -> Status<'a> {
        let slots = plan.words.len() - plan.layout.slot(0);
        Status { plan, file, header: vec![0; HEADER], slots: vec![0; slots] }
    }

    /// Reads it once more.
    pub(super) fn look(&mut self) -> std::io::Result<()> {
        for (words, from) in [(&mut self.header, 0), (&mut self.slots, self.plan.layout.slot(0))] {
            let mut bytes = vec![0; words.len() * 8];
            self.file.read_exact_at(&mut bytes, from as u64 * 8)?;
            for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
                *word = bytes.try_into().map_or(0, Word::from_le_bytes);
            }
        }
        Ok(())
    }

    fn slot(&self, nth: usize, what: usize) -> Word {
        self.slots.get(nth * SLOT + what).copied().unwrap_or(0)
    }

    pub(super) fn state(&self) -> Word {
        self.header[at::STATE]
    }

    pub(super) fn is_over(&self) -> bool {
        self.state() == state::OVER
    }

    /// Steps that are done.
    pub(super) fn steps(&self) -> usize {
        (self.header[at::CURSOR] as u32 as usize).min(self.plan.layout.steps)
    }

    /// Changes when anything of the schedule is done.
    pub(super) fn cursor(&self) -> Word {
        self.header[at::CURSOR]
    }

    pub(super) fn skipped(&self) -> u64 {
        self.header[at::SKIPPED]
    }

    /// Did two threads stand before the last two steps at the same time?
    pub(super) fn stood_together(&self) -> bool {
        self.header[at::STOOD] == 1
    }

    fn key(&self, thread: Word) -> String {
        let known = usize::try_from(thread).ok().and_then(|thread| self.plan.threads.get(thread));
        known.map_or_else(|| "another thread".to_owned(), ToString::to_string)
    }

    /// What the thread did that parted from the schedule.
    pub(super) fn found(&self) -> String {
        let key = self.key(self.header[at::FOUND_THREAD]);
        let act = Act::of(self.header[at::FOUND_ACT]).map_or_else(|| "something".to_owned(), word);
        match self.header[at::FOUND_WHY] {
            why::OBJECT => format!("{key} comes to `{act}` of something else"),
            why::BLOCKED => format!("{key} would have to wait for its `{act}`"),
            why::ENDED => format!("{key} ends the program"),
            _ => format!("{key} comes to `{act}`"),
        }
    }

    /// Where it would have returned to; 0 if nobody knows.
    pub(super) fn found_place(&self) -> Word {
        self.header[at::FOUND_PLACE]
    }

    /// Why the step has not been taken for so long.
    pub(super) fn missing(&self, key: Option<&ThreadKey>, seconds: u64) -> String {
        let known = self.plan.threads.iter().position(|known| Some(known) == key);
        let Some(thread) = known else { return "nobody comes to it".to_owned() };
        let key = self.key(thread as Word);
        let what = match (self.slot(thread, slot::TID), self.slot(thread, slot::STATE)) {
            (0, _) => "has not been started".to_owned(),
            (_, slot::AT_GATE) => {
                let act = Act::of(self.slot(thread, slot::WHAT) & 0xff)
                    .map_or_else(|| "something".to_owned(), word);
                format!("is before `{act}`")
            }
            (_, slot::WAITS) => "waits".to_owned(),
            (_, slot::ENDED) => "has ended".to_owned(),
            _ => "does something else".to_owned(),
        };
        format!("{key} did not come to it in {seconds} s: it {what}")
    }

    /// Threads that wait for objects, if they keep each other from going on: all that there are, or a circle of owners.
    pub(super) fn stuck(&self, pid: u32) -> Option<Stuck> {
        let waiting: Vec<Waiting> = (0..self.plan.layout.slots)
            .filter(|&nth| self.slot(nth, slot::STATE) == slot::WAITS)
            .map(|nth| Waiting {
                tid: self.slot(nth, slot::TID),
                changes: self.slot(nth, slot::CHANGES),
                kind: u8::try_from(self.slot(nth, slot::WHAT)).ok().and_then(Kind::of),
                owner: self.slot(nth, slot::OWNER),
            })
            .collect();
        if waiting.is_empty() {
            return None;
        }
        let all = threads(pid)
            .is_some_and(|mut threads| threads.all(|tid| waiting.iter().any(|waiting| waiting.tid == tid)));
        (all || is_circle(&waiting, pid)).then_some(Stuck(waiting))
    }
}

/// The kernel's numbers of a process' threads.
fn threads(pid: u32) -> Option<impl Iterator<Item = u64>> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).ok()?;
    Some(tasks.filter_map(|task| task.ok()?.file_name().to_str()?.parse().ok()))
}

/// Does a thread wait for a lock whose owner waits for a lock …, and so on, back to the first? Who owns a lock now is
/// in the program's memory.
fn is_circle(waiting: &[Waiting], pid: u32) -> bool {
    let Ok(memory) = File::open(format!("/proc/{pid}/mem")) else { return false };
    let owner = |waiting: &Waiting| {
        let mut bytes = [0; 4];
        (waiting.owner != 0).then(|| memory.read_exact_at(&mut bytes, waiting.owner).ok())??;
        Some(u64::from(u32::from_le_bytes(bytes)))
    };
    waiting.iter().any(|first| {
        let mut next = first;
        for _ in 0..waiting.len() {
            let Some(tid) = owner(next) else { return false };
            if tid == first.tid {
                return true;
            }
            let Some(other) = waiting.iter().find(|other| other.tid == tid) else { return false };
            next = other;
        }
        false
    })
}

/// An act as schedules call it.
fn word(act: Act) -> String {
    match verbs(act) {
        [] => "something".to_owned(),
        verbs => {
            let word = |&verb| Expected { verb, location: None, place: None }.to_string();
            verbs.iter().map(word).collect::<Vec<_>>().join(" or ")
        }
    }
}
