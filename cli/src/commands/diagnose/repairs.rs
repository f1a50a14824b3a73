//! Repairs as patch sketches, and as files.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Context;
use warpath_analyzer::diagnose::{self, Diagnosis, Scope, spot_of};
use warpath_analyzer::model::{Forest, NodeId};
use warpath_trace::header::MemoryModel;
use warpath_trace::repair::{How, Region, RepairFile, Rule, Spot};

use super::DiagnoseConfig;
use super::gather::Gathered;
use super::words::model;
use crate::commands::explore::quoted;
use crate::outputs::replace_file;
use crate::present::diagnosis::{Edit, Repair};
use crate::present::is_java;

/// Writes the best repair; an error if there is none.
pub(super) fn write(path: &Path, gathered: &Gathered, diagnosis: Option<&Diagnosis>) -> anyhow::Result<()> {
    let best = diagnosis.and_then(|diagnosis| diagnosis.repairs.first());
    let best =
        best.with_context(|| format!("no repair was found that could be written to {}", path.display()))?;
    // Together with what the failing run was made under already.
    let rules = gathered.repair.iter().chain(&best.rules).cloned().collect();
    let file = RepairFile::new(gathered.trace.header.program.clone(), sentence(best), rules);
    let text = file.print()?;
    replace_file(path, |out| Ok(out.write_all(text.as_bytes())?))
}

/// The command that runs the program under the repair in a file.
pub(super) fn confirmation(config: &DiagnoseConfig, gathered: &Gathered, file: &str) -> Option<String> {
    gathered.again.as_ref()?;
    // Nobody can run a Java program under a repair that was not made.
    if is_java(&gathered.trace) {
        return None;
    }
    let mut words = vec!["warpath explore --assume-repair".to_owned(), quoted(file)];
    if gathered.model != MemoryModel::Sc {
        words.push(format!("--model {}", model(gathered.model)));
    }
    // Only of runs with these inputs is anything known.
    if let [run] = &config.runs[..]
        && !gathered.inputs.is_empty()
        && run.extension().is_some_and(|extension| extension == "toml")
    {
        words.push(format!("--inputs-of {}", quoted(&run.display().to_string())));
    }
    if config.fail_on_exit {
        words.push("--fail-on-exit".to_owned());
    }
    let header = &gathered.trace.header;
    words.push("--".to_owned());
    words.push(quoted(&header.program));
    words.extend(header.argument_texts().iter().map(|argument| quoted(argument)));
    Some(words.join(" "))
}

/// A repair as it is reported.
pub(super) fn reported(gathered: &Gathered, diagnosis: &Diagnosis, repair: &diagnose::Repair) -> Repair {
    let kind = match repair.rules.first() {
        Some(Rule::CriticalSections { .. }) => "critical-sections",
        Some(Rule::OneByOne { .. }) => "one-by-one",
        Some(Rule::JoinAtOnce { .. }) => "join-at-once",
        Some(Rule::Fences { .. }) => "fences",
        _ => "ordering",
    };
    // Together with what the failing run was made under already.
    let all = gathered.repair.iter().chain(&repair.rules);
    Repair {
        kind: kind.to_owned(),
        sentence: sentence(repair),
        sketch: repair
            .rules
            .iter()
            .enumerate()
            .flat_map(|(n, rule)| edits(&gathered.forest, n, rule, is_java(&gathered.trace)))
            .collect(),
        causes: (0..diagnosis.causes.len()).collect(),
        verified: verified(gathered),
        rules: all.filter_map(|rule| serde_json::to_value(rule).ok()).collect(),
    }
}

