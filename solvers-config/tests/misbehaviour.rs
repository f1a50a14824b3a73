//! Whatever a solver does costs one query: a typed result within the deadline and a second, nothing left running, and
//! the session answers the next question.

#![allow(clippy::unwrap_used)] // the helpers of tests are tests too

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use support::{expect_none_left, processes_with, supervisor};
use tempfile::TempDir;
use warpath_solvers::config::{Catalog, Version};
use warpath_solvers::discover::Origin;
use warpath_solvers::supervise::Ending;
use warpath_solvers::term::{Simplification, Sort, TermId, Terms};
use warpath_solvers::{Answer, CancelToken, CrossCheck, FoundSolver, Portfolio, Query, Reason, Session, Smt};

const DEADLINE: Duration = Duration::from_millis(1500);

/// A session with the fake solver in one of its moods.
struct Fake {
    session: Session,
    terms: Terms,
    p: TermId,
    marker: String,
    _folder: TempDir,
}

impl Fake {
    fn new(mode: &str) -> Self {
        Self::with_memory(mode, 4096)
    }

    fn with_memory(mode: &str, memory_mb: u64) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::SeqCst);
        let marker = format!("warpath-fake-{}-{number}-end", std::process::id());
        let folder = tempfile::tempdir().unwrap();
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fakes/solver.sh");
        let state = folder.path().join("misbehaved");
        let mut config = (**Catalog::shipped().unwrap().solver("z3").unwrap()).clone();
        config.name = format!("fake {mode}");
        config.run.args = vec![script.into(), mode.into(), marker.clone(), state.to_str().unwrap().into()];
        config.limits.memory_mb = memory_mb;
        let solver = FoundSolver {
            config: Arc::new(config),
            program: "/bin/sh".into(),
            lead: Vec::new(),
            version: "1.0".parse::<Version>().unwrap(),
            origin: Origin::Path,
        };
        let mut terms = Terms::with_simplification(Simplification::Off);
        let p = terms.constant("p", Sort::Bool).unwrap();
        let mut session = Session::new(solver, supervisor());
        session.push();
        session.assert_named(&terms, "it", p).unwrap();
        Self { session, terms, p, marker, _folder: folder }
    }

    fn check(&mut self, query: &Query) -> Answer {
        let begun = Instant::now();
        let answer = self.session.check(&self.terms, query);
        let late = begun.elapsed().saturating_sub(DEADLINE);
        assert!(late < Duration::from_secs(1), "{late:?} after the deadline: {answer:?}");
        answer
    }

    /// The first query, which goes wrong; then nothing is left, the second goes well, and again nothing is left.
    fn reason(mut self) -> Reason {
        let answer = self.check(&Query::within(DEADLINE));
        let Answer::Unknown(reason) = answer else { panic!("{answer:?}") };
        expect_none_left(&self.marker);
        self.recovers();
        reason
    }

    fn recovers(mut self) {
        let answer = self.check(&Query::within(DEADLINE));
        assert!(matches!(answer, Answer::Sat(_)), "{answer:?}");
        assert!(!processes_with(&self.marker).is_empty(), "the marker does not mark");
        drop(self.session);
        expect_none_left(&self.marker);
    }
}

#[test]
fn a_good_solver_is_served_by_one_process() {
    let mut fake = Fake::new("good");
    for _ in 0..5 {
        assert!(matches!(fake.check(&Query::within(DEADLINE)), Answer::Sat(_)));
    }
    assert_eq!(fake.session.statistics().starts, 1);
    fake.recovers();
}

#[test]
fn silence_and_hanging_are_timeouts() {
    for mode in ["silent", "hang", "half-answer", "hang-at-values", "ignores-term"] {
        let reason = Fake::new(mode).reason();
        assert!(matches!(reason, Reason::Timeout { .. }), "{mode}: {reason:?}");
    }
}

#[test]
fn a_crash_at_any_step_is_a_crash() {
    let steps = ["start", "greeting", "declare", "push", "assert", "check", "values"];
    for step in steps {
        let reason = Fake::new(&format!("crash-at-{step}")).reason();
        let Reason::Crash { ending, .. } = reason else { panic!("{step}: {reason:?}") };
        assert_eq!(ending, Ending::Signal(11), "{step}");
    }
}

