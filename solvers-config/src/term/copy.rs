//! From one arena to another.

use rustc_hash::FxHashMap;

use super::terms::Shape;
use super::{TermError, TermId, Terms};

impl Terms {
    /// Copies terms of another arena into this one. What `known` has is taken from there; what is copied is added to it.
    pub fn copy(
        &mut self,
        from: &Terms,
        roots: &[TermId],
        known: &mut FxHashMap<TermId, TermId>,
    ) -> Result<Vec<TermId>, TermError> {
        let mut stack = roots.to_vec();
        while let Some(&id) = stack.last() {
            if known.contains_key(&id) {
                stack.pop();
                continue;
            }
            let copied = match from.shape(id) {
                Shape::Literal(value) => self.value(value)?,
                Shape::Constant(name) => self.constant(name, from.sort(id))?,
                Shape::App(op, arguments) => {
                    let copies: Option<Vec<TermId>> =
                        arguments.iter().map(|argument| known.get(argument).copied()).collect();
                    match copies {
                        Some(copies) => self.apply(op, &copies)?,
                        None => {
                            stack.extend(arguments.iter().filter(|argument| !known.contains_key(argument)));
                            continue;
                        }
                    }
                }
            };
            known.insert(id, copied);
            stack.pop();
        }
        Ok(roots.iter().map(|root| known[root]).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Op, Sort};

    #[test]
    fn what_is_known_is_replaced_and_the_rest_is_the_same() {
        let mut from = Terms::new();
        let (a, b) = (from.constant("a", Sort::Int).unwrap(), from.constant("b", Sort::Int).unwrap());
        let p = from.constant("p", Sort::Bool).unwrap();
        let before = from.lt(a, b).unwrap();
        let either = from.apply(Op::Or, &[p, before]).unwrap();
        let mut to = Terms::new();
        let q = to.constant("q", Sort::Bool).unwrap();
        let mut known = FxHashMap::from_iter([(before, q)]);
        let copied = to.copy(&from, &[either, p], &mut known).unwrap();
        let p = to.constant("p", Sort::Bool).unwrap();
        assert_eq!(copied, [to.apply(Op::Or, &[p, q]).unwrap(), p]);
        assert!(to.find_constant("a").is_none(), "what was replaced is not copied");
    }

    #[test]
    fn deep_terms_are_copied_without_recursion() {
        let mut from = Terms::new();
        let mut deep = from.constant("x", Sort::Bits(8)).unwrap();
        let one = from.bits(1, 8).unwrap();
        for _ in 0..1_000_000 {
            let y = from.apply(Op::BvXor, &[deep, one]).unwrap();
            deep = from.apply(Op::BvMul, &[y, deep]).unwrap();
        }
        let mut to = Terms::new();
        to.copy(&from, &[deep], &mut FxHashMap::default()).unwrap();
        assert_eq!(to.len(), from.len());
    }
}
