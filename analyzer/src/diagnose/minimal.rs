//! A minimal cause with few questions, for schedules with many orderings.
//!
//! Leaving out one ordering after the other, the least preferred first, takes a question for each of them. The same
//! result is found by bisection (as QuickXplain does; Junker, AAAI 2004): the shortest list of preferred orderings that
//! rules out passing ends with one that is needed; it is kept, and what comes before it is shortened again. That takes
//! some questions for each ordering of the cause, not of the schedule. What the result is does not depend on the
//! answers' models and cores: these only save questions.

use super::DiagnoseError;
use super::causes::{Chosen, Search};
use super::session::{Assumed, Wanted};

impl Search<'_, '_> {
    /// Of the sets of orderings of a failing schedule after which nothing passes and of which each is needed, the one
    /// without the least preferred; `None` if something passes with all of them.
    pub(super) fn minimal(&mut self, of: &Chosen) -> Result<Option<Chosen>, DiagnoseError> {
        let mut cause: Vec<usize> = Vec::new();
        // With this many of the schedule's orderings and the cause so far, nothing passes.
        let Some(mut enough) = self.shorter(of, of.len(), &cause)?.err() else { return Ok(None) };
        loop {
            // With this many, something does.
            let mut short = match self.shorter(of, 0, &cause)? {
                Ok(kept) => kept,
                Err(_) => break,
            };
            while short + 1 < enough {
                let half = short + (enough - short) / 2;
                match self.shorter(of, half, &cause)? {
                    Ok(kept) => short = kept.min(enough - 1),
                    Err(still) => enough = still,
                }
            }
            cause.push(of[enough - 1]);
            enough -= 1;
        }
        cause.sort_unstable();
        Ok(Some(cause))
    }

    /// Does something pass with the first so many orderings and these? If so, how many more of the first it has; if
    /// not, how few of the first are enough for that.
    fn shorter(
        &mut self,
        of: &Chosen,
        count: usize,
        these: &[usize],
    ) -> Result<Result<usize, usize>, DiagnoseError> {
        let holds = |orderings: &[usize]| orderings.iter().map(|&n| Assumed::Holds(n)).collect::<Vec<_>>();
        let assumed = holds(&[&of[..count], these].concat());
        Ok(match self.ask(Wanted::Passing, &assumed)? {
            Ok(model) => {
                let so = self.session.is_so(&model, &holds(&of[count..]));
                self.saw_passing(so.iter().filter(|so| !**so).count(), model);
                Ok(count + so.iter().take_while(|so| **so).count())
            }
            Err(core) => {
                let is_used = |n: &usize| core.contains(&Assumed::Holds(*n)) && !these.contains(n);
                Err(of[..count].iter().rposition(is_used).map_or(0, |last| last + 1))
            }
        })
    }
}
