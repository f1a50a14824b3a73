//! Violations that a few events make together, and how to ask for them: one group of candidates in a question, or
//! many groups one after the other on one formula, so that one solver process answers them all.

use warpath_solvers::term::{TermError, TermId};
use warpath_solvers::{Query, Smt};

use super::ask::{Question, Verdict};
use super::survey::Survey;
use super::witness::Observed;
use crate::answer::{Execution, Final};
use crate::encode::{Encoding, Options};
use crate::model::NodeId;

/// A way in which `N` events violate a property.
pub(crate) trait Violation<const N: usize> {
    /// The nodes that [`term`](Violation::term) speaks of.
    fn cone(&self, survey: &Survey<'_>, member: [NodeId; N]) -> Vec<NodeId>;

    /// These events violate it.
    fn term(
        &self,
        survey: &Survey<'_>,
        encoding: &mut Encoding<'_>,
        member: [NodeId; N],
    ) -> Result<TermId, TermError>;

    /// The question in words.
    fn describe(&self, survey: &Survey<'_>, options: &Options, members: &[[NodeId; N]]) -> String;

    /// Is there a [`witness`](Violation::witness) to look for?
    const IS_WITNESSED: bool = false;

    /// A part of the observed run that shows it, if that is easily found.
    fn witness(&self, _: &mut Observed<'_>, _: [NodeId; N]) -> Option<Execution> {
        None
    }

    /// Does an execution show it that was found so, and ends so?
    fn is_shown(&self, _: &Survey<'_>, _: &Final, _: [NodeId; N]) -> bool {
        false
    }

    /// Some of these events violate it.
    fn any(
        &self,
        survey: &Survey<'_>,
        encoding: &mut Encoding<'_>,
        members: &[[NodeId; N]],
    ) -> Result<TermId, TermError> {
        let ways: Result<Vec<TermId>, TermError> =
            members.iter().map(|&member| self.term(survey, encoding, member)).collect();
        encoding.terms.or(&ways?)
    }

    /// Can some of these events violate it?
    fn question<'f>(
        &self,
        survey: &Survey<'f>,
        options: Options,
        members: &[[NodeId; N]],
    ) -> Result<Question<'f>, TermError> {
        let cone: Vec<NodeId> = members.iter().flat_map(|&member| self.cone(survey, member)).collect();
        let described = self.describe(survey, &options, members);
        Question::new(survey.forest, options, &cone, described, |encoding| {
            Ok(vec![self.any(survey, encoding, members)?])
        })
    }
}

/// Many questions on one formula. Each has a switch, assumed to be on when it is asked: what a solver learns from
/// one question then stays for the next.
pub(crate) struct Battery<'f> {
    formula: Question<'f>,
    switches: Vec<TermId>,
}

impl<'f> Battery<'f> {
    /// One question for each list of candidates.
    pub(crate) fn of<const N: usize>(
        survey: &Survey<'f>,
        options: Options,
        violation: &impl Violation<N>,
        lists: &[&[[NodeId; N]]],
    ) -> Result<Battery<'f>, TermError> {
        let members = lists.iter().flat_map(|list| list.iter());
        let mut cone: Vec<NodeId> = members.flat_map(|&member| violation.cone(survey, member)).collect();
        cone.sort_unstable();
        cone.dedup();
        let encoding = Encoding::new(survey.forest, options, &cone)?;
        let (formula, switches) = Question::switched(encoding, String::new(), |encoding| {
            lists.iter().map(|list| violation.any(survey, encoding, list)).collect()
        })?;
        Ok(Battery { formula, switches })
    }

    /// Gives the formula to the solver that will be asked.
    pub(crate) fn begin(&self, smt: &mut dyn Smt) {
        self.formula.assert_whole(smt);
    }

    /// Asks the question of the n-th list.
    pub(crate) fn ask(&mut self, n: usize, smt: &mut dyn Smt, query: &Query) -> Result<Verdict, TermError> {
        let query = query.clone().assuming([self.switches[n]]);
        Ok(self.formula.solve_asserted(smt, &query)?.0)
    }
}
