//! Every open end of every sample trace: the same verdict from every solver, with integers and with bit-vectors
//! as order variables, with and without each reduction.

mod guard;

use std::path::Path;
use std::time::Duration;

use warpath_analyzer::encode::{Options, OrderSort, Reductions};
use warpath_analyzer::model::Forest;
use warpath_analyzer::queries::{OpenEnd, Question, Verdict, open_ends};
use warpath_solvers::{Query, SolverChoice};
use warpath_trace::header::MemoryModel;
use warpath_trace::text;
use warpath_trace::trace::Trace;

fn samples() -> Vec<(String, Trace)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples/traces");
    let mut samples: Vec<(String, Trace)> = std::fs::read_dir(folder)
        .expect("the samples are there")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("a text");
            (path.display().to_string(), text::parse(&text).expect("a trace"))
        })
        .collect();
    samples.sort_by(|a, b| a.0.cmp(&b.0));
    assert!(samples.len() >= 5, "the samples are there");
    samples
}

/// Can the end be reached?
fn ask(forest: &Forest, end: &OpenEnd, options: Options, solver: &str) -> bool {
    let choice = SolverChoice::named(solver);
    let mut smt = guard::solvers().open(&choice).unwrap_or_else(|error| panic!("{error}; run scripts/setup"));
    let query = Query::within(Duration::from_secs(60));
    match Question::reach(forest, end, options, &mut *smt, &query).expect("good terms") {
        Verdict::Possible(_) => true,
        Verdict::Impossible => false,
        other => panic!("{solver}, {options:?}, {end:?}: {other:?}"),
    }
}

/// All reductions but one, one after the other; and none at all.
fn ablations() -> Vec<(&'static str, Reductions)> {
    let all = Reductions::ALL;
    vec![
        ("no pruning", Reductions { prune_writers: false, ..all }),
        ("no substitution", Reductions { substitute: false, ..all }),
        ("no cone", Reductions { cone: false, ..all }),
        ("no folding", Reductions { fold_must: false, ..all }),
        ("no phase", Reductions { phase: false, ..all }),
        ("no lemmas", Reductions { lemmas: false, ..all }),
        ("no filter", Reductions { filter_pinned: false, ..all }),
        ("no shared seats", Reductions { share_seats: false, ..all }),
        ("no ranges", Reductions { ranges: false, ..all }),
        ("none", Reductions::NONE),
    ]
}

#[test]
fn solvers_encodings_and_reductions_agree() {
    for (name, trace) in samples() {
        let forest = Forest::of(&trace).expect("one trace fits itself");
        for model in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso] {
            for end in open_ends(&forest) {
                let options = Options { model, ..Options::default() };
                let expected = ask(&forest, &end, options, "yices");
                let what = format!("{name} {model:?} {end:?}");
                // The slower ones to start see one memory model; what differs between solvers is not the model.
                let others: &[&str] =
                    if model == MemoryModel::Sc { &["z3", "cvc5", "bitwuzla"] } else { &["z3"] };
                for solver in others {
                    assert_eq!(ask(&forest, &end, options, solver), expected, "{what} {solver}");
                }
                let integers = Options { orders: OrderSort::Int, ..options };
                assert_eq!(ask(&forest, &end, integers, "z3"), expected, "{what} integers");
                let families = Options { families_from: 0, ..integers };
                assert_eq!(ask(&forest, &end, families, "warpath"), expected, "{what} families");
                for (ablation, reductions) in ablations() {
                    let options = Options { reductions, ..options };
                    assert_eq!(ask(&forest, &end, options, "yices"), expected, "{what} {ablation}");
                }
            }
        }
    }
}

/// A script has no families, however the dialogue is held: the same lines, if not in the same order.
#[test]
fn scripts_are_written_clause_by_clause() {
    let mut longest = 0;
    for (name, trace) in samples() {
        let forest = Forest::of(&trace).expect("one trace fits itself");
        for end in open_ends(&forest) {
            let lines = |options: Options| {
                let (grown, node) = end.place(&forest);
                let forest = grown.as_ref().unwrap_or(&forest);
                let mut question = Question::at(forest, &end, node, options).expect("good terms");
                let (script, _) = question.script().expect("good terms");
                let mut lines: Vec<String> = script.lines().map(str::to_owned).collect();
                lines.sort_unstable();
                lines
            };
            let integers = Options { orders: OrderSort::Int, ..Options::default() };
            let written = lines(integers);
            longest = longest.max(written.len());
            assert_eq!(lines(Options { families_from: 0, ..integers }), written, "{name} {end:?}");
        }
    }
    assert!(longest > 100, "some are of any length: {longest}");
}
