//! Repairs as patch sketches, and as files.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Context;
use serde::{Deserialize, Serialize};
use warpath_analyzer::diagnose::{self, Diagnosis, How, Region, Rule, Scope, Spot};
use warpath_analyzer::model::Forest;

use super::gather::Gathered;
use crate::outputs::replace_file;
use crate::present::diagnosis::{Edit, Repair};

/// Names the format and its version.
const FORMAT: &str = "warpath.repair/1";

/// A repair in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RepairFile {
    format: String,
    /// The program it is for, as it was called.
    program: String,
    /// In words.
    sentence: String,
    /// What is to be done, all of it.
    #[serde(rename = "rule")]
    rules: Vec<Rule>,
}

/// Writes the best repair; an error if there is none.
pub(super) fn write(path: &Path, gathered: &Gathered, diagnosis: Option<&Diagnosis>) -> anyhow::Result<()> {
    let best = diagnosis.and_then(|diagnosis| diagnosis.repairs.first());
    let best =
        best.with_context(|| format!("no repair was found that could be written to {}", path.display()))?;
    let file = RepairFile {
        format: FORMAT.to_owned(),
        program: gathered.trace.header.program.clone(),
        sentence: sentence(best),
        rules: best.rules.clone(),
    };
    let text = toml::to_string(&file).context("cannot put the repair into TOML")?;
    replace_file(path, |out| Ok(out.write_all(text.as_bytes())?))
}

/// A repair as it is reported.
pub(super) fn reported(gathered: &Gathered, diagnosis: &Diagnosis, repair: &diagnose::Repair) -> Repair {
    let kind = match repair.rules.first() {
        Some(Rule::CriticalSections { .. }) => "critical-sections",
        Some(Rule::OneByOne { .. } | Rule::JoinAtOnce { .. }) => "one-by-one",
        Some(Rule::Fences { .. }) => "fences",
        _ => "ordering",
    };
    Repair {
        kind: kind.to_owned(),
        sentence: sentence(repair),
        sketch: repair
            .rules
            .iter()
            .enumerate()
            .flat_map(|(n, rule)| edits(&gathered.forest, n, rule))
            .collect(),
        causes: (0..diagnosis.causes.len()).collect(),
        verified: verified(gathered),
    }
}

fn verified(gathered: &Gathered) -> Vec<String> {
    let within = match gathered.scope {
        Scope::Exhausted => "of all that can happen with these inputs",
        Scope::Bounded => "of what is known to happen with these inputs",
        Scope::TraceOnly => "of what the traces show",
    };
    vec![
        format!("no failing schedule is left {within}"),
        "a passing schedule is left".to_owned(),
        "with these inputs, no thread waits for ever because of it".to_owned(),
    ]
}

fn sentence(repair: &diagnose::Repair) -> String {
    let parts: Vec<String> = repair.rules.iter().map(words).collect();
    parts.join("; and ")
}

