//! Solver processes that serve many questions: starting one takes longer than most answers on small programs.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use warpath_solvers::term::Terms;
use warpath_solvers::{Answer, Query, Smt, SolverChoice, Solvers, Stack, Statistics};

/// Idle solvers by name.
pub struct Pool {
    solvers: Solvers,
    idle: Mutex<BTreeMap<String, Vec<Box<dyn Smt>>>>,
}

impl Pool {
    pub fn new(solvers: Solvers) -> Arc<Pool> {
        Arc::new(Pool { solvers, idle: Mutex::default() })
    }

    /// A solver that knows nothing; it comes back when it is dropped.
    pub fn open(self: &Arc<Pool>, name: &str) -> Box<dyn Smt> {
        let idle = self.idle.lock().expect("nobody panics with it").get_mut(name).and_then(Vec::pop);
        let mut smt = idle.unwrap_or_else(|| {
            let choice = SolverChoice::named(name);
            self.solvers.open(&choice).unwrap_or_else(|error| panic!("{error}; run scripts/setup"))
        });
        smt.change_arena();
        // What stands on the first level could not be taken back.
        smt.push();
        Box::new(Borrowed { name: name.to_owned(), smt: Some(smt), pool: Arc::clone(self) })
    }
}

struct Borrowed {
    name: String,
    /// Gone only while it is being given back.
    smt: Option<Box<dyn Smt>>,
    pool: Arc<Pool>,
}

impl Borrowed {
    fn smt(&self) -> &dyn Smt {
        &**self.smt.as_ref().expect("it is given back last")
    }

    fn smt_mut(&mut self) -> &mut dyn Smt {
        &mut **self.smt.as_mut().expect("it is given back last")
    }
}

impl Smt for Borrowed {
    fn describe(&self) -> String {
        self.smt().describe()
    }

    fn stack(&self) -> &Stack {
        self.smt().stack()
    }

    fn stack_mut(&mut self) -> &mut Stack {
        self.smt_mut().stack_mut()
    }

    fn check(&mut self, terms: &Terms, query: &Query) -> Answer {
        self.smt_mut().check(terms, query)
    }

    fn statistics(&self) -> Statistics {
        self.smt().statistics()
    }

    fn default_timeout(&self) -> Duration {
        self.smt().default_timeout()
    }
}

impl Drop for Borrowed {
    fn drop(&mut self) {
        if let (Some(smt), Ok(mut idle)) = (self.smt.take(), self.pool.idle.lock()) {
            idle.entry(std::mem::take(&mut self.name)).or_default().push(smt);
        }
    }
}
