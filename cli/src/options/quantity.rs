//! Durations and sizes as people write them.

use std::num::NonZeroUsize;
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serializer};

/// Longer than any run; above it arithmetic on instants could overflow.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);

/// `30`, `30s`, `500ms`, `5m`, `2h`: a duration above zero.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a duration: write 30s, 500ms, 5m or 2h");
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let amount: u64 = digits.parse().map_err(|_| wrong())?;
    let milliseconds = match &text[digits.len()..] {
        "ms" => Some(amount),
        "" | "s" => amount.checked_mul(1_000),
        "m" => amount.checked_mul(60_000),
        "h" => amount.checked_mul(3_600_000),
        _ => return Err(wrong()),
    };
    match milliseconds.map(Duration::from_millis) {
        Some(Duration::ZERO) => Err("the duration must be above zero".into()),
        Some(duration) if duration <= LONGEST => Ok(duration),
        _ => Err(format!("`{text}` is longer than a year")),
    }
}

/// `4096`, `512K`, `512M`, `4G`: a number of bytes above zero, in steps of 1024.
pub(crate) fn parse_bytes(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is not a size: write 4096, 512M or 4G");
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let amount: u64 = digits.parse().map_err(|_| wrong())?;
    let scale: u64 = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 1,
        "K" | "KB" | "KIB" => 1 << 10,
        "M" | "MB" | "MIB" => 1 << 20,
        "G" | "GB" | "GIB" => 1 << 30,
        _ => return Err(wrong()),
    };
    match amount.checked_mul(scale) {
        Some(0) => Err("the size must be above zero".into()),
        Some(bytes) => Ok(bytes),
        None => Err(format!("`{text}` is more than a 64-bit machine has")),
    }
}

/// `--jobs`: a number of workers from 1; `0` means one per core.
pub(crate) fn parse_jobs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Ok(thread::available_parallelism().map_or(1, NonZeroUsize::get)),
        Ok(jobs @ 1..=1024) => Ok(jobs),
        _ => Err(format!("`{text}` is not a number from 0 (one per core) to 1024")),
    }
}

/// Durations in `-vv` and JSON are whole milliseconds.
pub(crate) fn whole_millis<S: Serializer>(duration: &Duration, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u64(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}

/// And back.
pub(crate) fn from_millis<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    Ok(Duration::from_millis(u64::deserialize(from)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn units() {
        assert_eq!(parse_duration("30"), Ok(Duration::from_secs(30)));
        assert_eq!(parse_duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_duration("5m"), Ok(Duration::from_secs(300)));
        assert_eq!(parse_duration("2h"), Ok(Duration::from_secs(7200)));
        assert_eq!(parse_bytes("512M"), Ok(512 << 20));
        assert_eq!(parse_bytes("4g"), Ok(4 << 30));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "s", "0", "0ms", "-1s", "1.5s", "3 s", "9d", "18446744073709551615h", "µs", "5µ"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
        for text in ["", "G", "0", "-1", "17179869185G", "1T", "é"] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
        for text in ["", "-1", "1025", "x"] {
            assert!(parse_jobs(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_typed_there_is_an_answer(text in "\\PC*") {
            let _ = (parse_duration(&text), parse_bytes(&text), parse_jobs(&text));
        }
    }
}