#[test]
fn the_last_words_of_a_crashed_solver_are_kept() {
    let Reason::Crash { stderr_tail, .. } = Fake::new("crash-with-words").reason() else { panic!() };
    assert!(stderr_tail.contains("assertion failed: é ("), "{stderr_tail}");
    let Reason::Crash { ending, stderr_tail } = Fake::new("exit-at-start").reason() else { panic!() };
    assert_eq!((ending, stderr_tail.trim()), (Ending::Exit(3), "no licence"));
    let Reason::Crash { ending, .. } = Fake::new("exit-at-check").reason() else { panic!() };
    assert_eq!(ending, Ending::Exit(0));
}

#[test]
fn a_process_that_dies_between_queries_is_replaced_unnoticed() {
    let mut fake = Fake::new("crash-at-pop");
    // A term that is not a constant gets a level of its own, which is popped after the query.
    let either = fake.terms.or(&[fake.p, fake.terms.bool(false)]).unwrap();
    let query = Query::within(DEADLINE).assuming([either]);
    assert!(matches!(fake.check(&query), Answer::Sat(_)));
    expect_none_left(&fake.marker);
    assert!(matches!(fake.check(&Query::within(DEADLINE)), Answer::Sat(_)));
    assert_eq!(fake.session.statistics().starts, 2);
    fake.recovers();
}

#[test]
fn ten_megabytes_of_standard_error_are_no_trouble() {
    let mut fake = Fake::new("flood-stderr");
    assert!(matches!(fake.check(&Query::within(DEADLINE)), Answer::Sat(_)));
    assert_eq!(fake.session.statistics().starts, 1);
    fake.recovers();
}

#[test]
fn floods_of_output_are_cut_off() {
    for mode in ["flood-stdout", "deaf-flood-stdout"] {
        let reason = Fake::new(mode).reason();
        assert!(matches!(reason, Reason::Malformed { .. }), "{mode}: {reason:?}");
    }
    let reason = Fake::new("long-answer").reason();
    assert!(matches!(reason, Reason::Malformed { .. } | Reason::Timeout { .. }), "{reason:?}");
}

#[test]
fn what_is_no_answer_is_malformed() {
    let modes = [
        "garbage",
        "binary-garbage",
        "closing-parenthesis",
        "verdict-in-list",
        "early",
        "wrong-greeting",
        "no-value",
        "missing-value",
        "other-symbol",
        "no-pairs",
    ];
    for mode in modes {
        let reason = Fake::new(mode).reason();
        assert!(matches!(reason, Reason::Malformed { .. }), "{mode}: {reason:?}");
    }
}

#[test]
fn errors_of_the_solver_come_with_its_words() {
    let words = [
        ("unbalanced-error", "parse error at ( and (("),
        ("open-error", "never ends ("),
        ("non-ascii-error", "Ungültig: → ("),
        ("invalid-utf8-error", "bad \u{fffd}\u{fffd} bytes"),
        ("error-at-assert", "line 3: unknown sort"),
        ("error-at-values", "no model )"),
        ("unsupported", "unsupported"),
    ];
    for (mode, words) in words {
        let reason = Fake::new(mode).reason();
        assert_eq!(reason, Reason::SolverError { message: words.into() }, "{mode}");
    }
}

#[test]
fn unknown_is_unknown_and_costs_no_process() {
    let mut fake = Fake::new("unknown");
    assert_eq!(fake.check(&Query::within(DEADLINE)), Answer::Unknown(Reason::SolverSaidUnknown));
    assert_eq!(fake.check(&Query::within(DEADLINE)), Answer::Unknown(Reason::SolverSaidUnknown));
    assert_eq!(fake.session.statistics().starts, 1);
    drop(fake.session);
    expect_none_left(&fake.marker);
}

#[test]
fn a_wrong_model_is_not_believed() {
    for mode in ["wrong-model", "wrong-sort"] {
        let reason = Fake::new(mode).reason();
        assert!(matches!(reason, Reason::WrongModel { .. }), "{mode}: {reason:?}");
    }
}

#[test]
fn a_verdict_stands_without_its_core() {
    let mut fake = Fake::new("unsat");
    let Answer::Unsat { core: Some(core) } = fake.check(&Query::within(DEADLINE).with_core()) else {
        panic!()
    };
    assert_eq!(core.names, ["it"]);
    for mode in ["crash-at-core", "wrong-core", "no-list-core"] {
        let mut fake = Fake::new(mode);
        let answer = fake.check(&Query::within(DEADLINE).with_core());
        assert_eq!(answer, Answer::Unsat { core: None }, "{mode}");
        fake.recovers();
    }
}

