//! Words of the engine that decide roles, mapped to numbers once so that nothing later compares text.

use rayon::prelude::*;

use super::strings::Table;
use crate::limits;
use crate::raw::scrub::vocabulary;

/// A word that matters to the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Word {
    Other,
    Empty,
    /// Edges.
    Source,
    Name,
    First,
    Second,
    Parent,
    Key,
    Script,
    Properties,
    Prototype,
    Proto,
    Events,
    Value,
    /// Keys that say what kind of thing an object is.
    Sort,
    /// What a Map or Set keeps its entries in.
    Table,
    /// A place in a source text.
    Position,
    /// Nodes.
    DictionaryStore,
    /// A class that a bare runtime has; plain objects are of no such class.
    RuntimeClass,
    /// The parts of compiled code that hold names of the program.
    CodePart,
    /// A list of constants.
    Pool,
    /// The description of an object literal.
    Boilerplate,
    /// Machine code, of which only the way to the bytecode is followed.
    MachineCode,
    /// Objects of the runtime that are in dictionary mode and hold program names.
    RuntimeObject,
    /// Names of scripts: a file of the runtime, a file of the program.
    RuntimeFile,
    CodeFile,
    /// Numbers, even and odd.
    Even,
    Odd,
    /// A text of one letter.
    Letter,
}

const WORDS: &[(&str, Word)] = &[
    ("", Word::Empty),
    ("source", Word::Source),
    ("name", Word::Name),
    ("first", Word::First),
    ("second", Word::Second),
    ("parent", Word::Parent),
    ("key", Word::Key),
    ("script", Word::Script),
    ("script_or_debug_info", Word::Script),
    ("properties", Word::Properties),
    ("prototype", Word::Prototype),
    ("__proto__", Word::Proto),
    ("_events", Word::Events),
    ("value", Word::Value),
    ("table", Word::Table),
    ("type", Word::Sort),
    ("kind", Word::Sort),
    ("role", Word::Sort),
    ("scope_id", Word::Position),
    ("start_position", Word::Position),
    ("end_position", Word::Position),
    ("(object properties)", Word::DictionaryStore),
    ("Object", Word::Other),
    ("system", Word::CodePart),
    ("(constant pool)", Word::Pool),
    ("(function scope info)", Word::CodePart),
    ("system / BytecodeArray", Word::CodePart),
    ("system / BytecodeWrapper", Word::CodePart),
    ("system / InterpreterData", Word::CodePart),
    ("system / BaselineData", Word::CodePart),
    ("system / ScopeInfo", Word::CodePart),
    ("system / TrustedFixedArray", Word::Pool),
    ("system / ObjectBoilerplateDescription", Word::Boilerplate),
    ("system / ClassBoilerplate", Word::CodePart),
    ("system / DescriptorArray", Word::CodePart),
    ("system / UncompiledDataWithPreparseData", Word::CodePart),
    ("system / UncompiledDataWithoutPreparseData", Word::CodePart),
    ("system / Code", Word::MachineCode),
    ("system / CodeWrapper", Word::MachineCode),
    ("(BASELINE code)", Word::MachineCode),
    ("process", Word::RuntimeObject),
    ("console", Word::RuntimeObject),
    ("Intl", Word::RuntimeObject),
    ("global", Word::RuntimeObject),
    ("Window", Word::RuntimeObject),
];

/// The word of every entry of the table; `is_class` tells which entries are names of classes.
pub(super) fn classify(bytes: &[u8], table: &Table, is_class: &[bool]) -> Vec<Word> {
    (0..table.len())
        .into_par_iter()
        .with_min_len(4096)
        .map(|i| {
            let text = table.raw(bytes, i);
            if is_code_file(text) {
                return Word::CodeFile;
            }
            if text.len() > limits::NAME_BYTES {
                return Word::Other;
            }
            const REALMS: [&str; 6] =
                ["Window (", "Window / ", "Window [", "global (", "Object [JSGlobalObject]", "Object [JSGlobalProxy]"];
            if REALMS.iter().any(|realm| text.starts_with(realm.as_bytes())) {
                return Word::RuntimeObject;
            }
            if text.starts_with(b"(code for ") {
                return Word::MachineCode;
            }
            if is_letter(text) {
                return Word::Letter;
            }
            if text.len() <= 10 && !text.is_empty() && text.iter().all(u8::is_ascii_digit) {
                return if text[text.len() - 1].is_multiple_of(2) { Word::Even } else { Word::Odd };
            }
            let word = WORDS.iter().find(|(w, _)| w.as_bytes() == text).map(|(_, word)| *word);
            let script_like = || text.ends_with(b".js") || text.iter().any(|b| matches!(b, b':' | b'/'));
            match word {
                Some(word) => word,
                None if is_class[i] && vocabulary::contains_class(text) => Word::RuntimeClass,
                None if script_like() && vocabulary::contains_script(text) => Word::RuntimeFile,
                None => Word::Other,
            }
        })
        .collect()
}

/// Is this one character, as it stands in JSON? Digits are numbers of edges too, and are told apart by `Even` and `Odd`.
fn is_letter(raw: &[u8]) -> bool {
    match raw {
        [b'0'..=b'9'] | [] => false,
        [b'\\', b'u', ..] => raw.len() == 6,
        [b'\\', _] | [_] => true,
        [first, ..] => *first >= 0xc0 && raw.len() <= 4 && raw[1..].iter().all(|b| b & 0xc0 == 0x80),
    }
}

/// Is this the name of a script that stands in a file of its own? A page is none: scripts in it may be made of data.
fn is_code_file(text: &[u8]) -> bool {
    const ENDINGS: [&str; 10] = ["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "vue", "svelte"];
    let local = text.starts_with(b"/") || text.starts_with(b"file:///") || text.get(1..3) == Some(b":\\");
    let served = [&b"http://"[..], b"https://", b"webpack", b"app://", b"chrome-extension://"];
    if text.len() > 4096 || !(local || served.iter().any(|scheme| text.starts_with(scheme))) {
        return false;
    }
    let path = text.split(|b| matches!(b, b'?' | b'#')).next().unwrap_or(text);
    let file = path.rsplit(|b| matches!(b, b'/' | b'\\')).next().unwrap_or(path);
    match memchr::memrchr(b'.', file) {
        Some(dot) => ENDINGS.iter().any(|ending| ending.as_bytes() == &file[dot + 1..]),
        // Texts that are run as code get names like `/route/42`.
        None => false,
    }
}
