//! `FORMAT.md` against the code: variant numbers, field names and the hex dump.
#![allow(clippy::unwrap_used, reason = "a test that meets an error should fail there")]

mod samples;

use std::collections::BTreeMap;

use samples::{every_op, two_threads};
use warpath_trace::binary::{WriterOptions, read};

const PAGE: &str = include_str!("../FORMAT.md");

/// Cells of the table rows of the page, by their first two: `| 14 | Lock | … |`.
fn rows() -> BTreeMap<(String, String), String> {
    let cells = |line: &str| -> Vec<String> { line.split('|').map(|cell| cell.trim().to_owned()).collect() };
    let rows = PAGE.lines().filter(|line| line.starts_with('|')).map(cells);
    rows.filter(|row| row.len() >= 5).map(|row| ((row[1].clone(), row[2].clone()), row[3].clone())).collect()
}

/// Variant name and field names of a value, from its `Debug` form.
fn shape(debug: &str) -> (String, Vec<String>) {
    let name = debug.split([' ', '(', '{']).next().unwrap_or("").to_owned();
    let Some((_, body)) = debug.split_once('{') else { return (name, Vec::new()) };
    let mut depth = 0;
    let mut fields = Vec::new();
    let mut word = String::new();
    for c in body.chars() {
        match c {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => depth -= 1,
            ':' if depth == 0 => fields.push(std::mem::take(&mut word).trim().to_owned()),
            ',' if depth == 0 => word.clear(),
            _ if depth == 0 => word.push(c),
            _ => {}
        }
    }
    (name, fields)
}

#[test]
fn every_event_kind_is_on_the_page_with_its_number_and_fields() {
    let rows = rows();
    let mut numbers = Vec::new();
    for op in every_op() {
        let bytes = bincode::encode_to_vec(op, bincode::config::standard()).unwrap();
        let (name, fields) = shape(&format!("{op:?}"));
        let row = rows.get(&(bytes[0].to_string(), name.clone()));
        let row = row.unwrap_or_else(|| panic!("FORMAT.md has no row `| {} | {name} |`", bytes[0]));
        let documented: Vec<&str> =
            row.trim_matches('`').split(", ").filter_map(|field| field.split(':').next()).collect();
        let documented: Vec<&str> = documented.into_iter().filter(|name| !name.is_empty()).collect();
        assert_eq!(documented, fields, "fields of {name}");
        numbers.push(bytes[0]);
    }
    numbers.sort_unstable();
    numbers.dedup();
    let expected: Vec<u8> = (0..numbers.len() as u8).collect();
    assert_eq!(numbers, expected, "the samples cover every event kind");
    let next = numbers.len().to_string();
    let section = PAGE.split("## 6. Events").nth(1).unwrap().split("## 7.").next().unwrap();
    assert!(!section.contains(&format!("| {next} |")), "FORMAT.md has an event kind that the code has not");
}

/// Checks the row `| Name | 0 First, 1 Second(…), … |` against encoded values, which must be all there are.
fn check_enum<T: bincode::Encode + std::fmt::Debug>(name: &str, values: &[T]) {
    let row = PAGE.lines().find_map(|line| line.strip_prefix(&format!("| {name} | "))).unwrap_or_else(|| {
        panic!("FORMAT.md has no row for {name}");
    });
    let mut depth = 0;
    let mut documented = vec![String::new()];
    for c in row.trim_end_matches(" |").chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => documented.push(String::new()),
            _ if depth == 0 => documented.last_mut().unwrap().push(c),
            _ => {}
        }
    }
    let found: Vec<String> = values
        .iter()
        .map(|value| {
            let bytes = bincode::encode_to_vec(value, bincode::config::standard()).unwrap();
            format!("{} {}", bytes[0], shape(&format!("{value:?}")).0)
        })
        .collect();
    let documented: Vec<&str> = documented.iter().map(|entry| entry.trim()).collect();
    assert_eq!(found, documented, "{name}");
}

#[test]
fn every_enum_is_on_the_page() {
    use warpath_trace::event::{
        Attempt::*, FailureKind, MemoryOrder::*, OnceStep, RwMode, SyncKind, WaitResult,
    };
    use warpath_trace::event::{Concretised, MutexKind};
    use warpath_trace::expr::{BinaryOp, UnaryOp};
    use warpath_trace::header::{Clock, MemoryModel, OrderKind, Outcome, Values};
    use warpath_trace::place::ObjectClass;
    check_enum("MemoryOrder", &[Relaxed, Acquire, Release, AcqRel, SeqCst, Volatile]);
    check_enum("Attempt", &[Block, Try, Timed]);
    {
        use WaitResult::*;
        let all = [Done, Busy, TimedOut, WouldDeadlock, OwnerDied, Interrupted, Spurious, Failed(1), Pending];
        check_enum("WaitResult", &all);
    }
    check_enum("RwMode", &[RwMode::Read, RwMode::Write]);
    {
        use OnceStep::*;
        check_enum("OnceStep", &[Run, Finish, Abandon, Seen, Pending]);
    }
    check_enum("MutexKind", &[MutexKind::Normal, MutexKind::Recursive, MutexKind::ErrorCheck]);
    {
        use SyncKind::*;
        let mutex = Mutex { kind: MutexKind::Normal, robust: false };
        let semaphore = Semaphore { initial: 0, maximum: None };
        check_enum("SyncKind", &[mutex, RwLock, Condition, semaphore, Barrier { parties: 2 }, Once, Futex]);
    }
    {
        use Concretised::*;
        check_enum("Concretised", &[Address, Jump, Divisor, Float, Outside, Size, Other]);
    }
    check_enum("FailureKind", &samples::every_failure());
    check_enum("UnaryOp", &[UnaryOp::Not, UnaryOp::BvNot, UnaryOp::Neg]);
    {
        use BinaryOp::*;
        let all = [
            And, Or, Xor, Eq, Ult, Ule, Slt, Sle, Add, Sub, Mul, UDiv, URem, SDiv, SRem, BvAnd, BvOr, BvXor,
            Shl, LShr, AShr, Concat,
        ];
        check_enum("BinaryOp", &all);
    }
    check_enum("Clock", &[Clock::None, Clock::Virtual, Clock::Real(1)]);
    check_enum("OrderKind", &[OrderKind::Total, OrderKind::Tickets]);
    check_enum("MemoryModel", &[MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso]);
    check_enum(
        "Outcome",
        &[Outcome::Exited(0), Outcome::Failed(FailureKind::Abort), Outcome::Stopped, Outcome::Unknown],
    );
    {
        use ObjectClass::*;
        check_enum("ObjectClass", &[Global, Heap, Stack, ThreadLocal, Stream, Sync, Other]);
    }
    let values = [Values::Pinned, Values::Symbolic];
    check_enum("Values", &values);
}

/// The bytes of the example: hexadecimal words before the `;` of each line of the last code block.
fn example() -> Vec<u8> {
    let block = PAGE.rsplit("```").nth(1).unwrap();
    let words = block.lines().flat_map(|line| line.split(';').next().unwrap_or("").split_whitespace());
    words.map(|word| u8::from_str_radix(word, 16).unwrap_or_else(|_| panic!("`{word}` is no byte"))).collect()
}

#[test]
fn the_example_is_what_the_writer_writes_and_the_reader_reads() {
    let trace = two_threads();
    let written = trace.write(Vec::new(), WriterOptions::default()).unwrap();
    assert_eq!(example(), written, "the dump should be: {}", hex(&written));
    assert_eq!(read(&example()[..]).unwrap().0, trace);
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x} ")).collect()
}
