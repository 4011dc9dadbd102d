//! What grew, and who holds it.
//!
//! Objects keep their numbers, so what is new can be told from what was there before. What is new belongs to the nearest old
//! object that alone keeps it alive; the bytes that an old object came to hold, less those of the old objects below it, are
//! its own growth. Healthy caches and queues, whose entries come and go, come out at nothing. Holders that the same way
//! leads to are one: twelve lists in twelve sessions. What they hold is told by its class: the outermost one that the
//! program made.

use rustc_hash::FxHashMap;

use super::objects::{ABSENT, Objects};
use super::owners::{Owner, owner};
use super::paths::{self, Path};
use crate::heap::classes::Sizes;
use crate::heap::graph::{Heap, Maker, NodeKind};
use crate::heap::routes::{Routes, Signatures};
use crate::heap::sign::Sign;

/// Growers that are told in full.
const MOST: usize = 24;
/// Objects of a grower whose ways are looked at.
const SAMPLE: usize = 400;
/// Ways that are told of each grower.
const PATHS: usize = 3;
/// Less than this, or than a hundredth of all growth, is noise.
const LEAST_BYTES: i64 = 1024;

/// Counts and sizes of one class in every snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct History {
    pub(crate) counts: Vec<u64>,
    pub(crate) shallow: Vec<u64>,
    pub(crate) retained: Vec<u64>,
}

impl History {
    /// Objects more in the last snapshot than in the first.
    pub(crate) fn delta_count(&self) -> i64 {
        delta(&self.counts)
    }

    pub(crate) fn delta_retained(&self) -> i64 {
        delta(&self.retained)
    }
}

/// Bytes as a number that can be below zero.
fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// The last less the first.
pub(crate) fn delta(values: &[u64]) -> i64 {
    let (first, last) = (values.first().copied().unwrap_or(0), values.last().copied().unwrap_or(0));
    let difference = i128::from(last) - i128::from(first);
    i64::try_from(difference).unwrap_or(if difference < 0 { i64::MIN } else { i64::MAX })
}

/// How values went over the snapshots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Pattern {
    /// Two snapshots: it grew, and that is all.
    Grew,
    /// More in each snapshot, and no less at the end than at the beginning.
    Steady,
    /// More in each snapshot, but much less at the end: a cache that fills, a warm-up.
    Slowing,
    /// It grew once and then no more.
    Stopped,
    /// Up and down.
    Fluctuating,
}

impl Pattern {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Grew => "grew",
            Self::Steady => "steady",
            Self::Slowing => "slowing",
            Self::Stopped => "stopped",
            Self::Fluctuating => "fluctuating",
        }
    }

    /// Looks at values at equal amounts of work, or at those that are given.
    pub(crate) fn of(values: &[u64], work: Option<&[f64]>) -> Self {
        let steps: Vec<f64> = values
            .windows(2)
            .enumerate()
            .map(|(i, pair)| {
                let done = work.and_then(|w| Some(w.get(i + 1)? - w.get(i)?)).filter(|d| *d > 0.0).unwrap_or(1.0);
                (pair[1] as f64 - pair[0] as f64) / done
            })
            .collect();
        let (Some(first), Some(last)) = (steps.first(), steps.last()) else { return Self::Grew };
        if steps.len() < 2 {
            return Self::Grew;
        }
        // The tools that take a snapshot leave traces; a hair is no change.
        let hair = values.iter().max().copied().unwrap_or(0) as f64 * 0.001;
        if steps.iter().any(|step| *step < -hair) {
            return Self::Fluctuating;
        }
        let most = steps.iter().copied().fold(0.0, f64::max);
        match () {
            () if *last <= most * 0.05 => Self::Stopped,
            () if steps.iter().all(|step| *step > 0.0) && *last >= first * 0.4 => Self::Steady,
            () if steps.iter().all(|step| *step > 0.0) => Self::Slowing,
            () => Self::Fluctuating,
        }
    }
}

