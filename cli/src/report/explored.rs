//! The exploration: what it came to, what it took, and what each thread was seen to do.

use super::html::Html;
use super::lanes::short;
use super::results::{Explored, Stretch, Tree};

pub(super) fn write(html: &mut Html, explored: &Explored) {
    html.open("section", &[("class", "exploration")]);
    html.leaf("h2", &[], "The exploration");
    html.element("p", &[("class", "lead")], |html| {
        let class = format!("verdict {}", explored.verdict.to_lowercase());
        html.leaf("span", &[("class", &class)], &explored.verdict).text(" ").text(&explored.reason).text(".");
    });
    facts(html, explored);
    times(html, explored);
    trees(html, explored);
    for (title, items) in
        [("Notes", &explored.notes), ("Predicted, but not seen when tried", &explored.unconfirmed)]
    {
        if !items.is_empty() {
            html.open("details", &[("open", "")]).leaf("summary", &[], &format!("{title} ({})", items.len()));
            html.open("ul", &[]);
            items.iter().for_each(|item| {
                html.leaf("li", &[], item);
            });
            html.close("ul").close("details");
        }
    }
    html.close("section");
}

fn facts(html: &mut Html, explored: &Explored) {
    let approximated: u64 = explored.approximations.values().sum();
    let branches = &explored.coverage.branches;
    let facts = [
        ("runs", explored.executions.to_string()),
        ("paths", explored.paths.to_string()),
        ("events, merged", explored.nodes.to_string()),
        ("open ends", explored.open_ends.to_string()),
        ("branch outcomes covered", branches.covered.to_string()),
        ("proved unreachable", branches.unreachable.len().to_string()),
        ("unknown", branches.unknown.len().to_string()),
        ("approximations", approximated.to_string()),
    ];
    html.open("dl", &[("class", "facts")]);
    for (name, value) in facts {
        html.open("div", &[]).leaf("dd", &[], &value).leaf("dt", &[], name).close("div");
    }
    html.close("dl");
    let how =
        format!("Strategy {}, memory model {}, {}.", explored.strategy, explored.model, explored.solver);
    html.leaf("p", &[("class", "quiet")], &how);
}

/// A bar of the times; workers overlap, so that its parts may be more than the whole.
fn times(html: &mut Html, explored: &Explored) {
    let times = &explored.time_ms;
    let parts = [
        ("running", times.run, "run"),
        ("solving", times.solve, "solve"),
        ("building formulas", times.encode, "encode"),
    ];
    let sum: f64 = parts.iter().map(|(_, time, _)| time).sum::<f64>().max(1e-9);
    let words: Vec<String> =
        parts.iter().map(|(name, time, _)| format!("{name} {}", seconds(*time))).collect();
    let queries = &explored.queries;
    html.leaf("h3", &[], "Time");
    html.open(
        "svg",
        &[
            ("class", "times"),
            ("viewBox", "0 0 1000 14"),
            ("role", "img"),
            ("aria-label", &words.join(", ")),
            ("preserveAspectRatio", "none"),
        ],
    );
    let mut x = 0.0;
    for (_, time, class) in parts {
        let width = 1000.0 * time / sum;
        html.open(
            "rect",
            &[
                ("class", class),
                ("x", &format!("{x:.1}")),
                ("y", "0"),
                ("width", &format!("{width:.1}")),
                ("height", "14"),
            ],
        );
        html.close("rect");
        x += width;
    }
    html.close("svg");
    html.open("p", &[("class", "legend")]);
    for ((_, _, class), words) in parts.iter().zip(&words) {
        html.leaf("span", &[("class", class)], words);
    }
    html.leaf("span", &[], &format!("in all {}", seconds(times.total)));
    let asked = format!(
        "{} questions: {} sat, {} unsat, {} unknown",
        queries.total, queries.sat, queries.unsat, queries.unknown
    );
    html.leaf("span", &[], &asked).close("p");
}

fn seconds(millis: f64) -> String {
    if millis < 1000.0 { format!("{millis:.0} ms") } else { format!("{:.2} s", millis / 1000.0) }
}

fn trees(html: &mut Html, explored: &Explored) {
    let trees = &explored.coverage.trees;
    if trees.is_empty() {
        return;
    }
    html.leaf("h3", &[], "What each thread was seen to do");
    html.element("p", &[("class", "legend")], |html| {
        for (class, text) in
            [("covered", "covered"), ("unreachable", "proved unreachable"), ("unknown", "unknown")]
        {
            html.leaf("span", &[("class", class)], text);
        }
    });
    html.open("div", &[("class", "trees")]);
    trees.iter().for_each(|tree| self::tree(html, tree));
    html.close("div");
}

/// A decision and what lies behind it; deep trees are not nested deeper than anybody can read.
fn tree(html: &mut Html, tree: &Tree) {
    let count = |state: &str| tree.stretches.iter().filter(|stretch| stretch.state == state).count();
    html.open("details", &[("class", "tree"), ("open", "")]);
    html.open("summary", &[]).leaf("b", &[], &tree.thread);
    let events: u64 = tree.stretches.iter().map(|stretch| stretch.events).sum();
    html.text(&format!(" {events} events"));
    for (state, words) in [("unreachable", "proved unreachable"), ("unknown", "unknown")] {
        if count(state) > 0 {
            html.text(", ").leaf("span", &[("class", state)], &format!("{} {words}", count(state)));
        }
    }
    html.close("summary").open("ul", &[]);
    // Open lists, each with the stretch that it is behind; the children of a stretch come after it, in order.
    let mut behind: Vec<Option<usize>> = vec![None];
    for (n, stretch) in tree.stretches.iter().enumerate() {
        while behind.len() > 1 && behind.last() != Some(&stretch.after) {
            behind.pop();
            html.close("ul").close("li");
        }
        html.open("li", &[("class", class_of(stretch))]);
        words(html, stretch);
        let is_parent = tree.stretches.iter().skip(n + 1).any(|other| other.after == Some(n));
        if is_parent {
            html.open("ul", &[]);
            behind.push(Some(n));
        } else {
            html.close("li");
        }
    }
    while behind.pop().is_some_and(|list| list.is_some()) {
        html.close("ul").close("li");
    }
    html.close("ul");
    if tree.left_out > 0 {
        html.leaf("p", &[("class", "quiet")], &format!("{} more stretches are left out.", tree.left_out));
    }
    html.close("details");
}

fn class_of(stretch: &Stretch) -> &'static str {
    match stretch.state.as_str() {
        "covered" => "covered",
        "unreachable" => "unreachable",
        _ => "unknown",
    }
}

fn words(html: &mut Html, stretch: &Stretch) {
    if !stretch.outcome.is_empty() {
        html.leaf("b", &[], &stretch.outcome).text(" ");
    }
    let events = match stretch.events {
        0 => match stretch.state.as_str() {
            "covered" => "ends here".to_owned(),
            "unreachable" => "proved unreachable".to_owned(),
            _ => "unknown".to_owned(),
        },
        1 => "1 event".to_owned(),
        more => format!("{more} events"),
    };
    html.text(&events);
    let (from, to) = (short(&stretch.from), short(&stretch.to));
    if !from.is_empty() && from != to {
        html.text(" ").leaf("code", &[], &from).text(" – ").leaf("code", &[], &to);
    } else if !to.is_empty() {
        html.text(" ").leaf("code", &[], &to);
    }
}
