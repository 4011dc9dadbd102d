//! Names of classes as DevTools gives them, and the row of the class table that each object belongs to.

use rustc_hash::FxHashMap;

use super::super::Snapshot;
use super::super::layout::{EdgeType, NodeType};
use super::super::strings::{decode, utf16_units};
use super::columns::Location;
use crate::heap::StrId;
use crate::heap::graph::{Class, ClassName, Maker, Place};
use crate::heap::sign::Sign;
use crate::raw::scrub::vocabulary;

/// Shapes of plain objects: lists of keys, as texts, in the order in which the newest snapshot of a call has them.
/// Older snapshots are read with the shapes of the newest, so that classes can be compared.
#[derive(Debug, Default)]
pub(crate) struct Shapes(Vec<Vec<Vec<u8>>>);

/// Characters of a name made of keys.
const NAME_UNITS: usize = 120;
/// A key as a number: equal for equal texts.
type Key = u32;

/// The class of every object, the classes, and the shapes that were found or given.
pub(super) struct Classified {
    pub(super) class_of: Vec<u32>,
    pub(super) classes: Vec<Class>,
    pub(super) shapes: Shapes,
}

/// Gives each distinct text one number.
#[derive(Default)]
struct Keys<'t> {
    numbers: FxHashMap<&'t [u8], Key>,
    /// The entry of the table for each number.
    entries: Vec<StrId>,
    /// Units of UTF-16 of the key as it stands in a name; 0 for the one that is left out.
    units: Vec<usize>,
    of: FxHashMap<u32, Key>,
}

impl<'t> Keys<'t> {
    fn number(&mut self, snapshot: &'t Snapshot<'_>, id: u32) -> Key {
        if let Some(key) = self.of.get(&id) {
            return *key;
        }
        let raw = snapshot.raw_name(StrId(id));
        let next = self.entries.len() as Key;
        let key = *self.numbers.entry(raw).or_insert(next);
        if key == next {
            self.entries.push(StrId(id));
            let mut text = Vec::new();
            decode(raw, &mut text);
            self.units.push(if text == b"__proto__" {
                0
            } else {
                shown(&text).map_or(utf16_units(&text), |t| utf16_units(&t))
            });
        }
        self.of.insert(id, key);
        key
    }
}

/// A key as a name shows it, if that is not the key itself: in quotes where it has a mark of its own.
pub(in crate::raw) fn shown(key: &[u8]) -> Option<Vec<u8>> {
    if !key.iter().any(|b| matches!(b, b',' | b'\'' | b'"' | b'{' | b'}')) {
        return None;
    }
    let text = String::from_utf8_lossy(key);
    Some(serde_json::Value::from(&*text).to_string().into_bytes())
}

