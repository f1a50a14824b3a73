//! Our reader and that of `warpath_solvers::script` make the same terms of the same script.

#![allow(clippy::unwrap_used)] // the helpers of tests are tests too

mod common;

use common::cases::{Case, Step};
use common::{Behind, expressions, shapes};
use warpath_solvers::script::{Command, EmitOptions, Script};
use warpath_solvers::smtlib::sexpr::{Sexpr, SexprLimits};
use warpath_solvers::smtlib::term_text;
use warpath_solvers::term::Terms;

fn script_of(case: &Case) -> Script {
    let mut script = Script::new();
    for step in &case.steps {
        match step {
            Step::Push => script.commands.push(Command::Push { levels: 1 }),
            Step::Pop => script.commands.push(Command::Pop { levels: 1 }),
            Step::Assert { term, name: None } => script.assert(*term),
            Step::Assert { term, name: Some(name) } => script.assert_named(*term, name),
            Step::Soft { .. } | Step::Check { .. } => {}
        }
    }
    script
}

#[test]
fn both_readers_make_the_same_terms() {
    for seed in 0..600 {
        let case = shapes::any(seed);
        let script = script_of(&case);
        let text = script.emit(&case.terms, &EmitOptions::default()).unwrap();
        let mut terms = Terms::new();
        let theirs = Script::parse(&text, &mut terms).unwrap();
        // Ask after each command, because a pop takes assertions away.
        let mut live: Vec<String> = Vec::new();
        let mut levels = Vec::new();
        for command in &theirs.commands {
            match command {
                Command::Push { .. } => levels.push(live.len()),
                Command::Pop { .. } => live.truncate(levels.pop().unwrap()),
                Command::Assert { term, .. } => live.push(term_text(&terms, *term)),
                _ => {}
            }
        }
        let said = Behind::Engine.answers(format!("{text}(get-assertions)").as_bytes());
        let answers = expressions(&said);
        assert_eq!(answers.len(), 1, "seed {seed}: {said}");
        let ours = Sexpr::parse(answers[0].as_bytes(), SexprLimits::default()).unwrap();
        let ours: Vec<String> = ours.as_list().unwrap().iter().map(Sexpr::to_string).collect();
        assert_eq!(ours, live, "seed {seed}:\n{text}");
    }
}
