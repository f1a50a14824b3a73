//! The client's side of the dialogue: cutting the stream of commands, and knowing which of them get an answer.

use std::time::Duration;

use super::{DEADLINE, IDENTITY};

/// Longest control command; anything longer is on its way to the solver already.
const HOLD: usize = 256;

/// What kind of answer a command gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Awaited {
    /// `sat`, `unsat` or `unknown`.
    Verdict,
    /// A list of pairs.
    Pairs,
    /// A list.
    List,
    /// One word or string.
    Echo,
    /// Any expression.
    Any,
}

/// A command of the client, cut out of its stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Command {
    /// For the solver, which stays silent if all is well.
    Silent,
    /// For the solver, which will answer.
    Asking(Awaited),
    /// For us: all following answers must be there within this time; `None` lifts the deadline.
    Deadline(Option<Duration>),
    /// For us: say who you are.
    Identify,
    /// For us: end it all.
    Exit,
}

/// Cuts bytes into commands. Trusts its client to send well-formed SMT-LIB, which is our own code.
#[derive(Debug, Default)]
pub(crate) struct Cutter {
    /// The beginning of the current command, not yet handed on.
    held: Vec<u8>,
    /// What the command is, once its beginning has been handed on.
    begun: Option<Command>,
    depth: usize,
    state: State,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Plain,
    Text,
    Quoted,
    Comment,
}

impl Cutter {
    /// Takes the next bytes; appends what is for the solver to `forward` and each completed command to `done`.
    pub(crate) fn feed(&mut self, bytes: &[u8], forward: &mut Vec<u8>, done: &mut Vec<Command>) {
        let mut start = 0;
        for (at, &byte) in bytes.iter().enumerate() {
            match (self.state, byte) {
                (State::Plain, b'(') => self.depth += 1,
                (State::Plain, b')') => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        self.held.extend_from_slice(&bytes[start..=at]);
                        start = at + 1;
                        done.push(self.complete(forward));
                    }
                }
                (State::Plain, b'"') => self.state = State::Text,
                (State::Plain, b'|') => self.state = State::Quoted,
                (State::Plain, b';') => self.state = State::Comment,
                (State::Text, b'"') | (State::Quoted, b'|') | (State::Comment, b'\n') => {
                    self.state = State::Plain
                }
                _ => {}
            }
        }
        self.held.extend_from_slice(&bytes[start..]);
        if self.held.len() > HOLD {
            self.begun.get_or_insert_with(|| classify(&self.held));
            forward.append(&mut self.held);
        }
    }

    fn complete(&mut self, forward: &mut Vec<u8>) -> Command {
        let command = self.begun.take().unwrap_or_else(|| classify(&self.held));
        match command {
            Command::Silent | Command::Asking(_) => {
                forward.append(&mut self.held);
                forward.push(b'\n');
            }
            Command::Deadline(_) | Command::Identify | Command::Exit => self.held.clear(),
        }
        command
    }
}

fn classify(text: &[u8]) -> Command {
    let head = String::from_utf8_lossy(&text[..text.len().min(HOLD)]);
    let mut words =
        head.split(|c: char| c.is_whitespace() || c == '(' || c == ')').filter(|word| !word.is_empty());
    match words.next().unwrap_or("") {
        "check-sat" | "check-sat-assuming" => Command::Asking(Awaited::Verdict),
        "get-value" => Command::Asking(Awaited::Pairs),
        "get-unsat-core" | "get-unsat-assumptions" | "get-assertions" => Command::Asking(Awaited::List),
        "get-info" if words.next() == Some(IDENTITY) => Command::Identify,
        "get-info" | "get-option" | "get-model" | "get-objectives" | "get-assignment" | "get-proof" => {
            Command::Asking(Awaited::Any)
        }
        "echo" => Command::Asking(Awaited::Echo),
        "exit" => Command::Exit,
        "set-info" if words.next() == Some(DEADLINE) => {
            let allowed = words.next().and_then(|number| number.parse().ok()).unwrap_or(0);
            Command::Deadline((allowed > 0).then(|| Duration::from_millis(allowed)))
        }
        _ => Command::Silent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut(chunks: &[&[u8]]) -> (String, Vec<Command>) {
        let (mut cutter, mut forward, mut done) = (Cutter::default(), Vec::new(), Vec::new());
        for chunk in chunks {
            cutter.feed(chunk, &mut forward, &mut done);
        }
        (String::from_utf8(forward).unwrap(), done)
    }

    #[test]
    fn control_commands_stay_here() {
        let (forward, done) =
            cut(&[b"(set-info :warpath-deadline-ms 70)(assert true)\n(get-info :warpath-supervisor)(exit)"]);
        assert_eq!(forward.trim(), "(assert true)");
        assert_eq!(
            done,
            [
                Command::Deadline(Some(Duration::from_millis(70))),
                Command::Silent,
                Command::Identify,
                Command::Exit
            ]
        );
    }

    #[test]
    fn parentheses_in_strings_symbols_and_comments_do_not_count() {
        let text = b"; a ( comment\n(declare-const |a ) \" b| Bool)(echo \"(\"\" (\")(check-sat)";
        let (_, done) = cut(&[text]);
        assert_eq!(
            done,
            [Command::Silent, Command::Asking(Awaited::Echo), Command::Asking(Awaited::Verdict)]
        );
    }

    proptest! {
        #[test]
        fn any_cut_of_the_stream_gives_the_same(sizes in prop::collection::vec(1usize..90, 1..60)) {
            let long = format!("(check-sat-assuming (\n  {}))", "|some symbol| ".repeat(60));
            let text = format!("(set-info :warpath-deadline-ms 5)\n{long}\n(assert (! p :named |(|))(get-value (x y))(exit)");
            let whole = cut(&[text.as_bytes()]);
            let mut rest = text.as_bytes();
            let mut chunks = Vec::new();
            for size in sizes.iter().cycle() {
                let (chunk, left) = rest.split_at((*size).min(rest.len()));
                chunks.push(chunk);
                rest = left;
                if rest.is_empty() {
                    break;
                }
            }
            prop_assert_eq!(cut(&chunks), whole);
        }
    }
}
