//! The theory of orders: differences of integers, `to - from >= least`.
//!
//! Each comparison that is true is an edge of a graph whose nodes are integers; a circle whose differences add up to
//! more than 0 cannot be. `a < b` is an edge of weight 1 from a to b, its negation one of weight 0 from b to a, so a
//! circle without a strict comparison is allowed: all on it are equal. Consistency is kept by potentials, integers
//! that satisfy all edges (Cotton & Maler, "Fast and flexible difference constraint propagation for DPLL(T)",
//! SAT 2006); they need no undoing and are the model in the end. As in Zord (He et al., "Satisfiability modulo
//! ordering consistency theory for multi-threaded program verification", PLDI 2021) no clause of transitivity is
//! ever made; conflicts are short circles, and comparisons that would close one are implied and explained on demand.
//! What a comparison of two threads implies is looked up in the grid of their comparisons (`chains`), anything else is
//! searched for nearby (`imply`).
//! Deviation from Zord and from Pearce & Kelly's dynamic topological order: potentials instead of positions, because
//! SMT-LIB's integers may be equal, and because constants come for free.

mod chains;
mod graph;
mod imply;
mod paths;

use crate::sat::{Contradiction, Lit, Since, Theory, Var};
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

impl Atom {
    /// The side that is not this node.
    fn other(&self, node: Node) -> Node {
        if self.from == node { self.to } else { self.from }
    }
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
    /// By pair of nodes, the smaller first: the last that compares them.
    of_pair: FxHashMap<(Node, Node), u32>,
    /// By comparison: the one before it that compares the same two, or `NO_ATOM`. Nearly all are alone, and a list for
    /// each would cost more than all else that is known of it.
    before: Vec<u32>,
}

impl Comparisons {
    /// What compares these two, the last first.
    fn between(&self, a: Node, b: Node) -> impl Iterator<Item = u32> {
        let mut next = self.of_pair.get(&(a.min(b), a.max(b))).copied().unwrap_or(NO_ATOM);
        std::iter::from_fn(move || {
            let number = next;
            next = *self.before.get(number as usize)?;
            Some(number)
        })
    }

    /// The literal that follows if a node comes before the other side of a comparison, or, if not strictly, not after
    /// it.
    fn decided(&self, number: u32, node: Node, strict: bool) -> Option<Lit> {
        let literal = self.vars[number as usize].positive();
        let Atom { from, to, least } = self.atoms[number as usize];
        // `other - node >= 1` or `>= 0` is known.
        let difference = i64::from(strict);
        if from == node && difference >= least {
            Some(literal)
        } else if to == node && difference > -least {
            // Its negation is `from - to >= 1 - least`.
            Some(!literal)
        } else {
            None
        }
    }

    /// Adds one; its number.
    fn add(&mut self, atom: Atom, var: Var) -> u32 {
        let number = self.atoms.len() as u32;
        let pair = (atom.from.min(atom.to), atom.from.max(atom.to));
        self.before.push(self.of_pair.insert(pair, number).unwrap_or(NO_ATOM));
        self.atoms.push(atom);
        self.vars.push(var);
        number
    }
}

#[derive(Debug, Default)]
pub(crate) struct Orders {
    graph: Graph,
    known: Comparisons,
    /// By variable: its comparison.
    of_var: Vec<u32>,
    imply: imply::Imply,
    chains: chains::Chains,
    paths: paths::Paths,
    /// The edges of the circle or path last found.
    found: Vec<Lit>,
    whole: Vec<Lit>,
    /// Clauses are wanted with what may be left out.
    wants_whole: bool,
}

impl Orders {
    /// From now on [`Theory::whole`] will be asked for.
    pub(crate) fn want_whole(&mut self) {
        self.wants_whole = true;
    }

    pub(crate) fn new_node(&mut self) -> Node {
        self.imply.add_node();
        self.chains.add_node();
        self.graph.add_node()
    }

