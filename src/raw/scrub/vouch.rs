//! Who vouches for a name: the vocabulary, live code of the program, the user's source tree, or a keep rule.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::lines;
use super::needles::Needles;
use super::tags::{self, Bound, Fingerprints, Kind};
use super::vocabulary;
use crate::limits;
use crate::raw::detect::{Rules, opaque};
use crate::raw::ingest::Evidence;
use crate::raw::ingest::role::Role;

/// Why a name is kept; the ledger counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// A bare runtime has it, or it is a form that only the engine writes.
    Vocabulary,
    /// Live code of the program names it.
    Code,
    /// It stands in the source tree given with `--names-from`.
    SourceTree,
    /// A keep rule names it.
    KeepRule,
    /// Nothing was found in it (profile balanced).
    NothingFound,
}

/// Everything that can vouch.
#[derive(Debug)]
pub(in crate::raw) struct Voucher<'r> {
    pub(in crate::raw) prints: &'r Fingerprints,
    pub(in crate::raw) rules: &'r Rules,
    /// Words that live code of the program names.
    pub(in crate::raw) program: FxHashSet<u64>,
    /// Words that live code of the runtime itself names.
    pub(in crate::raw) runtime: FxHashSet<u64>,
    /// Names of nodes that are no texts.
    pub(in crate::raw) holders: FxHashSet<u64>,
    /// Words of the source tree.
    pub(in crate::raw) tree: &'r FxHashSet<u64>,
    /// Which placeholders are ours.
    pub(in crate::raw) bound: Bound,
    /// Values that were found somewhere, and must not stay as a name either.
    pub(in crate::raw) needles: Arc<Needles>,
}

/// Names of files that tell nothing.
const FILES: [&str; 22] = [
    "app",
    "bundle",
    "chunk",
    "cli",
    "index",
    "main",
    "polyfills",
    "runtime",
    "server",
    "vendor",
    "worker",
    "page",
    "__init__",
    "__main__",
    "asgi",
    "conftest",
    "manage",
    "models",
    "settings",
    "setup",
    "urls",
    "wsgi",
];
const ENDINGS: [&str; 11] = ["js", "mjs", "cjs", "ts", "mts", "cts", "jsx", "tsx", "html", "py", "pyc"];