/// Something that grew, with who holds it.
#[derive(Debug)]
pub(crate) struct Grower {
    /// The class of what is held, or of the holder where it grew itself.
    pub(crate) class: u32,
    /// The object that holds it, and how many such holders there are.
    pub(crate) holder: Option<u32>,
    pub(crate) holders: u64,
    pub(crate) holder_class: Option<u32>,
    /// One of the objects that are held.
    example: Option<u32>,
    /// Bytes that the holders came to hold.
    pub(crate) growth: i64,
    /// Objects of the class that are new there.
    pub(crate) new_objects: u64,
    /// Bytes that the holders held in each snapshot.
    pub(crate) held: Vec<u64>,
    pub(crate) pattern: Pattern,
    pub(crate) owner: Owner,
    pub(crate) paths: Vec<Path>,
}

/// What growth is told from.
pub(crate) struct Compared<'a, 'h> {
    pub(crate) heap: &'a Heap<'h>,
    pub(crate) sizes: &'a Sizes,
    pub(crate) routes: &'a Routes,
    /// The snapshots before the last, in order.
    pub(crate) earlier: &'a [Objects],
    /// Where each node of the last stands in each earlier one; empty where numbers cannot be compared.
    pub(crate) places: &'a [Vec<u32>],
    /// By class of the last snapshot.
    pub(crate) histories: &'a [History],
    /// Work that was done at each snapshot.
    pub(crate) work: Option<&'a [f64]>,
}

/// What grew, and what is told beside it.
#[derive(Debug, Default)]
pub(crate) struct Growth {
    /// The largest first.
    pub(crate) growers: Vec<Grower>,
    /// Bytes by which holders grew, all together.
    pub(crate) total: i64,
    /// Growth of what takes the snapshot, which is left out.
    pub(crate) profiler: i64,
}

/// New objects that came to one place.
#[derive(Default)]
struct Cluster {
    bytes: i64,
    /// The holder's group.
    group: u32,
    holder: u32,
}

/// Holders that the same way leads to.
#[derive(Default)]
struct Group {
    growth: i64,
    holders: Vec<u32>,
}

/// Objects of one class in a cluster.
#[derive(Clone, Copy, Default)]
struct Share {
    count: u64,
    retained: u64,
    held_up_to: u32,
}

