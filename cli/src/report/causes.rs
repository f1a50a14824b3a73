//! Causes in words, and what would prevent them.

use super::html::Html;
use super::lanes::{causes, is_drawn, short};
use super::subject::Subject;
use crate::present::diagnosis::{Cause, Document, Repair};
use crate::present::{Sources, file_and_line};

/// The causes, one of them chosen.
pub(super) fn write(html: &mut Html, subject: &Subject, id: &str) {
    let causes = causes(subject);
    let Some(document) = &subject.diagnosis else { return };
    let of = document.causes.len();
    if causes.is_empty() {
        html.element("p", &[("class", "lead")], |html| {
            html.prose(&document.sentence);
        });
        inputs(html, document);
        return;
    }
    inputs(html, document);
    html.open("div", &[("class", "causes")]);
    html.leaf("h3", &[], if causes.len() == 1 { "The cause" } else { "The causes" });
    if causes.len() > 1 {
        html.open("div", &[("class", "tabs"), ("role", "tablist"), ("aria-label", "Causes")]);
        for n in 0..causes.len() {
            let (panel, number) = (format!("{id}-cause-{n}"), n.to_string());
            let tab = format!("{id}-tab-{n}");
            html.leaf(
                "button",
                &[
                    ("role", "tab"),
                    ("id", &tab),
                    ("aria-controls", &panel),
                    ("data-cause", &number),
                    ("aria-selected", if n == 0 { "true" } else { "false" }),
                ],
                &(n + 1).to_string(),
            );
        }
        html.close("div");
    }
    for (n, cause) in causes.iter().enumerate() {
        panel(html, cause, n, of, id);
    }
    if of > causes.len() {
        html.leaf(
            "p",
            &[("class", "quiet")],
            &format!("{} more causes are in the JSON result.", of - causes.len()),
        );
    }
    scope(html, document);
    html.close("div");
}

/// Which inputs it needs, and how far that is known.
fn inputs(html: &mut Html, document: &Document) {
    let Some(needed) = &document.input_dependence else { return };
    html.leaf("h3", &[], "The inputs");
    html.element("p", &[("class", "input-condition")], |html| {
        html.prose(&needed.sentence);
    });
    let known = match needed.scope.kind.as_str() {
        "exhausted" => "Everything that can happen with any inputs is known",
        "bounded" => "Not everything that can happen with other inputs is known",
        _ => "Only what the traces show is known",
    };
    let text = format!("{known} ({} runs).", needed.scope.executions);
    html.leaf("p", &[("class", "quiet")], &text);
    for reason in &needed.scope.reasons {
        html.leaf("p", &[("class", "quiet")], reason);
    }
}

fn panel(html: &mut Html, cause: &Cause, n: usize, of: usize, id: &str) {
    let (panel, tab) = (format!("{id}-cause-{n}"), format!("{id}-tab-{n}"));
    html.open("div", &[("class", "cause"), ("id", &panel), ("role", "tabpanel"), ("aria-labelledby", &tab)]);
    let which = if of > 1 { format!("Cause {} of {of}: it", n + 1) } else { "It".to_owned() };
    let count = match cause.orderings.len() {
        1 => "this holds".to_owned(),
        2 => "both of these hold".to_owned(),
        more => format!("all {more} of these hold"),
    };
    html.leaf("p", &[], &format!("{which} fails whenever {count}:"));
    html.open("ol", &[]);
    for ordering in &cause.orderings {
        html.open("li", &[]).prose(&ordering.words);
        if !is_drawn(&ordering.first, &ordering.second) {
            html.text(" ").leaf("i", &[("class", "quiet")], "(in another failing schedule)");
        } else if ordering.second.failing.is_none() {
            html.text(" ").leaf("i", &[("class", "quiet")], "(which does not happen here)");
        }
        html.close("li");
    }
    html.close("ol");
    let of = format!("{} of {} orderings between threads in that schedule.", cause.orderings.len(), cause.of);
    html.leaf("p", &[("class", "quiet")], &of).close("div");
}

fn scope(html: &mut Html, document: &Document) {
    let known = match document.scope.kind.as_str() {
        "exhausted" => "Everything that can happen with these inputs is known",
        "bounded" => "Not everything that can happen with these inputs is known",
        _ => "Only what the traces show is known",
    };
    let complete = if document.complete { "; every failing schedule shows one of the causes" } else { "" };
    let text = format!("{known} ({} runs){complete}.", document.scope.executions);
    html.leaf("p", &[("class", "quiet")], &text);
    for reason in &document.scope.reasons {
        html.leaf("p", &[("class", "quiet")], reason);
    }
}

/// Repairs as sketches of patches.
pub(super) fn repairs(html: &mut Html, document: &Document, sources: &Sources) {
    if document.repairs.is_empty() {
        return;
    }
    html.leaf("h3", &[], "What would prevent it");
    html.open("div", &[("class", "repairs")]);
    for repair in &document.repairs {
        html.open("article", &[]);
        html.element("p", &[], |html| {
            html.prose(&repair.sentence);
        });
        sketch(html, repair, sources);
        for verified in &repair.verified {
            html.element("p", &[("class", "verified")], |html| {
                html.text("✓ ").prose(verified);
            });
        }
        html.close("article");
    }
    html.close("div");
    if let Some(confirm) = &document.confirm {
        html.element("p", &[("class", "quiet")], |html| {
            html.text("Confirm the first: ").leaf("code", &[], confirm);
        });
    }
}

fn sketch(html: &mut Html, repair: &Repair, sources: &Sources) {
    if repair.sketch.is_empty() {
        return;
    }
    html.open("pre", &[("class", "patch")]);
    let (mut file, mut said) = ("", None);
    for edit in &repair.sketch {
        if edit.file != file {
            html.leaf("span", &[("class", "file")], &edit.file).text("\n");
            (file, said) = (&edit.file, None);
        }
        let line = sources.around(&edit.file, edit.line as usize, 0).pop().map(|(_, text)| text);
        let context = format!("{:>5}   {}\n", edit.line, line.as_deref().map_or("…", str::trim));
        let added = format!("    + {} {}\n", edit.text, thread(&edit.thread));
        let is_after = edit.side == "after";
        // What goes before a line and what goes after it have the line between them once.
        if is_after && said != Some(edit.line) {
            html.text(&context);
        }
        html.leaf("ins", &[], &added);
        if !is_after {
            html.text(&context);
        }
        said = Some(edit.line);
    }
    html.close("pre");
}

fn thread(key: &str) -> String {
    if key.is_empty() { String::new() } else { format!(" // {key}") }
}

/// Where the bug shows, as a sentence's worth of places.
pub(super) fn places(html: &mut Html, subject: &Subject, sources: &Sources) {
    html.open("ul", &[("class", "places")]);
    let waits = subject.waits.iter().map(|wait| (&wait.place, &wait.thread, &wait.waits_for));
    let places = subject.places.iter().map(|place| (&place.place, &place.thread, &place.role));
    let all: Vec<_> = if subject.waits.is_empty() { places.collect() } else { waits.collect() };
    for (place, thread, role) in all {
        html.open("li", &[]).leaf("b", &[], thread).text(" at ");
        html.leaf("code", &[("title", place)], &if place.is_empty() { "?".to_owned() } else { short(place) });
        if let Some((_, line)) = file_and_line(place).and_then(|_| sources.line(place)) {
            html.text(" ").leaf("code", &[("class", "line")], &line);
        }
        if !role.is_empty() {
            html.text(" — ").prose(role);
        }
        html.close("li");
    }
    html.close("ul");
}
