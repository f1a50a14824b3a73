//! The papers' examples, as traces, with the papers' answers.

mod agree;
mod guard;
mod oracle;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use oracle::build::{below, check, eq, load, lock, not, r, stmt, store, sum, unlock, when};
use oracle::decision::View;
use oracle::program::{Program, Statement, What};
use warpath_analyzer::answer::{Execution, Final};
use warpath_analyzer::encode::{Options, Point};
use warpath_analyzer::findings::{self, CheckOptions, Kind, Property, Report};
use warpath_analyzer::model::{Forest, NodeId, Outcome};
use warpath_analyzer::queries::{
    Beyond, Interferences, NewValue, OpenEnd, PathPrefix, Question, Verdict, Want, threads_in,
    with_interferences,
};
use warpath_solvers::{Query, Smt, SolverChoice};
use warpath_trace::event::Op;
use warpath_trace::header::MemoryModel;
use warpath_trace::text;

fn forest(samples: &[&str]) -> Forest {
    let mut forest = Forest::new();
    for sample in samples {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples/traces").join(sample);
        let text = std::fs::read_to_string(&path).expect("the sample is there");
        let trace = text::parse(&text).unwrap_or_else(|error| panic!("{sample}: {error}"));
        forest.merge(&trace).unwrap_or_else(|error| panic!("{sample}: {error}"));
    }
    forest
}

fn open(solver: &str) -> Box<dyn Smt> {
    let solvers = guard::solvers();
    solvers.open(&SolverChoice::named(solver)).unwrap_or_else(|error| panic!("{error}; run scripts/setup"))
}

fn query() -> Query {
    Query::within(Duration::from_secs(60))
}

/// How it is possible, if it is.
fn ask(question: &mut Question<'_>) -> Option<(Execution, Final)> {
    match question.solve(&mut *open("yices"), &query()).expect("good terms") {
        Verdict::Possible(found) => Some(*found),
        Verdict::Impossible => None,
        other => panic!("{}: {other:?}", question.description()),
    }
}

fn under(model: MemoryModel) -> Options {
    Options { model, ..Options::default() }
}

/// The events of a thread at a line.
fn at(forest: &Forest, thread: &str, line: u32, wanted: fn(&Op) -> bool) -> NodeId {
    let here = |id: &NodeId| {
        let node = forest.node(*id);
        forest.key(node.tree).to_string() == thread
            && node.at.ends_with(&format!(":{line}"))
            && wanted(&node.op)
    };
    forest.ids().find(here).unwrap_or_else(|| panic!("no such event of {thread} at {line}"))
}

fn is_branch(op: &Op) -> bool {
    matches!(op, Op::Branch { .. })
}

fn is_assert(op: &Op) -> bool {
    matches!(op, Op::Assert { .. })
}

fn is_read(op: &Op) -> bool {
    matches!(op, Op::Read { .. })
}

fn goes(forest: &Forest, node: NodeId, held: bool, model: MemoryModel) -> Option<(Execution, Final)> {
    let end = OpenEnd { node, want: Want::Held(held) };
    ask(&mut Question::at(forest, &end, node, under(model)).expect("good terms"))
}

