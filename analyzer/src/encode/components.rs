//! Strongly connected components of a graph (Tarjan, with a stack of its own).

/// By node, its component. `edge` gives the nth edge out of a node, if there are so many. Components that edges lead to
/// have lower numbers than those that they come from.
pub(super) fn components(nodes: usize, edge: impl Fn(usize, usize) -> Option<usize>) -> Vec<u32> {
    let mut component = vec![u32::MAX; nodes];
    let (mut number, mut low) = (vec![u32::MAX; nodes], vec![0; nodes]);
    let (mut next, mut components) = (0, 0);
    let mut open: Vec<usize> = Vec::new();
    let mut calls: Vec<(usize, usize)> = Vec::new();
    for root in 0..nodes {
        if number[root] != u32::MAX {
            continue;
        }
        calls.push((root, 0));
        while let Some((at, nth)) = calls.pop() {
            if nth == 0 {
                (number[at], low[at]) = (next, next);
                next += 1;
                open.push(at);
            }
            match edge(at, nth) {
                Some(to) => {
                    calls.push((at, nth + 1));
                    if number[to] == u32::MAX {
                        calls.push((to, 0));
                    } else if component[to] == u32::MAX {
                        low[at] = low[at].min(number[to]);
                    }
                }
                None => {
                    if low[at] == number[at] {
                        while let Some(member) = open.pop() {
                            component[member] = components;
                            if member == at {
                                break;
                            }
                        }
                        components += 1;
                    }
                    if let Some(&(caller, _)) = calls.last() {
                        low[caller] = low[caller].min(low[at]);
                    }
                }
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn circles_are_one_and_come_behind_what_they_lead_to() {
        // 0 → 1 ⇄ 2 → 3, and 4 alone.
        let edges: [&[usize]; 5] = [&[1], &[2], &[1, 3], &[], &[]];
        let found = components(5, |at, nth| edges[at].get(nth).copied());
        assert_eq!(found[1], found[2]);
        assert!(found[3] < found[2] && found[2] < found[0]);
        assert!([0, 1, 3].iter().all(|&other| found[4] != found[other]));
    }
}
