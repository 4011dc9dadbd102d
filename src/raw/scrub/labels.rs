//! The grammar of labels: a label is cut into fixed words of the engine and names, and each name is judged alone.
//!
//! Only the fixed words written in this file can pass without being judged.

use super::paths;
use super::sink::decimal;
use super::source_files;
use super::tags::{self, Kind, Number};
use crate::limits;
use crate::raw::ingest::Namer;
use crate::raw::ingest::role::Role;

/// A part of a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::raw) enum Piece<'a> {
    /// A word of the engine.
    Fixed(&'static str),
    /// An id or index, kept as it is.
    Id(u64),
    /// A name, to be judged.
    Name(Kind, &'a [u8]),
}

use Piece::{Fixed, Id, Name};

impl Piece<'_> {
    /// How many bytes it takes.
    pub(in crate::raw) fn len(&self) -> usize {
        match self {
            Fixed(word) => word.len(),
            Id(n) => decimal(*n, &mut [0; 20]).len(),
            Name(_, name) => name.len(),
        }
    }
}

/// What the grammar must know about the snapshot.
#[derive(Debug, Default)]
pub(in crate::raw) struct Scope {
    pub(in crate::raw) roots: paths::Roots,
    /// The highest id of a node; a larger number is none.
    pub(in crate::raw) highest_id: u64,
}

/// Cuts a label of a role into pieces. Joined again, they give the label.
pub(in crate::raw) fn pieces<'a>(role: Role, text: &'a [u8], scope: &Scope, out: &mut Vec<Piece<'a>>) {
    out.clear();
    match role {
        Role::Key | Role::OwnKey | Role::DoubtfulKey | Role::DataKey | Role::Field => key(text, out),
        Role::Class => class(Kind::Class, text, scope, out),
        Role::Native => native(text, scope, out),
        Role::Function => function(Kind::Function, text, out),
        Role::Code => code(text, scope, out),
        Role::Script => script(text, scope, out),
        Role::File => source_files::pieces(text, out),
        Role::Symbol => symbol(text, out),
        Role::Edge => edge(text, scope, out),
        Role::Position => position(text, out),
        Role::Unused => evidence(text, out),
        _ => {}
    }
    // What the grammar does not cover to the last byte is judged as a whole.
    if !covers(out, text) {
        out.clear();
        out.push(Name(Kind::of(role), text));
    }
}

fn covers(pieces: &[Piece<'_>], text: &[u8]) -> bool {
    let mut rest = text;
    for piece in pieces {
        let mut digits = [0; 20];
        let part = match piece {
            Fixed(word) => word.as_bytes(),
            Id(n) => decimal(*n, &mut digits),
            Name(_, name) => name,
        };
        match rest.strip_prefix(part) {
            Some(tail) => rest = tail,
            None => return false,
        }
    }
    !pieces.is_empty() && rest.is_empty()
}

/// Takes one of the prefixes off.
fn strip<'a>(text: &'a [u8], prefixes: &[&'static str], out: &mut Vec<Piece<'a>>) -> &'a [u8] {
    for prefix in prefixes {
        if let Some(rest) = text.strip_prefix(prefix.as_bytes()) {
            out.push(Fixed(prefix));
            return rest;
        }
    }
    text
}

fn key<'a>(text: &'a [u8], out: &mut Vec<Piece<'a>>) {
    let rest = strip(text, &["get ", "set "], out);
    if let Some(inner) = rest.strip_prefix(b"<symbol ").and_then(|t| t.strip_suffix(b">")) {
        out.extend([Fixed("<symbol "), Name(Kind::Symbol, inner), Fixed(">")]);
    } else if rest == b"<symbol>" {
        out.push(Fixed("<symbol>"));
    } else {
        out.push(Name(Kind::Key, rest));
    }
}

fn symbol<'a>(text: &'a [u8], out: &mut Vec<Piece<'a>>) {
    match text.strip_prefix(b"Symbol(").and_then(|t| t.strip_suffix(b")")) {
        Some(inner) => out.extend([Fixed("Symbol("), Name(Kind::Symbol, inner), Fixed(")")]),
        None => out.push(Name(Kind::Symbol, text)),
    }
}

/// A name of code: `get size`, `bound fetch`.
fn function<'a>(kind: Kind, text: &'a [u8], out: &mut Vec<Piece<'a>>) {
    let mut rest = text;
    loop {
        let next = strip(rest, &["get ", "set ", "bound ", "async ", "static "], out);
        if next.len() == rest.len() {
            break;
        }
        rest = next;
    }
    out.push(Name(kind, rest));
}

