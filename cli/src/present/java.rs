//! What of a Java trace reads better otherwise: names of classes without packages, objects instead of the numbers that
//! stand for them.

use warpath_jvm::interpret::number_of_object;
use warpath_trace::trace::Trace;

/// Was it recorded from a Java program?
pub(crate) fn is_java(trace: &Trace) -> bool {
    trace.header.tracer == "warpath-jvm"
}

/// `lock "monitor(Object@T0:1)"` of `lock "monitor(java.lang.Object@T0:1)"`: a table has no room for packages.
pub(super) fn unqualified(text: &str) -> String {
    let mut short = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let begins = !short.ends_with(|last: char| last.is_alphanumeric() || "._$".contains(last));
        if begins && let Some(class) = behind_package(rest) {
            rest = class;
        } else {
            short.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    short
}

/// What follows a package in front of the name of a class.
fn behind_package(text: &str) -> Option<&str> {
    let mut rest = text;
    while rest.starts_with(|first: char| first.is_lowercase()) {
        let (part, behind) = rest.split_once('.')?;
        if !part.chars().all(|letter| letter.is_alphanumeric() || letter == '_') {
            return None;
        }
        rest = behind;
    }
    (rest.len() < text.len() && rest.starts_with(char::is_uppercase)).then_some(rest)
}

/// The object that a value stands for, if the trace knows anything of it.
pub(super) fn object(trace: &Trace, value: u128) -> Option<String> {
    let value = u64::try_from(value).ok()?;
    let names = trace.tables.objects().iter().map(|object| trace.tables.text(object.name));
    let mut objects = names.filter_map(|name| {
        let at = name.find('@')?;
        let digits = at + name[at..].find(':')? + 1;
        let end = name[digits..].find(|letter: char| !letter.is_ascii_digit()).unwrap_or(name.len() - digits);
        Some(name[..digits + end].to_owned())
    });
    objects.find(|name| number_of_object(name) == value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_left_out_and_nothing_else() {
        for (text, short) in [
            ("lock \"monitor(java.lang.Object@T0:1)\"", "lock \"monitor(Object@T0:1)\""),
            ("w \"a.b_c.Outer$Inner@T0.1:5.field\" 3", "w \"Outer$Inner@T0.1:5.field\" 3"),
            ("r Point.plain.x 0", "r Point.plain.x 0"),
            ("r \"int[]@T0:7[3]\" 0", "r \"int[]@T0:7[3]\" 0"),
            ("r plain.field 0", "r plain.field 0"),
            ("sem-wait \"permit(T0.0)\" @Main.java:3", "sem-wait \"permit(T0.0)\" @Main.java:3"),
            ("w Länge.é 1", "w Länge.é 1"),
            ("", ""),
        ] {
            assert_eq!(unqualified(text), short);
        }
    }
}
