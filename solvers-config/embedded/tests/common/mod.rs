//! What the tests share. Others may reuse it: [`cases`] makes random queries, [`processes`] asks other solvers.

#![allow(dead_code, clippy::unwrap_used)] // each test uses its own part, and helpers of tests are tests too

pub mod cases;
pub mod processes;
pub mod random;
pub mod shapes;
pub mod standin;

use processes::Process;
use standin::StandIn;
use std::cell::RefCell;
use std::rc::Rc;
use warpath_smt::{Settings, serve, serve_with};
use warpath_solvers::smtlib::sexpr::{Progress, SexprLimits, SexprScanner};

/// What decides behind the front end.
pub enum Behind {
    Engine,
    StandIn(Rc<RefCell<Process>>),
}

impl Behind {
    /// z3.
    pub fn stand_in() -> Self {
        Behind::StandIn(Rc::new(RefCell::new(Process::z3())))
    }

    /// Everything our solver answers to a script, in this process.
    pub fn answers(&self, script: &[u8]) -> String {
        let (mut out, settings) = (Vec::new(), Settings::default());
        match self {
            Behind::Engine => serve(script, &mut out, &settings).unwrap(),
            Behind::StandIn(z3) => {
                let mut make = |_| StandIn::new(Rc::clone(z3));
                serve_with(script, &mut out, &settings, &mut make).unwrap();
            }
        }
        String::from_utf8(out).unwrap()
    }
}

/// The top-level expressions of a text.
pub fn expressions(text: &str) -> Vec<String> {
    let mut scanner = SexprScanner::new(SexprLimits::default());
    let mut rest = text.as_bytes();
    let mut found = Vec::new();
    while let Progress::Complete { consumed } = scanner.feed(rest).unwrap() {
        found.push(String::from_utf8(scanner.expression().to_vec()).unwrap());
        rest = &rest[consumed..];
    }
    if scanner.finish().unwrap() {
        found.push(String::from_utf8(scanner.expression().to_vec()).unwrap());
    }
    found
}

/// Whether the long run was asked for.
pub fn nightly() -> bool {
    std::env::var_os("WARPATH_NIGHTLY").is_some_and(|value| value == "1")
}
