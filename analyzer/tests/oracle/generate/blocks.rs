//! Random statements.

use warpath_trace::event::{Attempt, MemoryOrder};

use super::{Features, Generator};
use crate::oracle::build::{eq, r, stmt, when};
use crate::oracle::program::{Reg, Statement, Update, What};

/// Where in a thread the next statement stands.
#[derive(Clone, Debug, Default)]
pub(super) struct Context {
    /// Visible events that may still come.
    pub(super) left: usize,
    /// Registers written lately.
    pub(super) recent: Vec<Reg>,
    /// Locks that the thread holds here.
    pub(super) held: Vec<usize>,
    /// In a once-only initialiser.
    in_once: bool,
    /// In an atomic region: nothing here may wait.
    in_region: bool,
    in_loop: bool,
    depth: usize,
}

/// A kind of statement, chosen by weight.
#[derive(Clone, Copy)]
enum Kind {
    Load,
    Store,
    Assign,
    If,
    Switch,
    Repeat,
    Input,
    Assert,
    Assume,
    Rmw,
    Fence,
    Critical,
    RwCritical,
    CondWait,
    Wake,
    SemWait,
    SemPost,
    SemValue,
    Barrier,
    Once,
    Region,
    FutexWait,
    FutexWake,
    FutexRequeue,
    Free,
}

impl Generator {
    pub(super) fn thread_body(&mut self, most: usize) -> Vec<Statement> {
        let left = most - self.rng.below(most.div_ceil(3));
        let mut context = Context { left, ..Context::default() };
        let mut body = Vec::new();
        while context.left > 0 && body.len() < 2 * most {
            self.statement(&mut context, &mut body);
        }
        body
    }

    /// A block with some of what is left; what it writes and holds is its own.
    pub(super) fn block(&mut self, context: &mut Context, share: usize) -> Vec<Statement> {
        let mine = share.min(context.left);
        let mut inner = Context { left: mine, depth: context.depth + 1, ..context.clone() };
        let mut body = Vec::new();
        let statements = 1 + self.rng.below(3);
        while inner.left > 0 && body.len() < statements {
            self.statement(&mut inner, &mut body);
        }
        context.left -= mine - inner.left;
        body
    }

    fn statement(&mut self, context: &mut Context, body: &mut Vec<Statement>) {
        match self.kind(context) {
            Kind::Load => self.load(context, body),
            Kind::Store => self.store(context, body),
            Kind::Assign => {
                let value = self.value(context);
                let to = self.target(context);
                body.push(stmt(What::Assign { to, value }));
            }
            Kind::If => {
                self.something_to_ask(context, body);
                let condition = self.condition(context);
                let then = self.block(context, 3);
                let otherwise = if self.rng.percent(40) { self.block(context, 3) } else { Vec::new() };
                body.push(stmt(What::If { condition, then, otherwise }));
            }
            Kind::Switch => {
                self.something_to_ask(context, body);
                let on = self.value(context);
                let cases = (0..1 + self.rng.below(2) as u8).map(|n| (n, self.block(context, 2))).collect();
                let default = if self.rng.percent(50) { self.block(context, 2) } else { Vec::new() };
                body.push(stmt(What::Switch { on, cases, default }));
            }
            Kind::Repeat => {
                let mut inner = Context { left: context.left / 2, in_loop: true, ..context.clone() };
                let before = inner.left;
                let again = self.block(&mut inner, before);
                context.left -= 2 * (before - inner.left);
                body.push(stmt(What::Repeat { times: 2, body: again }));
            }
            Kind::Input => {
                let name = format!("i{}", self.program.inputs.len());
                let domain = 2 + self.rng.below(3) as u8;
                let input = self.program.input(&name, domain);
                let to = self.target(context);
                body.push(stmt(What::Input { to, input }));
            }
            Kind::Assert => {
                self.something_to_ask(context, body);
                let condition = self.condition(context);
                body.push(stmt(What::Assert { condition }));
            }
            Kind::Assume => {
                let condition = self.condition(context);
                body.push(stmt(What::Assume { condition }));
            }
            kind => self.synchronisation(kind, context, body),
        }
    }

    /// Control should depend on what others do: without a value from outside, one is read first.
    fn something_to_ask(&mut self, context: &mut Context, body: &mut Vec<Statement>) {
        if context.left > 0 && (context.recent.is_empty() || self.rng.percent(30)) {
            self.load(context, body);
        }
    }

