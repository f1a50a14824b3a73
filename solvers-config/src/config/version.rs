//! Version numbers as solvers print them.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer};

/// A version: numbers separated by dots, compared number by number. Missing numbers count as zero.
#[derive(Debug, Clone)]
pub struct Version(Vec<u64>);

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        let length = self.0.len().max(other.0.len());
        let numbers = |version: &Self| -> Vec<u64> {
            version.0.iter().copied().chain(std::iter::repeat(0)).take(length).collect()
        };
        numbers(self).cmp(&numbers(other))
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Version {}

impl Version {
    /// The first version number after the given text: `4.8.12` in `Z3 version 4.8.12 - 64 bit` after `Z3 version`.
    pub fn find(text: &str, after: &str) -> Option<Self> {
        let rest = &text[text.find(after)? + after.len()..];
        let start = rest.find(|c: char| c.is_ascii_digit())?;
        rest[start..].parse().ok()
    }
}

impl FromStr for Version {
    type Err = String;

    /// Reads the leading numbers and ignores what follows them (`1.4.2-modified`, `2.6.5.post24`).
    fn from_str(text: &str) -> Result<Self, String> {
        let mut numbers = Vec::new();
        for part in text.trim().split('.') {
            let digits = part.split(|c: char| !c.is_ascii_digit()).next().unwrap_or("");
            match digits.parse() {
                Ok(number) => numbers.push(number),
                Err(_) => break,
            }
            if digits.len() < part.len() {
                break;
            }
        }
        if numbers.is_empty() {
            return Err(format!("`{text}` is not a version number such as 4.8.12"));
        }
        Ok(Self(numbers))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.0.iter().map(u64::to_string).collect();
        out.write_str(&numbers.join("."))
    }
}

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_solvers_print() {
        let find = |text, after| Version::find(text, after).map(|version| version.to_string());
        assert_eq!(find("Z3 version 4.8.12 - 64 bit", "Z3 version").as_deref(), Some("4.8.12"));
        assert_eq!(
            find("This is cvc5 version 1.4.2-modified [git]", "cvc5 version").as_deref(),
            Some("1.4.2")
        );
        assert_eq!(find("Yices 2.6.5\nCopyright", "Yices").as_deref(), Some("2.6.5"));
        assert_eq!(find("0.9.1", "").as_deref(), Some("0.9.1"));
        assert_eq!(find("usage: none", ""), None);
    }

    #[test]
    fn order_is_by_number_not_by_text() {
        let version = |text: &str| text.parse::<Version>().unwrap();
        assert!(version("4.15.1") > version("4.8.12"));
        assert!(version("3.2") > version("1.5.118"));
        assert_eq!(version("3.2"), version("3.2.0"));
        assert!(version("5") > version("4.15"));
    }
}
