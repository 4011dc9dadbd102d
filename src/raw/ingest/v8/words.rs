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
    Script,
    Properties,
    Prototype,
    Proto,
    Events,
    Value,
    /// A place in a source text.
    Position,
    /// Nodes.
    DictionaryStore,
    /// A class that a bare runtime has; plain objects are of no such class.
    RuntimeClass,
    /// The parts of compiled code that hold names of the program.
    CodePart,
    /// Machine code, of which only the way to the bytecode is followed.
    MachineCode,
    /// Objects of the runtime that are in dictionary mode and hold program names.
    RuntimeObject,
    /// Names of scripts that are no files.
    NoFile,
}

const WORDS: &[(&str, Word)] = &[
    ("", Word::Empty),
    ("source", Word::Source),
    ("name", Word::Name),
    ("script", Word::Script),
    ("script_or_debug_info", Word::Script),
    ("properties", Word::Properties),
    ("prototype", Word::Prototype),
    ("__proto__", Word::Proto),
    ("_events", Word::Events),
    ("value", Word::Value),
    ("scope_id", Word::Position),
    ("start_position", Word::Position),
    ("end_position", Word::Position),
    ("(object properties)", Word::DictionaryStore),
    ("Object", Word::Other),
    ("system", Word::CodePart),
    ("(constant pool)", Word::CodePart),
    ("(function scope info)", Word::CodePart),
    ("system / BytecodeArray", Word::CodePart),
    ("system / BytecodeWrapper", Word::CodePart),
    ("system / InterpreterData", Word::CodePart),
    ("system / BaselineData", Word::CodePart),
    ("system / ScopeInfo", Word::CodePart),
    ("system / FixedArray", Word::CodePart),
    ("system / TrustedFixedArray", Word::CodePart),
    ("system / ObjectBoilerplateDescription", Word::CodePart),
    ("system / ArrayBoilerplateDescription", Word::CodePart),
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
    ("evalmachine.<anonymous>", Word::NoFile),
    ("[eval]", Word::NoFile),
    ("[stdin]", Word::NoFile),
];

/// The word of every entry of the table.
pub(super) fn classify(bytes: &[u8], table: &Table) -> Vec<Word> {
    (0..table.len())
        .into_par_iter()
        .with_min_len(4096)
        .map(|i| {
            let text = table.raw(bytes, i);
            if text.len() > limits::NAME_BYTES {
                return Word::Other;
            }
            if text.starts_with(b"blob:") || text.starts_with(b"data:") {
                return Word::NoFile;
            }
            if text.starts_with(b"Window") || text.starts_with(b"global (") || text.starts_with(b"Object [JSGlobal") {
                return Word::RuntimeObject;
            }
            if text.starts_with(b"(code for ") {
                return Word::MachineCode;
            }
            let word = WORDS.iter().find(|(w, _)| w.as_bytes() == text).map(|(_, word)| *word);
            word.unwrap_or_else(|| if vocabulary::contains_class(text) { Word::RuntimeClass } else { Word::Other })
        })
        .collect()
}