#[test]
fn an_answer_too_many_is_noticed() {
    let mut fake = Fake::new("too-much");
    // Whether the surplus is seen now or only when the next question comes is a matter of timing.
    let first = fake.check(&Query::within(DEADLINE));
    let is_expected =
        |answer: &Answer| matches!(answer, Answer::Sat(_) | Answer::Unknown(Reason::Malformed { .. }));
    assert!(is_expected(&first), "{first:?}");
    thread::sleep(Duration::from_millis(300));
    expect_none_left(&fake.marker);
    fake.recovers();
}

#[test]
fn closing_its_output_is_an_end() {
    for mode in ["closes-stdout", "closes-stdout-at-start"] {
        let reason = Fake::new(mode).reason();
        assert!(matches!(reason, Reason::Crash { ending: Ending::OutputClosed, .. }), "{mode}: {reason:?}");
    }
}

#[test]
fn children_that_outlive_the_solver_are_found() {
    for mode in ["orphan", "orphan-setsid"] {
        let reason = Fake::new(mode).reason();
        assert!(matches!(reason, Reason::Crash { ending: Ending::Exit(7), .. }), "{mode}: {reason:?}");
    }
    let mut fake = Fake::new("good-with-orphans");
    assert!(matches!(fake.check(&Query::within(DEADLINE)), Answer::Sat(_)));
    drop(fake.session);
    expect_none_left(&fake.marker);
}

#[test]
fn running_out_of_memory_is_told_from_other_ends() {
    for mode in ["out-of-memory-error", "says-bad-alloc"] {
        let reason = Fake::new(mode).reason();
        assert!(matches!(reason, Reason::Memory { limit_mb: 4096, .. }), "{mode}: {reason:?}");
    }
    let reason = Fake::with_memory("memory", 64).reason();
    assert!(matches!(reason, Reason::Memory { limit_mb: 64, .. }), "{reason:?}");
}

#[test]
fn a_start_with_noise_is_forgiven() {
    let mut fake = Fake::new("noisy-start");
    assert!(matches!(fake.check(&Query::within(DEADLINE)), Answer::Sat(_)));
    fake.recovers();
}

#[test]
fn a_solver_that_does_not_read_blocks_nobody() {
    let mut fake = Fake::new("never-reads");
    let mut formulas = Vec::new();
    for number in 0..40_000 {
        let name = format!("a rather long name so that the text fills every pipe on its way {number}");
        let constant = fake.terms.constant(&name, Sort::Bool).unwrap();
        formulas.push(fake.terms.or(&[constant, fake.p]).unwrap());
    }
    fake.session.push();
    for formula in formulas {
        fake.session.assert(&fake.terms, formula).unwrap();
    }
    let answer = fake.check(&Query::within(DEADLINE));
    assert!(matches!(answer, Answer::Unknown(Reason::Timeout { .. })), "{answer:?}");
    expect_none_left(&fake.marker);
    fake.session.pop().unwrap();
    fake.recovers();
}

#[test]
fn a_query_ends_at_once_when_it_is_cancelled() {
    let mut fake = Fake::new("hang");
    let cancel = CancelToken::new();
    let query = Query { timeout: Some(Duration::from_secs(60)), cancel: cancel.clone(), ..Query::default() };
    let begun = Instant::now();
    let answer = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(300));
            cancel.cancel();
        });
        fake.session.check(&fake.terms, &query)
    });
    assert_eq!(answer, Answer::Unknown(Reason::Interrupted));
    assert!(begun.elapsed() < Duration::from_millis(1300), "{:?}", begun.elapsed());
    expect_none_left(&fake.marker);
    assert_eq!(fake.session.check(&fake.terms, &query), Answer::Unknown(Reason::Interrupted));
    fake.recovers();
}

#[test]
fn a_program_that_is_not_there_cannot_be_started() {
    let Fake { session, terms, p, .. } = Fake::new("good");
    let mut solver = session.solver().clone();
    solver.program = "/nonexistent/solver".into();
    let mut session = Session::new(solver, supervisor());
    session.assert(&terms, p).unwrap();
    let Answer::Unknown(Reason::CannotStart { reason }) = session.check(&terms, &Query::within(DEADLINE))
    else {
        panic!()
    };
    assert!(reason.contains("/nonexistent/solver"), "{reason}");
}

