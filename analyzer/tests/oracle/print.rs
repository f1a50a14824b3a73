//! Programs as pseudo code. Each line begins with the number of its statement.

use std::fmt::{self, Display, Formatter};

use warpath_trace::event::{Attempt, MemoryOrder, MutexKind, RwMode, SyncKind};

use super::program::*;

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for storage in &self.storages {
            let place = if storage.heap { "heap" } else { "global" };
            writeln!(f, "     {place} {} = {:?}", storage.name, storage.bytes)?;
        }
        for cell in self.cells.iter().filter(|cell| cell.name != self.storages[cell.storage].name) {
            let (storage, end) = (&self.storages[cell.storage].name, cell.offset + cell.size);
            writeln!(f, "     {} = bytes {}..{end} of {storage}", cell.name, cell.offset)?;
        }
        for sync in &self.syncs {
            writeln!(f, "     {} {}", kind(sync.kind), sync.name)?;
        }
        for input in &self.inputs {
            writeln!(f, "     input {} below {}", input.name, input.domain)?;
        }
        for (thread, body) in self.blocks().enumerate().filter(|(nr, body)| *nr > 0 || !body.is_empty()) {
            writeln!(f, "     {} {{", key(thread))?;
            Text { program: self, depth: 1 }.block(f, body)?;
            writeln!(f, "     }}")?;
        }
        Ok(())
    }
}

fn kind(kind: SyncKind) -> String {
    match kind {
        SyncKind::Mutex { kind: MutexKind::Recursive, .. } => "recursive mutex".to_owned(),
        SyncKind::Mutex { kind: MutexKind::ErrorCheck, .. } => "error-checking mutex".to_owned(),
        SyncKind::Mutex { .. } => "mutex".to_owned(),
        SyncKind::RwLock => "rwlock".to_owned(),
        SyncKind::Condition => "condition".to_owned(),
        SyncKind::Semaphore { initial, maximum: None } => format!("semaphore({initial})"),
        SyncKind::Semaphore { initial, maximum: Some(most) } => format!("semaphore({initial} of {most})"),
        SyncKind::Barrier { parties } => format!("barrier({parties})"),
        SyncKind::Once => "once".to_owned(),
        SyncKind::Futex => "futex".to_owned(),
    }
}

/// Prints statements at some depth.
struct Text<'p> {
    program: &'p Program,
    depth: usize,
}

