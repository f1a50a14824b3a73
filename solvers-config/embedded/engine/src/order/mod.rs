//! The theory of orders: differences of integers, `to - from >= least`.
//!
//! Each comparison that is true is an edge of a graph whose nodes are integers; a circle whose differences add up to
//! more than 0 cannot be. `a < b` is an edge of weight 1 from a to b, its negation one of weight 0 from b to a, so a
//! circle without a strict comparison is allowed: all on it are equal. Consistency is kept by potentials, integers
//! that satisfy all edges (Cotton & Maler, "Fast and flexible difference constraint propagation for DPLL(T)",
//! SAT 2006); they need no undoing and are the model in the end. As in Zord (He et al., "Satisfiability modulo
//! ordering consistency theory for multi-threaded program verification", PLDI 2021) no clause of transitivity is
//! ever made; conflicts are short circles, and comparisons that would close one are implied and explained on demand.
//! Deviation from Zord and from Pearce & Kelly's dynamic topological order: potentials instead of positions, because
//! SMT-LIB's integers may be equal, and because constants come for free.

mod graph;
mod imply;
mod paths;

use crate::sat::{Contradiction, Lit, Theory, Var};
pub(crate) use graph::Node;
use graph::{Edge, Graph};
use rustc_hash::FxHashMap;

/// A comparison with a variable of its own: `to - from >= least`.
#[derive(Debug, Clone, Copy)]
struct Atom {
    from: Node,
    to: Node,
    least: i64,
}

const NO_ATOM: u32 = u32::MAX;

/// The largest number that a comparison may speak of: sums over any circle must fit.
pub(crate) const LARGEST: i64 = 1 << 31;

/// All comparisons that have a variable.
#[derive(Debug, Default)]
struct Comparisons {
    atoms: Vec<Atom>,
    /// By comparison: its variable.
    vars: Vec<Var>,
    /// By pair of nodes, the smaller first: what compares them.
    of_pair: FxHashMap<(Node, Node), Vec<u32>>,
}

impl Comparisons {
    /// What compares these two.
    fn between(&self, a: Node, b: Node) -> &[u32] {
        self.of_pair.get(&(a.min(b), a.max(b))).map_or(&[], Vec::as_slice)
    }
}

#[derive(Debug, Default)]
pub(crate) struct Orders {
    graph: Graph,
    known: Comparisons,
    /// By variable: its comparison.
    of_var: Vec<u32>,
    imply: imply::Imply,
    paths: paths::Paths,
    /// The edges of the circle or path last found.
    found: Vec<Lit>,
    whole: Vec<Lit>,
}

impl Orders {
    pub(crate) fn new_node(&mut self) -> Node {
        self.imply.add_node();
        self.graph.add_node()
    }

    /// The literal of a comparison between two different nodes, if it has a variable.
    pub(crate) fn literal(&self, from: Node, to: Node, least: i64) -> Option<Lit> {
        self.known.between(from, to).iter().find_map(|&at| {
            let atom = self.known.atoms[at as usize];
            let var = self.known.vars[at as usize];
            let same = (atom.from, atom.to, atom.least) == (from, to, least);
            let negated = (atom.to, atom.from, 1 - atom.least) == (from, to, least);
            (same || negated).then(|| var.positive().flipped(negated))
        })
    }

    /// Gives a new variable the meaning of a comparison. Returns clauses of two literals that relate it to what
    /// compares the same pair.
    pub(crate) fn add_atom(&mut self, var: Var, from: Node, to: Node, least: i64) -> Vec<[Lit; 2]> {
        let Comparisons { atoms, vars, of_pair } = &mut self.known;
        let number = atoms.len() as u32;
        let key = (from.min(to), from.max(to));
        let others = of_pair.entry(key).or_default();
        // Seen as `larger - smaller >= bound`, the higher bound implies the lower one.
        let seen_up = |atom: Atom, literal: Lit| {
            if atom.from == key.0 { (atom.least, literal) } else { (1 - atom.least, !literal) }
        };
        let atom = Atom { from, to, least };
        let (bound, literal) = seen_up(atom, var.positive());
        let related = others
            .iter()
            .map(|&at| {
                let (other_bound, other) = seen_up(atoms[at as usize], vars[at as usize].positive());
                if bound > other_bound { [!literal, other] } else { [literal, !other] }
            })
            .collect();
        others.push(number);
        atoms.push(atom);
        vars.push(var);
        self.of_var.resize(var.index() + 1, NO_ATOM);
        self.of_var[var.index()] = number;
        self.imply.add_atom(number, from, to);
        related
    }

    /// Integers that satisfy every comparison that is true now.
    pub(crate) fn potentials(&self) -> &[i64] {
        self.graph.potentials()
    }

    fn edge(&self, literal: Lit) -> (Node, Node, i64) {
        let Atom { from, to, least } = self.known.atoms[self.of_var[literal.var().index()] as usize];
        if literal.is_positive() { (from, to, least) } else { (to, from, 1 - least) }
    }

    /// Makes the clause of the edges in `found`, all of which are true.
    fn write_clause(&mut self, clause: &mut Vec<Lit>, permanent: impl Fn(Lit) -> bool) {
        clause.clear();
        self.whole.clear();
        for &literal in &self.found {
            self.whole.push(!literal);
            if !permanent(literal) {
                clause.push(!literal);
            }
        }
    }
}

impl Theory for Orders {
    fn knows(&self, var: Var) -> bool {
        self.of_var.get(var.index()).is_some_and(|&atom| atom != NO_ATOM)
    }

    fn tell(&mut self, literal: Lit, permanent: bool, implied: &mut Vec<Lit>) -> Result<(), Contradiction> {
        let (from, to, weight) = self.edge(literal);
        let edge = Edge { from, to, weight, literal, permanent };
        self.found.clear();
        if self.graph.add(edge, &mut self.found).is_err() {
            // A circle was found; perhaps there is a shorter one.
            let limit = self.graph.edges();
            let want = 1 - weight;
            let free = self.found.iter().filter(|&&literal| !self.graph.is_permanent(literal)).count();
            if let Some(shorter) = self.paths.shortest(&self.graph, to, from, want, limit)
                && shorter.cost + usize::from(!permanent) < free
            {
                self.found.clear();
                self.found.push(literal);
                self.found.extend_from_slice(self.paths.found());
            }
            return Err(Contradiction);
        }
        self.imply.after(&self.graph, edge, &self.known, implied);
        Ok(())
    }

    fn retract(&mut self) {
        self.graph.remove_last();
    }

    fn conflict(&mut self, clause: &mut Vec<Lit>) {
        let graph = std::mem::take(&mut self.graph);
        self.write_clause(clause, |literal| graph.is_permanent(literal));
        self.graph = graph;
    }

    fn explain(&mut self, literal: Lit, clause: &mut Vec<Lit>) {
        let (from, to, least) = self.edge(literal);
        // What was told after it was implied is no reason.
        let limit = self.graph.position(literal).unwrap_or(self.graph.edges());
        let found = self.paths.shortest(&self.graph, from, to, least, limit);
        debug_assert!(found.is_some(), "what was implied has a path");
        self.found.clear();
        self.found.extend_from_slice(self.paths.found());
        let graph = std::mem::take(&mut self.graph);
        self.write_clause(clause, |literal| graph.is_permanent(literal));
        self.graph = graph;
        self.whole.push(literal);
        clause.insert(0, literal);
    }

    fn whole(&self) -> &[Lit] {
        &self.whole
    }
}
