//! Random scripts with their answers and proofs.

#![allow(dead_code, clippy::unwrap_used)] // each test uses its own part, and helpers of tests are tests too

#[path = "../../../tests/common/cases.rs"]
pub mod cases;
#[path = "../../../tests/common/random.rs"]
pub mod random;
#[path = "../../../tests/common/shapes.rs"]
pub mod shapes;

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use warpath_smt::{Settings, serve};

/// A script, what was answered to each check, and the proof.
pub struct Answered {
    pub script: String,
    pub answers: Vec<String>,
    pub proof: String,
}

impl Answered {
    /// Lets our solver answer.
    pub fn new(script: String) -> Answered {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("{}-{}.proof", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let mut out = Vec::new();
        serve(script.as_bytes(), &mut out, &Settings::default().with_proof(Some(path.clone()))).unwrap();
        let out = String::from_utf8(out).unwrap();
        let verdicts = ["sat", "unsat", "unknown"];
        let answers = out.lines().filter(|line| verdicts.contains(line)).map(str::to_owned).collect();
        let proof = fs::read_to_string(&path).unwrap();
        fs::remove_file(&path).unwrap();
        Answered { script, answers, proof }
    }

    pub fn random(seed: u64) -> Answered {
        Answered::new(shapes::any(seed).script())
    }

    /// The numbers of the checks with this answer.
    pub fn checks(&self, answer: &str) -> Vec<usize> {
        let numbered = self.answers.iter().enumerate();
        numbered.filter(|(_, given)| *given == answer).map(|(index, _)| index + 1).collect()
    }
}
