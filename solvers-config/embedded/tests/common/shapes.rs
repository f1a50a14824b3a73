//! Random formulas: of the shapes that Warpath asks about, and of any shape at all.

use super::cases::Case;
use super::random::Random;
use warpath_solvers::term::{Op, Simplification, Sort, TermId, Terms};

/// A case of either kind.
pub fn any(seed: u64) -> Case {
    let mut random = Random::new(seed);
    match seed % 3 {
        0 => executions(&mut random),
        1 => mixed(&mut random, &[Sort::Bool, Sort::Int]),
        _ => mixed(&mut random, &[Sort::Bool, Sort::Int, Sort::Bits(1), Sort::Bits(4), Sort::Bits(7)]),
    }
}

/// Threads of events in program order; reads that take the value of a write; critical sections that exclude each
/// other; and a wish about order or values that makes some of it impossible.
pub fn executions(random: &mut Random) -> Case {
    let mut terms = Terms::new();
    let t = &mut terms;
    let mut assertions = Vec::new();
    let (threads, length) = (2 + random.below(3), 2 + random.below(4));
    let order: Vec<Vec<TermId>> = (0..threads)
        .map(|thread| {
            (0..length)
                .map(|event| t.constant(&format!("o{}", thread * length + event), Sort::Int).unwrap())
                .collect()
        })
        .collect();
    for thread in &order {
        for pair in thread.windows(2) {
            assertions.push(t.lt(pair[0], pair[1]).unwrap());
        }
    }
    // Each event may be a read or a write of one of two variables.
    let mut writes: Vec<(usize, TermId, TermId, usize)> = Vec::new();
    let mut reads: Vec<(usize, TermId, TermId, usize)> = Vec::new();
    let width = *random.pick(&[4, 8, 16]);
    for (thread, events) in order.iter().enumerate() {
        let mut last_read = None;
        for &event in events {
            let number = writes.len() + reads.len();
            let variable = random.below(2);
            let value = t.constant(&format!("v{number}"), Sort::Bits(width)).unwrap();
            if random.once_in(2) {
                let written = match last_read {
                    Some(read) if random.once_in(2) => {
                        let one = t.bits(1 + random.below(3) as u128, width).unwrap();
                        t.apply(*random.pick(&[Op::BvAdd, Op::BvXor, Op::BvSub]), &[read, one]).unwrap()
                    }
                    _ => t.bits(random.below(4) as u128, width).unwrap(),
                };
                assertions.push(t.eq(value, written).unwrap());
                writes.push((thread, event, value, variable));
            } else {
                reads.push((thread, event, value, variable));
                last_read = Some(value);
            }
        }
    }
    let mut flags = 0;
    for &(_, read, value, variable) in &reads {
        let sources: Vec<_> = writes.iter().filter(|write| write.3 == variable).copied().collect();
        let mut choices = Vec::new();
        for &(_, write, written, _) in &sources {
            let from = t.constant(&format!("r{flags}"), Sort::Bool).unwrap();
            flags += 1;
            choices.push(from);
            let mut meaning = vec![t.lt(write, read).unwrap(), t.eq(value, written).unwrap()];
            for &(_, other, _, _) in sources.iter().filter(|other| other.1 != write) {
                let (before, after) = (t.lt(other, write).unwrap(), t.lt(read, other).unwrap());
                meaning.push(t.or(&[before, after]).unwrap());
            }
            let meaning = t.and(&meaning).unwrap();
            assertions.push(t.implies(from, meaning).unwrap());
        }
        if !choices.is_empty() {
            assertions.push(t.or(&choices).unwrap());
        }
    }
    // Critical sections: the first and last event of two threads.
    for _ in 0..random.below(3) {
        let (a, b) = (random.pick(&order), random.pick(&order));
        if a != b {
            let (first, second) = (t.lt(a[a.len() - 1], b[0]).unwrap(), t.lt(b[b.len() - 1], a[0]).unwrap());
            assertions.push(t.or(&[first, second]).unwrap());
        }
    }
    for _ in 0..1 + random.below(3) {
        let events = order.concat();
        let (a, b) = (*random.pick(&events), *random.pick(&events));
        let wish = t.lt(a, b).unwrap();
        assertions.push(if random.once_in(3) { t.not(wish).unwrap() } else { wish });
        if let (Some(read), true) = (reads.first(), random.once_in(2)) {
            let wanted = t.bits(random.below(6) as u128, width).unwrap();
            assertions.push(t.eq(read.2, wanted).unwrap());
        }
    }
    Case::arrange(random, terms, assertions)
}

/// Random terms over a few constants of each sort; integers only in differences.
pub fn mixed(random: &mut Random, sorts: &[Sort]) -> Case {
    let simplification = if random.once_in(2) { Simplification::On } else { Simplification::Off };
    let mut builder = Builder { terms: Terms::with_simplification(simplification), constants: Vec::new() };
    let mut numbers = [0_usize; 3];
    for _ in 0..3 + random.below(6) {
        let sort = *random.pick(sorts);
        let (kind, number) = match sort {
            Sort::Bool => ("b", &mut numbers[0]),
            Sort::Int => ("o", &mut numbers[1]),
            Sort::Bits(_) => ("v", &mut numbers[2]),
        };
        let id = builder.terms.constant(&format!("{kind}{number}"), sort).unwrap();
        *number += 1;
        builder.constants.push(id);
    }
    let count = 2 + random.below(10);
    let assertions = (0..count).map(|_| builder.formula(random, 3)).collect();
    Case::arrange(random, builder.terms, assertions)
}

struct Builder {
    terms: Terms,
    constants: Vec<TermId>,
}

