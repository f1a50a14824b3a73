//! Records a Java program: `cargo run -p warpath-jvm --example record run.wpt java -cp classes Main`.

use std::fs::File;

use warpath_jvm::run::{JvmProgram, Plan, Policy, RunOptions};
use warpath_trace::binary::WriterOptions;

fn main() {
    let mut words = std::env::args().skip(1);
    let Some(path) = words.next() else { fail("name a file for the trace, and the command") };
    let mut program = JvmProgram::new(words.collect()).unwrap_or_else(|error| fail(error));
    let options = RunOptions { check_expressions: true, ..RunOptions::default() };
    let run =
        program.record(&Plan::by_policy(options, Policy::RunToBlock)).unwrap_or_else(|error| fail(error));
    run.trace.check().unwrap_or_else(|error| fail(error));
    let file = File::create(&path).unwrap_or_else(|error| fail(error));
    run.trace.write(file, WriterOptions::default()).unwrap_or_else(|error| fail(error));
    println!("{:?}: {} events in {path}", run.end, run.trace.len());
    for place in run.lost {
        println!("not followed: {place}");
    }
}

fn fail(why: impl std::fmt::Display) -> ! {
    eprintln!("{why}");
    std::process::exit(1);
}
