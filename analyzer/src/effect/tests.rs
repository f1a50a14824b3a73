use super::*;
use crate::model::NodeId;

const HEAD: &str = "thread T0\nthread T0.0\nthread T0.1\nglobal x 4 = 0\n";
const BEGIN: &str = "T0 begin\nT0 fork T0.0\nT0 fork T0.1\nT0.0 begin\nT0.1 begin\n";

fn involved(thread: &str, place: &str) -> Involved {
    Involved {
        node: NodeId(0),
        role: String::new(),
        thread: thread.to_owned(),
        event: String::new(),
        place: place.to_owned(),
    }
}

/// The effect of what T0.0 does at m.c:1 and T0.1 at m.c:2.
fn effect(head: &str, events: &str) -> Option<Effect> {
    let text = format!("warpath-trace 1\n{head}{HEAD}{BEGIN}{events}");
    let trace = warpath_trace::text::parse(&text).expect("the text is good");
    let finding = [involved("T0.0", "m.c:1"), involved("T0.1", "m.c:2")];
    effects(&trace, &[&finding]).pop().expect("one effect for each finding")
}

fn turned(effect: Option<Effect>) -> Option<(On, String, String, String)> {
    effect.map(|effect| (effect.on, effect.place, effect.found, effect.other))
}

#[test]
fn a_branch_that_what_is_written_turns() {
    let found = effect("", "T0.1 r x $a=0 @m.c:2\nT0.1 branch false (= $a 1:32) @m.c:3\nT0.0 w x 1 @m.c:1\n");
    assert_eq!(turned(found), Some((On::Branch, "m.c:3".into(), "0".into(), "1".into())));
}

#[test]
fn a_branch_that_what_was_there_before_turns() {
    let found = effect("", "T0.0 w x 1 @m.c:1\nT0.1 r x $a=1 @m.c:2\nT0.1 branch true (= $a 1:32) @m.c:3\n");
    assert_eq!(turned(found), Some((On::Branch, "m.c:3".into(), "1".into(), "0".into())));
}

#[test]
fn another_value_that_turns_nothing_is_no_effect() {
    let found =
        effect("", "T0.1 r x $a=0 @m.c:2\nT0.1 branch true (ult $a 5:32) @m.c:3\nT0.0 w x 1 @m.c:1\n");
    assert_eq!(found, None);
    let found = effect("", "T0.1 r x 0 @m.c:2\nT0.0 w x 1 @m.c:1\n");
    assert_eq!(found, None);
}

#[test]
fn a_write_of_the_same_value_is_no_effect() {
    let found = effect("", "T0.1 r x $a=0 @m.c:2\nT0.1 branch true (= $a 0:32) @m.c:3\nT0.0 w x 0 @m.c:1\n");
    assert_eq!(found, None);
}

#[test]
fn two_writes_have_an_effect_on_who_reads_them() {
    let events =
        "T0.0 w x 1 @m.c:1\nT0.1 w x 2 @m.c:2\nT0 r x $a=2 @m.c:7\nT0 branch false (= $a 1:32) @m.c:8\n";
    let found = effect("", events).expect("an effect");
    assert_eq!(
        (found.thread.as_str(), found.read_where.as_str(), found.place.as_str()),
        ("T0", "m.c:7", "m.c:8")
    );
}

#[test]
fn in_a_pinned_trace_the_value_itself_is_the_effect() {
    let found = effect("values pinned\n", "T0.1 r x 0 @m.c:2\nT0.0 w x 1 @m.c:1\n");
    assert_eq!(turned(found), Some((On::Value, "m.c:2".into(), "0".into(), "1".into())));
    assert_eq!(effect("values pinned\n", "T0.1 r x 0 @m.c:2\nT0.0 w x 0 @m.c:1\n"), None);
}

#[test]
fn made_up_values_have_no_effect() {
    let std = "T0|fork(T1)|9\nT0|w(V1)|10\nT1|r(V1)|20\n";
    let trace = warpath_trace::rapid::import(std.as_bytes()).expect("it is STD");
    let finding = [involved("T0", ":10"), involved("T0.0", ":20")];
    assert_eq!(effects(&trace, &[&finding]), [None]);
}

#[test]
fn places_that_the_trace_does_not_have_are_no_effect() {
    let trace =
        warpath_trace::text::parse(&format!("warpath-trace 1\n{HEAD}{BEGIN}")).expect("the text is good");
    let finding = [involved("T0.0", "T0.0#1"), involved("T9", "m.c:2")];
    assert_eq!(effects(&trace, &[&finding, &[]]), [None, None]);
}
