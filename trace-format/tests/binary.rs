//! The binary form: round trips, cuts, flipped bits, versions, bounds.
#![allow(clippy::unwrap_used, reason = "a test that meets an error should fail there")]

mod common;
mod samples;

use proptest::prelude::*;
use samples::{everything, two_threads};
use warpath_trace::binary::{
    ChunkKind, ChunkReader, Ending, Item, OnDamage, ReadError, TraceStream, TraceWriter, WriterOptions, read,
    read_with,
};
use warpath_trace::event::{Event, Op};
use warpath_trace::header::{Header, Outcome};
use warpath_trace::ids::{SourceId, StringId};
use warpath_trace::thread::Thread;
use warpath_trace::trace::Trace;

fn small_segments() -> WriterOptions {
    WriterOptions { segment_bytes: 40, ..WriterOptions::default() }
}

/// The same events, thread by thread and in the same order, as far as `part` goes.
fn assert_prefix(part: &Trace, whole: &Trace) {
    assert_eq!(part.header, whole.header);
    for (part, whole) in part.threads.iter().zip(&whole.threads) {
        assert_eq!(part[..], whole[..part.len()]);
    }
    if let Ok(order) = whole.in_order() {
        let order: Vec<_> = order.map(|(thread, index, _)| (thread, index)).collect();
        let part: Vec<_> = part.in_order().unwrap().map(|(thread, index, _)| (thread, index)).collect();
        if matches!(whole.order, warpath_trace::order::Order::Total(_)) {
            assert_eq!(part[..], order[..part.len()]);
        }
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read(trace in common::trace(), segment in 1usize..5000, level in proptest::option::of(1i32..4)) {
        let options = WriterOptions { compression: level, segment_bytes: segment };
        let bytes = trace.write(Vec::new(), options).unwrap();
        let (back, ending) = read(&bytes[..]).unwrap();
        prop_assert_eq!(matches!(ending, Ending::Complete), trace.footer.is_some());
        // Neighbouring runs of one thread become one when they meet in a segment: compare what they mean.
        prop_assert_eq!(back.canonical().unwrap(), trace.canonical().unwrap());
        prop_assert_eq!(trace.write(Vec::new(), options).unwrap(), bytes);
    }

    #[test]
    fn a_cut_file_gives_a_prefix(trace in common::trace(), cut in any::<prop::sample::Index>()) {
        let bytes = trace.write(Vec::new(), small_segments()).unwrap();
        let cut = cut.index(bytes.len());
        match read(&bytes[..cut]) {
            Ok((part, Ending::Cut { offset })) => {
                prop_assert!(offset as usize <= cut);
                assert_prefix(&part, &trace);
            }
            Ok((_, ending)) => prop_assert!(false, "a cut file reads as {ending:?}"),
            Err(ReadError::TooShort(_)) => {}
            // A cut within the first bytes leaves nothing to recognise.
            Err(error) => prop_assert!(cut < 9, "{error}"),
        }
    }

    #[test]
    fn a_flipped_bit_is_noticed_and_named(trace in common::trace(), at in any::<prop::sample::Index>(), bit in 0u32..8) {
        let mut bytes = trace.write(Vec::new(), small_segments()).unwrap();
        let at = at.index(bytes.len());
        prop_assume!(at >= 9);
        bytes[at] ^= 1 << bit;
        match read(&bytes[..]) {
            Err(ReadError::Checksum { offset, .. } | ReadError::Oversized { offset, .. }) => {
                prop_assert!(offset as usize <= at);
            }
            // A length that grew past the end of the file cannot be told from a cut.
            Ok((part, Ending::Cut { .. })) => assert_prefix(&part, &trace),
            Err(ReadError::TooShort(_)) => {}
            other => prop_assert!(false, "a flipped bit at {at} gives {other:?}"),
        }
        if let Ok((part, _)) = read_with(&bytes[..], OnDamage::KeepBefore) {
            assert_prefix(&part, &trace);
        }
    }
}

#[test]
fn every_cut_of_a_trace_with_everything() {
    let trace = everything();
    let bytes = trace.write(Vec::new(), small_segments()).unwrap();
    let mut last = 0;
    for cut in 0..bytes.len() {
        if let Ok((part, ending)) = read(&bytes[..cut]) {
            assert!(matches!(ending, Ending::Cut { .. }));
            assert_prefix(&part, &trace);
            assert!(part.len() >= last, "a longer file gives no less");
            last = part.len();
        }
    }
    assert_eq!(last, trace.len(), "without its footer alone, a file still has every event");
}

#[test]
fn unknown_chunks_are_skipped() {
    let bytes = two_threads().write(Vec::new(), WriterOptions::default()).unwrap();
    // After the preamble and the header chunk: a chunk of kind 200.
    let (before, after) = bytes.split_at(9 + 6 + 12 + 4);
    let mut unknown = vec![200, 0, 3, 0, 0, 0, 1, 2, 3];
    let checksum = crc32fast::hash(&unknown);
    unknown.extend(checksum.to_le_bytes());
    let bytes = [before, &unknown, after].concat();
    assert_eq!(read(&bytes[..]).unwrap().0, two_threads());
    let mut stream = TraceStream::open(&bytes[..]).unwrap();
    assert!(matches!(stream.next_item().unwrap(), Some(Item::Unknown(ChunkKind(200)))));
}

#[test]
fn other_versions() {
    let mut bytes = two_threads().write(Vec::new(), WriterOptions::default()).unwrap();
    bytes[8] = 77;
    assert_eq!(read(&bytes[..]).unwrap().0, two_threads(), "a higher minor version is read");
    bytes[7] = 2;
    let error = read(&bytes[..]).unwrap_err();
    assert!(matches!(error, ReadError::Version { major: 2, minor: 77 }));
    assert!(error.to_string().contains("version 2.77"), "{error}");
}

#[test]
fn what_is_no_trace_is_named() {
    let error = read(&b"\x7fELF\x02\x01\x01\x00\x00\x00"[..]).unwrap_err().to_string();
    assert_eq!(
        error,
        r#"this is not a Warpath trace: it begins with "\\x7fELF\\x02\\x01\\x01" instead of "WPTRACE""#
    );
    assert!(matches!(read(&b""[..]), Err(ReadError::TooShort(0))));
    assert!(matches!(read(&b"WPT"[..]), Err(ReadError::TooShort(3))));
    assert!(matches!(read(&b"abc"[..]), Err(ReadError::Magic { .. })));
}

#[test]
fn a_huge_length_is_refused_before_anything_is_allocated() {
    let mut bytes = b"WPTRACE\x01\x00".to_vec();
    bytes.extend([1, 0, 0xff, 0xff, 0xff, 0xff]);
    assert!(matches!(read(&bytes[..]), Err(ReadError::Oversized { chunk: 0, .. })));
}

#[test]
fn a_compressed_bomb_is_refused() {
    let bomb = zstd::bulk::compress(&vec![0; 64 << 20], 3).unwrap();
    let mut bytes = b"WPTRACE\x01\x00".to_vec();
    let mut chunk = vec![1, 1];
    chunk.extend((bomb.len() as u32).to_le_bytes());
    chunk.extend(bomb);
    let checksum = crc32fast::hash(&chunk);
    bytes.extend(chunk);
    bytes.extend(checksum.to_le_bytes());
    let error = read(&bytes[..]).unwrap_err().to_string();
    assert!(error.contains("cannot be decompressed"), "{error}");
}

#[test]
fn an_unknown_event_kind_says_that_the_file_may_be_newer() {
    let mut payload = vec![0, 0, 1, 250, 0];
    let mut chunk = vec![ChunkKind::EVENTS.0, 0];
    chunk.extend((payload.len() as u32).to_le_bytes());
    chunk.append(&mut payload);
    let checksum = crc32fast::hash(&chunk);
    chunk.extend(checksum.to_le_bytes());
    let mut trace = Trace::new(Header::default());
    trace
        .add_thread(Thread { parent: None, start: StringId::EMPTY, argument: None, name: StringId::EMPTY })
        .unwrap();
    let mut bytes = trace.write(Vec::new(), WriterOptions::default()).unwrap();
    bytes.extend(chunk);
    let error = read(&bytes[..]).unwrap_err().to_string();
    assert!(error.contains("250 is not a known Op") && error.contains("newer version"), "{error}");
}

#[test]
fn a_stream_holds_one_segment_at_a_time() {
    let mut writer = TraceWriter::new(Vec::new(), &Header::default(), WriterOptions::default()).unwrap();
    let main = Thread { parent: None, start: StringId::EMPTY, argument: None, name: StringId::EMPTY };
    let main = writer.tables().thread(main).unwrap();
    for _ in 0..200_000 {
        writer.event(main, &Event { op: Op::AtomicBegin, at: SourceId::UNKNOWN }).unwrap();
    }
    let bytes = writer.finish(Outcome::Stopped, &[]).unwrap();
    let mut chunks = ChunkReader::new(&bytes[..]).unwrap();
    let mut largest = 0;
    while let Some(chunk) = chunks.next_chunk().unwrap() {
        largest = largest.max(chunk.payload.len());
    }
    assert!(largest <= (1 << 16) + 32, "a chunk of {largest} bytes");
    assert!(!chunks.is_cut());
}

#[test]
fn a_trace_with_tickets_is_read_as_written() {
    let mut trace = everything();
    trace.order = warpath_trace::order::Order::Tickets(vec![Vec::new(); 2]);
    trace.header.order = warpath_trace::header::OrderKind::Tickets;
    let bytes = trace.write(Vec::new(), small_segments()).unwrap();
    assert_eq!(read(&bytes[..]).unwrap().0, trace);
}
