//! One line of a schedule.

use std::fmt;
use std::str::FromStr;

use nom::branch::alt;
use nom::bytes::complete::tag;
use nom::character::complete::{char, space0, space1, u32 as number};
use nom::combinator::{all_consuming, map, map_opt, map_res, opt, rest};
use nom::sequence::preceded;
use nom::{IResult, Parser};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use crate::event::{Event, Op, Verb};
use crate::order::ordered_location;
use crate::tables::Tables;
use crate::text::lex;
use crate::text::words::Word;
use crate::thread::ThreadKey;

/// The next step of a schedule: whose turn it is, and what it should do.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// The thread.
    pub thread: ThreadKey,
    /// What it should do.
    pub what: Visible,
}

/// Visible events of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Visible {
    /// Its next one, which should be this.
    Event(Expected),
    /// Its next so many, whatever they are.
    Any(u32),
}

/// What a visible event should be.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Expected {
    /// The operation.
    pub verb: Verb,
    /// The location's name, or the other thread's key for forks and joins; `None` for operations without one, and for "whichever".
    pub location: Option<String>,
    /// The position; `None` if unknown, and for "wherever".
    pub place: Option<String>,
}

impl Expected {
    /// What this event of a thread is; `thread` has all events of that thread.
    pub fn of(tables: &Tables, thread: &[Event], event: &Event) -> Expected {
        let place = tables.source_name(event.at);
        let location = match event.op {
            Op::Fork { child } | Op::Join { child, .. } | Op::Detach { child } => {
                Some(tables.key(child).to_string())
            }
            Op::Commit { write } => {
                let written = thread.get(write as usize).and_then(|write| write.op.written());
                written.map(|(location, _)| tables.location_name(location))
            }
            _ => ordered_location(&event.op).map(|location| tables.location_name(location)),
        };
        Expected { verb: event.op.verb(), location, place: (!place.is_empty()).then_some(place) }
    }

    /// Is the event what was expected? What was left open fits everything.
    pub fn fits(&self, found: &Expected) -> bool {
        let open = |wanted: &Option<String>, found: &Option<String>| wanted.is_none() || wanted == found;
        self.verb == found.verb && open(&self.location, &found.location) && open(&self.place, &found.place)
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = self.verb.word().to_owned();
        if let Some(location) = &self.location {
            text.push(' ');
            lex::write_name(&mut text, location.as_bytes());
        }
        if let Some(place) = &self.place {
            text.push_str(" @");
            text.push_str(place);
        }
        f.write_str(&text)
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.what {
            Visible::Event(expected) => write!(f, "{} {expected}", self.thread),
            Visible::Any(count) => write!(f, "{} *{count}", self.thread),
        }
    }
}

/// A line that is not a step.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a step of a schedule; write thread, operation, location and position, like `T0.1 w x @m0.c:14`, or `T0.1 *3` for any three events"
)]
pub struct StepError(pub String);

fn verb(input: &str) -> IResult<&str, Verb> {
    map_opt(lex::keyword, Verb::from_word).parse(input)
}

fn name(input: &str) -> IResult<&str, String> {
    map_opt(lex::name, |bytes| String::from_utf8(bytes.into_owned()).ok()).parse(input)
}

fn expected(input: &str) -> IResult<&str, Visible> {
    let location = opt(preceded(space1, name));
    let place = opt(preceded((space0, char('@')), map(rest, |place: &str| place.trim_end().to_owned())));
    let event = |(verb, location, place)| Visible::Event(Expected { verb, location, place });
    map((verb, location, place), event).parse(input)
}

fn step(input: &str) -> IResult<&str, Step> {
    let key = map_res(lex::key, ThreadKey::from_str);
    let any = map(preceded(tag("*"), number), Visible::Any);
    let (input, (thread, _, what)) = (key, space1, alt((any, expected))).parse(input)?;
    Ok((input, Step { thread, what }))
}

impl FromStr for Step {
    type Err = StepError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let whole = all_consuming(step).parse(text.trim());
        whole.map(|(_, step)| step).map_err(|_| StepError(text.to_owned()))
    }
}

impl Serialize for Step {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}
