//! The header of a V8 snapshot: which fields and types the file has. Everything else is indexed by it.
//!
//! Every word of the header is mapped to an enum or a static word, and is written back from there:
//! no text of the header is ever copied.

use serde_json::Value;

use super::super::role::Role;
use crate::{Error, Kind, Result, Stage};

/// Types of nodes. Names are V8's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum NodeType {
    Hidden,
    Array,
    String,
    Object,
    Code,
    Closure,
    Regexp,
    Number,
    Native,
    Synthetic,
    Cons,
    Sliced,
    Symbol,
    BigInt,
    Shape,
    Wasm,
}

const NODE_TYPES: [(&str, NodeType); 16] = [
    ("hidden", NodeType::Hidden),
    ("array", NodeType::Array),
    ("string", NodeType::String),
    ("object", NodeType::Object),
    ("code", NodeType::Code),
    ("closure", NodeType::Closure),
    ("regexp", NodeType::Regexp),
    ("number", NodeType::Number),
    ("native", NodeType::Native),
    ("synthetic", NodeType::Synthetic),
    ("concatenated string", NodeType::Cons),
    ("sliced string", NodeType::Sliced),
    ("symbol", NodeType::Symbol),
    ("bigint", NodeType::BigInt),
    ("object shape", NodeType::Shape),
    ("wasm object", NodeType::Wasm),
];

impl NodeType {
    /// The role that the name of such a node plays.
    pub(super) const fn role(self) -> Role {
        match self {
            Self::String => Role::Value,
            Self::Object => Role::Class,
            Self::Code => Role::Code,
            Self::Closure => Role::Function,
            Self::Regexp => Role::Regexp,
            Self::Symbol => Role::Symbol,
            Self::Native => Role::Native,
            _ => Role::Structure,
        }
    }
}

/// Types of edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EdgeType {
    Context,
    Element,
    Property,
    Internal,
    Hidden,
    Shortcut,
    Weak,
}

const EDGE_TYPES: [(&str, EdgeType); 7] = [
    ("context", EdgeType::Context),
    ("element", EdgeType::Element),
    ("property", EdgeType::Property),
    ("internal", EdgeType::Internal),
    ("hidden", EdgeType::Hidden),
    ("shortcut", EdgeType::Shortcut),
    ("weak", EdgeType::Weak),
];

impl EdgeType {
    /// Does the edge carry a number in place of a name?
    pub(super) const fn is_indexed(self) -> bool {
        matches!(self, Self::Element | Self::Hidden)
    }

    /// Do several such edges of one node have an order that can spell a text?
    pub(super) const fn is_ordered(self) -> bool {
        matches!(self, Self::Element | Self::Hidden | Self::Internal)
    }
}

/// What a field of a section refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refers {
    /// A plain number.
    Number,
    /// A number that may be below zero.
    Signed,
    /// An entry of the text table.
    Text(Role),
    /// An offset into the nodes array.
    Node,
}

/// A flat section: its name, the header key that lists its fields, and every field that is known.
pub(super) struct Flat {
    pub(super) section: &'static str,
    pub(super) meta: &'static str,
    fields: &'static [(&'static str, Refers)],
}

pub(super) const FLAT: [Flat; 6] = [
    Flat {
        section: "trace_function_infos",
        meta: "trace_function_info_fields",
        fields: &[
            ("function_id", Refers::Number),
            ("name", Refers::Text(Role::Function)),
            ("script_name", Refers::Text(Role::Script)),
            ("script_id", Refers::Number),
            ("line", Refers::Signed),
            ("column", Refers::Signed),
        ],
    },
    Flat {
        section: "samples",
        meta: "sample_fields",
        fields: &[("timestamp_us", Refers::Number), ("last_assigned_id", Refers::Number)],
    },
    Flat {
        section: "locations",
        meta: "location_fields",
        fields: &[
            ("object_index", Refers::Node),
            ("script_id", Refers::Number),
            ("script_object_index", Refers::Node),
            ("line", Refers::Signed),
            ("column", Refers::Signed),
        ],
    },
    Flat {
        section: "scopes",
        meta: "scope_fields",
        fields: &[
            ("script_node_index", Refers::Node),
            ("scope_id", Refers::Signed),
            ("depth", Refers::Number),
            ("scope_context_vars_count", Refers::Number),
            ("scope_uses_count", Refers::Number),
        ],
    },
    Flat {
        section: "scope_context_vars",
        meta: "scope_context_var_fields",
        fields: &[("name", Refers::Text(Role::Variable))],
    },
    Flat {
        section: "scope_uses",
        meta: "scope_use_fields",
        fields: &[("declaring_scope_id", Refers::Signed), ("slot_index", Refers::Signed)],
    },
];

