//! How much to try, from the environment.

/// How many random programs to try: `WARPATH_ORACLE_PROGRAMS`, else `default`.
pub fn programs(default: u64) -> u64 {
    number("WARPATH_ORACLE_PROGRAMS").unwrap_or(default)
}

/// The seed of the first program, `WARPATH_ORACLE_SEED`; program `n` of a test has the seed `n` higher.
pub fn seed() -> u64 {
    number("WARPATH_ORACLE_SEED").unwrap_or(1)
}

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    let number = text.trim().parse();
    Some(number.unwrap_or_else(|_| panic!("{name} is `{text}`; it should be a number")))
}
