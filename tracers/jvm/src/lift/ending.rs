//! How a run ends.

use warpath_trace::event::{FailureKind, Op};
use warpath_trace::header::{Footer, Outcome, SharedRange};
use warpath_trace::ids::SourceId;

use super::{LiftError, Lifted, Lifter};
use crate::interpret::{EAGER, Site, State};
use crate::run::{Divergence, End, Failure, Why};
use crate::stream::{Definitions, ObjectRef, Record};

impl Lifter {
    /// A thread died of an exception that nobody caught: that is a failure, where it was thrown.
    pub(super) fn uncaught(
        &mut self,
        definitions: &Definitions,
        t: usize,
        exception: ObjectRef,
        class: &str,
        message: &str,
    ) -> Result<(), LiftError> {
        let message = if message.is_empty() { class.to_owned() } else { format!("{class}: {message}") };
        let message = without_addresses(&message);
        let site = self.threads[t].thrown.get(&exception).copied();
        let site = site.or_else(|| self.threads[t].frames.last().map(|frame| frame.site()));
        let at = match site {
            Some(site) => self.source(definitions, site)?,
            None => SourceId::UNKNOWN,
        };
        self.fail(t, Failure { kind: kind_of(class), message }, at)
    }

    pub(super) fn deadlock(
        &mut self,
        definitions: &Definitions,
        t: usize,
        text: &str,
    ) -> Result<(), LiftError> {
        let _ = definitions;
        // Where the last thread stands that waits.
        let at = self.trace.threads[t].last().map_or(SourceId::UNKNOWN, |event| event.at);
        self.fail(t, Failure { kind: FailureKind::Deadlock, message: text.to_owned() }, at)
    }

    fn fail(&mut self, t: usize, failure: Failure, at: SourceId) -> Result<(), LiftError> {
        let message = self.text(&failure.message)?;
        self.push(t, Op::Failure { kind: failure.kind, message, address: None }, at)?;
        self.end = Some(End::Failed(failure));
        Ok(())
    }

    /// The program or the agent has ended the run.
    pub(super) fn ended(&mut self, record: &Record) {
        let end = match record {
            Record::Exited { status } => End::Exited(i32::try_from(*status).unwrap_or(i32::MAX)),
            Record::Stop { why, text } => End::Stopped(match why.as_str() {
                "events" => Why::Events(text.parse().unwrap_or(0)),
                "assumption" => Why::Assumption,
                "interrupted" => Why::Interrupted,
                _ => Why::Diverged(Box::new(Divergence(text.clone()))),
            }),
            _ => return,
        };
        self.end.get_or_insert(end);
    }

    /// The stream is over: threads that had not ended have come to where they next need a turn.
    pub(super) fn close(&mut self, definitions: &Definitions) -> Result<(), LiftError> {
        self.add_threads(definitions)?;
        let failed = matches!(self.end, Some(End::Failed(_)));
        for t in 0..self.threads.len() {
            if self.symbolic && !failed {
                self.interpreter(definitions, t).advance(EAGER)?;
                self.flush(definitions, t)?;
            }
            let thread = &mut self.threads[t];
            let (lost, guesses) = (thread.lost.len() as u64, std::mem::take(&mut thread.guesses));
            for (count, what) in [
                (lost, "method executions that were not followed to their end"),
                (guesses, "tests of types whose outcome was guessed"),
            ] {
                if count > 0 {
                    *self.approximations.entry(what.to_owned()).or_default() += count;
                }
            }
        }
        Ok(())
    }

    pub(super) fn finish(mut self, definitions: &Definitions) -> Result<Lifted, LiftError> {
        let (shared, usage) = self.shared(definitions);
        if self.options.fail_on_exit
            && let Some(End::Exited(status)) = self.end
            && status != 0
            && !self.trace.threads.is_empty()
        {
            let message = format!("exit status {status}");
            self.fail(0, Failure { kind: FailureKind::Exit(status), message }, SourceId::UNKNOWN)?;
        }
        let outcome = match &self.end {
            Some(End::Exited(status)) => Outcome::Exited(*status),
            Some(End::Failed(failure)) => Outcome::Failed(failure.kind),
            Some(End::Stopped(_)) => Outcome::Stopped,
            None => Outcome::Unknown,
        };
        self.doubt_all(definitions);
        let mut approximations = Vec::new();
        for (what, count) in std::mem::take(&mut self.approximations) {
            approximations.push((self.text(&what)?, count));
        }
        let flags = self.known_flags(definitions)?;
        let mut sharing: Vec<SharedRange> = self
            .locations
            .values()
            .chain(&flags)
            .map(|location| {
                let location = &self.trace.tables.locations()[location.index()];
                SharedRange { object: location.object, offset: 0, size: location.size.into() }
            })
            .collect();
        sharing.sort_unstable();
        self.trace.sharing = sharing;
        let events = self.trace.len();
        self.trace.footer = Some(Footer { outcome, events, approximations });
        let sites: Vec<Site> = self.threads.iter().flat_map(|thread| thread.lost.iter().copied()).collect();
        let lost = sites
            .into_iter()
            .map(|site| {
                let method = definitions.method(site.method);
                let line = method.code().map_or(0, |code| code.line(site.pc));
                format!("{} at offset {} (line {line})", method.full_name(), site.pc)
            })
            .collect();
        debug_assert!(
            self.symbolic || self.threads.iter().flat_map(|t| &t.frames).all(|f| f.state == State::Lost)
        );
        let is_faithful = self.promoted.is_faithful() && self.are_flags_known();
        Ok(Lifted { trace: self.trace, end: self.end, shared, usage, lost, is_faithful })
    }
}

/// Without what the JVM adds to the names of lambdas, and without their hash codes: they say where it keeps them, and
/// differ from run to run.
pub fn without_addresses(message: &str) -> String {
    const LAMBDA: &str = "$$Lambda";
    let mut parts = message.split(LAMBDA);
    let mut plain = parts.next().unwrap_or("").to_owned();
    for part in parts {
        plain.push_str(LAMBDA);
        let rest = part.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '$' || c == '/');
        let rest = rest
            .strip_prefix('@')
            .map_or(rest, |hash| hash.trim_start_matches(|c: char| c.is_ascii_hexdigit()));
        plain.push_str(rest);
    }
    plain
}

/// What kind of failure it is to die of an exception of this class.
fn kind_of(class: &str) -> FailureKind {
    match class {
        "java.lang.NullPointerException" => FailureKind::NullDereference,
        "java.lang.ArrayIndexOutOfBoundsException"
        | "java.lang.IndexOutOfBoundsException"
        | "java.lang.StringIndexOutOfBoundsException" => FailureKind::OutOfBounds,
        "java.lang.ArithmeticException" => FailureKind::Arithmetic,
        _ if class.ends_with("AssertionError") || class.ends_with("AssertionFailedError") => {
            FailureKind::Assertion
        }
        _ => FailureKind::UncaughtException,
    }
}

#[cfg(test)]
mod tests {
    use super::without_addresses;

    #[test]
    fn lambdas_are_called_the_same_in_every_run() {
        let message = "Task A$$Lambda$22/0x00007fdabc001c60@75437611 rejected from B$$Lambda/0x7f1 and C";
        assert_eq!(without_addresses(message), "Task A$$Lambda rejected from B$$Lambda and C");
        assert_eq!(without_addresses("no such thing"), "no such thing");
    }
}
