//! Paths and addresses of scripts: what leads to the project or package is cut, hosts and queries are replaced.

use super::labels::Piece;
use super::tags::Kind;
use Piece::{Fixed, Name};

/// Directories of projects, found in the snapshot: what stands before `node_modules`.
#[derive(Debug, Default)]
pub(in crate::raw) struct Roots(Vec<Vec<u8>>);

impl Roots {
    pub(in crate::raw) fn add(&mut self, script: &[u8]) {
        let script = script.strip_prefix(b"system / Script / ").unwrap_or(script);
        let path = script.strip_prefix(b"file://").unwrap_or(script);
        let found = memchr::memmem::find(path, b"/node_modules/");
        // A `/node_modules` at the top would make a project of the whole machine.
        if let Some(at) = found.filter(|at| *at > 0 && !self.0.iter().any(|r| r == &path[..*at])) {
            self.0.push(path[..at].to_vec());
        }
    }
}

const SCHEMES: [&str; 4] = ["http://", "https://", "ws://", "wss://"];

/// Is this an address with a scheme that is known?
pub(in crate::raw) fn is_address(text: &[u8]) -> bool {
    SCHEMES.iter().chain(&["file://"]).any(|scheme| text.starts_with(scheme.as_bytes()))
}

/// Cuts a path or address into fixed words and names.
pub(in crate::raw) fn pieces<'a>(text: &'a [u8], roots: &Roots, out: &mut Vec<Piece<'a>>) {
    if text.is_empty() || super::vocabulary::contains(Kind::Script, text) {
        return out.push(Name(Kind::Script, text));
    }
    for scheme in SCHEMES {
        if let Some(rest) = text.strip_prefix(scheme.as_bytes()) {
            out.push(Fixed(scheme));
            return address(rest, out);
        }
    }
    if let Some(rest) = text.strip_prefix(b"file://") {
        out.push(Fixed("file://"));
        let (path, query) = split_query(rest);
        match path {
            [] => {}
            [b'/', ..] => local(path, roots, out),
            _ if path.starts_with(b"[directory#") => local(path, roots, out),
            _ => out.push(Name(Kind::Host, path)),
        }
        return push_query(query, out);
    }
    if text.starts_with(b"/") || text.starts_with(b"[directory#") {
        local(text, roots, out);
    } else {
        out.push(Name(Kind::Script, text));
    }
}

/// The first `?` or `#` that is not part of a placeholder of an earlier run.
fn find_mark(text: &[u8]) -> Option<usize> {
    let marked = |at: &usize| {
        text[*at] == b'?'
            || ![&b"[host"[..], b"[directory", b"[path", b"[file"].iter().any(|p| text[..*at].ends_with(p))
    };
    memchr::memchr2_iter(b'?', b'#', text).find(marked)
}

fn split_query(text: &[u8]) -> (&[u8], Option<(&'static str, &[u8])>) {
    match find_mark(text) {
        Some(at) => (&text[..at], Some((if text[at] == b'?' { "?" } else { "#" }, &text[at + 1..]))),
        None => (text, None),
    }
}

fn push_query<'a>(query: Option<(&'static str, &'a [u8])>, out: &mut Vec<Piece<'a>>) {
    if let Some((mark, query)) = query {
        out.extend([Fixed(mark), Name(Kind::Query, query)]);
    }
}

/// `host/directories/file?query`: of the path only the name of the file can be kept.
fn address<'a>(text: &'a [u8], out: &mut Vec<Piece<'a>>) {
    let (text, query) = split_query(text);
    let (host, path) = text.split_at(memchr::memchr(b'/', text).unwrap_or(text.len()));
    out.push(Name(Kind::Host, host));
    match memchr::memrchr(b'/', path) {
        Some(0) => out.extend([Fixed("/"), Name(Kind::File, &path[1..])]),
        Some(at) => {
            out.extend([Fixed("/"), Name(Kind::Directory, &path[1..at]), Fixed("/"), Name(Kind::File, &path[at + 1..])])
        }
        None => {}
    }
    push_query(query, out);
}

/// A path on the machine: kept from the project or package root on, otherwise the name of the file alone.
fn local<'a>(path: &'a [u8], roots: &Roots, out: &mut Vec<Piece<'a>>) {
    let sanitised = path.starts_with(b"[directory#").then(|| memchr::memchr(b']', path).map_or(0, |n| n + 1));
    let package = memchr::memmem::rfind(path, b"/node_modules/");
    let root = roots.0.iter().filter(|r| path.starts_with(r) && path.get(r.len()) == Some(&b'/')).map(Vec::len).max();
    let known = sanitised.or(package).or(root);
    let cut = known.or_else(|| memchr::memrchr(b'/', path)).unwrap_or(0);
    // Below a package nobody has a home.
    let cut = if package.is_some() { cut } else { cut.max(after_home(path)) };
    if cut > 0 {
        out.push(Name(Kind::Directory, &path[..cut]));
    }
    let upwards = path[cut..].split(|b| *b == b'/').any(|segment| segment == b"..");
    let kind = if known.is_some() && !upwards { Kind::Path } else { Kind::File };
    for segment in path[cut..].split(|b| *b == b'/').skip(1) {
        // An earlier run may have replaced the name of a file.
        let kind = if segment.starts_with(b"[file#") { Kind::File } else { kind };
        out.extend([Fixed("/"), Name(kind, segment)]);
    }
}

/// Where the home directory ends, wherever it stands: what follows `home` or `Users` is a person.
fn after_home(path: &[u8]) -> usize {
    let mut end = 0;
    for home in [&b"/home/"[..], b"/Users/"] {
        if let Some(at) = memchr::memmem::rfind(path, home) {
            let user = at + home.len();
            end = end.max(memchr::memchr(b'/', &path[user..]).map_or(path.len(), |n| user + n));
        }
    }
    end
}
