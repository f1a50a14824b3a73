//! `warpath report`: the page as a browser sees it.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::browser::{Browser, keys};
use crate::explore::explored;
use crate::run::{Folder, repository, run, warpath};
use crate::samples::named;

/// The folder of an exploration, with a diagnosis of its first bug.
fn results(folder: &Folder, sample: &str) -> PathBuf {
    explored(named(sample), folder, &[]).expect_code(1);
    let out = folder.path().join("out");
    let mut diagnose = warpath();
    diagnose.arg("diagnose").arg(out.join("bug-1.si.toml")).args(["-q", "--solver", "yices", "--json"]);
    run(diagnose.arg(out.join("bug-1.json"))).expect_code(1);
    out
}

fn page(folder: &Folder, results: &[&Path]) -> PathBuf {
    let page = folder.path().join("page.html");
    let mut report = warpath();
    report
        .arg("report")
        .args(results)
        .arg("-o")
        .arg(&page)
        .arg("--source")
        .arg(repository().join("samples/c"));
    run(&mut report).expect_code(0);
    page
}

/// A browser that shows a page of this bug, and has nothing to complain about.
fn shown(folder: &Folder, sample: &str) -> (Browser, PathBuf) {
    let page = page(folder, &[&results(folder, sample)]);
    let browser = Browser::start();
    browser.open(&page);
    assert_eq!(browser.complaints(), Vec::<String>::new());
    (browser, page)
}

