//! Groups of candidates that the observed run settles: nothing is asked about them.

use super::checker::{CheckError, Checker, Describe, Hunt};
use crate::answer::{Execution, Final, Reference};
use crate::model::NodeId;
use crate::queries::groups::Group;
use crate::queries::survey::Survey;
use crate::queries::violation::Violation;
use crate::queries::witness::Observed;

/// How many candidates of a group are tried. Those that were near each other are the likely ones; a solver decides
/// about the group if none of them is shown.
const TRIES: usize = 16;

impl<'f> Checker<'f, '_> {
    /// Reports the groups that a part of the observed run shows to be possible, and notes which they are.
    pub(super) fn show_groups<const N: usize, V: Violation<N>>(
        &mut self,
        groups: &[Group<N>],
        hunt: &mut Hunt<'_, V, impl Describe<'f, N>>,
    ) -> Result<(), CheckError> {
        let Hunt { violation, describe, found } = hunt;
        let formula = self.options.formula;
        if !self.options.witnesses || !V::IS_WITNESSED || groups.is_empty() {
            return Ok(());
        }
        let Some(mut observed) = Observed::of(self.survey.forest, &formula) else {
            return Ok(());
        };
        for (group, shown) in groups.iter().zip(found).filter(|(_, found)| !**found) {
            if self.options.cancel.is_cancelled() {
                break;
            }
            for &member in group.members.iter().take(TRIES) {
                let Some(execution) = violation.witness(&mut observed, member) else { continue };
                let Some(end) = self.executed(*violation, &execution, member) else { continue };
                *shown = true;
                self.statistics.witnessed += 1;
                let what = describe(&self.survey, &execution, &end, &[member]);
                let script = |survey: &Survey<'f>| violation.question(survey, formula, &[member])?.script();
                self.found(&execution, what, script)?;
                break;
            }
        }
        Ok(())
    }

    /// What is left when the execution has been executed; `None`, and a note in the books, if that does not show
    /// the violation.
    fn executed<const N: usize, V: Violation<N>>(
        &mut self,
        violation: &V,
        execution: &Execution,
        member: [NodeId; N],
    ) -> Option<Final> {
        let run = Reference::run(self.survey.forest, &self.options.formula, execution);
        let end = run.ok().filter(|end| violation.is_shown(&self.survey, end, member));
        self.statistics.refused += u64::from(end.is_none());
        end
    }
}
