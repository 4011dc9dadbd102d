//! A snapshot as a heap of numbers, by the rules of DevTools: what reports are computed from.

mod class_names;
mod columns;
mod semantics;
mod signs;

use rustc_hash::FxHashMap;

use self::class_names::Classified;
pub(in crate::raw) use self::class_names::{Shapes, shown};
use self::columns::Location;
use self::semantics::Marks;
use super::Snapshot;
use super::layout::{EdgeType, NodeType};
use super::words::Word;
use crate::Result;
use crate::heap::StrId;
use crate::heap::graph::{EdgeKind, Heap, NodeKind};
use crate::heap::series::Sketch;
use crate::summarise::owner_kind::Runtime;

impl Snapshot<'_> {
    /// What tells whether two snapshots are of one process.
    pub(super) fn read_sketch(&self) -> Result<Sketch> {
        let columns = self.columns()?;
        // Objects of the engine have odd ids, which only rise. Even ones belong to the embedder: up to Node.js 20 they are
        // made from addresses, anew for each snapshot.
        let all = columns.ids.iter().zip(&columns.sizes).zip(&self.graph.node_type);
        let marked = all.map(|((id, size), kind)| (*id, size << 8 | u64::from(*kind)));
        Ok(Sketch::of(marked.filter(|(id, _)| id % 2 == 1)))
    }

    /// The node with this id.
    pub(super) fn node_of(&self, id: u64) -> Result<Option<u32>> {
        let ids = self.columns()?.ids;
        Ok(ids.iter().position(|found| *found == id).map(|node| node as u32))
    }

    /// Reads everything that the analysis needs. `given`: shapes of plain objects in the newest snapshot of the call.
    pub(super) fn read_heap(&self, given: Option<&Shapes>, wants_ids: bool) -> Result<(Heap<'_>, Shapes)> {
        let root = self.root();
        let (columns, signs) = rayon::join(|| self.columns(), || self.signs());
        let mut columns = columns?;
        let pairs = self.pairs(&signs);
        let marks = Marks { signs: &signs, pairs: &pairs, root };
        let heap_bytes = columns.sizes.iter().fold(0_u64, |sum, size| sum.saturating_add(*size));
        let mut detachedness = std::mem::take(&mut columns.detachedness);
        self.spread_detachedness(&mut detachedness);
        let locations = self.locations()?;
        let (edge_flags, (distances, classified)) = rayon::join(
            || self.edge_flags(&marks, &columns),
            || {
                let distances = self.find_distances(&marks);
                (distances, self.classify(&signs, &detachedness, &locations, given))
            },
        );
        let mut sizes = std::mem::take(&mut columns.sizes);
        self.move_sizes(&marks, &mut sizes);
        let Classified { class_of, classes, shapes } = classified;
        let scripts = self.scripts(&locations);
        let heap = Heap {
            runtime: Runtime::JavaScript,
            root,
            first_edge: &self.graph.first_edge,
            edge_to: &self.graph.edge_to,
            edge_name: &self.graph.edge_name,
            edge_type: &self.graph.edge_type,
            edge_kinds: self.layout.edge_types.iter().map(|kind| edge_kind(*kind)).collect(),
            edge_flags,
            node_name: &self.graph.node_name,
            node_type: &self.graph.node_type,
            node_kinds: self.layout.node_types.iter().map(|kind| node_kind(*kind)).collect(),
            whole_texts: self.layout.node_types.iter().map(|kind| *kind == NodeType::String).collect(),
            ids: if wants_ids { columns.ids } else { Vec::new() },
            sizes,
            distances,
            class_of,
            classes,
            signs,
            places: locations.iter().map(|l| (l.node, l.place)).collect(),
            scripts,
            heap_bytes,
            outside_bytes: self.layout.count("extra_native_bytes").map(i64::unsigned_abs),
        };
        Ok((heap, shapes))
    }

    /// The node that everything hangs on.
    fn root(&self) -> u32 {
        let stride = self.layout.node_fields.len() as i64;
        let index = self.layout.count("root_index").unwrap_or(0) / stride;
        u32::try_from(index).ok().filter(|n| (*n as usize) < self.graph.nodes()).unwrap_or(0)
    }

    /// The name of each script that has a place in it, in the order of the numbers: what the file says, or the script that
    /// the code of a function belongs to.
    fn scripts(&self, locations: &[Location]) -> Vec<(u32, StrId)> {
        let mut names: FxHashMap<u32, StrId> = FxHashMap::default();
        for location in locations {
            if names.contains_key(&location.place.script) {
                continue;
            }
            let of_function = || {
                let code = self.edge_named(location.node, |w| w == b"shared")?;
                self.edge_named(code, |w| matches!(w, b"script" | b"script_or_debug_info"))
            };
            let script =
                location.script.or_else(|| (self.kind(location.node) == NodeType::Closure).then(of_function).flatten());
            if let Some(script) = script.filter(|s| self.kind(*s) == NodeType::Code) {
                names.insert(location.place.script, StrId(self.graph.node_name[script as usize]));
            }
        }
        let mut names: Vec<_> = names.into_iter().collect();
        names.sort_unstable();
        names
    }

    fn edge_named(&self, node: u32, is: impl Fn(&[u8]) -> bool) -> Option<u32> {
        let mut edges = self.graph.edges_of(node as usize);
        let found = edges.find(|e| {
            self.graph.edge_kind(&self.layout, *e) == EdgeType::Internal
                && matches!(self.word(self.graph.edge_name[*e]), Word::Other | Word::Script)
                && is(self.raw_name(StrId(self.graph.edge_name[*e])))
        });
        found.map(|e| self.graph.edge_to[e])
    }
}

const fn node_kind(kind: NodeType) -> NodeKind {
    match kind {
        NodeType::Hidden | NodeType::Shape | NodeType::Wasm => NodeKind::Engine,
        NodeType::Array => NodeKind::Store,
        NodeType::String | NodeType::Cons | NodeType::Sliced => NodeKind::Text,
        NodeType::Object | NodeType::Regexp => NodeKind::Object,
        NodeType::Code => NodeKind::Code,
        NodeType::Closure => NodeKind::Function,
        NodeType::Number | NodeType::Symbol | NodeType::BigInt => NodeKind::Primitive,
        NodeType::Native => NodeKind::Native,
        NodeType::Synthetic => NodeKind::Root,
    }
}

const fn edge_kind(kind: EdgeType) -> EdgeKind {
    match kind {
        EdgeType::Context => EdgeKind::Variable,
        EdgeType::Element => EdgeKind::Element,
        EdgeType::Property => EdgeKind::Property,
        EdgeType::Internal => EdgeKind::Internal,
        EdgeType::Hidden => EdgeKind::Hidden,
        EdgeType::Shortcut => EdgeKind::Shortcut,
        EdgeType::Weak => EdgeKind::Weak,
    }
}
