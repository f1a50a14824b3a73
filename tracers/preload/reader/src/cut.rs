//! Which records make a trace: those of one episode, from where the recording is whole.
//!
//! If the oldest part of a thread's records was overwritten, others have used the same objects before and after what is
//! gone. A beginning is whole if nothing behind it needs what is gone: of no object a ticket is missing behind it. So
//! everything with a lower ticket than a missing one is cut off, with all that came before it in its thread, until no
//! ticket is missing.

use rustc_hash::{FxHashMap, FxHashSet};

use warpath_light_format::Kind;

use crate::folder::Recording;
use crate::merge::{Lane, Tickets};
use crate::thread::{Record, ThreadFile};

/// The episodes that were recorded, in order.
pub(crate) fn episodes(threads: &[ThreadFile]) -> Vec<u64> {
    let mut found: Vec<u64> = Vec::new();
    for thread in threads {
        let mut last = None;
        for (episode, record) in with_episodes(thread) {
            if record.kind != Kind::Resume && last != Some(episode) {
                found.push(episode);
                last = Some(episode);
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Does an episode have everything since the program began?
pub(crate) fn from_the_start(recording: &Recording, episode: u64) -> bool {
    let first = recording.threads.iter().find(|thread| thread.number == 0);
    let first =
        first.and_then(|thread| with_episodes(thread).find(|(_, record)| record.kind != Kind::Resume));
    recording.meta.forked_from.is_none()
        && recording.threads.iter().all(|thread| !thread.headless)
        && first.is_some_and(|(of, record)| of == episode && record.kind == Kind::Begin)
}

/// Each record with its episode.
fn with_episodes(thread: &ThreadFile) -> impl Iterator<Item = (u64, Record<'_>)> {
    thread.records().scan(0, |episode, record| {
        if record.kind == Kind::Resume {
            *episode = record.word(1);
        }
        Some((*episode, record))
    })
}

/// A part of a thread's records.
#[derive(Clone, Copy, Default)]
struct Part {
    from: usize,
    to: usize,
}

/// The lanes of an episode, by the numbers of threads, and what is known of tickets.
pub(crate) fn lanes(recording: &Recording, episode: u64) -> (Vec<Lane<'_>>, Tickets) {
    let numbers = recording.threads.iter().map(|thread| thread.number as usize + 1).max().unwrap_or(0);
    let mut parts = vec![Part::default(); numbers];
    let mut by_number: Vec<Option<&ThreadFile>> = vec![None; numbers];
    for thread in &recording.threads {
        let mut part: Option<Part> = None;
        for (place, (of, record)) in with_episodes(thread).enumerate() {
            if of == episode && record.kind != Kind::Resume {
                part.get_or_insert(Part { from: place, to: place }).to = place + 1;
            }
        }
        parts[thread.number as usize] = part.unwrap_or_default();
        by_number[thread.number as usize] = Some(thread);
    }
    if recording.threads.iter().any(|thread| thread.headless) {
        make_whole(&by_number, &mut parts);
    }
    let mut tickets = Tickets::default();
    let mut forked = vec![false; numbers];
    let mut renewals: FxHashMap<u64, Vec<u64>> = FxHashMap::default();
    for (thread, part) in by_number.iter().zip(&parts) {
        for record in records(*thread, *part) {
            for (object, ticket) in record.tickets() {
                tickets
                    .first
                    .entry(object)
                    .and_modify(|known: &mut u64| *known = ticket.min(*known))
                    .or_insert(ticket);
            }
            if record.kind == Kind::AtomicLoad {
                *tickets.loads.entry((record.word(2), record.word(3))).or_default() += 1;
            }
            if let Some((object, ticket)) = renewal(&record) {
                renewals.entry(object).or_default().push(ticket);
            }
            if record.kind == Kind::Fork
                && let Some(child) = forked.get_mut(record.b as usize)
            {
                *child = true;
            }
        }
    }
    renewals.values_mut().for_each(|tickets| tickets.sort_unstable());
    tickets.renewed = renewed(&renewals, &by_number, &parts);
    let lane = |(number, part): (usize, &Part)| {
        // A number without a file, of a thread that could not be created, has no records: whose they are not is the same.
        let mut records = by_number[number].unwrap_or(&recording.threads[0]).records();
        for _ in 0..part.from {
            records.next();
        }
        Lane { records, forked: forked[number], count: part.to - part.from }
    };
    (parts.iter().enumerate().map(lane).collect(), tickets)
}

fn records<'a>(thread: Option<&'a ThreadFile>, part: Part) -> impl Iterator<Item = Record<'a>> {
    thread.into_iter().flat_map(ThreadFile::records).take(part.to).skip(part.from)
}

/// A record behind which an object's tickets go on whichever came before: the object and its ticket.
fn renewal(record: &Record<'_>) -> Option<(u64, u64)> {
    let renews = matches!(record.kind, Kind::Renew | Kind::Init);
    record.tickets().next().filter(|(_, ticket)| renews && *ticket > 1)
}

/// The last ticket before each of these, and the one that comes then.
fn renewed(
    renewals: &FxHashMap<u64, Vec<u64>>,
    threads: &[Option<&ThreadFile>],
    parts: &[Part],
) -> FxHashMap<(u64, u64), u64> {
    let mut last: FxHashMap<(u64, u64), u64> = FxHashMap::default();
    if renewals.is_empty() {
        return last;
    }
    for record in threads.iter().zip(parts).flat_map(|(thread, part)| records(*thread, *part)) {
        for (object, ticket) in record.tickets() {
            let Some(firsts) = renewals.get(&object) else { continue };
            let behind = firsts.partition_point(|first| *first <= ticket);
            if let Some(first) = firsts.get(behind) {
                let known = last.entry((object, *first)).or_insert(ticket);
                *known = ticket.max(*known);
            }
        }
    }
    last.into_iter().map(|((object, first), last)| ((object, last), first)).collect()
}

fn make_whole(threads: &[Option<&ThreadFile>], parts: &mut [Part]) {
    loop {
        let mut uses: FxHashMap<u64, Vec<(u64, usize, usize)>> = FxHashMap::default();
        let mut renewals: FxHashSet<(u64, u64)> = FxHashSet::default();
        for (number, thread) in threads.iter().enumerate() {
            for (place, record) in records(*thread, parts[number]).enumerate() {
                renewals.extend(renewal(&record));
                for (object, ticket) in record.tickets() {
                    uses.entry(object).or_default().push((ticket, number, parts[number].from + place));
                }
            }
        }
        let before: usize = parts.iter().map(|part| part.from).sum();
        for (object, uses) in &mut uses {
            uses.sort_unstable();
            let is_gap = |pair: &[(u64, usize, usize)]| {
                pair[0].0 + 1 != pair[1].0 && !renewals.contains(&(*object, pair[1].0))
            };
            let Some(gap) = uses.windows(2).rposition(is_gap) else { continue };
            for (_, number, place) in &uses[..=gap] {
                parts[*number].from = parts[*number].from.max(place + 1);
            }
        }
        if parts.iter().map(|part| part.from).sum::<usize>() == before {
            return;
        }
    }
}
