//! How fast streams become traces: `cargo run -p warpath-jvm --example lift FOLDER/stream [pinned]`. Seconds are those of
//! the processor, so that what else the machine does counts less.

use warpath_jvm::lift::{LiftOptions, lift};
use warpath_jvm::stream::Reader;
use warpath_trace::header::{Header, Values};

fn main() {
    let Some(path) = std::env::args().nth(1) else { fail("name the stream: FOLDER/stream") };
    let values =
        if std::env::args().nth(2).as_deref() == Some("pinned") { Values::Pinned } else { Values::Symbolic };
    let stream = std::fs::read(&path).unwrap_or_else(|error| fail(error));
    let begun = seconds();
    let mut records = 0_u64;
    let mut reader = Reader::new(&stream).unwrap_or_else(|error| fail(error));
    while reader.next_item().unwrap_or_else(|error| fail(error)).is_some() {
        records += 1;
    }
    let read = seconds() - begun;
    let header = Header { values, ..Header::default() };
    let options = LiftOptions {
        header,
        max_expressions: 1 << 24,
        fail_on_exit: false,
        shared: None,
        flags: Vec::new(),
    };
    let begun = seconds();
    let (lifted, _) = lift(&stream, &options).unwrap_or_else(|error| fail(error));
    let lifting = seconds() - begun;
    let rate = |seconds: f64| records as f64 / seconds / 1e6;
    println!(
        "{records} records: read {:.2} M/s, lifted {:.2} M/s; {} events",
        rate(read),
        rate(lifting),
        lifted.trace.len()
    );
}

/// Time that the processor has spent on us.
fn seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds: f64 = text.split(' ').next().and_then(|first| first.parse().ok()).unwrap_or(0.0);
    nanoseconds / 1e9
}

fn fail(why: impl std::fmt::Display) -> ! {
    eprintln!("{why}");
    std::process::exit(1);
}
