//! What pinned values and locks say about the order: a trace for each rule; and random programs, whose runs must all
//! keep the order and have the same findings with and without it.

mod agree;
mod guard;
mod oracle;

use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use agree::campaign::{Campaign, Case, Verdict};
use agree::findings::report;
use agree::pool::Pool;
use agree::{Explored, Trouble, fixed_inputs};
use oracle::decision::View;
use oracle::generate::Knobs;
use oracle::pin::pin;
use oracle::program::Program;
use oracle::run::{Policy, run};
use warpath_analyzer::encode::{Encoding, Options, Reductions};
use warpath_analyzer::findings::{CheckOptions, Kind, Property, check};
use warpath_analyzer::model::{Forest, Moment, MustOrder, NodeId};
use warpath_analyzer::window::{self, Checks, Cut, Recorded, WindowOptions};
use warpath_solvers::SolverChoice;
use warpath_trace::header::MemoryModel;
use warpath_trace::text;

const WITHOUT: Reductions = Reductions { saturate: false, ..Reductions::ALL };

/// A pinned trace: three threads besides the main one, storage that holds 0, a mutex.
fn forest(events: &str) -> Forest {
    let threads = ["T0.0", "T0.1", "T0.2"];
    let forks: String = threads.iter().map(|key| format!("T0 fork {key}\n")).collect();
    let begins: String = threads.iter().map(|key| format!("{key} begin\n")).collect();
    let globals: String =
        ["a", "b", "f", "x", "y"].iter().map(|name| format!("global {name} 4 = 0\n")).collect();
    let text = format!(
        "warpath-trace 1\nvalues pinned\n{globals}global m 40\nT0 begin\nT0 init m mutex\n{forks}{begins}{events}\noutcome stopped\n"
    );
    let trace = text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Forest::of(&trace).expect("one trace fits itself")
}

fn order(forest: &Forest, options: Options) -> Arc<MustOrder> {
    Encoding::new(forest, options, &[]).expect("good terms").must
}

/// Must the event at `a.c:1` come before the one at `a.c:2`? Answers with and without saturation.
fn first_comes_first(events: &str) -> (bool, bool) {
    let forest = forest(events);
    let at = |place: &str| forest.ids().find(|&id| forest.node(id).at == place).expect("it is there");
    let before = |reductions| {
        let options = Options { reductions, ..Options::default() };
        order(&forest, options).before(at("a.c:1"), at("a.c:2"))
    };
    (before(Reductions::ALL), before(WITHOUT))
}

#[test]
fn what_leads_to_the_only_write_of_a_value_comes_before_what_is_behind_its_read() {
    let events = "T0.0 w a 1 @a.c:1\nT0.0 w x 5\nT0.1 r x 5\nT0.1 w b 1 @a.c:2";
    assert_eq!(first_comes_first(events), (true, false));
}

#[test]
fn the_read_itself_may_find_something_else() {
    let events = "T0.0 w x 5 @a.c:1\nT0.1 r x 5 @a.c:2\nT0.1 w b 1";
    assert_eq!(first_comes_first(events), (false, false));
    let update = "T0.0 w x 5 @a.c:1\nT0.1 rmw x seqcst 5 -> 6 @a.c:2\nT0.1 w b 1";
    assert_eq!(first_comes_first(update), (false, false));
    let behind = "T0.0 w x 5 @a.c:1\nT0.1 rmw x seqcst 5 -> 6\nT0.1 w b 1 @a.c:2";
    assert_eq!(first_comes_first(behind), (true, false));
}

#[test]
fn of_two_writes_of_a_value_only_what_they_have_in_common_counts() {
    let either = "T0.0 w x 5 @a.c:1\nT0.2 w x 5\nT0.1 r x 5\nT0.1 w b 1 @a.c:2";
    assert_eq!(first_comes_first(either), (false, false));
    let common =
        "T0 w f 1 @a.c:1\nT0.0 r f 1\nT0.0 w x 5\nT0.2 r f 1\nT0.2 w x 5\nT0.1 r x 5\nT0.1 w b 1 @a.c:2";
    assert_eq!(first_comes_first(common), (true, false));
}

#[test]
fn storage_may_still_hold_its_first_value() {
    let events = "T0.0 w x 1\nT0.0 w x 0 @a.c:1\nT0.1 r x 0\nT0.1 w b 1 @a.c:2";
    assert_eq!(first_comes_first(events), (false, false));
    // Not if it has been overwritten for sure.
    let overwritten = "T0.0 w x 1\nT0.1 r x 1\nT0.0 w x 0 @a.c:1\nT0.1 r x 0\nT0.1 w b 1 @a.c:2";
    assert_eq!(first_comes_first(overwritten), (true, false));
}

