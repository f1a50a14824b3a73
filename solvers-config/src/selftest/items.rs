//! The items of the battery. Each gets a fresh session and says: done, not claimed by the solver, or what is wrong.

use std::fmt::Debug;
use std::time::{Duration, Instant};

use super::PATIENCE;
use crate::answer::{Answer, Core, Reason};
use crate::config::Cores;
use crate::optimise::Preference;
use crate::session::Session;
use crate::smt::{Query, Smt};
use crate::term::{Model, Op, Sort, TermError, TermId, Terms, Value};

type Verdict = Result<bool, String>;
type Item = fn(&mut Session) -> Verdict;

pub(super) const ALL: [(&str, Item); 13] = [
    ("sat and unsat", verdicts),
    ("values of Booleans", boolean_values),
    ("values of integers", integer_values),
    ("values of bit-vectors", bit_vector_values),
    ("integers with bit-vectors", mixed_sorts),
    ("push and pop", levels),
    ("assumptions", assumptions),
    ("unsat core of named assertions", named_core),
    ("unsat core of assumptions", assumption_core),
    ("soft constraints", soft_constraints),
    ("odd names", odd_names),
    ("killed at the deadline", deadline),
    ("usable after a kill", restart),
];

fn ask() -> Query {
    Query::within(PATIENCE)
}

fn fault(error: impl Debug) -> String {
    format!("{error:?}")
}

fn bool_constant(terms: &mut Terms, name: &str) -> Result<TermId, String> {
    terms.constant(name, Sort::Bool).map_err(fault)
}

fn expect_sat(answer: Answer) -> Result<Model, String> {
    match answer {
        Answer::Sat(model) => Ok(model),
        other => Err(format!("sat was expected: {other:?}")),
    }
}

fn expect_unsat(answer: Answer) -> Result<Option<Core>, String> {
    match answer {
        Answer::Unsat { core } => Ok(core),
        other => Err(format!("unsat was expected: {other:?}")),
    }
}

fn expect_value(model: &Model, constant: TermId, value: Value) -> Result<(), String> {
    match model.get(constant) {
        Some(found) if found == value => Ok(()),
        found => Err(format!("the value {value} was expected, not {found:?}")),
    }
}

fn verdicts(session: &mut Session) -> Verdict {
    let mut terms = Terms::new();
    let p = bool_constant(&mut terms, "p")?;
    let not_p = terms.not(p).map_err(fault)?;
    session.assert(&terms, p).map_err(fault)?;
    expect_sat(session.check(&terms, &ask()))?;
    session.assert(&terms, not_p).map_err(fault)?;
    expect_unsat(session.check(&terms, &ask()))?;
    Ok(true)
}

fn boolean_values(session: &mut Session) -> Verdict {
    let mut terms = Terms::new();
    let (p, q) = (bool_constant(&mut terms, "p")?, bool_constant(&mut terms, "q")?);
    let differ = terms.xor(p, q).map_err(fault)?;
    session.assert(&terms, differ).map_err(fault)?;
    session.assert(&terms, q).map_err(fault)?;
    let model = expect_sat(session.check(&terms, &ask()))?;
    expect_value(&model, p, Value::Bool(false))?;
    expect_value(&model, q, Value::Bool(true))?;
    Ok(true)
}

/// Asserts `constant = value` for each and expects exactly that.
fn fixed_values(session: &mut Session, values: &[Value]) -> Result<(), String> {
    let mut terms = Terms::new();
    let mut constants = Vec::new();
    for (number, value) in values.iter().enumerate() {
        let constant = terms.constant(&format!("v{number}"), value.sort()).map_err(fault)?;
        let literal = terms.value(*value).map_err(fault)?;
        let equal = terms.eq(constant, literal).map_err(fault)?;
        session.assert(&terms, equal).map_err(fault)?;
        constants.push((constant, *value));
    }
    let model = expect_sat(session.check(&terms, &ask()))?;
    constants.iter().try_for_each(|(constant, value)| expect_value(&model, *constant, *value))
}

fn integer_values(session: &mut Session) -> Verdict {
    if session.solver().config.logic.linear.is_none() {
        return Ok(false);
    }
    let values = [0, 1, -1, 42, i128::from(i64::MAX), i128::from(i64::MIN), 1 << 100].map(Value::Int);
    fixed_values(session, &values).map(|()| true)
}

