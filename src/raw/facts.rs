//! What a report tells, computed from the sanitised bytes: numbers first, then the few names that the numbers speak of.

use std::collections::{BTreeMap, HashMap};

use super::allocations::{Allocated, Files};
use super::ingest::{Shapes, Source};
use super::scrub::guard::Guard;
use super::scrub::wall::SafeText;
use crate::Result;
use crate::heap::StrId;
use crate::heap::classes::{ClassRow, Sizes};
use crate::heap::dominators::{Dominators, Edges};
use crate::heap::graph::{Heap, Place, flag};
use crate::heap::routes::Routes;
use crate::heap::series::Series;
use crate::summarise::growth::{self, Compared, Growth, History};
use crate::summarise::objects::{Changed, Objects, by_id};
use crate::summarise::owner_kind::Runtime;
use crate::summarise::owners::Owner;
use crate::summarise::paths::{EdgeName, Path};
use crate::summarise::single::{self, CensusRow, Duplicate, Handles, Holder, Large, Single, Suspect, TextKind};
use crate::summarise::tree::{self, Area};

/// What a report tells of one sanitised artifact.
#[derive(Debug)]
pub(crate) struct Facts {
    pub(crate) heap_bytes: u64,
    pub(crate) outside_bytes: Option<u64>,
    pub(crate) handles: Handles,
    pub(crate) nodes: Option<NodeTable>,
}

/// Numbers of every node, in the order of the file.
#[derive(Debug)]
pub struct NodeTable {
    /// References away from the nearest root.
    pub distance: Vec<i32>,
    /// The node that alone keeps it alive.
    pub dominator: Vec<u32>,
    /// Bytes of its own, with the stores that it alone owns.
    pub own: Vec<u64>,
    /// Bytes that would go with it.
    pub retained: Vec<u64>,
}

/// One class in all snapshots of a call.
#[derive(Clone, Debug)]
pub(crate) struct ClassHistory {
    pub(crate) name: SafeText,
    pub(crate) place: Option<Place>,
    pub(crate) history: History,
    /// Of the nearest object in the last snapshot.
    pub(crate) distance: i32,
    /// From the first to the last, where objects keep their numbers.
    pub(crate) changed: Option<Changed>,
}

/// What is told of a call.
#[derive(Debug)]
pub(crate) struct Findings {
    pub(crate) runtime: Runtime,
    pub(crate) classes: Vec<ClassHistory>,
    /// For each class of the last snapshot, its number among these.
    pub(crate) class_of: Vec<u32>,
    pub(crate) growth: Option<Growth>,
    pub(crate) holders: Vec<Holder>,
    pub(crate) suspects: Vec<Suspect>,
    pub(crate) areas: Vec<Area>,
    pub(crate) duplicates: (Vec<Duplicate>, u64),
    pub(crate) large: Vec<Large>,
    pub(crate) census: Vec<CensusRow>,
    /// Bytes that the last snapshot holds, from its root.
    pub(crate) total: u64,
    /// The names that all this speaks of.
    pub(crate) names: BTreeMap<StrId, SafeText>,
    pub(crate) scripts: BTreeMap<u32, SafeText>,
    /// Where memory was allocated, where files tell that.
    pub(crate) allocations: Option<Allocated>,
}

/// The classes of all snapshots: one number for each name and place.
#[derive(Default)]
struct Book {
    numbers: HashMap<(SafeText, Option<Place>), u32>,
    rows: Vec<ClassHistory>,
    snapshots: usize,
    /// Do places mean the same in all snapshots?
    places: bool,
}

/// A heap with everything that follows from it.
struct Analysed<'h> {
    heap: Heap<'h>,
    sizes: Sizes,
    class_of: Vec<u32>,
}

/// Looks at the snapshots of a call, the last one first.
pub(in crate::raw) struct Analysis<'g, 'h> {
    guard: &'g Guard<'g>,
    last: Option<(Analysed<'h>, Shapes, Vec<u32>)>,
    book: Book,
    /// Of the earlier snapshots, the later ones first.
    earlier: Vec<(Objects, Vec<u32>)>,
    changed: Vec<Changed>,
    one_process: bool,
    node_table: bool,
    files: Files,
}

impl<'g, 'h> Analysis<'g, 'h> {
    pub(in crate::raw) fn new(guard: &'g Guard<'g>, snapshots: usize, series: &Series, node_table: bool) -> Self {
        let one_process = matches!(series, Series::InOrder | Series::OutOfOrder(_) | Series::Single);
        let book = Book { snapshots, places: one_process, ..Book::default() };
        let (earlier, changed, files) = (Vec::new(), Vec::new(), Files::default());
        Self { guard, last: None, book, earlier, changed, one_process, node_table, files }
    }

