//! Repair files, and repairs in schedule+input files.

use warpath_trace::header::MemoryModel;
use warpath_trace::repair::{How, Region, RepairError, RepairFile, Rule, Spot};
use warpath_trace::si::{Si, SiError};

fn rules() -> Vec<Rule> {
    let spot = |line| Spot { file: "m.c".into(), line, function: "f".into() };
    let region = Region { file: "m.c".into(), function: String::new(), from: 3, to: 5 };
    vec![
        Rule::CriticalSections { regions: vec![region] },
        Rule::Wait { before: spot(7), until: spot(9), how: How::Each, threads: Vec::new() },
        Rule::Wait { before: spot(7), until: spot(9), how: How::All, threads: vec!["T0.0".into()] },
        Rule::OneByOne { threads: vec!["T0.1".into()] },
        Rule::Fences { before: vec![spot(1)] },
        Rule::JoinAtOnce { after: spot(2) },
    ]
}

#[test]
fn a_repair_is_read_as_it_was_written() {
    let file = RepairFile::new("./m".into(), "do".into(), rules());
    let text = file.print().expect("it can be written");
    assert_eq!(RepairFile::parse(&text), Ok(file), "{text}");
}

#[test]
fn a_schedule_keeps_the_repair_that_it_was_made_under() {
    let mut si = Si::new(MemoryModel::Sc);
    si.repair = rules();
    let text = si.print().expect("it can be written");
    assert_eq!(Si::parse(&text), Ok(si), "{text}");
    let broken = text.replace("to = 5", "to = 2");
    assert!(matches!(Si::parse(&broken), Err(SiError::Repair(RepairError::Lines(_)))), "{broken}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let head = "format = \"warpath.repair/1\"\n";
    let refused = |rest: &str| RepairFile::parse(&format!("{head}{rest}")).expect_err(rest).to_string();
    assert_eq!(refused("rule = []"), "the repair has no `[[rule]]`");
    let empty = "[[rule]]\nkind = \"critical-sections\"\nregions = []";
    assert_eq!(refused(empty), "a rule of kind `critical-sections` has nothing in its `regions`");
    let back = "[[rule]]\nkind = \"critical-sections\"\nregions = [{ file = \"m.c\", from = 5, to = 3 }]";
    assert!(refused(back).starts_with("m.c:5-3 are no lines"), "{}", refused(back));
    let thread = "[[rule]]\nkind = \"one-by-one\"\nthreads = [\"main\"]";
    assert!(refused(thread).starts_with("`main` is no thread"), "{}", refused(thread));
    let nowhere = "[[rule]]\nkind = \"join-at-once\"\nafter = { file = \"m.c\", line = 0 }";
    assert!(refused(nowhere).starts_with("m.c:0 are no lines"), "{}", refused(nowhere));
    let line = "{ file = \"m.c\", line = 3 }";
    let itself = format!("[[rule]]\nkind = \"wait\"\nhow = \"once\"\nbefore = {line}\nuntil = {line}");
    assert_eq!(refused(&itself), "m.c:3 is to be executed only after itself");
    let all = itself.replace("once", "all");
    assert_eq!(refused(&all), "a rule of kind `wait` has nothing in its `threads`");
    assert!(refused("[[rule]]\nkind = \"pray\"").starts_with("not a repair file: "));
    assert!(refused("[[rule]]\nkind = \"fences\"\nbefore = [").starts_with("not a repair file: "));
    let other = RepairFile::parse("format = \"warpath.repair/2\"\nnew = 1").expect_err("another version");
    assert_eq!(other, RepairError::Format("warpath.repair/2".into()));
}
