//! The space against a model of it that is too simple to be wrong: every byte on its own.
//!
//! `WARPATH_SEED` chooses other histories.

#[path = "interpreter/rng.rs"]
mod rng;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use rng::Rng;
use warpath_native::cpu::{Code, Exit, Limits, Registers, run};
use warpath_native::memory::{Backing, Fault, FaultKind, Memory, Protection, Snapshot, Space, Trouble};

const START: u64 = 0x7000_0000;
const PAGES: u64 = 6;
const SIZE: u64 = PAGES * 4096;

/// The native process's memory.
#[derive(Clone)]
struct Native(Arc<Mutex<Vec<u8>>>);

impl Backing for Native {
    fn fetch(&mut self, page: u64, into: &mut [u8; 4096]) -> bool {
        let bytes = self.0.lock().expect("nobody panics with it");
        let Some(from) = page.checked_sub(START).map(|offset| offset as usize) else { return false };
        let Some(bytes) = bytes.get(from..from + 4096) else { return false };
        into.copy_from_slice(bytes);
        true
    }
}

/// Everything about a byte that belongs to one run.
#[derive(Clone, Default)]
struct Byte {
    value: u8,
    symbolic: bool,
    readers: BTreeSet<u16>,
    writers: BTreeSet<u16>,
    told: bool,
}

#[derive(Clone)]
struct Model {
    bytes: Vec<Byte>,
    protections: Vec<Option<Protection>>,
    dirty: Vec<bool>,
    native: Vec<u8>,
    shared: Vec<bool>,
    tracking: bool,
    thread: u16,
    newly_shared: BTreeSet<u64>,
}

impl Model {
    fn fault(&self, offset: u64, length: u64, write: bool) -> Option<Fault> {
        let kind = if write { FaultKind::Write } else { FaultKind::Read };
        (offset..offset + length).find_map(|at| {
            let protection = self.protections.get(at as usize / 4096).copied().flatten();
            let allowed = protection.is_some_and(|p| if write { p.write } else { p.read });
            (!allowed).then(|| Fault { address: START + at, kind, mapped: protection.is_some() })
        })
    }

    fn watched(&self, offset: u64, length: u64) -> bool {
        (offset..offset + length).any(|at| self.bytes[at as usize].symbolic || self.shared[at as usize])
    }

    fn note(&mut self, offset: u64, length: u64, write: bool) {
        if !self.tracking {
            return;
        }
        for at in offset..offset + length {
            let byte = &mut self.bytes[at as usize];
            let set = if write { &mut byte.writers } else { &mut byte.readers };
            set.insert(self.thread);
            let threads = byte.readers.union(&byte.writers).count();
            if threads > 1 && !byte.writers.is_empty() && !byte.told {
                byte.told = true;
                self.newly_shared.insert(START + at);
            }
        }
    }

    /// What an access should come to.
    fn access(&mut self, offset: u64, length: u64, write: bool, marks: bool) -> Result<(), Trouble> {
        if let Some(fault) = self.fault(offset, length, write) {
            // Marks in the first page are looked at before the second page is.
            let first = (offset + length).min((offset / 4096 + 1) * 4096) - offset;
            if marks && self.fault(offset, first, write).is_none() && self.watched(offset, first) {
                return Err(Trouble::Watched);
            }
            return Err(Trouble::Fault(fault));
        }
        if marks && self.watched(offset, length) {
            return Err(Trouble::Watched);
        }
        self.note(offset, length, write);
        Ok(())
    }

    fn reset_page(&mut self, page: u64) {
        for at in page * 4096..(page + 1) * 4096 {
            self.bytes[at as usize].value = self.native[at as usize];
        }
        self.dirty[page as usize] = false;
    }

    fn forget_run(&mut self, range: Range<u64>) {
        for at in range {
            let byte = &mut self.bytes[at as usize];
            *byte = Byte { value: byte.value, ..Byte::default() };
        }
    }
}

fn load(memory: &mut impl Memory, address: u64, length: u64) -> Result<Vec<u8>, Trouble> {
    Ok(match length {
        1 => memory.load::<1>(address)?.to_vec(),
        2 => memory.load::<2>(address)?.to_vec(),
        4 => memory.load::<4>(address)?.to_vec(),
        8 => memory.load::<8>(address)?.to_vec(),
        _ => memory.load::<16>(address)?.to_vec(),
    })
}

