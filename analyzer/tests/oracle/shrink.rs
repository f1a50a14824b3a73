//! Small programs that still fail.

use warpath_trace::header::MemoryModel;

use super::brute::{Limits, enumerate};
use super::program::{Expr, Program, Statement, Update, What};

/// Makes the program smaller as long as it still fails, until nothing can be left out.
///
/// Only programs that use the language as it is meant are tried: no lock is given back by a thread that does
/// not hold it.
pub fn shrink(program: Program, mut fails: impl FnMut(&Program) -> bool) -> Program {
    let mut smallest = program;
    'smaller: loop {
        for candidate in candidates(&smallest) {
            let candidate = candidate.numbered();
            if candidate != smallest && is_proper(&candidate) && fails(&candidate) {
                smallest = candidate;
                continue 'smaller;
            }
        }
        return smallest;
    }
}

fn is_proper(program: &Program) -> bool {
    enumerate(program, MemoryModel::Sc, &Limits::default()).is_ok_and(|truth| truth.misuses.is_empty())
}

/// Programs with something left out, the boldest first. Each has fewer threads, statements or operators, or
/// a smaller constant, so that shrinking ends.
fn candidates(program: &Program) -> Vec<Program> {
    let mut all = Vec::new();
    for thread in 0..program.threads.len() {
        let mut without = program.clone();
        without.threads.remove(thread);
        all.push(without);
    }
    let blocks = program.blocks().count();
    for block in 0..blocks {
        let count = program.blocks().nth(block).map_or(0, |body| size(body));
        for at in 0..count {
            all.extend(changed(program, block, at, Change::Remove));
            for choice in 0..3 {
                all.extend(changed(program, block, at, Change::Unwrap(choice)));
            }
            // A lock goes together with one of the unlocks behind it.
            all.extend((at + 1..count).filter_map(|other| without_pair(program, block, at, other)));
        }
    }
    for block in 0..blocks {
        let count = program.blocks().nth(block).map_or(0, |body| size(body));
        for at in 0..count {
            all.extend(changed(program, block, at, Change::Simplify));
        }
    }
    all
}

fn size(block: &[Statement]) -> usize {
    block.iter().map(|statement| 1 + statement.what.blocks().iter().map(|b| size(b)).sum::<usize>()).sum()
}

#[derive(Clone, Copy)]
enum Change {
    Remove,
    /// Puts the statement's block of this number in its place.
    Unwrap(usize),
    /// Makes its values simpler.
    Simplify,
}

/// The program with the statement at this position, in the order of the text, changed.
fn changed(program: &Program, block: usize, at: usize, change: Change) -> Option<Program> {
    let mut new = program.clone();
    let body = new.blocks_mut().nth(block)?;
    apply(body, &mut { at }, change).then_some(new)
}

fn apply(block: &mut Vec<Statement>, left: &mut usize, change: Change) -> bool {
    for nth in 0..block.len() {
        if *left == 0 {
            return match change {
                Change::Remove => {
                    block.remove(nth);
                    true
                }
                Change::Unwrap(choice) => {
                    let inner = block[nth].what.blocks_mut().into_iter().nth(choice).map(std::mem::take);
                    inner.map(|inner| block.splice(nth..=nth, inner)).is_some()
                }
                Change::Simplify => simplify(&mut block[nth].what),
            };
        }
        *left -= 1;
        for inner in block[nth].what.blocks_mut() {
            let inside = size(inner);
            if *left < inside {
                return apply(inner, left, change);
            }
            *left -= inside;
        }
    }
    false
}

fn without_pair(program: &Program, block: usize, first: usize, second: usize) -> Option<Program> {
    let body = program.blocks().nth(block)?;
    let mut flat = Vec::new();
    flatten(body, &mut flat);
    let pair = match (&flat[first].what, &flat[second].what) {
        (What::Lock { mutex: a, .. }, What::Unlock { mutex: b })
        | (What::RwLock { lock: a, .. }, What::RwUnlock { lock: b }) => a == b,
        _ => false,
    };
    // The later one first: the earlier one's position stays.
    pair.then(|| changed(program, block, second, Change::Remove))
        .flatten()
        .and_then(|without| changed(&without, block, first, Change::Remove))
}

fn flatten<'p>(block: &'p [Statement], flat: &mut Vec<&'p Statement>) {
    for statement in block {
        flat.push(statement);
        for inner in statement.what.blocks() {
            flatten(inner, flat);
        }
    }
}

/// Replaces the first operator by one of its operands, or else lowers a constant.
fn simplify(what: &mut What) -> bool {
    match what {
        What::Assign { value, .. }
        | What::Switch { on: value, .. }
        | What::FutexWait { expected: value, .. } => simpler(value),
        What::Store { value, .. } => value.iter_mut().any(simpler),
        What::Rmw { update: Update::Add(value) | Update::Exchange(value), .. } => simpler(value),
        What::Rmw { update: Update::CompareExchange { expected, desired }, .. } => {
            simpler(expected) || simpler(desired)
        }
        What::Repeat { times, .. } if *times > 1 => {
            *times -= 1;
            true
        }
        _ => false,
    }
}

fn simpler(value: &mut Expr) -> bool {
    let new = match value {
        Expr::Binary(_, a, _) | Expr::Ite(_, a, _) => (**a).clone(),
        Expr::Reg(_) => Expr::Const(1),
        Expr::Const(n) if *n > 1 => Expr::Const(1),
        Expr::Const(_) => return false,
    };
    *value = new;
    true
}