fn short(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

fn lines(region: &Region) -> String {
    match region.from == region.to {
        true => format!("{}:{}", short(&region.file), region.from),
        false => format!("{}:{}-{}", short(&region.file), region.from, region.to),
    }
}

fn words(rule: &Rule) -> String {
    match rule {
        Rule::CriticalSections { regions } => {
            let all: Vec<String> = regions.iter().map(lines).collect();
            match all.len() {
                1 => format!("let one thread at a time execute {}", all[0]),
                _ => format!("let one thread at a time execute {}, under one lock", all.join(" and ")),
            }
        }
        Rule::Fences { before } => {
            let all: Vec<String> =
                before.iter().map(|spot| format!("{}:{}", short(&spot.file), spot.line)).collect();
            format!("put a fence in front of {}", all.join(" and "))
        }
        Rule::Wait { before, until, how } => format!(
            "execute {}:{} only after {}{}:{}{}",
            short(&before.file),
            before.line,
            if *how == How::All { "all others have executed " } else { "" },
            short(&until.file),
            until.line,
            if *how == How::Each { ", each time" } else { "" },
        ),
        Rule::OneByOne { threads } => {
            format!("let only one of {} run at a time, from its beginning to its end", threads.join(", "))
        }
        Rule::JoinAtOnce { after } => {
            let all: Vec<String> =
                after.iter().map(|spot| format!("{}:{}", short(&spot.file), spot.line)).collect();
            format!(
                "let each thread that is started at {} come to its end before going on",
                all.join(" and ")
            )
        }
    }
}

/// What to write where.
fn edits(forest: &Forest, n: usize, rule: &Rule) -> Vec<Edit> {
    let edit = |file: &str, line: u32, side: &str, text: String, thread: String| Edit {
        file: file.to_owned(),
        line,
        side: side.to_owned(),
        text,
        thread,
    };
    let name = if n == 0 { "repair".to_owned() } else { format!("repair_{}", n + 1) };
    match rule {
        Rule::CriticalSections { regions } => regions
            .iter()
            .flat_map(|region| {
                let threads = threads(forest, |spot| region.has(spot));
                [
                    edit(&region.file, region.from, "before", format!("lock({name});"), threads.clone()),
                    edit(&region.file, region.to, "after", format!("unlock({name});"), threads),
                ]
            })
            .collect(),
        Rule::Fences { before } => before
            .iter()
            .map(|spot| {
                let threads = threads(forest, |other| other == spot);
                edit(&spot.file, spot.line, "before", "atomic_thread_fence(seq_cst);".to_owned(), threads)
            })
            .collect(),
        Rule::OneByOne { threads } => threads
            .iter()
            .flat_map(|key| {
                let tree = forest.trees().find(|&tree| forest.key(tree).to_string() == *key);
                let begin = tree.and_then(|tree| Spot::of(forest, forest.root(tree)?));
                let end = tree.and_then(|tree| Spot::of(forest, *forest.ends(tree).first()?));
                let at =
                    |spot: Option<Spot>| spot.map_or_else(Default::default, |spot| (spot.file, spot.line));
                let ((file, line), (last_file, last)) = (at(begin), at(end));
                [
                    edit(&file, line, "after", format!("lock({name});"), key.clone()),
                    edit(&last_file, last, "before", format!("unlock({name});"), key.clone()),
                ]
            })
            .collect(),
        Rule::JoinAtOnce { after } => after
            .iter()
            .map(|spot| {
                let threads = threads(forest, |other| other == spot);
                edit(&spot.file, spot.line, "after", "join(the thread just started);".to_owned(), threads)
            })
            .collect(),
        Rule::Wait { before, until, how } => {
            let wait = match how {
                How::Once => format!("wait until {}:{} has run;", short(&until.file), until.line),
                How::Each => format!("wait for one more run of {}:{};", short(&until.file), until.line),
                How::All => format!("wait until all have run {}:{};", short(&until.file), until.line),
            };
            let signal = format!("tell who waits at {}:{};", short(&before.file), before.line);
            vec![
                edit(&before.file, before.line, "before", wait, threads(forest, |spot| spot == before)),
                edit(&until.file, until.line, "after", signal, threads(forest, |spot| spot == until)),
            ]
        }
    }
}

/// The threads that come by.
fn threads(forest: &Forest, here: impl Fn(&Spot) -> bool) -> String {
    let come = forest.ids().filter(|&id| Spot::of(forest, id).is_some_and(|spot| here(&spot)));
    let keys: BTreeSet<String> = come.map(|id| forest.key(forest.node(id).tree).to_string()).collect();
    keys.into_iter().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repair_is_read_as_it_was_written() {
        let spot = |line| Spot { file: "m.c".into(), line, function: "f".into() };
        let region = Region { file: "m.c".into(), function: String::new(), from: 3, to: 5 };
        let file = RepairFile {
            format: FORMAT.into(),
            program: "./m".into(),
            sentence: "do".into(),
            rules: vec![
                Rule::CriticalSections { regions: vec![region] },
                Rule::Wait { before: spot(7), until: spot(9), how: How::Each },
                Rule::OneByOne { threads: vec!["T0.1".into()] },
                Rule::Fences { before: vec![spot(1)] },
                Rule::JoinAtOnce { after: vec![spot(2)] },
            ],
        };
        let text = toml::to_string(&file).expect("it can be written");
        assert_eq!(toml::from_str::<RepairFile>(&text).expect("it can be read"), file, "{text}");
    }
}
