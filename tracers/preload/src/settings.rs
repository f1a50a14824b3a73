//! What the environment says.

use core::ffi::CStr;

use warpath_light_format::SEGMENT;

use crate::inputs;

/// How to record.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    /// Segments that a thread's file may have.
    pub(crate) segments: u64,
    /// Overwrite the oldest of them instead of stopping.
    pub(crate) ring: bool,
    /// Record from the start.
    pub(crate) on: bool,
    /// Signal that switches recording off and on; 0 for none.
    pub(crate) signal: i32,
    /// Record so many milliseconds …
    pub(crate) sample_on: u64,
    /// … out of so many; 0: always.
    pub(crate) sample_period: u64,
    /// What of the program's inputs is recorded, as bits of `crate::inputs`.
    pub(crate) inputs: u32,
    /// Bytes of each of them at most.
    pub(crate) input_limit: u64,
}

impl Settings {
    pub(crate) const DEFAULT: Settings = Settings {
        segments: (1 << 30) / SEGMENT as u64,
        ring: false,
        on: true,
        signal: 0,
        sample_on: 0,
        sample_period: 0,
        inputs: 0,
        input_limit: 16 << 20,
    };

    /// From `WARPATH_LIGHT_*`. What makes no sense is complained about and left at its default.
    pub(crate) fn read() -> Settings {
        let mut settings = Settings::DEFAULT;
        if let Some(limit) = variable(c"WARPATH_LIGHT_LIMIT") {
            match size(limit) {
                Some(bytes) => settings.segments = (bytes / SEGMENT as u64).max(2),
                None => refuse(b"WARPATH_LIGHT_LIMIT (a size such as 64M)"),
            }
        }
        settings.ring = variable(c"WARPATH_LIGHT_RING").is_some_and(|value| value != b"0");
        settings.on = variable(c"WARPATH_LIGHT_START").is_none_or(|value| value != b"off");
        if let Some(signal) = variable(c"WARPATH_LIGHT_SIGNAL") {
            match signal {
                b"USR1" | b"SIGUSR1" => settings.signal = libc::SIGUSR1,
                b"USR2" | b"SIGUSR2" => settings.signal = libc::SIGUSR2,
                _ => match number(signal) {
                    Some(signal @ 1..=64) => settings.signal = signal as i32,
                    _ => refuse(b"WARPATH_LIGHT_SIGNAL (USR1, USR2 or a number)"),
                },
            }
        }
        if let Some(sample) = variable(c"WARPATH_LIGHT_SAMPLE") {
            let mut parts = sample.splitn(2, |byte| *byte == b'/');
            match (parts.next().and_then(number), parts.next().and_then(number)) {
                (Some(on), Some(period)) if on > 0 && on < period => {
                    settings.sample_on = on;
                    settings.sample_period = period;
                }
                _ => refuse(
                    b"WARPATH_LIGHT_SAMPLE (milliseconds recorded / milliseconds in all, such as 100/1000)",
                ),
            }
        }
        if let Some(wanted) = variable(c"WARPATH_LIGHT_INPUTS") {
            for word in wanted.split(|byte| *byte == b',').filter(|word| !word.is_empty()) {
                settings.inputs |= match word {
                    b"args" => inputs::ARGUMENTS,
                    b"env" => inputs::ENVIRONMENT,
                    b"stdin" => inputs::STDIN,
                    b"files" => inputs::FILES,
                    b"sockets" => inputs::SOCKETS,
                    b"all" => u32::MAX,
                    _ => {
                        refuse(
                            b"WARPATH_LIGHT_INPUTS (args, env, stdin, files, sockets or all, with commas)",
                        );
                        0
                    }
                };
            }
        }
        if let Some(limit) = variable(c"WARPATH_LIGHT_INPUT_LIMIT") {
            match size(limit) {
                Some(bytes) => settings.input_limit = bytes,
                None => refuse(b"WARPATH_LIGHT_INPUT_LIMIT (a size such as 16M)"),
            }
        }
        settings
    }
}

fn refuse(what: &[u8]) {
    crate::files::complain(b"warpath: not understood, and left out: ", what);
}

/// A variable of the environment.
pub(crate) fn variable(name: &CStr) -> Option<&'static [u8]> {
    // SAFETY: the name is terminated; nobody changes the environment while the library is loaded.
    let value = unsafe { libc::getenv(name.as_ptr()) };
    // SAFETY: not null, and terminated.
    (!value.is_null()).then(|| unsafe { CStr::from_ptr(value) }.to_bytes())
}

fn number(text: &[u8]) -> Option<u64> {
    (!text.is_empty()).then_some(())?;
    text.iter().try_fold(0u64, |value, byte| match byte {
        b'0'..=b'9' => value.checked_mul(10)?.checked_add(u64::from(byte - b'0')),
        _ => None,
    })
}

fn size(text: &[u8]) -> Option<u64> {
    let (digits, unit) = match text.split_last()? {
        (b'K' | b'k', digits) => (digits, 1 << 10),
        (b'M' | b'm', digits) => (digits, 1 << 20),
        (b'G' | b'g', digits) => (digits, 1 << 30),
        _ => (text, 1),
    };
    number(digits)?.checked_mul(unit)
}
