//! What the bytes of a heap hang on: objects of one class that nothing but a root keeps alive are one area, and what they
//! alone keep alive are its parts. Areas do not overlap, and together they are the whole heap.

use rustc_hash::FxHashMap;

use super::single::Single;
use crate::heap::graph::Maker;

/// Areas beside each other on the outside, and parts inside each.
const AREAS: [usize; 3] = [14, 8, 5];
/// Of the whole heap, so many in a thousand are an area of their own.
const LEAST_PER_MILLE: [u64; 3] = [5, 3, 3];
/// From this share of the heap on, the program itself or a part of the engine is looked into.
const OPENED_PERCENT: u64 = 3;

/// One area.
#[derive(Debug)]
pub(crate) struct Area {
    /// Its class; none for what is too small to be told.
    pub(crate) class: Option<u32>,
    pub(crate) maker: Maker,
    pub(crate) count: u64,
    pub(crate) retained: u64,
    pub(crate) parts: Vec<Self>,
}

/// The areas of a heap, largest first; what is left over comes last.
pub(crate) fn areas(single: &Single<'_, '_>) -> Vec<Area> {
    let retained = |node: u32| single.sizes.retained[node as usize];
    let total = retained(single.heap.root);
    let opens = |node: u32| {
        u128::from(retained(node)) * 100 >= u128::from(total) * u128::from(OPENED_PERCENT) && single.says_nothing(node)
    };
    let (mut stack, mut outer) = (vec![single.heap.root], Vec::new());
    while let Some(node) = stack.pop() {
        for child in single.children(node) {
            if opens(child) { stack.push(child) } else { outer.push(child) }
        }
    }
    let mut areas = grouped(single, &outer, total, 0);
    let told = areas.iter().fold(0_u64, |sum, area| sum.saturating_add(area.retained));
    if total > told {
        let rest = Area { class: None, maker: Maker::Engine, count: 0, retained: total - told, parts: Vec::new() };
        areas.push(rest);
    }
    areas
}

/// Objects by class, those that hold most, each with what is inside.
fn grouped(single: &Single<'_, '_>, nodes: &[u32], total: u64, depth: usize) -> Vec<Area> {
    let mut groups: FxHashMap<u32, (u64, Vec<u32>)> = FxHashMap::default();
    for node in nodes.iter().filter(|node| single.sizes.retained[**node as usize] > 0) {
        let (bytes, of_class) = groups.entry(single.heap.class_of[*node as usize]).or_default();
        *bytes = bytes.saturating_add(single.sizes.retained[*node as usize]);
        of_class.push(*node);
    }
    let is_area = |bytes: u64| u128::from(bytes) * 1000 >= u128::from(total) * u128::from(LEAST_PER_MILLE[depth]);
    let mut groups: Vec<(u32, u64, Vec<u32>)> =
        groups.into_iter().map(|(class, (bytes, nodes))| (class, bytes, nodes)).filter(|row| is_area(row.1)).collect();
    groups.sort_by_key(|(class, bytes, _)| (std::cmp::Reverse(*bytes), *class));
    groups.truncate(AREAS[depth]);
    let area = |(class, retained, of_class): (u32, u64, Vec<u32>)| {
        let inside: Vec<u32> = if depth + 1 < AREAS.len() {
            of_class.iter().flat_map(|node| single.children(*node)).collect()
        } else {
            Vec::new()
        };
        let parts = if inside.is_empty() { Vec::new() } else { grouped(single, &inside, total, depth + 1) };
        let (maker, count) = (single.heap.classes[class as usize].maker, of_class.len() as u64);
        Area { class: Some(class), maker, count, retained, parts }
    };
    groups.into_iter().map(area).collect()
}
