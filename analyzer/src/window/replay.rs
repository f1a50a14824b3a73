//! From a window's schedule to one of the whole program: the recorded run up to the window, then what was found.

use warpath_trace::event::{Op, Verb};
use warpath_trace::header::MemoryModel;
use warpath_trace::order::ordered_location;
use warpath_trace::si::{Expected, InputValue, Si, Step, Visible};

use super::cut::Window;
use super::recorded::Recorded;
use super::state::State;
use crate::encode::is_buffered;

impl Recorded<'_> {
    /// The schedule and the inputs of a finding in a window, from the start of the program on.
    ///
    /// Under sequential consistency what comes before the window is written as runs (`T0 *17`), which say the same in
    /// fewer lines; under TSO and PSO step by step, because it matters when writes take effect.
    pub fn complete(&self, window: &Window, found: &Si) -> Si {
        let mut si = found.clone();
        si.schedule = match self.model {
            MemoryModel::Sc => self.runs(window),
            MemoryModel::Tso | MemoryModel::Pso => self.steps(window),
        };
        si.schedule.extend(found.schedule.iter().cloned());
        si.inputs = self.inputs(window);
        si.inputs.extend(found.inputs.iter().cloned());
        si
    }

    /// Visible events of one thread after the other.
    fn runs(&self, window: &Window) -> Vec<Step> {
        let mut runs: Vec<(warpath_trace::ids::ThreadIx, u32)> = Vec::new();
        for &(thread, index) in &self.steps[..window.events.start as usize] {
            if !happened(&self.event(thread, index).op) {
                continue;
            }
            match runs.last_mut() {
                Some((last, count)) if *last == thread => *count += 1,
                _ => runs.push((thread, 1)),
            }
        }
        let step = |(thread, count)| Step {
            thread: self.trace.tables.key(thread).clone(),
            what: Visible::Any(count),
        };
        runs.into_iter().map(step).collect()
    }

    /// Every visible event, and every commit: as recorded, or at once where the recording has none; what is in a
    /// buffer when the window begins is flushed then.
    fn steps(&self, window: &Window) -> Vec<Step> {
        let tables = &self.trace.tables;
        let commits_at_once = self.trace.header.model == MemoryModel::Sc;
        let mut steps = Vec::new();
        let commit = |location| Expected { verb: Verb::Commit, location: Some(location), place: None };
        for &(thread, index) in &self.steps[..window.events.start as usize] {
            let event = self.event(thread, index);
            if !happened(&event.op) {
                continue;
            }
            let mut push = |what| {
                steps.push(Step { thread: tables.key(thread).clone(), what: Visible::Event(what) });
            };
            push(Expected::of(tables, &self.trace.threads[thread.index()], event));
            if commits_at_once && is_buffered(self.model, &event.op) {
                push(commit(
                    ordered_location(&event.op).map_or_else(String::new, |id| tables.location_name(id)),
                ));
            }
        }
        let mut state = State::new(self);
        state.advance(window.events.start);
        for write in state.storage.unflushed() {
            let what = Visible::Event(commit(tables.location_name(write.location)));
            steps.push(Step { thread: tables.key(write.thread).clone(), what });
        }
        steps
    }

    /// The inputs taken before the window.
    fn inputs(&self, window: &Window) -> Vec<InputValue> {
        let tables = &self.trace.tables;
        let taken = self.steps[..window.events.start as usize].iter().filter_map(|&(thread, index)| {
            let Op::Input { input, value } = self.event(thread, index).op else { return None };
            let entry = &tables.inputs()[input.index()];
            let name = tables.text(entry.name).into_owned();
            Some(InputValue { name, nth: entry.nth, width: entry.width, value })
        });
        taken.collect()
    }
}

/// Is it a step of the schedule? A wait that had not ended with the trace is none.
fn happened(op: &Op) -> bool {
    op.is_visible() && !op.is_pending()
}