#[track_caller]
fn number(value: Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn lanes_arrows_causes_and_source_are_there() {
    let folder = Folder::new();
    let (browser, _) = shown(&folder, "m0");
    let headline = browser.script("return document.querySelector('h2').textContent");
    assert_eq!(headline, "assertion y != 2 does not hold");
    let heads = browser.script("return [...document.querySelectorAll('.lanes th')].map(e => e.textContent)");
    assert_eq!(heads, json!(["T0 main", "T0.0 thread1", "T0.1 thread2", "T0.2 thread3"]));
    let arrows = "return [...document.querySelectorAll('.arrow')].filter(e => e.getBoundingClientRect().height > 0).length";
    assert!(number(browser.script(arrows)) >= 2, "arrows of the first cause");
    // Each begins and ends at the side of an event.
    let apart = browser.script(
        "const base = document.querySelector('.arrows').getBoundingClientRect();
         return Math.max(...[...document.querySelectorAll('.arrow:not(.off)')].map(arrow => {
             const path = arrow.querySelector('path'), length = path.getTotalLength();
             return Math.max(...[[arrow.dataset.from, 0], [arrow.dataset.to, length]].map(([id, at]) => {
                 const { x, y } = path.getPointAtLength(at), box = document.getElementById(id).getBoundingClientRect();
                 const dx = Math.min(Math.abs(x + base.left - box.left), Math.abs(x + base.left - box.right));
                 return Math.max(dx, Math.abs(y + base.top - (box.top + box.bottom) / 2));
             }));
         }))",
    );
    assert!(apart.as_f64().is_some_and(|apart| apart < 2.0), "an arrow ends {apart} pixels beside its event");
    let causes = browser.script("return document.querySelector('.cause:not(.off)').textContent");
    assert!(causes.as_str().is_some_and(|text| text.contains("before")), "{causes}");
    let source = browser.script("return document.querySelector('.code .fail').textContent");
    assert!(source.as_str().is_some_and(|text| text.contains("warpath_assert(y != 2)")), "{source}");
    let passing = browser.script("return document.querySelectorAll('.compare .passes li').length");
    assert!(number(passing) > 0, "a passing schedule beside the failing one");
    let marked =
        browser.script("return document.querySelectorAll('.compare :is(.moved, .changed, .only)').length");
    assert!(number(marked) > 1, "what differs is marked");
    let inputs = browser.script("return document.querySelector('.inputs').textContent");
    assert_eq!(inputs, "with i = 3, j = 2");
    let trees = browser.script("return document.querySelectorAll('.tree').length");
    assert_eq!(number(trees), 4, "a tree per thread");
    let unreachable = browser.script("return document.querySelectorAll('.tree li.unreachable').length");
    assert!(number(unreachable) > 0, "what was proved to be out of reach");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn another_cause_has_other_arrows() {
    let folder = Folder::new();
    let (browser, _) = shown(&folder, "m0");
    let chosen = "return document.querySelector('[role=tab][aria-selected=true]').textContent";
    assert_eq!(browser.script(chosen), "1");
    browser.click("[role=tab][data-cause='1']");
    assert_eq!(browser.script(chosen), "2");
    let drawn =
        "return [...new Set([...document.querySelectorAll('.arrow:not(.off)')].map(e => e.dataset.cause))]";
    for cause in browser.script(drawn).as_array().expect("a list") {
        assert_eq!(cause, "1", "only arrows of the chosen cause");
    }
    let text = "return document.querySelector('.cause:not(.off) p').textContent";
    assert!(
        browser.script(text).as_str().is_some_and(|text| text.starts_with("Cause 2 of")),
        "the words, too"
    );
    browser.press(&["1"]);
    assert_eq!(browser.script(chosen), "1", "by its number");
}

#[test]
fn folds_open_by_click_and_by_key() {
    let folder = Folder::new();
    let (browser, _) = shown(&folder, "m0");
    let seen = "return [...document.querySelectorAll('.lanes .ev')].filter(e => e.offsetParent).length";
    let all = number(browser.script("return document.querySelectorAll('.lanes .ev:not(.ghost)').length"));
    let folded = number(browser.script(seen));
    assert!(folded < all, "folded at first: {folded} of {all}");
    let label = browser.script("return document.querySelector('.fold').textContent");
    assert!(label.as_str().is_some_and(|text| text.starts_with("… ") && text.contains("events")), "{label}");
    browser.click(".fold");
    let opened = number(browser.script(seen));
    assert!(opened > folded, "opened by a click");
    browser.click(".fold");
    assert_eq!(number(browser.script(seen)), folded, "and closed");
    browser.script("document.querySelector('.fold').focus()");
    browser.press(&[keys::ENTER]);
    assert_eq!(number(browser.script(seen)), opened, "opened by a key");
    browser.press(&["f"]);
    assert!(number(browser.script(seen)) >= all, "everything at once");
    browser.press(&["f"]);
    assert_eq!(number(browser.script(seen)), folded, "and folded again");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn keys_lead_through_the_events() {
    let folder = Folder::new();
    let (browser, _) = shown(&folder, "m0");
    let at = "return document.activeElement.id || document.activeElement.className";
    for _ in 0..40 {
        browser.press(&[keys::TAB]);
        if browser.script("return Boolean(document.activeElement.closest('.lanes'))") == true {
            break;
        }
    }
    browser.press(&[keys::END]);
    let last = browser.script(at);
    browser.press(&[keys::UP]);
    let before = browser.script(at);
    assert_ne!(last, before);
    browser.press(&[keys::DOWN]);
    assert_eq!(browser.script(at), last, "up and down again");
    let tip = "const tip = document.getElementById('tip'); return tip.hidden ? '' : tip.textContent";
    let told = (0..12).find_map(|_| {
        browser.press(&[keys::UP]);
        browser.script(tip).as_str().filter(|text| text.contains("read y = 2")).map(str::to_owned)
    });
    let told = told.expect("the read that the failure is about, with its value");
    assert!(told.contains("inputs: i = 3, j = 2") && told.contains("m.c:38"), "{told}");
    let lane = "return document.activeElement.getBoundingClientRect().left";
    let here = browser.script(lane).as_f64();
    browser.press(&[keys::LEFT]);
    assert!(browser.script(lane).as_f64() < here, "the thread beside");
    browser.press(&[keys::HOME]);
    assert_eq!(
        browser.script("return document.activeElement.closest('tbody').previousElementSibling?.tagName"),
        "THEAD"
    );
    browser.press(&["?"]);
    assert_eq!(browser.script("return document.getElementById('help').open"), true);
    browser.press(&[keys::ESCAPE]);
    assert_eq!(browser.script("return document.getElementById('help').open"), false);
    // Hovering shows the same.
    browser.script("document.querySelector('.ev.fail').dispatchEvent(new MouseEvent('mouseenter'))");
    assert_eq!(browser.script("return document.getElementById('tip').hidden"), false);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Contrast of every text with what is behind it, as WCAG computes it; the worst, and whose it is.
const CONTRAST: &str = "
    const parse = (colour) => {
        const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number);
        return { r, g, b, a };
    };
    const light = ({ r, g, b }) => {
        const [x, y, z] = [r, g, b].map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * x + 0.7152 * y + 0.0722 * z;
    };
    const behind = (element) => {
        for (let e = element; e; e = e.parentElement) {
            const colour = parse(getComputedStyle(e).backgroundColor);
            if (colour.a === 1) return colour;
        }
        return { r: 255, g: 255, b: 255 };
    };
    let worst = [99, ''];
    for (const e of document.querySelectorAll('body *')) {
        if (!e.offsetParent || ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
        const [one, other] = [light(parse(getComputedStyle(e).color)), light(behind(e))].sort((a, b) => b - a);
        const ratio = (one + 0.05) / (other + 0.05);
        if (ratio < worst[0]) worst = [ratio, e.tagName + '.' + e.className + ' ' + e.textContent.slice(0, 40)];
    }
    return worst";

#[test]
fn light_and_dark_are_legible() {
    let folder = Folder::new();
    let (browser, _) = shown(&folder, "m0");
    let mut backgrounds = Vec::new();
    for scheme in ["light", "dark"] {
        let feature = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        browser.tools("Emulation.setEmulatedMedia", &feature);
        let worst = browser.script(CONTRAST);
        assert!(worst[0].as_f64().is_some_and(|ratio| ratio >= 4.5), "{scheme}: {worst}");
        backgrounds.push(browser.script("return getComputedStyle(document.body).backgroundColor"));
    }
    assert_ne!(backgrounds[0], backgrounds[1], "two schemes");
}

#[test]
fn on_paper_everything_is_there_in_black_and_white() {
    let folder = Folder::new();
    let (browser, _) = shown(&folder, "m0");
    browser.tools(
        "Emulation.setEmulatedMedia",
        &json!({ "media": "print", "features": [{ "name": "prefers-color-scheme", "value": "dark" }] }),
    );
    let hidden = browser.script("return [...document.querySelectorAll('.chunk')].filter(e => getComputedStyle(e).display === 'none').length");
    assert_eq!(number(hidden), 0, "nothing is folded");
    let colours = browser
        .script("const style = getComputedStyle(document.body); return [style.color, style.backgroundColor]");
    assert_eq!(colours, json!(["rgb(0, 0, 0)", "rgb(255, 255, 255)"]));
    let printed = browser.tools("Page.printToPDF", &json!({ "printBackground": true }));
    assert!(printed["data"].as_str().is_some_and(|data| data.len() > 10_000), "it can be printed");
}

#[test]
fn without_a_script_everything_is_unfolded() {
    let folder = Folder::new();
    let page = page(&folder, &[&results(&folder, "m0")]);
    let browser = Browser::start();
    browser.tools("Emulation.setScriptExecutionDisabled", &json!({ "value": true }));
    browser.open(&page);
    let evaluate = |script: &str| {
        let answer =
            browser.tools("Runtime.evaluate", &json!({ "expression": script, "returnByValue": true }));
        answer["result"]["value"].clone()
    };
    assert_eq!(evaluate("document.documentElement.className"), "", "the page's own script did not run");
    assert_eq!(
        number(evaluate(
            "[...document.querySelectorAll('.lanes .ev')].filter(e => !e.offsetParent && !e.closest('.off')).length"
        )),
        0
    );
    assert!(
        number(evaluate("[...document.querySelectorAll('.cause')].filter(e => e.offsetParent).length")) > 1
    );
    assert_eq!(number(evaluate("[...document.querySelectorAll('details:not([open])')].length")), 0);
    // Arrows were put where rows and columns are.
    let apart = evaluate(
        "const base = document.querySelector('.arrows').getBoundingClientRect();
         Math.max(...[...document.querySelectorAll('.arrow:not(.off)')].map(arrow => {
             const start = arrow.querySelector('path').getPointAtLength(0);
             const box = document.getElementById(arrow.dataset.from).getBoundingClientRect();
             return Math.abs(start.y + base.top - (box.top + box.bottom) / 2);
         }))",
    );
    assert!(
        apart.as_f64().is_some_and(|apart| apart < 8.0),
        "an arrow begins {apart} pixels beside its event"
    );
    let title = evaluate("document.querySelector('.ev.fail').title");
    assert!(title.as_str().is_some_and(|title| title.contains("m.c:38")), "{title}");
}

/// Puts a name that means harm into every text of a value.
fn poison(value: &mut Value, evil: &str) {
    match value {
        Value::String(text) => {
            let is_structure = ["T0", "warpath.", "covered", "unreachable", "unknown"]
                .iter()
                .any(|start| text.starts_with(start));
            if !is_structure {
                *text = match text.split_once(".c:") {
                    Some((_, rest)) => format!("{evil}.c:{rest}"),
                    None => format!("{evil}{text}"),
                };
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| poison(item, evil)),
        Value::Object(fields) => fields.values_mut().for_each(|field| poison(field, evil)),
        _ => {}
    }
}

#[test]
fn names_cannot_break_the_page() {
    let folder = Folder::new();
    let out = results(&folder, "m0");
    let browser = Browser::start();
    for evil in [
        "<img src=x onerror=alert(1)>",
        "</script><script>document.title='broken'</script>",
        "</style></title></textarea><svg onload=alert(1)>",
        "\" onmouseover=\"alert(1)\" x=\"",
        "' autofocus onfocus='alert(1)",
        "&lt;script&gt;alert(1)&lt;/script&gt;<!--",
        "]]><b>`<i>`",
    ] {
        for name in ["result.json", "bug-1.json"] {
            let text = fs::read_to_string(out.join(name)).expect("a result");
            let mut value: Value = serde_json::from_str(&text).expect("JSON");
            poison(&mut value, evil);
            if let Some(inputs) = value.pointer_mut("/bugs/0/inputs").and_then(Value::as_object_mut) {
                inputs.insert(evil.to_owned(), evil.into());
            }
            folder.file(name, value.to_string());
        }
        let page = page(&folder, &[&folder.path().join("result.json"), &folder.path().join("bug-1.json")]);
        browser.open(&page);
        let facts = browser.script(
            "return [document.scripts.length, document.querySelectorAll('img, iframe, object, embed, link, base, textarea').length,
                     [...document.querySelectorAll('*')].filter(e => [...e.attributes].some(a => /^on/i.test(a.name))).length,
                     document.querySelectorAll('style').length, document.title.startsWith('broken')]",
        );
        assert_eq!(facts, json!([1, 0, 0, 1, false]), "{evil}");
        let text = browser.script("return document.body.textContent");
        assert!(
            text.as_str().is_some_and(|text| text.contains(evil.trim_matches('`')) || evil.contains('`')),
            "{evil}"
        );
        assert_eq!(browser.complaints(), Vec::<String>::new(), "{evil}");
    }
}

#[test]
fn nothing_comes_from_the_network() {
    let folder = Folder::new();
    let page = fs::read_to_string(page(&folder, &[&results(&folder, "m0")])).expect("a page");
    for word in [
        "http:",
        "https:",
        " src=",
        "@import",
        "<link",
        "<iframe",
        "<img",
        "fetch(",
        "XMLHttpRequest",
        "//cdn",
    ] {
        assert!(!page.contains(word), "`{word}` in the page");
    }
    assert_eq!(
        page.matches("url(").count(),
        page.matches("url(#").count(),
        "only references within the page"
    );
    assert!(page.contains("default-src &#39;none&#39;") && page.contains("sha256-"), "a policy");
    assert!(!page.contains("unsafe-inline"));
}

/// The same schedule again and again: thousands of events.
fn long(document: &mut Value, times: usize) {
    let events = document["failing"].as_array().expect("a list").clone();
    let mut all: Vec<Value> = Vec::new();
    for _ in 0..times {
        all.extend(events.iter().filter(|event| event["kind"] != "fail").cloned());
    }
    let front = all.len();
    all.extend(events);
    document["failing"] = all.into();
    for cause in document["causes"].as_array_mut().expect("a list") {
        for ordering in cause["orderings"].as_array_mut().expect("a list") {
            for side in ["first", "second"] {
                if let Some(at) = ordering[side]["failing"].as_u64() {
                    ordering[side]["failing"] = (at + front as u64).into();
                }
            }
        }
    }
}

#[test]
fn long_schedules_are_folded_and_cut() {
    let folder = Folder::new();
    let out = results(&folder, "m0");
    let text = fs::read_to_string(out.join("bug-1.json")).expect("a result");
    let mut document: Value = serde_json::from_str(&text).expect("JSON");
    long(&mut document, 2000);
    let file = folder.file("long.json", document.to_string());
    let page = page(&folder, &[&file]);
    assert!(fs::metadata(&page).expect("a page").len() < 4 << 20, "a page that can be sent around");
    let browser = Browser::start();
    browser.open(&page);
    let seen = browser
        .script("return [...document.querySelectorAll('.lanes .ev')].filter(e => e.offsetParent).length");
    let seen = number(seen);
    assert!(seen < 60, "{seen} events at once");
    assert!(
        number(browser.script("return document.querySelectorAll('.fold').length")) >= 10,
        "chunk by chunk"
    );
    assert!(
        number(browser.script("return document.querySelectorAll('.lanes .note').length")) >= 1,
        "what is left out is said"
    );
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn every_result_has_its_page() {
    let folder = Folder::new();
    let out = results(&folder, "m0");
    // Without a diagnosis, and without the trace.
    fs::remove_file(out.join("bug-1.json")).expect("it is there");
    let with_trace = fs::read_to_string(page(&folder, &[&out])).expect("a page");
    fs::remove_file(out.join("bug-1.wpt")).expect("it is there");
    let without = fs::read_to_string(page(&folder, &[&out.join("result.json")])).expect("a page");
    for page in [&with_trace, &without] {
        assert!(page.contains("class=\"lanes\"") && page.contains("class=\"arrow\""), "lanes from the story");
    }
    assert!(with_trace.matches("class=\"ev ").count() > without.matches("class=\"ev ").count());
    // Of analyze and replay.
    let recorded = crate::native::record(named("fig6"), &folder, "fig6", &[]);
    let (found, replayed) = (folder.path().join("found.json"), folder.path().join("replayed.json"));
    let mut analyze = warpath();
    analyze
        .arg("analyze")
        .arg(&recorded.trace)
        .args(["--solver", "yices", "--out"])
        .arg(folder.path().join("predicted"));
    run(analyze.arg("--json").arg(&found)).expect_code(1);
    run(warpath().arg("replay").arg(out.join("bug-1.si.toml")).arg("--json").arg(&replayed)).expect_code(1);
    let both = fs::read_to_string(page(&folder, &[&found, &replayed])).expect("a page");
    assert!(
        both.contains("data race") && both.contains("REPRODUCED") | both.contains("verdict reproduced"),
        "both are there"
    );
    // A program without a bug has its exploration.
    explored(named("fig7"), &folder, &[]).expect_code(0);
    let safe = fs::read_to_string(page(&folder, &[&out])).expect("a page");
    assert!(safe.contains("verdict safe") && safe.contains("class=\"tree\""), "what was covered");
}

#[test]
fn a_diagnosis_named_beside_its_folder_is_shown_once() {
    let folder = Folder::new();
    let out = results(&folder, "m0");
    let (dotted, file) = (out.join("../out/bug-1.json"), out.join("bug-1.json"));
    for given in [&[&*out, &*file][..], &[&*file, &*out], &[&*out, &*dotted], &[&*file, &*dotted, &*file]] {
        let page = fs::read_to_string(page(&folder, given)).expect("a page");
        assert_eq!(page.matches("class=\"bug\"").count(), 1, "{given:?}");
        assert!(page.contains("class=\"input-condition\"") && page.contains("i = 3 and j = 2"), "{given:?}");
    }
}

#[test]
fn of_two_diagnoses_of_a_bug_the_one_that_says_more_is_shown() {
    let folder = Folder::new();
    let out = results(&folder, "m0");
    let less = out.join("less.json");
    let mut diagnose = warpath();
    diagnose.arg("diagnose").arg(out.join("bug-1.si.toml")).args(["-q", "--no-repairs", "--max-causes", "1"]);
    run(diagnose.args(["--solver", "yices", "--json"]).arg(&less)).expect_code(1);
    let file = out.join("bug-1.json");
    for given in [&[&*out][..], &[&*file, &*less], &[&*less, &*file]] {
        let page = fs::read_to_string(page(&folder, given)).expect("a page");
        assert_eq!(page.matches("class=\"bug\"").count(), 1, "{given:?}");
        assert!(page.contains("let one thread at a time execute"), "its repairs are shown: {given:?}");
    }
    // Another bug stays one of its own.
    let other = Folder::new();
    let both = page(&folder, &[&file, &results(&other, "mysql-169").join("bug-1.json")]);
    let page = fs::read_to_string(both).expect("a page");
    assert_eq!(page.matches("class=\"bug\"").count(), 2);
}

#[test]
fn sources_are_found_where_they_were_compiled() {
    let folder = Folder::new();
    let [sources, build] = ["sources", "build"].map(|name| folder.path().join(name));
    for new in [&sources, &build] {
        fs::create_dir(new).expect("a folder");
    }
    let source = sources.join("away.c");
    fs::write(&source, "#include <warpath.h>\nint main(void) {\n    warpath_assert(!\"here\");\n}\n")
        .expect("a source");
    let program = build.join("away");
    run(warpath().current_dir(&build).args(["cc", "-g", "-O1"]).arg(&source).arg("-o").arg(&program))
        .expect_code(0);
    let found = run(&mut crate::explore::explore(&program, &folder, &[]));
    let said = "3 | warpath_assert(!\"here\");";
    assert!(found.expect_code(1).stdout.contains("--> away.c:3"), "the short name: {found:?}");
    assert!(found.stdout.contains(said), "{found:?}");
    // What changed since then is not what was compiled, and what is gone is not guessed.
    fs::remove_file(&source).expect("it is there");
    let found = run(&mut crate::explore::explore(&program, &folder, &[]));
    assert!(!found.expect_code(1).stdout.contains(said), "{found:?}");
}

#[test]
fn what_is_no_result_is_refused() {
    let folder = Folder::new();
    let refused = |path: &Path, why: &str| {
        let mut report = warpath();
        run(report.arg("report").arg(path).arg("-o").arg(folder.path().join("page.html")))
            .expect_code(2)
            .expect_complaint(why);
        assert!(!folder.path().join("page.html").exists(), "no page");
    };
    refused(&folder.file("odd.json", "{\"format\": \"warpath.solve/1\"}"), "it has warpath.solve/1");
    refused(&folder.file("text.json", "hello"), "text.json is not JSON");
    refused(
        &folder.file("wrong.json", "{\"format\": \"warpath.explore/1\", \"bugs\": 3}"),
        "is not what its format says",
    );
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).expect("a folder");
    refused(&empty, "there is no result in the folder");
    refused(&folder.path().join("none.json"), "does not exist");
}
