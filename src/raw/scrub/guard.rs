//! What goes beside a snapshot: texts that the user adds, names in a report. Cut out what is found on the way in, and
//! look at every finished member once more before it leaves.

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashSet;

use super::decide::without;
use super::find::{Keep, Look};
use super::labels::Scope;
use super::lexer;
use super::needles::Needles;
use super::paths::Roots;
use super::spans::merged;
use super::tags::{self, Bound, Kind as Tag, Number, Tags};
use super::wall::{SafeStr, SafeText};
use crate::bundle::texts;
use crate::heap::StrId;
use crate::heap::graph::{Class, ClassName};
use crate::pipeline::Settings;
use crate::profile::Profile;
use crate::raw::detect::Rules;
use crate::raw::ingest::Source;
use crate::raw::ingest::role::Role;
use crate::raw::ingest::v8::{decode, shown};
use crate::report::escape::is_hidden;
use crate::report::html::read::literals;
use crate::{Error, Kind, Result, Stage, limits};

/// Everything that was found in a call, and the rules: nothing of it may stand in any member of a bundle.
#[derive(Clone, Debug)]
pub struct Guard<'r> {
    rules: &'r Rules,
    needles: Arc<Needles>,
    bound: Bound,
    scope: Arc<Scope>,
    /// Did keys of dictionaries stay although nobody vouched for them?
    keeps_keys: bool,
    /// What rules and values find in the words of the program itself, in small letters: sentences begin with large ones.
    own: Arc<OnceLock<FxHashSet<Vec<u8>>>>,
}

/// How a member is read when it is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Medium {
    /// Every literal of it.
    Json,
    /// The whole, and every line.
    Text,
    /// Every text and attribute of a page.
    Html,
}

impl<'r> Guard<'r> {
    pub(in crate::raw) fn new(rules: &'r Rules, needles: Arc<Needles>, bound: Bound, profile: Profile) -> Self {
        let scope = Arc::new(Scope { roots: Roots::default(), highest_id: 0 });
        Self { rules, needles, bound, scope, keeps_keys: !profile.is_strict(), own: Arc::default() }
    }

    fn own(&self) -> &FxHashSet<Vec<u8>> {
        self.own.get_or_init(|| {
            let mut own = FxHashSet::default();
            for text in texts::own() {
                let parts = text.split('"').chain(text.lines().map(str::trim)).chain([&*text]);
                for part in parts {
                    own.extend(self.found(part.as_bytes()).map(<[u8]>::to_ascii_lowercase));
                }
            }
            for page in texts::own_pages() {
                let read = literals(&page, |text| own.extend(self.found(text).map(<[u8]>::to_ascii_lowercase)));
                debug_assert!(read.is_some(), "own pages are read");
            }
            own
        })
    }

    /// A guard of rules and listed values alone, for a bundle that somebody sent.
    pub(crate) fn of_values(settings: &'r Settings) -> Self {
        let needles = Needles::new(&settings.names.prints, &settings.values.cores);
        // Placeholders of any number are nothing to find.
        Self::new(&settings.rules, Arc::new(needles), Bound { highest: u32::MAX, keyed: true }, Profile::Strict)
    }

