//! Casts and tests of types that nobody could decide when they came up: what comes next shows how they went.

use super::advance::EAGER;
use super::frame::{Frame, State};
use super::thread::{Done, Interpreter, Thread};
use super::value::{Known, Reference};
use crate::stream::Record;

/// Tests that may follow one another before the next record.
const DEEPEST: u32 = 12;

impl Interpreter<'_> {
    /// Whatever leads to the record is what happened.
    pub(super) fn resolve_doubt(&mut self, record: &Record) -> Done<()> {
        let Some(mut frame) = self.thread.frames.pop() else { return Ok(()) };
        frame.state = State::Running;
        if self.is_cast(&frame) {
            if self.is_failed_cast(record) {
                frame.state = State::Throwing;
            } else {
                frame.pc += 3;
            }
            self.thread.frames.push(frame);
            return Ok(());
        }
        let answer = match [false, true].map(|answer| self.leads_to(&frame, answer, record, DEEPEST)) {
            [false, true] => {
                self.learn_type(&frame, true);
                true
            }
            [true, false] => {
                self.learn_type(&frame, false);
                false
            }
            [_, fits] => {
                self.thread.guesses += 1;
                fits
            }
        };
        let tested = self.tested(&mut frame, answer);
        self.thread.frames.push(frame);
        tested
    }

    fn is_failed_cast(&self, record: &Record) -> bool {
        let (Record::Catch { exception, .. } | Record::Unwind { exception }) = *record else { return false };
        self.definitions
            .object(exception)
            .is_some_and(|thrown| thrown.class == "java.lang.ClassCastException")
    }

    fn is_cast(&self, frame: &Frame) -> bool {
        let code = self.definitions.method(frame.method).code().map_or(&[][..], |code| &code.bytes);
        code.get(frame.pc as usize) == Some(&0xc0)
    }

    /// The next test of the same kind need not be doubted.
    fn learn_type(&mut self, frame: &Frame, fits: bool) {
        let Ok(Known::Reference(reference)) = frame.peek(0).map(|slot| slot.known) else { return };
        let Reference::Object(object) = self.resolve(reference) else { return };
        let (Some(object), Some(wanted)) = (self.definitions.object(object), self.wanted_type(frame)) else {
            return;
        };
        self.thread.subtypes.insert((object.class.clone(), wanted), fits);
    }

    /// Does the frame come to where the record finds it, if the test gives this? Tried on a copy.
    fn leads_to(&mut self, frame: &Frame, answer: bool, record: &Record, depth: u32) -> bool {
        let mut frame = frame.clone();
        frame.state = State::Running;
        if self.tested(&mut frame, answer).is_err() {
            return false;
        }
        loop {
            let Some(reached) = self.try_out(frame) else { return false };
            frame = reached;
            return match (frame.state, record.pc()) {
                (State::Doubtful, _) if self.is_cast(&frame) => {
                    frame.pc += 3;
                    frame.state = State::Running;
                    continue;
                }
                (State::Doubtful, _) => {
                    depth > 0
                        && (self.leads_to(&frame, false, record, depth - 1)
                            || self.leads_to(&frame, true, record, depth - 1))
                }
                (State::Waiting, Some(pc)) => frame.pc == pc,
                (State::Waiting, None) => matches!(record, Record::Enter { .. }),
                (State::Returning(_), None) => matches!(record, Record::Exit),
                (State::Throwing, _) => matches!(record, Record::Catch { .. } | Record::Unwind { .. }),
                _ => false,
            };
        }
    }

    /// Executes a frame to where it needs a record, without consequences.
    fn try_out(&mut self, frame: Frame) -> Option<Frame> {
        let mut thread = Thread { subtypes: std::mem::take(&mut self.thread.subtypes), ..Thread::default() };
        thread.frames.push(frame);
        let mut identities = self.identities.clone();
        let mut trial = Interpreter {
            definitions: self.definitions,
            pool: self.pool,
            heap: self.heap,
            identities: &mut identities,
            names: self.names,
            lambdas: self.lambdas,
            texts: self.texts,
            thread: &mut thread,
        };
        let done = matches!(trial.advance(EAGER), Ok(true));
        self.thread.subtypes = std::mem::take(&mut thread.subtypes);
        thread.frames.pop().filter(|_| done)
    }
}