/// Tells growth by who holds it, where objects keep their numbers.
pub(crate) fn by_holder(compared: &Compared<'_, '_>) -> Growth {
    let (heap, sizes) = (compared.heap, compared.sizes);
    let Some(first) = compared.places.first() else { return Growth::default() };
    let is_old = |node: u32| first[node as usize] != ABSENT;
    let before = |node: u32| compared.earlier[0].retained(first[node as usize]);
    let own = own_growth(compared, &is_old, &before);
    let mut signatures = Signatures::new(heap);
    let (groups, group_of) = groups(compared, &own, &mut signatures);
    let total = groups.iter().map(|g| g.growth.max(0)).fold(0, i64::saturating_add);
    let least = (total / 100).max(LEAST_BYTES);
    let mut growth = Growth { total, ..Growth::default() };

    // New objects by the place that they came to.
    const NONE: u32 = u32::MAX;
    let mut cluster_of = vec![NONE; heap.nodes()];
    let mut clusters: Vec<Cluster> = Vec::new();
    let mut numbers: FxHashMap<(u32, u64), u32> = FxHashMap::default();
    let mut shares: FxHashMap<(u32, u32), Share> = FxHashMap::default();
    for (at, node) in sizes.tree.order.iter().enumerate() {
        let above = sizes.dominators[*node as usize];
        if is_old(*node) {
            let inside = cluster_of[above as usize];
            if inside != NONE && !is_old(above) {
                let bytes = &mut clusters[inside as usize].bytes;
                *bytes = bytes.saturating_sub(signed(sizes.retained[*node as usize]));
            }
            continue;
        }
        let cluster = if is_old(above) {
            let Some(group) = group_of.get(&above).filter(|g| groups[**g as usize].growth >= least) else { continue };
            let place = place_of(compared, &is_old, *node).unwrap_or(above);
            let key = (*group, signatures.of(heap, compared.routes, place).0);
            let next = clusters.len() as u32;
            let cluster = *numbers.entry(key).or_insert(next);
            if cluster == next {
                clusters.push(Cluster { bytes: 0, group: *group, holder: place });
            }
            let bytes = &mut clusters[cluster as usize].bytes;
            *bytes = bytes.saturating_add(signed(sizes.retained[*node as usize]));
            cluster
        } else {
            cluster_of[above as usize]
        };
        if cluster == NONE {
            continue;
        }
        cluster_of[*node as usize] = cluster;
        if heap.sizes[*node as usize] > 0 {
            let share = shares.entry((cluster, heap.class_of[*node as usize])).or_default();
            share.count += 1;
            if at as u32 >= share.held_up_to {
                share.retained = share.retained.saturating_add(sizes.retained[*node as usize]);
                share.held_up_to = at as u32 + sizes.tree.below[*node as usize];
            }
        }
    }
    let mut by_cluster: Vec<Vec<(u32, Share)>> = vec![Vec::new(); clusters.len()];
    for ((cluster, class), share) in shares {
        by_cluster[cluster as usize].push((class, share));
    }
    let mut found = Vec::new();
    let mut has_cluster = vec![false; groups.len()];
    for (number, cluster) in clusters.iter().enumerate() {
        let group = &groups[cluster.group as usize];
        let bytes = cluster.bytes.min(group.growth);
        if bytes < least {
            continue;
        }
        let shares = &mut by_cluster[number];
        shares.sort_unstable_by_key(|(class, _)| *class);
        let grows = |class: u32| {
            let history = &compared.histories[class as usize];
            history.delta_count() > 0 || history.delta_retained() > 0
        };
        shares.retain(|(class, _)| grows(*class));
        let Some(first) = item(heap, shares.iter(), cluster.bytes) else { continue };
        has_cluster[cluster.group as usize] = true;
        let mut rest = bytes;
        for (class, share) in others(heap, shares, first.0, bytes).into_iter().chain([first]) {
            let is_item = |n: &u32| cluster_of[*n as usize] == number as u32 && heap.class_of[*n as usize] == class;
            let items: Vec<u32> = sizes.tree.order.iter().copied().filter(is_item).take(SAMPLE).collect();
            let holders = holders_of(compared, group, cluster.holder);
            let growth = if class == first.0 { rest } else { rest.min(signed(share.retained)) };
            rest = rest.saturating_sub(growth);
            found.push(grower(compared, &mut signatures, Found { class, items, holders, growth, new: share.count }));
        }
    }
    // What grew without anything new that is held: a buffer, a list of numbers.
    for (group, _) in groups.iter().zip(has_cluster).filter(|(g, has)| !has && g.growth >= least) {
        let Some(holder) = group.holders.first().copied() else { continue };
        let is_engine = matches!(heap.class(holder).maker, Maker::Engine) || heap.node_kind(holder) == NodeKind::Root;
        if is_engine || heap.node_sign(holder) == Sign::Global {
            continue;
        }
        let (class, items) = (heap.class_of[holder as usize], group.holders.iter().copied().take(SAMPLE).collect());
        let found_here = Found { class, items, holders: group.holders.clone(), growth: group.growth, new: 0 };
        found.push(grower(compared, &mut signatures, found_here));
    }
    let is_profiler = |grower: &Grower| grower.holder.is_some_and(|n| heap.node_sign(n) == Sign::Profiler);
    growth.profiler = found.iter().filter(|g| is_profiler(g)).map(|g| g.growth).fold(0, i64::saturating_add);
    found.retain(|g| !is_profiler(g));
    growth.growers = ranked(heap, without_contents(heap, compared.routes, joined(found)));
    growth
}

/// What is told of another grower already: texts that its objects hold and that something else holds too.
fn without_contents(heap: &Heap<'_>, routes: &Routes, growers: Vec<Grower>) -> Vec<Grower> {
    let inside = |grower: &Grower| {
        let (mut at, mut classes) = (grower.example?, Vec::new());
        while let Some(before) = routes.before(at) {
            classes.push(heap.class_of[before as usize]);
            at = before;
        }
        let holds = |other: &&Grower| {
            other.class != grower.class
                && heap.classes[other.class as usize].maker == Maker::Program
                && classes.contains(&other.class)
        };
        growers.iter().filter(holds).max_by_key(|other| other.growth).map(|other| other.class)
    };
    let within: Vec<Option<u32>> = growers.iter().map(inside).collect();
    let (contents, mut kept): (Vec<_>, Vec<_>) =
        growers.into_iter().zip(within).partition(|(_, within)| within.is_some());
    for (content, within) in contents {
        if let Some((other, _)) = kept.iter_mut().find(|(other, _)| Some(other.class) == within) {
            other.growth = other.growth.saturating_add(content.growth);
        } else {
            kept.push((content, None));
        }
    }
    kept.into_iter().map(|(grower, _)| grower).collect()
}

