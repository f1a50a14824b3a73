//! Everything on one page: causes by rank, each with how it happens, and what became of the traces.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use warpath_trace::si::Si;

use super::entry::Class;
use super::results::{Cause, Outcome, Results};
use super::text::{summary, words};
use crate::outputs::replace_file;
use crate::present::{Sources, table};
use crate::report::html::Html;
use crate::report::{plain_page, quoted};

const STYLE: &str = include_str!("page.css");

/// So many causes have their interleaving on the page, and so many traces are listed; the JSON has all.
const INTERLEAVINGS: usize = 100;
const LISTED: usize = 2_000;
/// So many traces of one cause are named.
const NAMED: usize = 200;
/// Larger SI files are not read for the page.
const LARGEST: u64 = 16 << 20;

/// Writes the page.
pub(super) fn write(path: &Path, results: &Results<'_>) -> anyhow::Result<()> {
    let title = match results.groups.len() {
        0 => format!("No bug in {} traces", results.counts.traces),
        1 => format!("1 cause in {} traces", results.counts.traces),
        many => format!("{many} causes in {} traces", results.counts.traces),
    };
    let text = plain_page(&title, STYLE, |html| {
        html.element("div", &[("class", "top")], |html| {
            html.leaf("h1", &[], &title);
            html.leaf("span", &[("class", &verdict_class(results.verdict))], results.verdict);
        });
        facts(html, results);
        causes(html, results);
        traces(html, results);
    });
    replace_file(path, |out| Ok(out.write_all(text.as_bytes())?))
}

fn verdict_class(verdict: &str) -> String {
    let kind = match verdict {
        "NONE" => "safe",
        "OBSERVED" => "bug",
        "PREDICTED" => "predicted",
        _ => "unknown",
    };
    format!("verdict {kind}")
}

fn facts(html: &mut Html, results: &Results<'_>) {
    let counts = &results.counts;
    let facts = [
        ("causes", results.groups.len() as u64, ""),
        ("observed", results.groups.iter().filter(|cause| cause.observed > 0).count() as u64, ""),
        ("traces", counts.traces as u64, ""),
        ("events", counts.events, ""),
        ("undecided", counts.undecided as u64, "alarm"),
        ("unreadable", counts.unreadable as u64, "alarm"),
        ("failed", counts.failed as u64, "alarm"),
        ("not looked at", counts.open as u64, "alarm"),
    ];
    html.element("dl", &[("class", "facts triage")], |html| {
        for (name, value, class) in facts {
            let class = if value == 0 { "muted" } else { class };
            html.element("div", &[("class", class)], |html| {
                html.leaf("dd", &[], &grouped(value)).leaf("dt", &[], name);
            });
        }
    });
    let folders: Vec<String> = results.folders.iter().map(|folder| folder.display().to_string()).collect();
    let how = format!("{}: {}. {}.", folders.join(", "), summary(results), results.solver);
    html.leaf("p", &[("class", "quiet")], &how);
}

/// `1,234,567`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn causes(html: &mut Html, results: &Results<'_>) {
    if results.groups.is_empty() {
        html.leaf(
            "p",
            &[("class", "nothing")],
            match results.verdict {
                "NONE" => "No trace shows a bug, and none lets one be predicted.",
                _ => "No bug was found, but not every trace could be decided; the list below says which.",
            },
        );
        return;
    }
    let mut sources: HashMap<&str, Sources> = HashMap::new();
    let mut class: Option<Class> = None;
    for cause in &results.groups {
        let name = class_name(cause.class);
        if class != Some(cause.class) {
            class = Some(cause.class);
            let count = results.groups.iter().filter(|other| other.class == cause.class).count();
            html.element("h2", &[("class", &format!("class {name}"))], |html| {
                html.text(heading(cause.class)).text(" ").leaf(
                    "span",
                    &[("class", "quiet")],
                    &count.to_string(),
                );
            });
        }
        let program = cause.programs.first().copied().unwrap_or_default();
        let sources = sources.entry(program).or_insert_with(|| Sources::of(Path::new(program)));
        let (class, id) = (format!("finding {name}"), format!("cause-{}", cause.rank));
        let attributes = [("class", class.as_str()), ("id", id.as_str()), ("open", "")];
        // The worst one is unfolded.
        let attributes = if cause.rank == 1 { &attributes[..] } else { &attributes[..2] };
        html.element("details", attributes, |html| {
            head(html, cause, results.counts.traces);
            html.element("div", &[("class", "body")], |html| body(html, cause, sources));
        });
    }
}

