//! The theory of equality between bit-vectors: what is equal to the same is equal.
//!
//! The bits alone know it, too, but bit by bit: a search that decides upon bits before it knows which vectors are equal
//! learns as many clauses as there are values. Here equal vectors are classes (Nieuwenhuis & Oliveras, "Fast congruence
//! closure and extensions", 2007, without functions), and explanations are paths through a forest of the equalities
//! that joined them. Only what follows by transitivity is said; constants, which differ, and everything else is left to
//! the bits.

mod forest;

use crate::sat::{Contradiction, Lit, Since, Theory, Var};
use forest::Forest;
use rustc_hash::FxHashMap;
use warpath_solvers::term::TermId;

/// A vector that is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Vector(u32);

impl Vector {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// An equality with a literal that means it.
#[derive(Debug, Clone, Copy)]
struct Atom {
    a: Vector,
    b: Vector,
    equal: Lit,
    told: Option<bool>,
}

/// How to take back what was told.
#[derive(Debug, Clone, Copy)]
struct Undo {
    atom: u32,
    /// The class that was emptied into another, where it begins there, and the edge that did it.
    joined: Option<Joined>,
}

#[derive(Debug, Clone, Copy)]
struct Joined {
    from: u32,
    into: u32,
    members_before: u32,
    edge: (Vector, Vector),
}

const NO_ATOM: u32 = u32::MAX;

#[derive(Debug, Default)]
pub(crate) struct Equals {
    vectors: FxHashMap<TermId, Vector>,
    /// By vector: its class, and the equalities it takes part in.
    class: Vec<u32>,
    uses: Vec<Vec<u32>>,
    /// By class: its vectors.
    members: Vec<Vec<Vector>>,
    atoms: Vec<Atom>,
    /// By variable: its equality.
    of_var: Vec<u32>,
    forest: Forest,
    told: Vec<Undo>,
    /// The clause last given.
    whole: Vec<Lit>,
}

impl Equals {
    /// Gives a literal the meaning that two vectors are equal, unless its variable has one.
    pub(crate) fn add_atom(&mut self, equal: Lit, a: TermId, b: TermId) {
        if a == b || self.knows(equal.var()) {
            return;
        }
        let number = self.atoms.len() as u32;
        let (a, b) = (self.vector(a), self.vector(b));
        self.uses[a.index()].push(number);
        self.uses[b.index()].push(number);
        self.atoms.push(Atom { a, b, equal, told: None });
        if self.of_var.len() <= equal.var().index() {
            self.of_var.resize(equal.var().index() + 1, NO_ATOM);
        }
        self.of_var[equal.var().index()] = number;
    }

    fn vector(&mut self, term: TermId) -> Vector {
        let next = Vector(self.class.len() as u32);
        let vector = *self.vectors.entry(term).or_insert(next);
        if vector == next {
            self.class.push(next.0);
            self.uses.push(Vec::new());
            self.members.push(vec![next]);
            self.forest.add();
        }
        vector
    }

    fn class(&self, vector: Vector) -> u32 {
        self.class[vector.index()]
    }

    /// Joins the classes of an equality that is true now.
    fn join(&mut self, number: u32, implied: &mut Vec<Lit>) -> Result<Option<Joined>, Contradiction> {
        let Atom { a, b, equal, .. } = self.atoms[number as usize];
        let (mut from, mut into) = (a, b);
        if self.class(from) == self.class(into) {
            return Ok(None);
        }
        if self.members[self.class(from) as usize].len() > self.members[self.class(into) as usize].len() {
            (from, into) = (into, from);
        }
        let (small, large) = (self.class(from), self.class(into));
        for &member in &self.members[small as usize] {
            for &used in &self.uses[member.index()] {
                let atom = self.atoms[used as usize];
                let other = if atom.a == member { atom.b } else { atom.a };
                if self.class(other) != large || used == number {
                    continue;
                }
                match atom.told {
                    None => implied.push(atom.equal),
                    Some(true) => {}
                    Some(false) => {
                        self.whole.clear();
                        self.whole.extend([atom.equal, !equal]);
                        self.forest.path(member, from, &mut self.whole);
                        self.forest.path(into, other, &mut self.whole);
                        return Err(Contradiction);
                    }
                }
            }
        }
        let moved = std::mem::take(&mut self.members[small as usize]);
        let members_before = self.members[large as usize].len() as u32;
        for &member in &moved {
            self.class[member.index()] = large;
        }
        self.members[large as usize].extend(moved);
        self.forest.link(from, into, equal);
        Ok(Some(Joined { from: small, into: large, members_before, edge: (from, into) }))
    }
}

impl Theory for Equals {
    fn knows(&self, var: Var) -> bool {
        self.of_var.get(var.index()).is_some_and(|&atom| atom != NO_ATOM)
    }

    fn tell(&mut self, literal: Lit, _: Since, implied: &mut Vec<Lit>) -> Result<(), Contradiction> {
        let number = self.of_var[literal.var().index()];
        let atom = self.atoms[number as usize];
        let joined = if literal == atom.equal {
            self.join(number, implied)?
        } else if self.class(atom.a) == self.class(atom.b) {
            self.whole.clear();
            self.whole.push(atom.equal);
            self.forest.path(atom.a, atom.b, &mut self.whole);
            return Err(Contradiction);
        } else {
            None
        };
        self.atoms[number as usize].told = Some(literal == atom.equal);
        self.told.push(Undo { atom: number, joined });
        Ok(())
    }

    fn retract(&mut self) {
        let Some(Undo { atom, joined }) = self.told.pop() else { return };
        self.atoms[atom as usize].told = None;
        if let Some(Joined { from, into, members_before, edge }) = joined {
            let moved = self.members[into as usize].split_off(members_before as usize);
            for &member in &moved {
                self.class[member.index()] = from;
            }
            self.members[from as usize] = moved;
            self.forest.cut(edge.0, edge.1);
        }
    }

    fn conflict(&mut self, clause: &mut Vec<Lit>) {
        clause.clear();
        clause.extend_from_slice(&self.whole);
    }

    fn explain(&mut self, literal: Lit, clause: &mut Vec<Lit>) {
        let Atom { a, b, .. } = self.atoms[self.of_var[literal.var().index()] as usize];
        self.whole.clear();
        self.whole.push(literal);
        // Between two vectors there is one path, whatever was joined since.
        self.forest.path(a, b, &mut self.whole);
        clause.clear();
        clause.extend_from_slice(&self.whole);
    }

    fn whole(&self) -> &[Lit] {
        &self.whole
    }
}
