//! The solver guards itself: whatever happens to it costs one query, and nothing of it stays behind.

#![allow(clippy::unwrap_used)] // the helpers of tests are tests too

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use warpath_solvers::config::Catalog;
use warpath_solvers::discover::Origin;
use warpath_solvers::supervise::{Ending, Failure, SupervisorCommand};
use warpath_solvers::term::{Op, Sort, TermId, Terms};
use warpath_solvers::{Answer, CancelToken, FoundSolver, OwnSolver, Query, Reason, Session, Smt};

const PROGRAM: &str = env!("CARGO_BIN_EXE_warpath-smt");
/// A product of two primes of 31 bits each.
const PRODUCT: u64 = 1_301_987_681 * 1_783_642_937;
/// Long enough for any process to come to its end.
const PATIENCE: Duration = Duration::from_secs(20);

/// What takes far longer than any test: the factors of [`PRODUCT`].
fn hard() -> String {
    let wide = |name: &str| format!("((_ zero_extend 32) {name})");
    format!(
        "(declare-const x (_ BitVec 32))(declare-const y (_ BitVec 32))\
         (assert (= (bvmul {} {}) (_ bv{PRODUCT} 64)))(assert (bvult #x00000001 x))(assert (bvult x y))",
        wide("x"),
        wide("y")
    )
}

/// A process spoken to without the library.
struct Bare {
    child: Child,
    input: ChildStdin,
    output: BufReader<std::process::ChildStdout>,
}

