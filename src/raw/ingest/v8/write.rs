//! Writes the sanitised snapshot: sections in the order of the input, `strings` last, nothing renumbered.
//!
//! Numbers are read again from the input and written as numbers; texts come from the edits only.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::Snapshot;
use super::graph::LARGE_INDEX;
use super::layout::{EdgeType, FLAT, Layout, Refers};
use super::numbers::{Numbers, split};
use super::sections::{Section, Token, trace_tokens};
use crate::heap::StrId;
use crate::raw::scrub::edits::Edits;
use crate::raw::scrub::sink::Sink;
use crate::raw::scrub::wall::SafeStr;
use crate::{Error, Kind, Result, Stage};

pub(super) fn write(snapshot: &Snapshot<'_>, edits: &Edits, sink: &mut Sink<'_>) -> Result<()> {
    sink.syntax("{\"snapshot\":")?;
    header(&snapshot.layout, sink)?;
    for (section, range) in &snapshot.outline.sections {
        match section {
            Section::Nodes => nodes(snapshot, edits, range.clone(), sink)?,
            Section::Edges => edges(snapshot, edits, range.clone(), sink)?,
            Section::TraceTree => trace_tree(snapshot, range.clone(), sink)?,
            Section::Flat(index) => flat(snapshot, edits, *index, range.clone(), sink)?,
        }
    }
    sink.syntax(",\n\"strings\":[")?;
    let parts: Vec<u32> = (0..edits.count()).step_by(TEXTS as usize).collect();
    sink.in_parts(&parts, |first, sink| {
        let mut scratch = edits.scratch();
        for id in (*first..edits.count().min(first + TEXTS)).map(StrId) {
            sink.syntax(if id.0 == 0 { "" } else { ",\n" })?;
            sink.json_string(edits.entry(id, snapshot, &mut scratch))?;
        }
        Ok(())
    })?;
    sink.syntax("]}")
}

fn word_list(words: impl Iterator<Item = &'static str>, sink: &mut Sink<'_>) -> Result<()> {
    sink.syntax("[")?;
    for (i, word) in words.enumerate() {
        sink.syntax(if i == 0 { "" } else { "," })?;
        sink.json_string(SafeStr::literal(word))?;
    }
    sink.syntax("]")
}

fn header(layout: &Layout, sink: &mut Sink<'_>) -> Result<()> {
    sink.syntax("{\"meta\":{\"node_fields\":")?;
    word_list(layout.node_fields.iter().copied(), sink)?;
    sink.syntax(",\"node_types\":[")?;
    for (i, field) in layout.node_fields.iter().enumerate() {
        sink.syntax(if i == 0 { "" } else { "," })?;
        match *field {
            "type" => word_list(layout.node_types.iter().map(|t| Layout::node_type_word(*t)), sink)?,
            "name" => sink.syntax("\"string\"")?,
            _ => sink.syntax("\"number\"")?,
        }
    }
    sink.syntax("],\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],\"edge_types\":[")?;
    word_list(layout.edge_types.iter().map(|t| Layout::edge_type_word(*t)), sink)?;
    sink.syntax(",\"string_or_number\",\"node\"]")?;
    for (index, section) in FLAT.iter().enumerate() {
        if index == 1 && layout.trace_nodes {
            sink.syntax(",\"trace_node_fields\":[\"id\",\"function_info_index\",\"count\",\"size\",\"children\"]")?;
        }
        if let Some(fields) = &layout.flat[index] {
            sink.syntax(",")?;
            sink.json_string(SafeStr::literal(section.meta))?;
            sink.syntax(":")?;
            word_list(fields.iter().map(|(name, _)| *name), sink)?;
        }
    }
    sink.syntax("}")?;
    for (name, value) in layout.counts() {
        sink.syntax(",")?;
        sink.json_string(SafeStr::literal(name))?;
        sink.syntax(":")?;
        sink.number(value)?;
    }
    sink.syntax("}")
}

/// What separates two rows: older producers write one row a line.
fn between(bytes: &[u8]) -> &'static str {
    if memchr::memchr(b'\n', &bytes[..bytes.len().min(4096)]).is_some() { "\n," } else { "," }
}

/// The numbers were all read once before, so a failure here means that the input changed.
fn again(numbers: &mut Numbers<'_>) -> Result<i64> {
    numbers.next().ok().flatten().ok_or(Error::new(Stage::Write, Kind::InputChanged))
}

/// How many texts are rendered in one part.
const TEXTS: u32 = 1 << 12;

/// How many nodes are rendered in one part.
const PART: usize = 1 << 14;