impl Text<'_> {
    fn block(&self, f: &mut Formatter<'_>, block: &[Statement]) -> fmt::Result {
        block.iter().try_for_each(|statement| self.statement(f, statement))
    }

    fn inner(&self, f: &mut Formatter<'_>, block: &[Statement]) -> fmt::Result {
        Text { program: self.program, depth: self.depth + 1 }.block(f, block)
    }

    fn close(&self, f: &mut Formatter<'_>, text: &str) -> fmt::Result {
        writeln!(f, "     {:indent$}{text}", "", indent = 4 * self.depth)
    }

    fn statement(&self, f: &mut Formatter<'_>, statement: &Statement) -> fmt::Result {
        write!(f, "{:>4} {:indent$}", statement.id, "", indent = 4 * self.depth)?;
        match &statement.what {
            What::If { condition, then, otherwise } => {
                writeln!(f, "if {condition} {{")?;
                self.inner(f, then)?;
                if !otherwise.is_empty() {
                    self.close(f, "} else {")?;
                    self.inner(f, otherwise)?;
                }
                self.close(f, "}")
            }
            What::Switch { on, cases, default } => {
                writeln!(f, "switch {on} {{")?;
                for (value, body) in cases {
                    self.close(f, &format!("{value}:"))?;
                    self.inner(f, body)?;
                }
                self.close(f, "default:")?;
                self.inner(f, default)?;
                self.close(f, "}")
            }
            What::Repeat { times, body } => self.braces(f, &format!("repeat {times}"), body),
            What::Once { once, body } => self.braces(f, &format!("once {}", self.sync(*once)), body),
            What::Atomic { body } => self.braces(f, "atomic", body),
            simple => writeln!(f, "{}", self.simple(simple)),
        }
    }

    fn braces(&self, f: &mut Formatter<'_>, head: &str, body: &[Statement]) -> fmt::Result {
        writeln!(f, "{head} {{")?;
        self.inner(f, body)?;
        self.close(f, "}")
    }

    fn sync(&self, sync: usize) -> &str {
        &self.program.syncs[sync].name
    }

    fn cell(&self, cell: usize) -> &str {
        &self.program.cells[cell].name
    }

    fn simple(&self, what: &What) -> String {
        let to = |to: &Option<Reg>| to.map_or_else(String::new, |to| format!("r{to} = "));
        match what {
            What::Assign { to, value } => format!("r{to} = {value}"),
            What::Input { to, input } => format!("r{to} = input {}", self.program.inputs[*input].name),
            What::Load { to, cell, order } => {
                let registers: Vec<String> = to.iter().map(|to| format!("r{to}")).collect();
                format!("{} = load{} {}", registers.join(", "), suffix(*order), self.cell(*cell))
            }
            What::Store { cell, value, order } => {
                let bytes: Vec<String> = value.iter().map(ToString::to_string).collect();
                format!("store{} {}, {}", suffix(*order), self.cell(*cell), bytes.join(", "))
            }
            What::Rmw { to, cell, update, order } => {
                let update = match update {
                    Update::Add(value) => format!("add {value}"),
                    Update::Exchange(value) => format!("exchange {value}"),
                    Update::CompareExchange { expected, desired } => format!("cas {expected} -> {desired}"),
                };
                format!("r{to} = rmw{} {}, {update}", suffix(Some(*order)), self.cell(*cell))
            }
            What::Fence { order } => format!("fence{}", suffix(Some(*order))),
            What::Assert { condition } => format!("assert {condition}"),
            What::Assume { condition } => format!("assume {condition}"),
            What::Lock { mutex, attempt, to: t } => {
                format!("{}{}lock {}", to(t), how(*attempt), self.sync(*mutex))
            }
            What::Unlock { mutex } => format!("unlock {}", self.sync(*mutex)),
            What::RwLock { lock, mode, attempt, to: t } => {
                let mode = if *mode == RwMode::Read { "read" } else { "write" };
                format!("{}{}{mode}-lock {}", to(t), how(*attempt), self.sync(*lock))
            }
            What::RwUnlock { lock } => format!("rw-unlock {}", self.sync(*lock)),
            What::CondWait { condition, mutex, attempt, to: t } => {
                format!("{}{}wait {} with {}", to(t), how(*attempt), self.sync(*condition), self.sync(*mutex))
            }
            What::Signal { condition } => format!("signal {}", self.sync(*condition)),
            What::Broadcast { condition } => format!("broadcast {}", self.sync(*condition)),
            What::SemWait { semaphore, attempt, to: t } => {
                format!("{}{}sem-wait {}", to(t), how(*attempt), self.sync(*semaphore))
            }
            What::SemPost { semaphore } => format!("sem-post {}", self.sync(*semaphore)),
            What::Barrier { barrier } => format!("barrier {}", self.sync(*barrier)),
            What::SemValue { semaphore, to } => format!("r{to} = sem-value {}", self.sync(*semaphore)),
            What::FutexWait { cell, expected, attempt, to: t } => {
                format!("{}{}futex-wait {} while {expected}", to(t), how(*attempt), self.cell(*cell))
            }
            What::FutexWake { cell, limit } => format!("futex-wake {} up to {limit}", self.cell(*cell)),
            What::FutexRequeue { from, to, wake, moves } => {
                let (from, to) = (self.cell(*from), self.cell(*to));
                format!("futex-requeue {from} to {to}, wake {wake}, move {moves}")
            }
            What::Free { storage } => format!("free {}", self.program.storages[*storage].name),
            What::If { .. }
            | What::Switch { .. }
            | What::Repeat { .. }
            | What::Once { .. }
            | What::Atomic { .. } => unreachable!("statements with blocks are printed with them"),
        }
    }
}

fn how(attempt: Attempt) -> &'static str {
    match attempt {
        Attempt::Block => "",
        Attempt::Try => "try-",
        Attempt::Timed => "timed-",
    }
}

fn suffix(order: Option<MemoryOrder>) -> &'static str {
    match order {
        None => "",
        Some(MemoryOrder::Relaxed) => ".relaxed",
        Some(MemoryOrder::Acquire) => ".acquire",
        Some(MemoryOrder::Release) => ".release",
        Some(MemoryOrder::AcqRel) => ".acq-rel",
        Some(MemoryOrder::SeqCst) => ".seq-cst",
        Some(MemoryOrder::Volatile) => ".volatile",
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Const(value) => write!(f, "{value}"),
            Expr::Reg(register) => write!(f, "r{register}"),
            Expr::Binary(op, a, b) => {
                let op = match op {
                    Arith::Add => '+',
                    Arith::Sub => '-',
                    Arith::Mul => '*',
                    Arith::And => '&',
                    Arith::Or => '|',
                    Arith::Xor => '^',
                };
                write!(f, "({a} {op} {b})")
            }
            Expr::Ite(condition, then, otherwise) => write!(f, "({condition} ? {then} : {otherwise})"),
        }
    }
}

impl Display for Cond {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Cond::Compare(Comparison::Equal, a, b) => write!(f, "{a} == {b}"),
            Cond::Compare(Comparison::BelowUnsigned, a, b) => write!(f, "{a} < {b}"),
            Cond::Compare(Comparison::BelowSigned, a, b) => write!(f, "{a} <s {b}"),
            Cond::Not(inner) => write!(f, "!({inner})"),
            Cond::And(a, b) => write!(f, "({a} && {b})"),
            Cond::Or(a, b) => write!(f, "({a} || {b})"),
        }
    }
}
