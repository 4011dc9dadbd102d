//! Files that people take for snapshots: what they are, and what to take instead. Known by their first bytes.

/// What can be said of a file that no format recognises.
pub(super) fn hint(head: &[u8]) -> Option<&'static str> {
    let by_start = STARTS.iter().find(|(start, _)| head.starts_with(start)).map(|(_, hint)| *hint);
    by_start.or_else(|| by_place(head))
}

macro_rules! is {
    ($what:literal, $instead:literal) => {
        concat!("this is ", $what, "; ", $instead)
    };
}

const ELF: &str = is!(
    "an ELF file (a program or a core dump)",
    "a core holds all memory of the process and cannot be made safe; take a heap snapshot with the runtime's own tool"
);
const MINIDUMP: &str = is!(
    "a minidump",
    "it holds raw memory and cannot be made safe; take a heap snapshot with the runtime's own tool (a .NET one too: dotnet-gcdump, which is not read yet)"
);
const WINDOWS_DUMP: &str = is!(
    "a memory dump of Windows",
    "it holds raw memory and cannot be made safe; take a heap snapshot with the runtime's own tool"
);
const MACH_O: &str = is!(
    "a Mach-O file (a program or a core dump)",
    "a core holds raw memory; take a heap snapshot with the runtime's own tool"
);
const RAW_MEMORY: &str =
    is!("an image of raw memory", "it cannot be made safe; take a heap snapshot with the runtime's own tool");
const HPROF: &str = "this is a JVM heap dump (HPROF), which this version does not read";
const JFR: &str = "this is a Java Flight Recording, which this version does not read";
const PHD: &str =
    is!("a portable heap dump (PHD) of OpenJ9", "it is not read; it holds no contents, only classes and addresses");
const GCDUMP: &str =
    is!("a trace or gcdump of .NET", "it is not read by this version; it holds names of types and no contents");
const GO_HEAP: &str = is!(
    "a heap dump of Go",
    "it holds raw memory and cannot be made safe; write a profile with pprof.WriteHeapProfile, which holds no contents"
);
const PPROF: &str = is!("a profile of pprof", "this version does not read it; it holds stacks and sizes, no contents");
const PROFILE_TEXT: &str =
    is!("a heap profile in text", "this version does not read it; it holds addresses and sizes, no contents");
const RUBY: &str = is!(
    "a dump of Ruby's ObjectSpace",
    "this version does not read it; do not share it, since it holds the contents of strings"
);
const LZ4: &str = is!(
    "packed with LZ4, as memray writes its recordings",
    "they hold the command line and are not read; use tracemalloc.take_snapshot().dump(FILE)"
);
const MEMRAY: &str = is!(
    "a recording of memray",
    "it holds the command line and is not read; use tracemalloc.take_snapshot().dump(FILE)"
);
const PICKLE: &str = "this is a Python pickle, but not one that tracemalloc wrote; a pickle is a program and is never run here; use tracemalloc.take_snapshot().dump(FILE)";
const PYHEAP: &str = is!("a dump of pyheap", "it is not read; use tracemalloc.take_snapshot().dump(FILE)");
const DART: &str = is!("a heap snapshot of Dart", "this version does not read it");
const MASSIF: &str = is!("an output of a tool of Valgrind", "it holds the command line and is not read");
const ZIP: &str = is!("a zip archive", "unpack it and pass the snapshot inside");
const TAR: &str = is!("a tar archive", "unpack it and pass the snapshot inside");
const PACKED: &str = is!("a packed file of another kind than gzip and zstd", "unpack it and pass the snapshot inside");

