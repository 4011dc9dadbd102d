//! Snapshots that tell where memory was allocated: files of all inputs get one number each, and names that may be told.

use std::collections::BTreeMap;

use super::ingest::Source;
use super::scrub::guard::Guard;
use super::scrub::wall::SafeText;
use crate::heap::StrId;
use crate::heap::sites::Sum;
use crate::summarise::allocations::{Allocations, Origin, SiteGrowth};
use crate::summarise::owner_kind::OwnerKind;

/// What is told of where memory was allocated.
#[derive(Debug)]
pub(crate) struct Allocated {
    pub(crate) numbers: Allocations,
    /// The names of files.
    pub(crate) files: Vec<SafeText>,
    /// What grew, if there are several snapshots.
    pub(crate) growth: Option<SiteGrowth>,
}

/// The files of a call.
#[derive(Default)]
pub(in crate::raw) struct Files {
    numbers: BTreeMap<Vec<u8>, u32>,
    names: Vec<SafeText>,
    allocations: Allocations,
}

impl Files {
    /// Adds a snapshot that was verified. Returns the bytes of all its blocks; nothing if it is no such snapshot.
    pub(in crate::raw) fn add(&mut self, input: usize, source: &dyn Source, guard: &Guard<'_>) -> Option<u64> {
        let sites = source.sites()?;
        let mut scratch = Vec::new();
        let files: Vec<u32> = (0..sites.files)
            .map(|file| {
                let text = source.text(StrId(file), &mut scratch).expose();
                if let Some(number) = self.numbers.get(text) {
                    return *number;
                }
                self.names.push(guard.script(source, StrId(file)));
                let number = self.names.len() as u32 - 1;
                self.numbers.insert(source.text(StrId(file), &mut Vec::new()).expose().to_vec(), number);
                number
            })
            .collect();
        self.allocations.add(input, &sites, &files);
        Some(
            sites
                .by_stack
                .iter()
                .fold(Sum::default(), |mut all, sum| {
                    all.add(*sum);
                    all
                })
                .bytes,
        )
    }

    /// Everything that is told; nothing if no snapshot was of this kind.
    pub(in crate::raw) fn finish(mut self, work: Option<&[f64]>) -> Option<Allocated> {
        let snapshots = self.allocations.snapshots();
        if snapshots == 0 {
            return None;
        }
        // Texts are compared by bytes, which is the order of their characters in UTF-8.
        let (mut ranks, mut origins) = (vec![0; self.names.len()], vec![Origin::Program; self.names.len()]);
        for (rank, (text, number)) in (0..).zip(&self.numbers) {
            ranks[*number as usize] = rank;
            origins[*number as usize] = origin(text);
        }
        self.allocations.complete(ranks, origins);
        let growth = (snapshots > 1).then(|| self.allocations.growth(work));
        Some(Allocated { numbers: self.allocations, files: self.names, growth })
    }
}

/// Modules of the library and of packages that keep things, and what they are for.
const KEEPERS: &[(&str, OwnerKind)] = &[
    ("queue.py", OwnerKind::Queue),
    ("asyncio/queues.py", OwnerKind::Queue),
    ("multiprocessing/queues.py", OwnerKind::Queue),
    ("concurrent/futures/thread.py", OwnerKind::Queue),
    ("concurrent/futures/process.py", OwnerKind::Queue),
    ("functools.py", OwnerKind::Cache),
    ("linecache.py", OwnerKind::Cache),
    ("re/__init__.py", OwnerKind::Cache),
    ("re/_compiler.py", OwnerKind::Cache),
    ("re/_parser.py", OwnerKind::Cache),
    ("sre_compile.py", OwnerKind::Cache),
    ("sre_parse.py", OwnerKind::Cache),
    ("collections/__init__.py", OwnerKind::Dictionary),
    ("asyncio/events.py", OwnerKind::Timer),
    ("sched.py", OwnerKind::Timer),
    ("asyncio/futures.py", OwnerKind::PromiseChain),
    ("asyncio/tasks.py", OwnerKind::SuspendedFunction),
    ("http/server.py", OwnerKind::Request),
    ("socketserver.py", OwnerKind::Request),
    ("wsgiref/handlers.py", OwnerKind::Request),
    ("socket.py", OwnerKind::OpenHandle),
    ("ssl.py", OwnerKind::OpenHandle),
    ("selectors.py", OwnerKind::OpenHandle),
    ("tempfile.py", OwnerKind::OpenHandle),
    ("subprocess.py", OwnerKind::OpenHandle),
    ("weakref.py", OwnerKind::WeakMap),
    ("logging/__init__.py", OwnerKind::List),
    ("logging/handlers.py", OwnerKind::List),
    ("unittest/mock.py", OwnerKind::List),
    ("site-packages/cachetools/", OwnerKind::Cache),
    ("site-packages/diskcache/", OwnerKind::Cache),
    ("site-packages/sqlalchemy/pool/", OwnerKind::Pool),
    ("site-packages/urllib3/connectionpool.py", OwnerKind::Pool),
    ("site-packages/langchain/memory/", OwnerKind::ChatHistory),
    ("site-packages/mcp/", OwnerKind::McpState),
    ("site-packages/starlette/requests.py", OwnerKind::Request),
    ("site-packages/werkzeug/", OwnerKind::Request),
];

