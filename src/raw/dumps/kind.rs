//! The kinds of dumps, and how each begins.

use memchr::memmem;

/// A kind of dump that holds what a process had in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Dump {
    /// Node.js, Chrome, Electron, Deno, Bun.
    V8,
    /// Safari, Bun.
    JavaScriptCore,
    /// The JVM, Android.
    Hprof,
    /// The JVM: a recording, with environment, properties and command line.
    Jfr,
    /// The JVM of OpenJ9.
    Phd,
    /// Python: `tracemalloc`.
    Tracemalloc,
    /// Python: a tracker of allocations, with command line and source lines.
    Memray,
    /// Python: a heap dump of its own kind.
    Pyheap,
    /// Ruby: `ObjectSpace.dump_all`.
    Ruby,
    /// Go: `debug.WriteHeapDump`.
    Go,
    /// Dart and Flutter.
    Dart,
    /// Erlang: a crash dump.
    Erlang,
    /// Linux and others: an ELF core.
    Core,
    /// macOS: a Mach-O core.
    MachCore,
    /// Windows and others: a minidump.
    Minidump,
    /// Windows: a dump of the whole system.
    System,
    /// Named like a dump, and packed in a way that cannot be looked into.
    Closed,
}

impl Dump {
    /// A word for programs.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::V8 => "v8",
            Self::JavaScriptCore => "jsc",
            Self::Hprof => "hprof",
            Self::Jfr => "jfr",
            Self::Phd => "phd",
            Self::Tracemalloc => "tracemalloc",
            Self::Memray => "memray",
            Self::Pyheap => "pyheap",
            Self::Ruby => "ruby",
            Self::Go => "go",
            Self::Dart => "dart",
            Self::Erlang => "erlang",
            Self::Core => "elf-core",
            Self::MachCore => "mach-core",
            Self::Minidump => "minidump",
            Self::System => "windows-system",
            Self::Closed => "closed",
        }
    }

    /// Words for people.
    #[must_use]
    pub const fn describe(self) -> &'static str {
        match self {
            Self::V8 => "a V8 heap snapshot",
            Self::JavaScriptCore => "a JavaScriptCore heap snapshot",
            Self::Hprof => "a JVM heap dump (HPROF)",
            Self::Jfr => "a Java Flight Recording",
            Self::Phd => "a JVM heap dump (PHD)",
            Self::Tracemalloc => "a tracemalloc snapshot",
            Self::Memray => "a memray capture",
            Self::Pyheap => "a pyheap dump",
            Self::Ruby => "a Ruby ObjectSpace dump",
            Self::Go => "a Go heap dump",
            Self::Dart => "a Dart heap snapshot",
            Self::Erlang => "an Erlang crash dump",
            Self::Core => "a core dump (ELF)",
            Self::MachCore => "a core dump (Mach-O)",
            Self::Minidump => "a minidump",
            Self::System => "a Windows system dump",
            Self::Closed => "named like a dump, and packed in a way that cannot be looked into",
        }
    }

    /// The kind that a file is, by its first bytes.
    pub(super) fn of(head: &[u8]) -> Option<Self> {
        Self::binary(head).or_else(|| Self::text(head))
    }

    fn binary(head: &[u8]) -> Option<Self> {
        let starts = |magic: &[u8]| head.starts_with(magic);
        match () {
            () if starts(b"JAVA PROFILE 1.0") => Some(Self::Hprof),
            () if starts(b"FLR\0") => Some(Self::Jfr),
            () if starts(b"\0\x15portable heap dump") => Some(Self::Phd),
            () if starts(b"\x7fELF") => (elf_type(head) == Some(4)).then_some(Self::Core),
            () if is_mach_core(head) => Some(Self::MachCore),
            () if starts(b"MDMP") => Some(Self::Minidump),
            () if starts(b"PAGEDUMP") || starts(b"PAGEDU64") => Some(Self::System),
            () if starts(b"dartheap") => Some(Self::Dart),
            () if starts(b"go1.") => within(head, 64, b" heap dump\n").then_some(Self::Go),
            () if starts(b"\x80") => {
                let is_ours = within(head, 256, b"tracemalloc") && within(head, 256, b"Snapshot");
                is_ours.then_some(Self::Tracemalloc)
            }
            // The first block of a capture begins with what it is, packed or not.
            () if starts(b"memray\0") || (starts(b"\x04\x22\x4d\x18") && within(head, 64, b"memray\0")) => {
                Some(Self::Memray)
            }
            () if starts(&PYHEAP.to_be_bytes()) || starts(&PYHEAP.to_le_bytes()) => Some(Self::Pyheap),
            () => None,
        }
    }

    fn text(head: &[u8]) -> Option<Self> {
        let start = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
        if start.starts_with(b"=erl_crash_dump:") {
            return Some(Self::Erlang);
        }
        if !start.starts_with(b"{") {
            return None;
        }
        // Blanks between words differ from writer to writer.
        let dense: Vec<u8> = start.iter().take(400).copied().filter(|b| !b.is_ascii_whitespace()).collect();
        let starts = |words: &[u8]| dense.starts_with(words);
        let has = |words: &[u8]| memmem::find(&dense, words).is_some();
        match () {
            () if starts(b"{\"snapshot\":{\"meta\":") => Some(Self::V8),
            () if starts(b"{\"version\":")
                && (has(b"\"type\":\"Inspector\"") || has(b"\"type\":\"GCDebugging\"") || has(b"\"nodes\":[")) =>
            {
                Some(Self::JavaScriptCore)
            }
            () if starts(b"{\"type\":\"ROOT\",\"root\":") => Some(Self::Ruby),
            () if starts(b"{\"address\":\"0x") && has(b"\",\"type\":\"") => Some(Self::Ruby),
            () => None,
        }
    }
}

const PYHEAP: u64 = 123_000_321;

fn within(head: &[u8], bytes: usize, words: &[u8]) -> bool {
    memmem::find(&head[..head.len().min(bytes)], words).is_some()
}

/// What kind of ELF file it is, in either order of bytes.
fn elf_type(head: &[u8]) -> Option<u16> {
    let kind: [u8; 2] = head.get(16..18)?.try_into().ok()?;
    Some(if head.get(5) == Some(&2) { u16::from_be_bytes(kind) } else { u16::from_le_bytes(kind) })
}

fn is_mach_core(head: &[u8]) -> bool {
    let word = |at: usize| head.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
    match (word(0).map(u32::from_be_bytes), word(12)) {
        (Some(0xfeed_face | 0xfeed_facf), Some(kind)) => u32::from_be_bytes(kind) == 4,
        (Some(0xcefa_edfe | 0xcffa_edfe), Some(kind)) => u32::from_le_bytes(kind) == 4,
        _ => false,
    }
}
