//! `docs/json.md` against what the command really writes: every field documented, with its type, and none invented.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;

use crate::run::repository;

/// A format's fields as documented: path (`a.b[].c`) to allowed types; and which of them need not be there.
struct Documented {
    types: BTreeMap<String, Vec<String>>,
    optional: BTreeSet<String>,
}

/// Reads the table below the heading `` ## `FORMAT` ``: `` | `path` | type or type, optional | meaning | ``.
fn documented(format: &str) -> Documented {
    let text = fs::read_to_string(repository().join("docs/json.md")).expect("docs/json.md");
    let mut types = BTreeMap::new();
    let mut optional = BTreeSet::new();
    let section = text.split("\n## ").find(|section| section.starts_with(&format!("`{format}`")));
    let section = section.unwrap_or_else(|| panic!("docs/json.md has no section `{format}`"));
    for row in section.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let path = cells[1].trim_matches('`').to_owned();
        let (kinds, remark) = cells[2].split_once(", ").unwrap_or((cells[2], ""));
        if remark == "optional" {
            optional.insert(path.clone());
        }
        types.insert(path, kinds.split(" or ").map(str::to_owned).collect());
    }
    assert!(!types.is_empty(), "docs/json.md describes no field of `{format}`");
    Documented { types, optional }
}

/// Asserts that `value` has exactly the documented fields of its `format`.
///
/// `seen` values of one format may be given together: an array that is empty in one of them may be full in another.
#[track_caller]
pub(crate) fn check(format: &str, seen: &[Value]) {
    let documented = documented(format);
    let mut met = BTreeSet::new();
    for value in seen {
        assert_eq!(value["format"], format);
        walk("", value, &documented, &mut met);
    }
    let missing: Vec<_> = documented
        .types
        .keys()
        .filter(|path| !met.contains(*path) && !documented.optional.contains(*path))
        .collect();
    assert!(missing.is_empty(), "{format}: documented but not written: {missing:?}");
}

fn walk(path: &str, value: &Value, documented: &Documented, met: &mut BTreeSet<String>) {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    if !path.is_empty() {
        let Some(kinds) = documented.types.get(path) else { panic!("written but not documented: {path}") };
        assert!(kinds.iter().any(|documented| documented == kind), "{path} is {kind}, documented: {kinds:?}");
        met.insert(path.to_owned());
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| match item {
            Value::Object(_) => walk_fields(&format!("{path}[]"), item, documented, met),
            _ => walk(&format!("{path}[]"), item, documented, met),
        }),
        // `map` types hold names of the program, not of the format.
        Value::Object(fields) if documented.types.contains_key(&format!("{path}.*")) => {
            fields.values().for_each(|field| walk(&format!("{path}.*"), field, documented, met));
        }
        Value::Object(_) => walk_fields(path, value, documented, met),
        _ => {}
    }
}

fn walk_fields(path: &str, value: &Value, documented: &Documented, met: &mut BTreeSet<String>) {
    for (name, field) in value.as_object().into_iter().flatten() {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        walk(&path, field, documented, met);
    }
}