/// Whose a file is, by its path.
fn origin(path: &[u8]) -> Origin {
    let path: Vec<u8> = path.iter().map(|b| if *b == b'\\' { b'/' } else { *b }).collect();
    let has = |word: &str| memchr::memmem::find(&path, word.as_bytes()).is_some();
    if path.starts_with(b"<frozen importlib.") || path.starts_with(b"<frozen zipimport") {
        return Origin::Interpreter;
    }
    let is_package = has("site-packages/") || has("dist-packages/");
    // Below the folder of the library, which has a version in its name.
    let library = memchr::memmem::rfind(&path, b"/python3").and_then(|at| {
        let rest = &path[at + 1..];
        Some(&rest[memchr::memchr(b'/', rest)? + 1..])
    });
    let library = library.or_else(|| Some(&path[memchr::memmem::rfind(&path, b"/Lib/")? + 5..]));
    let hint = |below: &[u8]| KEEPERS.iter().find(|(name, _)| name.as_bytes() == below).map(|(_, kind)| *kind);
    match library {
        _ if is_package => {
            let kind = KEEPERS.iter().find(|(name, _)| name.starts_with("site-packages/") && has(name));
            Origin::Library(kind.map(|(_, kind)| *kind))
        }
        Some(b"tracemalloc.py") => Origin::Profiler,
        Some(below) => Origin::Library(hint(below)),
        None if path.starts_with(b"<frozen ") => Origin::Library(None),
        None => Origin::Program,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw::input::Input;
    use crate::summarise::allocations::By;

    /// Every grouping, and every comparison, is what Python computed when the file was made: names, numbers and order.
    #[test]
    fn statistics_are_those_of_python() {
        let settings = crate::Settings::default();
        let guard = Guard::of_values(&settings);
        let samples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/python-leak");
        let versions = [38, 39, 310, 311, 312, 313];
        let pairs = versions.map(|version| (format!("py{version}-1"), format!("py{version}-2")));
        for (first, last) in pairs.into_iter().chain([("snapshot-1".to_owned(), "snapshot-3".to_owned())]) {
            let mut files = Files::default();
            for (at, name) in [&first, &last].into_iter().enumerate() {
                let input = Input::open(&samples.join(format!("{name}.tracemalloc.zst"))).expect("sample");
                let (format, source) = crate::raw::ingest::open(&input).expect("sample");
                assert_eq!(format, "tracemalloc");
                files.add(at, &*source, &guard).expect("a snapshot");
            }
            let names: BTreeMap<u32, Vec<u8>> = files.numbers.iter().map(|(text, n)| (*n, text.clone())).collect();
            let found = files.finish(None).expect("snapshots").numbers;
            let truth = Input::open(&samples.join(format!("{last}.truth.json.zst"))).expect("truth");
            let truth: serde_json::Value = serde_json::from_slice(truth.bytes()).expect("truth");
            let groups = truth["groups"].as_array().expect("groups");
            assert_eq!(groups.len(), By::ALL.len());
            for ((by, cumulative), expected) in By::ALL.into_iter().zip(groups) {
                assert_eq!(
                    (by.name().into(), cumulative.into()),
                    (expected["by"].clone(), expected["cumulative"].clone())
                );
                let places = |key: u32| -> Vec<(String, u32)> {
                    let name = |file: u32| String::from_utf8(names[&file].clone()).expect("UTF-8");
                    found.places(by, key).iter().map(|frame| (name(frame.file), frame.line)).collect()
                };
                let last: Vec<_> = found.statistics(1, by, cumulative);
                let last: Vec<_> = last.iter().map(|r| (places(r.key), r.sum.bytes, r.sum.blocks)).collect();
                assert_eq!(serde_json::json!(last), expected["last"], "{first} {} {cumulative}", by.name());
                let compared: Vec<_> = found.compare(0, 1, by, cumulative);
                let compared: Vec<_> = compared
                    .iter()
                    .map(|r| (places(r.key), r.after.bytes, r.more().0, r.after.blocks, r.more().1))
                    .collect();
                assert!(!compared.is_empty());
                assert_eq!(serde_json::json!(compared), expected["compared"], "{first} {} {cumulative}", by.name());
            }
        }
    }

    #[test]
    fn whose_a_file_is() {
        for (path, expected) in [
            ("<frozen importlib._bootstrap>", Origin::Interpreter),
            ("[directory#1]/python3.12/tracemalloc.py", Origin::Profiler),
            ("/usr/lib/python3.11/queue.py", Origin::Library(Some(OwnerKind::Queue))),
            ("C:\\Python311\\Lib\\json\\decoder.py", Origin::Library(None)),
            ("/v/lib/python3.11/site-packages/acme/queue.py", Origin::Library(None)),
            ("/v/site-packages/cachetools/func.py", Origin::Library(Some(OwnerKind::Cache))),
            ("/srv/app/queue.py", Origin::Program),
            ("/srv/app/tracemalloc.py", Origin::Program),
        ] {
            assert_eq!(origin(path.as_bytes()), expected, "{path}");
        }
    }
}