fn class_name(class: Class) -> &'static str {
    match class {
        Class::Crash => "crash",
        Class::Deadlock => "deadlock",
        Class::RaceThatChangesABranch => "race-that-changes-a-branch",
        Class::Race => "race",
    }
}

fn heading(class: Class) -> &'static str {
    match class {
        Class::Crash => "Crashes",
        Class::Deadlock => "Deadlocks",
        Class::RaceThatChangesABranch => "Races that change a branch",
        Class::Race => "Other races",
    }
}

/// The line that is always there.
fn head(html: &mut Html, cause: &Cause<'_>, all: usize) {
    html.open("summary", &[]);
    html.leaf("span", &[("class", "number")], &format!("{}.", cause.rank));
    html.element("span", &[("class", "what")], |html| {
        let verdict = cause.verdict.name();
        html.leaf("span", &[("class", &verdict_class(verdict))], verdict).text(" ").text(cause.message);
        let mut programs: Vec<&str> = cause.programs.iter().map(|program| file_name(program)).collect();
        programs.dedup();
        let at = cause.positions.join(" · ");
        let of = if programs.concat().is_empty() {
            String::new()
        } else {
            format!("  in {}", programs.join(", "))
        };
        html.leaf("small", &[], &format!("{at}{of}"));
    });
    html.element("span", &[("class", "share")], |html| {
        html.leaf("span", &[], &format!("{} of {all} traces", cause.count));
        if cause.observed > 0 {
            html.leaf("span", &[], &format!("observed in {}", cause.observed));
        }
        let (count, all) = (cause.count.to_string(), all.to_string());
        html.leaf("progress", &[("max", &all), ("value", &count), ("aria-hidden", "true")], "");
    });
    html.close("summary");
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn body(html: &mut Html, cause: &Cause<'_>, sources: &Sources) {
    html.element("ul", &[("class", "places")], |html| {
        for event in &cause.events {
            html.element("li", &[], |html| {
                let place = if event.place.is_empty() { "a place without a name" } else { event.place };
                html.leaf("code", &[], place).text(" ").leaf("span", &[("class", "chip")], event.thread);
                html.text(" ").prose(event.role);
                if let Some((_, line)) = sources.line(event.place) {
                    html.text(" ").leaf("code", &[("class", "line")], &line);
                }
            });
        }
    });
    if !cause.inputs.is_empty() {
        html.element("p", &[("class", "inputs")], |html| {
            html.text("with ");
            for (n, (name, value)) in cause.inputs.iter().take(20).enumerate() {
                html.text(if n > 0 { ", " } else { "" }).leaf("code", &[], &format!("{name} = {value}"));
            }
        });
    }
    html.element("p", &[("class", "lead")], |html| {
        html.prose(&sentence(cause.reason));
    });
    if let Some(effect) = cause.effect {
        html.leaf("p", &[("class", "effect")], &sentence(&words(effect)));
    }
    if cause.rank <= INTERLEAVINGS
        && let Some(schedule) = schedule(&cause.si)
    {
        html.leaf("h3", &[], "The interleaving").leaf("pre", &[], &schedule);
    }
    commands(html, cause);
    html.open("details", &[("class", "more")]);
    html.leaf("summary", &[], &format!("All {} traces that show it", cause.count));
    html.element("ul", &[("class", "columns")], |html| {
        for trace in cause.traces.iter().take(NAMED) {
            html.leaf("li", &[], &trace.display().to_string());
        }
    });
    if let Some(more) = cause.traces.len().checked_sub(NAMED + 1) {
        html.leaf("p", &[("class", "quiet")], &format!("{} more are in the JSON result.", more + 1));
    }
    html.close("details");
}

/// With a capital and a full stop.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first: String = letters.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

/// The last steps, as the terminal shows them.
fn schedule(si: &str) -> Option<String> {
    fs::metadata(si).ok().filter(|metadata| metadata.len() <= LARGEST)?;
    let si = Si::parse(&fs::read_to_string(si).ok()?).ok()?;
    (!si.schedule.is_empty()).then(|| table(&si, 0))
}

fn commands(html: &mut Html, cause: &Cause<'_>) {
    let (si, trace) = (quoted(&cause.si), quoted(&cause.trace.display().to_string()));
    let mut lines = vec![("reproduce it", format!("warpath replay {si}"))];
    if matches!(cause.class, Class::Crash | Class::Deadlock) {
        lines.push(("find out why", format!("warpath diagnose {si}")));
    }
    lines.push(("everything about the trace", format!("warpath analyze {trace}")));
    lines.extend(
        cause.script.iter().map(|script| ("the question", format!("warpath solve {}", quoted(script)))),
    );
    html.leaf("h3", &[], "Commands").open("dl", &[("class", "commands")]);
    for (what, line) in lines {
        html.leaf("dt", &[], what).open("dd", &[]).leaf("code", &[], &line).close("dd");
    }
    html.close("dl");
}

fn traces(html: &mut Html, results: &Results<'_>) {
    // What could not be decided comes first: somebody has to look.
    let mut listed: Vec<&Outcome<'_>> = results.traces.iter().collect();
    listed.sort_by_key(|outcome| outcome.status == "analysed");
    html.leaf("h3", &[], "The traces");
    html.open("table", &[("class", "traces")]).open("thead", &[]).open("tr", &[]);
    for (name, class) in
        [("trace", ""), ("program", ""), ("events", "n"), ("threads", "n"), ("outcome", ""), ("causes", "")]
    {
        html.leaf("th", &[("class", class)], name);
    }
    html.close("tr").close("thead").open("tbody", &[]);
    for outcome in listed.iter().take(LISTED) {
        row(html, outcome);
    }
    html.close("tbody").close("table");
    if let Some(more) = listed.len().checked_sub(LISTED + 1) {
        html.leaf("p", &[("class", "quiet")], &format!("{} more are in the JSON result.", more + 1));
    }
}

fn row(html: &mut Html, outcome: &Outcome<'_>) {
    let count = |number: Option<u64>| number.map(grouped).unwrap_or_default();
    html.open("tr", &[]).leaf("td", &[], &outcome.trace.display().to_string());
    html.leaf("td", &[], file_name(outcome.program.unwrap_or_default()));
    html.leaf("td", &[("class", "n")], &count(outcome.events));
    html.leaf("td", &[("class", "n")], &count(outcome.threads.map(|threads| threads as u64)));
    html.element("td", &[("class", outcome.status)], |html| {
        html.text(if outcome.status == "open" { "not looked at" } else { outcome.status });
        let open = outcome.unanswered.first();
        let why = outcome.reason.map(str::to_owned).into_iter();
        let open = open.map(|open| format!("{} ({})", open.question, open.reason)).into_iter();
        for remark in why.chain(open).chain(outcome.remarks.iter().cloned()) {
            html.leaf("span", &[("class", "quiet")], &remark);
        }
    });
    html.element("td", &[], |html| {
        for (n, rank) in outcome.causes.iter().enumerate() {
            html.text(if n > 0 { " " } else { "" });
            html.leaf("a", &[("href", &format!("#cause-{rank}"))], &rank.to_string());
        }
    });
    html.close("tr");
}
