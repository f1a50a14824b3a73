//! A folder in which a solver's processes keep what they were asked and why they said `unsat`.
//!
//! Each process has a script, which it writes itself from what it reads, and a proof. What we keep is which of its checks
//! were answered `unsat` *to us*: a proof of these, and not of what the process says it has proved, is what our
//! conclusions need.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;

use crate::answer::Reason;
use crate::lock::lock;
use crate::term::Sort;

/// Scripts and proofs of the processes of one search, numbered from 1.
#[derive(Debug)]
pub struct Proofs {
    folder: PathBuf,
    /// Of each process, the checks that were answered `unsat`.
    refuted: Mutex<Vec<BTreeSet<usize>>>,
}

/// What one process was asked, and what it has to have proved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptProof {
    /// What the process was told.
    pub script: PathBuf,
    /// Why it said `unsat`.
    pub proof: PathBuf,
    /// The checks of the script that it answered with `unsat`, counted from 1.
    pub refuted: BTreeSet<usize>,
}

impl Proofs {
    /// Files will be in this folder, which is there, and has none of an earlier search.
    pub fn within(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), refuted: Mutex::default() }
    }

    /// Where the files are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The processes that have answered `unsat` so far. Others have nothing to prove.
    pub fn kept(&self) -> Vec<KeptProof> {
        let refuted = lock(&self.refuted);
        let numbered = refuted.iter().enumerate().filter(|(_, checks)| !checks.is_empty());
        let kept = |(index, checks): (usize, &BTreeSet<usize>)| KeptProof {
            script: self.path(index, "smt2"),
            proof: self.path(index, "proof"),
            refuted: checks.clone(),
        };
        numbered.map(kept).collect()
    }

    /// A process is about to be started.
    pub(crate) fn begin(self: &Arc<Self>) -> Keeper {
        let mut refuted = lock(&self.refuted);
        refuted.push(BTreeSet::new());
        Keeper { proofs: Arc::clone(self), index: refuted.len() - 1, checks: 0, sorts: FxHashMap::default() }
    }

    fn path(&self, index: usize, ending: &str) -> PathBuf {
        self.folder.join(format!("{}.{ending}", index + 1))
    }
}

/// Keeps count of what one process is told.
#[derive(Debug)]
pub(crate) struct Keeper {
    proofs: Arc<Proofs>,
    index: usize,
    checks: usize,
    /// Of every constant it was ever told of, also if it has forgotten it.
    sorts: FxHashMap<String, Sort>,
}

impl Keeper {
    /// Takes note of declarations; `false` if one gives another sort to a constant of before. A solver does not mind once
    /// it has forgotten that, but scripts that are checked must not have it.
    pub(crate) fn can_declare(&mut self, mut constants: impl Iterator<Item = (String, Sort)>) -> bool {
        constants.all(|(symbol, sort)| *self.sorts.entry(symbol).or_insert(sort) == sort)
    }

    /// What makes the process write its files.
    pub(crate) fn arguments(&self) -> Result<[String; 2], Reason> {
        let argument = |option: &str, ending: &str| {
            let path = self.proofs.path(self.index, ending);
            let text = path.to_str().map(|text| format!("--{option}={text}"));
            text.ok_or_else(|| Reason::CannotStart {
                reason: format!("{} is not UTF-8 text", path.display()),
            })
        };
        Ok([argument("transcript", "smt2")?, argument("proof", "proof")?])
    }

    /// A check was answered; `None` for `unknown`.
    pub(crate) fn answered(&mut self, verdict: Option<bool>) {
        self.checks += 1;
        if verdict == Some(false)
            && let Some(refuted) = lock(&self.proofs.refuted).get_mut(self.index)
        {
            refuted.insert(self.checks);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_keeps_its_sort() {
        let mut keeper = Arc::new(Proofs::within("kept")).begin();
        let mut declares = |symbol: &str, sort| keeper.can_declare([(symbol.to_owned(), sort)].into_iter());
        assert!(declares("x1", Sort::Bool) && declares("x2", Sort::Int) && declares("x1", Sort::Bool));
        assert!(!declares("x1", Sort::Int));
    }

    #[test]
    fn what_was_answered_unsat_is_kept_by_process_and_check() {
        let proofs = Arc::new(Proofs::within("kept"));
        let (mut first, mut second) = (proofs.begin(), proofs.begin());
        for verdict in [Some(true), Some(true), None] {
            first.answered(verdict);
        }
        for verdict in [Some(false), Some(true), Some(false)] {
            second.answered(verdict);
        }
        let kept = KeptProof {
            script: "kept/2.smt2".into(),
            proof: "kept/2.proof".into(),
            refuted: BTreeSet::from([1, 3]),
        };
        assert_eq!(proofs.kept(), [kept]);
        assert_eq!(
            second.arguments(),
            Ok(["--transcript=kept/2.smt2".to_owned(), "--proof=kept/2.proof".to_owned()])
        );
    }
}