    fn look(&self) -> Look<'_> {
        Look {
            scope: &self.scope,
            bound: self.bound,
            rules: Some(self.rules),
            needles: Some(&self.needles),
            keep: Keep::Nothing,
        }
    }

    fn finds(&self, text: &[u8]) -> bool {
        self.found(text).next().is_some()
    }

    /// Everything that is found in a text.
    fn found<'t>(&self, text: &'t [u8]) -> impl Iterator<Item = &'t [u8]> {
        let whole = self.needles.whole(text, false).is_some() && tags::parse(text, self.bound).is_none();
        let hits = self.look().at_written(text, false);
        let places = hits.into_iter().map(|hit| hit.start as usize..hit.end as usize);
        whole.then_some(text).into_iter().chain(places.filter_map(|place| text.get(place)))
    }

    /// How often something is found in the final bytes of a member; nothing if it is no text that this program writes.
    /// Words that stand in the program itself are nothing to find: a customer may be called like one.
    pub(crate) fn count(&self, bytes: &[u8], medium: Medium) -> Option<u64> {
        let text = std::str::from_utf8(bytes).ok()?;
        let is_odd = |c: char| c != '\n' && if medium == Medium::Json { c.is_control() } else { is_hidden(c) };
        if text.chars().any(is_odd) {
            return None;
        }
        let news =
            |text: &[u8]| u64::from(self.found(text).any(|found| !self.own().contains(&found.to_ascii_lowercase())));
        let mut count = 0;
        match medium {
            Medium::Json => {
                serde_json::from_slice::<serde_json::Value>(bytes).ok()?;
                let mut decoded = Vec::new();
                lexer::quoted(bytes, |raw| {
                    decode(raw, &mut decoded);
                    count += news(&decoded);
                });
            }
            Medium::Html => literals(text, |text| count += news(text))?,
            Medium::Text => count = bytes.split(|b| *b == b'\n').map(|line| news(line.trim_ascii())).sum(),
        }
        Some(count)
    }

    /// Looks at the final bytes of a member for rules and values.
    ///
    /// # Errors
    /// When anything is found: the count, never the text.
    pub(crate) fn check(&self, bytes: &[u8], medium: Medium, what: &'static str) -> Result<()> {
        match self.count(bytes, medium) {
            Some(0) => Ok(()),
            count => Err(Error::new(Stage::Verify, Kind::Residue { count: count.unwrap_or(1), what })),
        }
    }

    /// The name of a class of a verified file. One that a rule would object to in a report is a placeholder there.
    pub(in crate::raw) fn class_name(&self, source: &dyn Source, class: &Class) -> SafeText {
        let mut raw = Vec::new();
        let name = match &class.name {
            ClassName::Fixed(word) => return SafeText::literal(word),
            ClassName::Text(id) => source.text(*id, &mut raw).expose().to_vec(),
            ClassName::Element(id) => element(source.text(*id, &mut raw).expose()),
            ClassName::Shape(keys) => shape(keys.iter().map(|key| {
                let text = source.text(*key, &mut raw).expose();
                self.is_data(source, *key, text).map_or_else(|| text.to_vec(), |word| word.as_bytes().to_vec())
            })),
        };
        let name = if class.detached { [b"Detached ", name.as_slice()].concat() } else { name };
        self.name(&name)
    }

    /// The name of a variable, field or function of a verified file, or a text that was replaced.
    pub(in crate::raw) fn label(&self, source: &dyn Source, id: StrId) -> SafeText {
        let mut raw = Vec::new();
        let text = source.text(id, &mut raw).expose();
        match self.is_data(source, id, text) {
            Some(word) => SafeText::literal(word),
            None => self.name(text),
        }
    }

    /// The word for a text that is content or the key of a dictionary: such are not for reports, even where balanced lets
    /// them stay in the snapshot.
    fn is_data(&self, source: &dyn Source, id: StrId, text: &[u8]) -> Option<&'static str> {
        if tags::parse(text, self.bound).is_some() {
            return None;
        }
        let all = |is: &dyn Fn(Role) -> bool| source.roles(id).iter().all(is);
        match () {
            () if all(&Role::is_value) => Some("(text)"),
            () if self.keeps_keys
                && all(&|role| role.is_value() || matches!(role, Role::DataKey | Role::DoubtfulKey)) =>
            {
                Some("(key)")
            }
            () => None,
        }
    }

    /// The path of a script of a verified file.
    pub(in crate::raw) fn script(&self, source: &dyn Source, id: StrId) -> SafeText {
        let mut raw = Vec::new();
        let text = source.text(id, &mut raw).expose();
        self.name(text.strip_prefix(b"system / Script / ").unwrap_or(text))
    }

    fn name(&self, text: &[u8]) -> SafeText {
        match std::str::from_utf8(text) {
            Ok(name) if !self.finds(text) => SafeText::from(SafeStr::vouch(name)),
            _ => SafeText::literal("[class]"),
        }
    }
}

