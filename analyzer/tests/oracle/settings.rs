//! How much to try, from the environment.

/// How many random programs to try: `WARPATH_ORACLE_PROGRAMS`, else `default`.
pub fn programs(default: u64) -> u64 {
    number("WARPATH_ORACLE_PROGRAMS").unwrap_or(default)
}

/// The seed of the first program, `WARPATH_ORACLE_SEED`; program `n` of a test has the seed `n` higher.
pub fn seed() -> u64 {
    number("WARPATH_ORACLE_SEED").unwrap_or(1)
}

/// How many programs at a time, `WARPATH_ORACLE_JOBS`; by default as many as there are cores.
pub fn jobs() -> u64 {
    let cores = || std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
    number("WARPATH_ORACLE_JOBS").unwrap_or_else(cores).max(1)
}

/// What programs may contain, a mask, `WARPATH_ORACLE_FEATURES`.
pub fn features() -> Option<u32> {
    number("WARPATH_ORACLE_FEATURES").map(|mask| mask as u32)
}

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    let number = text.trim().parse();
    Some(number.unwrap_or_else(|_| panic!("{name} is `{text}`; it should be a number")))
}
