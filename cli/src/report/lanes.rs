//! The interleaving: a column per thread, a row per event, and arrows for orderings.
//!
//! Rows and columns have fixed sizes, so that arrows are right without a script; with one they follow what is folded.

use std::collections::{BTreeMap, BTreeSet};

use super::arrows::{self, Arrow, End};
use super::folding::{Piece, fold};
use super::html::Html;
use super::steps::{Step, in_order};
use super::subject::Subject;
use crate::present::diagnosis::{Cause, Side};
use crate::present::file_and_line;

/// Pixels of a lane in which nothing that matters happens.
const QUIET: usize = 120;
/// More causes than this nobody reads; the JSON has all.
const MOST_CAUSES: usize = 12;

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
    /// Are all events in one file? Then it need not be said with each of them.
    in_one_file: bool,
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
        let files = subject.failing.steps.iter().filter_map(|step| file_and_line(&step.place));
        let files: BTreeSet<&str> = files.map(|(file, _)| file).collect();
        Lanes { subject, id, threads, shown, fails, in_one_file: files.len() == 1 }
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
        // As many as fit beside each other on a usual screen.
        let usual = (1270 / busy.len().max(1)).clamp(225, 330);
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
        arrows::write(html, self.id, &self.arrows(&rows, &ghosts), &widths);
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
            event(html, step, &self.at(&step.place));
            html.close("div");
        });
    }

    /// A place, as short as can be.
    fn at(&self, place: &str) -> String {
        match file_and_line(place) {
            Some((_, line)) if self.in_one_file => format!(":{line}"),
            _ => short(place),
        }
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
                    event(html, &step, &self.at(&step.place));
                    html.leaf("i", &[], "not yet").close("div");
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

    /// Orderings of the causes that this schedule shows; without causes, values that went from thread to thread.
    fn arrows(&self, rows: &BTreeMap<usize, usize>, ghosts: &BTreeMap<(usize, String), usize>) -> Vec<Arrow> {
        let lane = |thread: &str| self.threads.iter().position(|known| known == thread).unwrap_or(0);
        let event = |at: usize| {
            let thread = &self.subject.failing.steps.get(at)?.thread;
            Some(End { id: format!("{}-f{at}", self.id), row: *rows.get(&at)?, lane: lane(thread) })
        };
        let end = |side: &Side, cause: usize| match side.failing {
            Some(at) => event(at),
            None => {
                let key = (cause, ghost(side));
                let id = format!("{}-{}-{cause}", self.id, key.1);
                Some(End { id, row: *ghosts.get(&key)?, lane: lane(&side.thread) })
            }
        };
        let mut arrows = Vec::new();
        for (cause, orderings) in causes(self.subject).iter().map(|cause| &cause.orderings).enumerate() {
            for (n, ordering) in orderings.iter().enumerate() {
                let ends = end(&ordering.first, cause).zip(end(&ordering.second, cause));
                if let Some((from, to)) = ends.filter(|_| is_drawn(&ordering.first, &ordering.second)) {
                    arrows.push(Arrow { cause, number: n + 1, from, to });
                }
            }
        }
        if causes(self.subject).is_empty() {
            let flows = self.subject.failing.flows.iter().enumerate();
            arrows.extend(flows.filter_map(|(n, &(from, to))| {
                Some(Arrow { cause: 0, number: n + 1, from: event(from)?, to: event(to)? })
            }));
        }
        arrows
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

/// The causes that are shown.
pub(super) fn causes(subject: &Subject) -> &[Cause] {
    let causes = subject.diagnosis.as_ref().map(|document| &document.causes[..]).unwrap_or_default();
    &causes[..causes.len().min(MOST_CAUSES)]
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

/// What an event says, and where it is.
pub(super) fn event(html: &mut Html, step: &Step, place: &str) {
    html.leaf("b", &[], &step.verb);
    if !step.object.is_empty() {
        html.text(" ").leaf("code", &[], &step.object);
    }
    if let Some(value) = &step.value {
        html.text(" ").leaf("span", &[("class", "val")], &format!("= {value}"));
    }
    html.leaf("span", &[("class", "at")], place);
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
