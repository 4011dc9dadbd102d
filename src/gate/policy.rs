//! A policy: what a bundle must be, and who must stand by it. A policy that says nothing about something is as strict as
//! it can be where that costs nobody anything: strict only, nothing weakened, never after its last day.

use std::collections::BTreeMap;
use std::path::Path;

use super::read::{Fault, Fields, parse};
use crate::bundle::manifest::Manifest;
use crate::bundle::member::extensions;
use crate::bundle::terms::objection;
use crate::error::{ConfigError, nearest};
use crate::raw::ingest::role::Role;
use crate::raw::receive::Declared;
use crate::sign::{Identity, PublicKey};
use crate::{Profile, Rules};

/// What a bundle must be, and who must stand by it.
#[derive(Debug)]
pub struct Policy {
    pub(super) profiles: Vec<String>,
    pub(super) min_rules: Option<[u32; 3]>,
    pub(super) same_rules: bool,
    pub(super) keyed: Option<bool>,
    pub(super) zero_found: Vec<String>,
    pub(super) roles: Vec<String>,
    pub(super) formats: Option<Vec<String>>,
    pub(super) max_left_out: Option<u64>,
    pub(super) max_size: Option<u64>,
    pub(super) max_snapshots: Option<u64>,
    pub(super) max_age: Option<u32>,
    pub(super) must_expire: bool,
    pub(super) max_term: Option<u32>,
    pub(super) recipients: Option<Vec<String>>,
    pub(super) purposes: Option<Vec<String>>,
    pub(super) keep_rules: u64,
    pub(super) rules_off: u64,
    pub(super) source_trees: u64,
    pub(super) people: Vec<String>,
    /// Whose each key is, by the place in `people`.
    owners: Vec<usize>,
    keys: Vec<PublicKey>,
    pub(super) made: Option<Signers>,
    pub(super) approved: Option<Signers>,
    pub(super) reviewed: Option<Signers>,
}

/// Who must have signed something.
#[derive(Clone, Debug)]
pub struct Signers {
    /// People, by their places.
    pub(super) by: Vec<usize>,
    pub(super) at_least: usize,
    pub(super) max_age: Option<u32>,
    /// Does the signature of who made the bundle count too?
    pub(super) maker_counts: bool,
    /// Must a review name the list that was read?
    pub(super) with_list: bool,
}

const SETTINGS: &[&str] = &[
    "profiles",
    "min_rules",
    "same_rules",
    "keyed",
    "zero_found",
    "roles",
    "formats",
    "max_left_out",
    "max_size",
    "max_snapshots",
    "max_age",
    "must_expire",
    "max_term",
    "recipients",
    "purposes",
    "weakened",
    "person",
    "made",
    "approved",
    "reviewed",
];

impl Policy {
    /// Reads a policy. `key` reads the file of a public key, which is named as it stands in the policy.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with its line.
    pub fn read(
        name: &str,
        text: &str,
        rules: &Rules,
        key: &dyn Fn(&Path) -> Result<PublicKey, ConfigError>,
    ) -> Result<Self, Vec<ConfigError>> {
        let told = |faults: Vec<Fault>| {
            let one = |(line, what): Fault| ConfigError::new(format!("{name}, line {line}: {what}"));
            let mut faults = faults;
            faults.sort();
            faults.into_iter().map(one).collect::<Vec<_>>()
        };
        let file = parse(text).map_err(told)?;
        if file.get_ref().is_empty() {
            // An empty or cut file, or the wrong one: whoever asks for nothing did not write a policy.
            let what = "this policy asks for nothing; 'heapscrub init --policy' writes one to start from";
            return Err(told(vec![(1, what.to_owned())]));
        }
        let mut faults = Vec::new();
        let policy = Self::of(&Fields::new(text, file.get_ref(), 0, SETTINGS, &mut faults), rules, key, &mut faults);
        if faults.is_empty() { Ok(policy) } else { Err(told(faults)) }
    }

    fn of(
        fields: &Fields<'_, '_>,
        rules: &Rules,
        key: &dyn Fn(&Path) -> Result<PublicKey, ConfigError>,
        faults: &mut Vec<Fault>,
    ) -> Self {
        let profiles = Profile::ALL.map(Profile::name);
        let roles: Vec<&str> = Role::ALL.iter().map(|role| role.name()).collect();
        let mut categories: Vec<&str> = rules.catalogue().map(|info| &*info.category).collect();
        categories.push(Declared::OWN);
        categories.sort_unstable();
        categories.dedup();
        let formats: Vec<&str> = extensions().collect();
        let mut policy = Self {
            profiles: fields
                .words("profiles", &profiles, faults)
                .unwrap_or_else(|| vec![Profile::Strict.name().to_owned()]),
            min_rules: fields.read("min_rules", "a version of heapscrub such as \"0.1.0\"", faults, |value| {
                Manifest::read_version(value.as_str()?)
            }),
            same_rules: fields.boolean("same_rules", faults).unwrap_or(false),
            keyed: fields.boolean("keyed", faults),
            zero_found: fields.words("zero_found", &categories, faults).unwrap_or_default(),
            roles: fields.words("roles", &roles, faults).unwrap_or_default(),
            formats: fields.words("formats", &formats, faults),
            max_left_out: fields.number("max_left_out", faults),
            max_size: fields.size("max_size", faults),
            max_snapshots: fields.number("max_snapshots", faults),
            max_age: fields.days("max_age", faults),
            must_expire: fields.boolean("must_expire", faults).unwrap_or(false),
            max_term: fields.days("max_term", faults),
            recipients: terms(fields, "recipients", faults),
            purposes: terms(fields, "purposes", faults),
            keep_rules: 0,
            rules_off: 0,
            source_trees: 0,
            people: Vec::new(),
            owners: Vec::new(),
            keys: Vec::new(),
            made: None,
            approved: None,
            reviewed: None,
        };
        if let Some(weakened) = fields.table("weakened", &["keep_rules", "rules_off", "source_trees"], faults) {
            policy.keep_rules = weakened.number("keep_rules", faults).unwrap_or(0);
            policy.rules_off = weakened.number("rules_off", faults).unwrap_or(0);
            policy.source_trees = weakened.number("source_trees", faults).unwrap_or(0);
        }
        policy.read_people(fields, key, faults);
        policy.made = policy.signers(fields, "made", &["by", "max_age"], faults);
        policy.approved = policy.signers(fields, "approved", &["by", "at_least", "max_age", "maker_counts"], faults);
        policy.reviewed =
            policy.signers(fields, "reviewed", &["by", "at_least", "max_age", "maker_counts", "with_list"], faults);
        policy
    }

