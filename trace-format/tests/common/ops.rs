//! Random operations whose references are good.

use warpath_trace::event::{
    Attempt, Concretised, Datum, MemoryOrder, MutexKind, OnceStep, Op, RwMode, SyncKind, WaitResult,
};
use warpath_trace::expr::{Sort, mask};
use warpath_trace::ids::{ExprId, ThreadIx};

use super::Builder;

const ORDERS: &[MemoryOrder] = &[
    MemoryOrder::SeqCst,
    MemoryOrder::Relaxed,
    MemoryOrder::Acquire,
    MemoryOrder::Release,
    MemoryOrder::AcqRel,
    MemoryOrder::Volatile,
];

impl Builder {
    /// An operation of this thread; one that needs what the trace does not have becomes a fence.
    pub(super) fn op(&mut self, thread: ThreadIx) -> Op {
        let op = match self.choices.number_below(4) {
            0 | 1 => self.access(thread),
            2 => self.synchronisation(thread),
            _ => self.control(thread),
        };
        op.unwrap_or_else(|| Op::Fence { order: *self.choices.pick(ORDERS) })
    }

    fn access(&mut self, thread: ThreadIx) -> Option<Op> {
        let choice = self.choices.number_below(8);
        if choice == 6 {
            let index = self.trace.threads[thread.index()].len() as u64;
            let any = self.choices.wide() as u32;
            return Some(Op::Commit {
                write: if self.choices.flip() { (u64::from(any) % (index + 2)) as u32 } else { any },
            });
        }
        let (location, width) = self.some_data()?;
        let order = *self.choices.pick(ORDERS);
        Some(match choice {
            0 | 1 => Op::Read { location, value: self.choices.value(width) },
            2 | 3 => Op::Write { location, value: self.datum(thread, width) },
            4 => Op::AtomicRead { location, value: self.choices.value(width), order },
            5 => Op::AtomicWrite { location, value: self.datum(thread, width), order },
            _ => Op::Rmw {
                location,
                old: self.choices.value(width),
                new: self.own_datum(thread, width),
                order,
            },
        })
    }

    fn synchronisation(&mut self, thread: ThreadIx) -> Option<Op> {
        let number = self.choices.wide() as u32;
        let attempt = *self.choices.pick(&[Attempt::Block, Attempt::Try, Attempt::Timed]);
        let result = self.result();
        let mode = *self.choices.pick(&[RwMode::Read, RwMode::Write]);
        let choice = self.choices.number_below(28);
        let place = |builder: &mut Self| builder.some_location();
        Some(match choice {
            0 => Op::Begin,
            1 if !self.endless[thread.index()] => Op::End,
            2 => Op::Fork { child: self.fresh_thread(thread)? },
            3 => {
                let child = self.some_thread()?;
                // Waiting for oneself, or for one that is still to end, would never be over.
                let over = self.ended[child.index()] || self.trace.threads[child.index()].is_empty();
                let result = if over && child != thread { result } else { WaitResult::Busy };
                Op::Join { child, attempt, result }
            }
            4 => Op::Detach { child: self.some_thread()? },
            5 => Op::SyncInit { object: place(self)?, kind: self.sync_kind() },
            6 => Op::SyncDestroy { object: place(self)? },
            7 => Op::Lock { mutex: place(self)?, attempt, result },
            8 => Op::Unlock { mutex: place(self)?, result },
            9 => Op::RwLock { lock: place(self)?, mode, attempt, result },
            10 => Op::RwUnlock { lock: place(self)?, mode, result },
            11 => Op::CondWait { condition: place(self)?, mutex: place(self)?, attempt },
            12 => Op::CondWake { condition: place(self)?, mutex: place(self)?, result },
            13 => Op::Signal { condition: place(self)?, woken: number },
            14 => Op::Broadcast { condition: place(self)?, woken: number },
            15 => Op::SemWait { semaphore: place(self)?, attempt, result },
            16 => Op::SemPost { semaphore: place(self)? },
            17 => Op::SemValue { semaphore: place(self)?, value: number },
            18 => Op::BarrierArrive { barrier: place(self)? },
            19 => Op::BarrierLeave { barrier: place(self)?, serial: self.choices.flip(), result },
            20 => Op::Once { once: place(self)?, step: self.once_step() },
            21 => {
                let (word, width) = self.some_data()?;
                Op::FutexWait {
                    word,
                    value: self.choices.value(width),
                    expected: self.own_datum(thread, width),
                    bitset: if self.choices.flip() { u32::MAX } else { number },
                    attempt,
                    queued: self.choices.flip(),
                }
            }
            22 => Op::FutexResume { word: place(self)?, result },
            23 => Op::FutexWake {
                word: place(self)?,
                limit: number,
                bitset: if self.choices.flip() { u32::MAX } else { self.choices.wide() as u32 },
                woken: self.choices.wide() as u32,
            },
            24 => Op::FutexRequeue {
                from: place(self)?,
                to: place(self)?,
                wake_limit: number,
                move_limit: self.choices.wide() as u32,
                woken: self.choices.wide() as u32,
                moved: self.choices.wide() as u32,
            },
            25 => Op::AtomicBegin,
            26 => Op::AtomicEnd,
            _ => Op::Await { window: number },
        })
    }