const NODE_FIELDS: [&str; 7] = ["type", "name", "id", "self_size", "edge_count", "trace_node_id", "detachedness"];
const EDGE_FIELDS: [&str; 3] = ["type", "name_or_index", "to_node"];
const TRACE_NODE_FIELDS: [&str; 5] = ["id", "function_info_index", "count", "size", "children"];
/// Header keys beside `meta` that are numbers and kept.
const COUNTS: [&str; 5] = ["node_count", "edge_count", "trace_function_count", "root_index", "extra_native_bytes"];

/// The fields of one flat section, in file order.
pub(super) type Fields = Vec<(&'static str, Refers)>;

/// The header, without any text of its own.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) node_fields: Vec<&'static str>,
    pub(super) node_types: Vec<NodeType>,
    pub(super) edge_types: Vec<EdgeType>,
    pub(super) trace_nodes: bool,
    /// In the order of [`FLAT`].
    pub(super) flat: [Option<Fields>; 6],
    /// In the order of [`COUNTS`].
    pub(super) counts: [Option<i64>; 5],
    /// Header keys that are not known and are left out.
    pub(super) dropped: u32,
}

fn expected(what: &'static str) -> Error {
    Error::new(Stage::Ingest, Kind::Malformed { what })
}

fn unknown(what: &'static str) -> Error {
    Error::new(Stage::Ingest, Kind::Unsupported { what })
}

fn words<'v>(value: &'v Value, what: &'static str) -> Result<Vec<&'v str>> {
    let list = value.as_array().ok_or_else(|| expected(what))?;
    list.iter().map(|v| v.as_str().ok_or_else(|| expected(what))).collect()
}

