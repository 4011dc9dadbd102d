//! Small snapshots made by hand, for the cases that no runtime writes.

/// Texts and rows of a snapshot with the usual layout of Node 20.
pub(crate) struct Snapshot {
    pub(crate) strings: Vec<String>,
    nodes: Vec<[u64; 7]>,
    edges: Vec<Vec<[u64; 3]>>,
}

pub(crate) const NODE_TYPES: [&str; 15] = [
    "hidden",
    "array",
    "string",
    "object",
    "code",
    "closure",
    "regexp",
    "number",
    "native",
    "synthetic",
    "concatenated string",
    "sliced string",
    "symbol",
    "bigint",
    "object shape",
];
pub(crate) const EDGE_TYPES: [&str; 7] = ["context", "element", "property", "internal", "hidden", "shortcut", "weak"];

impl Snapshot {
    /// A root and nothing else.
    pub(crate) fn new() -> Self {
        let mut snapshot = Self { strings: vec!["<dummy>".into()], nodes: Vec::new(), edges: Vec::new() };
        snapshot.node("synthetic", "");
        snapshot
    }

    fn text(&mut self, text: &str) -> u64 {
        let found = self.strings.iter().position(|s| s == text);
        found.unwrap_or_else(|| {
            self.strings.push(text.into());
            self.strings.len() - 1
        }) as u64
    }

    pub(crate) fn node(&mut self, kind: &str, name: &str) -> usize {
        let kind = NODE_TYPES.iter().position(|t| *t == kind).expect("a type of nodes") as u64;
        let name = self.text(name);
        let id = self.nodes.len() as u64 * 2 + 1;
        self.nodes.push([kind, name, id, 16, 0, 0, 0]);
        self.edges.push(Vec::new());
        self.nodes.len() - 1
    }

    pub(crate) fn edge(&mut self, from: usize, kind: &str, name: &str, to: usize) -> &mut Self {
        let index = EDGE_TYPES.iter().position(|t| *t == kind).expect("a type of edges") as u64;
        let name = match kind {
            "element" | "hidden" => name.parse().expect("an index"),
            _ => self.text(name),
        };
        self.edges[from].push([index, name, to as u64 * 7]);
        self
    }

    /// A string held by the root under a key.
    pub(crate) fn value(&mut self, key: &str, text: &str) -> usize {
        let node = self.node("string", text);
        self.edge(0, "property", key, node);
        node
    }

    pub(crate) fn json(&self) -> String {
        let mut nodes = self.nodes.clone();
        for (node, edges) in nodes.iter_mut().zip(&self.edges) {
            node[4] = edges.len() as u64;
        }
        let flat = |rows: Vec<Vec<u64>>| {
            let rows = rows.into_iter().map(|r| r.iter().map(u64::to_string).collect::<Vec<_>>().join(","));
            rows.collect::<Vec<_>>().join("\n,")
        };
        let edges: Vec<Vec<u64>> = self.edges.iter().flatten().map(|e| e.to_vec()).collect();
        let list = |words: &[&str]| serde_json::to_string(words).expect("JSON");
        format!(
            "{{\"snapshot\":{{\"meta\":{{\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\",\"edge_count\",\
             \"trace_node_id\",\"detachedness\"],\"node_types\":[{},\"string\",\"number\",\"number\",\"number\",\
             \"number\",\"number\"],\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],\"edge_types\":[{},\
             \"string_or_number\",\"node\"]}},\"node_count\":{},\"edge_count\":{},\"trace_function_count\":0}},\n\
             \"nodes\":[{}],\n\"edges\":[{}],\n\"trace_function_infos\":[],\n\"trace_tree\":[],\n\"samples\":[],\n\
             \"locations\":[],\n\"strings\":{}}}",
            list(&NODE_TYPES),
            list(&EDGE_TYPES),
            nodes.len(),
            edges.len(),
            flat(nodes.iter().map(|n| n.to_vec()).collect()),
            flat(edges),
            serde_json::to_string(&self.strings).expect("JSON"),
        )
    }
}

/// The texts of a written snapshot.
pub(crate) fn strings(bytes: &[u8]) -> Vec<String> {
    let value: serde_json::Value = serde_json::from_slice(bytes).expect("valid JSON");
    let list = value["strings"].as_array().expect("strings");
    list.iter().map(|s| s.as_str().expect("text").to_owned()).collect()
}
