//! The run as a whole, along one that another recorder has seen (`schedule/guide.rs`).

use warpath_trace::si::Expected;

use super::action::Action;
use super::drive::Planned;
use super::error::RunError;
use super::machine::Machine;
use super::perform::Ability;
use super::schedule::{Choice, Chooser, Guide, Pace, Place, Policy, Turn};

/// Free steps of one thread in a row after which another one goes: who spins would spin for ever.
const PATIENCE: u64 = 20_000;

/// Where every thread stands with respect to what was recorded. Kept between turns: a thread that has not moved is
/// about to do the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Standings {
    placed: Vec<Option<(Action, Place)>>,
    last: usize,
    streak: u64,
}

/// A thread that could have the next turn.
struct Candidate {
    thread: usize,
    /// The recorded step that it takes, or before which it stands.
    rank: usize,
    free: bool,
    yielded: bool,
}

impl Machine {
    /// Whose turn it is: who takes the next recorded step, or does something free.
    pub(super) fn guided(&mut self, guide: &mut Guide, chooser: &mut Chooser) -> Result<Planned, RunError> {
        self.catch_up(guide);
        loop {
            let choices = self.choices();
            let mut candidates = Vec::new();
            let mut leaves = None;
            for choice in &choices {
                let t = choice.thread;
                if matches!(self.threads[t].pending(), Some(Action::Exit(_))) {
                    leaves = Some(t);
                    continue;
                }
                let place = self.recorded_place(guide, t)?;
                if let Some(candidate) = self.candidate(guide, choice, place) {
                    candidates.push(candidate);
                }
            }
            if let (None, Some(t)) = (guide.next(), leaves) {
                // Nothing is left that was recorded: what others would still do does not matter.
                return Ok(Planned::Turn(Turn::Step(t)));
            }
            if let Some(step) = guide.next()
                && self.threads.iter().any(|thread| thread.key == *guide.thread(step) && !thread.alive())
            {
                self.give_up(guide, step);
                continue;
            }
            if let Some(t) = self.pick(guide, chooser, &candidates) {
                return Ok(Planned::Turn(self.go_ahead(guide, t)));
            }
            // Whoever can only go on because time passes, and is not spoken of.
            if let Some(t) = self.earliest(&choices) {
                return Ok(Planned::Turn(self.go_ahead(guide, t)));
            }
            if choices.iter().any(|choice| choice.ability == Ability::Outside) && self.wait_outside()? {
                return Ok(Planned::Turn(Turn::Again));
            }
            match guide.next() {
                Some(step) => self.give_up(guide, step),
                None => return Ok(Planned::Over),
            }
        }
    }

    /// Events that happened beside the threads' turns, such as those before `main`.
    fn catch_up(&mut self, guide: &mut Guide) {
        for thread in &mut self.threads {
            let trace = &self.recorder.trace;
            let events = &trace.threads[thread.ix.index()];
            for event in
                events[thread.accounted.min(events.len())..].iter().filter(|event| event.op.is_visible())
            {
                let happened = Expected::of(&trace.tables, events, event);
                let place = guide.place(&thread.key, &happened);
                happens(guide, place);
            }
            thread.accounted = events.len();
        }
    }

    /// Where what a thread is about to do has its place.
    fn recorded_place(&mut self, guide: &mut Guide, t: usize) -> Result<Place, RunError> {
        let placed = &mut self.standings.placed;
        if placed.len() <= t {
            placed.resize(t + 1, None);
        }
        let Some(action) = self.threads[t].pending() else { return Ok(Place::Free) };
        if let Some((before, place)) = &placed[t]
            && before == action
        {
            return Ok(*place);
        }
        let action = action.clone();
        let place = match self.about_to(t)? {
            Some(found) => guide.place(&self.threads[t].key, &found),
            None => Place::Free,
        };
        self.standings.placed[t] = Some((action, place));
        Ok(place)
    }

    fn candidate(&self, guide: &Guide, choice: &Choice, place: Place) -> Option<Candidate> {
        let Choice { thread, ability, yielded, .. } = *choice;
        let (rank, free) = match place {
            Place::Step(step) => {
                let in_time = match ability {
                    Ability::Now => true,
                    Ability::AtDeadline(_) => guide.timed_out(step),
                    _ => false,
                };
                if !in_time || guide.next() != Some(step) {
                    return None;
                }
                (step, false)
            }
            Place::Free | Place::Unrecorded(_) => {
                if ability != Ability::Now {
                    return None;
                }
                (guide.next_of(&self.threads[thread].key).unwrap_or(usize::MAX), true)
            }
        };
        Some(Candidate { thread, rank, free, yielded })
    }

    fn pick(&mut self, guide: &Guide, chooser: &mut Chooser, candidates: &[Candidate]) -> Option<usize> {
        if candidates.is_empty() {
            return None;
        }
        if matches!(chooser.policy(), Policy::Random { .. } | Policy::Pct { .. }) {
            let able = |candidate: &Candidate| Choice {
                thread: candidate.thread,
                ability: Ability::Now,
                yielded: candidate.yielded,
                commits: Vec::new(),
            };
            let choices: Vec<Choice> = candidates.iter().map(able).collect();
            return match chooser.choose(&choices) {
                Turn::Step(t) => Some(t),
                _ => candidates.first().map(|candidate| candidate.thread),
            };
        }
        let (last, tired) = (self.standings.last, self.standings.streak >= PATIENCE);
        let key = |candidate: &&Candidate| {
            let Candidate { thread, rank, free, yielded } = **candidate;
            let waits = yielded || (tired && thread == last);
            match guide.pace() {
                Pace::Late => (waits, false, rank, thread),
                Pace::Early => (waits, !free, usize::from(thread != last), thread),
            }
        };
        let chosen = candidates.iter().min_by_key(key)?.thread;
        self.standings.streak = if chosen == last { self.standings.streak + 1 } else { 0 };
        self.standings.last = chosen;
        Some(chosen)
    }

    /// Who waits for a moment that comes first, and for nothing that was recorded.
    fn earliest(&self, choices: &[Choice]) -> Option<usize> {
        let free = |t: usize| !matches!(self.standings.placed.get(t), Some(Some((_, Place::Step(_)))));
        let timed = choices.iter().filter_map(|choice| match choice.ability {
            Ability::AtDeadline(time) if free(choice.thread) => Some((time, choice.thread)),
            _ => None,
        });
        timed.min().map(|(_, thread)| thread)
    }

    fn go_ahead(&mut self, guide: &mut Guide, t: usize) -> Turn {
        if let Some((_, place)) = self.standings.placed[t].take() {
            happens(guide, place);
        }
        Turn::Step(t)
    }

    /// Nobody can go on, and the next recorded step is not to be had.
    fn give_up(&mut self, guide: &mut Guide, step: usize) {
        let key = guide.thread(step).clone();
        let found = match self.threads.iter().position(|thread| thread.key == key) {
            None => format!("there is no thread {key}"),
            Some(t) if !self.threads[t].alive() => format!("{key} has ended"),
            Some(t) => {
                if let Some(placed) = self.standings.placed.get_mut(t)
                    && let Some((_, place)) = placed
                    && *place == Place::Step(step)
                {
                    // It does it when it can.
                    *place = Place::Free;
                }
                format!("{key} {}", self.obstacle(t))
            }
        };
        guide.give_up(step, &found);
    }
}

/// What has this place happens now.
fn happens(guide: &mut Guide, place: Place) {
    match place {
        Place::Step(step) => guide.take(step),
        Place::Unrecorded(verb) => guide.count_unrecorded(verb),
        Place::Free => {}
    }
}