fn nodes(snapshot: &Snapshot<'_>, edits: &Edits, range: Range<usize>, sink: &mut Sink<'_>) -> Result<()> {
    let bytes = &snapshot.bytes[range.clone()];
    let (row_end, stride) = (between(bytes), snapshot.layout.node_fields.len());
    let name_at = snapshot.layout.node_field("name");
    let changed = Error::new(Stage::Write, Kind::InputChanged);
    let runs = split(bytes, range.start, stride, "nodes").map_err(|_| changed)?;
    sink.syntax(",\n\"nodes\":[")?;
    sink.in_parts(&runs, |run, sink| {
        let mut numbers = run.numbers();
        for node in run.first..run.first + run.count {
            for field in 0..stride {
                let separator = if field > 0 {
                    ","
                } else if node > 0 {
                    row_end
                } else {
                    ""
                };
                let mut value = again(&mut numbers)?;
                if Some(field) == name_at {
                    let id = StrId(*snapshot.graph.node_name.get(node).ok_or(changed)?);
                    value = edits.id_for(id, snapshot.roles.node[node]).0.into();
                }
                sink.number_after(separator, value)?;
            }
        }
        Ok(())
    })?;
    sink.syntax("]")
}

fn edges(snapshot: &Snapshot<'_>, edits: &Edits, range: Range<usize>, sink: &mut Sink<'_>) -> Result<()> {
    let (graph, layout) = (&snapshot.graph, &snapshot.layout);
    let (row_end, stride) = (between(&snapshot.bytes[range]), layout.node_fields.len() as i64);
    let large = indices_that_are_data(snapshot);
    let parts: Vec<usize> = (0..graph.nodes()).step_by(PART).collect();
    sink.syntax(",\n\"edges\":[")?;
    sink.in_parts(&parts, |first, sink| {
        for node in *first..graph.nodes().min(first + PART) {
            for e in graph.edges_of(node) {
                sink.number_after(if e > 0 { row_end } else { "" }, graph.edge_type[e].into())?;
                let index = graph.edge_name[e];
                let name = match snapshot.roles.of_edge(layout, graph, node, e) {
                    Some(role) => edits.id_for(StrId(index), role).0,
                    None if graph.edge_kind(layout, e) == EdgeType::Element && graph.is_index_data(node, e) => {
                        large.get(&index).copied().unwrap_or(LARGE_INDEX)
                    }
                    None => index,
                };
                sink.number_after(",", name.into())?;
                let to = snapshot.targets.get(&(e as u32)).filter(|_| edits.is_spelling(node as u32));
                let to = to.copied().unwrap_or(graph.edge_to[e]);
                sink.number_after(",", i64::from(to) * stride)?;
            }
        }
        Ok(())
    })?;
    sink.syntax("]")
}

/// New numbers for indices that are data, in the order of the file.
fn indices_that_are_data(snapshot: &Snapshot<'_>) -> FxHashMap<u32, u32> {
    let graph = &snapshot.graph;
    let mut large = FxHashMap::default();
    for node in 0..graph.nodes() {
        for e in graph.edges_of(node) {
            if graph.edge_kind(&snapshot.layout, e) == EdgeType::Element && graph.is_index_data(node, e) {
                let next = LARGE_INDEX + large.len() as u32;
                large.entry(graph.edge_name[e]).or_insert(next);
            }
        }
    }
    large
}

fn trace_tree(snapshot: &Snapshot<'_>, range: Range<usize>, sink: &mut Sink<'_>) -> Result<()> {
    sink.syntax(",\n\"trace_tree\":")?;
    trace_tokens(&snapshot.bytes[range.clone()], range.start, |token| match token {
        Token::Open => sink.syntax("["),
        Token::Close => sink.syntax("]"),
        Token::Comma => sink.syntax(","),
        Token::Number(n) => sink.number(n),
    })
}

fn flat(snapshot: &Snapshot<'_>, edits: &Edits, index: usize, range: Range<usize>, sink: &mut Sink<'_>) -> Result<()> {
    let bytes = &snapshot.bytes[range.clone()];
    let (row_end, mut numbers) = (between(bytes), Numbers::new(bytes, range.start));
    sink.syntax(",\n")?;
    sink.json_string(SafeStr::literal(FLAT[index].section))?;
    sink.syntax(":[")?;
    let empty = Vec::new();
    let fields = snapshot.layout.flat[index].as_ref().unwrap_or(&empty);
    let mut place = 0;
    while let Some(value) = numbers.next().map_err(|_| Error::new(Stage::Write, Kind::InputChanged))? {
        let field = place % fields.len().max(1);
        sink.syntax(if field > 0 {
            ","
        } else if place > 0 {
            row_end
        } else {
            ""
        })?;
        match fields.get(field) {
            Some((_, Refers::Text(role))) => sink.number(edits.id_for(StrId(value as u32), *role).0.into())?,
            _ => sink.number(value)?,
        }
        place += 1;
    }
    sink.syntax("]")
}