fn store(memory: &mut impl Memory, address: u64, bytes: u128, length: u64) -> Result<(), Trouble> {
    let bytes = bytes.to_le_bytes();
    fn first<const N: usize>(bytes: [u8; 16]) -> [u8; N] {
        std::array::from_fn(|n| bytes[n])
    }
    match length {
        1 => memory.store::<1>(address, first(bytes)),
        2 => memory.store::<2>(address, first(bytes)),
        4 => memory.store::<4>(address, first(bytes)),
        8 => memory.store::<8>(address, first(bytes)),
        _ => memory.store::<16>(address, bytes),
    }
}

struct World {
    space: Space,
    native: Native,
    model: Model,
    snapshots: Vec<(Snapshot, Model)>,
}

fn world(rng: &mut Rng) -> World {
    let bytes: Vec<u8> = (0..SIZE).map(|_| rng.next() as u8).collect();
    let native = Native(Arc::new(Mutex::new(bytes.clone())));
    let mut space = Space::new(Box::new(native.clone()));
    space.map(START..START + SIZE, Protection::READ_WRITE);
    let model = Model {
        bytes: bytes.iter().map(|&value| Byte { value, ..Byte::default() }).collect(),
        protections: vec![Some(Protection::READ_WRITE); PAGES as usize],
        dirty: vec![false; PAGES as usize],
        native: bytes,
        shared: vec![false; SIZE as usize],
        tracking: false,
        thread: 0,
        newly_shared: BTreeSet::new(),
    };
    World { space, native, model, snapshots: Vec::new() }
}

fn random_range(rng: &mut Rng) -> Range<u64> {
    let start = rng.below(SIZE);
    let length = rng.pick(&[1, 2, 4, 8, 16, 64, 5000]).min(SIZE - start);
    start..start + length
}

fn at(range: &Range<u64>) -> Range<u64> {
    START + range.start..START + range.end
}

impl World {
    fn act(&mut self, rng: &mut Rng) {
        let World { space, native, model, snapshots } = self;
        match rng.below(40) {
            0..=13 => {
                let (offset, length) = place(rng);
                let expected = model.access(offset, length, false, true);
                let got = load(space, START + offset, length);
                compare_load(model, offset, length, expected, got);
            }
            14..=25 => {
                let (offset, length) = place(rng);
                let value = u128::from(rng.next()) * 3;
                let expected = model.access(offset, length, true, true);
                assert_eq!(store(space, START + offset, value, length), expected);
                if expected.is_ok() {
                    model.put(offset, &value.to_le_bytes()[..length as usize]);
                }
            }
            26 | 27 => {
                let (offset, length) = place(rng);
                let expected = model.access(offset, length, false, false);
                let got = load(&mut space.unwatched(), START + offset, length);
                compare_load(model, offset, length, expected, got);
            }
            28 => {
                let (offset, length) = place(rng);
                let value = u128::from(rng.next()) * 5;
                let expected = model.access(offset, length, true, false);
                assert_eq!(store(&mut space.unwatched(), START + offset, value, length), expected);
                if expected.is_ok() {
                    model.put(offset, &value.to_le_bytes()[..length as usize]);
                }
            }
            29 => {
                let (range, on) = (random_range(rng), rng.one_in(2));
                if on {
                    space.mark_shared(at(&range))
                } else {
                    space.unmark_shared(at(&range))
                }
                model.shared[range.start as usize..range.end as usize].fill(on);
            }
            30 => {
                let (range, on) = (random_range(rng), rng.one_in(2));
                if on {
                    space.mark_symbolic(at(&range))
                } else {
                    space.unmark_symbolic(at(&range))
                }
                for at in range {
                    model.bytes[at as usize].symbolic = on;
                }
            }
            31 => {
                model.tracking = !rng.one_in(3);
                space.track(model.tracking);
            }
            32 | 33 => {
                model.thread = rng.pick(&[0, 1, 2, 4000]);
                space.set_thread(model.thread);
            }
            34 => {
                let range = random_range(rng);
                space.forget_tracking(at(&range));
                for at in range {
                    let byte = &mut model.bytes[at as usize];
                    *byte = Byte { value: byte.value, symbolic: byte.symbolic, ..Byte::default() };
                }
            }
            35 => {
                let pages = page_range(rng);
                let protection = rng.pick(&[Protection::READ, Protection::READ_WRITE, Protection::NONE]);
                space.protect(START + pages.start * 4096..START + pages.end * 4096, protection);
                for page in pages {
                    if let Some(old) = &mut model.protections[page as usize] {
                        *old = protection;
                    }
                }
            }
            36 => {
                let pages = page_range(rng);
                let range = pages.start * 4096..pages.end * 4096;
                let mapped = rng.one_in(2).then_some(Protection::READ_WRITE);
                match mapped {
                    Some(protection) => space.map(at(&range), protection),
                    None => space.unmap(at(&range)),
                }
                for page in pages {
                    model.protections[page as usize] = mapped;
                    model.reset_page(page);
                }
                model.forget_run(range);
            }
            37 => write_back(space, native, model),
            38 => {
                // The native process changes a page behind the space's back, and says so.
                let page = rng.below(PAGES);
                let value = rng.next() as u8;
                let from = page as usize * 4096;
                native.0.lock().expect("nobody panics with it")[from..from + 4096].fill(value);
                model.native[from..from + 4096].fill(value);
                let range = page * 4096 + rng.below(4096)..(page + 1) * 4096;
                space.forget(at(&range));
                model.reset_page(page);
            }
            _ => travel(rng, space, native, model, snapshots),
        }
        let found: BTreeSet<u64> =
            space.take_newly_shared().into_iter().flat_map(|(a, n)| a..a + n).collect();
        assert_eq!(found, std::mem::take(&mut model.newly_shared));
    }
}