impl Voucher<'_> {
    /// Who vouches for this name? Keys of dictionaries are data whatever their look.
    pub(in crate::raw) fn judge(&self, kind: Kind, role: Role, name: &[u8]) -> Option<Reason> {
        let data = role == Role::DataKey;
        match role {
            Role::Line => return lines::is_vouched(self, name).then_some(Reason::Vocabulary),
            Role::Measure if lines::is_measure(name) && !self.rules.objects(name) => return Some(Reason::Vocabulary),
            Role::Field if lines::is_field(name) => return Some(Reason::Vocabulary),
            _ => {}
        }
        if name.is_empty() || tags::parse(name, self.bound) == Some(kind) {
            return Some(Reason::Vocabulary);
        }
        if kind == Kind::Holder {
            let held = self.holders.contains(&self.prints.of(name));
            return if held { self.judge(Kind::Class, role, name) } else { None };
        }
        // Of values, only keep rules name any.
        if matches!(kind, Kind::Text | Kind::Number) && !self.rules.keeps(kind, name) {
            return None;
        }
        if matches!(kind, Kind::Host | Kind::Directory | Kind::Query | Kind::Dom) || std::str::from_utf8(name).is_err()
        {
            return None;
        }
        // Beside unknown keys a word that only a runtime uses proves nothing, unless nobody is called like that.
        let doubtful = matches!(role, Role::DoubtfulKey | Role::Field) && kind == Kind::Key && !is_compound(name);
        if !data && !doubtful && (vocabulary::contains(kind, name) || is_engine_form(kind, name)) {
            return Some(Reason::Vocabulary);
        }
        if self.rules.keeps(kind, name) {
            return Some(Reason::KeepRule);
        }
        if name.len() > limits::NAME_BYTES
            || matches!(kind, Kind::Text | Kind::Number)
            || self.rules.objects(name)
            || self.needles.objects(name)
        {
            return None;
        }
        if matches!(kind, Kind::Path | Kind::File) {
            return self.judge_file(kind, name);
        }
        let print = self.prints.of(self.word(kind, name));
        if self.tree.contains(&print) {
            return Some(Reason::SourceTree);
        }
        let named = self.program.contains(&print) || (!doubtful && self.runtime.contains(&print));
        let named = !data && named && is_name_like(name) && !opaque(name);
        (named && !matches!(kind, Kind::Regexp | Kind::Edge | Kind::Structure | Kind::Unused)).then_some(Reason::Code)
    }

    /// The word by which a name is looked up. Sources write a private name as `#name`, and the name of a file has an end.
    pub(in crate::raw) fn word<'n>(&self, kind: Kind, name: &'n [u8]) -> &'n [u8] {
        match kind {
            Kind::Key => name.strip_prefix(b"#").unwrap_or(name),
            Kind::File => name.split(|b| *b == b'.').next().unwrap_or(name),
            _ => name,
        }
    }

    /// How good is the evidence that this key is a name and not data?
    pub(in crate::raw) fn evidence(&self, role: Role, name: &[u8]) -> Evidence {
        let reason = self.judge(Kind::Key, role, name);
        let print = self.prints.of(self.word(Kind::Key, name));
        let own_words = || self.program.contains(&print) || self.tree.contains(&print);
        match reason {
            _ if tags::parse(name, self.bound).is_some() => Evidence::None,
            None => Evidence::None,
            Some(Reason::SourceTree | Reason::KeepRule) => Evidence::Strong,
            Some(_) if is_compound(name) || own_words() => Evidence::Strong,
            Some(_) => Evidence::Weak,
        }
    }

    /// Parts of a path below a project or package root; names of files elsewhere only if their words are known.
    fn judge_file(&self, kind: Kind, name: &[u8]) -> Option<Reason> {
        // An `@` begins the scope of a package; elsewhere it is part of an address.
        let bare = name.strip_prefix(b"@").unwrap_or(name);
        let plain = bare.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'+'));
        if !plain || opaque(name) {
            return None;
        }
        if kind == Kind::Path {
            return Some(Reason::Code);
        }
        let mut parts = name.split(|b| *b == b'.');
        let stem = parts.next().unwrap_or(name);
        let ends = parts.all(|p| ENDINGS.iter().any(|e| e.as_bytes() == p));
        let print = self.prints.of(stem);
        let known = FILES.iter().any(|f| f.as_bytes() == stem);
        let known = known || self.program.contains(&print) || self.tree.contains(&print);
        (ends && known).then_some(Reason::Code)
    }
}

/// Forms that only compiled C++ can write: `blink::HeapVectorBacking<…>`, `V8PerContextData::context_`, signatures.
fn is_engine_form(kind: Kind, name: &[u8]) -> bool {
    const SPACES: [&str; 8] = ["blink::", "cppgc::", "v8::", "WTF::", "gin::", "content::", "std::", "base::"];
    if !matches!(kind, Kind::Native | Kind::Edge) || name.len() > limits::ENGINE_NAME_BYTES {
        return false;
    }
    let from_cpp = match kind {
        Kind::Native => SPACES.iter().any(|s| name.starts_with(s.as_bytes())),
        _ => SPACES.iter().any(|s| memchr::memmem::find(name, s.as_bytes()).is_some()),
    };
    let member = name.len() <= limits::NAME_BYTES && memchr::memmem::find(name, b"::").is_some() && !opaque(name);
    (from_cpp && name.iter().all(|b| b.is_ascii_alphanumeric() || b" _:<>,*&()[]{}~.@/-=#'+".contains(b)))
        || (member && name.iter().all(|b| b.is_ascii_alphanumeric() || b"_:".contains(b)))
}

/// Is this put together from several words, or with digits? Nobody's name or password is, if a runtime uses it too.
fn is_compound(name: &[u8]) -> bool {
    name.iter().any(|b| *b == b'_' || b.is_ascii_digit())
        || name.windows(2).any(|w| w[0].is_ascii_lowercase() && w[1].is_ascii_uppercase())
}

/// What a programmer could have written as a name: letters and digits, `_ $`, and the marks of header and event names.
fn is_name_like(name: &[u8]) -> bool {
    let letters =
        name.iter().any(u8::is_ascii_alphabetic) || name == b"_" || name == b"$" || name.iter().any(|b| *b >= 0x80);
    letters && name.iter().all(|b| b.is_ascii_alphanumeric() || b"_$-.:/# []@".contains(b) || *b >= 0x80)
}