/// `Window (prototype) / https://host`, `Object [JSGlobalProxy]`, `system / Context / scope @12`.
fn class<'a>(kind: Kind, text: &'a [u8], scope: &Scope, out: &mut Vec<Piece<'a>>) {
    let id = text.strip_prefix(b"system / Context / scope @").and_then(number);
    if let Some(id) = id.filter(|id| *id <= scope.highest_id) {
        out.extend([Fixed("system / Context / scope @"), Id(id)]);
        return;
    }
    let rest = if text.starts_with(b"system / ") { &b""[..] } else { text };
    let origin = memchr::memmem::find(rest, b" / ").filter(|at| paths::is_address(&text[at + 3..]));
    let (mut name, origin) = origin.map_or((text, None), |at| (&text[..at], Some(&text[at + 3..])));
    let mut suffixes = Vec::new();
    'again: loop {
        for suffix in [" (prototype)", " (internal cache)", " (global*)", " [JSGlobalObject]", " [JSGlobalProxy]"] {
            if let Some(shorter) = name.strip_suffix(suffix.as_bytes()) {
                suffixes.push(Fixed(suffix));
                name = shorter;
                continue 'again;
            }
        }
        break;
    }
    out.push(Name(kind, name));
    out.extend(suffixes.into_iter().rev());
    if let Some(origin) = origin {
        out.push(Fixed(" / "));
        paths::pieces(origin, &scope.roots, out);
    }
}

/// The realm of a page; its address follows.
const NATIVE_CONTEXT: &str = "system / NativeContext / ";

/// `<div id="…">`, `Detached <div …>`, C++ names, and what [`class`] takes.
fn native<'a>(text: &'a [u8], scope: &Scope, out: &mut Vec<Piece<'a>>) {
    let rest = strip(text, &["Detached "], out);
    if rest.starts_with(NATIVE_CONTEXT.as_bytes()) {
        let origin = strip(rest, &[NATIVE_CONTEXT], out);
        paths::pieces(origin, &scope.roots, out);
    } else if let Some(inner) = rest.strip_prefix(b"<") {
        out.push(Fixed("<"));
        let inner = inner.strip_suffix(b">").unwrap_or(inner);
        match memchr::memchr(b' ', inner) {
            Some(at) => out.extend([Name(Kind::Tag, &inner[..at]), Fixed(" "), Name(Kind::Dom, &inner[at + 1..])]),
            None => out.push(Name(Kind::Tag, inner)),
        }
        if rest.ends_with(b">") {
            out.push(Fixed(">"));
        }
    } else {
        class(Kind::Native, rest, scope, out);
    }
}

fn code<'a>(text: &'a [u8], scope: &Scope, out: &mut Vec<Piece<'a>>) {
    const NAMED: [&str; 3] = ["system / SharedFunctionInfo / ", "(code for ", "(instruction stream for "];
    if let Some(url) = text.strip_prefix(b"system / Script / ") {
        out.push(Fixed("system / Script / "));
        paths::pieces(url, &scope.roots, out);
    } else if NAMED.iter().any(|form| text.starts_with(form.as_bytes())) {
        let rest = strip(text, &NAMED, out);
        let closed = text[0] == b'(' && rest.ends_with(b")");
        function(Kind::Function, &rest[..rest.len() - usize::from(closed)], out);
        out.extend(closed.then_some(Fixed(")")));
    } else if paths::is_address(text) {
        paths::pieces(text, &scope.roots, out);
    } else {
        function(Kind::Code, text, out);
    }
}

fn script<'a>(text: &'a [u8], scope: &Scope, out: &mut Vec<Piece<'a>>) {
    if text.starts_with(b"system / Script") {
        let rest = strip(text, &["system / Script / ", "system / Script"], out);
        return paths::pieces(rest, &scope.roots, out);
    }
    paths::pieces(text, &scope.roots, out);
}

/// Entries that nothing refers to, in which a sanitised file carries the names that code vouched for. Code itself
/// cannot do so any more, since its constants are values and were replaced. No runtime writes such entries.
pub(in crate::raw) const EVIDENCE: [(Namer, &str); 2] =
    [(Namer::Program, "[names of the program]"), (Namer::Runtime, "[names of the runtime]")];

/// The names of such an entry, one on each line.
pub(in crate::raw) fn evidence_lines(text: &[u8]) -> Option<(Namer, &'static str, impl Iterator<Item = &[u8]>)> {
    EVIDENCE.iter().find_map(|(namer, title)| {
        let lines = text.strip_prefix(title.as_bytes())?;
        Some((*namer, *title, lines.split(|b| *b == b'\n').skip(1)))
    })
}

/// The entry that marks a sanitised file and tells which placeholders are ours.
pub(in crate::raw) fn mark(text: &[u8]) -> Option<Number> {
    tags::read(text).and_then(|(kind, number)| (kind == Kind::Sanitised).then_some(number))
}

fn evidence<'a>(text: &'a [u8], out: &mut Vec<Piece<'a>>) {
    if mark(text).is_some() {
        out.push(Name(Kind::Sanitised, text));
    }
    if let Some((_, title, lines)) = evidence_lines(text) {
        out.push(Fixed(title));
        out.extend(lines.flat_map(|line| [Fixed("\n"), Name(Kind::Word, line)]));
    }
}