impl Bare {
    fn start(memory_mb: u64) -> Self {
        let mut child = Command::new(PROGRAM)
            .args([OwnSolver::GUARD_ITSELF, &memory_mb.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, input, output }
    }

    fn say(&mut self, commands: &str) {
        self.input.write_all(commands.as_bytes()).unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Waits for its end, with its input open or closed.
    fn end(mut child: Child) -> ExitStatus {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = child.try_wait().unwrap() {
                return status;
            }
            if Instant::now() > until {
                child.kill().unwrap();
                panic!("it does not end");
            }
            thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn it_speaks_the_protocol_of_the_supervisor() {
    let mut bare = Bare::start(0);
    bare.say("(get-info :warpath-supervisor)(set-info :warpath-deadline-ms 60000)(get-info :name)");
    assert_eq!(bare.line(), format!("(:warpath-supervisor {})", bare.child.id()));
    assert_eq!(bare.line(), "(:name \"warpath-smt\")");
    bare.say("(declare-const p Bool)(assert p)(check-sat)(get-value (p))(exit)");
    assert_eq!((bare.line().as_str(), bare.line().as_str()), ("sat", "((p true))"));
    assert_eq!(Bare::end(bare.child).code(), Some(0));
}

#[test]
fn an_error_comes_in_the_form_of_a_failure_and_is_the_end() {
    let mut bare = Bare::start(0);
    bare.say("(assert |é ( \" nobody|)");
    let line = bare.line();
    assert!(line.is_ascii(), "{line}");
    let failure = Failure::from_line(&line).unwrap();
    assert!(
        matches!(&failure, Failure::SolverError { message } if message.contains("nobody")),
        "{failure:?}"
    );
    assert_eq!(Bare::end(bare.child).code(), Some(1));
}

#[test]
fn a_deadline_is_the_end_of_a_question_but_not_of_a_pause() {
    let mut bare = Bare::start(0);
    bare.say("(set-info :warpath-deadline-ms 50)(check-sat)");
    assert_eq!(bare.line(), "sat");
    thread::sleep(Duration::from_millis(200));
    bare.say("(push 1)(check-sat)(pop 1)");
    assert_eq!(bare.line(), "sat");
    bare.say(&format!("(set-info :warpath-deadline-ms 100){}(check-sat)", hard()));
    assert_eq!(Failure::from_line(&bare.line()), Some(Failure::Timeout { allowed_ms: 100 }));
    assert_eq!(Bare::end(bare.child).code(), Some(1));
}

#[test]
fn who_is_no_longer_listened_to_ends() {
    let mut bare = Bare::start(0);
    bare.say(&format!("(get-info :name){}(check-sat)", hard()));
    bare.line();
    let Bare { child, input, output } = bare;
    drop(input);
    assert_eq!(Bare::end(child).code(), Some(0));
    drop(output);
}

#[test]
fn memory_has_a_limit() {
    let mut bare = Bare::start(64);
    let mut commands = String::new();
    // Divisions of different operands share nothing.
    for number in 0..3000 {
        commands += &format!(
            "(declare-const a{number} (_ BitVec 128))(assert (bvult (bvudiv a{number} #x{number:032x}) (bvurem a{number} (bvnot #x{number:032x}))))"
        );
    }
    let feeder = thread::spawn(move || {
        // It may be gone before it has read all.
        let _ = bare.input.write_all(commands.as_bytes());
        let _ = bare.input.write_all(b"(check-sat)");
        bare.input
    });
    let mut line = String::new();
    bare.output.read_line(&mut line).unwrap();
    assert!(matches!(Failure::from_line(&line), Some(Failure::Memory { limit_mb: 64, .. })), "{line}");
    assert_eq!(Bare::end(bare.child).code(), Some(1));
    feeder.join().unwrap();
}

/// A session with the program, and a question that is hard or not.
struct Asked {
    session: Session,
    terms: Terms,
    p: TermId,
    hard: TermId,
}

impl Asked {
    fn new() -> Self {
        let config = Catalog::shipped().unwrap().solver("warpath").unwrap().clone();
        let version = "0.1.0".parse().unwrap();
        let solver = FoundSolver {
            config: Arc::clone(&config),
            program: PROGRAM.into(),
            lead: Vec::new(),
            version,
            origin: Origin::Own,
        };
        let mut terms = Terms::new();
        let p = terms.constant("p", Sort::Bool).unwrap();
        let x = terms.constant("x", Sort::Bits(32)).unwrap();
        let y = terms.constant("y", Sort::Bits(32)).unwrap();
        let one = terms.bits(1, 32).unwrap();
        let wide_x = terms.apply(Op::ZeroExtend(32), &[x]).unwrap();
        let wide_y = terms.apply(Op::ZeroExtend(32), &[y]).unwrap();
        let product = terms.apply(Op::BvMul, &[wide_x, wide_y]).unwrap();
        let wanted = terms.bits(PRODUCT.into(), 64).unwrap();
        let equal = terms.eq(product, wanted).unwrap();
        let above = terms.apply(Op::BvUlt, &[one, x]).unwrap();
        let ordered = terms.apply(Op::BvUlt, &[x, y]).unwrap();
        let hard = terms.and(&[equal, above, ordered]).unwrap();
        // No supervisor is needed.
        let mut session = Session::new(solver, SupervisorCommand::at("/nowhere"));
        session.push();
        session.assert(&terms, p).unwrap();
        Self { session, terms, p, hard }
    }

    fn ask(&mut self, query: &Query) -> Answer {
        self.session.check(&self.terms, query)
    }

    fn expect_an_answer(&mut self) {
        let answer = self.ask(&Query::within(PATIENCE));
        assert!(matches!(&answer, Answer::Sat(model) if model.get(self.p).is_some()), "{answer:?}");
    }
}

#[test]
fn a_question_that_takes_too_long_costs_only_itself() {
    let mut asked = Asked::new();
    asked.expect_an_answer();
    let hard = asked.hard;
    let answer = asked.ask(&Query::within(Duration::from_millis(150)).assuming([hard]));
    assert!(matches!(answer, Answer::Unknown(Reason::Timeout { .. })), "{answer:?}");
    asked.expect_an_answer();
}

#[test]
fn a_question_can_be_interrupted() {
    let mut asked = Asked::new();
    let cancel = CancelToken::new();
    let thrower = {
        let cancel = cancel.clone();
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(200));
            cancel.cancel();
        })
    };
    let query = Query { cancel, ..Query::within(PATIENCE).assuming([asked.hard]) };
    let answer = asked.ask(&query);
    thrower.join().unwrap();
    assert!(matches!(answer, Answer::Unknown(Reason::Interrupted)), "{answer:?}");
    asked.expect_an_answer();
}

#[test]
fn a_solver_that_is_killed_costs_one_question() {
    let mut asked = Asked::new();
    asked.expect_an_answer();
    let children = std::fs::read_to_string(format!("/proc/self/task/{}/children", this_thread())).unwrap();
    let solver = children.split_whitespace().next().unwrap().to_owned();
    let killer = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        assert!(Command::new("kill").args(["-9", &solver]).status().unwrap().success());
    });
    let hard = asked.hard;
    let answer = asked.ask(&Query::within(PATIENCE).assuming([hard]));
    killer.join().unwrap();
    let Answer::Unknown(Reason::Crash { ending, .. }) = &answer else { panic!("{answer:?}") };
    assert_eq!(*ending, Ending::Signal(9));
    asked.expect_an_answer();
}

/// The number of this thread: children are listed by the thread that started them.
fn this_thread() -> String {
    let own = std::fs::read_link("/proc/thread-self").unwrap();
    own.file_name().unwrap().to_str().unwrap().to_owned()
}