impl Model {
    fn put(&mut self, offset: u64, bytes: &[u8]) {
        for (at, &value) in (offset..).zip(bytes) {
            self.bytes[at as usize].value = value;
            self.dirty[at as usize / 4096] = true;
        }
    }
}

fn compare_load(
    model: &Model,
    offset: u64,
    length: u64,
    expected: Result<(), Trouble>,
    got: Result<Vec<u8>, Trouble>,
) {
    let values = || (offset..offset + length).map(|at| model.bytes[at as usize].value).collect::<Vec<_>>();
    assert_eq!(got, expected.map(|()| values()));
}

/// An access, often across the border of two pages, sometimes out of everything at the end.
fn place(rng: &mut Rng) -> (u64, u64) {
    let length = rng.pick(&[1, 2, 4, 8, 16]);
    let offset =
        if rng.one_in(2) { rng.below(PAGES) * 4096 + 4096 - rng.below(20) } else { rng.below(SIZE - 16) };
    (offset.min(SIZE - length), length)
}

fn page_range(rng: &mut Rng) -> Range<u64> {
    let start = rng.below(PAGES);
    start..start + 1 + rng.below(PAGES - start)
}

fn write_back(space: &mut Space, native: &Native, model: &mut Model) {
    let pages: Vec<u64> = space.dirty().iter().map(|(address, _)| (address - START) / 4096).collect();
    let expected: Vec<u64> = (0..PAGES).filter(|&page| model.dirty[page as usize]).collect();
    assert_eq!(pages, expected);
    for (address, bytes) in space.dirty() {
        let from = (address - START) as usize;
        native.0.lock().expect("nobody panics with it")[from..from + 4096].copy_from_slice(bytes);
        model.native[from..from + 4096].copy_from_slice(bytes);
        let values: Vec<u8> = model.bytes[from..from + 4096].iter().map(|byte| byte.value).collect();
        assert_eq!(&bytes[..], values);
    }
    space.clean();
    model.dirty.fill(false);
}

