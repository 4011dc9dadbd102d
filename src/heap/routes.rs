//! Ways from the roots to objects, as people would explain them: short ones, through the program's own variables where
//! there is such a way, through the engine's own things or what happened to run only where there is no other.

use super::graph::{EdgeKind, Heap, NodeKind, flag};
use super::sign::Sign;

const NONE: u32 = u32::MAX;
/// Costs of one step.
const PLAIN: usize = 1;
const PLUMBING: usize = 12;
/// More than a field that leads there too.
const PAIR: usize = 3;
const LAST_CHOICE: usize = 1000;
/// More than any step costs.
const RING: usize = 1024;
/// The longest run of steps that is recognised when it comes again.
const CYCLE: usize = 4;
/// Objects with more properties than this are looked at as dictionaries: their keys are data.
const DICTIONARY: usize = 25;

/// For every node, the last step of the best way to it.
#[derive(Debug)]
pub(crate) struct Routes {
    from: Vec<u32>,
    edge: Vec<u32>,
}

/// One step of a way: the edge, and the node that it leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) edge: u32,
    pub(crate) node: u32,
    /// How often this step comes in a row, alone or with the ones beside it.
    pub(crate) repeats: u32,
}

impl Routes {
    /// Finds the cheapest way to every node.
    pub(crate) fn of(heap: &Heap<'_>) -> Self {
        let nodes = heap.nodes();
        let mut routes = Self { from: vec![NONE; nodes], edge: vec![NONE; nodes] };
        let mut cost = vec![NONE; nodes];
        let mut ring: Vec<Vec<u32>> = vec![Vec::new(); RING];
        cost[heap.root as usize] = 0;
        ring[0].push(heap.root);
        let (mut at, mut waiting) = (0_usize, 1_usize);
        while waiting > 0 {
            let reached = std::mem::take(&mut ring[at % RING]);
            waiting -= reached.len();
            for node in reached {
                if cost[node as usize] != at as u32 {
                    continue;
                }
                for edge in heap.edges_of(node) {
                    // A pair of a weak map is alive as long as its key is, whatever its table does.
                    let is_of_table = heap.has(edge, flag::PAIR) && !heap.has(edge, flag::ESSENTIAL);
                    if heap.has(edge, flag::WEAK) || is_of_table {
                        continue;
                    }
                    let to = heap.edge_to[edge] as usize;
                    let step = match () {
                        () if heap.has(edge, flag::LAST_CHOICE) => LAST_CHOICE,
                        () if heap.has(edge, flag::PLUMBING) => PLUMBING,
                        () if heap.has(edge, flag::PAIR) => PAIR,
                        () => PLAIN,
                    };
                    // Ways that cost more than a number holds are no ways.
                    let Ok(next) = u32::try_from(at + step) else { continue };
                    if next < cost[to] {
                        cost[to] = next;
                        (routes.from[to], routes.edge[to]) = (node, edge as u32);
                        ring[(at + step) % RING].push(to as u32);
                        waiting += 1;
                    }
                }
            }
            at += 1;
        }
        routes
    }

    /// The node before this one on its way.
    pub(crate) fn before(&self, node: u32) -> Option<u32> {
        Some(self.from[node as usize]).filter(|from| *from != NONE)
    }

    /// The way to a node, from the step behind the root to the one that leads to it; runs of steps that come again are
    /// there once.
    pub(crate) fn to(&self, heap: &Heap<'_>, node: u32) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut at = node;
        while let Some(from) = self.before(at) {
            steps.push(Step { edge: self.edge[at as usize], node: at, repeats: 1 });
            at = from;
        }
        steps.reverse();
        self.folded(heap, &steps)
    }

    fn folded(&self, heap: &Heap<'_>, steps: &[Step]) -> Vec<Step> {
        let marks: Vec<u32> = steps.iter().map(|s| self.mark(heap, s.node)).collect();
        let (mut out, mut at) = (Vec::new(), 0);
        while at < steps.len() {
            let times = |cycle: usize| {
                let run = &marks[at..(at + cycle).min(marks.len())];
                marks[at..].chunks_exact(cycle).take_while(|chunk| *chunk == run).count()
            };
            let best = (1..=CYCLE).map(|cycle| (cycle, times(cycle))).find(|(_, times)| *times > 1);
            let (cycle, times) = best.unwrap_or((1, 1));
            // The last round is kept: it leads on to what comes behind.
            let last = at + cycle * (times - 1);
            out.extend(steps[last..last + cycle].iter().map(|s| Step { repeats: times as u32, ..*s }));
            at += cycle * times;
        }
        out
    }