const STARTS: &[(&[u8], &str)] = &[
    (b"JAVA PROFILE", HPROF),
    (b"FLR\0", JFR),
    (b"\x00\x14portable heap dump", PHD),
    (b"portable heap dump", PHD),
    (b"\x7fELF", ELF),
    (b"MDMP", MINIDUMP),
    (b"PAGEDU64", WINDOWS_DUMP),
    (b"PAGEDUMP", WINDOWS_DUMP),
    (b"\xcf\xfa\xed\xfe", MACH_O),
    (b"\xfe\xed\xfa\xcf", MACH_O),
    (b"\xce\xfa\xed\xfe", MACH_O),
    (b"EMiL", RAW_MEMORY),
    (b"KDUMP   ", RAW_MEMORY),
    (b"AVML", RAW_MEMORY),
    (b"Nettrace", GCDUMP),
    (b"\x14\0\0\0!FastSerialization", GCDUMP),
    (b"{\"type\":\"ROOT\"", RUBY),
    (b"{\"address\":\"0x", RUBY),
    (b"{ \"type\":\"ROOT\"", RUBY),
    (b"\x04\x22\x4d\x18", LZ4),
    (b"memray\0", MEMRAY),
    (b"\0\0\0\0\x07\x54\xd6\x01", PYHEAP),
    (b"dartheap", DART),
    (b"heap profile: ", PROFILE_TEXT),
    (b"heap_v2/", PROFILE_TEXT),
    (b"{\"dhatFileVersion\"", MASSIF),
    (b"PK\x03\x04", ZIP),
    (b"\xfd7zXZ\0", PACKED),
    (b"BZh", PACKED),
    (b"7z\xbc\xaf\x27\x1c", PACKED),
    (b"ccopy_reg\n", PICKLE),
    (b"ccopyreg\n", PICKLE),
];

/// What is not told by the first bytes alone.
fn by_place(head: &[u8]) -> Option<&'static str> {
    match head {
        _ if head.get(257..262) == Some(b"ustar") => Some(TAR),
        [0x80, 2..=5, rest @ ..] if rest.first().is_none_or(|code| *code != 0) => Some(PICKLE),
        [b'g', b'o', b'1', b'.', ..] if first_line(head).ends_with(b" heap dump") => Some(GO_HEAP),
        [b'd', b'e', b's', b'c', b':', ..] if is_massif(head) => Some(MASSIF),
        _ if is_pprof(head) => Some(PPROF),
        _ if is_old_pickle(head) => Some(PICKLE),
        _ if is_zeros(head) => Some(RAW_MEMORY),
        _ => None,
    }
}

/// A profile begins with the types of its samples: messages of two small numbers.
fn is_pprof(head: &[u8]) -> bool {
    let is_type = |bytes: &[u8]| matches!(bytes, [0x0a, 4, 8, _, 16, _, ..]);
    is_type(head) && head.get(6..).is_some_and(|rest| is_type(rest) || matches!(rest, [0x12, ..]))
}

/// Protocols 0 and 1 have no mark; these are the beginnings of dictionaries, lists, tuples, names and calls.
fn is_old_pickle(head: &[u8]) -> bool {
    let is_text = |line: &[u8]| !line.is_empty() && line.iter().all(|b| b.is_ascii_alphanumeric() || b"_.".contains(b));
    let mut lines = head.split(|byte| *byte == b'\n');
    let (first, second, third) = (lines.next().unwrap_or_default(), lines.next(), lines.next());
    let is_named = |name: &[u8]| is_text(name) && second.is_some_and(is_text);
    match first {
        [b'c', name @ ..] if is_named(name) => {
            third.is_some_and(|line| matches!(line.first(), Some(b'(' | b'p' | b'q' | b')' | b'S' | b'V')))
        }
        [b'(', b'c' | b'i', name @ ..] => is_named(name),
        [b'(', b'd' | b'l', b'p', digits @ ..] => !digits.is_empty() && digits.iter().all(u8::is_ascii_digit),
        _ => head.starts_with(b"}q") || head.starts_with(b"]q"),
    }
}

/// Two tools of Valgrind begin with what they were told, and the command line.
fn is_massif(head: &[u8]) -> bool {
    head.split(|byte| *byte == b'\n').take(3).any(|line| line.starts_with(b"cmd: "))
}

fn first_line(head: &[u8]) -> &[u8] {
    head.split(|byte| *byte == b'\n').next().unwrap_or_default()
}

/// Images of memory begin with pages of nothing.
fn is_zeros(head: &[u8]) -> bool {
    head.len() >= 4096 && head.iter().all(|byte| *byte == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_hint_says_what_it_is_in_one_line() {
        for (start, hint) in STARTS {
            assert!(hint.starts_with("this is ") || hint.starts_with("this looks like "), "{start:?}");
            assert!(!hint.contains('\n') && !hint.ends_with('.'), "{hint}");
        }
    }

    #[test]
    fn texts_and_small_numbers_are_no_pickle() {
        for other in [
            &b""[..],
            b"(",
            b"call me\nback\n",
            b"(definitely\n",
            b"{\"a\":1}",
            b"cat\ndog\nbird\n",
            b"(c) 2020 Us\nAll",
            b"desc: x\n",
        ] {
            assert_eq!(hint(other), None, "{other:?}");
        }
    }
}
