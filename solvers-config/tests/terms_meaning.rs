//! Terms mean the same however they are built, written and read.

#![allow(clippy::unwrap_used)] // helpers of tests

mod terms_support;

use proptest::prelude::*;
use terms_support::{Leaves, make, model, recipe, value_of};
use warpath_solvers::script::{Command, EmitOptions, Script};
use warpath_solvers::term::{
    EvalError, Evaluator, MissingConstant, Model, Op, Simplification, Sort, TermId, Terms, Value, eval,
};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// The simplifier may change how a term looks, never what it means.
    #[test]
    fn simplification_keeps_the_meaning(
        recipe in recipe(60),
        raw in proptest::collection::vec(any::<u128>(), 1..12),
    ) {
        let plain = make(&recipe, Simplification::Off, Leaves::Constants);
        let simple = make(&recipe, Simplification::On, Leaves::Constants);
        prop_assert_eq!(&plain.constants, &simple.constants);
        let values = model(&plain, &raw);
        let mut of_plain = Evaluator::new(&plain.terms, &values);
        let mut of_simple = Evaluator::new(&simple.terms, &values);
        for (&a, &b) in plain.all.iter().zip(&simple.all) {
            prop_assert_eq!(plain.terms.sort(a), simple.terms.sort(b));
            match (of_plain.value(a), of_simple.value(b)) {
                // An intermediate overflow may have been simplified away; nothing else may differ.
                (Err(EvalError::IntOverflow { .. }), _) => {}
                (plain, simple) => prop_assert_eq!(plain, simple),
            }
        }
    }

    /// Printed and read back, terms have the same values; printed again, they are the same text.
    #[test]
    fn scripts_survive_printing_and_reading(
        recipe in recipe(60),
        raw in proptest::collection::vec(any::<u128>(), 1..12),
        off in any::<bool>(),
    ) {
        let simplification = if off { Simplification::Off } else { Simplification::On };
        let made = make(&recipe, simplification, Leaves::Constants);
        let mut script = Script::new();
        script.comment("one line\nand another: é");
        let mut named = 0;
        for &term in &made.all {
            if made.terms.sort(term) == Sort::Bool {
                named += 1;
                script.assert_named(term, &format!("assertion {named}"));
            }
        }
        script.check();
        script.get_values(&made.all);
        let options = EmitOptions::default();
        let text = script.emit(&made.terms, &options).unwrap();
        prop_assert_eq!(&text, &script.emit(&made.terms, &options).unwrap());

        let mut read = Terms::with_simplification(Simplification::Off);
        let back = Script::parse(&text, &mut read).unwrap();
        prop_assert_eq!(&back.header, &script.header);
        let asked = back.commands.iter().find_map(|command| match command {
            Command::GetValue { terms } => Some(terms.clone()),
            _ => None,
        });
        let asked = asked.unwrap();
        prop_assert_eq!(asked.len(), made.all.len());

        let values = model(&made, &raw);
        let translated: Model = values
            .iter()
            .filter_map(|(id, value)| {
                let name = made.terms.name(id).unwrap();
                read.find_constant(name).map(|id| (id, value))
            })
            .collect();
        let mut before = Evaluator::new(&made.terms, &values);
        let mut after = Evaluator::new(&read, &translated);
        for (&a, &b) in made.all.iter().zip(&asked) {
            prop_assert_eq!(before.value(a), after.value(b));
        }

        // Read without simplification, an unsimplified script is the same script.
        let again = back.emit(&read, &options).unwrap();
        let mut third = Terms::with_simplification(Simplification::Off);
        let once_more = Script::parse(&again, &mut third).unwrap();
        prop_assert_eq!(again, once_more.emit(&third, &options).unwrap());
    }

    /// Declarations and definitions follow the levels of the assertion stack: the reader, which
    /// refuses a symbol outside its scope, understands every assertion as it was meant.
    #[test]
    fn incremental_scripts_survive_printing_and_reading(
        recipe in recipe(40),
        raw in proptest::collection::vec(any::<u128>(), 1..12),
        moves in proptest::collection::vec((0..5_u8, any::<usize>()), 1..60),
    ) {
        let made = make(&recipe, Simplification::On, Leaves::Constants);
        let truths: Vec<TermId> = made
            .all
            .iter()
            .copied()
            .filter(|&id| made.terms.sort(id) == Sort::Bool)
            .collect();
        let mut script = Script::new();
        let mut open = 0;
        for (kind, number) in moves {
            match kind {
                0 => {
                    let levels = number as u32 % 3;
                    open += levels;
                    script.commands.push(Command::Push { levels });
                }
                1 => {
                    let levels = number as u32 % (open + 1);
                    open -= levels;
                    script.commands.push(Command::Pop { levels });
                }
                2 => {
                    script.check();
                    script.get_values(&[made.all[number % made.all.len()]]);
                }
                3 if number % 8 == 0 => {
                    open = 0;
                    script.commands.push(Command::ResetAssertions);
                }
                _ => script.assert(truths[number % truths.len()]),
            }
        }
        let text = script.emit(&made.terms, &EmitOptions::default()).unwrap();
        let mut read = Terms::with_simplification(Simplification::Off);
        let back = Script::parse(&text, &mut read).unwrap();
        let values = model(&made, &raw);
        let translated: Model = values
            .iter()
            .filter_map(|(id, value)| {
                let name = made.terms.name(id).unwrap();
                read.find_constant(name).map(|id| (id, value))
            })
            .collect();
        let spoken = |script: &Script| -> Vec<TermId> {
            script
                .commands
                .iter()
                .filter(|command| matches!(command, Command::Assert { .. } | Command::GetValue { .. }))
                .flat_map(Command::terms)
                .collect()
        };
        let (ours, theirs) = (spoken(&script), spoken(&back));
        prop_assert_eq!(ours.len(), theirs.len());
        for (a, b) in ours.into_iter().zip(theirs) {
            prop_assert_eq!(eval(&made.terms, &values, a), eval(&read, &translated, b), "{}", text);
        }
    }

    /// Values survive printing and reading.
    #[test]
    fn values_survive_printing(width in 1..=128_u32, raw in any::<u128>(), int in any::<i128>()) {
        for value in [value_of(Sort::Bits(width), raw), Value::Int(int), Value::Bool(raw & 1 == 1)] {
            prop_assert_eq!(Value::parse(&value.to_string()), Ok(value));
        }
    }
}

