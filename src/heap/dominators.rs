//! Who alone keeps an object alive: immediate dominators, and the bytes that would go with each object.
//!
//! Semi-NCA on depth-first numbers. The simple iterative method does not finish on heaps with long linked lists.
//! Nothing recurses; every column is linear in nodes or edges.

/// The dominator tree.
#[derive(Debug)]
pub(crate) struct Dominators {
    /// The immediate dominator of each node; the root is its own.
    pub(crate) of: Vec<u32>,
    /// All nodes, each behind its dominator.
    order: Vec<u32>,
}

/// A graph as the algorithm sees it.
pub(crate) struct Edges<'a, F: Fn(usize) -> bool> {
    pub(crate) first: &'a [u32],
    pub(crate) to: &'a [u32],
    /// Does this edge count?
    pub(crate) counts: F,
}

const NONE: u32 = u32::MAX;

impl Dominators {
    /// Nodes that nothing refers to hang on the root; so do rings that nothing outside refers to, each node for itself.
    pub(crate) fn of<F: Fn(usize) -> bool>(edges: &Edges<'_, F>, root: u32) -> Self {
        let nodes = edges.first.len() - 1;
        let mut held = vec![false; nodes];
        for from in 0..nodes {
            for e in edges.first[from] as usize..edges.first[from + 1] as usize {
                if (edges.counts)(e) {
                    held[edges.to[e] as usize] = true;
                }
            }
        }
        let walk = Walk::depth_first(edges, root, &held);
        let numbers = walk.dominators(edges, &held);
        let mut of = vec![root; nodes];
        for (number, node) in walk.node.iter().enumerate() {
            of[*node as usize] = walk.node[numbers[number] as usize];
        }
        let mut order = walk.node;
        order.extend((0..nodes as u32).filter(|n| walk.number[*n as usize] == NONE));
        Self { of, order }
    }

    /// Adds up sizes from the leaves of the tree.
    pub(crate) fn retained(&self, sizes: &[u64]) -> Vec<u64> {
        let mut retained = sizes.to_vec();
        for node in self.order.iter().skip(1).rev() {
            let size = retained[*node as usize];
            let above = &mut retained[self.of[*node as usize] as usize];
            *above = above.saturating_add(size);
        }
        retained
    }

    /// All nodes in the order of the tree, and how many stand below each, itself included: what a node dominates
    /// stands right behind it.
    pub(crate) fn tree(&self) -> Tree {
        let nodes = self.of.len();
        let mut below = vec![1_u32; nodes];
        for node in self.order.iter().skip(1).rev() {
            below[self.of[*node as usize] as usize] += below[*node as usize];
        }
        // The place of a node, then the next free place below it.
        let mut next = vec![0_u32; nodes];
        let mut at = vec![0_u32; nodes];
        for (i, node) in self.order.iter().enumerate() {
            let node = *node as usize;
            if i > 0 {
                let above = self.of[node] as usize;
                at[node] = next[above];
                next[above] += below[node];
            }
            next[node] = at[node] + 1;
        }
        let mut order = next;
        for (node, place) in at.iter().enumerate() {
            order[*place as usize] = node as u32;
        }
        Tree { order, at, below }
    }
}

/// The dominator tree in one line.
#[derive(Debug)]
pub(crate) struct Tree {
    /// Nodes, each followed by all it dominates.
    pub(crate) order: Vec<u32>,
    /// Where each node stands in `order`.
    pub(crate) at: Vec<u32>,
    /// How many nodes stand there with all they dominate.
    pub(crate) below: Vec<u32>,
}

impl Tree {
    /// A node and all it dominates.
    pub(crate) fn under(&self, node: u32) -> &[u32] {
        let at = self.at[node as usize] as usize;
        &self.order[at..at + self.below[node as usize] as usize]
    }
}

/// A depth-first walk: numbers of nodes, nodes by number, and the number of each parent.
struct Walk {
    number: Vec<u32>,
    node: Vec<u32>,
    parent: Vec<u32>,
}

