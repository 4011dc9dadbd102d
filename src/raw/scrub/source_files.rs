//! Paths of source files, as stacks of calls name them: what leads to a library or package is cut, what stands in it stays if
//! it is public.
//!
//! `/home/me/.venv/lib/python3.11/site-packages/requests/api.py` is a directory and `site-packages/requests/api.py`. Of all
//! other files only the last part can be kept: directories of a program are called like projects, teams and customers.

use super::labels::Piece;
use super::tags::Kind;
use super::vocabulary;
use Piece::{Fixed, Name};

/// Where packages lie.
const PACKAGES: [&str; 2] = ["site-packages", "dist-packages"];

/// A part of a path, and where it begins.
struct Part<'a> {
    at: usize,
    name: &'a [u8],
}

/// Cuts a path into fixed words and names.
pub(in crate::raw) fn pieces<'a>(text: &'a [u8], out: &mut Vec<Piece<'a>>) {
    if text.first() == Some(&b'<') || !text.iter().any(|b| is_separator(*b)) {
        return out.push(Name(Kind::File, text));
    }
    let parts = parts(text);
    if let Some((at, word)) =
        parts.iter().enumerate().rev().find_map(|(n, part)| Some((n, word(part.name, &PACKAGES)?)))
        && at + 1 < parts.len()
    {
        before(text, parts[at].at, out);
        out.push(Fixed(word));
        return package(text, &parts[at + 1..], out);
    }
    if let Some(library) = parts.iter().rposition(|part| is_library(part.name)).filter(|at| at + 1 < parts.len()) {
        let rest = parts[library + 1].at;
        if is_known(&text[rest..]) {
            // The folder of the library has a name with a version.
            before(text, parts[library].at, out);
            out.extend([Name(Kind::Path, parts[library].name), separator(text[rest - 1])]);
            return known(text, rest, &parts[library + 1..], out);
        }
    }
    own(text, &parts, out);
}

const fn is_separator(byte: u8) -> bool {
    matches!(byte, b'/' | b'\\')
}

fn separator<'a>(byte: u8) -> Piece<'a> {
    Fixed(if byte == b'/' { "/" } else { "\\" })
}

fn parts(text: &[u8]) -> Vec<Part<'_>> {
    let mut at = 0;
    let part = |name: &'_ [u8]| name.len();
    text.split(|b| is_separator(*b))
        .map(|name| {
            let start = at;
            at += part(name) + 1;
            Part { at: start, name }
        })
        .collect()
}

fn word(name: &[u8], words: &[&'static str]) -> Option<&'static str> {
    words.iter().find(|word| word.as_bytes() == name).copied()
}

/// The folder of the library: `python3.11`, `python312.zip`, `Lib`.
fn is_library(name: &[u8]) -> bool {
    if name == b"Lib" {
        return true;
    }
    let version = name.strip_prefix(b"python").map(|rest| rest.strip_suffix(b".zip").unwrap_or(rest));
    version.is_some_and(|version| {
        !version.is_empty()
            && version.len() <= 5
            && version.iter().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b't'))
    })
}

/// Is this a file of the library? It is listed with slashes.
fn is_known(rest: &[u8]) -> bool {
    if !rest.contains(&b'\\') {
        return vocabulary::contains(Kind::File, rest);
    }
    let slashes: Vec<u8> = rest.iter().map(|b| if *b == b'\\' { b'/' } else { *b }).collect();
    vocabulary::contains(Kind::File, &slashes)
}

/// What leads to a place, and the separator in front of it.
fn before<'a>(text: &'a [u8], at: usize, out: &mut Vec<Piece<'a>>) {
    if at > 0 {
        out.extend([Name(Kind::Directory, &text[..at - 1]), separator(text[at - 1])]);
    }
}

