//! Families of comparisons as they are asserted, and their clauses as literals.

use super::{Meaning, Translation};
use crate::families::{Apart, Families, Guards, Latest, Part, Section, Write};
use crate::order::Node;
use crate::sat::Lit;
use crate::{Unsupported, unsupported};
use warpath_solvers::term::{Op, Shape, TermId, Terms};

impl Translation {
    /// Adds what is asserted to the families, if it is one, or one behind alternatives.
    pub(crate) fn family(
        &mut self,
        terms: &Terms,
        assertion: TermId,
        level: Option<Lit>,
        families: &mut Families,
    ) -> Result<bool, Unsupported> {
        let Some((family, guards)) = behind_guards(terms, assertion) else { return Ok(false) };
        let Shape::App(op, args) = terms.shape(family) else { return Ok(false) };
        if self.circuit.sat.proof.is_some() {
            return Err(unsupported(format!("`{op}` with a proof is not supported")));
        }
        for &arg in args {
            self.translate(terms, arg)?;
        }
        let mut alternatives: Vec<Lit> = level.into_iter().collect();
        for (guard, holds) in guards {
            alternatives.push(self.literal(terms, guard)?.flipped(!holds));
        }
        let guards = Guards(alternatives);
        let is = |term: &TermId| self.bool(*term);
        let at = |term: &TermId| self.moment(*term);
        match op {
            Op::Usual => {
                let nodes = args.iter().map(at).collect::<Result<Vec<Node>, _>>()?;
                families.usually(nodes.into_iter());
            }
            Op::Apart => {
                let sections = args.chunks_exact(4).map(|section| {
                    let [entered, from, left, to] = section else { unreachable!("chunks have four") };
                    Ok(Section { entered: is(entered), from: at(from)?, left: is(left), to: at(to)? })
                });
                families.add_apart(Apart::new(guards, sections.collect::<Result<_, Unsupported>>()?));
            }
            _ => {
                let writes = args[2..].chunks_exact(3).map(|write| {
                    let [seen, done, when] = write else { unreachable!("chunks have three") };
                    Ok(Write { seen: is(seen), done: is(done), at: at(when)? })
                });
                let writes = writes.collect::<Result<Vec<Write>, Unsupported>>()?;
                let family = Latest { guards, read: at(&args[0])?, first: is(&args[1]), writes };
                // Once it is known what is seen, most values are.
                for literal in family.writes.iter().map(|write| write.seen).chain([family.first]) {
                    self.circuit.sat.put_first(literal.var());
                }
                let options = family.writes.iter().map(|write| write.seen).chain([family.first]);
                self.circuit.sat.add_choice(options);
                if let Some(likeliest) = family.writes.last() {
                    self.circuit.sat.favour(likeliest.seen.var());
                }
                families.add_latest(family);
            }
        }
        Ok(true)
    }

    /// The node of an integer, which must be a constant.
    fn moment(&self, term: TermId) -> Result<Node, Unsupported> {
        let node = match self.meaning(term) {
            Meaning::Int(difference) => difference.node(),
            _ => None,
        };
        node.ok_or_else(|| unsupported("families of comparisons are of constants alone".to_owned()))
    }

    /// Adds a clause of a family, with its comparisons. `top` is the literal that is false as long as the topmost level is
    /// open.
    pub(crate) fn add_instance(
        &mut self,
        instance: &[Part],
        top: Option<Lit>,
        families: &Families,
    ) -> Result<(), Unsupported> {
        let mut clause: Vec<Lit> = Vec::with_capacity(instance.len());
        for &part in instance {
            clause.push(match part {
                Part::Is(literal) => literal,
                Part::Before(from, to) => self.before(from, to, top, families)?,
            });
        }
        self.circuit.sat.add_clause(&clause);
        Ok(())
    }

    fn before(
        &mut self,
        from: Node,
        to: Node,
        top: Option<Lit>,
        families: &Families,
    ) -> Result<Lit, Unsupported> {
        let vars = self.circuit.sat.vars();
        // One comparison for both orders of two integers, false if they come as usual. They may be equal then, but in a
        // line they are not.
        let literal = match families.is_usual(from, to) {
            true => !self.nodes_in_order(to, from)?,
            false => self.nodes_in_order(from, to)?,
        };
        self.circuit.sat.put_first(literal.var());
        if literal.var().index() >= vars {
            // What a chain says of the new comparison, as long as its links are there.
            if let Some(holds) = self.circuit.sat.theory.orders.in_chain(from, to) {
                let mut clause = vec![literal.flipped(!holds)];
                clause.extend(top);
                self.circuit.sat.add_clause(&clause);
            }
        }
        Ok(literal)
    }
}

/// The family that an assertion is, and what it is an alternative to: terms, and whether they hold then or not.
fn behind_guards(terms: &Terms, assertion: TermId) -> Option<(TermId, Vec<(TermId, bool)>)> {
    let is_family =
        |term: TermId| matches!(terms.shape(term), Shape::App(op, _) if Op::FAMILIES.contains(&op));
    match terms.shape(assertion) {
        _ if is_family(assertion) => Some((assertion, Vec::new())),
        Shape::App(Op::Implies, &[condition, then]) if is_family(then) => {
            Some((then, vec![(condition, false)]))
        }
        Shape::App(Op::Or, args) => {
            let family = args.iter().copied().find(|&arg| is_family(arg))?;
            let others = args.iter().filter(|&&arg| arg != family);
            Some((family, others.map(|&arg| (arg, true)).collect()))
        }
        _ => None,
    }
}