impl Walk {
    fn depth_first<F: Fn(usize) -> bool>(edges: &Edges<'_, F>, root: u32, held: &[bool]) -> Self {
        let nodes = held.len();
        let mut walk =
            Self { number: vec![NONE; nodes], node: Vec::with_capacity(nodes), parent: Vec::with_capacity(nodes) };
        walk.visit(root, 0);
        // The next edge to follow, for each node on the way down.
        let mut stack: Vec<(u32, u32)> = vec![(root, edges.first[root as usize])];
        let mut rest = (0..nodes as u32).filter(|n| !held[*n as usize]);
        loop {
            while let Some((from, next)) = stack.last_mut() {
                let (from, end) = (*from, edges.first[*from as usize + 1]);
                let new = (*next..end).find(|e| {
                    let to = edges.to[*e as usize] as usize;
                    walk.number[to] == NONE && (edges.counts)(*e as usize)
                });
                match new {
                    None => {
                        stack.pop();
                    }
                    Some(e) => {
                        *next = e + 1;
                        let to = edges.to[e as usize];
                        walk.visit(to, walk.number[from as usize]);
                        stack.push((to, edges.first[to as usize]));
                    }
                }
            }
            match rest.find(|n| walk.number[*n as usize] == NONE) {
                None => return walk,
                Some(node) => {
                    walk.visit(node, 0);
                    stack.push((node, edges.first[node as usize]));
                }
            }
        }
    }

    fn visit(&mut self, node: u32, parent: u32) {
        self.number[node as usize] = self.node.len() as u32;
        self.node.push(node);
        self.parent.push(parent);
    }

    /// The edges that lead to each node, all in depth-first numbers.
    fn reversed<F: Fn(usize) -> bool>(&self, edges: &Edges<'_, F>) -> (Vec<u32>, Vec<u32>) {
        let count = self.node.len();
        let mut first = vec![0_u32; count + 1];
        let followed = |number: usize| {
            let from = self.node[number] as usize;
            let range = edges.first[from] as usize..edges.first[from + 1] as usize;
            range.filter(|e| (edges.counts)(*e)).map(|e| self.number[edges.to[e] as usize])
        };
        for number in 0..count {
            for to in followed(number) {
                first[to as usize + 1] += 1;
            }
        }
        for i in 0..count {
            first[i + 1] += first[i];
        }
        let mut from = vec![0_u32; first[count] as usize];
        // Filled from the end of each run; afterwards `first` is right again, one place further on.
        let mut next = first.clone();
        for number in 0..count {
            for to in followed(number) {
                let place = &mut next[to as usize];
                from[*place as usize] = number as u32;
                *place += 1;
            }
        }
        (first, from)
    }

    /// The immediate dominator of each node, in depth-first numbers.
    fn dominators<F: Fn(usize) -> bool>(&self, edges: &Edges<'_, F>, held: &[bool]) -> Vec<u32> {
        let count = self.node.len();
        let (first, from) = self.reversed(edges);
        let mut semi: Vec<u32> = (0..count as u32).collect();
        let mut label = semi.clone();
        let mut above = self.parent.clone();
        let mut path = Vec::new();
        for w in (1..count).rev() {
            let mut least = self.parent[w];
            if !held[self.node[w] as usize] {
                least = 0;
            }
            for v in &from[first[w] as usize..first[w + 1] as usize] {
                let best = evaluate(*v, w as u32 + 1, &semi, &mut label, &mut above, &mut path);
                least = least.min(semi[best as usize]);
            }
            semi[w] = least;
        }
        let mut dominators = self.parent.clone();
        for w in 1..count {
            let mut x = dominators[w];
            while x > semi[w] {
                x = dominators[x as usize];
            }
            dominators[w] = x;
        }
        dominators
    }
}

