//! Which table entries an event refers to, in one place for checking and renumbering.

use super::{Datum, Event, Op};
use crate::ids::{ExprId, InputId, LocationId, ObjectId, SourceId, StringId, ThreadIx};

/// One reference from an event into a table, changeable in place.
#[derive(Debug)]
pub enum Ref<'a> {
    /// Into the thread table.
    Thread(&'a mut ThreadIx),
    /// Into the location table, for an access of 1 to 16 bytes.
    Data(&'a mut LocationId),
    /// Into the location table, for a synchronisation object.
    Sync(&'a mut LocationId),
    /// Into the object table.
    Object(&'a mut ObjectId),
    /// Into the input table.
    Input(&'a mut InputId),
    /// Into the expression table.
    Expr(&'a mut ExprId),
    /// Into the string table.
    String(&'a mut StringId),
    /// Into the source table.
    Source(&'a mut SourceId),
}

impl Event {
    /// Calls `visit` for every reference, in a fixed order, until it fails.
    #[inline]
    pub fn try_refs<E>(&mut self, mut visit: impl FnMut(Ref<'_>) -> Result<(), E>) -> Result<(), E> {
        self.op.try_refs(&mut visit)?;
        visit(Ref::Source(&mut self.at))
    }
}

impl Op {
    #[inline]
    fn try_refs<E>(&mut self, visit: &mut impl FnMut(Ref<'_>) -> Result<(), E>) -> Result<(), E> {
        match self {
            Op::Read { location, .. } | Op::AtomicRead { location, .. } => visit(Ref::Data(location)),
            Op::Write { location, value } | Op::AtomicWrite { location, value, .. } => {
                visit(Ref::Data(location))?;
                datum(value, visit)
            }
            Op::Rmw { location, new, .. } => {
                visit(Ref::Data(location))?;
                datum(new, visit)
            }
            Op::Fence { .. }
            | Op::Commit { .. }
            | Op::Begin
            | Op::End
            | Op::AtomicBegin
            | Op::AtomicEnd
            | Op::Await { .. } => Ok(()),
            Op::Fork { child } | Op::Join { child, .. } | Op::Detach { child } => visit(Ref::Thread(child)),
            Op::SyncInit { object, .. } | Op::SyncDestroy { object } => visit(Ref::Sync(object)),
            Op::Lock { mutex: object, .. }
            | Op::Unlock { mutex: object, .. }
            | Op::RwLock { lock: object, .. }
            | Op::RwUnlock { lock: object, .. }
            | Op::Signal { condition: object, .. }
            | Op::Broadcast { condition: object, .. }
            | Op::SemWait { semaphore: object, .. }
            | Op::SemPost { semaphore: object }
            | Op::SemValue { semaphore: object, .. }
            | Op::BarrierArrive { barrier: object }
            | Op::BarrierLeave { barrier: object, .. }
            | Op::Once { once: object, .. }
            | Op::FutexResume { word: object, .. }
            | Op::FutexWake { word: object, .. } => visit(Ref::Sync(object)),
            Op::CondWait { condition, mutex, .. } | Op::CondWake { condition, mutex, .. } => {
                visit(Ref::Sync(condition))?;
                visit(Ref::Sync(mutex))
            }
            Op::FutexWait { word, expected, .. } => {
                visit(Ref::Data(word))?;
                datum(expected, visit)
            }
            Op::FutexRequeue { from, to, .. } => {
                visit(Ref::Sync(from))?;
                visit(Ref::Sync(to))
            }
            Op::Branch { condition, .. } => visit(Ref::Expr(condition)),
            Op::Switch { on: expr, .. } | Op::Concretise { expr, .. } => visit(Ref::Expr(expr)),
            Op::Assume { condition, .. } => condition.as_mut().map_or(Ok(()), |expr| visit(Ref::Expr(expr))),
            Op::Assert { condition, message, .. } => {
                condition.as_mut().map_or(Ok(()), |expr| visit(Ref::Expr(expr)))?;
                visit(Ref::String(message))
            }
            Op::Input { input, .. } => visit(Ref::Input(input)),
            Op::Alloc { object, .. } | Op::Free { object } => visit(Ref::Object(object)),
            Op::Output { bytes: text, .. } | Op::Failure { message: text, .. } => visit(Ref::String(text)),
        }
    }
}

#[inline]
fn datum<E>(datum: &mut Datum, visit: &mut impl FnMut(Ref<'_>) -> Result<(), E>) -> Result<(), E> {
    datum.expr.as_mut().map_or(Ok(()), |expr| visit(Ref::Expr(expr)))
}
