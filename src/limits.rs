//! Every bound of the program in one place. A bound that is hit is an error (exit code 4), never a silent cut.

/// Holders of a text that are told when somebody asks for it.
pub(crate) const EXPLAINED_HOLDERS: usize = 12;

/// Bytes of a decompressed input (a plain file is mapped and has no bound but the address space).
pub(crate) const PLAIN_BYTES: u64 = 32 << 30;

/// How many times larger than its compressed form an input may be, once it is past [`RATIO_FREE_BYTES`].
/// Real snapshots compress 5 to 60 times; a bomb of zeros reaches 1,000 (gzip) or 32,000 (zstd).
pub(crate) const RATIO: u64 = 300;

/// Below this size the ratio is not looked at: tiny files compress extremely well.
pub(crate) const RATIO_FREE_BYTES: u64 = 64 << 20;

/// Compression inside compression.
pub(crate) const NESTING: u32 = 2;

/// Window of a zstd frame (2^27 = 128 MiB, the default bound of the zstd program).
pub(crate) const ZSTD_WINDOW_LOG: u32 = 27;

/// Bytes of the `snapshot` header object; real ones have about 2 KB.
pub(crate) const HEADER_BYTES: usize = 1 << 20;

/// Nesting of the `trace_tree` section; stack depth of the traced program, so real ones stay below 1,000.
pub(crate) const TRACE_DEPTH: u32 = 100_000;

/// Nodes, edges and strings are counted in 32 bits; one value is kept free as a mark.
pub(crate) const INDEX: u64 = u32::MAX as u64 - 1;

/// Bytes of one name that can be kept; longer ones are data.
pub(crate) const NAME_BYTES: usize = 120;

/// Bytes of the description of a WeakMap pair, which is searched for its parts; longer ones are data.
pub(crate) const PAIR_BYTES: usize = 4096;

/// Bytes of a C++ signature, which templates make long.
pub(crate) const ENGINE_NAME_BYTES: usize = 2048;

/// Bytes of one file below `--names-from`; larger ones are generated bundles, read up to here.
pub(crate) const SOURCE_FILE_BYTES: u64 = 64 << 20;

/// Size of one compiled rule (bytes, as counted by the regex crate).
pub(crate) const RULE_BYTES: usize = 1 << 20;

/// Memory for the states of one rule's automaton, for each thread; when it is full, states are made again.
pub(crate) const RULE_CACHE_BYTES: usize = 1 << 20;

/// Parts of one rope that are joined; more are replaced without being read.
pub(crate) const ROPE_PARTS: usize = 4 << 20;

/// Bytes of one rope that are joined.
pub(crate) const ROPE_BYTES: u64 = 64 << 20;

/// Bytes of all composites of one snapshot that are joined, for each byte of its file.
pub(crate) const COMPOSITE_BYTES_PER_BYTE: u64 = 8;

/// Bytes of a text that counts as a piece of a list.
pub(crate) const PIECE_BYTES: usize = 256;

/// Pieces of one list that are joined.
pub(crate) const LIST_PARTS: usize = 1 << 16;

/// Units of UTF-16 from which on a text may have been cut: engines cut at 1,024 unless they are told otherwise.
pub(crate) const CUT_UNITS: usize = 1000;

/// Encodings inside encodings: four, and one more for those that stand side by side.
pub(crate) const DECODE_DEPTH: u32 = 5;

/// Units of a found value from which on it is looked for inside other texts.
pub(crate) const NEEDLE_UNITS: usize = 8;

/// Bytes of the values file.
pub(crate) const VALUES_BYTES: u64 = 256 << 20;

/// Bytes of a key file, at least and at most.
pub(crate) const KEY_BYTES: (u64, u64) = (16, 4096);

/// Rules in force, the user's own included.
pub(crate) const RULES: usize = 4096;

/// Bytes of one line of a file of texts that rules are tested on.
pub(crate) const TEST_LINE_BYTES: u64 = 16 << 20;

/// Threads that compile rules.
pub(crate) const COMPILERS: usize = 8;

/// How often a text is looked at again after something was cut out of it; then it goes as a whole.
pub(crate) const ROUNDS: u32 = 4;

/// Parts of a rope that can be a key, the inner ones included: a key of [`NAME_BYTES`] letters, each a part of its own.
pub(crate) const KEY_PARTS: usize = 2 * NAME_BYTES;

/// Bytes at the end of a text that was cut, in which a secret may begin.
pub(crate) const CUT_TAIL: usize = 512;

/// Bytes of a found text that must stand in the first of several pieces, unless it begins with that piece.
pub(crate) const FIRST_PIECE_BYTES: usize = 12;

/// Bytes of several words from which on they are looked for inside other texts.
pub(crate) const SENTENCE_BYTES: usize = 16;

/// Elements of lists and objects that are looked at because of the key that holds them.
pub(crate) const HELD_LIST: usize = 1024;

/// Objects inside objects below such a key: the block of a message, what the block says.
pub(crate) const HELD_DEPTH: u32 = 2;

/// Bytes of one value of `--context`.
pub(crate) const CONTEXT_BYTES: usize = 500;

/// Bytes of a file of `--context-file`.
pub(crate) const CONTEXT_FILE_BYTES: u64 = 1 << 20;

/// Characters of the Markdown report; trackers take 65,536.
pub(crate) const MARKDOWN_CHARACTERS: usize = 65_000;

/// Snapshots that the Markdown report lists.
pub(crate) const MARKDOWN_INPUTS: usize = 24;

/// Bytes of a member of a bundle that is no snapshot.
pub(crate) const MEMBER_BYTES: u64 = 256 << 20;

/// Bytes of a file of memory over time.
pub(crate) const SERIES_BYTES: u64 = 1 << 30;

/// Rows of such a file, or events of a log.
pub(crate) const SERIES_ROWS: u64 = 1 << 21;

/// Bytes of one of its lines; longer ones are damaged.
pub(crate) const SERIES_LINE: usize = 1 << 16;

/// Processes of such a file that are told apart.
pub(crate) const SERIES_PROCESSES: u64 = 256;

/// Damaged lines that are named.
pub(crate) const SERIES_DAMAGED_LINES: usize = 10;

/// Objects and lists of JSON inside each other; what goes deeper is read as lines.
pub(crate) const JSON_DEPTH: usize = 1000;

/// The highest running number of a placeholder that is known in a file without a table by its form.
pub(crate) const TEXT_PLACEHOLDER: u32 = 99_999_999;

/// Bytes of one text of a pickle: paths of source files, at most.
pub(crate) const PICKLE_TEXT: usize = 1 << 16;

/// Values on the stack of a pickle: a batch of a thousand traces, and the frames of one.
pub(crate) const PICKLE_STACK: usize = 1 << 20;

/// Marks inside marks of a pickle; snapshots have seven at most.
pub(crate) const PICKLE_MARKS: usize = 16;

/// Archives in archives.
pub(crate) const ARCHIVES_NESTED: u32 = 2;

/// Members of one archive that are looked at.
pub(crate) const ARCHIVE_MEMBERS: u32 = 1_000_000;

/// Bytes of a zip archive that lies in another archive or is packed, and so must be read into memory.
pub(crate) const NESTED_ZIP_BYTES: u64 = 1 << 30;

/// Bytes of a name in an archive, or of the records before it.
pub(crate) const ARCHIVE_NAME_BYTES: u64 = 1 << 20;