    /// The literal of a comparison between two different nodes, if it has a variable.
    pub(crate) fn literal(&self, from: Node, to: Node, least: i64) -> Option<Lit> {
        self.known.between(from, to).find_map(|at| {
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
        let smaller = from.min(to);
        // Seen as `larger - smaller >= bound`, the higher bound implies the lower one.
        let seen_up = |atom: Atom, literal: Lit| {
            if atom.from == smaller { (atom.least, literal) } else { (1 - atom.least, !literal) }
        };
        let atom = Atom { from, to, least };
        let (bound, literal) = seen_up(atom, var.positive());
        let Comparisons { atoms, vars, .. } = &self.known;
        let others = self.known.between(from, to);
        let related = others
            .map(|at| {
                let (other_bound, other) = seen_up(atoms[at as usize], vars[at as usize].positive());
                if bound > other_bound { [!literal, other] } else { [literal, !other] }
            })
            .collect();
        let number = self.known.add(atom, var);
        self.of_var.resize(var.index() + 1, NO_ATOM);
        self.of_var[var.index()] = number;
        self.imply.add_atom(number, from, to);
        related
    }

    /// A literal is asserted: it is true as long as a level is open, and its two sides may be in a chain.
    pub(crate) fn asserted(&mut self, literal: Lit) {
        if self.knows(literal.var()) {
            let (from, to, weight) = self.edge(literal);
            if weight > 0 {
                self.chains.link(from, to, literal);
            }
        }
    }

    /// What a chain says of the order of two: whether the first comes before the second, if both are in one.
    pub(crate) fn in_chain(&mut self, first: Node, second: Node) -> Option<bool> {
        self.chains.number(&self.graph);
        self.chains.in_order(first, second)
    }

    /// What comes after an integer by comparisons that are true now and do not follow from others, and by how much.
    pub(crate) fn after(&self, node: Node) -> impl Iterator<Item = (Node, i64)> + '_ {
        self.graph.out_of(node).iter().map(|half| (half.other, half.weight))
    }

    /// How many links of chains there are.
    pub(crate) fn links(&self) -> usize {
        self.chains.len()
    }

    /// Takes back the links made since there were so many.
    pub(crate) fn unlink(&mut self, count: usize) {
        self.chains.unlink(count);
    }

    /// Integers that satisfy every comparison that is true now.
    pub(crate) fn potentials(&self) -> &[i64] {
        self.graph.potentials()
    }

    fn edge(&self, literal: Lit) -> (Node, Node, i64) {
        let Atom { from, to, least } = self.known.atoms[self.of_var[literal.var().index()] as usize];
        if literal.is_positive() { (from, to, least) } else { (to, from, 1 - least) }
    }

    /// The path that implied a literal, if it went along one chain, over to another, and along that; into `found`, but
    /// for what may be left out.
    fn along_chains(&mut self, literal: Lit, limit: u32) -> Option<()> {
        let cause = self.chains.cause(&self.graph, literal, limit)?;
        let (from, to, _) = self.edge(literal);
        let (over_from, over_to, _) = self.edge(cause);
        self.found.clear();
        let Self { chains, graph, found, wants_whole: whole, .. } = self;
        chains.way(graph, (from, over_from), limit, *whole, found)?;
        found.push(cause);
        chains.way(graph, (over_to, to), limit, *whole, found)
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

    fn tell(&mut self, literal: Lit, since: Since, implied: &mut Vec<Lit>) -> Result<(), Contradiction> {
        let (from, to, weight) = self.edge(literal);
        let Since { permanent, implied: follows } = since;
        let edge = Edge { from, to, weight, literal, permanent, follows };
        self.chains.number(&self.graph);
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
        self.chains.told(literal, permanent);
        if weight >= 0 {
            let Self { graph, known, imply, chains, .. } = self;
            chains.after(graph, known, imply.atoms(), &edge, implied);
            // What follows from other edges has nothing new to say.
            if !follows {
                imply.after(graph, edge, known, implied);
            }
        }
        Ok(())
    }

    fn retract(&mut self) {
        if let Some(edge) = self.graph.remove_last() {
            self.chains.retracted(edge.literal, edge.permanent);
        }
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
        if self.along_chains(literal, limit).is_none() {
            let found = self.paths.shortest(&self.graph, from, to, least, limit);
            debug_assert!(found.is_some(), "what was implied has a path");
            self.found.clear();
            self.found.extend_from_slice(self.paths.found());
        }
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
