//! How many references an object is away from the nearest root.

/// What nothing reaches.
pub(crate) const UNREACHED: i32 = -5;
/// From here on, only the engine's own roots reach an object.
pub(crate) const ENGINE_ONLY: i32 = 100_000_000;

/// Breadth first from `starts`, which are one reference away, then from the root for what is left. `follows` is asked once
/// for each edge to a node that was not reached yet.
pub(crate) fn distances(
    (first, to): (&[u32], &[u32]),
    root: u32,
    starts: &[u32],
    mut follows: impl FnMut(u32, usize) -> bool,
) -> Vec<i32> {
    let mut distance = vec![UNREACHED; first.len() - 1];
    let mut queue = Vec::with_capacity(first.len() - 1);
    for start in starts {
        distance[*start as usize] = 1;
        queue.push(*start);
    }
    let mut spread = |distance: &mut Vec<i32>, queue: &mut Vec<u32>| {
        let mut at = 0;
        while let Some(node) = queue.get(at).copied() {
            at += 1;
            let edges = first[node as usize] as usize..first[node as usize + 1] as usize;
            for (edge, &next) in edges.clone().zip(&to[edges]) {
                if distance[next as usize] == UNREACHED && follows(node, edge) {
                    distance[next as usize] = distance[node as usize] + 1;
                    queue.push(next);
                }
            }
        }
        queue.clear();
    };
    spread(&mut distance, &mut queue);
    distance[root as usize] = if starts.is_empty() { 0 } else { ENGINE_ONLY };
    queue.push(root);
    spread(&mut distance, &mut queue);
    distance
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_of_users_come_first_and_the_engine_last() {
        // 0 → 1 → 2, 0 → 3 (the engine's) → 4 → 2, and 5 alone; the edge from 4 to 2 comes too late.
        let (first, to) = ([0, 2, 3, 3, 4, 5, 5], [1, 3, 2, 4, 2]);
        let found = distances((&first, &to), 0, &[1], |_, _| true);
        assert_eq!(found, [ENGINE_ONLY, 1, 2, ENGINE_ONLY + 1, ENGINE_ONLY + 2, UNREACHED]);
        assert_eq!(distances((&first, &to), 0, &[], |_, edge| edge != 1), [0, 1, 2, -5, -5, -5]);
    }
}