    /// What the last step to a node looks like: equal for the steps of two ways that say the same.
    pub(crate) fn mark(&self, heap: &Heap<'_>, node: u32) -> u32 {
        let edge = self.edge[node as usize];
        if edge == NONE {
            return 0;
        }
        let edge = edge as usize;
        let kind = heap.edge_kind(edge);
        let name = if is_keyed(heap, self.from[node as usize], edge) { NONE } else { heap.edge_name[edge] };
        let class = match (heap.node_kind(node), heap.node_sign(node)) {
            // Scopes of pages have a class for each, groups of roots one for all.
            (_, Sign::Scope) => NONE,
            (NodeKind::Root, _) => heap.node_name[node as usize],
            _ => heap.class_of[node as usize],
        };
        // A timer that is before another in its list, or behind it, is in one list.
        let name = if kind == EdgeKind::Property && heap.edge_sign(edge) == Sign::TimerLink { NONE - 1 } else { name };
        (mixed(mixed(kind as u64 + 1, u64::from(name)), u64::from(class)) >> 32) as u32
    }

    /// What the node that a way begins with would be.
    pub(crate) fn is_reached(&self, heap: &Heap<'_>, node: u32) -> bool {
        node == heap.root || self.from[node as usize] != NONE
    }
}

/// Is the name of this edge a number or data, so that it differs from one object to the next?
pub(crate) fn is_keyed(heap: &Heap<'_>, from: u32, edge: usize) -> bool {
    match heap.edge_kind(edge) {
        EdgeKind::Element | EdgeKind::Hidden => true,
        EdgeKind::Internal => matches!(heap.edge_sign(edge), Sign::Number | Sign::Pair),
        EdgeKind::Property => is_dictionary(heap, from),
        _ => false,
    }
}

/// Does an object have so many properties that they cannot be fields?
pub(crate) fn is_dictionary(heap: &Heap<'_>, node: u32) -> bool {
    heap.node_kind(node) == NodeKind::Object
        && heap.node_sign(node) == Sign::Plain
        && heap.edges_of(node).filter(|e| heap.edge_kind(*e) == EdgeKind::Property).take(DICTIONARY + 1).count()
            > DICTIONARY
}

fn mixed(a: u64, b: u64) -> u64 {
    (a.rotate_left(23) ^ b).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31)
}

/// Which ways say the same: equal numbers for ways that are equal but for indices, keys and how often a run comes again.
#[derive(Debug)]
pub(crate) struct Signatures {
    /// For each node, where it stands in `known`.
    place: Vec<u32>,
    /// Of each node that was asked for and of all before it: the signature, the mark of the last step, and the steps.
    known: Vec<(u64, u32, u32)>,
}

impl Signatures {
    pub(crate) fn new(heap: &Heap<'_>) -> Self {
        Self { place: vec![NONE; heap.nodes()], known: Vec::new() }
    }

    fn get(&self, node: u32) -> Option<&(u64, u32, u32)> {
        self.known.get(self.place[node as usize] as usize)
    }

    /// The signature of the way to a node, and how many steps it has.
    pub(crate) fn of(&mut self, heap: &Heap<'_>, routes: &Routes, node: u32) -> (u64, u32) {
        let mut above = vec![node];
        let mut at = node;
        while self.get(at).is_none()
            && let Some(from) = routes.before(at)
        {
            above.push(from);
            at = from;
        }
        while let Some(node) = above.pop() {
            if self.get(node).is_none() {
                let entry = self.next(heap, routes, node);
                self.place[node as usize] = self.known.len() as u32;
                self.known.push(entry);
            }
        }
        self.get(node).map_or((0, 0), |(signature, _, steps)| (*signature, *steps))
    }

    /// The entry of a node of which all before it are known.
    fn next(&self, heap: &Heap<'_>, routes: &Routes, node: u32) -> (u64, u32, u32) {
        let mark = routes.mark(heap, node);
        let Some(from) = routes.before(node) else { return (mixed(1, mark.into()), mark, 0) };
        let (before, _, steps) = self.get(from).copied().unwrap_or_default();
        // The marks of the last steps, the newest first, and the nodes they lead to.
        let (mut marks, mut nodes) = ([0_u32; 2 * CYCLE], [NONE; 2 * CYCLE]);
        (marks[0], nodes[0]) = (mark, node);
        let (mut count, mut at) = (1, from);
        while count < 2 * CYCLE {
            let Some((_, mark, _)) = self.get(at) else { break };
            (marks[count], nodes[count]) = (*mark, at);
            count += 1;
            match routes.before(at) {
                Some(before) => at = before,
                None => break,
            }
        }
        for cycle in 1..=CYCLE {
            if count >= 2 * cycle && marks[..cycle] == marks[cycle..2 * cycle] {
                let earlier = self.get(nodes[cycle]).map_or(0, |(signature, ..)| *signature);
                return (earlier, mark, steps + 1);
            }
        }
        (mixed(before, mark.into()), mark, steps + 1)
    }
}
