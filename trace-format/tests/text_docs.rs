//! The examples in `docs/trace-text.md` are traces.

use warpath_trace::text;

#[test]
fn every_example_is_a_complete_trace() {
    let page = include_str!("../../docs/trace-text.md");
    let examples: Vec<&str> =
        page.split("```wpt\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default()).collect();
    assert!(!examples.is_empty());
    for example in examples {
        let trace = text::parse(example).unwrap_or_else(|error| panic!("{error}\n{example}"));
        assert!(trace.footer.is_some());
    }
}

/// Each event of the page's tables, tried on a trace that has everything they name.
#[test]
fn every_event_in_the_tables_is_an_event() {
    let page = include_str!("../../docs/trace-text.md");
    let events = page.split("### Memory").nth(1).and_then(|rest| rest.split("## Expressions").next());
    let rows =
        events.expect("the page has a section of events").lines().filter(|line| line.starts_with("| `"));
    let mut tried = 0;
    for row in rows {
        let left = row.split(" | ").next().unwrap_or_default();
        for event in left.split('`').skip(1).step_by(2) {
            let event = event.replace("$1=", "$new=").replace("(…)", "(= $1 5:32)");
            let text = format!(
                "warpath-trace 1\nglobal x 4\nglobal f 4\nglobal g 4\nsync l\nsync c\nsync s\nsync b\nsync w\nsync o\n\
                 object heap node 24\ninput i 32\nT0 r x $1=5\nT0 w x $w=5\nT0 fork T0.1\nT0 {event}\n"
            );
            let text = text
                .replace("(add $1 1:32)", "(add $new 1:32)")
                .replace("w x 6 := (add $new", "w x 6 := (add $1");
            text::parse(&text).unwrap_or_else(|error| panic!("{event}: {error}"));
            tried += 1;
        }
    }
    assert!(tried > 40, "{tried} events in the tables");
}