fn findings(forest: &Forest, properties: &[Property], model: MemoryModel) -> Report {
    let solvers = guard::solvers();
    let solver = solvers.resolve(&SolverChoice::named("yices"));
    let solver = solver.unwrap_or_else(|error| panic!("{error}; run scripts/setup"));
    let options = CheckOptions { formula: under(model), ..CheckOptions::default() };
    let report = findings::check(forest, &options, properties, &mut || Ok(solver.open(&solvers)));
    report.unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn mpc_figure_1_needs_an_input_and_a_schedule() {
    let forest = forest(&["fig1.wpt.txt"]);
    let branch = at(&forest, "T0.2", 7, is_branch);
    let (execution, end) =
        goes(&forest, branch, true, MemoryModel::Sc).expect("the paper's second execution");
    let x = end.found[&at(&forest, "T0.2", 7, is_read)];
    assert!((100..1 << 31).contains(&x), "the error needs x >= 100, not {x}");
    assert!(execution.inputs.contains(&x), "only an input can be that large: {:?}", execution.inputs);
}

#[test]
fn mpc_figure_2_reaches_line_12_only_with_what_no_trace_has_shown() {
    // x = 101 needs line 4, which this run did not execute: MPC explores it in a further run.
    let forest = forest(&["fig2.wpt.txt"]);
    assert!(goes(&forest, at(&forest, "T0.1", 11, is_branch), true, MemoryModel::Sc).is_none());
    let (execution, _) = goes(&forest, at(&forest, "T0.0", 3, is_branch), true, MemoryModel::Sc)
        .expect("the branch of line 3 depends on an input alone");
    let i = forest.inputs().iter().position(|input| input.name == "i").expect("the input i");
    assert_eq!(execution.inputs[i], 3);
}

#[test]
fn mpc_figure_6_is_predicted_from_one_trace() {
    let forest = forest(&["fig6.wpt.txt"]);
    let report = findings(&forest, &[Property::Assertion], MemoryModel::Sc);
    let [finding] = &report.findings[..] else { panic!("{:?}", report.properties) };
    assert_eq!(finding.kind, Kind::AssertionFailure);
    // The write of line 3 comes before both reads.
    let steps: Vec<String> = finding.si.schedule.iter().map(|step| step.to_string()).collect();
    let moment =
        |line: &str| steps.iter().position(|step| step.contains(line)).expect("the line is in the schedule");
    assert!(moment("fig6.c:3") < moment("fig6.c:1"), "{steps:?}");
    assert!(moment("fig6.c:1") < moment("fig6.c:2"), "{steps:?}");
}

#[test]
fn mpc_figure_7_excludes_writes_that_are_not_on_the_path() {
    let forest = forest(&["fig7-first.wpt.txt", "fig7-second.wpt.txt"]);
    let a = (at(&forest, "T0.0", 1, is_branch), Outcome::Held(true));
    let b = (at(&forest, "T0.1", 3, is_branch), Outcome::Held(true));
    for beyond in [Beyond::Anything, Beyond::Nothing] {
        let mut both = PathPrefix { decisions: vec![a.into(), b.into()], beyond }
            .question(&forest, Options::default())
            .expect("good terms");
        assert!(ask(&mut both).is_none(), "A needs the else of T2, B the else of T1");
    }
    for one in [a, b] {
        let prefix = PathPrefix { decisions: vec![one.into()], beyond: Beyond::Anything };
        let mut alone = prefix.question(&forest, Options::default()).expect("good terms");
        assert!(ask(&mut alone).is_some());
    }
    // On the first trace alone, no write of y = 1 is known.
    let first = self::forest(&["fig7-first.wpt.txt"]);
    assert!(goes(&first, at(&first, "T0.0", 1, is_branch), true, MemoryModel::Sc).is_none());
}

#[test]
fn mpc_figure_8_has_the_core_of_strategy_2() {
    let forest = forest(&["fig8-a.wpt.txt"]);
    let (t1, t2) = (at(&forest, "T0.0", 1, is_branch), at(&forest, "T0.1", 4, is_branch));
    let prefix = |a: bool, c: bool| PathPrefix {
        decisions: vec![(t1, Outcome::Held(a)).into(), (t2, Outcome::Held(c)).into()],
        beyond: Beyond::Anything,
    };
    let possible =
        |a, c| ask(&mut prefix(a, c).question(&forest, Options::default()).expect("good terms")).is_some();
    assert!(!possible(true, true), "p1");
    assert!(possible(false, false), "p2");
    assert!(!possible(false, true), "p3");
    // Only T2 contributes to the unsatisfiability of p3.
    let mut p3 = prefix(false, true).question(&forest, Options::default()).expect("good terms");
    let core = p3.explain(&mut *open("z3"), &query()).expect("z3 gives cores");
    let threads: BTreeSet<String> =
        threads_in(&forest, &core).into_iter().map(|tree| forest.key(tree).to_string()).collect();
    assert_eq!(threads, BTreeSet::from(["T0.1".to_owned()]), "{core:?}");
}

#[test]
fn mpc_figure_8_reaches_the_error_when_t1_has_been_extended() {
    let runs = ["fig8-a.wpt.txt", "fig8-neither.wpt.txt", "fig8-b.wpt.txt"];
    for (count, expected) in [(1, false), (2, false), (3, true)] {
        let forest = forest(&runs[..count]);
        let error = goes(&forest, at(&forest, "T0.1", 4, is_branch), true, MemoryModel::Sc);
        assert_eq!(error.is_some(), expected, "after {count} runs");
        if let Some((execution, _)) = error {
            let signed = |value: u128| value as u32 as i32;
            let value = |name: &str| {
                let nth = forest.inputs().iter().position(|input| input.name == name).expect("an input");
                signed(execution.inputs[nth])
            };
            assert!(value("i") <= 0 && value("j") > 0, "{:?}", execution.inputs);
        }
    }
}

#[test]
fn con2colic_add_all_needs_one_interference() {
    let forest = forest(&["addall.wpt.txt"]);
    let node = at(&forest, "T0.1", 14, is_assert);
    let end = OpenEnd { node, want: Want::Held(false) };
    let fails_with = |most: usize| {
        let question = with_interferences(&forest, &end, node, Options::default(), Interferences(most));
        ask(&mut question.expect("good terms"))
    };
    assert!(fails_with(0).is_none(), "alone, a thread checks what it needs");
    let (execution, _) = fails_with(1).expect("one read of the other's count is enough");
    // What both threads need is more than there is, though for each alone there was enough.
    let count = execution.inputs[0] as u32 as i32;
    assert!(4_i32.wrapping_add(count) <= 10, "{count}");
    assert!(4_i32.wrapping_add(count).wrapping_add(count) > 10, "{count}");
}

#[test]
fn mcr_finds_each_value_that_a_read_can_have() {
    // Both reads of Figure 6 can find 0 and 1, and nothing else.
    let forest = forest(&["fig6.wpt.txt"]);
    for line in [1, 2] {
        let read = at(&forest, "T0.0", line, is_read);
        let new = |seen: &[u128]| {
            let question = NewValue { read, seen: seen.to_vec() }.question(&forest, Options::default());
            ask(&mut question.expect("good terms").expect("it reads")).map(|(_, end)| end.found[&read])
        };
        assert_eq!(new(&[0]), Some(1));
        assert_eq!(new(&[1]), Some(0));
        assert_eq!(new(&[0, 1]), None);
    }
}

#[test]
fn mcr_slide_13_is_found_in_fewer_executions_than_there() {
    // The slides' first example; each thread loops twice. MCR needs 46 executions to explore it all.
    let mut program = Program::default();
    let (x, y, l) = (program.cell("x", 0), program.cell("y", 0), program.mutex("l"));
    let twice = |body: Vec<Statement>| vec![stmt(What::Repeat { times: 2, body })];
    let is_error = check(not(eq(r(1), 3)));
    let increment = vec![load(1, y), store(y, sum(r(1), 1)), store(x, 2)];
    program.thread(twice(vec![lock(l), store(x, 1), store(y, 1), unlock(l)]));
    program.thread(twice(vec![lock(l), store(x, 0), unlock(l), load(0, x), when(below(0, r(0)), increment)]));
    program.thread(twice(vec![load(0, x), when(below(1, r(0)), vec![load(1, y), is_error, store(y, 2)])]));
    let program = program.numbered();
    let pool = agree::pool::Pool::new(guard::solvers());
    let mut open = || pool.open("yices");
    let explored = agree::explore(&program, Options::default(), View::Symbolic, &[], &mut open);
    let explored = explored.unwrap_or_else(|trouble| panic!("{trouble:?}"));
    assert!(explored.traces.len() <= 46, "{} executions", explored.traces.len());
    let report = findings(&explored.forest, &[Property::Assertion], MemoryModel::Sc);
    assert_eq!(report.findings.len(), 1, "{:?}", report.properties);
}

#[test]
fn mcr_slide_51_fails_under_pso_alone() {
    let forest = forest(&["mcr-pso.wpt.txt"]);
    for (model, expected) in [(MemoryModel::Sc, 0), (MemoryModel::Tso, 0), (MemoryModel::Pso, 1)] {
        let report = findings(&forest, &[Property::Assertion], model);
        assert_eq!(report.findings.len(), expected, "{model:?}");
    }
}

#[test]
fn mcr_slide_50_stores_are_buffered() {
    // Both reads find 0: not under sequential consistency.
    let forest = forest(&["store-buffering.wpt.txt"]);
    let (a, b) = (at(&forest, "T0.0", 7, is_branch), at(&forest, "T0.1", 13, is_branch));
    for (model, expected) in [(MemoryModel::Sc, false), (MemoryModel::Tso, true), (MemoryModel::Pso, true)] {
        let decisions = vec![(a, Outcome::Held(true)).into(), (b, Outcome::Held(true)).into()];
        let prefix = PathPrefix { decisions, beyond: Beyond::Anything };
        let mut question = prefix.question(&forest, under(model)).expect("good terms");
        assert_eq!(ask(&mut question).is_some(), expected, "{model:?}");
    }
}

#[test]
fn thesis_figure_2_1_has_one_interruption() {
    let forest = forest(&["thesis-2-1.wpt.txt"]);
    let report = findings(&forest, &[Property::Assertion, Property::Atomicity], MemoryModel::Sc);
    let found: Vec<(Kind, Vec<&str>)> = report
        .findings
        .iter()
        .map(|finding| (finding.kind, finding.events.iter().map(|event| event.place.as_str()).collect()))
        .collect();
    assert_eq!(
        found,
        [
            (Kind::AssertionFailure, vec!["motivating.c:10"]),
            (Kind::AtomicityViolation, vec!["motivating.c:9", "motivating.c:4", "motivating.c:10"]),
        ]
    );
}

#[test]
fn thesis_figure_3_2_ends_with_different_values() {
    let forest = forest(&["thesis-3-2.wpt.txt"]);
    let assertion = at(&forest, "T0", 23, is_assert);
    let (_, end) = goes(&forest, assertion, false, MemoryModel::Sc).expect("the two can interleave");
    let values: BTreeSet<u128> = end.found.values().copied().collect();
    assert_eq!(values, BTreeSet::from([0, 1]), "x and y differ");
    // The thesis' two cores. Each is enough for a failure, and there is no failure without one of them.
    let line = |thread: &str, line: u32| Point::Issue(at(&forest, thread, line, |_| true));
    let (e5, e6) = (line("T0.0", 5), line("T0.0", 6));
    let (e10, e11) = (line("T0.1", 10), line("T0.1", 11));
    let cores = [[(e10, e5), (e6, e11)], [(e5, e10), (e11, e6)]];
    let possible = |holds: bool, with: [bool; 2]| {
        let question = Question::new(&forest, Options::default(), &[assertion], String::new(), |encoding| {
            let mut targets = vec![encoding.en(assertion)?];
            targets.extend(encoding.outcome(assertion, Outcome::Held(holds))?);
            for (core, wanted) in cores.iter().zip(with) {
                let mut edges = Vec::new();
                for &(a, b) in core {
                    edges.push(encoding.before(a, b)?);
                }
                let core = encoding.terms.and(&edges)?;
                targets.push(if wanted { core } else { encoding.terms.not(core)? });
            }
            Ok(targets)
        });
        ask(&mut question.expect("good terms")).is_some()
    };
    assert!(possible(false, [true, false]) && possible(false, [false, true]));
    assert!(!possible(true, [true, false]) && !possible(true, [false, true]));
    assert!(possible(true, [false, false]) && !possible(false, [false, false]));
}
