//! A thread's frames, and what executing them needs.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};
use warpath_trace::event::Concretised;
use warpath_trace::expr::{ExprError, ExprPool};
use warpath_trace::ids::ExprId;

use super::frame::{Astray, Frame, Site};
use super::heap::Heap;
use super::identity::{Identities, Names};
use super::lambda::Lambdas;
use super::path::Effects;
use super::texts::Texts;
use super::value::{Known, Reference, Slot};
use crate::stream::{Definitions, ObjectRef};

/// What is known of a thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct Thread {
    pub frames: Vec<Frame>,
    pub effects: Effects,
    /// The input that the next return gives.
    pub input: Option<ExprId>,
    /// What the call under way gives back, as far as its records say.
    pub result: Option<Slot>,
    /// Fields that were written before their object had a number.
    pub early: Vec<EarlyWrite>,
    /// Elements that are being copied.
    pub copied: VecDeque<Slot>,
    /// Where exceptions were thrown that are on their way, or were caught.
    pub thrown: FxHashMap<ObjectRef, Site>,
    /// Where frames were lost.
    pub lost: Vec<Site>,
    /// What tests of types have shown: whether a class is a subtype of another.
    pub subtypes: FxHashMap<(String, String), bool>,
    /// Tests of types whose outcome nobody could tell.
    pub guesses: u64,
    /// Objects that went to code which is not instrumented, and nobody has looked at yet.
    pub given_away: Vec<ObjectRef>,
    /// Calls that the stream does not say the result of, because the callee is instrumented for sure.
    pub sure: FxHashSet<Site>,
}

/// A field that was written before its object had a number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EarlyWrite {
    pub object: Reference,
    /// The number of the field's name.
    pub field: u32,
    pub slot: Slot,
}

/// One thread, about to be executed.
pub(crate) struct Interpreter<'a> {
    pub definitions: &'a Definitions,
    pub pool: &'a mut ExprPool,
    pub heap: &'a mut Heap,
    pub identities: &'a mut Identities,
    pub names: &'a mut Names,
    pub lambdas: &'a mut Lambdas,
    pub texts: &'a mut Texts,
    pub thread: &'a mut Thread,
}

/// Why an instruction cannot be executed.
#[derive(Clone, Debug)]
pub(crate) enum Trouble {
    Astray,
    Expression(ExprError),
}

impl From<Astray> for Trouble {
    fn from(_: Astray) -> Trouble {
        Trouble::Astray
    }
}

impl From<ExprError> for Trouble {
    fn from(error: ExprError) -> Trouble {
        Trouble::Expression(error)
    }
}

pub(crate) type Done<T> = Result<T, Trouble>;

impl Interpreter<'_> {
    /// A reference with its number, if that is known by now.
    pub(crate) fn resolve(&self, reference: Reference) -> Reference {
        self.identities.resolve(reference)
    }

    /// The bits that stand for a value in expressions; `None` if the object has no number yet.
    pub(crate) fn bits(&mut self, slot: &Slot) -> Option<u128> {
        match slot.known {
            Known::Reference(reference) => match self.resolve(reference) {
                Reference::Object(object) => Some(self.names.number(self.definitions, object).into()),
                Reference::Fresh(_) => None,
            },
            known => known.bits(),
        }
    }

    /// The value is used by its number from here on.
    pub(crate) fn concretise(&mut self, site: Site, slot: &Slot, why: Concretised) {
        if let Some(expr) = slot.expr
            && let Some(bits) = self.bits(slot)
        {
            self.thread.effects.concretise(self.pool, site, expr, bits, why);
        }
        if let Some(boxed) = slot.boxed
            && let Some(bits) = self.boxed_bits(slot)
        {
            self.thread.effects.concretise(self.pool, site, boxed, bits, why);
        }
    }

    /// The value goes where another thread may find it: what it depends on must mean the same to that one.
    pub(crate) fn hand_over(&mut self, site: Site, slot: &Slot) {
        if slot.is_symbolic() && !super::symbols::only_inputs(self.pool, slot) {
            self.concretise(site, slot, Concretised::Outside);
        }
    }

    /// The value inside a box.
    fn boxed_bits(&self, slot: &Slot) -> Option<u128> {
        let Known::Reference(reference) = slot.known else { return None };
        let Reference::Object(object) = self.resolve(reference) else { return None };
        match self.definitions.object(object)?.content {
            crate::stream::Content::Box(value) => Some(value as u64 as u128),
            _ => None,
        }
    }
}