/// A place in a source text: a number of at most ten digits.
fn position<'a>(text: &'a [u8], out: &mut Vec<Piece<'a>>) {
    let rest = strip(text, &["-"], out);
    match number(rest) {
        Some(n) => out.push(Id(n)),
        None => {
            out.clear();
            out.push(Name(Kind::Number, text));
        }
    }
}

fn edge<'a>(text: &'a [u8], scope: &Scope, out: &mut Vec<Piece<'a>>) {
    if let Some(n) = number(text) {
        out.push(Id(n));
    } else if pair(text, scope, out).is_none() {
        out.clear();
        let index = memchr::memmem::find(text, b" / ").and_then(|at| Some((number(&text[..at])?, at + 3)));
        match index {
            Some((n, at)) => out.extend([Id(n), Fixed(" / "), Name(Kind::Edge, &text[at..])]),
            None => out.push(Name(Kind::Edge, text)),
        }
    }
}

/// `12 / DeoptimizationEntry` is handled by [`edge`]; this is
/// `N / part of key (K @id) -> value (V @id) pair in WeakMap (table @id)`: ids stay, DevTools parses them.
fn pair<'a>(text: &'a [u8], scope: &Scope, out: &mut Vec<Piece<'a>>) -> Option<()> {
    if text.len() > limits::PAIR_BYTES {
        return None;
    }
    let key_at = memchr::memmem::find(text, b" / part of key (")?;
    let index = number(&text[..key_at])?;
    let rest = &text[key_at + 16..];
    let (rest, table) = {
        let at = memchr::memmem::rfind(rest, b" pair in WeakMap (table @")?;
        (&rest[..at], number(rest[at + 25..].strip_suffix(b")")?)?)
    };
    let value_at = memchr::memmem::find_iter(rest, b") -> value (").find(|at| named(&rest[..*at]).is_some())?;
    let (key, key_id) = named(&rest[..value_at])?;
    let (value, value_id) = named(rest[value_at + 12..].strip_suffix(b")")?)?;
    if [key_id, value_id, table].iter().any(|id| *id > scope.highest_id) {
        return None;
    }
    out.extend([
        Id(index),
        Fixed(" / part of key ("),
        Name(Kind::Holder, key),
        Fixed(" @"),
        Id(key_id),
        Fixed(") -> value ("),
        Name(Kind::Holder, value),
        Fixed(" @"),
        Id(value_id),
        Fixed(") pair in WeakMap (table @"),
        Id(table),
        Fixed(")"),
    ]);
    Some(())
}

/// `Class @12`
fn named(text: &[u8]) -> Option<(&[u8], u64)> {
    let at = memchr::memmem::rfind(text, b" @")?;
    Some((&text[..at], number(&text[at + 2..])?))
}

fn number(text: &[u8]) -> Option<u64> {
    let ok = !text.is_empty() && text.len() <= 10 && text.iter().all(u8::is_ascii_digit);
    ok.then(|| text.iter().fold(0, |n, d| n * 10 + u64::from(d - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(role: Role, text: &str, expected: &[Piece<'_>]) {
        let mut out = Vec::new();
        let scope = Scope { highest_id: 99_999, ..Scope::default() };
        pieces(role, text.as_bytes(), &scope, &mut out);
        assert_eq!(out, expected);
    }

    #[test]
    fn keys() {
        check(Role::Key, "name", &[Name(Kind::Key, b"name")]);
        check(Role::Key, "get size", &[Fixed("get "), Name(Kind::Key, b"size")]);
        check(Role::DataKey, "<symbol x y>", &[Fixed("<symbol "), Name(Kind::Symbol, b"x y"), Fixed(">")]);
        check(Role::Key, "#secret", &[Name(Kind::Key, b"#secret")]);
    }

    #[test]
    fn classes_and_natives() {
        check(Role::Class, "system / Context / scope @12", &[Fixed("system / Context / scope @"), Id(12)]);
        check(Role::Class, "system / Context", &[Name(Kind::Class, b"system / Context")]);
        let dom = [
            Fixed("Detached "),
            Fixed("<"),
            Name(Kind::Tag, b"div"),
            Fixed(" "),
            Name(Kind::Dom, b"id=\"a b\""),
            Fixed(">"),
        ];
        check(Role::Native, "Detached <div id=\"a b\">", &dom);
    }

    #[test]
    fn weak_map_pairs_keep_their_ids() {
        let text =
            "4 / part of key (A (x @1) b @56781) -> value (s @2) -> value ( @9 @60455) pair in WeakMap (table @60457)";
        let mut out = Vec::new();
        let scope = Scope { highest_id: 99_999, ..Scope::default() };
        pieces(Role::Edge, text.as_bytes(), &scope, &mut out);
        let ids: Vec<_> = out.iter().filter_map(|p| if let Id(n) = p { Some(*n) } else { None }).collect();
        assert_eq!((ids.len(), ids[0], ids[3]), (4, 4, 60457));
        check(Role::Edge, "17", &[Id(17)]);
        check(Role::Edge, "01", &[Name(Kind::Edge, b"01")]);
        check(Role::Edge, "part of key", &[Name(Kind::Edge, b"part of key")]);
    }
}
