//! Integers: nodes, comparisons of them, and lemmas about comparisons.

use crate::clauses::Clauses;
use crate::literal::Lit;
use rustc_hash::FxHashMap;

/// An integer that comparisons speak of, by number; 0 is the number 0.
pub(crate) type Node = u32;

/// `node + offset`
pub(crate) type Sum = (Node, i64);

/// Numbers beyond this are refused, so that no sum of as many as memory holds overflows.
pub(crate) const LARGEST: i64 = 1 << 40;

/// `to - from >= least`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Comparison {
    pub(crate) from: Node,
    pub(crate) to: Node,
    pub(crate) least: i64,
}

impl Comparison {
    /// The one that holds exactly if this one does not.
    fn negated(self) -> Comparison {
        Comparison { from: self.to, to: self.from, least: 1 - self.least }
    }
}

#[derive(Debug, Clone, Copy)]
struct Choice {
    condition: Lit,
    then: Sum,
    otherwise: Sum,
}

#[derive(Debug)]
pub(crate) struct Orders {
    nodes: u32,
    by_var: FxHashMap<u32, Comparison>,
    literals: FxHashMap<Comparison, Lit>,
    choices: FxHashMap<Node, Choice>,
    by_choice: FxHashMap<(Lit, Sum, Sum), Node>,
}

impl Orders {
    /// The number 0 and nothing else.
    pub(crate) fn new() -> Self {
        Orders {
            nodes: 1,
            by_var: FxHashMap::default(),
            literals: FxHashMap::default(),
            choices: FxHashMap::default(),
            by_choice: FxHashMap::default(),
        }
    }

    pub(crate) fn new_node(&mut self) -> Node {
        self.nodes += 1;
        self.nodes - 1
    }

    /// A new node that is one sum or the other.
    pub(crate) fn new_choice(&mut self, condition: Lit, then: Sum, otherwise: Sum) -> Node {
        let node = self.new_node();
        self.choices.insert(node, Choice { condition, then, otherwise });
        self.by_choice.entry((condition, then, otherwise)).or_insert(node);
        node
    }

    pub(crate) fn choice(&self, condition: Lit, then: Sum, otherwise: Sum) -> Option<Node> {
        self.by_choice.get(&(condition, then, otherwise)).copied()
    }

    /// The literal of a comparison of two different nodes.
    pub(crate) fn literal(&self, comparison: Comparison) -> Option<Lit> {
        let known = self.literals.get(&comparison).copied();
        known.or_else(|| self.literals.get(&comparison.negated()).map(|&literal| !literal))
    }

    /// Gives a new literal the meaning of a comparison. What a choice makes of it is added as clauses.
    pub(crate) fn define(&mut self, literal: Lit, comparison: Comparison, clauses: &mut Clauses) {
        self.by_var.insert(literal.var(), comparison);
        self.literals.entry(comparison).or_insert(literal);
        for (literal, comparison) in [(literal, comparison), (!literal, comparison.negated())] {
            let Comparison { from, to, least } = comparison;
            for (node, other, lower) in [(to, from, true), (from, to, false)] {
                let Some(&Choice { condition, then, otherwise }) = self.choices.get(&node) else { continue };
                for (condition, (value, offset)) in [(condition, then), (!condition, otherwise)] {
                    // The node is `value + offset`, so it is at least that, and at most that.
                    if value == other && least == if lower { offset } else { -offset } {
                        clauses.add(&[!condition, literal]);
                    }
                }
            }
        }
    }

    /// Gives all comparisons the truth that integers have: by node, where those of constants are known.
    #[cfg(test)]
    pub(crate) fn settle(&self, values: &mut Vec<Option<i64>>, clauses: &mut Clauses) {
        values.resize(self.nodes as usize, None);
        // A choice comes after what it is between.
        for node in 0..self.nodes {
            if let Some(choice) = self.choices.get(&node) {
                let holds = clauses.follows(&[choice.condition]);
                let (value, offset) = if holds { choice.then } else { choice.otherwise };
                values[node as usize] = values[value as usize].map(|value| value + offset);
            }
        }
        for (&var, comparison) in &self.by_var {
            let of = |node: Node| values[node as usize].expect("every node has a value");
            let holds = of(comparison.to) - of(comparison.from) >= comparison.least;
            clauses.add(&[Lit::positive(var).flipped(!holds)]);
        }
    }

    /// Whether the negations of the literals, comparisons all of them, add up to `0 >= 1` or more: each node comes in
    /// as often as it goes out, and the sum of the differences is positive. A circle is such a set.
    pub(crate) fn is_lemma(&self, clause: &[Lit]) -> bool {
        let mut balance: FxHashMap<Node, i64> = FxHashMap::default();
        let mut sum: i128 = 0;
        for &literal in clause {
            let Some(&comparison) = self.by_var.get(&literal.var()) else { return false };
            let Comparison { from, to, least } =
                if literal.is_positive() { comparison.negated() } else { comparison };
            *balance.entry(to).or_insert(0) += 1;
            *balance.entry(from).or_insert(0) -= 1;
            sum += i128::from(least);
        }
        sum > 0 && balance.values().all(|&count| count == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_circles_that_cannot_be_are_lemmas() {
        let mut clauses = Clauses::new();
        let mut orders = Orders::new();
        let [a, b, c] = [(); 3].map(|()| orders.new_node());
        let mut compare = |from, to, least| {
            let literal = clauses.new_var();
            orders.define(literal, Comparison { from, to, least }, &mut clauses);
            literal
        };
        let (ab, bc, ca) = (compare(a, b, 1), compare(b, c, 0), compare(c, a, 0));
        let before = compare(a, b, 0);
        assert!(orders.is_lemma(&[!ab, !bc, !ca]));
        assert!(!orders.is_lemma(&[!ab, !bc]));
        assert!(!orders.is_lemma(&[ab, !bc, !ca]));
        // All may be equal.
        assert!(!orders.is_lemma(&[!before, !bc, !ca]));
        assert!(!orders.is_lemma(&[]));
    }
}
