//! Which traces make a forest together.

use warpath_analyzer::model::{Divergence, Forest};
use warpath_trace::text;
use warpath_trace::trace::Trace;

fn trace(lines: &str) -> Trace {
    let text = format!("warpath-trace 1\n{lines}\noutcome exited 0\n");
    text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A run of one program, in both ways: it reads `x`, and if that is 0 writes `y`.
fn recorded() -> (Trace, Trace) {
    let symbolic =
        "global x 4 = 0\nglobal y 4 = 0\nT0 begin\nT0 r x $x=0\nT0 branch true (= $x 0:32)\nT0 w y 1\nT0 end";
    let pinned = "values pinned\nglobal x 4 = 0\nglobal y 4 = 0\nT0 begin\nT0 r x 0\nT0 w y 1\nT0 end";
    (trace(symbolic), trace(pinned))
}

#[test]
fn a_thread_decides_by_branches_or_by_values_but_not_by_both() {
    let (symbolic, pinned) = recorded();
    for (first, second, found, known) in [
        (&symbolic, &pinned, "with values only", "with branch conditions"),
        (&pinned, &symbolic, "with branch conditions", "with values only"),
    ] {
        let mut forest = Forest::of(first).expect("one trace fits itself");
        forest.merge(first).expect("the same trace again fits");
        let refused = forest.merge(second).expect_err("behind the read the two have different events");
        assert_eq!(refused, Divergence::Values { thread: "T0".to_owned(), found, known });
        assert_eq!(
            refused.to_string(),
            format!(
                "the runs do not fit together: T0 was recorded {found} here and {known} before; record all runs of a program in one way, or analyse them apart"
            )
        );
    }
}

#[test]
fn a_thread_that_does_something_else_after_the_same_decisions_does_not_fit() {
    let (_, pinned) = recorded();
    let mut forest = Forest::of(&pinned).expect("one trace fits itself");
    let other = trace("values pinned\nglobal x 4 = 0\nglobal y 4 = 0\nT0 begin\nT0 r x 0\nT0 w x 1\nT0 end");
    let refused = forest.merge(&other).expect_err("it wrote `y` before");
    assert!(matches!(refused, Divergence::Events { index: 2, .. }), "{refused}");
}

#[test]
fn what_was_worked_out_from_a_forest_is_forgotten_when_it_grows() {
    let short = trace("values pinned\nglobal x 4 = 0\nT0 begin\nT0 r x 0\nT0 end");
    let mut forest = Forest::of(&short).expect("one trace fits itself");
    assert_eq!(forest.cells().all().len(), 1);
    let root = forest.root(forest.tree(&short.tables.keys()[0]).expect("it ran")).expect("it began");
    let last = forest.ids().last().expect("it ended");
    assert!(forest.must_order().before(root, last));
    let other = trace("values pinned\nglobal x 4 = 0\nglobal z 4 = 0\nT0 begin\nT0 r x 7\nT0 w z 1\nT0 end");
    forest.merge(&other).expect("it found another value");
    assert_eq!(forest.cells().all().len(), 2);
    let last = forest.ids().last().expect("it ended");
    assert!(forest.must_order().before(root, last));
}