/// Bytes that every old object came to hold, less those of the old objects below it.
fn own_growth(compared: &Compared<'_, '_>, is_old: &dyn Fn(u32) -> bool, before: &dyn Fn(u32) -> u64) -> Vec<i64> {
    let sizes = compared.sizes;
    let nodes = compared.heap.nodes();
    let mut nearest_old = vec![compared.heap.root; nodes];
    let mut own = vec![0_i64; nodes];
    for (at, node) in sizes.tree.order.iter().enumerate() {
        let n = *node as usize;
        if at > 0 {
            let above = sizes.dominators[n];
            nearest_old[n] = if is_old(above) { above } else { nearest_old[above as usize] };
        }
        if is_old(*node) {
            let grown = signed(sizes.retained[n]).saturating_sub(signed(before(*node)));
            own[n] = own[n].saturating_add(grown);
            if at > 0 {
                let above = &mut own[nearest_old[n] as usize];
                *above = above.saturating_sub(grown);
            }
        }
    }
    own
}

/// Holders by the way that leads to them.
fn groups(compared: &Compared<'_, '_>, own: &[i64], signatures: &mut Signatures) -> (Vec<Group>, FxHashMap<u32, u32>) {
    let (mut groups, mut group_of): (Vec<Group>, _) = (Vec::new(), FxHashMap::default());
    let mut numbers: FxHashMap<u64, u32> = FxHashMap::default();
    for (node, growth) in own.iter().enumerate().filter(|(_, growth)| **growth != 0) {
        let next = groups.len() as u32;
        let group = *numbers.entry(signatures.of(compared.heap, compared.routes, node as u32).0).or_insert(next);
        if group == next {
            groups.push(Group::default());
        }
        let sum = &mut groups[group as usize].growth;
        *sum = sum.saturating_add(*growth);
        groups[group as usize].holders.push(node as u32);
        group_of.insert(node as u32, group);
    }
    (groups, group_of)
}

/// The old object that the way to a new one comes through last; behind a store of the engine, what the store belongs to.
fn place_of(compared: &Compared<'_, '_>, is_old: &dyn Fn(u32) -> bool, node: u32) -> Option<u32> {
    let mut at = compared.routes.before(node)?;
    while !is_old(at) || compared.heap.node_kind(at) == NodeKind::Store {
        at = compared.routes.before(at)?;
    }
    Some(at)
}

/// The holders to show: those of the group, or the one on the way where the group is a root or the engine's.
fn holders_of(compared: &Compared<'_, '_>, group: &Group, on_the_way: u32) -> Vec<u32> {
    let speaks = |node: u32| {
        !matches!(compared.heap.node_kind(node), NodeKind::Root | NodeKind::Engine | NodeKind::Code)
            && !matches!(compared.heap.node_sign(node), Sign::Global | Sign::NativeScope)
    };
    if group.holders.iter().all(|node| speaks(*node)) { group.holders.clone() } else { vec![on_the_way] }
}

/// The class that says what is held: the outermost one of the program's own if it holds much of it, then texts and plain
/// objects, then the program's own with a smaller part (what a listener holds is small beside what the page keeps for it).
fn item<'s>(heap: &Heap<'_>, shares: impl Iterator<Item = &'s (u32, Share)>, bytes: i64) -> Option<(u32, Share)> {
    let shares: Vec<(u32, Share)> = shares.copied().collect();
    let best = |is: &dyn Fn(Maker) -> bool, percent: u64| {
        let of = shares.iter().filter(|(class, _)| is(heap.classes[*class as usize].maker));
        let most = of.max_by_key(|(class, share)| (share.retained, std::cmp::Reverse(*class)));
        most.copied()
            .filter(|(_, share)| share.retained.saturating_mul(100) >= bytes.unsigned_abs().saturating_mul(percent))
    };
    best(&|maker| maker == Maker::Program, 25)
        .or_else(|| best(&|maker| maker == Maker::Plain, 25))
        .or_else(|| best(&|maker| maker == Maker::Program, 5))
        .or_else(|| best(&|maker| maker < Maker::Engine, 5))
        .or_else(|| best(&|_| true, 0))
}

