//! Places in inlined functions.
//!
//! Compilers mix the code of an inlined function with that around it: an argument may be read between what the function
//! reads and what it writes. In the source the argument came first, and a lock in the function would keep it there. So a
//! thread has not left a place if the code ahead of it, without a branch between, is of the same call of the function.

use iced_x86::{FlowControl, Instruction, InstructionInfoFactory, OpAccess};
use warpath_trace::event::Verb;

use super::lines;
use super::plan::PlaceIx;
use super::progress::{Inside, Kind, Open, Stand};
use crate::cpu;
use crate::names::Frame;
use crate::run::machine::{Machine, word_at};

/// Instructions that are looked at.
const AHEAD: usize = 64;

impl Machine {
    /// Adds the places that the thread, which is about to access memory, only seems to have left.
    pub(super) fn add_inlined(&mut self, t: usize, stand: &mut Stand) {
        let here = |open: &Open| {
            stand.inside.iter().any(|inside| inside.place == open.place && inside.frame == open.frame)
        };
        let open: Vec<Open> =
            self.threads[t].progress.open().into_iter().filter(|open| !here(open)).collect();
        if open.is_empty() {
            return;
        }
        let frame = Frame::innermost(&self.threads[t].registers);
        let (images, space) = (&self.images, &mut self.space);
        let begins = images.frame_address(&frame, &mut |address| word_at(space, address));
        for open in open.iter().filter(|open| begins == Some(open.frame)) {
            if self.resumes(frame.pc, open) {
                stand.inside.push(Inside {
                    place: open.place,
                    frame: open.frame,
                    pc: frame.pc,
                    is_innermost: false,
                });
            }
        }
    }

    /// Does control go on in the same call of the same inlined function, whatever happens?
    fn resumes(&mut self, from: u64, open: &Open) -> bool {
        let call = self.call_of(open.first, open.place);
        let mut at = from;
        for _ in 0..AHEAD {
            let Some(instruction) = cpu::instruction_at(&mut self.code, &mut self.space, at) else {
                return false;
            };
            let is_back = at != from && self.places_at(at).contains(&open.place);
            if is_back && call.is_some() && self.call_of(at, open.place) == call {
                return !self.begins(at, &instruction, &open.kind);
            }
            if instruction.flow_control() != FlowControl::Next {
                return false;
            }
            at = instruction.next_ip();
        }
        false
    }

    /// Where the function that has the place was called that was inlined here; `None` if it was not inlined.
    fn call_of(&self, address: u64, place: PlaceIx) -> Option<Vec<(String, u32, u32)>> {
        let region = &self.repair.plan.places[place];
        let frames = self.images.frames(address);
        let own = frames.iter().position(|source| lines::is_in(region, source))?;
        let calls = frames[own + 1..].iter();
        let calls: Vec<_> =
            calls.map(|source| (source.file.to_string(), source.line, source.column)).collect();
        (!calls.is_empty()).then_some(calls)
    }

    /// Is this what a stay began with, so that another one begins?
    fn begins(&self, address: u64, instruction: &Instruction, first: &Kind) -> bool {
        let Kind::Event { verb, at } = first else { return true };
        let source = self.images.source(address);
        source.map(|source| (source.file, source.line, source.column)) == *at && does(instruction, *verb)
    }
}

fn does(instruction: &Instruction, verb: Verb) -> bool {
    let mut factory = InstructionInfoFactory::new();
    let accesses = factory.info(instruction).used_memory().iter().map(|memory| memory.access());
    let (mut reads, mut writes) = (false, false);
    for access in accesses {
        reads |= matches!(
            access,
            OpAccess::Read | OpAccess::CondRead | OpAccess::ReadWrite | OpAccess::ReadCondWrite
        );
        writes |= matches!(
            access,
            OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite
        );
    }
    match verb {
        Verb::Read => reads,
        Verb::Write => writes,
        _ => reads && writes,
    }
}