#[test]
fn a_write_that_is_overwritten_for_sure_gives_no_value() {
    let events = "T0.0 w x 5\nT0.0 w x 6\nT0.1 r x 6\nT0.2 w x 5 @a.c:1\nT0.1 r x 5\nT0.1 w b 1 @a.c:2";
    assert_eq!(first_comes_first(events), (true, false));
}

#[test]
fn a_write_behind_the_read_gives_no_value() {
    let events = "T0.0 w x 5 @a.c:1\nT0.1 r x 5\nT0.1 w f 1\nT0.2 r f 1\nT0.2 w x 5\nT0.1 w b 1 @a.c:2";
    assert_eq!(first_comes_first(events), (true, false));
}

#[test]
fn a_critical_section_in_which_something_comes_first_comes_first_as_a_whole() {
    let first = "T0.0 lock m\nT0.0 w x 5\nT0.0 w a 1 @a.c:1\nT0.0 unlock m";
    let locked = format!("{first}\nT0.1 lock m\nT0.1 r x 5\nT0.1 w b 1 @a.c:2\nT0.1 unlock m");
    assert_eq!(first_comes_first(&locked), (true, false));
    let unlocked = format!("{first}\nT0.1 r x 5\nT0.1 w b 1 @a.c:2");
    assert_eq!(first_comes_first(&unlocked), (false, false));
}

#[test]
fn a_trace_that_contradicts_itself_says_nothing() {
    let events = "T0.0 r y 1\nT0.0 w x 1 @a.c:1\nT0.1 r x 1\nT0.1 w y 1 @a.c:2";
    assert_eq!(first_comes_first(events), (false, false));
}

#[test]
fn store_buffers_keep_writes_back() {
    let forest = forest("T0.0 w a 1 @a.c:1\nT0.0 w x 5\nT0.1 r x 5\nT0.1 w b 1 @a.c:2");
    for model in [MemoryModel::Tso, MemoryModel::Pso] {
        let order = order(&forest, Options { model, ..Options::default() });
        for (a, b) in forest.ids().flat_map(|a| forest.ids().map(move |b| (a, b))) {
            assert_eq!(order.before(a, b), forest.must_order().before(a, b));
        }
    }
}

#[test]
fn an_update_that_waits_for_a_value_races_while_it_waits() {
    let forest = forest("T0.0 w x 5 @a.c:1\nT0.1 rmw x seqcst 5 -> 6 @a.c:2");
    let solvers = guard::solvers();
    let options = CheckOptions { witnesses: false, ..CheckOptions::default() };
    let report = check(&forest, &options, &[Property::Race], &mut || {
        Ok(solvers
            .open(&SolverChoice::named("yices"))
            .unwrap_or_else(|error| panic!("{error}; run scripts/setup")))
    });
    let report = report.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(report.findings.iter().map(|finding| finding.kind).collect::<Vec<_>>(), [Kind::DataRace]);
}

/// A few pinned runs of a program, merged, and the events of each in order.
fn runs(program: &Program, case: &Case, count: u64) -> Result<(Forest, Vec<Vec<NodeId>>), Trouble> {
    let inputs = fixed_inputs(program, case, View::Pinned);
    let options = Options { model: MemoryModel::Sc, ..case.options };
    let mut explored = Explored::new(program, options, View::Pinned, &inputs);
    let mut all = Vec::new();
    for n in 0..count {
        explored.observe(Policy::Random { seed: case.seed * 11 + n })?;
        let run = explored.forest.run().expect("the oracle records a total order");
        let event = |step: &Moment| match *step {
            Moment::Event(id) => Some(id),
            Moment::Commit(_) => None,
        };
        all.push(run.steps.iter().filter_map(event).collect());
    }
    Ok((explored.forest, all))
}