/// Other classes of the program's own that one holder came to hold much of: jobs with different callbacks in one list of
/// timers. What is inside of another grower is told apart later.
fn others(heap: &Heap<'_>, shares: &[(u32, Share)], first: u32, bytes: i64) -> Vec<(u32, Share)> {
    let is_much = |share: &Share| share.retained.saturating_mul(10) >= bytes.unsigned_abs();
    let is_own = |class: u32| class != first && heap.classes[class as usize].maker == Maker::Program;
    shares.iter().filter(|(class, share)| is_own(*class) && is_much(share)).copied().collect()
}

/// What is known of a grower before its ways are looked at.
struct Found {
    class: u32,
    items: Vec<u32>,
    holders: Vec<u32>,
    growth: i64,
    new: u64,
}

fn grower(compared: &Compared<'_, '_>, signatures: &mut Signatures, found: Found) -> Grower {
    let (heap, sizes, routes) = (compared.heap, compared.sizes, compared.routes);
    let ways = paths::merged(heap, routes, signatures, &found.items);
    let holder = found.holders.first().copied();
    let told = ways.first().map(|(_, node)| owner(heap, routes, &routes.to(heap, *node)));
    let of = ways.iter().map(|(count, _)| count).sum();
    let path = |(count, node): &(u64, u32)| Path {
        count: *count,
        of,
        steps: paths::shown(heap, sizes, &routes.to(heap, *node), &found.holders),
    };
    let held = |snapshot: usize| -> u64 {
        let places = &compared.places[snapshot];
        let held = found.holders.iter().map(|n| compared.earlier[snapshot].retained(places[*n as usize]));
        held.fold(0, u64::saturating_add)
    };
    let mut held: Vec<u64> = (0..compared.earlier.len()).map(held).collect();
    held.push(found.holders.iter().map(|n| sizes.retained[*n as usize]).fold(0, u64::saturating_add));
    let class = &heap.classes[found.class as usize];
    let history = &compared.histories[found.class as usize];
    // A class of the program's own is counted; of others there are too many elsewhere.
    let values = if class.maker == Maker::Program && found.new > 0 { &history.counts } else { &held };
    Grower {
        class: found.class,
        holder,
        holders: found.holders.len() as u64,
        holder_class: holder.map(|n| heap.class_of[n as usize]),
        example: ways.first().map(|(_, node)| *node),
        growth: found.growth,
        new_objects: found.new,
        pattern: Pattern::of(values, compared.work),
        held,
        owner: told.unwrap_or(Owner::UNKNOWN),
        paths: ways.iter().take(PATHS).map(path).collect(),
    }
}

/// Growers of one class with one kind of owner of one name are one.
fn joined(found: Vec<Grower>) -> Vec<Grower> {
    let mut out: Vec<Grower> = Vec::new();
    for grower in found {
        let same = |other: &&mut Grower| {
            other.class == grower.class
                && (other.owner.kind, other.owner.name, other.owner.function, other.owner.event)
                    == (grower.owner.kind, grower.owner.name, grower.owner.function, grower.owner.event)
        };
        match out.iter_mut().find(same) {
            None => out.push(grower),
            Some(other) => {
                if other.holder != grower.holder {
                    other.holders += grower.holders;
                    other.held.iter_mut().zip(&grower.held).for_each(|(a, b)| *a = a.saturating_add(*b));
                }
                other.growth = other.growth.saturating_add(grower.growth);
                other.new_objects += grower.new_objects;
                other.pattern = other.pattern.min(grower.pattern);
                other.paths.extend(grower.paths);
                other.paths.sort_by_key(|path| std::cmp::Reverse(path.count));
                other.paths.truncate(PATHS);
            }
        }
    }
    out
}