impl Snapshot<'_> {
    pub(super) fn classify(
        &self,
        signs: &[Sign],
        detachedness: &[u8],
        locations: &[Location],
        given: Option<&Shapes>,
    ) -> Classified {
        let (shape_of, names, shapes) = self.shapes(signs, given);
        let mut rows = Rows { numbers: FxHashMap::default(), classes: Vec::new() };
        let mut of_name: FxHashMap<(u32, bool), ClassName> = FxHashMap::default();
        let mut canonical: FxHashMap<&[u8], u32> = FxHashMap::default();
        let mut row_of: FxHashMap<(NodeType, u32, bool, u32), u32> = FxHashMap::default();
        let mut places = locations.iter().peekable();
        let mut class_of = Vec::with_capacity(self.graph.nodes());
        for node in 0..self.graph.nodes() as u32 {
            let kind = self.kind(node);
            let mut place = None;
            if let Some(location) = places.next_if(|l| l.node == node)
                && kind == NodeType::Object
            {
                place = Some(location.place);
            }
            let name_id = self.graph.node_name[node as usize];
            let detached = detachedness.get(node as usize) == Some(&2);
            let shape = shape_of.get(&node).copied();
            let memo = (kind, name_id, detached, shape.map_or(0, |s| s + 1));
            let row = match row_of.get(&memo).filter(|_| place.is_none()) {
                Some(row) => *row,
                None => {
                    let name = match (fixed(kind), shape) {
                        (Some(word), _) => ClassName::Fixed(word),
                        (None, Some(shape)) => names[shape as usize].clone(),
                        (None, None) => of_name
                            .entry((name_id, detached))
                            .or_insert_with(|| self.text_class(name_id, &mut canonical))
                            .clone(),
                    };
                    let maker = self.maker(kind, &name);
                    let row = rows.number(Class { name, detached: detached && fixed(kind).is_none(), place, maker });
                    if place.is_none() {
                        row_of.insert(memo, row);
                    }
                    row
                }
            };
            class_of.push(row);
        }
        Classified { class_of, classes: rows.classes, shapes }
    }

    /// A class named by a text; entries of one text are one class.
    fn text_class<'t>(&'t self, id: u32, canonical: &mut FxHashMap<&'t [u8], u32>) -> ClassName {
        let raw = self.raw_name(StrId(id));
        let blank = |from: usize| memchr::memchr(b' ', &raw[from..]).map(|at| from + at);
        let cut = match raw {
            _ if raw.starts_with(b"<") => blank(0),
            _ if raw.starts_with(b"Detached <") => blank(10),
            _ => None,
        };
        match cut {
            Some(end) => ClassName::Element(StrId(*canonical.entry(&raw[..end]).or_insert(id))),
            None => {
                let first = *canonical.entry(raw).or_insert(id);
                // A tag that was cut and one without attributes are one class.
                match raw.strip_suffix(b">").filter(|_| raw.starts_with(b"<") || raw.starts_with(b"Detached <")) {
                    Some(tag) => ClassName::Element(StrId(*canonical.entry(tag).or_insert(first))),
                    None => ClassName::Text(StrId(first)),
                }
            }
        }
    }

    fn maker(&self, kind: NodeType, name: &ClassName) -> Maker {
        match (kind, name) {
            (_, ClassName::Shape(_) | ClassName::Element(_)) => Maker::Plain,
            (
                NodeType::String
                | NodeType::Cons
                | NodeType::Sliced
                | NodeType::Number
                | NodeType::Symbol
                | NodeType::BigInt,
                _,
            ) => Maker::Plain,
            (NodeType::Closure | NodeType::Regexp, _) => Maker::Runtime,
            (_, ClassName::Fixed(_)) => Maker::Engine,
            (_, ClassName::Text(id)) => {
                let text = self.raw_name(*id);
                match () {
                    () if text.starts_with(b"system / ") => Maker::Engine,
                    () if matches!(text, b"Object" | b"Array") => Maker::Plain,
                    () if kind == NodeType::Native || vocabulary::contains_class(text) => Maker::Runtime,
                    () => Maker::Program,
                }
            }
        }
    }

    /// Which plain objects have which shape: by node; names by number; the shapes for other snapshots.
    fn shapes(&self, signs: &[Sign], given: Option<&Shapes>) -> (FxHashMap<u32, u32>, Vec<ClassName>, Shapes) {
        let plain = (0..self.graph.nodes() as u32).filter(|n| {
            self.kind(*n) == NodeType::Object && signs[self.graph.node_name[*n as usize] as usize] == Sign::Plain
        });
        let plain: Vec<u32> = plain.collect();
        let mut keys = Keys::default();
        let mut list = Vec::new();
        // Every list of keys once, with its objects.
        let mut groups: FxHashMap<Box<[Key]>, u32> = FxHashMap::default();
        let mut lists: Vec<(Box<[Key]>, usize)> = Vec::new();
        let group_of: Vec<u32> = plain
            .iter()
            .map(|node| {
                list.clear();
                list.extend(self.property_names(*node).map(|id| keys.number(self, id)));
                if let Some(group) = groups.get(&list[..]) {
                    lists[*group as usize].1 += 1;
                    return *group;
                }
                let group = lists.len() as u32;
                groups.insert(list.as_slice().into(), group);
                lists.push((list.as_slice().into(), 1));
                group
            })
            .collect();
        let defined: Vec<Vec<Key>> = match given {
            Some(shapes) => shapes.0.iter().map(|shape| self.translate(shape, &mut keys)).collect(),
            None => common(&lists, &keys.units, plain.len()),
        };
        let finder = Finder::new(&defined);
        let shape_of_group: Vec<Option<u32>> = lists.iter().map(|(list, _)| finder.find(list)).collect();
        let found =
            plain.iter().zip(group_of).filter_map(|(node, group)| Some((*node, shape_of_group[group as usize]?)));
        let found = found.collect();
        let names = defined.iter().map(|shape| {
            ClassName::Shape(
                shape.iter().map(|key| keys.entries.get(*key as usize).copied().unwrap_or(StrId(0))).collect(),
            )
        });
        let names = names.collect();
        let text =
            |key: &Key| keys.entries.get(*key as usize).map(|id| self.raw_name(*id).to_vec()).unwrap_or_default();
        let shapes = Shapes(defined.iter().map(|shape| shape.iter().map(text).collect()).collect());
        (found, names, shapes)
    }

    /// Keys of another snapshot as numbers of this one. A key that this one does not have gets a number that no object has.
    fn translate(&self, shape: &[Vec<u8>], keys: &mut Keys<'_>) -> Vec<Key> {
        shape.iter().map(|text| keys.numbers.get(&text[..]).copied().unwrap_or(Key::MAX)).collect()
    }

    fn property_names(&self, node: u32) -> impl Iterator<Item = u32> {
        let edges = self.graph.edges_of(node as usize);
        edges.filter(|e| self.graph.edge_kind(&self.layout, *e) == EdgeType::Property).map(|e| self.graph.edge_name[e])
    }
}

/// The name of every object of a kind, if they all have one.
fn fixed(kind: NodeType) -> Option<&'static str> {
    match kind {
        NodeType::Object | NodeType::Native => None,
        NodeType::Hidden => Some("(system)"),
        NodeType::Code => Some("(compiled code)"),
        NodeType::Closure => Some("Function"),
        NodeType::Regexp => Some("RegExp"),
        NodeType::Array => Some("(array)"),
        NodeType::String => Some("(string)"),
        NodeType::Number => Some("(number)"),
        NodeType::Synthetic => Some("(synthetic)"),
        NodeType::Cons => Some("(concatenated string)"),
        NodeType::Sliced => Some("(sliced string)"),
        NodeType::Symbol => Some("(symbol)"),
        NodeType::BigInt => Some("(bigint)"),
        NodeType::Shape => Some("(object shape)"),
        NodeType::Wasm => Some("(wasm object)"),
    }
}