fn bit_vector_values(session: &mut Session) -> Verdict {
    if session.solver().config.logic.bits.is_none() {
        return Ok(false);
    }
    let widths = [1, 7, 8, 32, 64, 65, 128];
    let values = widths.iter().flat_map(|width| {
        [0, 1, 0xa5a5_5a5a_0f0f_f0f0_1234_5678_9abc_def0, u128::MAX].map(|value| Value::bits(value, *width))
    });
    fixed_values(session, &values.flatten().collect::<Vec<_>>()).map(|()| true)
}

fn mixed_sorts(session: &mut Session) -> Verdict {
    if session.solver().config.logic.mixed.is_none() {
        return Ok(false);
    }
    let values = [Some(Value::Int(-7)), Value::bits(200, 8), Some(Value::Bool(true))];
    fixed_values(session, &values.into_iter().flatten().collect::<Vec<_>>()).map(|()| true)
}

fn levels(session: &mut Session) -> Verdict {
    let mut terms = Terms::new();
    let (p, q) = (bool_constant(&mut terms, "p")?, bool_constant(&mut terms, "q")?);
    let (not_p, either) = (terms.not(p).map_err(fault)?, terms.or(&[p, q]).map_err(fault)?);
    session.assert(&terms, either).map_err(fault)?;
    for _ in 0..3 {
        session.push();
        session.assert(&terms, not_p).map_err(fault)?;
        expect_value(&expect_sat(session.check(&terms, &ask()))?, q, Value::Bool(true))?;
        session.push();
        session.assert(&terms, p).map_err(fault)?;
        expect_unsat(session.check(&terms, &ask()))?;
        session.pop().map_err(fault)?;
        expect_sat(session.check(&terms, &ask()))?;
        session.pop().map_err(fault)?;
    }
    Ok(true)
}

fn assumptions(session: &mut Session) -> Verdict {
    let mut terms = Terms::new();
    let (p, q) = (bool_constant(&mut terms, "p")?, bool_constant(&mut terms, "q")?);
    let (not_p, not_q) = (terms.not(p).map_err(fault)?, terms.not(q).map_err(fault)?);
    let either = terms.or(&[p, q]).map_err(fault)?;
    let neither = terms.and(&[not_p, not_q]).map_err(fault)?;
    session.assert(&terms, either).map_err(fault)?;
    expect_unsat(session.check(&terms, &ask().assuming([not_p, not_q])))?;
    expect_unsat(session.check(&terms, &ask().assuming([neither])))?;
    let model = expect_sat(session.check(&terms, &ask().assuming([not_p])))?;
    expect_value(&model, q, Value::Bool(true))?;
    expect_sat(session.check(&terms, &ask()))?;
    Ok(true)
}

fn named_core(session: &mut Session) -> Verdict {
    if session.solver().config.abilities.cores == Cores::None {
        return Ok(false);
    }
    let mut terms = Terms::new();
    let (p, q) = (bool_constant(&mut terms, "p")?, bool_constant(&mut terms, "q")?);
    let not_p = terms.not(p).map_err(fault)?;
    session.assert_named(&terms, "needed", p).map_err(fault)?;
    session.assert_named(&terms, "idle", q).map_err(fault)?;
    session.assert_named(&terms, "needed as well", not_p).map_err(fault)?;
    let core = expect_unsat(session.check(&terms, &ask().with_core()))?.ok_or("no core was given")?;
    match core.names.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["needed", "needed as well"] | ["idle", "needed", "needed as well"] => Ok(true),
        _ => Err(format!("the core {:?} is not one", core.names)),
    }
}

fn assumption_core(session: &mut Session) -> Verdict {
    if session.solver().config.abilities.cores == Cores::None {
        return Ok(false);
    }
    let mut terms = Terms::new();
    let names = ["p", "q", "r"];
    let [p, q, r] = names.map(|name| terms.constant(name, Sort::Bool));
    let (p, q, r) = (p.map_err(fault)?, q.map_err(fault)?, r.map_err(fault)?);
    let not_q = terms.not(q).map_err(fault)?;
    let implies = terms.implies(p, q).map_err(fault)?;
    session.assert_named(&terms, "rule", implies).map_err(fault)?;
    let question = ask().assuming([r, p, not_q]).with_core();
    let core = expect_unsat(session.check(&terms, &question))?.ok_or("no core was given")?;
    let enough = core.assumptions.contains(&p) && core.assumptions.contains(&not_q) && core.names == ["rule"];
    if enough { Ok(true) } else { Err(format!("{core:?} is no core")) }
}

