//! Profiles: what may stay, what placeholders tell, and in honest words what is found by pattern, what goes only because
//! everything goes, and what stays. Each is a TOML file; those of the program are in `rules/profiles`, users write more.

use toml::{Table, Value};

use crate::error::{ConfigError, is_repeatable, nearest};

macro_rules! profiles {
    ($($(#[doc = $doc:literal])* $id:ident $name:literal $strict:literal $file:expr),* $(,)?) => {
        /// What may stay.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum Profile {
            #[default]
            $($(#[doc = $doc])* $id,)*
        }
        impl Profile {
            /// All of them.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$id),*];

            /// The word for it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$id => $name,)* }
            }

            /// Does every value go, whether or not anything is found in it?
            #[must_use]
            pub const fn is_strict(self) -> bool {
                match self { $(Self::$id => $strict,)* }
            }

            /// Its file, if it is one of the program's own.
            #[must_use]
            pub const fn file(self) -> Option<&'static str> {
                match self { $(Self::$id => $file,)* }
            }
        }
    };
}

/// A file of `rules/profiles`.
macro_rules! own {
    ($name:literal) => {
        Some(include_str!(concat!("../rules/profiles/", $name, ".toml")))
    };
}

profiles! {
    /// Only names that somebody vouches for; every value goes. For results that leave the company.
    Strict "strict" true own!("strict"),
    /// Everything but what rules, holders and chance find. For results that stay within one circle of trust.
    Balanced "balanced" false own!("balanced"),
    /// Strict, with placeholders that are equal in all bundles of one key.
    Pseudonymised "pseudonymised" true own!("pseudonymised"),
    /// Strict, without telling which texts were equal.
    Unlinkable "unlinkable" true own!("unlinkable"),
    /// Strict, with random placeholders.
    HipaaIdentifiers "hipaa-identifiers" true own!("hipaa-identifiers"),
    /// Strict, with random placeholders, for card data.
    Pci "pci" true own!("pci"),
    /// A profile of the user's own, as strict as strict.
    OwnStrict "own-strict" true None,
    /// A profile of the user's own, on balanced.
    OwnBalanced "own-balanced" false None,
}

/// What the numbers of placeholders are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numbers {
    /// Running ones, or digests under the user's key.
    #[default]
    Running,
    /// Random ones, derived from nothing.
    Random,
    /// One for all, so that nothing tells which texts were equal.
    Same,
}

/// Whether placeholders are made under a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyed {
    /// As the user likes.
    May,
    /// They must be.
    Must,
    /// They must not be.
    MustNot,
}

/// How a class of data goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// A rule knows its form.
    Pattern,
    /// It goes because everything goes, known or not.
    DefaultDeny,
    /// It stays.
    Not,
}

impl How {
    /// All of them, with the words of files.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Pattern, "pattern"), (Self::DefaultDeny, "default-deny"), (Self::Not, "not")];
}

/// A class of data, and what becomes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// What it is.
    pub what: String,
    /// How it goes.
    pub how: How,
    /// The rules that know it; `*` stands for all.
    pub rules: Vec<String>,
}

/// A profile as its file describes it.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// What the rest of the program and bundles know of it.
    pub profile: Profile,
    /// Its name; that of a user's own never leaves the machine.
    pub name: String,
    /// What the numbers of placeholders are.
    pub numbers: Numbers,
    /// Whether placeholders are made under a key.
    pub keyed: Keyed,
    /// What the user must not weaken it with.
    pub refuses: Vec<String>,
    /// What it does.
    pub summary: String,
    /// What it does not do.
    pub honest: String,
    /// What becomes of which data.
    pub classes: Vec<Class>,
}

/// What a profile can refuse.
pub const WEAKENINGS: [&str; 3] = ["keep-rules", "rules-off", "names-from"];

const KEYS: [&str; 8] = ["name", "base", "numbers", "key", "refuses", "summary", "honest", "class"];

fn fault(message: impl Into<String>) -> ConfigError {
    ConfigError::new(message)
}