/// The node with the least semi-dominator on the way up from `v` through what was linked already (`last` and beyond);
/// shortens that way.
fn evaluate(v: u32, last: u32, semi: &[u32], label: &mut [u32], above: &mut [u32], path: &mut Vec<u32>) -> u32 {
    if v < last {
        return v;
    }
    let mut u = v;
    while above[u as usize] >= last {
        path.push(u);
        u = above[u as usize];
    }
    while let Some(w) = path.pop() {
        let up = above[w as usize] as usize;
        if semi[label[up] as usize] < semi[label[w as usize] as usize] {
            label[w as usize] = label[up];
        }
        above[w as usize] = above[up];
    }
    label[v as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(nodes: usize, list: &[(u32, u32)]) -> (Vec<u32>, Vec<u32>) {
        let (mut first, mut to) = (vec![0], Vec::new());
        for n in 0..nodes as u32 {
            to.extend(list.iter().filter(|(from, _)| *from == n).map(|(_, to)| *to));
            first.push(to.len() as u32);
        }
        (first, to)
    }

    /// What nobody can reach once a node is taken away, it dominates.
    fn by_removal(nodes: usize, list: &[(u32, u32)]) -> Vec<u32> {
        let held = |n: u32| list.iter().any(|(_, to)| *to == n);
        let reach = |without: u32| {
            let mut seen = vec![false; nodes];
            let mut stack: Vec<u32> = (0..nodes as u32).filter(|n| *n == 0 || !held(*n)).collect();
            stack.retain(|n| *n != without);
            while let Some(n) = stack.pop() {
                if !std::mem::replace(&mut seen[n as usize], true) {
                    stack.extend(list.iter().filter(|(from, to)| *from == n && *to != without).map(|(_, to)| *to));
                }
            }
            seen
        };
        let whole = reach(NONE);
        let without: Vec<Vec<bool>> = (0..nodes as u32).map(reach).collect();
        let strict = |a: u32, b: u32| a != b && (a == 0 || (whole[b as usize] && !without[a as usize][b as usize]));
        let nearest = |b: u32| {
            // The dominator that all other dominators dominate.
            let all: Vec<u32> = (0..nodes as u32).filter(|a| strict(*a, b)).collect();
            all.iter().copied().find(|a| all.iter().all(|c| c == a || strict(*c, *a))).unwrap_or(0)
        };
        (0..nodes as u32).map(|b| if b == 0 || !whole[b as usize] { 0 } else { nearest(b) }).collect()
    }

    #[track_caller]
    fn check(nodes: usize, list: &[(u32, u32)]) {
        let (first, to) = graph(nodes, list);
        let dominators = Dominators::of(&Edges { first: &first, to: &to, counts: |_| true }, 0);
        assert_eq!(dominators.of, by_removal(nodes, list), "{list:?}");
        let retained = dominators.retained(&vec![1; nodes]);
        let tree = dominators.tree();
        for n in 0..nodes as u32 {
            let under = tree.under(n);
            assert_eq!(under.len() as u64, retained[n as usize]);
            assert_eq!(under[0], n);
            assert!(under[1..].iter().all(|u| under.contains(&dominators.of[*u as usize])));
        }
    }

    #[test]
    fn small_graphs() {
        check(1, &[]);
        check(4, &[(0, 1), (0, 2), (1, 3), (2, 3)]);
        check(5, &[(0, 1), (1, 2), (2, 3), (3, 1), (0, 4), (4, 3)]);
        // Nobody refers to 2; 4 and 5 are a ring of their own.
        check(6, &[(0, 1), (2, 1), (2, 3), (4, 5), (5, 4), (4, 1)]);
    }

    #[test]
    fn random_graphs_agree_with_taking_nodes_away() {
        let mut state = 7_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..400 {
            let nodes = 2 + random(14);
            let count = random(nodes * 3);
            let mut list: Vec<(u32, u32)> = (0..count).map(|_| (random(nodes) as u32, random(nodes) as u32)).collect();
            list.retain(|(from, to)| from != to && *to != 0);
            check(nodes as usize, &list);
        }
    }

    #[test]
    fn a_list_of_a_million_links_needs_no_stack() {
        let nodes = 1_000_000_u32;
        let first: Vec<u32> = (0..=nodes).map(|n| n.min(nodes - 1)).collect();
        let to: Vec<u32> = (1..nodes).collect();
        let dominators = Dominators::of(&Edges { first: &first, to: &to, counts: |_| true }, 0);
        assert_eq!(dominators.retained(&vec![2; nodes as usize])[1], 2 * u64::from(nodes - 1));
    }
}
