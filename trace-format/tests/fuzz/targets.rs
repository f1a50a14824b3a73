//! The readers under test and the good files they start from.

use warpath_trace::binary::{OnDamage, WriterOptions, read_with};
use warpath_trace::si::Si;
use warpath_trace::trace::Trace;
use warpath_trace::{rapid, text};

use super::mutate;
use super::random::Random;
use super::samples::{everything, two_threads};

/// A reader, and how to make inputs for it.
pub struct Target {
    pub name: &'static str,
    pub seeds: Vec<Vec<u8>>,
    pub mutate: fn(&mut Random, &[Vec<u8>]) -> Vec<u8>,
    /// Reads the input; was it accepted?
    pub read: fn(&[u8]) -> bool,
}

pub fn targets() -> Vec<Target> {
    let traces = [two_threads(), everything()];
    let written = |compression, segment_bytes| {
        let write = move |trace: &Trace| {
            trace
                .write(Vec::new(), WriterOptions { compression, segment_bytes })
                .expect("samples can be written")
        };
        traces.iter().map(write).collect::<Vec<_>>()
    };
    let binary = [written(None, 1 << 16), written(None, 30), written(Some(1), 1 << 16)].concat();
    let texts = traces.iter().map(|trace| {
        let mut out = Vec::new();
        text::print(trace, &mut out).expect("samples can be printed");
        out
    });
    let std = b"T0|w(V1)|1\nT0|fork(T1)|2\nT1|acq(L)|3\nT1|r(V1)|4\nT1|rel(L)|5\nT0|join(T1)|6\n".to_vec();
    let si = Si::of_run(&everything()).expect("a total order").print().expect("samples can be printed");
    vec![
        Target { name: "binary", seeds: binary, mutate: mutate::chunks, read: read_binary },
        Target { name: "text", seeds: texts.collect(), mutate: mutate::text, read: read_text },
        Target { name: "rapid", seeds: vec![std], mutate: mutate::text, read: read_rapid },
        Target { name: "si", seeds: vec![si.into_bytes()], mutate: mutate::text, read: read_si },
    ]
}

/// Whatever is read must be good for everything that can be done with a trace.
fn use_trace(trace: &Trace) {
    let steps = trace.in_order().map(Iterator::count);
    let canonical = trace.canonical().expect("what is read can be renumbered");
    let mut shown = Vec::new();
    text::print(trace, &mut shown).expect("what is read can be shown");
    let shown = String::from_utf8(shown).expect("the text form is UTF-8");
    let back = text::parse(&shown)
        .unwrap_or_else(|error| panic!("what is shown cannot be packed: {error}\n{shown}"));
    assert!(back == canonical, "text form and back loses something:\n{shown}");
    let written = trace.write(Vec::new(), WriterOptions::default()).expect("what is read can be written");
    assert!(!written.is_empty());
    if steps.is_ok() {
        Si::of_run(trace).expect("what can be put in order has a schedule");
    }
    rapid::export(trace, &mut std::io::sink()).ok();
    let mut exprs = trace.tables.exprs.clone();
    for root in 0..exprs.len().min(64) {
        exprs.simplify(root.into()).expect("good expressions can be simplified");
    }
}

fn read_binary(input: &[u8]) -> bool {
    let refused = read_with(input, OnDamage::Refuse).is_err();
    match read_with(input, OnDamage::KeepBefore) {
        Ok((trace, _)) => {
            use_trace(&trace);
            !refused
        }
        Err(_) => {
            assert!(refused, "keeping what is good refuses what is good");
            false
        }
    }
}

fn read_text(input: &[u8]) -> bool {
    let Ok(input) = std::str::from_utf8(input) else { return false };
    text::parse(input).map(|trace| use_trace(&trace)).is_ok()
}

fn read_rapid(input: &[u8]) -> bool {
    rapid::import(input).map(|trace| use_trace(&trace)).is_ok()
}

fn read_si(input: &[u8]) -> bool {
    let Ok(input) = std::str::from_utf8(input) else { return false };
    let Ok(si) = Si::parse(input) else { return false };
    let printed = si.print().expect("what is read can be printed");
    assert_eq!(Si::parse(&printed).as_ref(), Ok(&si), "a schedule+input file reads back as it was");
    true
}
