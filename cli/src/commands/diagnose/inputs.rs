//! Which inputs the failure needs: the program is run once more, with inputs of the solver's choice.

use std::time::{Duration, Instant};

use warpath_analyzer::diagnose::{
    DiagnoseError, DiagnoseOptions, Failure, InputCondition, Scope, Shape, input_condition,
};
use warpath_analyzer::explore::Judgement;
use warpath_analyzer::findings::Property;
use warpath_trace::si::InputValue;

use super::gather::{Again, Gathered, Tools, Wanted, explored, forest_of, scope_of};
use crate::present::diagnosis::{InputsOf, ScopeOf};
use crate::present::inputs;

/// Of the time for everything that part is for this, if the program has inputs.
const PART: u32 = 4;

/// The time that causes and repairs should leave for this.
pub(super) fn spare(tools: &Tools<'_>, gathered: &Gathered) -> Duration {
    let all = tools.config.bounds.time.filter(|_| is_asked(tools, gathered));
    all.map_or(Duration::ZERO, |all| all / PART)
}

/// Is it to be found out at all?
fn is_asked(tools: &Tools<'_>, gathered: &Gathered) -> bool {
    tools.config.inputs && !gathered.inputs.is_empty()
}

/// Works out which inputs the failure needs; `None` if there are none.
pub(super) fn needed(
    tools: &Tools<'_>,
    gathered: &Gathered,
    failure: &Failure,
    options: &DiagnoseOptions,
    began: Instant,
) -> anyhow::Result<Option<InputsOf>> {
    if !is_asked(tools, gathered) || tools.cancel.is_cancelled() {
        return Ok(None);
    }
    let left = || tools.config.bounds.time.map(|all| all.saturating_sub(began.elapsed()));
    if left().is_some_and(|left| left.is_zero()) {
        let known = Known { kind: gathered.scope, executions: 0, reasons: Vec::new() };
        return Ok(Some(unknown(known, &DiagnoseError::Late)));
    }
    let (free, mut scope) = match (&gathered.again, &gathered.free) {
        (Some(again), _) => {
            let wanted = Wanted { inputs: None, from_failure: true, until_found: Vec::new(), time: left() };
            let explored = explored(tools, again, wanted)?;
            let (forest, trace) = forest_of(&explored)?;
            let executions = explored.statistics.executions + explored.statistics.resumed;
            let kind = scope_of(&explored);
            let reasons = explored.bounds_hit.into_iter().chain(explored.reasons).collect();
            // A run that does not fail this time says nothing.
            if Failure::of(&trace).is_none() {
                return Ok(None);
            }
            (forest, Known { kind, executions, reasons })
        }
        (None, Some(free)) => {
            let known =
                Known { kind: Scope::TraceOnly, executions: gathered.executions, reasons: Vec::new() };
            (free.clone(), known)
        }
        (None, None) => return Ok(None),
    };
    let options = DiagnoseOptions { scope: scope.kind, time: left(), ..options.clone() };
    let open = || Ok(tools.resolved.open(tools.solvers));
    let found = match input_condition(&free, failure, &options, &open) {
        Ok(found) => found,
        Err(error @ (DiagnoseError::Unanswered(_) | DiagnoseError::Late | DiagnoseError::Unknown)) => {
            return Ok(Some(unknown(scope, &error)));
        }
        Err(error) => return Err(error.into()),
    };
    scope.reasons.extend(found.unfinished.clone());
    let others = others(tools, gathered.again.as_ref(), &found, left)?;
    let sentence = sentence(&found, scope.kind, others.as_ref());
    Ok(Some(InputsOf {
        sentence,
        condition: (found.shape != Shape::Any).then(|| found.words()),
        necessary: found.is_necessary,
        sufficient: found.is_sufficient,
        always_fails: found.always_fails,
        others: others.as_ref().map(|others| inputs::values(&others.values)),
        others_pass: others.is_some_and(|others| others.pass),
        scope: scope.written(),
    }))
}

