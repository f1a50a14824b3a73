//! Real solvers as oracles: what our evaluator says of a term, z3, cvc5 and Yices say too.

#![allow(clippy::unwrap_used)] // helpers of tests

mod terms_support;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::io::{Seek, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use terms_support::{Leaves, Made, make, model, recipe};
use warpath_solvers::script::{EmitOptions, NameForm, Script};
use warpath_solvers::smtlib::{answer, sexpr::Sexpr, sexpr::SexprLimits};
use warpath_solvers::term::{Evaluator, Model, Op, Simplification, Sort, TermId, Terms, Value};

/// Solvers of integers and bit-vectors.
const SOLVERS: &[(&str, &[&str])] = &[
    ("z3", &["-smt2", "-in"]),
    ("cvc5", &["--lang=smt2", "--incremental"]),
    ("yices-smt2", &["--incremental"]),
];

/// Solvers of bit-vectors alone.
const BIT_SOLVERS: &[(&str, &[&str])] = &[("bitwuzla", &[]), ("boolector", &[])];

/// Where `warpath solvers install` puts it, or on the path.
fn find(executable: &str) -> PathBuf {
    let data = std::env::var_os("XDG_DATA_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local/share")))
        .unwrap_or_default()
        .join("warpath/solvers");
    let installed =
        std::fs::read_dir(data).into_iter().flatten().flatten().map(|entry| entry.path().join("bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    installed
        .chain(std::env::split_paths(&path))
        .map(|folder| folder.join(executable))
        .find(|path| path.is_file())
        .unwrap_or_else(|| panic!("{executable} is not installed: run scripts/setup"))
}

/// Runs a solver on a script and reads its answers.
fn ask(executable: &str, arguments: &[&str], text: &str) -> Vec<Sexpr> {
    let mut script = tempfile::tempfile().unwrap();
    script.write_all(text.as_bytes()).unwrap();
    script.rewind().unwrap();
    let mut child = Command::new(find(executable))
        .args(arguments)
        .stdin(Stdio::from(script))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut output = Vec::new();
        std::io::Read::read_to_end(&mut stdout, &mut output).map(|_| output)
    });
    let deadline = Instant::now() + Duration::from_secs(120);
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > deadline {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{executable} did not finish");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = reader.join().unwrap().unwrap();
    Sexpr::parse_all(&output, SexprLimits::default())
        .unwrap_or_else(|error| panic!("{executable}: {error}: {}", String::from_utf8_lossy(&output)))
}

/// Terms of a recipe that have a value, with their values.
fn valued(made: &Made, model: &Model) -> Vec<(TermId, Value)> {
    let mut evaluator = Evaluator::new(&made.terms, model);
    made.all.iter().filter_map(|&id| evaluator.value(id).ok().map(|value| (id, value))).collect()
}

/// `distinct` of a term and its value, for each: all false.
fn differences(terms: &mut Terms, pairs: &[(TermId, Value)]) -> Vec<TermId> {
    pairs
        .iter()
        .map(|&(id, value)| {
            let value = terms.value(value).unwrap();
            terms.apply(Op::Distinct, &[id, value]).unwrap()
        })
        .collect()
}

fn is_symbol(answer: Option<&Sexpr>, symbol: &str) -> bool {
    answer.and_then(Sexpr::as_symbol) == Some(symbol)
}

#[test]
fn closed_terms_have_the_values_that_solvers_give_them() {
    let mut runner = TestRunner::deterministic();
    let strategy = recipe(120);
    for _ in 0..40 {
        let recipe = strategy.new_tree(&mut runner).unwrap().current();
        // Off: the solver, not our simplifier, has to find the value.
        let mut made = make(&recipe, Simplification::Off, Leaves::Literals);
        let pairs = valued(&made, &Model::new());
        assert!(pairs.len() * 2 >= made.all.len(), "too few terms have values");
        let differences = differences(&mut made.terms, &pairs);
        let mut script = Script::new();
        let any = made.terms.or(&differences).unwrap();
        script.assert(any);
        script.check();
        let text = script.emit(&made.terms, &EmitOptions::default()).unwrap();
        for (solver, arguments) in SOLVERS {
            let answers = ask(solver, arguments, &text);
            assert!(is_symbol(answers.first(), "unsat"), "{solver} disagrees: {answers:?}\n{text}");
        }
    }
}

#[test]
fn bit_vector_solvers_agree_too() {
    let mut runner = TestRunner::deterministic();
    let strategy = recipe(120);
    let mut options = EmitOptions::default();
    options.names = NameForm::Omitted;
    for _ in 0..40 {
        let recipe = strategy.new_tree(&mut runner).unwrap().current();
        let mut made = make(&recipe, Simplification::Off, Leaves::Literals);
        let mut pairs = valued(&made, &Model::new());
        pairs.retain(|&(id, _)| !has_integers(&made.terms, id));
        let differences = differences(&mut made.terms, &pairs);
        let any = made.terms.or(&differences).unwrap();
        let mut script = Script::new();
        script.assert_named(any, "some value differs");
        script.check();
        let text = script.emit(&made.terms, &options).unwrap();
        for (solver, arguments) in BIT_SOLVERS {
            let answers = ask(solver, arguments, &text);
            assert!(is_symbol(answers.first(), "unsat"), "{solver} disagrees: {answers:?}\n{text}");
        }
    }
}

fn has_integers(terms: &Terms, id: TermId) -> bool {
    terms.cone(&[id]).any(|id| terms.sort(id) == Sort::Int)
}