impl Builder {
    fn constant(&mut self, random: &mut Random, sort: Sort) -> Option<TermId> {
        let of: Vec<TermId> =
            self.constants.iter().copied().filter(|&id| self.terms.sort(id) == sort).collect();
        (!of.is_empty()).then(|| *random.pick(&of))
    }

    fn formula(&mut self, random: &mut Random, depth: usize) -> TermId {
        if depth == 0 || random.once_in(4) {
            return self.atom(random, depth);
        }
        let args: Vec<TermId> = (0..2 + random.below(3)).map(|_| self.formula(random, depth - 1)).collect();
        let two = &args[..2];
        let t = &mut self.terms;
        match random.below(9) {
            0 => t.not(args[0]),
            1 | 2 => t.and(&args),
            3 | 4 => t.or(&args),
            5 => t.xor(args[0], args[1]),
            6 => t.implies(args[0], args[1]),
            7 => t.apply(Op::Eq, two),
            _ => t.ite(args[0], args[1], args[args.len() - 1]),
        }
        .unwrap()
    }

    fn atom(&mut self, random: &mut Random, depth: usize) -> TermId {
        match random.below(4) {
            0 => {
                let constant = self.constant(random, Sort::Bool);
                constant.unwrap_or_else(|| self.terms.bool(random.once_in(2)))
            }
            1 | 2 => self.difference(random).unwrap_or_else(|| self.comparison(random, depth)),
            _ => self.comparison(random, depth),
        }
    }

    /// Two integers compared, up to a constant.
    fn difference(&mut self, random: &mut Random) -> Option<TermId> {
        let (a, b) = (self.constant(random, Sort::Int)?, self.constant(random, Sort::Int)?);
        let t = &mut self.terms;
        let offset = t.int(random.below(7) as i128 - 3).unwrap();
        let op = *random.pick(&[Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Eq]);
        Some(
            match random.below(4) {
                0 => t.apply(op, &[a, b]),
                1 => {
                    let sum = t.apply(Op::Add, &[b, offset]).unwrap();
                    t.apply(op, &[a, sum])
                }
                2 => {
                    let difference = t.apply(Op::Sub, &[a, b]).unwrap();
                    t.apply(op, &[difference, offset])
                }
                _ => t.apply(Op::Distinct, &[a, b]),
            }
            .unwrap(),
        )
    }

    fn comparison(&mut self, random: &mut Random, depth: usize) -> TermId {
        let widths: Vec<u32> = self.constants.iter().filter_map(|&id| self.terms.sort(id).width()).collect();
        if widths.is_empty() {
            return self.terms.bool(random.once_in(2));
        }
        let width = *random.pick(&widths);
        let (a, b) = (self.bits(random, width, depth), self.bits(random, width, depth));
        let ops = [
            Op::Eq,
            Op::Distinct,
            Op::BvUlt,
            Op::BvUle,
            Op::BvUgt,
            Op::BvUge,
            Op::BvSlt,
            Op::BvSle,
            Op::BvSgt,
            Op::BvSge,
        ];
        self.terms.apply(*random.pick(&ops), &[a, b]).unwrap()
    }

    fn bits(&mut self, random: &mut Random, width: u32, depth: usize) -> TermId {
        let leaf = |builder: &mut Self, random: &mut Random| match builder.constant(random, Sort::Bits(width))
        {
            Some(constant) if !random.once_in(4) => constant,
            _ => builder.terms.bits(u128::from(random.next()) & ((1 << width) - 1), width).unwrap(),
        };
        if depth == 0 || random.once_in(3) {
            return leaf(self, random);
        }
        let (a, b) = (self.bits(random, width, depth - 1), self.bits(random, width, depth - 1));
        match random.below(8) {
            0 => self.terms.apply(*random.pick(&[Op::BvNot, Op::BvNeg]), &[a]).unwrap(),
            1 => {
                let condition = self.formula(random, depth - 1);
                self.terms.ite(condition, a, b).unwrap()
            }
            2 => {
                let by = random.below(9) as u16;
                self.terms.apply(*random.pick(&[Op::RotateLeft(by), Op::RotateRight(by)]), &[a]).unwrap()
            }
            3 => {
                // Wider and back again.
                let by = 1 + random.below(3) as u16;
                let op = *random.pick(&[Op::ZeroExtend(by), Op::SignExtend(by)]);
                let wide = self.terms.apply(op, &[a]).unwrap();
                let low = random.below(usize::from(by) + 1) as u16;
                self.terms.apply(Op::Extract { high: low + width as u16 - 1, low }, &[wide]).unwrap()
            }
            4 if width > 1 => {
                let cut = 1 + random.below(width as usize - 1) as u16;
                let high = self.terms.apply(Op::Extract { high: width as u16 - 1, low: cut }, &[a]).unwrap();
                let low = self.terms.apply(Op::Extract { high: cut - 1, low: 0 }, &[b]).unwrap();
                self.terms.apply(Op::Concat, &[low, high]).unwrap()
            }
            5 => {
                let bit = self.terms.apply(Op::BvComp, &[a, b]).unwrap();
                if width == 1 {
                    return bit;
                }
                self.terms.apply(Op::ZeroExtend(width as u16 - 1), &[bit]).unwrap()
            }
            _ => {
                let ops = [
                    Op::BvAnd,
                    Op::BvOr,
                    Op::BvXor,
                    Op::BvNand,
                    Op::BvNor,
                    Op::BvXnor,
                    Op::BvAdd,
                    Op::BvSub,
                    Op::BvMul,
                    Op::BvUdiv,
                    Op::BvUrem,
                    Op::BvSdiv,
                    Op::BvSrem,
                    Op::BvSmod,
                    Op::BvShl,
                    Op::BvLshr,
                    Op::BvAshr,
                ];
                self.terms.apply(*random.pick(&ops), &[a, b]).unwrap()
            }
        }
    }
}
