//! The page of `warpath report`: one file, no network, readable without a script, on paper and in the dark.
//!
//! Everything on it comes from results of other commands, and is escaped ([`html`]). The one style sheet and the one
//! script are constants; a content security policy names their digests, so that nothing else can run or be loaded.

mod arrows;
mod causes;
mod compare;
mod digest;
mod excerpt;
mod explored;
mod folding;
mod gather;
pub(crate) mod html;
mod lanes;
mod results;
mod steps;
mod subject;

use std::path::{Path, PathBuf};

pub(crate) use gather::read;

use crate::present::Sources;
use gather::Given;
use html::Html;
use lanes::Lanes;
use subject::{Subject, subjects};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("page.js");
const HELP: &str = include_str!("help.html");

/// The page. Sources are looked for here, beside the programs, and in `folders`.
pub(crate) fn page(mut given: Given, folders: &[PathBuf]) -> String {
    let explored: Vec<_> = given.explored.iter_mut().map(|(_, explored)| shown_below(explored)).collect();
    let subjects = subjects(given);
    let title = title(&subjects);
    let mut html = Html::default();
    head(&mut html, &title, &[STYLE], Some(SCRIPT));
    header(&mut html, &title, &subjects);
    html.open("main", &[]);
    for (n, subject) in subjects.iter().enumerate() {
        let sources = Sources::of(Path::new(&subject.program)).and_in(folders);
        bug(&mut html, n, subject, &sources);
    }
    explored.iter().for_each(|explored| explored::write(&mut html, explored));
    html.close("main").constant(HELP).close("body").close("html");
    html.into_string()
}

/// Everything up to the body: of style sheets and scripts, only these may be used.
fn head(html: &mut Html, title: &str, styles: &[&'static str], script: Option<&'static str>) {
    html.constant("<!DOCTYPE html>\n").open("html", &[("lang", "en")]).open("head", &[]);
    html.constant("<meta charset=\"utf-8\">\n");
    let digests: Vec<String> = styles.iter().map(|style| format!("'{}'", digest::source(style))).collect();
    let policy = format!(
        "default-src 'none'; style-src {}; script-src {}; base-uri 'none'; form-action 'none'",
        digests.join(" "),
        script.map_or("'none'".to_owned(), |script| format!("'{}'", digest::source(script)))
    );
    html.open("meta", &[("http-equiv", "Content-Security-Policy"), ("content", &policy)]);
    html.constant("\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    html.constant("<meta name=\"color-scheme\" content=\"light dark\">\n");
    html.leaf("title", &[], &format!("{title} – Warpath"));
    for style in styles {
        html.constant("\n<style>").constant(style).constant("</style>");
    }
    if let Some(script) = script {
        html.constant("\n<script>").constant(script).constant("</script>");
    }
    html.constant("\n").close("head").open("body", &[]);
}

/// A page without a script, in the same look: `style` is what it has beside the style sheet of all pages, `main` what is
/// on it.
pub(crate) fn plain_page(title: &str, style: &'static str, main: impl FnOnce(&mut Html)) -> String {
    let mut html = Html::default();
    head(&mut html, title, &[STYLE, style], None);
    html.element("header", &[], |html| {
        html.leaf("p", &[("class", "brand")], "Warpath");
    });
    html.element("main", &[], main);
    html.close("body").close("html");
    html.into_string()
}

/// What the section about the exploration needs; the bugs have sections of their own.
fn shown_below(explored: &mut results::Explored) -> results::Explored {
    let bugs = std::mem::take(&mut explored.bugs);
    let program = explored.program.clone();
    let shown = std::mem::take(explored);
    (explored.bugs, explored.program) = (bugs, program);
    shown
}

fn title(subjects: &[Subject]) -> String {
    match subjects {
        [] => "No bug".to_owned(),
        [one] => format!("{}: {}", one.kind, one.headline()),
        more => format!("{} bugs", more.len()),
    }
}

fn header(html: &mut Html, title: &str, subjects: &[Subject]) {
    html.open("header", &[]);
    html.leaf("p", &[("class", "brand")], "Warpath");
    if subjects.len() != 1 {
        html.leaf("h1", &[], title);
    }
    if subjects.len() > 1 {
        html.open("nav", &[("aria-label", "Bugs")]).open("ol", &[]);
        for (n, subject) in subjects.iter().enumerate() {
            let text = format!("{}: {}", subject.kind, subject.headline());
            html.open("li", &[]).leaf("a", &[("href", &format!("#bug-{n}"))], &text).close("li");
        }
        html.close("ol").close("nav");
    }
    html.leaf("button", &[("id", "help-button"), ("title", "Keys (?)")], "?");
    html.close("header");
}

fn bug(html: &mut Html, n: usize, subject: &Subject, sources: &Sources) {
    let id = format!("bug-{n}");
    let lanes = Lanes::of(subject, &id);
    html.open("section", &[("class", "bug"), ("id", &id), ("tabindex", "-1")]);
    html.open("h2", &[]);
    let class = format!("verdict {}", subject.verdict.to_lowercase());
    html.leaf("span", &[("class", &class)], &subject.kind).text(" ").text(&subject.headline()).close("h2");
    html.open("div", &[("class", "where")]);
    causes::places(html, subject, sources);
    if !subject.inputs.is_empty() {
        html.open("p", &[("class", "inputs")]).text("with ");
        for (n, (name, value)) in subject.inputs.iter().enumerate() {
            html.text(if n > 0 { ", " } else { "" }).leaf("code", &[], &format!("{name} = {value}"));
        }
        html.close("p");
    }
    html.close("div");
    causes::write(html, subject, &id);
    if subject.diagnosis.is_none() && !subject.reason.is_empty() {
        html.leaf("p", &[("class", "lead")], &subject.reason);
    }
    if !lanes.is_empty() {
        html.open("div", &[("class", "bar")]).leaf("h3", &[], "The interleaving");
        html.leaf("button", &[("class", "all")], "Unfold everything").close("div");
        lanes.write(html);
    }
    if let Some(document) = &subject.diagnosis {
        compare::write(html, subject, document, &lanes);
        causes::repairs(html, document, sources);
    }
    excerpt::write(html, subject, &lanes, sources);
    commands(html, subject);
    html.close("section");
}

fn commands(html: &mut Html, subject: &Subject) {
    if subject.si.is_empty() {
        return;
    }
    let si = quoted(&subject.si);
    let mut lines = vec![
        (format!("warpath replay {si}"), "reproduce it"),
        (format!("warpath replay {si} --gdb"), "look at it in a debugger"),
        (format!("warpath export-test {si}"), "make a test of it"),
    ];
    if subject.diagnosis.is_none() {
        lines.push((format!("warpath diagnose {si}"), "find out why"));
    }
    html.leaf("h3", &[], "Commands").open("dl", &[("class", "commands")]);
    for (line, what) in lines {
        html.leaf("dt", &[], what).open("dd", &[]).leaf("code", &[], &line).close("dd");
    }
    html.close("dl");
}

/// As a shell reads it back.
pub(crate) fn quoted(path: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@%".contains(c);
    match path.chars().all(plain) {
        true => path.to_owned(),
        false => format!("'{}'", path.replace('\'', "'\\''")),
    }
}