    fn synchronisation(&mut self, kind: Kind, context: &mut Context, body: &mut Vec<Statement>) {
        match kind {
            Kind::Rmw => self.rmw(context, body),
            Kind::Fence => {
                use MemoryOrder::{AcqRel, Acquire, Release, SeqCst};
                let order = *self.rng.pick(&[SeqCst, SeqCst, Release, Release, Acquire, AcqRel]);
                self.spend(context, 1);
                body.push(stmt(What::Fence { order }));
            }
            Kind::Critical => self.critical(context, body),
            Kind::RwCritical => self.rw_critical(context, body),
            Kind::CondWait => self.cond_wait(context, body),
            Kind::Wake => {
                let condition = *self.rng.pick(&self.kinds.conditions);
                self.spend(context, 1);
                body.push(stmt(match self.rng.percent(65) {
                    true => What::Signal { condition },
                    false => What::Broadcast { condition },
                }));
            }
            Kind::SemWait => {
                let semaphore = *self.rng.pick(&self.kinds.semaphores);
                self.spend(context, 1);
                let (attempt, to) = self.attempt(context);
                body.push(stmt(What::SemWait { semaphore, attempt, to }));
                if let Some(to) = to
                    && self.rng.percent(60)
                {
                    let then = self.block(context, 2);
                    body.push(when(eq(r(to), 1), then));
                }
            }
            Kind::SemPost => {
                let semaphore = *self.rng.pick(&self.kinds.semaphores);
                self.spend(context, 1);
                body.push(stmt(What::SemPost { semaphore }));
            }
            Kind::SemValue => {
                let semaphore = *self.rng.pick(&self.kinds.semaphores);
                self.spend(context, 1);
                let to = self.target(context);
                body.push(stmt(What::SemValue { semaphore, to }));
            }
            Kind::Barrier => {
                let barrier = *self.rng.pick(&self.kinds.barriers);
                self.spend(context, 2);
                body.push(stmt(What::Barrier { barrier }));
            }
            Kind::Once => {
                let once = *self.rng.pick(&self.kinds.onces);
                self.spend(context, 2);
                let outside = std::mem::replace(&mut context.in_once, true);
                let inside = self.block(context, 2);
                context.in_once = outside;
                body.push(stmt(What::Once { once, body: inside }));
            }
            Kind::Region => {
                self.spend(context, 2);
                context.in_region = true;
                let inside = self.block(context, 3);
                context.in_region = false;
                body.push(stmt(What::Atomic { body: inside }));
            }
            Kind::FutexWait => {
                let cell = self.narrow_cell();
                let expected = self.value(context);
                self.spend(context, 2);
                let timed = self.has(Features::TIMED_WAIT) && self.rng.percent(35);
                let (attempt, to) = match timed {
                    true => (Attempt::Timed, Some(self.target(context))),
                    false => (Attempt::Block, None),
                };
                body.push(stmt(What::FutexWait { cell, expected, attempt, to }));
            }
            Kind::FutexWake => {
                let cell = self.narrow_cell();
                let limit = 1 + self.rng.below(2) as u32;
                self.spend(context, 1);
                body.push(stmt(What::FutexWake { cell, limit }));
            }
            Kind::FutexRequeue => {
                let (from, to) = (self.narrow_cell(), self.narrow_cell());
                if from == to {
                    return;
                }
                let (wake, moves) = (self.rng.below(2) as u32, 1 + self.rng.below(2) as u32);
                self.spend(context, 1);
                body.push(stmt(What::FutexRequeue { from, to, wake, moves }));
            }
            Kind::Free => {
                let heap = self.program.storages.iter().position(|storage| storage.heap);
                let storage = heap.expect("only programs with a heap give something back");
                self.spend(context, 1);
                body.push(stmt(What::Free { storage }));
            }
            _ => unreachable!("dealt with before"),
        }
    }

