//! The interleaving: a column per thread, a row per event, and arrows for orderings.
//!
//! Rows and columns have fixed sizes, so that arrows are right without a script; with one they follow what is folded.

use std::collections::{BTreeMap, BTreeSet};

use super::folding::{Piece, fold};
use super::html::Html;
use super::steps::{Step, in_order};
use super::subject::Subject;
use crate::present::diagnosis::{Cause, Side};
use crate::present::file_and_line;

/// Sizes in pixels; the style sheet has the same.
const ROW: usize = 34;
const HEAD: usize = 46;
/// A lane in which nothing that matters happens is narrow.
const QUIET: usize = 120;

/// As many rows that are not of a cause, but about the same storage, are shown at once.
const ROOM: usize = 28;
/// If nobody knows what matters, so many last events are.
const LAST: usize = 24;

/// What the lanes of one bug show.
pub(super) struct Lanes<'a> {
    subject: &'a Subject,
    /// Prefix of the ids of its elements.
    id: &'a str,
    threads: Vec<String>,
    shown: BTreeSet<usize>,
    fails: BTreeSet<usize>,
}

impl<'a> Lanes<'a> {
    pub(super) fn of(subject: &'a Subject, id: &'a str) -> Lanes<'a> {
        let fails = fails(subject);
        let shown = shown(subject, &fails);
        let mut threads = subject.failing.threads();
        let ghosts = causes(subject).iter().flat_map(|cause| &cause.orderings);
        for side in ghosts.flat_map(|ordering| [&ordering.first, &ordering.second]) {
            if !threads.contains(&side.thread) {
                threads.push(side.thread.clone());
            }
        }
        threads.sort_by_key(|key| in_order(key));
        Lanes { subject, id, threads, shown, fails }
    }

    /// The events shown, for excerpts of the source.
    pub(super) fn shown_steps(&self) -> impl Iterator<Item = &'a Step> {
        self.shown.iter().filter_map(|&at| self.subject.failing.steps.get(at))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.subject.failing.steps.is_empty()
    }

    /// Which colour a thread has.
    pub(super) fn colour(&self, thread: &str) -> usize {
        self.threads.iter().position(|known| known == thread).unwrap_or(0) % 6
    }

    fn widths(&self) -> Vec<usize> {
        let busy: BTreeSet<&str> = self.shown_steps().map(|step| step.thread.as_str()).collect();
        let usual = if busy.len() <= 3 { 330 } else { 270 };
        let width = |thread: &String| if busy.contains(thread.as_str()) { usual } else { QUIET };
        self.threads.iter().map(width).collect()
    }

    pub(super) fn write(&self, html: &mut Html) {
        let widths = self.widths();
        let total = widths.iter().sum::<usize>().to_string();
        let inputs: Vec<String> =
            self.subject.inputs.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        html.open("div", &[("class", "lanes"), ("data-inputs", &inputs.join(", "))]);
        html.open(
            "table",
            &[("width", &total), ("aria-label", "Interleaving: a column per thread, time goes down")],
        );
        html.open("colgroup", &[]);
        for width in &widths {
            html.open("col", &[("width", &width.to_string())]);
        }
        html.close("colgroup");
        html.element("thead", &[], |html| {
            html.element("tr", &[], |html| {
                for thread in &self.threads {
                    html.open("th", &[("scope", "col"), ("class", &format!("t{}", self.colour(thread)))]);
                    html.leaf("b", &[], thread).text(" ").leaf("span", &[], &self.start(thread)).close("th");
                }
            });
        });
        let mut rows = BTreeMap::new();
        let mut row = 0;
        let mut is_open = false;
        let mut folds = 0;
        for piece in fold(self.subject.failing.steps.len(), &self.shown) {
            let is_step = matches!(piece, Piece::Shown(_));
            if is_step != is_open {
                if is_open {
                    html.close("tbody")
                } else {
                    html.open("tbody", &[])
                };
                is_open = is_step;
            }
            match piece {
                Piece::Shown(at) => {
                    self.step(html, at);
                    rows.insert(at, row);
                    row += 1;
                }
                Piece::Folded(range) => {
                    folds += 1;
                    let id = format!("{}-fold-{folds}", self.id);
                    self.folded(html, &id, range.clone());
                    for (n, at) in range.clone().enumerate() {
                        rows.insert(at, row + 1 + n);
                    }
                    row += 1 + range.len();
                }
                Piece::LeftOut(count) => {
                    self.note(
                        html,
                        &format!("{count} events are not on this page; `warpath show` lists them"),
                    );
                    row += 1;
                }
            }
        }
        if is_open {
            html.close("tbody");
        }
        let ghosts = self.ghosts(html, row);
        html.close("table");
        self.arrows(html, &widths, &rows, &ghosts);
        html.close("div");
    }

    fn start(&self, thread: &str) -> String {
        let known = self.subject.diagnosis.iter().flat_map(|document| &document.threads);
        let start = known.into_iter().find(|known| known.thread == thread).map(|known| known.start.clone());
        start
            .filter(|start| !start.is_empty())
            .unwrap_or_else(|| if thread == "T0" { "main".to_owned() } else { String::new() })
    }

    fn note(&self, html: &mut Html, text: &str) {
        let columns = self.threads.len().to_string();
        html.open("tbody", &[("class", "note")]).open("tr", &[]);
        html.leaf("td", &[("colspan", &columns)], text).close("tr").close("tbody");
    }

    fn folded(&self, html: &mut Html, id: &str, range: std::ops::Range<usize>) {
        let columns = self.threads.len().to_string();
        let steps = &self.subject.failing.steps[range.clone()];
        let mut threads: Vec<&str> = steps.iter().map(|step| step.thread.as_str()).collect();
        threads.sort_unstable_by_key(|key| in_order(key));
        threads.dedup();
        html.open("tbody", &[("class", "gap")]).open("tr", &[]).open("td", &[("colspan", &columns)]);
        html.open("button", &[("class", "fold"), ("aria-expanded", "true"), ("aria-controls", id)]);
        html.text(&format!("… {} events ", steps.len())).leaf(
            "span",
            &[],
            &format!("of {}", threads.join(", ")),
        );
        html.close("button").close("td").close("tr").close("tbody");
        html.open("tbody", &[("class", "chunk"), ("id", id)]);
        range.for_each(|at| self.step(html, at));
        html.close("tbody");
    }

    fn step(&self, html: &mut Html, at: usize) {
        let step = &self.subject.failing.steps[at];
        let mut class = format!("ev t{}", self.colour(&step.thread));
        if self.fails.contains(&at) {
            class.push_str(" fail");
        }
        let id = format!("{}-f{at}", self.id);
        self.row(html, &step.thread, &[], |html| {
            html.open("div", &[("class", &class), ("id", &id), ("tabindex", "0"), ("title", &details(step))]);
            event(html, step);
            html.close("div");
        });
    }

    fn row(
        &self,
        html: &mut Html,
        thread: &str,
        attributes: super::html::Attributes<'_>,
        fill: impl FnOnce(&mut Html),
    ) {
        let lane = self.threads.iter().position(|known| known == thread).unwrap_or(0);
        html.open("tr", attributes);
        (0..lane).for_each(|_| {
            html.leaf("td", &[], "");
        });
        html.element("td", &[], fill);
        (lane + 1..self.threads.len()).for_each(|_| {
            html.leaf("td", &[], "");
        });
        html.close("tr");
    }

    /// Events of causes that do not happen here: they would come later. Their rows are below all others; only those of
    /// the first cause are seen without a script.
    fn ghosts(&self, html: &mut Html, first_row: usize) -> BTreeMap<(usize, String), usize> {
        let mut rows = BTreeMap::new();
        let mut row = first_row;
        for (n, cause) in causes(self.subject).iter().enumerate() {
            let sides = cause.orderings.iter().flat_map(|ordering| [&ordering.first, &ordering.second]);
            for side in sides.filter(|side| side.failing.is_none()) {
                let ghost = (n, ghost(side));
                if rows.contains_key(&ghost) {
                    continue;
                }
                let id = format!("{}-{}", self.id, ghost.1);
                let number = n.to_string();
                let class = if n == 0 { "ghosts" } else { "ghosts off" };
                html.open("tbody", &[("class", class), ("data-cause", &number)]);
                self.row(html, &side.thread, &[], |html| {
                    let title = format!(
                        "{} {} at {} does not happen before the end",
                        side.kind, side.object, side.place
                    );
                    let id = format!("{id}-{n}");
                    html.open(
                        "div",
                        &[("class", "ev ghost"), ("id", &id), ("tabindex", "0"), ("title", &title)],
                    );
                    let step = Step::of(&crate::present::diagnosis::Event {
                        kind: side.kind.clone(),
                        object: side.object.clone(),
                        place: side.place.clone(),
                        ..Default::default()
                    });
                    event(html, &step);
                    html.leaf("i", &[], " would come later").close("div");
                });
                html.close("tbody");
                if n == 0 {
                    rows.insert(ghost, row);
                    row += 1;
                } else {
                    rows.insert(ghost, first_row);
                }
            }
        }
        rows
    }

    fn arrows(
        &self,
        html: &mut Html,
        widths: &[usize],
        rows: &BTreeMap<usize, usize>,
        ghosts: &BTreeMap<(usize, String), usize>,
    ) {
        let head = format!("{}-head", self.id);
        html.open("svg", &[("class", "arrows"), ("aria-hidden", "true"), ("width", "1"), ("height", "1")]);
        html.open("defs", &[]);
        html.open(
            "marker",
            &[
                ("id", &head),
                ("viewBox", "0 0 10 10"),
                ("refX", "9"),
                ("refY", "5"),
                ("markerWidth", "7"),
                ("markerHeight", "7"),
                ("orient", "auto-start-reverse"),
            ],
        );
        html.open("path", &[("d", "M0 0L10 5L0 10z")]).close("path").close("marker").close("defs");
        let end = |side: &Side, cause: usize| match side.failing {
            Some(at) => Some((format!("{}-f{at}", self.id), *rows.get(&at)?, side.thread.clone())),
            None => {
                let key = (cause, ghost(side));
                let row = *ghosts.get(&key)?;
                Some((format!("{}-{}-{cause}", self.id, key.1), row, side.thread.clone()))
            }
        };
        let mut drawn = Vec::new();
        for (cause, ordering, n) in causes(self.subject).iter().enumerate().flat_map(|(c, cause)| {
            cause.orderings.iter().enumerate().map(move |(n, ordering)| (c, ordering, n))
        }) {
            if is_drawn(&ordering.first, &ordering.second) {
                drawn.extend(
                    end(&ordering.first, cause)
                        .zip(end(&ordering.second, cause))
                        .map(|ends| (cause, n + 1, ends)),
                );
            }
        }
        if causes(self.subject).is_empty() {
            for (n, &(from, to)) in self.subject.failing.flows.iter().enumerate() {
                let side = |at: usize| Side {
                    failing: Some(at),
                    thread: self
                        .subject
                        .failing
                        .steps
                        .get(at)
                        .map(|step| step.thread.clone())
                        .unwrap_or_default(),
                    ..no_side()
                };
                drawn.extend(end(&side(from), 0).zip(end(&side(to), 0)).map(|ends| (0, n + 1, ends)));
            }
        }
        for (cause, n, ((from, from_row, from_thread), (to, to_row, to_thread))) in drawn {
            let x = |thread: &str| self.threads.iter().position(|known| known == thread).unwrap_or(0);
            let (a, b) = (x(&from_thread), x(&to_thread));
            let edge = |lane: usize, right: bool| {
                widths[..lane + usize::from(right)].iter().sum::<usize>() as i64 + if right { -8 } else { 8 }
            };
            let y = |row: usize| (HEAD + row * ROW + ROW / 2) as i64;
            let (x1, x2) = (edge(a, b > a), edge(b, a > b));
            let class = if cause == 0 { "arrow" } else { "arrow off" };
            let group: [(&'static str, &str); 4] = [
                ("class", class),
                ("data-from", &from),
                ("data-to", &to),
                ("data-cause", &cause.to_string()),
            ];
            html.open("g", &group);
            let (y1, y2) = (y(from_row), y(to_row));
            let bend = if b > a { 40 } else { -40 };
            let d = format!("M{x1} {y1}C{} {y1} {} {y2} {x2} {y2}", x1 + bend, x2 - bend);
            html.open("path", &[("d", &d), ("marker-end", &format!("url(#{head})"))]).close("path");
            let (cx, cy) = (((x1 + x2) / 2).to_string(), ((y1 + y2) / 2).to_string());
            html.open("circle", &[("cx", &cx), ("cy", &cy), ("r", "9")]).close("circle");
            html.leaf("text", &[("x", &cx), ("y", &cy), ("dy", "0.35em")], &n.to_string());
            html.close("g");
        }
        html.close("svg");
    }
}