/// What goes on growing first, then by bytes; what only the engine has comes last.
fn ranked(heap: &Heap<'_>, mut growers: Vec<Grower>) -> Vec<Grower> {
    let is_engine = |g: &Grower| heap.classes[g.class as usize].maker == Maker::Engine;
    // Code that was compiled once, tables that were filled once.
    growers.retain(|g| !is_engine(g) || matches!(g.pattern, Pattern::Grew | Pattern::Steady));
    growers.sort_by_key(|g| (is_engine(g), std::cmp::Reverse(g.growth), g.class));
    growers.truncate(MOST);
    growers
}

/// Tells growth by class and way, where objects of two snapshots cannot be compared: other processes, other builds.
pub(crate) fn by_class(compared: &Compared<'_, '_>) -> Growth {
    let (heap, sizes) = (compared.heap, compared.sizes);
    let grown = |class: usize| compared.histories[class].delta_retained().max(0);
    let counts = |class: usize| {
        let history = &compared.histories[class];
        let maker = heap.classes[class].maker;
        maker < Maker::Engine && history.delta_count() > 0 && history.delta_retained() >= LEAST_BYTES
    };
    let mut classes: Vec<usize> = (0..heap.classes.len()).filter(|class| counts(*class)).collect();
    classes.sort_by_key(|class| (std::cmp::Reverse(grown(*class)), *class));
    let own = classes.iter().filter(|c| heap.classes[**c].maker == Maker::Program);
    let total = own.map(|c| grown(*c)).fold(0, i64::saturating_add);
    let least = (total / 100).max(LEAST_BYTES);
    let mut signatures = Signatures::new(heap);
    let mut found = Vec::new();
    // What another grower holds is its contents.
    let mut inside = vec![false; heap.nodes()];
    for program in [true, false] {
        for class in &classes {
            if (heap.classes[*class].maker == Maker::Program) != program || grown(*class) < least || found.len() >= MOST
            {
                continue;
            }
            let all: Vec<u32> =
                (0..heap.nodes() as u32).filter(|n| heap.class_of[*n as usize] == *class as u32).collect();
            let outside: Vec<u32> = all.iter().copied().filter(|n| !inside[*n as usize]).collect();
            if outside.len() * 2 < all.len() || outside.is_empty() {
                continue;
            }
            for node in &outside {
                if !inside[*node as usize] {
                    sizes.tree.under(*node).iter().for_each(|n| inside[*n as usize] = true);
                }
            }
            let new = compared.histories[*class].delta_count().unsigned_abs();
            let items = outside.into_iter().take(SAMPLE).collect();
            let here = Found { class: *class as u32, items, holders: Vec::new(), growth: grown(*class), new };
            let mut grower = grower_of_class(compared, &mut signatures, here);
            grower.pattern = Pattern::of(&compared.histories[*class].counts, compared.work);
            found.push(grower);
        }
    }
    Growth { growers: ranked(heap, found), total, profiler: 0 }
}

fn grower_of_class(compared: &Compared<'_, '_>, signatures: &mut Signatures, found: Found) -> Grower {
    let bare = Compared { earlier: &[], places: &[], ..*compared };
    let class = found.class;
    let mut grower = grower(&bare, signatures, found);
    grower.held = compared.histories[class as usize].retained.clone();
    grower.holder = grower.owner.node;
    grower.holder_class = grower.holder.map(|n| compared.heap.class_of[n as usize]);
    grower.holders = u64::from(grower.holder.is_some());
    grower
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_three_and_more() {
        let check = |values: &[u64], pattern| assert_eq!(Pattern::of(values, None), pattern, "{values:?}");
        check(&[400, 800, 1200], Pattern::Steady);
        check(&[400, 800], Pattern::Grew);
        check(&[100, 200, 200], Pattern::Stopped);
        check(&[40, 90, 25], Pattern::Fluctuating);
        check(&[0, 1000, 1300, 1400], Pattern::Slowing);
        check(&[0, 0, 400], Pattern::Fluctuating);
        // Twice the work makes twice as many, which is the same for each piece of work.
        assert_eq!(Pattern::of(&[0, 1000, 1300], Some(&[0.0, 100.0, 130.0])), Pattern::Steady);
    }
}