    fn kind(&mut self, context: &Context) -> Kind {
        let nested = context.depth < 3;
        let free = !context.in_region;
        // Two events at least: the first half and the second.
        let pair = context.left >= 2;
        let has = |feature: Features| self.features.has(feature);
        let more_inputs = !context.in_loop && self.program.inputs.len() < 2;
        let kinds = [&self.kinds.mutexes, &self.kinds.recursive, &self.kinds.error_check];
        let mutexes = kinds.into_iter().any(|kind| !kind.is_empty());
        let waits = free && pair && has(Features::CONDITION);
        let table = [
            (Kind::Load, 22, true),
            (Kind::Store, 22, true),
            (Kind::Assign, 4, true),
            (Kind::If, 16, nested && has(Features::BRANCH)),
            (Kind::Switch, 4, nested && has(Features::SWITCH)),
            (Kind::Repeat, 3, nested && free && context.left >= 4 && has(Features::REPEAT)),
            (Kind::Input, 8, more_inputs && has(Features::INPUT)),
            (Kind::Assert, 6, has(Features::ASSERT)),
            (Kind::Assume, 3, has(Features::ASSUME)),
            (Kind::Rmw, 10, has(Features::RMW)),
            (Kind::Fence, 8, has(Features::FENCE)),
            (Kind::Critical, 18, nested && free && pair && mutexes),
            (Kind::RwCritical, 14, nested && free && pair && has(Features::RWLOCK)),
            (Kind::CondWait, 10, waits && context.left >= 4),
            (Kind::Wake, 12, free && has(Features::CONDITION)),
            (Kind::SemWait, 10, free && has(Features::SEMAPHORE)),
            (Kind::SemPost, 10, free && has(Features::SEMAPHORE)),
            (Kind::SemValue, 6, free && has(Features::SEMAPHORE)),
            (Kind::Barrier, 10, free && pair && has(Features::BARRIER)),
            (Kind::Once, 10, free && nested && pair && !context.in_once && has(Features::ONCE)),
            (Kind::Region, 10, free && nested && pair && has(Features::REGION)),
            (Kind::FutexWait, 8, free && pair && has(Features::FUTEX)),
            (Kind::FutexWake, 8, free && has(Features::FUTEX)),
            (Kind::FutexRequeue, 8, free && has(Features::FUTEX) && has(Features::REQUEUE)),
            (Kind::Free, 6, has(Features::HEAP)),
        ];
        let total: usize = table.iter().filter(|entry| entry.2).map(|entry| entry.1).sum();
        let mut at = self.rng.below(total);
        for (kind, weight, possible) in table {
            if possible {
                if at < weight {
                    return kind;
                }
                at -= weight;
            }
        }
        unreachable!("the weights sum up to the total")
    }

    pub(super) fn spend(&mut self, context: &mut Context, events: usize) {
        context.left = context.left.saturating_sub(events);
    }

    /// A register to write.
    pub(super) fn target(&mut self, context: &mut Context) -> Reg {
        let to = self.rng.below(6) as Reg;
        context.recent.retain(|&register| register != to);
        context.recent.push(to);
        if context.recent.len() > 3 {
            context.recent.remove(0);
        }
        to
    }

    fn cell(&mut self) -> usize {
        self.rng.below(self.program.cells.len())
    }

    fn narrow_cell(&mut self) -> usize {
        let narrow: Vec<usize> =
            (0..self.program.cells.len()).filter(|&cell| self.program.cells[cell].size == 1).collect();
        *self.rng.pick(&narrow)
    }

    pub(super) fn load(&mut self, context: &mut Context, body: &mut Vec<Statement>) {
        use MemoryOrder::{Acquire, Relaxed, SeqCst};
        let cell = self.cell();
        let atomic = self.has(Features::ATOMIC_ACCESS) && self.rng.percent(50);
        let order = atomic.then(|| *self.rng.pick(&[Relaxed, Acquire, SeqCst]));
        let mut to = vec![self.target(context)];
        while to.len() < self.program.cells[cell].size {
            let other = self.target(context);
            if !to.contains(&other) {
                to.push(other);
            }
        }
        self.spend(context, 1);
        body.push(stmt(What::Load { to, cell, order }));
    }

    fn store(&mut self, context: &mut Context, body: &mut Vec<Statement>) {
        use MemoryOrder::{Relaxed, Release, SeqCst};
        let cell = self.cell();
        let atomic = self.has(Features::ATOMIC_ACCESS) && self.rng.percent(50);
        let order = atomic.then(|| *self.rng.pick(&[Relaxed, Release, SeqCst]));
        let value = (0..self.program.cells[cell].size).map(|_| self.value(context)).collect();
        self.spend(context, 1);
        body.push(stmt(What::Store { cell, value, order }));
    }

    fn rmw(&mut self, context: &mut Context, body: &mut Vec<Statement>) {
        use MemoryOrder::{AcqRel, Acquire, Relaxed, Release, SeqCst};
        let cell = self.narrow_cell();
        let update = match self.rng.below(3) {
            0 => Update::Add(self.value(context)),
            1 => Update::Exchange(self.value(context)),
            _ => Update::CompareExchange { expected: self.value(context), desired: self.value(context) },
        };
        let order = *self.rng.pick(&[SeqCst, AcqRel, Acquire, Release, Relaxed]);
        let to = self.target(context);
        self.spend(context, 1);
        body.push(stmt(What::Rmw { to, cell, update, order }));
    }
}