fn verified(gathered: &Gathered) -> Vec<String> {
    let within = match gathered.scope {
        Scope::Exhausted => "of all that can happen with these inputs",
        Scope::Bounded => "of what is known to happen with these inputs",
        Scope::TraceOnly => "of what the traces show",
    };
    let mut verified = vec![
        format!("no failing schedule is left {within}"),
        "a passing schedule is left".to_owned(),
        "with these inputs, no thread waits for ever because of it".to_owned(),
    ];
    if is_java(&gathered.trace) {
        verified.push(
            "all this of the formula alone, since no Java program can be run under a repair".to_owned(),
        );
    }
    verified
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
        Rule::Wait { before, until, how, .. } => format!(
            "execute {}:{} only after {}{}:{}{}",
            short(&before.file),
            before.line,
            if *how == How::All { "all others have executed " } else { "" },
            short(&until.file),
            until.line,
            if *how == How::Each { ", each time" } else { "" },
        ),
        Rule::JoinAtOnce { after } => format!(
            "wait for the thread that {}:{} starts to end, before going on",
            short(&after.file),
            after.line
        ),
        Rule::OneByOne { threads } => {
            format!("let only one of {} run at a time, from its beginning to its end", threads.join(", "))
        }
    }
}

/// What to write where.
fn edits(forest: &Forest, n: usize, rule: &Rule, java: bool) -> Vec<Edit> {
    let edit = |file: &str, line: u32, side: &str, text: String, thread: String| Edit {
        file: file.to_owned(),
        line,
        side: side.to_owned(),
        text,
        thread,
    };
    let name = if n == 0 { "repair".to_owned() } else { format!("repair_{}", n + 1) };
    let (lock, unlock, fence) = match java {
        true => (format!("{name}.lock();"), format!("{name}.unlock();"), "VarHandle.fullFence();"),
        false => (format!("lock({name});"), format!("unlock({name});"), "atomic_thread_fence(seq_cst);"),
    };
    match rule {
        Rule::CriticalSections { regions } => regions
            .iter()
            .flat_map(|region| {
                let threads = threads(forest, |spot| region.has(spot));
                [
                    edit(&region.file, region.from, "before", lock.clone(), threads.clone()),
                    edit(&region.file, region.to, "after", unlock.clone(), threads),
                ]
            })
            .collect(),
        Rule::Fences { before } => before
            .iter()
            .map(|spot| {
                let threads = threads(forest, |other| other == spot);
                edit(&spot.file, spot.line, "before", fence.to_owned(), threads)
            })
            .collect(),
        Rule::JoinAtOnce { after } => {
            let text = "join the thread that was started;".to_owned();
            vec![edit(&after.file, after.line, "after", text, threads(forest, |spot| spot == after))]
        }
        Rule::OneByOne { threads } => threads
            .iter()
            .flat_map(|key| {
                let tree = forest.trees().find(|&tree| forest.key(tree).to_string() == *key);
                let begin = tree.and_then(|tree| forest.root(tree));
                let end = tree.and_then(|tree| forest.ends(tree).first().copied());
                // Not every language has a line for where a thread begins and ends: then around what it does first
                // and last.
                let first = begin.and_then(|begin| match spot_of(forest, begin) {
                    Some(spot) => Some((spot, "after")),
                    None => Some((spots_of(forest, end?).pop()?, "before")),
                });
                let last = end.and_then(|end| match spot_of(forest, end) {
                    Some(spot) => Some((spot, "before")),
                    None => Some((spots_of(forest, end).into_iter().next()?, "after")),
                });
                let locked =
                    first.map(|(spot, side)| edit(&spot.file, spot.line, side, lock.clone(), key.clone()));
                let unlocked =
                    last.map(|(spot, side)| edit(&spot.file, spot.line, side, unlock.clone(), key.clone()));
                locked.into_iter().chain(unlocked).collect::<Vec<_>>()
            })
            .collect(),
        Rule::Wait { before, until, how, .. } => {
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

/// The lines of the program that a thread has been at before an event, the latest first.
fn spots_of(forest: &Forest, id: NodeId) -> Vec<Spot> {
    let own = forest.path_up(id).filter(|&above| !forest.node(above).standard);
    own.filter_map(|above| spot_of(forest, above)).collect()
}

/// The threads that come by.
fn threads(forest: &Forest, here: impl Fn(&Spot) -> bool) -> String {
    let come = forest.ids().filter(|&id| spot_of(forest, id).is_some_and(|spot| here(&spot)));
    let keys: BTreeSet<String> = come.map(|id| forest.key(forest.node(id).tree).to_string()).collect();
    keys.into_iter().collect::<Vec<_>>().join(", ")
}