#[test]
fn division_by_zero_and_long_shifts_follow_the_standard() {
    let mut terms = Terms::with_simplification(Simplification::Off);
    let mut value = |op, a: u128, b: u128| {
        let a = terms.bits(a, 8).unwrap();
        let b = terms.bits(b, 8).unwrap();
        let term = terms.apply(op, &[a, b]).unwrap();
        eval(&terms, &Model::new(), term).unwrap().as_bits().unwrap()
    };
    assert_eq!(value(Op::BvUdiv, 5, 0), 0xff);
    assert_eq!(value(Op::BvUrem, 5, 0), 5);
    assert_eq!(value(Op::BvSdiv, 5, 0), 0xff);
    assert_eq!(value(Op::BvSdiv, 0xfb, 0), 1);
    assert_eq!(value(Op::BvSrem, 0xfb, 0), 0xfb);
    assert_eq!(value(Op::BvSmod, 0xfb, 0), 0xfb);
    assert_eq!(value(Op::BvSdiv, 0x80, 0xff), 0x80);
    assert_eq!(value(Op::BvSrem, 0xfb, 3), 0xfe);
    assert_eq!(value(Op::BvSmod, 0xfb, 3), 1);
    assert_eq!(value(Op::BvShl, 1, 8), 0);
    assert_eq!(value(Op::BvLshr, 0x80, 200), 0);
    assert_eq!(value(Op::BvAshr, 0x80, 200), 0xff);
    assert_eq!(value(Op::BvAshr, 0x40, 8), 0);
}

#[test]
fn wide_vectors_are_built_and_printed_but_not_evaluated() {
    let mut terms = Terms::new();
    let wide = terms.constant("wide", Sort::Bits(4096)).unwrap();
    assert!(terms.constant("wider", Sort::Bits(4097)).is_err());
    let sum = terms.apply(Op::BvAdd, &[wide, wide]).unwrap();
    assert!(terms.apply(Op::Concat, &[wide, wide]).is_err());
    assert!(terms.apply(Op::Repeat(2), &[wide]).is_err());
    assert!(terms.apply(Op::ZeroExtend(u16::MAX), &[wide]).is_err());
    let mut model = Model::new();
    assert_eq!(eval(&terms, &model, sum), Err(EvalError::UnsupportedWidth { width: 4096 }));
    model.set(wide, Value::Bits { width: 4096, value: 0 });
    assert_eq!(eval(&terms, &model, sum), Err(EvalError::UnsupportedWidth { width: 4096 }));
    // Narrow parts that together are too wide.
    let a = terms.constant("a", Sort::Bits(128)).unwrap();
    let both = terms.apply(Op::Concat, &[a, a]).unwrap();
    let bit = terms.apply(Op::Extract { high: 200, low: 200 }, &[both]).unwrap();
    model.set(a, Value::Bits { width: 128, value: 1 });
    assert_eq!(eval(&terms, &model, bit), Err(EvalError::UnsupportedWidth { width: 256 }));
}

#[test]
fn models_are_checked() {
    let mut terms = Terms::new();
    let x = terms.constant("x", Sort::Bits(8)).unwrap();
    let zero = terms.bits(0, 8).unwrap();
    let is_zero = terms.eq(x, zero).unwrap();
    let mut model = Model::new();
    assert_eq!(eval(&terms, &model, is_zero), Err(EvalError::MissingValue { name: "x".into() }));
    let completed = Evaluator::new(&terms, &model).missing(MissingConstant::Default).value(is_zero);
    assert_eq!(completed, Ok(Value::Bool(true)));
    model.set(x, Value::Bool(true));
    assert!(matches!(eval(&terms, &model, is_zero), Err(EvalError::WrongSort { .. })));
    // Stray bits above the width do not count.
    model.set(x, Value::Bits { width: 8, value: 0x100 });
    assert_eq!(eval(&terms, &model, is_zero), Ok(Value::Bool(true)));
}

#[test]
fn integers_that_leave_the_range_are_an_error_not_a_wrong_value() {
    for simplification in [Simplification::On, Simplification::Off] {
        let mut terms = Terms::with_simplification(simplification);
        let most = terms.int(i128::MAX).unwrap();
        let one = terms.int(1).unwrap();
        let sum = terms.add(&[most, one]).unwrap();
        assert_eq!(eval(&terms, &Model::new(), sum), Err(EvalError::IntOverflow { op: Op::Add }));
    }
}
