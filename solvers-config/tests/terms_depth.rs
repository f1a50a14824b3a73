//! Terms a million operations deep, and formulas of as many nodes, on an ordinary stack.

#![allow(clippy::unwrap_used)] // helpers of tests

use warpath_solvers::script::{Command, EmitOptions, Script, ScriptError};
use warpath_solvers::smtlib::{MAX_NESTING, term_text};
use warpath_solvers::term::{Model, Op, Simplification, Sort, TermId, Terms, Value, eval};

const DEEP: usize = 1_000_000;

fn chain(terms: &mut Terms) -> (TermId, TermId, TermId) {
    let x = terms.constant("x", Sort::Bits(32)).unwrap();
    let y = terms.constant("y", Sort::Bits(32)).unwrap();
    let mut sum = x;
    for step in 0..DEEP {
        let op = if step % 2 == 0 { Op::BvAdd } else { Op::BvXor };
        sum = terms.apply(op, &[sum, y]).unwrap();
    }
    (x, y, sum)
}

#[test]
fn a_million_deep_term_is_built_evaluated_printed_read_and_dropped() {
    let mut terms = Terms::with_simplification(Simplification::Off);
    let (x, y, sum) = chain(&mut terms);
    let model: Model =
        [(x, Value::bits(7, 32).unwrap()), (y, Value::bits(12345, 32).unwrap())].into_iter().collect();
    let value = eval(&terms, &model, sum).unwrap();
    let expected = (0..DEEP).fold(7_u32, |sum, step| match step % 2 {
        0 => sum.wrapping_add(12345),
        _ => sum ^ 12345,
    });
    assert_eq!(value.as_bits(), Some(u128::from(expected)));

    let literal = terms.value(value).unwrap();
    let claim = terms.eq(sum, literal).unwrap();
    let mut script = Script::new();
    script.assert(claim);
    script.check();
    let text = script.emit(&terms, &EmitOptions::default()).unwrap();
    let deepest = text
        .bytes()
        .scan(0_u32, |depth, byte| {
            match byte {
                b'(' => *depth += 1,
                b')' => *depth -= 1,
                _ => {}
            }
            Some(*depth)
        })
        .max();
    assert!(deepest <= Some(MAX_NESTING + 3), "{deepest:?}");

    let mut read = Terms::with_simplification(Simplification::Off);
    let back = Script::parse(&text, &mut read).unwrap();
    let again = back.commands.iter().find_map(|command| match command {
        Command::Assert { term, .. } => Some(*term),
        _ => None,
    });
    let model: Model = model
        .iter()
        .map(|(id, value)| {
            let name = terms.name(id).unwrap();
            (read.find_constant(name).unwrap(), value)
        })
        .collect();
    assert_eq!(eval(&read, &model, again.unwrap()), Ok(Value::Bool(true)));
}

/// Written without any names the text nests a million parentheses; it is read all the same.
#[test]
fn a_million_parentheses_are_read() {
    let mut terms = Terms::with_simplification(Simplification::Off);
    let (_, _, sum) = chain(&mut terms);
    let text = format!(
        "(declare-const x (_ BitVec 32))(declare-const y (_ BitVec 32))(assert (= x {}))",
        term_text(&terms, sum)
    );
    let mut read = Terms::with_simplification(Simplification::Off);
    let script = Script::parse(&text, &mut read).unwrap();
    assert_eq!(script.commands.len(), 3);
    assert_eq!(read.len(), terms.len() + 1);
}

#[test]
fn a_flood_of_parentheses_is_an_error() {
    let mut terms = Terms::new();
    for text in ["(".repeat(20_000_000), format!("(assert {}", "(not ".repeat(2_000_000))] {
        assert!(matches!(Script::parse(&text, &mut terms), Err(ScriptError::Malformed { .. })));
    }
    // Where no term is expected, depth must not cost quadratic time either.
    let deep = "(".repeat(DEEP) + &")".repeat(DEEP);
    for text in [format!("(set-info :x {deep})"), format!("(assert (! true :x {deep}))")] {
        assert!(Script::parse(&text, &mut terms).is_ok());
    }
}

#[test]
fn hundreds_of_thousands_of_clauses_are_written_and_read() {
    let mut terms = Terms::new();
    let constants: Vec<TermId> =
        (0..2000).map(|index| terms.constant(&format!("p{index}"), Sort::Bool).unwrap()).collect();
    let mut clauses = Vec::new();
    for index in 0..300_000_usize {
        let a = constants[index % 2000];
        let b = constants[(index / 7) % 1999 + 1];
        let c = constants[(index * 31) % 2000];
        let not_b = terms.not(b).unwrap();
        clauses.push(terms.or(&[a, not_b, c]).unwrap());
    }
    let mut script = Script::new();
    let conjunction = terms.and(&clauses).unwrap();
    script.assert(conjunction);
    script.check();
    let text = script.emit(&terms, &EmitOptions::default()).unwrap();
    let mut read = Terms::new();
    let back = Script::parse(&text, &mut read).unwrap();
    assert_eq!(back.emit(&read, &EmitOptions::default()).unwrap(), text);
}