/// Takes a snapshot, or goes back to one.
fn travel(
    rng: &mut Rng,
    space: &mut Space,
    native: &Native,
    model: &mut Model,
    snapshots: &mut Vec<(Snapshot, Model)>,
) {
    if snapshots.is_empty() || rng.one_in(4) {
        snapshots.push((space.snapshot(), model.clone()));
        return;
    }
    let (snapshot, then) = &snapshots[rng.below(snapshots.len() as u64) as usize];
    // The process that the run goes on with is a fork of the one at the snapshot.
    native.0.lock().expect("nobody panics with it").copy_from_slice(&then.native);
    space.restore(snapshot);
    *model = Model {
        shared: model.shared.clone(),
        tracking: model.tracking,
        thread: model.thread,
        newly_shared: std::mem::take(&mut model.newly_shared),
        ..then.clone()
    };
}

#[test]
fn histories_agree_with_the_model() {
    let seed = match std::env::var("WARPATH_SEED") {
        Ok(text) => text.parse().expect("WARPATH_SEED has to be a number"),
        Err(_) => 1,
    };
    let mut rng = Rng::new(seed);
    for _ in 0..60 {
        let mut world = world(&mut rng);
        for _ in 0..1500 {
            world.act(&mut rng);
        }
    }
}

/// Foreign code sees no shared marks and is not noted, but symbolic marks stop it too.
#[test]
fn foreign_code_does_not_see_shared_marks() {
    let code_bytes = [
        0x8b, 0x07, // mov eax, [rdi]
        0x89, 0x46, 0x04, // mov [rsi+4], eax
        0xcc, // int3
    ];
    let mut space = Space::new(Box::new(Native(Arc::new(Mutex::new(vec![0; SIZE as usize])))));
    space.map(START..START + SIZE, Protection::ALL);
    space.write_bytes(START, &code_bytes).expect("mapped");
    let (from, to) = (START + 4096, START + 8192);
    space.mark_shared(from..from + 1);
    space.track(true);
    let go = |space: &mut Space, code: &mut Code, thread: u16| {
        space.set_thread(thread);
        let mut registers = Registers { rip: START, ..Registers::default() };
        (registers.gpr[7], registers.gpr[6]) = (from, to);
        let (exit, executed) = run(&mut registers, code, space, &mut Limits::instructions(100));
        (exit, executed, registers.rip)
    };
    let mut code = Code::new();
    assert_eq!(go(&mut space, &mut code, 1), (Exit::Watched, 0, START));
    code.set_foreign(Vec::from_iter(Some(START..START + 4096)));
    assert_eq!(go(&mut space, &mut code, 1).0, Exit::Breakpoint);
    assert_eq!(go(&mut space, &mut code, 2).0, Exit::Breakpoint);
    assert!(space.take_newly_shared().is_empty(), "foreign accesses are not noted");
    code.set_foreign(Vec::new());
    space.unmark_shared(from..from + 1);
    assert_eq!(go(&mut space, &mut code, 1).0, Exit::Breakpoint);
    assert_eq!(go(&mut space, &mut code, 2).0, Exit::Breakpoint);
    assert_eq!(space.take_newly_shared(), [(to + 4, 4)]);
    space.mark_symbolic(to + 7..to + 8);
    code.set_foreign(Vec::from_iter(Some(START..START + 4096)));
    assert_eq!(go(&mut space, &mut code, 2), (Exit::Watched, 1, START + 2));
}

/// A snapshot can outlive its space and be used again and again.
#[test]
fn a_snapshot_starts_many_runs() {
    let mut space = Space::new(Box::new(Native(Arc::new(Mutex::new(vec![7; SIZE as usize])))));
    space.map(START..START + SIZE, Protection::READ_WRITE);
    space.write_bytes(START, &[1; 100]).expect("mapped");
    let snapshot = space.snapshot();
    for run in 0..100_u8 {
        let mut bytes = [0; 100];
        space.read_bytes(START, &mut bytes).expect("mapped");
        assert_eq!(bytes, [1; 100]);
        assert_eq!(space.load::<1>(START + 4096), Ok([7]));
        space.store::<1>(START + 4096, [run]).expect("writable");
        space.store::<4>(START + 98, [run; 4]).expect("writable");
        assert_eq!(space.dirty().len(), 2);
        space.restore(&snapshot);
        assert_eq!(space.dirty().len(), 1);
    }
}