/// An element of a page without its attributes, as DevTools shows it.
fn element(text: &[u8]) -> Vec<u8> {
    let from = if text.starts_with(b"Detached ") { b"Detached ".len() } else { 0 };
    match memchr::memchr(b' ', &text[from..]) {
        Some(blank) => [&text[..from + blank], b">"].concat(),
        None => text.to_vec(),
    }
}

/// Texts of a file that is no snapshot (labels, command lines), cut like what the user tells. Equal texts get equal
/// numbers within a call.
pub(in crate::raw) struct Labels<'r> {
    rules: &'r Rules,
    needles: Needles,
    scope: Scope,
    tags: Tags<'r>,
}

impl<'r> Labels<'r> {
    pub(in crate::raw) fn new(settings: &'r Settings) -> Self {
        let needles = Needles::new(&settings.names.prints, &settings.values.cores);
        let tags = Tags::new(settings.names.prints.clone(), settings.key.as_ref(), Bound::default());
        let tags = tags.numbered(settings.numbers);
        Self { rules: &settings.rules, needles, scope: Scope { roots: Roots::default(), highest_id: 0 }, tags }
    }

    /// A text of a result of this program, read back: what rules find is cut out, placeholders are nothing to find.
    pub(in crate::raw) fn again(&mut self, text: &str) -> SafeText {
        let look = Look {
            scope: &self.scope,
            bound: Bound { highest: u32::MAX, keyed: true },
            rules: Some(self.rules),
            needles: Some(&self.needles),
            keep: Keep::Nothing,
        };
        if tags::parse(text.as_bytes(), look.bound).is_some() {
            return SafeText::vouch(text.to_owned());
        }
        free(text, &look, &mut self.tags)
    }

    /// What of a label may be shown; nothing if it is no text or too long for a label.
    pub(in crate::raw) fn free(&mut self, label: &[u8]) -> Option<SafeText> {
        let text = std::str::from_utf8(label).ok().filter(|text| text.len() <= limits::CONTEXT_BYTES)?;
        let look = Look {
            scope: &self.scope,
            bound: self.tags.bound(),
            rules: Some(self.rules),
            needles: Some(&self.needles),
            keep: Keep::Nothing,
        };
        Some(free(text, &look, &mut self.tags))
    }
}

/// A plain object by its keys, as DevTools shows it.
fn shape(keys: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    let shown: Vec<Vec<u8>> = keys.map(|key| shown(&key).unwrap_or(key)).collect();
    [b"{", shown.join(&b", "[..]).as_slice(), b"}"].concat()
}

/// Cuts out of a text that the user adds what rules find, and what was found in the snapshots.
pub(super) fn free(text: &str, look: &Look<'_>, tags: &mut Tags<'_>) -> SafeText {
    let whole = |tags: &mut Tags<'_>| {
        let (mut out, number): (String, Number) = (String::new(), tags.number(text.as_bytes()));
        tags::push(&mut out, Tag::Text, number);
        SafeText::vouch(out)
    };
    if look.needles.is_some_and(|needles| needles.whole(text.as_bytes(), true).is_some()) {
        return whole(tags);
    }
    let mut out = text.to_owned();
    for _ in 0..=limits::ROUNDS {
        let look = Look { bound: tags.bound(), ..*look };
        let spans = merged(out.as_bytes(), &look.at_written(out.as_bytes(), true), Role::Value);
        if spans.is_empty() {
            return SafeText::vouch(out);
        }
        out = without(tags, out.as_bytes(), &spans);
    }
    whole(tags)
}