#[test]
fn solvers_report_the_values_that_the_evaluator_computes() {
    let mut runner = TestRunner::deterministic();
    let strategy = recipe(60);
    let raws = proptest::collection::vec(proptest::num::u128::ANY, 12);
    let mut compared = 0;
    for round in 0..40 {
        let recipe = strategy.new_tree(&mut runner).unwrap().current();
        let simplification = match round % 2 {
            0 => Simplification::On,
            _ => Simplification::Off,
        };
        let mut made = make(&recipe, simplification, Leaves::Constants);
        let raw = raws.new_tree(&mut runner).unwrap().current();
        let model = model(&made, &raw);
        // Products of integer constants are beyond the logics that all three share.
        let pairs: Vec<_> =
            valued(&made, &model).into_iter().filter(|&(id, _)| !has_product(&made.terms, id)).collect();
        let mut script = Script::new();
        for (id, value) in model.iter() {
            let value = made.terms.value(value).unwrap();
            let fixed = made.terms.eq(id, value).unwrap();
            script.assert_named(fixed, &format!("value of {}", id.index()));
        }
        script.check();
        let asked: Vec<TermId> = pairs.iter().map(|&(id, _)| id).collect();
        script.get_values(&asked);
        let text = script.emit(&made.terms, &EmitOptions::default()).unwrap();
        for (solver, arguments) in SOLVERS {
            let answers = ask(solver, arguments, &text);
            assert!(is_symbol(answers.first(), "sat"), "{solver} disagrees: {answers:?}\n{text}");
            let values = answer::values(answers[1].to_string().as_bytes())
                .unwrap_or_else(|error| panic!("{solver}: {error}\n{text}"));
            assert_eq!(values.len(), pairs.len());
            for (&(id, expected), (term, found)) in pairs.iter().zip(values) {
                assert_eq!(found, expected, "{solver}: {term} = term {id:?}\n{text}");
                compared += 1;
            }
        }
    }
    assert!(compared > 3000, "only {compared} values were compared");
}

fn has_product(terms: &Terms, id: TermId) -> bool {
    terms.cone(&[id]).any(|id| {
        terms.sort(id) == Sort::Int
            && matches!(terms.shape(id), warpath_solvers::term::Shape::App(Op::Mul, _))
    })
}

/// The names of the escape's documentation and more, through each solver and back.
#[test]
fn every_name_survives_every_solver() {
    let mut names: Vec<String> = terms_support::NAMES.iter().map(|&n| n.to_owned()).collect();
    names.extend((0..=0x7f_u8).map(|byte| char::from(byte).to_string()));
    names.extend((0..=0x7f_u8).map(|byte| format!("a{}b", char::from(byte))));
    names.extend(Op::PLAIN.iter().map(|op| op.symbol().to_owned()));
    names.extend(
        [
            "forall",
            "select",
            "bv7",
            "Int",
            "|",
            "||",
            "\\",
            "日本",
            "\u{0}",
            "%",
            "%FF",
            "%25",
            "NUL\u{0}x",
            "0",
            "1.5",
            "#b0",
            "#x",
            "sat",
            "assert",
            "_",
            "!",
            "as",
            ":named",
            "a b",
            "%7C",
            "x'",
            "[0]",
            "{",
            "=",
            "T0.2",
            "a,b",
            "~",
            "QF_BV",
            "ALL",
            "iff",
            "if",
        ]
        .map(str::to_owned),
    );
    names.sort();
    names.dedup();
    for sort in [Sort::Bool, Sort::Bits(16)] {
        let mut terms = Terms::new();
        let mut script = Script::new();
        let mut expected = Vec::new();
        for (index, name) in names.iter().enumerate() {
            let constant = terms.constant(name, sort).unwrap();
            let value = terms_support::value_of(sort, index as u128);
            let literal = terms.value(value).unwrap();
            let fixed = terms.eq(constant, literal).unwrap();
            script.assert(fixed);
            expected.push((name.clone(), value));
        }
        script.check();
        let constants: Vec<_> = names.iter().map(|name| terms.find_constant(name).unwrap()).collect();
        script.get_values(&constants);
        let text = script.emit(&terms, &EmitOptions::default()).unwrap();
        for (solver, arguments) in SOLVERS {
            let answers = ask(solver, arguments, &text);
            assert!(is_symbol(answers.first(), "sat"), "{solver}: {answers:?}");
            let values = answer::named_values(answers[1].to_string().as_bytes()).unwrap();
            assert_eq!(values, expected, "{solver}");
        }
    }
}

/// Cores and assumptions come back under the names they were given.
#[test]
fn cores_come_back_by_name() {
    let mut terms = Terms::new();
    let p = terms.constant("p (q)", Sort::Bool).unwrap();
    let not_p = terms.not(p).unwrap();
    let mut script = Script::new();
    script.assert_named(p, "rf[1] → w");
    script.assert_named(not_p, "let");
    script.check();
    script.get_unsat_core();
    let text = script.emit(&terms, &EmitOptions::default()).unwrap();
    for (solver, arguments) in SOLVERS {
        let answers = ask(solver, arguments, &text);
        assert!(is_symbol(answers.first(), "unsat"), "{solver}: {answers:?}");
        let mut core = answer::unsat_core(answers[1].to_string().as_bytes()).unwrap();
        core.sort();
        assert_eq!(core, ["let", "rf[1] → w"], "{solver}");
    }
}
