//! A bug in the form in which it is reported.

use std::path::Path;

use serde::Serialize;
use warpath_analyzer::explore::Bug;
use warpath_trace::si::InputValue;

/// One entry of `bugs` in `warpath.explore/1`.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Reported {
    pub(super) kind: String,
    pub(super) message: String,
    #[serde(rename = "where")]
    pub(super) place: String,
    pub(super) threads: Vec<String>,
    pub(super) inputs: serde_json::Map<String, serde_json::Value>,
    pub(super) si: String,
    pub(super) trace: String,
    pub(super) execution: u64,
    pub(super) replayed: bool,
}

impl Reported {
    pub(super) fn new(bug: &Bug, si: &Path, trace: &Path) -> Reported {
        Reported {
            kind: bug.kind.clone(),
            message: bug.message.clone(),
            place: bug.place.clone(),
            threads: bug.threads.clone(),
            inputs: bug.si.inputs.iter().map(|input| (name(input), value(input))).collect(),
            si: si.display().to_string(),
            trace: trace.display().to_string(),
            execution: bug.execution,
            replayed: true,
        }
    }
}

/// `stdin#3` for the fourth of a name.
pub(super) fn name(input: &InputValue) -> String {
    match input.nth {
        0 => input.name.clone(),
        nth => format!("{}#{nth}", input.name),
    }
}

/// The number that the bits are in two's complement, as people write inputs.
pub(super) fn signed(input: &InputValue) -> i128 {
    let unused = 128 - u32::from(input.width);
    (input.value << unused) as i128 >> unused
}

/// A number where JSON's readers agree what it is, else text.
fn value(input: &InputValue) -> serde_json::Value {
    let signed = signed(input);
    match i64::try_from(signed).ok().filter(|small| small.unsigned_abs() < 1 << 53) {
        Some(small) => small.into(),
        None => signed.to_string().into(),
    }
}