    /// A snapshot that tells where memory was allocated.
    pub(in crate::raw) fn allocations(&mut self, source: &dyn Source, input: usize) -> Option<Facts> {
        let heap_bytes = self.files.add(input, source, self.guard)?;
        Some(Facts { heap_bytes, outside_bytes: None, handles: Handles::default(), nodes: None })
    }

    /// The last snapshot; it stays at hand until the others have been looked at.
    pub(in crate::raw) fn last(&mut self, source: &'h dyn Source) -> Result<Option<Facts>> {
        let Some((heap, shapes)) = source.heap(None, self.book.snapshots > 1 && self.one_process)? else {
            return Ok(None);
        };
        let mut analysed = self.analyse(source, heap, self.book.snapshots - 1);
        let facts = self.facts(&analysed);
        // Classes have their distances by now, and so has the table of nodes.
        analysed.heap.distances = Vec::new();
        let order = if self.book.snapshots > 1 && self.one_process { by_id(&analysed.heap) } else { Vec::new() };
        self.last = Some((analysed, shapes, order));
        Ok(Some(facts))
    }

    /// An earlier snapshot; `at` counts from 0.
    pub(in crate::raw) fn earlier(&mut self, source: &dyn Source, at: usize) -> Result<Option<Facts>> {
        let shapes = self.last.as_ref().map(|(_, shapes, _)| shapes);
        let Some((heap, _)) = source.heap(shapes, self.one_process)? else { return Ok(None) };
        let analysed = self.analyse(source, heap, at);
        let facts = self.facts(&analysed);
        if let Some((last, _, order)) = self.last.as_ref().filter(|_| self.one_process) {
            let objects = Objects::of(&analysed.heap, &analysed.sizes, &analysed.class_of);
            let places = objects.find(&last.heap, order, &last.class_of);
            if at == 0 {
                self.changed = objects.compare(&last.heap, order, &last.class_of, self.book.rows.len());
            }
            self.earlier.push((objects, places));
        }
        Ok(Some(facts))
    }

    fn analyse<'s>(&mut self, source: &dyn Source, heap: Heap<'s>, at: usize) -> Analysed<'s> {
        let edges =
            Edges { first: heap.first_edge, to: heap.edge_to, counts: |e| heap.edge_flags[e] & flag::ESSENTIAL != 0 };
        let dominators = Dominators::of(&edges, heap.root);
        let sizes = Sizes::of(&heap, dominators);
        let class_of = self.book.add(self.guard, source, &heap, &sizes.rows, at);
        Analysed { heap, sizes, class_of }
    }

    fn facts(&self, analysed: &Analysed<'_>) -> Facts {
        let (heap, sizes) = (&analysed.heap, &analysed.sizes);
        let table = || NodeTable {
            distance: heap.distances.clone(),
            dominator: sizes.dominators.clone(),
            own: heap.sizes.clone(),
            retained: sizes.retained.clone(),
        };
        Facts {
            heap_bytes: heap.heap_bytes,
            outside_bytes: heap.outside_bytes,
            handles: single::handles(heap),
            nodes: self.node_table.then(table),
        }
    }

    /// Everything that is told of the call. `kinds`: what the texts of the last snapshot looked like.
    pub(in crate::raw) fn findings(
        mut self,
        source: &dyn Source,
        kinds: &[TextKind],
        work: Option<&[f64]>,
    ) -> Option<Findings> {
        let allocations = std::mem::take(&mut self.files).finish(work);
        let Some((last, _, _)) = self.last.take() else {
            return allocations.map(Findings::without_graph);
        };
        let Analysed { heap, sizes, class_of } = last;
        let routes = Routes::of(&heap);
        let single = Single { heap: &heap, sizes: &sizes, routes: &routes };
        let (mut objects, mut places): (Vec<_>, Vec<_>) = self.earlier.drain(..).rev().unzip();
        let histories: Vec<History> =
            class_of.iter().map(|class| self.book.rows[*class as usize].history.clone()).collect();
        let growth = (self.book.snapshots > 1).then(|| {
            let compared = Compared {
                heap: &heap,
                sizes: &sizes,
                routes: &routes,
                earlier: &objects,
                places: &places,
                histories: &histories,
                work,
            };
            if self.one_process { growth::by_holder(&compared) } else { growth::by_class(&compared) }
        });
        objects.clear();
        places.clear();
        for (row, changed) in self.book.rows.iter_mut().zip(self.changed) {
            row.changed = Some(changed);
        }
        let ((holders, suspects, areas), (duplicates, large)) = rayon::join(
            || (single.holders(), single.suspects(), tree::areas(&single)),
            || (single.duplicates(), single.large()),
        );
        let total = sizes.retained[heap.root as usize];
        // The census needs ways only, and room.
        drop(sizes);
        let mut findings = Findings {
            runtime: heap.runtime,
            classes: self.book.rows,
            class_of,
            growth,
            holders,
            suspects,
            areas,
            duplicates,
            large,
            census: single::census(&heap, &routes, kinds),
            total,
            names: BTreeMap::new(),
            scripts: BTreeMap::new(),
            allocations,
        };
        findings.name(self.guard, source, &heap);
        Some(findings)
    }
}