fn known<T: Copy>(table: &[(&'static str, T)], word: &str, what: &'static str) -> Result<(&'static str, T)> {
    table.iter().find(|(name, _)| *name == word).copied().ok_or_else(|| unknown(what))
}

impl Layout {
    /// Reads the header object. Errors of the JSON reader quote their input, so they are not passed on.
    pub(super) fn read(header: &[u8]) -> Result<Self> {
        let header: Value = serde_json::from_slice(header).map_err(|_| expected("the snapshot header as JSON"))?;
        let header = header.as_object().ok_or_else(|| expected("the snapshot header as an object"))?;
        let meta = header.get("meta").and_then(Value::as_object).ok_or_else(|| expected("meta in the header"))?;

        let fixed = |list: &'static [&'static str], key: &str, what| -> Result<Vec<&'static str>> {
            let value = meta.get(key).ok_or_else(|| expected(what))?;
            let find = |w: &str| list.iter().find(|name| **name == w).copied().ok_or_else(|| unknown(what));
            words(value, what)?.into_iter().map(find).collect()
        };
        let node_fields = fixed(&NODE_FIELDS, "node_fields", "node_fields")?;
        let all_there = NODE_FIELDS[..5].iter().all(|f| node_fields.contains(f));
        let twice = (1..node_fields.len()).any(|i| node_fields[..i].contains(&node_fields[i]));
        if !all_there || twice {
            return Err(expected("type, name, id, self_size and edge_count in node_fields"));
        }
        if fixed(&EDGE_FIELDS, "edge_fields", "edge_fields")? != EDGE_FIELDS {
            return Err(unknown("an order of edge_fields other than type, name_or_index, to_node"));
        }
        let type_at = node_fields.iter().position(|f| *f == "type").unwrap_or(0);
        let type_words = |key, at, what| -> Result<Vec<String>> {
            let list = meta.get(key).and_then(|v| v.get(at)).ok_or_else(|| expected(what))?;
            let list: Vec<String> = words(list, what)?.into_iter().map(str::to_owned).collect();
            let twice = (1..list.len()).any(|i| list[..i].contains(&list[i]));
            if twice { Err(expected(what)) } else { Ok(list) }
        };
        let node_types = type_words("node_types", type_at, "node_types")?;
        let node_types =
            node_types.iter().map(|w| Ok(known(&NODE_TYPES, w, "a type of nodes")?.1)).collect::<Result<_>>()?;
        let edge_types = type_words("edge_types", 0, "edge_types")?;
        let edge_types =
            edge_types.iter().map(|w| Ok(known(&EDGE_TYPES, w, "a type of edges")?.1)).collect::<Result<_>>()?;

        let mut flat = [const { None }; 6];
        for (slot, section) in flat.iter_mut().zip(&FLAT) {
            let Some(list) = meta.get(section.meta) else { continue };
            let fields = words(list, section.meta)?.into_iter().map(|w| known(section.fields, w, section.meta));
            *slot = Some(fields.collect::<Result<Fields>>()?);
        }
        let trace_nodes = meta.contains_key("trace_node_fields");
        if trace_nodes && fixed(&TRACE_NODE_FIELDS, "trace_node_fields", "trace_node_fields")? != TRACE_NODE_FIELDS {
            return Err(unknown("trace_node_fields"));
        }
        let mut counts = [None; 5];
        for (slot, key) in counts.iter_mut().zip(COUNTS) {
            if let Some(value) = header.get(key) {
                *slot = Some(value.as_i64().filter(|n| *n >= 0).ok_or_else(|| expected(key))?);
            }
        }
        let dropped = header.keys().filter(|k| *k != "meta" && !COUNTS.contains(&k.as_str())).count()
            + meta.keys().filter(|k| !Self::knows_meta(k)).count();
        Ok(Self { node_fields, node_types, edge_types, trace_nodes, flat, counts, dropped: dropped as u32 })
    }

    fn knows_meta(key: &str) -> bool {
        ["node_fields", "node_types", "edge_fields", "edge_types", "trace_node_fields"].contains(&key)
            || FLAT.iter().any(|f| f.meta == key)
    }

    /// Position of a node field, if the file has it.
    pub(super) fn node_field(&self, name: &str) -> Option<usize> {
        self.node_fields.iter().position(|f| *f == name)
    }

    /// The word for a node type, to be written.
    pub(super) fn node_type_word(kind: NodeType) -> &'static str {
        NODE_TYPES.iter().find(|(_, t)| *t == kind).map_or("", |(w, _)| w)
    }

    /// The word for an edge type, to be written.
    pub(super) fn edge_type_word(kind: EdgeType) -> &'static str {
        EDGE_TYPES.iter().find(|(_, t)| *t == kind).map_or("", |(w, _)| w)
    }

    /// Header numbers with their names.
    pub(super) fn counts(&self) -> impl Iterator<Item = (&'static str, i64)> {
        COUNTS.into_iter().zip(self.counts).filter_map(|(name, value)| Some((name, value?)))
    }

    /// One header number.
    pub(super) fn count(&self, name: &str) -> Option<i64> {
        self.counts().find(|(n, _)| *n == name).map(|(_, v)| v)
    }
}

/// Is this a word of the format: a section, a header key, a field or a type?
pub(in crate::raw) fn is_format_word(text: &[u8]) -> bool {
    const WORDS: [&str; 14] = [
        "snapshot",
        "meta",
        "nodes",
        "edges",
        "strings",
        "trace_tree",
        "node_fields",
        "node_types",
        "edge_fields",
        "edge_types",
        "trace_node_fields",
        "string",
        "number",
        "string_or_number",
    ];
    // Placeholders are none, and most texts are placeholders.
    if text.first() == Some(&b'[') {
        return false;
    }
    let is = |word: &str| word.as_bytes() == text;
    let flat = |f: &Flat| is(f.section) || is(f.meta) || f.fields.iter().any(|(name, _)| is(name));
    WORDS.iter().any(|w| is(w))
        || [&NODE_FIELDS[..], &EDGE_FIELDS, &TRACE_NODE_FIELDS, &COUNTS].into_iter().flatten().any(|w| is(w))
        || NODE_TYPES.iter().any(|(w, _)| is(w))
        || EDGE_TYPES.iter().any(|(w, _)| is(w))
        || is("node")
        || FLAT.iter().any(flat)
}
