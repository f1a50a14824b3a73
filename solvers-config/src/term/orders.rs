//! Families of comparisons, each said as one term: what would else be a clause for every two or three of its members.
//! SMT-LIB has no names for them; our own solver takes them, and nobody else is told them.
//!
//! - `(orders.apart e a r u …)`: sections of time, four arguments each: whether it is entered, when, whether it is left,
//!   and when. Of any two that are entered, one is left before the other is entered:
//!   `e ∧ e' → (r ∧ u < a') ∨ (r' ∧ u' < a)`.
//! - `(orders.latest r f f₁ e₁ w₁ …)`: a read at `r`, which sees what was there first if `f`, and, three arguments each,
//!   the writes it may see: whether it does, whether the write is done, and when. What is seen is done, comes before
//!   the read, and is the latest: `fₖ → eₖ ∧ wₖ < r`, and for every other write `fₖ ∧ eₘ → wₘ < wₖ ∨ r < wₘ`;
//!   `f ∧ eₘ → r < wₘ`.
//! - `(orders.usual o …)`: true. Where nothing else is known, these come in this order: a hint for the search.

use super::value::Value;

/// What `orders.apart` means. `None` if the arguments have other sorts.
pub(super) fn are_apart(args: &[Value]) -> Option<bool> {
    let mut entered = Vec::new();
    for section in args.chunks(4) {
        let &[Value::Bool(is_entered), Value::Int(from), Value::Bool(left), Value::Int(to)] = section else {
            return None;
        };
        if is_entered {
            entered.push((from, left, to));
        }
    }
    entered.sort_unstable();
    // As a rule sections begin before they end, and then neighbours are enough.
    let over = |a: &(i128, bool, i128), b: &(i128, bool, i128)| a.1 && a.2 < b.0;
    if entered.windows(2).all(|pair| over(&pair[0], &pair[1])) {
        return Some(true);
    }
    let pairs = (0..entered.len()).flat_map(|n| (0..n).map(move |m| (m, n)));
    Some(
        pairs
            .map(|(m, n)| (&entered[m], &entered[n]))
            .all(|(earlier, later)| over(earlier, later) || over(later, earlier)),
    )
}

/// What `orders.latest` means. `None` if the arguments have other sorts.
pub(super) fn is_latest(args: &[Value]) -> Option<bool> {
    let [Value::Int(read), Value::Bool(sees_first), writes @ ..] = args else { return None };
    let mut done = Vec::new();
    let mut seen = Vec::new();
    for (n, write) in writes.chunks(3).enumerate() {
        let &[Value::Bool(is_seen), Value::Bool(is_done), Value::Int(at)] = write else { return None };
        if is_seen && (!is_done || at >= *read) {
            return Some(false);
        }
        if is_seen {
            seen.push((n, at));
        }
        if is_done && at <= *read {
            done.push((n, at));
        }
    }
    let hidden = |&(n, at): &(usize, i128)| done.iter().any(|&(m, other)| m != n && other >= at);
    Some((!*sees_first || done.is_empty()) && !seen.iter().any(hidden))
}
