//! Answers SMT-LIB scripts: `decide FILE…` prints what each check came to, and what it cost.
//!
//! For measuring: scripts as `warpath analyze --emit` writes them, beside `z3 FILE` and `yices-smt2 FILE`.

use std::time::Instant;
use warpath_smt_engine::{Engine, Options};
use warpath_solvers::script::{Command, Script};
use warpath_solvers::term::Terms;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path)?;
        let begun = Instant::now();
        let mut terms = Terms::new();
        let script = Script::parse(&text, &mut terms)?;
        let parsed = begun.elapsed();
        let mut engine = Engine::new(Options::default());
        for command in &script.commands {
            match command {
                Command::Assert { term, .. } => engine.assert(&mut terms, *term)?,
                Command::Push { levels } => (0..*levels).for_each(|_| engine.push()),
                Command::Pop { levels } => (0..*levels).for_each(|_| engine.pop()),
                Command::CheckSat => println!("{path}: {:?}", engine.check(&mut terms, &[], &mut || false)?),
                Command::CheckSatAssuming { literals } => {
                    let mut assumed = Vec::new();
                    for literal in literals {
                        let constant = literal.constant;
                        assumed.push(if literal.positive { constant } else { terms.not(constant)? });
                    }
                    println!("{path}: {:?}", engine.check(&mut terms, &assumed, &mut || false)?);
                }
                _ => {}
            }
        }
        let solved = begun.elapsed() - parsed;
        println!("  read in {parsed:.1?}, decided in {solved:.1?}, {:?}", engine.statistics());
    }
    Ok(())
}