fn no_side() -> Side {
    Side {
        thread: String::new(),
        kind: String::new(),
        object: String::new(),
        place: String::new(),
        file: String::new(),
        line: 0,
        function: String::new(),
        nth: 0,
        failing: None,
        passing: None,
    }
}

/// Does the failing schedule show the ordering? A cause may have been found in another one.
pub(super) fn is_drawn(first: &Side, second: &Side) -> bool {
    match (first.failing, second.failing) {
        (Some(first), Some(second)) => first < second,
        (Some(_), None) => true,
        (None, _) => false,
    }
}

/// A name for an event that does not happen.
fn ghost(side: &Side) -> String {
    let plain: String = side.place.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    format!("g{}-{plain}-{}", side.thread.replace('.', "-"), side.nth)
}

pub(super) fn causes(subject: &Subject) -> &[Cause] {
    subject.diagnosis.as_ref().map(|document| &document.causes[..]).unwrap_or_default()
}

/// Where it went wrong: the last event of the thread that failed, or of each that waits.
fn fails(subject: &Subject) -> BTreeSet<usize> {
    let steps = &subject.failing.steps;
    let last = |thread: &str| steps.iter().rposition(|step| step.thread == thread);
    let waiting: BTreeSet<usize> = subject.waits.iter().filter_map(|wait| last(&wait.thread)).collect();
    if !waiting.is_empty() {
        return waiting;
    }
    let failed = steps.iter().rposition(|step| step.verb == "fails");
    let of_thread = subject.places.first().and_then(|place| last(&place.thread));
    failed.or(of_thread).into_iter().collect()
}