/// One of a few words.
fn word<T: Copy>(table: &Table, key: &str, words: &[(T, &str)]) -> Result<T, ConfigError> {
    let all = || words.iter().map(|(_, word)| *word).collect::<Vec<_>>().join(", ");
    let text = text(table, key)?;
    let found = words.iter().find(|(_, word)| *word == text);
    found.map(|(value, _)| *value).ok_or_else(|| fault(format!("{key} must be one of {}", all())))
}

fn text<'t>(table: &'t Table, key: &str) -> Result<&'t str, ConfigError> {
    let text = table.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    text.ok_or_else(|| fault(format!("{key} must be a text in quotes")))
}

fn texts(table: &Table, key: &str) -> Result<Vec<String>, ConfigError> {
    let Some(value) = table.get(key) else { return Ok(Vec::new()) };
    let list = value.as_array().and_then(|list| list.iter().map(|v| v.as_str().map(str::to_owned)).collect());
    list.ok_or_else(|| fault(format!("{key} must be a list of texts")))
}

fn known(table: &Table, keys: &[&'static str]) -> Result<(), ConfigError> {
    match table.keys().find(|key| !keys.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => {
            let shown = if is_repeatable(key) { format!(" '{key}'") } else { String::new() };
            let hint = nearest(key, keys.iter().copied())
                .map_or_else(|| format!("there are {}", keys.join(", ")), |near| format!("did you mean '{near}'?"));
            Err(fault(format!("no such setting{shown} of a profile; {hint}")))
        }
    }
}

impl Recipe {
    /// A profile of the program's own, by its name.
    ///
    /// # Errors
    /// When there is none of that name.
    pub fn named(name: &str) -> Result<Self, ConfigError> {
        let own = || Profile::ALL.into_iter().filter(|profile| profile.file().is_some());
        let found = own().find_map(|profile| Some((profile, profile.file().filter(|_| profile.name() == name)?)));
        match found {
            Some((profile, file)) => Ok(Self { profile, ..Self::read(file)? }),
            None => {
                let names: Vec<&str> = own().map(Profile::name).collect();
                let shown = if is_repeatable(name) { format!(" '{name}'") } else { String::new() };
                let hint = nearest(name, names.iter().copied()).map(|near| format!("; did you mean '{near}'?"));
                let hint = hint.unwrap_or_default();
                Err(fault(format!(
                    "no profile{shown}; there are {}, and files that end in .toml{hint}",
                    names.join(", ")
                )))
            }
        }
    }

    /// A profile from the text of its file.
    ///
    /// # Errors
    /// When anything in it is missing or not known.
    pub fn read(text_of_file: &str) -> Result<Self, ConfigError> {
        let table: Table = toml::from_str(text_of_file).map_err(|_| fault("is not TOML"))?;
        known(&table, &KEYS)?;
        let is_strict = word(&table, "base", &[(true, "strict"), (false, "balanced")])?;
        let numbers = word(
            &table,
            "numbers",
            &[(Numbers::Running, "running"), (Numbers::Random, "random"), (Numbers::Same, "same")],
        )?;
        let keyed = word(&table, "key", &[(Keyed::May, "may"), (Keyed::Must, "must"), (Keyed::MustNot, "must-not")])?;
        if keyed != Keyed::MustNot && numbers != Numbers::Running {
            return Err(fault("numbers are random or the same only where key is must-not"));
        }
        if !is_strict && numbers == Numbers::Same {
            return Err(fault("numbers that are the same need base = \"strict\": in readable texts equality shows"));
        }
        let refuses = texts(&table, "refuses")?;
        if let Some(other) = refuses.iter().find(|word| !WEAKENINGS.contains(&word.as_str())) {
            let shown = if is_repeatable(other) { format!(" '{other}'") } else { String::new() };
            return Err(fault(format!("refuses does not know{shown}; there are {}", WEAKENINGS.join(", "))));
        }
        let empty = Vec::new();
        let classes = match table.get("class") {
            None => &empty,
            Some(list) => list.as_array().ok_or_else(|| fault("classes are tables, each beginning with [[class]]"))?,
        };
        let class = |value: &Value| {
            let table = value.as_table().ok_or_else(|| fault("classes are tables, each beginning with [[class]]"))?;
            known(table, &["what", "how", "rules"])?;
            let how = word(table, "how", &How::ALL)?;
            Ok(Class { what: text(table, "what")?.to_owned(), how, rules: texts(table, "rules")? })
        };
        Ok(Self {
            profile: if is_strict { Profile::OwnStrict } else { Profile::OwnBalanced },
            name: text(&table, "name")?.to_owned(),
            numbers,
            keyed,
            refuses,
            summary: text(&table, "summary")?.to_owned(),
            honest: text(&table, "honest")?.to_owned(),
            classes: classes.iter().map(class).collect::<Result<_, ConfigError>>()?,
        })
    }

    /// May it be used with these? `weakened`: which of [`WEAKENINGS`] the user asks for.
    ///
    /// # Errors
    /// When it needs a key that is not there, or refuses what is asked for.
    pub fn check(&self, has_key: bool, weakened: &[&str]) -> Result<(), ConfigError> {
        match self.keyed {
            Keyed::Must if !has_key => {
                return Err(fault(
                    "this profile needs a key, so that equal texts are equal in the whole set: --key-file",
                ));
            }
            Keyed::MustNot if has_key => {
                return Err(fault(
                    "this profile takes no key: its placeholders are derived from nothing; leave --key-file out",
                ));
            }
            _ => {}
        }
        match weakened.iter().find(|word| self.refuses.iter().any(|refused| refused == *word)) {
            Some(word) => Err(fault(format!("this profile takes no {word}: nothing may keep more than it does"))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rules;

    #[test]
    fn profiles_of_the_program_are_what_their_files_say_and_name_rules_that_exist() {
        let rules = Rules::builtin();
        let ids: Vec<&str> = rules.catalogue().map(|info| &*info.id).collect();
        for profile in Profile::ALL.into_iter().filter(|profile| profile.file().is_some()) {
            let recipe = Recipe::named(profile.name()).expect("a profile");
            assert_eq!((recipe.profile, recipe.name.as_str()), (profile, profile.name()));
            let read = Recipe::read(profile.file().expect("a file")).expect("a profile");
            assert_eq!(read.profile.is_strict(), profile.is_strict());
            for how in [How::Pattern, How::Not] {
                assert!(recipe.classes.iter().any(|class| class.how == how), "{} {how:?}", recipe.name);
            }
            for rule in recipe.classes.iter().flat_map(|class| &class.rules).filter(|rule| *rule != "*") {
                assert!(ids.contains(&rule.as_str()), "{rule}");
            }
        }
        let hipaa = Recipe::named("hipaa-identifiers").expect("a profile");
        assert!((1..=18).all(|n| hipaa.classes.iter().any(|class| class.what.starts_with(&format!("{n}. ")))));
    }

    #[test]
    fn profiles_that_are_none() {
        let whole = Profile::Strict.file().expect("a file");
        for (from, to, words) in [
            ("base = \"strict\"", "base = \"lenient\"", "base must be one of"),
            ("base =", "bass =", "did you mean 'base'?"),
            ("numbers = \"running\"", "numbers = \"same\"", "must-not"),
            ("refuses = []", "refuses = [\"keeps\"]", "refuses does not know 'keeps'"),
            ("how = \"not\"", "how = \"never\"", "how must be one of"),
            ("how = \"not\"", "how = \"not\"\nwhy = \"x\"", "no such setting 'why'"),
            ("[[class]]", "[class]", "[[class]]"),
            ("name = \"strict\"", "", "name must be"),
            ("name = ", "name == ", "not TOML"),
        ] {
            let text = whole.replacen(from, to, if from == "[[class]]" { 99 } else { 1 });
            let text = if from == "[[class]]" {
                text.split("[class]").take(2).collect::<Vec<_>>().join("[class]")
            } else {
                text
            };
            let fault = Recipe::read(&text).expect_err(words).to_string();
            assert!(fault.contains(words), "{fault}");
        }
        assert!(Recipe::named("pcy").expect_err("none").to_string().contains("did you mean 'pci'?"));
    }
}