#[test]
fn a_race_is_won_by_who_answers_and_the_others_are_ended() {
    let (hanging, crashing, good) = (Fake::new("hang"), Fake::new("crash-at-check"), Fake::new("good"));
    let members = [&hanging, &crashing, &good].map(|fake| fake.session.solver().clone());
    let mut portfolio = Portfolio::new("race", members.into(), &supervisor());
    let mut terms = Terms::new();
    let p = terms.constant("p", Sort::Bool).unwrap();
    portfolio.assert(&terms, p).unwrap();
    let begun = Instant::now();
    assert!(matches!(portfolio.check(&terms, &Query::within(Duration::from_secs(60))), Answer::Sat(_)));
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    expect_none_left(&hanging.marker);
    assert_eq!(portfolio.wins().map(|(_, wins)| wins).sum::<u64>(), 1);
    // Those that were lost take part in the next race.
    assert!(matches!(portfolio.check(&terms, &Query::within(Duration::from_secs(60))), Answer::Sat(_)));
    drop(portfolio);
    for fake in [hanging, crashing, good] {
        expect_none_left(&fake.marker);
    }
}

#[test]
fn a_race_that_nobody_wins_says_why_each_lost() {
    let (unknown, garbage) = (Fake::new("unknown"), Fake::new("garbage"));
    let members = [&unknown, &garbage].map(|fake| fake.session.solver().clone());
    let mut portfolio = Portfolio::new("race", members.into(), &supervisor());
    let mut terms = Terms::new();
    let p = terms.constant("p", Sort::Bool).unwrap();
    portfolio.assert(&terms, p).unwrap();
    let answer = portfolio.check(&terms, &Query::within(DEADLINE));
    let Answer::Unknown(Reason::NoneKnew { reasons }) = answer else { panic!("{answer:?}") };
    assert_eq!(reasons.len(), 2);
    assert!(
        reasons.iter().any(|(name, reason)| name.contains("unknown") && *reason == Reason::SolverSaidUnknown)
    );
    assert!(reasons.iter().any(|(_, reason)| matches!(reason, Reason::Malformed { .. })));
}

#[test]
fn a_cancelled_race_is_interrupted() {
    let (first, second) = (Fake::new("hang"), Fake::new("silent"));
    let members = [&first, &second].map(|fake| fake.session.solver().clone());
    let mut portfolio = Portfolio::new("race", members.into(), &supervisor());
    let mut terms = Terms::new();
    let p = terms.constant("p", Sort::Bool).unwrap();
    portfolio.assert(&terms, p).unwrap();
    let query = Query::within(Duration::from_secs(60));
    let begun = Instant::now();
    let answer = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(300));
            query.cancel.cancel();
        });
        portfolio.check(&terms, &query)
    });
    assert_eq!(answer, Answer::Unknown(Reason::Interrupted));
    assert!(begun.elapsed() < Duration::from_millis(1300), "{:?}", begun.elapsed());
    expect_none_left(&first.marker);
    expect_none_left(&second.marker);
}

#[test]
fn a_liar_is_caught_by_the_other_solver() {
    let honest = support::needed("z3");
    let liar = Fake::new("unsat");
    let mut pair = CrossCheck::new(liar.session.solver().clone(), honest.clone(), &supervisor());
    let mut terms = Terms::new();
    let p = terms.constant("p", Sort::Bool).unwrap();
    pair.assert_named(&terms, "it", p).unwrap();
    let answer = pair.check(&terms, &Query::within(Duration::from_secs(20)));
    let Answer::Unknown(Reason::Disagreement { first, second }) = answer else { panic!("{answer:?}") };
    assert_eq!((first.1.as_str(), second.1.as_str()), ("unsat", "sat"));
    // A right verdict with a wrong reason: the core leaves out what contradicts it.
    let liar = Fake::new("unsat");
    let mut pair = CrossCheck::new(liar.session.solver().clone(), honest, &supervisor());
    pair.assert_named(&terms, "it", p).unwrap();
    let not_p = terms.not(p).unwrap();
    pair.assert_named(&terms, "its contrary", not_p).unwrap();
    let answer = pair.check(&terms, &Query::within(Duration::from_secs(20)).with_core());
    assert!(matches!(answer, Answer::Unknown(Reason::Disagreement { .. })), "{answer:?}");
}
