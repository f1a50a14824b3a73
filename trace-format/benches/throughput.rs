//! How fast traces are written and read and how large they are, beside plain bincode of the same structs.
//!
//! The mix is 60 % reads, 30 % writes, 10 % synchronisation by four threads that take turns after a few
//! events each; 2,000 locations, 3,000 source positions; seven values in ten are small, two fit 32 bits, one
//! looks like a pointer. Every figure is the median of `ROUNDS`, on one core.
//!
//! `cargo bench -p warpath-trace`; `WARPATH_BENCH_EVENTS` sets the number of events.

use std::hint::black_box;
use std::time::Instant;

use warpath_trace::binary::{Item, TraceStream, TraceWriter, WriterOptions, read};
use warpath_trace::event::{Attempt, Datum, Event, Op, WaitResult};
use warpath_trace::header::{Header, Outcome};
use warpath_trace::ids::{LocationId, SourceId, StringId, ThreadIx};
use warpath_trace::place::{Location, Object, ObjectClass};
use warpath_trace::tables::Tables;
use warpath_trace::thread::Thread;

const ROUNDS: usize = 5;
const THREADS: u32 = 4;
const LOCATIONS: u32 = 2_000;
const SOURCES: u32 = 3_000;

type Error = Box<dyn std::error::Error>;

/// A small generator of its own (xorshift*), so that every run measures the same events.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11
    }

    fn below(&mut self, bound: u32) -> u32 {
        (self.next() % u64::from(bound)) as u32
    }

    fn value(&mut self) -> u128 {
        match self.below(10) {
            0..7 => self.below(200).into(),
            7..9 => self.below(u32::MAX).into(),
            _ => u128::from(0x7f00_0000_0000 | self.next() & 0xff_ffff_fff8),
        }
    }
}

fn events(count: usize) -> Vec<(ThreadIx, Event)> {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut thread = 0;
    let mut left = 0;
    let mut held = [false; THREADS as usize];
    (0..count)
        .map(|_| {
            if left == 0 {
                thread = random.below(THREADS);
                left = 1 + random.below(12);
            }
            left -= 1;
            let location = LocationId(random.below(LOCATIONS));
            let op = match random.below(10) {
                0..6 => Op::Read { location, value: random.value() },
                6..9 => Op::Write { location, value: Datum::concrete(random.value()) },
                _ => {
                    let mutex = LocationId(LOCATIONS + thread);
                    let held = &mut held[thread as usize];
                    *held = !*held;
                    match *held {
                        true => Op::Lock { mutex, attempt: Attempt::Block, result: WaitResult::Done },
                        false => Op::Unlock { mutex, result: WaitResult::Done },
                    }
                }
            };
            (ThreadIx(thread), Event { op, at: SourceId(1 + random.below(SOURCES)) })
        })
        .collect()
}

fn fill(tables: &mut Tables) -> Result<(), Error> {
    for nth in 0..THREADS {
        let parent = nth.checked_sub(1).map(|nth| (ThreadIx(0), nth));
        tables.thread(Thread { parent, start: StringId::EMPTY, argument: None, name: StringId::EMPTY })?;
    }
    for n in 0..LOCATIONS + THREADS {
        let name = tables.string(format!("table[{n}].value"))?;
        let object =
            tables.object(Object { class: ObjectClass::Global, owner: None, nth: 0, size: 8, name })?;
        tables.location(Location { object, offset: 0, size: 8, initial: Some(0), name })?;
    }
    for line in 1..=SOURCES {
        tables.source_line("program.c", line)?;
    }
    Ok(())
}

fn write(events: &[(ThreadIx, Event)], compression: Option<i32>) -> Result<Vec<u8>, Error> {
    let options = WriterOptions { compression, ..WriterOptions::default() };
    let mut writer = TraceWriter::new(Vec::new(), &Header::default(), options)?;
    fill(writer.tables())?;
    for (thread, event) in events {
        writer.event(*thread, event)?;
    }
    Ok(writer.finish(Outcome::Exited(0), &[])?)
}

/// Goes through the file as a streaming consumer does: every event decoded and checked, none kept.
fn stream(bytes: &[u8]) -> Result<u64, Error> {
    let mut stream = TraceStream::open(bytes)?;
    let mut seen = 0;
    while let Some(item) = stream.next_item()? {
        if let Item::Events(block) = item {
            for event in block.events() {
                black_box(event?);
                seen += 1;
            }
        }
    }
    Ok(seen)
}

/// Median seconds of `work`, and its last result.
fn median<T>(mut work: impl FnMut() -> Result<T, Error>) -> Result<(f64, T), Error> {
    let mut result = work()?;
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        result = work()?;
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok((times[ROUNDS / 2], result))
}

fn main() -> Result<(), Error> {
    let count = std::env::var("WARPATH_BENCH_EVENTS").ok().and_then(|text| text.parse().ok());
    let count: usize = count.unwrap_or(3_000_000);
    let events = events(count);
    let millions = |seconds: f64| count as f64 / seconds / 1e6;
    let plain_config = bincode::config::standard();
    let fixed_config = bincode::config::legacy();

    let (ours_write, ours) = median(|| write(&events, None))?;
    let (ours_stream, seen) = median(|| stream(&ours))?;
    assert_eq!(seen, count as u64, "every event written is read");
    let (ours_load, _) = median(|| Ok(read(&ours[..])?))?;
    let (zstd_write, zstd) = median(|| write(&events, Some(1)))?;
    let (zstd_stream, _) = median(|| stream(&zstd))?;
    let (plain_write, plain) = median(|| Ok(bincode::encode_to_vec(&events, plain_config)?))?;
    let (plain_read, _) =
        median(|| Ok(bincode::decode_from_slice::<Vec<(ThreadIx, Event)>, _>(&plain, plain_config)?))?;
    let (fixed_write, fixed) = median(|| Ok(bincode::encode_to_vec(&events, fixed_config)?))?;
    let (fixed_read, _) =
        median(|| Ok(bincode::decode_from_slice::<Vec<(ThreadIx, Event)>, _>(&fixed, fixed_config)?))?;

    println!("trace-format: {count} events, {THREADS} threads, median of {ROUNDS}");
    println!("{:<34} {:>12} {:>12} {:>12}", "", "write M/s", "read M/s", "bytes/event");
    let row = |name: &str, write: f64, read: f64, bytes: usize| {
        let size = bytes as f64 / count as f64;
        println!("{name:<34} {:>12.1} {:>12.1} {size:>12.2}", millions(write), millions(read));
    };
    row("trace file, streamed", ours_write, ours_stream, ours.len());
    row("trace file, loaded whole, checked", ours_write, ours_load, ours.len());
    row("trace file, zstd level 1", zstd_write, zstd_stream, zstd.len());
    row("plain bincode (thread, event) list", plain_write, plain_read, plain.len());
    row("plain bincode, fixed-size integers", fixed_write, fixed_read, fixed.len());
    println!(
        "against plain bincode: write x{:.2}, read x{:.2}, size x{:.2}",
        plain_write / ours_write,
        plain_read / ours_stream,
        ours.len() as f64 / plain.len() as f64
    );
    Ok(())
}