fn shown(subject: &Subject, fails: &BTreeSet<usize>) -> BTreeSet<usize> {
    let steps = &subject.failing.steps;
    let mut shown = fails.clone();
    shown.extend(&subject.failing.matter);
    if let Some(cause) = causes(subject).first() {
        let sides = || cause.orderings.iter().flat_map(|ordering| [&ordering.first, &ordering.second]);
        shown.extend(sides().filter_map(|side| side.failing));
        let objects: BTreeSet<&str> = sides().map(|side| side.object.as_str()).collect();
        let about = (0..steps.len()).filter(|&at| objects.contains(steps[at].object.as_str()));
        let more: BTreeSet<usize> = about.chain(shown.iter().copied()).collect();
        if more.len() <= ROOM {
            return more;
        }
        return shown;
    }
    if subject.failing.matter.is_empty() {
        shown.extend(steps.len().saturating_sub(LAST)..steps.len());
    }
    shown
}

/// What an event says.
pub(super) fn event(html: &mut Html, step: &Step) {
    html.leaf("b", &[], &step.verb);
    if !step.object.is_empty() {
        html.text(" ").leaf("code", &[], &step.object);
    }
    if let Some(value) = &step.value {
        html.text(" ").leaf("span", &[("class", "val")], &format!("= {value}"));
    }
    html.leaf("span", &[("class", "at")], &short(&step.place));
}

/// Everything known of it, a line each.
pub(super) fn details(step: &Step) -> String {
    let function = match step.function.as_str() {
        "" => String::new(),
        function => format!(" in {function}"),
    };
    let place = if step.place.is_empty() { "a place without a name" } else { &step.place };
    let mut lines = vec![format!("{} {}", step.thread, step.line()), format!("at {place}{function}")];
    lines.extend(step.source.clone());
    lines.push(format!("event {} of its thread", step.position + 1));
    lines.join("\n")
}

/// `m.c:38` of `src/m.c:38:9`.
pub(super) fn short(place: &str) -> String {
    match file_and_line(place) {
        Some((file, line)) => format!("{}:{line}", file.rsplit('/').next().unwrap_or(file)),
        None => place.to_owned(),
    }
}
