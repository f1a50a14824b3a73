//! The traces kept in `samples/traces`: each reads, prints, packs, and is what its comment says it is.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use warpath_trace::binary::{self, WriterOptions};
use warpath_trace::event::{Datum, Op};
use warpath_trace::expr::{Evaluator, Leaf};
use warpath_trace::header::MemoryModel;
use warpath_trace::text;
use warpath_trace::trace::Trace;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples/traces")
}

fn sample(name: &str) -> Trace {
    let path = folder().join(name);
    let source = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text::parse(&source).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn samples() -> Vec<(String, Trace)> {
    let files = std::fs::read_dir(folder()).unwrap();
    let names = files.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(".wpt.txt")).map(|name| (name.clone(), sample(&name))).collect()
}

#[test]
fn the_samples_are_there() {
    let names: BTreeSet<String> = samples().into_iter().map(|(name, _)| name).collect();
    for name in ["fig2", "fig6", "addall", "store-buffering", "condition", "deadlock", "futex"] {
        assert!(names.contains(&format!("{name}.wpt.txt")), "{names:?}");
    }
}

#[test]
fn every_sample_survives_text_and_binary() {
    for (name, trace) in samples() {
        assert!(trace.footer.is_some(), "{name}: a sample is a complete trace");
        let mut printed = Vec::new();
        text::print(&trace, &mut printed).unwrap();
        let printed = String::from_utf8(printed).unwrap();
        assert_eq!(text::parse(&printed).unwrap(), trace, "{name}");
        let packed = trace.write(Vec::new(), WriterOptions::default()).unwrap();
        let (unpacked, _) = binary::read(&packed[..]).unwrap();
        assert_eq!(unpacked.canonical().unwrap(), trace, "{name}");
    }
}

/// A hand-made trace is easily wrong about a value. Each expression must have the value the trace says,
/// and under sequential consistency each read the value of the last write before it.
#[test]
fn the_values_of_every_sample_add_up() {
    for (name, trace) in samples() {
        let mut inputs = vec![None; trace.tables.inputs().len()];
        for event in trace.threads.iter().flatten() {
            if let Op::Input { input, value } = event.op {
                inputs[input.index()] = Some(value);
            }
        }
        let leaf = |leaf| match leaf {
            Leaf::Input(input) => inputs[input.index()],
            Leaf::Read(thread, event) => trace.event(thread, event).and_then(|event| event.op.read_value()),
        };
        let mut evaluator = Evaluator::new(&trace.tables.exprs, leaf);
        let mut memory: Vec<Option<u128>> = trace.tables.locations().iter().map(|l| l.initial).collect();
        for (thread, index, event) in trace.in_order().unwrap() {
            let place = format!("{name}: event {index} of {}", trace.tables.key(thread));
            if let (Some(location), Some(value)) = (event.op.read_location(), event.op.read_value())
                && trace.header.model == MemoryModel::Sc
            {
                assert_eq!(Some(value), memory[location.index()], "{place}");
            }
            if let Some((location, datum)) = event.op.written() {
                memory[location.index()] = Some(datum.value);
                if let Datum { value, expr: Some(expr) } = datum {
                    assert_eq!(evaluator.value(expr), Ok(value), "{place}");
                }
            }
            match event.op {
                Op::Branch { condition, taken: outcome }
                | Op::Assert { condition: Some(condition), holds: outcome, .. } => {
                    assert_eq!(evaluator.holds(condition), Ok(outcome), "{place}");
                }
                _ => {}
            }
        }
    }
}

/// The schedule of the paper's first run: lines 0-3, 9-11, 14-16, with all three branches not taken.
#[test]
fn figure_2_is_the_papers_first_run() {
    let trace = sample("fig2.wpt.txt");
    let lines: Vec<u32> = trace
        .in_order()
        .unwrap()
        .map(|(_, _, event)| &trace.tables.sources()[event.at.index()])
        .filter(|source| trace.tables.text(source.file) == "m0.c")
        .map(|source| source.line)
        .collect();
    // Line 11 reads and decides, hence twice.
    assert_eq!(lines, [0, 1, 2, 3, 9, 10, 11, 11, 14, 15, 16]);
    let branches: Vec<bool> = trace
        .in_order()
        .unwrap()
        .filter_map(|(_, _, event)| match event.op {
            Op::Branch { taken, .. } => Some(taken),
            _ => None,
        })
        .collect();
    assert_eq!(branches, [false; 3]);
}
