//! `heapscrub profiles`: what each profile finds by pattern, what goes only because everything goes, and what stays.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use heapscrub::Profile;
use heapscrub::profile::{How, Keyed, Numbers, Recipe};
use serde_json::json;

use super::print::{output, plain, shown};
use super::settings;

const EXAMPLES: &str = "Examples:
  heapscrub profiles
  heapscrub profiles hipaa-identifiers
  heapscrub profiles strict --toml > own.toml
  heapscrub share app.heapsnapshot --profile own.toml";

/// Show the profiles: what each finds by pattern, what goes only because everything goes, and what stays.
///
/// A profile is a file. It says on what it builds (base: strict or balanced), what the numbers of placeholders are (running,
/// random, or all the same), whether there may be, must be or must not be a key, and what it refuses. Its words are for
/// people and never leave the machine: a bundle says own-strict or own-balanced for a profile of your own.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Profiles {
    /// One of them, by its name or its file (.toml); all of them if left out
    #[arg(value_name = "PROFILE")]
    pub(crate) profile: Option<String>,

    /// Print its file, as a start for your own
    #[arg(long, requires = "profile", conflicts_with = "json")]
    pub(crate) toml: bool,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Is this the file of a profile, and no name?
pub(crate) fn is_file(name: &str) -> bool {
    name.ends_with(".toml") || name.contains('/')
}

/// A profile by its name or its file.
pub(crate) fn read(name: &str) -> Result<Recipe> {
    if !is_file(name) {
        return Ok(Recipe::named(name)?);
    }
    let path = PathBuf::from(name);
    Recipe::read(&settings::read(&path)?).with_context(|| shown(&path))
}

pub(crate) fn run(args: &Profiles) -> Result<()> {
    let Some(name) = args.profile.as_deref() else {
        let own = Profile::ALL.into_iter().filter(|profile| profile.file().is_some());
        let all = own.map(|profile| Recipe::named(profile.name())).collect::<Result<Vec<_>, _>>()?;
        if args.json {
            return Ok(output(&json!(all.iter().map(facts).collect::<Vec<_>>()).to_string())?);
        }
        let lines = all.iter().map(|recipe| format!("{:<18} {}", recipe.name, recipe.summary));
        return Ok(output(&lines.collect::<Vec<_>>().join("\n"))?);
    };
    let recipe = read(name)?;
    if args.toml {
        let text = match recipe.profile.file() {
            Some(text) => text.to_owned(),
            None => settings::read(Path::new(name))?,
        };
        return Ok(output(text.trim_end())?);
    }
    if args.json {
        return Ok(output(&facts(&recipe).to_string())?);
    }
    Ok(output(&table(&recipe))?)
}

const fn numbers(recipe: &Recipe) -> &'static str {
    match recipe.numbers {
        Numbers::Running => "running, or made under a key; equal texts have equal ones",
        Numbers::Random => "random, derived from nothing; equal texts have equal ones within a bundle",
        Numbers::Same => "all the same: nothing tells which texts were equal",
    }
}

const fn key(recipe: &Recipe) -> &'static str {
    match recipe.keyed {
        Keyed::May => "may be used (--key-file)",
        Keyed::Must => "must be used (--key-file)",
        Keyed::MustNot => "must not be used",
    }
}

fn table(recipe: &Recipe) -> String {
    let base = if recipe.profile.is_strict() { "strict" } else { "balanced" };
    let refuses = if recipe.refuses.is_empty() { "nothing".to_owned() } else { recipe.refuses.join(", ") };
    let mut lines = vec![
        format!("{}: {}", plain(&recipe.name), plain(&recipe.summary)),
        plain(&recipe.honest),
        String::new(),
        format!("  builds on  {base}"),
        format!("  numbers    {}", numbers(recipe)),
        format!("  a key      {}", key(recipe)),
        format!("  refuses    {}", plain(&refuses)),
    ];
    for (how, title) in [
        (How::Pattern, "found by pattern"),
        (How::DefaultDeny, "removed only because everything is"),
        (How::Not, "not removed"),
    ] {
        lines.extend([String::new(), format!("{title}:")]);
        for class in recipe.classes.iter().filter(|class| class.how == how) {
            let rules = match &class.rules[..] {
                [] => String::new(),
                [one] if one == "*" => " (all rules)".to_owned(),
                some if how == How::Pattern => format!(" ({})", some.join(", ")),
                some => format!(" (some forms also by {})", some.join(", ")),
            };
            lines.push(plain(&format!("  {}{rules}", class.what)));
        }
    }
    lines.join("\n")
}

fn facts(recipe: &Recipe) -> serde_json::Value {
    let how = |how: How| How::ALL.iter().find(|(one, _)| *one == how).map(|(_, word)| *word);
    let classes =
        recipe.classes.iter().map(|class| json!({ "what": class.what, "how": how(class.how), "rules": class.rules }));
    json!({
        "name": recipe.name,
        "profile": recipe.profile.name(),
        "base": if recipe.profile.is_strict() { "strict" } else { "balanced" },
        "numbers": numbers(recipe),
        "key": key(recipe),
        "refuses": recipe.refuses,
        "summary": recipe.summary,
        "honest": recipe.honest,
        "classes": classes.collect::<Vec<_>>(),
    })
}
