//! Which logic a solver is told, by its configuration.

use crate::config::Logics;
use crate::script::Logic;

/// The smallest logic that holds both; `None` is the logic of nothing.
pub(crate) fn join(one: Option<Logic>, other: Logic) -> Logic {
    match (one, other) {
        (None, logic) => logic,
        (Some(one), other) if one == other => one,
        (Some(Logic::All), _) | (_, Logic::All) => Logic::All,
        (Some(Logic::QfIdl), arithmetic @ (Logic::QfLia | Logic::QfNia)) => arithmetic,
        (Some(arithmetic @ (Logic::QfLia | Logic::QfNia)), Logic::QfIdl) => arithmetic,
        (Some(Logic::QfLia), Logic::QfNia) | (Some(Logic::QfNia), Logic::QfLia) => Logic::QfNia,
        _ => Logic::All,
    }
}

/// The name that the solver knows the logic by; the error says what the solver lacks.
pub(crate) fn name<'a>(logic: &Logic, logics: &'a Logics) -> Result<&'a str, &'static str> {
    let (found, lacks) = match logic {
        Logic::QfBv => (&logics.bits, "it has no bit-vectors"),
        // Difference logic is a part of linear arithmetic.
        Logic::QfIdl if logics.difference.is_some() => (&logics.difference, ""),
        Logic::QfIdl | Logic::QfLia => (&logics.linear, "it has no integers"),
        Logic::QfNia => (&logics.nonlinear, "it cannot multiply unknown integers"),
        _ => (&logics.mixed, "it cannot take integers and bit-vectors in one formula"),
    };
    found.as_deref().ok_or(lacks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Catalog;

    const ALL: [Logic; 5] = [Logic::QfBv, Logic::QfIdl, Logic::QfLia, Logic::QfNia, Logic::All];

    #[test]
    fn joining_is_a_least_upper_bound() {
        for a in &ALL {
            assert_eq!(join(None, a.clone()), *a);
            for b in &ALL {
                let both = join(Some(a.clone()), b.clone());
                assert_eq!(both, join(Some(b.clone()), a.clone()), "{a} {b}");
                assert_eq!(join(Some(both.clone()), a.clone()), both, "{a} {b}");
                for c in &ALL {
                    let left = join(Some(both.clone()), c.clone());
                    assert_eq!(left, join(Some(a.clone()), join(Some(b.clone()), c.clone())), "{a} {b} {c}");
                }
            }
        }
    }

    #[test]
    fn a_missing_ability_is_said() {
        let catalog = Catalog::shipped().unwrap();
        let logics = &catalog.solver("bitwuzla").unwrap().logic;
        assert_eq!(name(&Logic::QfIdl, logics), Err("it has no integers"));
        assert_eq!(name(&Logic::QfBv, logics), Ok("QF_BV"));
    }
}
