//! Schedule+input files: what is printed is read, what people write is understood, what is wrong is named.
#![allow(clippy::unwrap_used, reason = "a test that meets an error should fail there")]

mod samples;

use proptest::prelude::*;
use samples::{everything, two_threads};
use warpath_trace::event::Verb;
use warpath_trace::header::MemoryModel;
use warpath_trace::si::{
    Expect, Expected, InputValue, Origin, Program, SharedBytes, Si, Step, Text, Visible,
};
use warpath_trace::thread::ThreadKey;

fn step() -> impl Strategy<Value = Step> {
    let thread = prop::collection::vec(any::<u32>(), 0..4)
        .prop_map(|path| path.into_iter().fold(ThreadKey::main(), |key, nth| key.child(nth)));
    let verb = prop::sample::select(vec![Verb::Read, Verb::Write, Verb::Commit, Verb::CondWait, Verb::Free]);
    // Positions end a step and are trimmed: they are file names with lines.
    let place =
        "[^ \t\r\n]([^\t\r\n]{0,8}[^ \t\r\n])?".prop_filter("no blanks at the ends", |p| p.trim() == p);
    let event = (verb, prop::option::of(".{0,8}"), prop::option::of(place));
    let event = event.prop_map(|(verb, location, place)| Visible::Event(Expected { verb, location, place }));
    let what = prop_oneof![event, any::<u32>().prop_map(Visible::Any)];
    (thread, what).prop_map(|(thread, what)| Step { thread, what })
}

fn input() -> impl Strategy<Value = InputValue> {
    (".{0,6}", 0u32..3, 1u8..=128, any::<u128>()).prop_map(|(name, nth, width, value)| InputValue {
        name,
        nth,
        width,
        value: if width == 128 { value } else { value & ((1 << width) - 1) },
    })
}

fn si() -> impl Strategy<Value = Si> {
    let model = prop::sample::select(vec![MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso]);
    let words = || prop::array::uniform4(".{0,6}");
    let arguments = prop::collection::vec(prop::collection::vec(any::<u8>(), 0..6).prop_map(Text), 0..3);
    let lists = (prop::collection::vec(step(), 0..20), prop::collection::vec(input(), 0..5), arguments);
    let shared = (".{0,6}", any::<u64>(), 1u64..100).prop_map(|(object, start, size)| {
        let start = start.min(u64::MAX - size);
        SharedBytes { object, bytes: start..start + size }
    });
    let known = (prop::collection::vec(shared, 0..4), prop::collection::vec(0..=i64::MAX as u64, 0..3));
    (model, lists, known, words(), words()).prop_map(|(model, (schedule, inputs, arguments), known, a, b)| {
        let mut si = Si::new(model);
        si.schedule = schedule;
        si.inputs = inputs;
        (si.shared, si.spins) = known;
        let [path, build_id, trace, query] = a;
        si.program = Program { path, arguments, build_id };
        let [outcome, thread, place, message] = b;
        si.expect = Expect { outcome, thread, place, message };
        si.origin = Origin { trace, query, solver: String::new() };
        si
    })
}

proptest! {
    #[test]
    fn what_is_printed_is_read(si in si()) {
        let text = si.print().unwrap();
        prop_assert_eq!(Si::parse(&text), Ok(si), "{}", text);
    }

    #[test]
    fn steps_read_back_as_written(step in step()) {
        prop_assert_eq!(step.to_string().parse::<Step>(), Ok(step));
    }
}

#[test]
fn a_recorded_run_as_a_schedule() {
    let si = Si::of_run(&two_threads()).unwrap();
    let steps: Vec<String> = si.schedule.iter().map(ToString::to_string).collect();
    let expected =
        ["T0 begin", "T0 fork T0.0", "T0.0 begin", "T0.0 w x @p.c:300", "T0.0 end", "T0 join T0.0", "T0 end"];
    assert_eq!(steps, expected);
    assert_eq!(si.program.path, "./p");
}

#[test]
fn inputs_and_arguments_of_a_recorded_run() {
    let si = Si::of_run(&everything()).unwrap();
    assert_eq!(si.inputs, [InputValue { name: "a message".to_owned(), nth: 2, width: 64, value: 9 }]);
    assert_eq!(si.program.arguments, [Text::from("--flag"), Text(vec![0xff, 0])]);
    assert!(si.schedule.iter().all(|step| !step.to_string().contains("branch")), "branches are not visible");
    assert_eq!(Si::parse(&si.print().unwrap()), Ok(si));
}

const HAND: &str = r#"
format = "warpath.si/1"
model = "tso"
schedule = ["T0.1 w x @m0.c:14", "T0.1   commit x", "T0 *3", "T0.2 lock \"a lock\""]
[[input]]
name = "i"
width = 32
value = -1
[[input]]
name = "big"
width = 128
value = "0xffff_ffff_ffff_ffff_ffff"
[[input]]
name = "row"
width = 16
bytes = "34 12"
"#;

#[test]
fn a_file_written_by_hand() {
    let si = Si::parse(HAND).unwrap();
    assert_eq!(si.model, MemoryModel::Tso);
    let values: Vec<u128> = si.inputs.iter().map(|input| input.value).collect();
    assert_eq!(values, [0xffff_ffff, 0xffff_ffff_ffff_ffff_ffff, 0x1234]);
    assert_eq!(si.schedule[2].what, Visible::Any(3));
    let Visible::Event(expected) = &si.schedule[3].what else { panic!("an event") };
    assert_eq!(expected.location.as_deref(), Some("a lock"));
}

#[test]
fn what_is_wrong_is_named() {
    let cases = [
        (HAND.replace("si/1", "si/9"), "the file says it is `warpath.si/9`"),
        (HAND.replace("T0 *3", "T0 dance"), "`T0 dance` is not a step of a schedule"),
        (HAND.replace("value = -1", "value = 3\nbytes = \"04000000\""), "value 3 and bytes 0x4"),
        (HAND.replace("value = -1", "value = 4294967296"), "4294967296 does not fit 32 bits"),
        (HAND.replace("value = -1", "value = -2147483649"), "-2147483649 does not fit 32 bits"),
        (HAND.replace("value = -1", ""), "input `i` has neither `value` nor `bytes`"),
        (HAND.replace("34 12", "34"), "needs 2 bytes, not 1"),
        (HAND.replace("34 12", "xx"), "is not a row of bytes"),
        (HAND.replace("width = 16", "width = 0"), "has 0 bits"),
        (HAND.replace("model", "modle"), "modle"),
        ("no toml at all [".to_owned(), "not a schedule+input file"),
    ];
    for (text, expected) in cases {
        let error = Si::parse(&text).unwrap_err().to_string();
        assert!(error.contains(expected), "{error:?} should contain {expected:?}");
    }
}

#[test]
fn what_is_left_open_fits_everything() {
    let found = Expected { verb: Verb::Write, location: Some("x".into()), place: Some("a.c:1".into()) };
    let open = Expected { verb: Verb::Write, location: None, place: None };
    assert!(open.fits(&found) && found.fits(&found) && !found.fits(&open));
    assert!(!Expected { verb: Verb::Read, ..open }.fits(&found));
}
