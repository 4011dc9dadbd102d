//! Words around dumps that the user asks for (the name of a service in a path, a file name), and names in results of this
//! program that are read back: both go through the wall like what the user tells.

use rustc_hash::FxHashMap;

use super::scrub::guard::Labels;
use super::scrub::wall::SafeText;
use crate::Settings;

/// Lets words through without what rules and values find in them. Equal words stay equal under one key.
pub(crate) struct Names<'r> {
    labels: Labels<'r>,
    known: FxHashMap<String, SafeText>,
}

impl std::fmt::Debug for Names<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Names({})", self.known.len())
    }
}

impl<'r> Names<'r> {
    pub(crate) fn new(settings: &'r Settings) -> Self {
        Self { labels: Labels::new(settings), known: FxHashMap::default() }
    }

    /// A word of a path, or a name of a file.
    pub(crate) fn told(&mut self, word: &str) -> Option<SafeText> {
        self.labels.free(word.as_bytes())
    }

    /// A text of a result.
    pub(crate) fn again(&mut self, text: &str) -> SafeText {
        if let Some(known) = self.known.get(text) {
            return known.clone();
        }
        let safe = self.labels.again(text);
        self.known.insert(text.to_owned(), safe.clone());
        safe
    }
}
