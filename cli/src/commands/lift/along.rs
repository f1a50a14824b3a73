//! Runs along the recorded synchronisation, one after the other until one ends as the recorded one did.

use std::time::Instant;

use warpath_native::run::{End, Follow, Guide, Guided, Pace, Plan, Policy, Run, RunOptions, Why};

use super::target::Target;
use crate::runs::Subject;

/// Runs by lot, after those in which what was not recorded is done as late and as early as it can be.
const DRAWN: u64 = 30;

/// What bounds the runs.
pub(super) struct Bounds {
    pub(super) until: Option<Instant>,
    pub(super) executions: Option<u64>,
}

/// The best run so far.
pub(super) struct Best {
    pub(super) run: Run,
    pub(super) guided: Guided,
    /// It ended as the recorded one did.
    pub(super) met: bool,
    /// How many runs were made.
    pub(super) attempts: u64,
}

impl Bounds {
    pub(super) fn is_hit(&self, executions: u64) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
            || self.executions.is_some_and(|most| executions >= most)
    }
}

/// Makes them.
pub(super) fn runs(
    program: &mut Subject,
    guide: &Guide,
    options: &RunOptions,
    target: &Target,
    bounds: &Bounds,
) -> anyhow::Result<Option<Best>> {
    let mut best: Option<Best> = None;
    let mut steps = 0;
    for attempt in 0..DRAWN + 2 {
        if best.is_some() && bounds.is_hit(attempt) {
            break;
        }
        let (pace, policy) = match attempt {
            0 => (Pace::Late, Policy::RunToBlock),
            1 => (Pace::Early, Policy::RunToBlock),
            seed if seed % 2 == 0 => (Pace::Late, Policy::Random { seed }),
            seed => (Pace::Late, Policy::Pct { seed, depth: 3, steps }),
        };
        let follow = Follow::along(guide.clone().at_pace(pace));
        let run = program.record(&Plan { options: options.clone(), follow, policy })?;
        steps = steps.max(run.trace.len());
        let guided = run.guided.clone().unwrap_or_default();
        let interrupted = matches!(run.end, End::Stopped(Why::Interrupted));
        let cut = matches!(run.end, End::Stopped(_));
        let met = !cut && target.is_met(&run.trace);
        let attempts = attempt + 1;
        let better = best.as_ref().is_none_or(|best| met || guided.taken > best.guided.taken);
        match &mut best {
            Some(best) if !better => best.attempts = attempts,
            _ => best = Some(Best { run, guided, met, attempts }),
        }
        // A run that is cut shows nothing that another of its kind would not show.
        if met || interrupted || cut {
            break;
        }
        if *target == Target::Unknown {
            break;
        }
    }
    Ok(best)
}