impl Book {
    /// Adds the rows of one snapshot. Returns the number of each of its classes.
    fn add(
        &mut self,
        guard: &Guard<'_>,
        source: &dyn Source,
        heap: &Heap<'_>,
        rows: &[ClassRow],
        at: usize,
    ) -> Vec<u32> {
        let is_last = at + 1 == self.snapshots;
        let mut number = |class: usize| {
            let (class, row) = (&heap.classes[class], &rows[class]);
            let place = class.place.filter(|_| self.places);
            let name = guard.class_name(source, class);
            let next = self.rows.len() as u32;
            let number = *self.numbers.entry((name.clone(), place)).or_insert(next);
            if number == next {
                let zeros = vec![0; self.snapshots];
                let history = History { counts: zeros.clone(), shallow: zeros.clone(), retained: zeros };
                let (distance, changed) = (i32::MAX, None);
                self.rows.push(ClassHistory { name, place: class.place, history, distance, changed });
            }
            let found = &mut self.rows[number as usize];
            // Two classes have one row where their names were replaced by one.
            found.history.counts[at] = found.history.counts[at].saturating_add(row.count);
            found.history.shallow[at] = found.history.shallow[at].saturating_add(row.shallow);
            found.history.retained[at] = found.history.retained[at].saturating_add(row.retained);
            if is_last {
                found.distance = found.distance.min(row.distance);
            }
            number
        };
        (0..heap.classes.len()).map(&mut number).collect()
    }
}

impl Findings {
    /// What is told where no snapshot has a graph.
    fn without_graph(allocations: Allocated) -> Self {
        Self {
            runtime: Runtime::Python,
            classes: Vec::new(),
            class_of: Vec::new(),
            growth: None,
            holders: Vec::new(),
            suspects: Vec::new(),
            duplicates: (Vec::new(), 0),
            large: Vec::new(),
            census: Vec::new(),
            areas: Vec::new(),
            total: 0,
            names: BTreeMap::new(),
            scripts: BTreeMap::new(),
            allocations: Some(allocations),
        }
    }

    /// Looks up the names that are told.
    fn name(&mut self, guard: &Guard<'_>, source: &dyn Source, heap: &Heap<'_>) {
        let mut wanted: Vec<StrId> = self.duplicates.0.iter().map(|d| d.text).collect();
        let mut places: Vec<Place> = self.classes.iter().filter_map(|c| c.place).collect();
        let growers = self.growth.iter().flat_map(|g| &g.growers);
        let owners = growers.clone().map(|g| &g.owner).chain(self.holders.iter().map(|h| &h.owner));
        let owners = owners.chain(self.suspects.iter().map(|s| &s.owner)).chain(self.large.iter().map(|l| &l.owner));
        for owner in owners {
            wanted.extend([owner.name, owner.function, owner.event].into_iter().flatten());
            places.extend(owner.place);
        }
        let paths = growers.flat_map(|g| &g.paths).chain(self.holders.iter().flat_map(|h| &h.paths));
        for step in paths.chain(self.suspects.iter().map(|s| &s.path)).flat_map(|path: &Path| &path.steps) {
            if let EdgeName::Text(id) = step.name {
                wanted.push(id);
            }
            wanted.extend(step.called);
            places.extend(step.place);
        }
        self.names = wanted.into_iter().map(|id| (id, guard.label(source, id))).collect();
        let mut scripts = BTreeMap::new();
        for place in places {
            if let Ok(at) = heap.scripts.binary_search_by_key(&place.script, |(script, _)| *script) {
                scripts.entry(place.script).or_insert_with(|| guard.script(source, heap.scripts[at].1));
            }
        }
        self.scripts = scripts;
    }

    /// The number among all classes of a class of the last snapshot.
    pub(crate) fn class(&self, class: u32) -> &ClassHistory {
        &self.classes[self.class_of[class as usize] as usize]
    }

    /// What an owner is called.
    pub(crate) fn name_of(&self, id: Option<StrId>) -> Option<SafeText> {
        self.names.get(&id?).filter(|name| !name.as_str().is_empty()).cloned()
    }

    /// The name of the owner: the variable that leads to it, or the function that it is.
    pub(crate) fn owner_name(&self, owner: &Owner) -> Option<SafeText> {
        self.name_of(owner.name).or_else(|| self.name_of(owner.function))
    }
}