/// A file of the library.
fn known<'a>(text: &'a [u8], from: usize, parts: &[Part<'a>], out: &mut Vec<Piece<'a>>) {
    if !text[from..].contains(&b'\\') {
        return out.push(Name(Kind::File, &text[from..]));
    }
    // With other separators it is not listed as a whole, but every part was found to be.
    joined(text, parts, Kind::Path, out);
}

fn joined<'a>(text: &'a [u8], parts: &[Part<'a>], kind: Kind, out: &mut Vec<Piece<'a>>) {
    for (n, part) in parts.iter().enumerate() {
        if n > 0 {
            out.push(separator(text[part.at - 1]));
        }
        out.push(Name(kind, part.name));
    }
}

/// What lies below the folder of packages: the parts, if the package is a public one.
fn package<'a>(text: &'a [u8], parts: &[Part<'a>], out: &mut Vec<Piece<'a>>) {
    out.push(separator(text[parts[0].at - 1]));
    let top = parts[0].name;
    let module = top.strip_suffix(b".py").unwrap_or(top);
    if vocabulary::is_python_package(module) && !parts.iter().any(|part| matches!(part.name, b".." | b".")) {
        return joined(text, parts, Kind::Path, out);
    }
    let below = &text[parts[0].at..];
    let inner: Vec<Part<'a>> = parts.iter().map(|part| Part { at: part.at - parts[0].at, name: part.name }).collect();
    own(below, &inner, out);
}

/// A file of the program: its directory goes, its name is judged.
fn own<'a>(text: &'a [u8], parts: &[Part<'a>], out: &mut Vec<Piece<'a>>) {
    if let Some(last) = parts.last() {
        before(text, last.at, out);
        out.push(Name(Kind::File, last.name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[Piece<'_>]) {
        let mut out = Vec::new();
        pieces(text.as_bytes(), &mut out);
        assert_eq!(out, expected, "{text}");
    }

    #[test]
    fn what_leads_to_a_library_or_package_is_cut() {
        let dir = |text: &'static str| Name(Kind::Directory, text.as_bytes());
        let file = |text: &'static str| Name(Kind::File, text.as_bytes());
        let path = |text: &'static str| Name(Kind::Path, text.as_bytes());
        let slash = Fixed("/");
        check("app.py", &[file("app.py")]);
        check("<string>", &[file("<string>")]);
        check("<made by /home/x>", &[file("<made by /home/x>")]);
        check("/app.py", &[dir(""), slash, file("app.py")]);
        check("/home/me/acme/app.py", &[dir("/home/me/acme"), slash, file("app.py")]);
        check(
            "/usr/lib/python3.11/json/decoder.py",
            &[dir("/usr/lib"), slash, path("python3.11"), slash, file("json/decoder.py")],
        );
        check("/home/me/lib/python3.11/acme/x.py", &[dir("/home/me/lib/python3.11/acme"), slash, file("x.py")]);
        let packages = Fixed("site-packages");
        check(
            "/home/me/v/lib/python3.11/site-packages/requests/api.py",
            &[dir("/home/me/v/lib/python3.11"), slash, packages, slash, path("requests"), slash, path("api.py")],
        );
        check(
            "/v/site-packages/acme_core/db/x.py",
            &[dir("/v"), slash, packages, slash, dir("acme_core/db"), slash, file("x.py")],
        );
        check("/v/site-packages/acme.py", &[dir("/v"), slash, packages, slash, file("acme.py")]);
        check("/v/site-packages/six.py", &[dir("/v"), slash, packages, slash, path("six.py")]);
        check(
            "/v/site-packages/requests/../acme/x.py",
            &[dir("/v"), slash, packages, slash, dir("requests/../acme"), slash, file("x.py")],
        );
        let back = Fixed("\\");
        check(
            "C:\\Python311\\Lib\\json\\decoder.py",
            &[dir("C:\\Python311"), back, path("Lib"), back, path("json"), back, path("decoder.py")],
        );
        check("C:\\Users\\me\\acme\\app.py", &[dir("C:\\Users\\me\\acme"), back, file("app.py")]);
    }
}
