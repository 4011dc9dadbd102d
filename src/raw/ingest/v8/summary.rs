//! Classes, counts and sizes, by the names that DevTools gives to classes.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::Snapshot;
use super::layout::NodeType;
use super::numbers::{Rows, split};
use super::sections::Section;
use crate::heap::StrId;
use crate::heap::series::Sketch;
use crate::heap::summary::{ClassCount, ClassName, Summary};
use crate::{Error, Kind, Result, Stage};

impl Snapshot<'_> {
    /// Reads the numbers that a report needs. They are not kept as columns, since scrubbing does without them.
    pub(super) fn read_summary(&self) -> Result<Summary> {
        let nodes = self.outline.range(Section::Nodes).unwrap_or_default();
        let stride = self.layout.node_fields.len();
        let what = "whole nodes in the nodes section";
        let rows = split(&self.bytes[nodes.clone()], nodes.start, stride, what)?;
        let at = |name| self.layout.node_field(name).ok_or(Error::new(Stage::Ingest, Kind::Malformed { what }));
        let (id_at, size_at) = (at("id")?, at("self_size")?);
        let read = |run: &Rows<'_>| {
            let mut numbers = run.numbers();
            let mut out = Vec::with_capacity(run.count);
            for _ in 0..run.count {
                let (mut id, mut size) = (0, 0);
                for field in 0..stride {
                    let value = numbers.next()?.ok_or(Error::new(Stage::Ingest, Kind::Malformed { what }))?;
                    // Every number was checked to be zero or more when the file was read.
                    id = if field == id_at { value.unsigned_abs() } else { id };
                    size = if field == size_at { value.unsigned_abs() } else { size };
                }
                out.push((id, size));
            }
            Ok(out)
        };
        let columns = rows.par_iter().map(read).collect::<Result<Vec<Vec<(u64, u64)>>>>()?;
        let mut classes: FxHashMap<ClassName, (u64, u64)> = FxHashMap::default();
        let mut heap_bytes = 0_u64;
        let elements = self.element_names();
        for (node, (_, size)) in columns.iter().flatten().enumerate() {
            let row = classes.entry(self.class_of(node, &elements)).or_default();
            *row = (row.0 + 1, row.1.saturating_add(*size));
            heap_bytes = heap_bytes.saturating_add(*size);
        }
        let mark = |(node, (id, size)): (usize, &(u64, u64))| (*id, size << 8 | u64::from(self.graph.node_type[node]));
        // Objects of the engine have odd ids, which only rise. Even ones belong to the embedder: up to Node.js 20 they are
        // made from addresses, anew for each snapshot.
        let all = columns.iter().flatten().enumerate().map(mark);
        let sketch = Sketch::of(all.filter(|(id, _)| id % 2 == 1));
        let classes = classes.into_iter().map(|(name, (count, shallow))| ClassCount { name, count, shallow }).collect();
        let outside_bytes = self.layout.count("extra_native_bytes").map(i64::unsigned_abs);
        Ok(Summary { heap_bytes, outside_bytes, classes, sketch })
    }

    /// Which texts are elements of pages with their attributes.
    fn element_names(&self) -> FxHashMap<u32, ()> {
        let is_element = |id: &u32| {
            let raw = self.outline.strings.raw(self.bytes, *id as usize);
            raw.starts_with(b"<") || raw.starts_with(b"Detached <")
        };
        let named = (0..self.graph.nodes())
            .filter(|n| matches!(self.graph.node_kind(&self.layout, *n), NodeType::Object | NodeType::Native));
        named.map(|n| self.graph.node_name[n]).filter(is_element).map(|id| (id, ())).collect()
    }

    fn class_of(&self, node: usize, elements: &FxHashMap<u32, ()>) -> ClassName {
        let name = self.graph.node_name[node];
        match self.graph.node_kind(&self.layout, node) {
            NodeType::Object | NodeType::Native if elements.contains_key(&name) => ClassName::Element(StrId(name)),
            NodeType::Object | NodeType::Native => ClassName::Text(StrId(name)),
            NodeType::Hidden => ClassName::Fixed("(system)"),
            NodeType::Code => ClassName::Fixed("(compiled code)"),
            NodeType::Closure => ClassName::Fixed("Function"),
            NodeType::Regexp => ClassName::Fixed("RegExp"),
            NodeType::Array => ClassName::Fixed("(array)"),
            NodeType::String => ClassName::Fixed("(string)"),
            NodeType::Number => ClassName::Fixed("(number)"),
            NodeType::Synthetic => ClassName::Fixed("(synthetic)"),
            NodeType::Cons => ClassName::Fixed("(concatenated string)"),
            NodeType::Sliced => ClassName::Fixed("(sliced string)"),
            NodeType::Symbol => ClassName::Fixed("(symbol)"),
            NodeType::BigInt => ClassName::Fixed("(bigint)"),
            NodeType::Shape => ClassName::Fixed("(object shape)"),
            NodeType::Wasm => ClassName::Fixed("(wasm object)"),
        }
    }
}