/// Numbers classes in the order in which they come.
struct Rows {
    numbers: FxHashMap<(ClassName, bool, Option<Place>), u32>,
    classes: Vec<Class>,
}

impl Rows {
    fn number(&mut self, class: Class) -> u32 {
        let key = (class.name.clone(), class.detached, class.place);
        let next = self.classes.len() as u32;
        let row = *self.numbers.entry(key).or_insert(next);
        if row == next {
            self.classes.push(class);
        }
        row
    }
}

/// Shapes that are common enough for a name: the most frequent first, then in the order in which they were met.
fn common(lists: &[(Box<[Key]>, usize)], units: &[usize], plain: usize) -> Vec<Vec<Key>> {
    let mut candidates: FxHashMap<Vec<Key>, usize> = FxHashMap::default();
    let mut counted: Vec<(Vec<Key>, usize)> = Vec::new();
    // Lists come in the order of the objects that had them first.
    for (list, count) in lists {
        let (mut name, mut length) = (Vec::new(), 1);
        for key in list {
            let more = units[*key as usize];
            if more == 0 {
                continue;
            }
            if length > 1 && length + more > NAME_UNITS {
                break;
            }
            length += more + if length == 1 { 0 } else { 2 };
            name.push(*key);
        }
        if name.is_empty() {
            continue;
        }
        let at = *candidates.entry(name.clone()).or_insert(counted.len());
        match counted.get_mut(at) {
            Some((_, sum)) => *sum += count,
            None => counted.push((name, *count)),
        }
    }
    let least = (plain as f64 / 1000.0).max(2.0);
    counted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counted.into_iter().filter(|(_, count)| *count as f64 >= least).map(|(name, _)| name).collect()
}

/// Finds the shape with most keys of all that an object has every key of.
struct Finder<'s> {
    shapes: Vec<(Vec<Key>, &'s [Key])>,
    /// By the least key.
    by_least: FxHashMap<Key, Vec<u32>>,
}

impl<'s> Finder<'s> {
    fn new(defined: &'s [Vec<Key>]) -> Self {
        let mut by_least: FxHashMap<Key, Vec<u32>> = FxHashMap::default();
        let sorted = |shape: &'s Vec<Key>| {
            let mut sorted = shape.clone();
            sorted.sort_unstable();
            (sorted, shape.as_slice())
        };
        let shapes: Vec<_> = defined.iter().map(sorted).collect();
        for (i, (sorted, _)) in shapes.iter().enumerate() {
            if let Some(least) = sorted.first() {
                by_least.entry(*least).or_default().push(i as u32);
            }
        }
        Self { shapes, by_least }
    }

    fn find(&self, list: &[Key]) -> Option<u32> {
        let mut keys = list.to_vec();
        keys.sort_unstable();
        let mut best: Option<(usize, u32)> = None;
        for (i, key) in keys.iter().enumerate() {
            if i > 0 && keys[i - 1] == *key {
                continue;
            }
            for shape in self.by_least.get(key).into_iter().flatten() {
                let sorted = &self.shapes[*shape as usize].0;
                let better = best.is_none_or(|(len, at)| sorted.len() > len || (sorted.len() == len && *shape < at));
                if better && is_within(sorted, &keys[i..]) {
                    best = Some((sorted.len(), *shape));
                }
            }
        }
        best.map(|(_, shape)| shape)
    }
}

/// Are all of these keys among those? Both are sorted.
fn is_within(some: &[Key], all: &[Key]) -> bool {
    let mut rest = all.iter();
    some.iter().all(|key| rest.by_ref().any(|other| other == key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shape_with_most_keys_is_chosen() {
        let shapes = vec![vec![1, 2], vec![2, 1, 3], vec![5]];
        let finder = Finder::new(&shapes);
        let find = |keys: &[Key]| finder.find(keys);
        assert_eq!(find(&[2, 1]), Some(0));
        assert_eq!(find(&[9, 3, 2, 1]), Some(1));
        assert_eq!(find(&[5, 1, 2]), Some(0));
        assert_eq!(find(&[1]), None);
    }

    #[test]
    fn long_names_end_before_a_key_and_rare_shapes_have_none() {
        // Keys of 50, 60 and 20 characters; the third would be the 134th.
        let units = [50, 60, 20, 0];
        let lists = [(vec![0, 3, 1, 2].into(), 2), (vec![2].into(), 1)];
        assert_eq!(common(&lists, &units, 3), vec![vec![0, 1]]);
    }

    #[test]
    fn keys_with_marks_are_in_quotes() {
        assert_eq!(shown(b"plain key"), None);
        assert_eq!(shown(b"a,\"b\"").as_deref(), Some(&br#""a,\"b\"""#[..]));
    }
}