fn soft_constraints(session: &mut Session) -> Verdict {
    let mut terms = Terms::new();
    let constants: Result<Vec<TermId>, TermError> =
        (0..6).map(|number| terms.constant(&format!("p{number}"), Sort::Bool)).collect();
    let constants = constants.map_err(fault)?;
    let limit = terms.at_most(2, &constants).map_err(fault)?;
    session.assert(&terms, limit).map_err(fault)?;
    let preferences: Vec<Preference> = constants
        .iter()
        .zip([5, 1, 7, 2, 3, 4])
        .map(|(term, weight)| Preference { term: *term, weight })
        .collect();
    let optimum = session.optimise(&mut terms, &ask(), &preferences);
    match optimum.answer {
        Answer::Sat(_) if optimum.cost == 10 && optimum.proved => Ok(true),
        Answer::Sat(_) => Err(format!("cost {} (proved: {}), not 10", optimum.cost, optimum.proved)),
        other => Err(fault(other)),
    }
}

fn odd_names(session: &mut Session) -> Verdict {
    let mut terms = Terms::new();
    let names = [
        "let",
        "a b",
        "x|y",
        "\\",
        "(",
        "\"",
        "é",
        "",
        "assert",
        "0",
        "a;b",
        "@x",
        ".y",
        "line\nfeed",
        "%41",
    ];
    for (number, name) in names.iter().enumerate() {
        let constant = bool_constant(&mut terms, name)?;
        let formula = if number % 2 == 0 { constant } else { terms.not(constant).map_err(fault)? };
        session.assert_named(&terms, name, formula).map_err(fault)?;
    }
    let model = expect_sat(session.check(&terms, &ask().with_core()))?;
    for (number, name) in names.iter().enumerate() {
        let constant = bool_constant(&mut terms, name)?;
        expect_value(&model, constant, Value::Bool(number % 2 == 0))?;
    }
    Ok(true)
}

/// `pigeons` pigeons in one hole less: no solver here finds that out soon when there are many.
fn pigeons(session: &mut Session, terms: &mut Terms, pigeons: usize) -> Result<(), String> {
    let holes = pigeons - 1;
    let sits = |terms: &mut Terms, pigeon, hole| bool_constant(terms, &format!("p{pigeon} in {hole}"));
    for pigeon in 0..pigeons {
        let somewhere: Result<Vec<TermId>, String> =
            (0..holes).map(|hole| sits(terms, pigeon, hole)).collect();
        let somewhere = terms.or(&somewhere?).map_err(fault)?;
        session.assert(terms, somewhere).map_err(fault)?;
        for other in 0..pigeon {
            for hole in 0..holes {
                let both = [sits(terms, pigeon, hole)?, sits(terms, other, hole)?];
                let both = terms.apply(Op::And, &both).map_err(fault)?;
                let apart = terms.not(both).map_err(fault)?;
                session.assert(terms, apart).map_err(fault)?;
            }
        }
    }
    Ok(())
}

fn killed(session: &mut Session, terms: &Terms) -> Result<(), String> {
    let allowed = Duration::from_millis(500);
    let begun = Instant::now();
    match session.check(terms, &Query::within(allowed)) {
        Answer::Unknown(Reason::Timeout { .. }) => {}
        other => return Err(format!("a timeout was expected: {other:?}")),
    }
    let late = begun.elapsed().saturating_sub(allowed);
    if late > Duration::from_secs(1) {
        return Err(format!("the answer came {} ms after the deadline", late.as_millis()));
    }
    Ok(())
}

fn deadline(session: &mut Session) -> Verdict {
    let mut terms = Terms::new();
    pigeons(session, &mut terms, 16)?;
    killed(session, &terms).map(|()| true)
}

fn restart(session: &mut Session) -> Verdict {
    let mut terms = Terms::new();
    let p = bool_constant(&mut terms, "p")?;
    session.assert(&terms, p).map_err(fault)?;
    session.push();
    pigeons(session, &mut terms, 16)?;
    killed(session, &terms)?;
    session.pop().map_err(fault)?;
    expect_value(&expect_sat(session.check(&terms, &ask()))?, p, Value::Bool(true))?;
    match session.statistics().starts {
        2 => Ok(true),
        starts => Err(format!("{starts} processes were started, not 2")),
    }
}
