//! Reading scripts: ordinary files, faulty files, and files made to do harm.

#![allow(clippy::unwrap_used)] // helpers of tests

mod terms_support;

use proptest::prelude::*;
use terms_support::{Leaves, make, recipe};
use warpath_solvers::script::{
    Command, EmitError, EmitOptions, Literal, Location, NameForm, Script, ScriptError, ScriptLimits, Soft,
    SoftForm,
};
use warpath_solvers::smtlib::{symbol, term_text};
use warpath_solvers::term::{Simplification, Sort, Terms};

fn read(text: &str) -> Result<(Script, Terms), ScriptError> {
    let mut terms = Terms::with_simplification(Simplification::Off);
    Script::parse(text, &mut terms).map(|script| (script, terms))
}

/// The assertions of a script, written out.
fn assertions(text: &str) -> Vec<String> {
    let (script, terms) = read(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    script
        .commands
        .iter()
        .filter_map(|command| match command {
            Command::Assert { term, .. } => Some(term_text(&terms, *term)),
            _ => None,
        })
        .collect()
}

const INCREMENTAL: &str = r#"; What is asked
;   indented, and a blank line:
;
; é
(set-info :smt-lib-version 2.6)
(set-info :source |a; "b" (c|)
(set-option :produce-models true)
(set-option :random-seed 7)
(set-logic QF_LIA)
(declare-const p Bool) (declare-fun |q r| () Bool)
(declare-const n Int) ; a comment ) with a parenthesis
(define-fun next ((i Int) (step Int)) Int (+ i step))
(define-fun limit () Int 10)
(assert (! (< (next n 2) limit) :named bound))
(push)
(assert (let ((a (next n 1)) (b limit)) (let ((a b) (b a)) (= a b))))
;@(assert-soft (not p) :weight 3 :id goal)
;@(assert-soft |q r|)
(check-sat)
(get-value (n (next n
  5) p))
(echo "done: ""(""")
(pop 1)
(push 2)
(declare-const m Int)
(assert (or bound (= m n)))
(check-sat-assuming (p (not |q r|)))
(get-unsat-assumptions)
(pop 2)
(get-info :reason-unknown)
(reset-assertions)
(declare-const n Int)
(assert (> n 0))
(check-sat)
(get-model)
(reset)
(set-logic QF_BV)
(declare-const v (_ BitVec 8))
(assert (bvult v #x0f))
(check-sat)
(get-unsat-core)
(exit)
(this is never read)
"#;

#[test]
fn an_incremental_script_is_read_whole() {
    // What follows `exit` is not read, but must be well-formed and known like the rest.
    let text = INCREMENTAL.replace("(this is never read)", "(check-sat)");
    let (script, mut terms) = read(&text).unwrap();
    assert_eq!(script.header, ["What is asked", "  indented, and a blank line:", "", "é"]);
    let p = terms.constant("p", Sort::Bool).unwrap();
    let q = terms.constant("q r", Sort::Bool).unwrap();
    assert!(script.commands.contains(&Command::AssertSoft { term: q, soft: Soft::default() }));
    let not_p = terms.not(p).unwrap();
    assert!(
        script.commands.contains(&Command::AssertSoft {
            term: not_p,
            soft: Soft { weight: 3, id: Some("goal".into()) }
        })
    );
    assert!(script.commands.contains(&Command::CheckSatAssuming {
        literals: vec![Literal { constant: p, positive: true }, Literal { constant: q, positive: false }]
    }));
    assert!(script.commands.contains(&Command::Echo { text: "done: \"(\"".into() }));
    assert!(
        script
            .commands
            .contains(&Command::SetInfo { keyword: "source".into(), value: "|a; \"b\" (c|".into() })
    );
    assert_eq!(script.commands.last(), Some(&Command::Exit));
    assert_eq!(
        assertions(&text),
        ["(< (+ n 2) 10)", "(= 10 (+ n 1))", "(or (< (+ n 2) 10) (= m n))", "(> n 0)", "(bvult v #x0f)"]
    );
    // Written and read again it is the same script.
    let emitted = script.emit(&terms, &EmitOptions::default()).unwrap();
    let mut other = Terms::with_simplification(Simplification::Off);
    let again = Script::parse(&emitted, &mut other).unwrap();
    assert_eq!(again.emit(&other, &EmitOptions::default()).unwrap(), emitted);
    assert_eq!(again.header, script.header);
}

#[test]
fn soft_assertions_can_be_commands() {
    let (script, terms) = read("(declare-const p Bool)(assert-soft p :id a :weight 2)").unwrap();
    let mut options = EmitOptions::default();
    let portable = script.emit(&terms, &options).unwrap();
    assert!(portable.contains("\n;@(assert-soft p :weight 2 :id a)\n"));
    options.soft = SoftForm::Command;
    let native = script.emit(&terms, &options).unwrap();
    assert!(native.contains("\n(assert-soft p :weight 2 :id a)\n"));
    assert_eq!(read(&portable).unwrap().0, read(&native).unwrap().0);
}

#[test]
fn names_can_be_left_out() {
    let (script, terms) = read("(declare-const p Bool)(assert (! p :named |a b|))").unwrap();
    let mut options = EmitOptions::default();
    let named = script.emit(&terms, &options).unwrap();
    assert!(named.contains("\n(assert (! p :named |a b|))\n"));
    options.names = NameForm::Omitted;
    let plain = script.emit(&terms, &options).unwrap();
    assert!(plain.contains("\n(assert p)\n"));
}

#[test]
fn what_cannot_be_written_is_an_error() {
    let mut terms = Terms::new();
    let p = terms.constant("p", Sort::Bool).unwrap();
    let x = terms.constant("x", Sort::Int).unwrap();
    let not_p = terms.not(p).unwrap();
    let error = |build: &dyn Fn(&mut Script)| {
        let mut script = Script::new();
        build(&mut script);
        script.emit(&terms, &EmitOptions::default()).unwrap_err()
    };
    let duplicate = |name: &str| EmitError::DuplicateName { name: name.into() };
    assert_eq!(
        error(&|script| {
            script.assert_named(p, "a");
            script.assert_named(not_p, "a");
        }),
        duplicate("a")
    );
    assert_eq!(error(&|script| script.assert_named(p, "p")), duplicate("p"));
    assert!(matches!(error(&|script| script.assert(x)), EmitError::NotBoolean { .. }));
    assert!(matches!(error(&|script| script.assert_soft(x, Soft::default())), EmitError::NotBoolean { .. }));
    for constant in [x, not_p] {
        let literal = Literal { constant, positive: true };
        assert!(matches!(
            error(&|script| script.check_assuming(vec![literal])),
            EmitError::NotBoolean { .. }
        ));
    }
    for (keyword, value) in [("a b", ""), ("a", ")"), ("a", "1 2"), ("a", "1 ; x"), ("", "1")] {
        let command = Command::SetOption { keyword: keyword.into(), value: value.into() };
        assert!(matches!(
            error(&|script| script.commands.push(command.clone())),
            EmitError::Unwritable { .. }
        ));
    }
    let logic = Command::SetLogic { name: "QF_BV)(assert false".into() };
    assert!(matches!(error(&|script| script.commands.push(logic.clone())), EmitError::Unwritable { .. }));
    assert!(matches!(
        error(&|script| script.commands.push(Command::Pop { levels: 1 })),
        EmitError::BadLevels { .. }
    ));
}

#[test]
fn chains_and_associativity_are_written_out() {
    let text = "(declare-const x Int)(declare-const v (_ BitVec 4))(declare-const p Bool)
        (declare-const q Bool)(declare-const r Bool)
        (assert (< 1 x 3))
        (assert (= x x x))
        (assert (=> p q r true))
        (assert (= (- x 1 2) (- x) (- 3)))
        (assert (= (bvadd v v v) (_ bv5 4)))
        (assert (xor p q r))
        (assert (distinct x 1 2))
        (assert (and p))
        (assert (= ((_ rotate_left 9) v) ((_ rotate_right 400000000000000000000000000000) v)))
        (assert (= ((_ extract 3 0) (concat v v)) ((_ repeat 1) v)))";
    assert_eq!(
        assertions(text),
        [
            "(and (< 1 x) (< x 3))",
            "(and (= x x) (= x x))",
            "(=> p (=> q (=> r true)))",
            "(and (= (- (- x 1) 2) (- x)) (= (- x) (- 3)))",
            "(= (bvadd (bvadd v v) v) #x5)",
            "(xor (xor p q) r)",
            "(distinct x 1 2)",
            "p",
            "(= ((_ rotate_left 1) v) ((_ rotate_right 0) v))",
            "(= ((_ extract 3 0) (concat v v)) ((_ repeat 1) v))",
        ]
    );
}

#[test]
fn wide_literals_are_put_together() {
    let digits = "0123456789abcdef".repeat(4);
    let text = format!("(declare-const w (_ BitVec 256))(assert (= w #x{digits}))(assert (= w (_ bv1 256)))");
    let half = &digits[..32];
    assert_eq!(
        assertions(&text),
        [format!("(= w (concat #x{half} #x{half}))"), format!("(= w (concat #x{:032x} #x{:032x}))", 0, 1),]
    );
}

#[test]
fn errors_say_what_and_where() {
    let cases: &[(&str, &str)] = &[
        ("(assert true", "line 1, column 13: the text ends"),
        ("(check-sat))", "line 1, column 12: closing parenthesis"),
        ("\n  sat", "line 2, column 3: a command"),
        ("(check-sat)\n\n (\"x\")", "line 3, column 2: a command"),
        ("()", "line 1, column 1: a command"),
        ("(check-sat)\n(frobnicate 1)", "line 2, column 1: the command `frobnicate`"),
        ("(declare-datatypes () ())", "`declare-datatypes` is not supported"),
        ("(define-fun-rec f () Bool f)", "`define-fun-rec` is not supported"),
        ("(assert é)", "line 1, column 9: byte 0xc3"),
        ("(assert 12ab)", "line 1, column 9: word"),
        ("(assert \u{0})", "line 1, column 9: byte 0x00"),
        ("(assert (and))", "line 1, column 14"),
        ("(assert (and true true) true)", "line 1, column 29"),
        ("(assert x)", "the symbol `x` is not declared"),
        ("(assert (f true))", "the symbol `f` is not declared"),
        ("(assert (and 1 true))", "argument 1 of `and` must be of sort Bool"),
        ("(assert (not true false))", "`not` takes exactly 1 argument, not 2"),
        ("(assert 1)", "a term of sort Bool is expected"),
        ("(assert 1.5)", "a decimal literal is not supported"),
        ("(assert \"s\")", "a string literal is not supported"),
        ("(assert (forall ((x Int)) true))", "forall is not supported"),
        ("(assert (as x Bool))", "(as …) is not supported"),
        ("(declare-const x Real)", "the sort Real is not supported"),
        ("(declare-const x (Array Int Int))", "the sort (Array …) is not supported"),
        ("(declare-const x (_ BitVec 0))", "a bit-vector of width 0"),
        ("(declare-const x (_ BitVec 5000))", "a bit-vector of width 5000"),
        ("(declare-fun f (Int) Int)", "a function with arguments"),
        ("(declare-const x Int)(declare-const x Int)", "column 22: the symbol `x` is already"),
        ("(declare-const and Int)", "the symbol `and` is already"),
        ("(declare-const extract Int)", "the symbol `extract` is already"),
        ("(assert (let ((a true) (a false)) a))", "the symbol `a` is already"),
        ("(declare-const aA Int)(declare-const a%2541 Int)(declare-const a%41 Int)", "`a%41` is already"),
        ("(pop 1)", "1 levels cannot be pushed or popped here (0 are open)"),
        ("(pop)", "1 levels cannot be"),
        ("(push 99999999999999999999999999)", "levels cannot be"),
        ("(push 4000000000)", "levels cannot be"),
        ("(define-fun f ((x Int)) Int x)(assert (= 1 (f)))", "column 47"),
        ("(define-fun f ((x Int)) Int x)(assert (= 1 (f 1 2)))", "`f` takes 1 arguments, not 2"),
        ("(define-fun f ((x Int)) Int x)(assert (= 1 f))", "`f` takes 1 arguments, not 0"),
        ("(define-fun f ((x Int)) Int x)(assert (f true))", "a term of sort Int is expected"),
        ("(define-fun f ((x Int)) Bool x)(assert (f 1))", "a term of sort Bool is expected"),
        ("(define-fun f () Bool 1)", "a term of sort Bool is expected"),
        ("(define-fun f ((x Int)) Int y)(assert (let ((y 1)) (= 1 (f y))))", "`y` is not declared"),
        ("(get-value ())", "name at least one term"),
        ("(get-value x)", "write (get-value (term …))"),
        ("(check-sat-assuming (x))", "the symbol `x` is not declared"),
        ("(define-fun f () Bool true)(check-sat-assuming (f))", "not a constant"),
        ("(assert (= #b1 #b11))", "argument 2 of `=` must be of sort (_ BitVec 1)"),
        ("(assert (= ((_ extract 9 0) #x00) #x00))", "cannot extract bits 9 down to 0"),
        ("(assert (= (_ bv256 8) #x00))", "the value 256 does not fit into 8 bits"),
        ("(assert (= 1 170141183460469231731687303715884105728))", "is out of range"),
        (";@(assert false)", "a ;@ line holds exactly one (assert-soft …)"),
        (";@(assert-soft\ntrue)", "a ;@ line holds exactly one (assert-soft …)"),
        ("(assert-soft true :weight 1.5)", "write it with :weight NUMBER :id SYMBOL"),
        ("(assert-soft true :weight)", "write it with :weight NUMBER :id SYMBOL"),
        ("(assert-soft)", "`assert-soft` is not supported"),
        ("(set-option :global-declarations true)", "declare each constant at the level"),
        ("(set-logic)", "line 1, column 12"),
        ("(assert (! true :named))", ":named annotation without a symbol"),
    ];
    for (text, expected) in cases {
        let error = read(text).expect_err(text).to_string();
        assert!(error.contains(expected), "{text}\n  gives {error}\n  not   {expected}");
        assert!(error.starts_with("line "), "{text} gives {error}");
    }
}

#[test]
fn limits_hold() {
    let mut terms = Terms::new();
    let limits =
        ScriptLimits { max_bytes: 200, max_depth: 5, max_literal: 10, max_levels: 3, max_steps: 100 };
    let mut error = |text: &str| Script::parse_limited(text, &mut terms, &limits).expect_err(text);
    assert!(matches!(error(&" ".repeat(201)), ScriptError::TooLarge { .. }));
    assert!(matches!(
        error("(assert (not (not (not (not (not true))))))"),
        ScriptError::Malformed { at: Location { line: 1, column: 29 }, .. }
    ));
    assert!(matches!(error("(assert 12345678901)"), ScriptError::LiteralTooLong { .. }));
    assert!(matches!(error("(push 2)(push 2)"), ScriptError::BadLevels { .. }));
    let wide = format!("(assert (and {}))", "true ".repeat(36));
    assert!(Script::parse_limited(&wide, &mut Terms::new(), &limits).is_ok());
}

/// Each definition uses the one before twice: the work doubles forty times.
#[test]
fn exploding_definitions_are_stopped() {
    let mut text = String::from("(define-fun f0 ((x Int)) Int (+ x 1))\n");
    for level in 1..=60 {
        let before = level - 1;
        text += &format!("(define-fun f{level} ((x Int)) Int (f{before} (f{before} x)))\n");
    }
    text += "(assert (= 0 (f60 0)))";
    let limits = ScriptLimits { max_steps: 1_000_000, ..ScriptLimits::default() };
    let result = Script::parse_limited(&text, &mut Terms::new(), &limits);
    assert!(matches!(result, Err(ScriptError::TooMuchWork { at: Location { line: 62, .. }, .. })));
    // The same with `let` is shared, and cheap.
    let mut text = String::from("(declare-const x Int)(assert (let ((a x)) ");
    for _ in 0..60 {
        text += "(let ((a (+ a a))) ";
    }
    text += &format!("(= a 0){}", ")".repeat(62));
    assert!(read(&text).is_ok());
}

/// What the parser behind does wrong by itself; see `script::read`.
#[test]
fn faults_of_the_parser_are_contained() {
    // It takes a lexical error for the end of the file.
    assert!(read("(check-sat)\n\u{b}(assert false)").is_err());
    // It reads (get-value (x y)) as an application.
    let (script, mut terms) = read("(declare-const x Int)(get-value (x (+ x 1)))(get-value (x))").unwrap();
    let x = terms.constant("x", Sort::Int).unwrap();
    assert!(script.commands.contains(&Command::GetValue { terms: vec![x] }));
    // It converts numbers in quadratic time.
    let long = format!("(assert (= 1 {}))", "9".repeat(1_000_000));
    assert!(matches!(read(&long), Err(ScriptError::LiteralTooLong { .. })));
    // Words of its own that are symbols when quoted.
    assert_eq!(assertions("(declare-const |par| Bool)(assert |par|)"), ["%70ar"]);
    // Annotations other than names.
    assert_eq!(assertions("(assert (! true :weight 3 :named a :pattern (x y)))"), ["true"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Any name is a symbol that no other name has, and comes back.
    #[test]
    fn names_and_symbols_are_inverse(a in any::<String>(), b in "[%0-9A-Fa-f|. x-]{0,8}") {
        for name in [&a, &b] {
            let content = symbol::encode(name);
            prop_assert_eq!(&symbol::decode(&content), name);
            prop_assert!(content.bytes().all(|byte| matches!(byte, b' '..=b'~')));
            prop_assert!(!content.contains(['|', '\\', '"', '(', ')', ';']));
            let quoted = symbol::quote(name);
            let barred = format!("|{content}|");
            prop_assert!(quoted == content || quoted == barred);
        }
        prop_assert_eq!(a == b, symbol::encode(&a) == symbol::encode(&b));
    }

    /// Any content, ours or not, is the symbol of at most one name.
    #[test]
    fn decoding_is_sound(content in "[%0-9A-Fa-f|. é-]{0,8}") {
        let name = symbol::decode(&content);
        prop_assert!(symbol::encode(&name) == content || name == content);
    }

    /// Scripts with bytes changed, cut out, doubled and inserted: an error or a script, no panic;
    /// and what is read can be written and read again.
    #[test]
    fn mutated_scripts_never_panic(
        recipe in recipe(20),
        own in any::<bool>(),
        edits in proptest::collection::vec((any::<usize>(), any::<usize>(), 0..6_u8, any::<u8>()), 1..6),
    ) {
        let text = if own {
            let made = make(&recipe, Simplification::On, Leaves::Constants);
            let mut script = Script::new();
            for &term in &made.all {
                if made.terms.sort(term) == Sort::Bool {
                    script.assert(term);
                    script.assert_soft(term, Soft::default());
                }
            }
            script.check();
            script.get_values(&made.all);
            script.emit(&made.terms, &EmitOptions::default()).unwrap()
        } else {
            INCREMENTAL.to_owned()
        };
        let mut bytes = text.into_bytes();
        for (at, other, kind, byte) in edits {
            let length = bytes.len().max(1);
            let (a, b) = (at % length, other % length);
            let (low, high) = (a.min(b), a.max(b).min(a.min(b) + 40));
            match kind {
                0 => bytes[low] = byte,
                1 => bytes[low] = b"()|\";#:@ \n%_"[usize::from(byte) % 12],
                2 => { bytes.drain(low..high); }
                3 => { let piece = bytes[low..high].to_vec(); bytes.splice(b..b, piece); }
                4 => bytes.truncate(bytes.len().saturating_sub(usize::from(byte))),
                _ => bytes.insert(low, byte),
            }
            if bytes.is_empty() {
                bytes.push(b' ');
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        let mut terms = Terms::new();
        if let Ok(script) = Script::parse(&text, &mut terms) {
            // Names may have come to clash; that is an error, not a broken file.
            if let Ok(emitted) = script.emit(&terms, &EmitOptions::default()) {
                let mut others = Terms::new();
                let again = Script::parse(&emitted, &mut others);
                prop_assert!(again.is_ok(), "{:?}\n{}", again, emitted);
            }
        }
    }

    /// Random words between parentheses.
    #[test]
    fn word_salad_never_panics(words in proptest::collection::vec(
        prop_oneof![
            Just("("), Just(")"), Just("(assert"), Just("(let (("), Just("(_"), Just("(!"), Just("x"),
            Just("|y|"), Just("and"), Just("bvadd"), Just("12"), Just("#x1"), Just(":named"), Just("\"s\""),
            Just("(declare-const x Bool)"), Just("(push 1)"), Just("(pop 1)"), Just("(get-value ("),
            Just("(check-sat-assuming ("), Just(";@(assert-soft x)\n"), Just("extract"), Just("BitVec"),
            Just("(define-fun f ((x Bool)) Bool"), Just("not"), Just("as"), Just("forall"), Just("match"),
        ], 0..30)
    ) {
        let text = words.join(" ");
        let mut terms = Terms::new();
        if let Err(error) = Script::parse(&text, &mut terms) {
            prop_assert!(!error.to_string().contains("defect"), "{}\n{}", error, text);
        }
    }
}
