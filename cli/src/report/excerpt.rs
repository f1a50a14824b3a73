//! The source around the places of a bug, read when the page is made.

use std::collections::{BTreeMap, BTreeSet};

use super::html::Html;
use super::lanes::Lanes;
use super::subject::Subject;
use crate::present::{Sources, file_and_line};

/// Lines around each place.
const AROUND: usize = 2;
/// Lines of source on a page for one bug.
const MOST: usize = 120;

/// The excerpts, file by file.
pub(super) fn write(html: &mut Html, subject: &Subject, lanes: &Lanes<'_>, sources: &Sources) {
    let mut places: BTreeMap<(String, usize), BTreeSet<String>> = BTreeMap::new();
    let mut add = |place: &str, thread: &str| {
        if let Some((file, line)) = file_and_line(place) {
            places.entry((file.to_owned(), line)).or_default().insert(thread.to_owned());
        }
    };
    subject.places.iter().for_each(|place| add(&place.place, &place.thread));
    subject.waits.iter().for_each(|wait| add(&wait.place, &wait.thread));
    lanes.shown_steps().for_each(|step| add(&step.place, &step.thread));
    let failed: BTreeSet<(String, usize)> = subject
        .places
        .iter()
        .take(1)
        .filter_map(|place| file_and_line(&place.place))
        .map(|(file, line)| (file.to_owned(), line))
        .collect();

    let mut lines: BTreeMap<&str, BTreeMap<usize, String>> = BTreeMap::new();
    let mut missing: BTreeSet<&str> = BTreeSet::new();
    for (file, line) in places.keys() {
        let around = sources.around(file, *line, AROUND);
        if around.is_empty() {
            missing.insert(file);
        }
        lines.entry(file).or_default().extend(around);
    }
    lines.retain(|_, lines| !lines.is_empty());
    if lines.is_empty() && missing.is_empty() {
        return;
    }
    html.leaf("h3", &[], "The source");
    if lines.is_empty() {
        let files: Vec<&str> = missing.into_iter().collect();
        let text =
            format!("{}: not at hand as it was built; name its folder with --source.", files.join(", "));
        html.leaf("p", &[("class", "quiet")], &text);
        return;
    }
    let mut room = MOST;
    html.open("div", &[("class", "excerpts")]);
    for (file, lines) in lines {
        html.open("figure", &[]).leaf("figcaption", &[], file).open("table", &[("class", "code")]);
        let mut last = None;
        for (number, text) in lines.into_iter().take(room) {
            room = room.saturating_sub(1);
            if last.is_some_and(|last| last + 1 != number) {
                html.element("tr", &[("class", "skip")], |html| {
                    html.leaf("td", &[("colspan", "3")], "⋯");
                });
            }
            last = Some(number);
            let threads = places.get(&(file.to_owned(), number));
            let class = match threads {
                Some(_) if failed.contains(&(file.to_owned(), number)) => "hit fail",
                Some(_) => "hit",
                None => "",
            };
            html.open("tr", &[("class", class)]).leaf("td", &[], &number.to_string()).open("td", &[]);
            for thread in threads.into_iter().flatten() {
                let chip = format!("chip t{}", lanes.colour(thread));
                html.leaf("span", &[("class", &chip)], thread);
            }
            html.close("td").leaf("td", &[], &text.replace('\t', "    ")).close("tr");
        }
        html.close("table").close("figure");
    }
    html.close("div");
}
