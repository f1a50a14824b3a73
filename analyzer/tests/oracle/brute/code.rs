//! Threads as flat lists of instructions: loops unrolled, control as jumps.

use warpath_trace::event::Attempt;

use crate::oracle::program::{Cond, Expr, Program, Reg, Statement, ThreadNr, What};

/// An instruction and the statement it comes from, 0 if from none.
#[derive(Clone, Debug)]
pub struct Instruction<'p> {
    pub id: u32,
    pub op: Op<'p>,
}

#[derive(Clone, Debug)]
pub enum Op<'p> {
    // Local: no other thread sees them.
    Assign(Reg, &'p Expr),
    Input(Reg, usize),
    Unless(&'p Cond, usize),
    Jump(usize),
    Select(&'p Expr, Vec<(u8, usize)>, usize),
    Assume(&'p Cond),
    Assert(&'p Cond),
    // Visible.
    Begin,
    Init,
    Fork(ThreadNr),
    Join(ThreadNr),
    End,
    /// A statement that is one visible event and goes on behind it.
    Simple(&'p What),
    CondBlock {
        condition: usize,
        mutex: usize,
    },
    CondWake {
        condition: usize,
        mutex: usize,
        timed: bool,
        to: Option<Reg>,
    },
    Arrive(usize),
    Leave(usize),
    /// Goes to `past` if it has been done.
    OnceEnter {
        once: usize,
        past: usize,
    },
    OnceFinish(usize),
    AtomicBegin,
    AtomicEnd,
    /// Goes to `past` if the word has another value.
    FutexBlock {
        cell: usize,
        expected: &'p Expr,
        past: usize,
    },
    FutexResume {
        timed: bool,
        to: Option<Reg>,
    },
}

impl Op<'_> {
    pub fn is_local(&self) -> bool {
        matches!(
            self,
            Op::Assign(..)
                | Op::Input(..)
                | Op::Unless(..)
                | Op::Jump(_)
                | Op::Select(..)
                | Op::Assume(_)
                | Op::Assert(_)
        )
    }
}

/// The instructions of every thread.
pub fn compile(program: &Program) -> Vec<Vec<Instruction<'_>>> {
    let children = 1..program.thread_count();
    let plain = |op| Instruction { id: 0, op };
    let mut main = vec![plain(Op::Begin)];
    main.extend(program.syncs.iter().map(|_| plain(Op::Init)));
    main.extend(children.clone().map(|child| plain(Op::Fork(child))));
    block(&program.main, &mut main);
    main.extend(children.map(|child| plain(Op::Join(child))));
    main.push(plain(Op::End));
    let others = program.threads.iter().map(|body| {
        let mut code = vec![plain(Op::Begin)];
        block(body, &mut code);
        code.push(plain(Op::End));
        code
    });
    std::iter::once(main).chain(others).collect()
}

fn block<'p>(body: &'p [Statement], code: &mut Vec<Instruction<'p>>) {
    for statement in body {
        self::statement(statement, code);
    }
}

fn statement<'p>(statement: &'p Statement, code: &mut Vec<Instruction<'p>>) {
    let id = statement.id;
    let mut push = |op| {
        code.push(Instruction { id, op });
        code.len() - 1
    };
    match &statement.what {
        What::Assign { to, value } => {
            push(Op::Assign(*to, value));
        }
        What::Input { to, input } => {
            push(Op::Input(*to, *input));
        }
        What::Assume { condition } => {
            push(Op::Assume(condition));
        }
        What::Assert { condition } => {
            push(Op::Assert(condition));
        }
        What::If { condition, then, otherwise } => {
            let test = push(Op::Unless(condition, 0));
            block(then, code);
            code.push(Instruction { id, op: Op::Jump(0) });
            let end_of_then = code.len() - 1;
            code[test].op = Op::Unless(condition, code.len());
            block(otherwise, code);
            code[end_of_then].op = Op::Jump(code.len());
        }
        What::Switch { on, cases, default } => {
            let test = push(Op::Jump(0));
            let (mut targets, mut exits) = (Vec::new(), Vec::new());
            for (value, body) in cases {
                targets.push((*value, code.len()));
                block(body, code);
                exits.push(code.len());
                code.push(Instruction { id, op: Op::Jump(0) });
            }
            code[test].op = Op::Select(on, targets, code.len());
            block(default, code);
            for exit in exits {
                code[exit].op = Op::Jump(code.len());
            }
        }
        What::Repeat { times, body } => (0..*times).for_each(|_| block(body, code)),
        What::CondWait { condition, mutex, attempt, to } => {
            let (condition, mutex, timed) = (*condition, *mutex, *attempt == Attempt::Timed);
            push(Op::CondBlock { condition, mutex });
            push(Op::CondWake { condition, mutex, timed, to: *to });
        }
        What::Barrier { barrier } => {
            push(Op::Arrive(*barrier));
            push(Op::Leave(*barrier));
        }
        What::Once { once, body } => {
            let enter = push(Op::Jump(0));
            block(body, code);
            code.push(Instruction { id, op: Op::OnceFinish(*once) });
            code[enter].op = Op::OnceEnter { once: *once, past: code.len() };
        }
        What::Atomic { body } => {
            push(Op::AtomicBegin);
            block(body, code);
            code.push(Instruction { id, op: Op::AtomicEnd });
        }
        What::FutexWait { cell, expected, attempt, to } => {
            let resume = Op::FutexResume { timed: *attempt == Attempt::Timed, to: *to };
            let at = push(resume.clone());
            push(resume);
            code[at].op = Op::FutexBlock { cell: *cell, expected, past: at + 2 };
        }
        simple => {
            push(Op::Simple(simple));
        }
    }
}