/// Nothing can be said of the inputs, for this reason.
fn unknown(mut known: Known, why: &DiagnoseError) -> InputsOf {
    known.reasons.push(why.to_string());
    let sentence = "which inputs it needs could not be worked out".to_owned();
    InputsOf { sentence, scope: known.written(), ..InputsOf::default() }
}

/// What is known of the program with any inputs.
struct Known {
    kind: Scope,
    executions: u64,
    reasons: Vec<String>,
}

impl Known {
    fn written(self) -> ScopeOf {
        let Known { kind, executions, reasons } = self;
        ScopeOf { kind: super::describe::kind_of(kind).to_owned(), executions, reasons }
    }
}

/// Inputs that do not meet the condition.
struct Others {
    values: Vec<InputValue>,
    /// Those that the condition speaks of.
    mentioned: Vec<InputValue>,
    /// With these the program was run until everything was known, and nothing failed.
    pass: bool,
}

/// Tries inputs that do not meet the condition. Not having this failure, they may have another.
fn others(
    tools: &Tools<'_>,
    again: Option<&Again>,
    found: &InputCondition,
    left: impl Fn() -> Option<Duration>,
) -> anyhow::Result<Option<Others>> {
    let mut first = None;
    for spared in &found.spared {
        let value = |n: usize| InputValue {
            name: found.inputs[n].name.clone(),
            nth: found.inputs[n].nth,
            width: found.inputs[n].width,
            value: spared[n],
        };
        let values: Vec<InputValue> = (0..found.inputs.len()).map(value).collect();
        let mentioned = found.mentions().into_iter().map(value).collect();
        let pass = match again {
            Some(again) if found.is_necessary => passes(tools, again, &values, left())?,
            _ => false,
        };
        let others = Others { values, mentioned, pass };
        if pass {
            return Ok(Some(others));
        }
        first.get_or_insert(others);
    }
    Ok(first)
}

/// Does nothing fail with these inputs, under any schedule?
fn passes(
    tools: &Tools<'_>,
    again: &Again,
    inputs: &[InputValue],
    time: Option<Duration>,
) -> anyhow::Result<bool> {
    let wanted = Wanted {
        inputs: Some(inputs.to_vec()),
        from_failure: false,
        until_found: vec![Property::Deadlock, Property::UseAfterFree],
        time,
    };
    let explored = explored(tools, again, wanted)?;
    Ok(explored.judgement == Judgement::Safe)
}

fn sentence(found: &InputCondition, scope: Scope, others: Option<&Others>) -> String {
    let words = found.words();
    let within = match scope {
        Scope::Exhausted => "",
        Scope::Bounded => ", as far as the runs go",
        Scope::TraceOnly => ", as far as the traces go",
    };
    let first = match (&found.shape, found.is_necessary, found.is_sufficient) {
        (Shape::Any, ..) if found.always_fails => {
            "not input-dependent: it fails whatever the inputs".to_owned()
        }
        (Shape::Any, _, true) => "not input-dependent: with all inputs some schedule fails".to_owned(),
        (Shape::Any, ..) => format!("not input-dependent{within}"),
        (_, true, _) if found.always_fails => {
            let exact = if found.is_sufficient { ", and then under every schedule" } else { "" };
            format!("input-dependent: it can only fail when {words}{exact}")
        }
        (_, true, true) => {
            format!(
                "input-dependent: it can only fail when {words}; with each of these inputs some schedule fails"
            )
        }
        (_, true, false) => {
            format!("input-dependent: it can only fail when {words}; not all of these inputs need fail")
        }
        (_, false, true) => format!(
            "input-dependent{within}: it can fail when {words}; whether it can with other inputs is not known"
        ),
        (_, false, false) => format!("input-dependent{within}: failing inputs are known when {words}"),
    };
    let Some(others) = others else { return first };
    let mut with = inputs::listing(&others.mentioned);
    if others.mentioned.len() < others.values.len() {
        with.push_str(", the other inputs being 0");
    }
    match (others.pass, found.is_necessary) {
        (true, _) => format!("{first}; for example it passes under every schedule with {with}"),
        (false, true) => format!("{first}; for example this failure cannot happen with {with}"),
        (false, false) => format!("{first}; for example no failing schedule is known with {with}"),
    }
}