    fn read_people(
        &mut self,
        fields: &Fields<'_, '_>,
        key: &dyn Fn(&Path) -> Result<PublicKey, ConfigError>,
        faults: &mut Vec<Fault>,
    ) {
        let mut known: BTreeMap<Identity, usize> = BTreeMap::new();
        for person in fields.tables("person", &["name", "keys", "ssh_keys"], faults) {
            let number = self.people.len();
            let Some((line, name)) = person.text("name", faults) else {
                faults.push((person.line(), "this person has no name".to_owned()));
                continue;
            };
            if !is_name(name) {
                faults.push((line, "a name has 1 to 40 letters, digits, blanks, dots, dashes, all plain".to_owned()));
                continue;
            }
            if self.people.iter().any(|other| other.eq_ignore_ascii_case(name)) {
                faults.push((line, format!("there is a person called '{name}' already")));
            }
            self.people.push(name.to_owned());
            let files = person.texts("keys", faults).unwrap_or_default().into_iter();
            let files = files.map(|(line, file)| (line, key(Path::new(file)).map_err(|e| format!("this key {e}"))));
            let lines = person.texts("ssh_keys", faults).unwrap_or_default().into_iter();
            let lines =
                lines.map(|(line, text)| (line, PublicKey::parse(text.as_bytes()).map_err(|e| format!("this {e}"))));
            let before = self.keys.len();
            for (line, key) in files.chain(lines) {
                match key {
                    Err(what) => faults.push((line, what)),
                    Ok(key) => match known.insert(key.identity(), number) {
                        Some(other) if other != number => faults.push((
                            line,
                            format!("this key is that of '{}' already: one key is one person", self.people[other]),
                        )),
                        Some(_) => faults.push((line, "this key is listed twice".to_owned())),
                        None => {
                            self.owners.push(number);
                            self.keys.push(key);
                        }
                    },
                }
            }
            if self.keys.len() == before && faults.is_empty() {
                faults.push((person.line(), format!("'{name}' has no key; give keys or ssh_keys")));
            }
        }
    }

    fn signers(
        &self,
        fields: &Fields<'_, '_>,
        kind: &'static str,
        known: &'static [&'static str],
        faults: &mut Vec<Fault>,
    ) -> Option<Signers> {
        let table = fields.table(kind, known, faults)?;
        let Some(names) = table.texts("by", faults) else {
            faults.push((table.line(), format!("[{kind}] does not say by whom: by = [\"NAME\"]")));
            return None;
        };
        let mut by: Vec<usize> = Vec::new();
        for (line, name) in names {
            match self.people.iter().position(|person| person == name) {
                Some(person) if by.contains(&person) => faults.push((line, "this person is listed twice".to_owned())),
                Some(person) => by.push(person),
                None => {
                    let near = nearest(name, self.people.iter().map(String::as_str));
                    let hint = near.map(|near| format!("; did you mean '{near}'?")).unwrap_or_default();
                    faults.push((line, format!("no [[person]] has this name{hint}")));
                }
            }
        }
        let has = |key| known.contains(&key);
        let at_least = if has("at_least") { table.number("at_least", faults).unwrap_or(1) } else { 1 };
        if at_least == 0 || (at_least > by.len() as u64 && faults.is_empty()) {
            let what = format!("at_least must be from 1 to the {} people that are named", by.len());
            faults.push((table.line(), what));
        }
        let boolean = |key, faults: &mut Vec<Fault>| has(key) && table.boolean(key, faults).unwrap_or(false);
        Some(Signers {
            by,
            at_least: usize::try_from(at_least).unwrap_or(usize::MAX),
            max_age: table.days("max_age", faults),
            maker_counts: boolean("maker_counts", faults),
            with_list: boolean("with_list", faults),
        })
    }

    /// The keys of everybody in it.
    #[must_use]
    pub fn keys(&self) -> &[PublicKey] {
        &self.keys
    }

    /// Whose key it is.
    pub(super) fn owner(&self, key: usize) -> usize {
        self.owners[key]
    }
}

/// Recipients or purposes: texts that a bundle could have as its terms.
fn terms(fields: &Fields<'_, '_>, key: &'static str, faults: &mut Vec<Fault>) -> Option<Vec<String>> {
    let texts = fields.texts(key, faults)?;
    for (line, text) in &texts {
        if let Some(what) = objection(text) {
            faults.push((*line, format!("no bundle can have this: a text of {key} {what}")));
        }
    }
    Some(texts.into_iter().map(|(_, text)| text.to_owned()).collect())
}

/// Names are plain, so that none looks like another.
fn is_name(name: &str) -> bool {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '.' | '-' | '_');
    (1..=40).contains(&name.len()) && name.trim() == name && name.chars().all(is_fine)
}