/// Does every run have all that must come before each of its events, before it? Answers how much more is said than
/// without saturation.
fn keep_order(program: &Program, case: &Case) -> Result<u64, String> {
    let (forest, runs) = runs(program, case, 1 + case.seed % 4).map_err(|trouble| format!("{trouble:?}"))?;
    let order = order(&forest, Options::default());
    let mut more = 0;
    for run in &runs {
        let moment: HashMap<NodeId, usize> = run.iter().copied().zip(0..).collect();
        for (b, &second) in &moment {
            for a in forest.ids().filter(|&a| order.before(a, *b)) {
                more += u64::from(!forest.must_order().before(a, *b));
                if moment.get(&a).is_none_or(|&first| first >= second) {
                    let (a, b) = (forest.name(a), forest.name(*b));
                    return Err(format!("{a} comes before {b}, it is said, but not in every run"));
                }
            }
        }
    }
    Ok(more)
}

#[test]
fn every_run_keeps_the_order() {
    let more = AtomicU64::new(0);
    let knobs = Knobs { size: 300, ..Knobs::default() };
    let campaign = Campaign { name: "order", programs: 500, knobs, unit: "facts" };
    campaign.run(|program, case, _| match keep_order(program, case) {
        Ok(said) => {
            more.fetch_add(said, Ordering::Relaxed);
            Verdict::Agrees { counted: said as usize }
        }
        Err(what) => Verdict::Differs(what),
    });
    assert!(more.into_inner() > 100, "values and locks say something about the order");
}

/// The findings with and without saturation.
fn compare(program: &Program, case: &Case, pool: &Arc<Pool>) -> Verdict {
    let (forest, _) = match runs(program, case, 1 + case.seed % 3) {
        Ok(runs) => runs,
        Err(trouble) => return Verdict::Differs(format!("{trouble:?}")),
    };
    let found = |reductions: Reductions| -> Result<BTreeSet<(Kind, Vec<String>)>, String> {
        let options = Options { model: MemoryModel::Sc, reductions, ..case.options };
        let report = report(&forest, options, &mut || pool.open(&case.solver))?;
        Ok(report.findings.iter().map(|finding| finding.key()).collect())
    };
    match (found(Reductions::ALL), found(WITHOUT)) {
        (Ok(with), Ok(without)) if with == without => Verdict::Agrees { counted: with.len() },
        (with, without) => Verdict::Differs(format!("with saturation {with:?}, without {without:?}")),
    }
}

#[test]
fn findings_are_the_same_without_it() {
    let knobs = Knobs { size: 300, ..Knobs::default() };
    let campaign = Campaign { name: "saturation", programs: 150, knobs, unit: "findings" };
    let totals = campaign.run(compare);
    assert!(totals.counted as u64 > totals.compared, "the programs have something to find");
}

/// The findings of windows of a pinned run, with and without saturation.
fn compare_windows(program: &Program, case: &Case, pool: &Arc<Pool>) -> Verdict {
    let inputs = fixed_inputs(program, case, View::Pinned);
    let trace = run(program, &inputs, &[], MemoryModel::Sc, Policy::Random { seed: case.seed }).trace;
    let trace = pin(&trace);
    let recorded = Recorded::of(&trace, MemoryModel::Sc).expect("the oracle records a total order");
    let size = 6 + (case.seed % 11) as u32;
    let cut = Cut::new(size, size / 2).expect("it overlaps less than it is long");
    let open = || Ok(pool.open(&case.solver));
    let found = |reductions: Reductions| -> Result<BTreeSet<(Kind, Vec<String>)>, String> {
        let formula = Options { model: MemoryModel::Sc, reductions, ..case.options };
        let how = CheckOptions { formula, witnesses: false, scripts: false, ..CheckOptions::default() };
        let checks = Checks { how: &how, properties: &Property::ALL, open: &open, done: &|_| () };
        let mut found = BTreeSet::new();
        let summary =
            window::check(&recorded, &WindowOptions { cut, jobs: 1 }, &checks, &mut |_, finding| {
                found.insert(finding.key());
                ControlFlow::Continue(())
            });
        let summary = summary.map_err(|error| error.to_string())?;
        assert!(summary.unanswered.is_empty(), "{:?}", summary.unanswered);
        Ok(found)
    };
    match (found(Reductions::ALL), found(WITHOUT)) {
        (Ok(with), Ok(without)) if with == without => Verdict::Agrees { counted: with.len() },
        (with, without) => Verdict::Differs(format!("with saturation {with:?}, without {without:?}")),
    }
}

#[test]
fn findings_of_windows_are_the_same_without_it() {
    let knobs = Knobs { size: 300, ..Knobs::default() };
    let campaign = Campaign { name: "saturated windows", programs: 100, knobs, unit: "findings" };
    let totals = campaign.run(compare_windows);
    assert!(totals.counted as u64 > totals.compared / 2, "the programs have something to find");
}