    fn control(&mut self, thread: ThreadIx) -> Option<Op> {
        let flag = self.choices.flip();
        Some(match self.choices.number_below(11) {
            0 | 1 => Op::Branch { condition: self.expr(thread, Sort::Bool), taken: flag },
            2 => {
                let on = self.bits(thread);
                Op::Switch { on, value: self.value_of(on) }
            }
            3 => {
                const WHY: &[Concretised] = &[
                    Concretised::Address,
                    Concretised::Jump,
                    Concretised::Divisor,
                    Concretised::Float,
                    Concretised::Outside,
                    Concretised::Size,
                    Concretised::Other,
                ];
                let expr = self.bits(thread);
                Op::Concretise { expr, value: self.value_of(expr), why: *self.choices.pick(WHY) }
            }
            4 => Op::Assume { condition: self.condition(thread), holds: flag },
            5 => Op::Assert { condition: self.condition(thread), holds: flag, message: self.string() },
            6 => {
                let input = self.some_input()?;
                let width = self.trace.tables.inputs()[input.index()].width;
                Op::Input { input, value: self.choices.wide() & mask(width) }
            }
            7 => Op::Alloc {
                object: self.some_object()?,
                size: self.choices.wide() as u64,
                address: if flag { 0 } else { self.choices.wide() as u64 },
            },
            8 => Op::Free { object: self.some_object()? },
            9 => Op::Output { stream: self.choices.wide() as u32, bytes: self.string() },
            _ => Op::Failure {
                kind: self.failure_kind(),
                message: self.string(),
                address: self.choices.maybe(|choices| choices.wide() as u64),
            },
        })
    }

    fn value_of(&mut self, expr: ExprId) -> u128 {
        self.choices.wide() & mask(self.trace.tables.exprs.width(expr))
    }

    fn condition(&mut self, thread: ThreadIx) -> Option<ExprId> {
        if self.choices.flip() { None } else { Some(self.expr(thread, Sort::Bool)) }
    }

    fn expr(&mut self, thread: ThreadIx, sort: Sort) -> ExprId {
        let inputs = self.trace.tables.inputs().to_vec();
        self.exprs.of_sort(&mut self.choices, &mut self.trace.tables.exprs, &inputs, thread, sort)
    }

    fn bits(&mut self, thread: ThreadIx) -> ExprId {
        let width = self.choices.width();
        self.expr(thread, Sort::Bits(width))
    }

    fn datum(&mut self, thread: ThreadIx, width: u32) -> Datum {
        let value = self.choices.value(width);
        if self.choices.flip() {
            return Datum::concrete(value);
        }
        Datum::symbolic(value, self.expr(thread, Sort::Bits(width as u8)))
    }

    /// A value that may depend on what this very event reads.
    fn own_datum(&mut self, thread: ThreadIx, width: u32) -> Datum {
        if self.choices.flip() {
            let index = self.trace.threads[thread.index()].len() as u32;
            self.exprs.add_read(&mut self.trace.tables.exprs, thread, index, width as u8);
        }
        self.datum(thread, width)
    }

    /// A thread that has done nothing and that nobody has started yet.
    fn fresh_thread(&mut self, by: ThreadIx) -> Option<ThreadIx> {
        let forked = |child: ThreadIx| {
            let forks = self.trace.threads.iter().flatten();
            forks.filter(|event| event.op == Op::Fork { child }).count() > 0
        };
        let all = (0..self.trace.threads.len()).map(ThreadIx::from);
        let idle = all.filter(|&t| t != by && self.trace.threads[t.index()].is_empty() && !forked(t));
        let idle: Vec<ThreadIx> = idle.collect();
        (!idle.is_empty()).then(|| *self.choices.pick(&idle))
    }

    fn result(&mut self) -> WaitResult {
        const RESULTS: &[WaitResult] = &[
            WaitResult::Done,
            WaitResult::Busy,
            WaitResult::TimedOut,
            WaitResult::WouldDeadlock,
            WaitResult::OwnerDied,
            WaitResult::Interrupted,
            WaitResult::Spurious,
            WaitResult::Pending,
        ];
        match self.choices.number_below(9) {
            8 => WaitResult::Failed(self.choices.wide() as u32),
            plain => RESULTS[plain as usize],
        }
    }

    fn once_step(&mut self) -> OnceStep {
        use OnceStep::{Abandon, Finish, Pending, Run, Seen};
        *self.choices.pick(&[Run, Finish, Abandon, Seen, Pending])
    }

    fn sync_kind(&mut self) -> SyncKind {
        let number = self.choices.wide() as u32;
        match self.choices.number_below(7) {
            0 => SyncKind::Mutex {
                kind: *self.choices.pick(&[MutexKind::Normal, MutexKind::Recursive, MutexKind::ErrorCheck]),
                robust: !self.choices.flip(),
            },
            1 => SyncKind::RwLock,
            2 => SyncKind::Condition,
            3 => SyncKind::Semaphore {
                initial: number,
                maximum: self.choices.maybe(|choices| choices.wide() as u32),
            },
            4 => SyncKind::Barrier { parties: number },
            5 => SyncKind::Once,
            _ => SyncKind::Futex,
        }
    }
}
