//! Flags and the settings file become `Settings` once; the rest of the program never sees a flag.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use heapscrub::profile::Recipe;
use heapscrub::{Context, Error, Failure, Input, Key, Kind, Profile, Rules, Settings, SourceNames, Stage, Values};

use super::args::{Common, Told};
use super::print::{plain, shown};
use super::progress;

/// What can be said in the settings file, beside flags.
#[derive(Debug, Default)]
pub(crate) struct Config {
    pub(crate) profile: Option<String>,
    pub(crate) rules: Vec<PathBuf>,
    pub(crate) values_files: Vec<PathBuf>,
    pub(crate) names_from: Vec<PathBuf>,
    pub(crate) key_file: Option<PathBuf>,
    pub(crate) level: Option<i32>,
    pub(crate) max_size: Option<u64>,
    pub(crate) pack: Option<String>,
    pub(crate) container: Option<String>,
    pub(crate) context: Vec<String>,
}

/// Names of the settings, as `heapscrub init` writes them.
const KEYS: [&str; 10] =
    ["profile", "rules", "values_files", "names_from", "key_file", "level", "max_size", "pack", "container", "context"];

impl Config {
    /// Reads a settings file; paths in it count from where it lies.
    pub(crate) fn read(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else { return Ok(Self::default()) };
        let name = shown(path);
        let text = read(path)?;
        let table: toml::Table = toml::from_str(&text).map_err(|e| anyhow::anyhow!("{name}{}", place(&text, &e)))?;
        let base = path.parent().unwrap_or(Path::new(""));
        Self::of(&table, base).with_context(|| name)
    }

    fn of(table: &toml::Table, base: &Path) -> Result<Self> {
        let mut config = Self::default();
        for (key, value) in table {
            let text = || value.as_str().with_context(|| format!("{key} must be a text in quotes"));
            let file = || text().map(|text| base.join(text));
            let files = || {
                let list = value.as_array().with_context(|| format!("{key} must be a list of texts"))?;
                let paths = list.iter().map(|v| v.as_str().map(|text| base.join(text)));
                paths.collect::<Option<Vec<_>>>().with_context(|| format!("{key} must be a list of texts"))
            };
            match key.as_str() {
                "profile" => {
                    let name = text()?;
                    let is_file = super::profiles::is_file(name);
                    config.profile =
                        Some(if is_file { file()?.to_string_lossy().into_owned() } else { name.to_owned() });
                    if !is_file {
                        Recipe::named(name)?;
                    }
                }
                "rules" => config.rules = files()?,
                "values_files" => config.values_files = files()?,
                "names_from" => config.names_from = files()?,
                "key_file" => config.key_file = Some(file()?),
                "level" => {
                    let level = value.as_integer().filter(|n| (1..=19).contains(n));
                    config.level = Some(level.context("level must be a number from 1 to 19")? as i32);
                }
                "max_size" => config.max_size = Some(size(text()?).map_err(anyhow::Error::msg)?),
                "pack" => config.pack = Some(text()?.to_owned()),
                "container" => config.container = Some(text()?.to_owned()),
                "context" => {
                    let table = value.as_table().context("context must be a table of texts")?;
                    for (topic, value) in table {
                        let value = value
                            .as_str()
                            .with_context(|| format!("context{} must be a text in quotes", quoted(topic)))?;
                        config.context.push(format!("{topic}={value}"));
                    }
                }
                other => {
                    let near = heapscrub::nearest(other, KEYS.into_iter());
                    let hint = near.map_or_else(
                        || format!("settings are {}", KEYS.join(", ")),
                        |near| format!("did you mean '{near}'?"),
                    );
                    anyhow::bail!("no such setting{}; {hint}", quoted(other));
                }
            }
        }
        Ok(config)
    }
}

/// The most that a file of settings or rules has; anything larger was given by mistake.
const FILE_BYTES: u64 = 1 << 20;

/// The text of a file of settings or rules. Nothing of it is in the error.
pub(crate) fn read(path: &Path) -> Result<String> {
    let (name, mut bytes) = (shown(path), Vec::new());
    let file = std::fs::File::open(path).with_context(|| name.clone())?;
    file.take(FILE_BYTES + 1).read_to_end(&mut bytes).with_context(|| name.clone())?;
    anyhow::ensure!(bytes.len() as u64 <= FILE_BYTES, "{name}: larger than 1 MiB; settings and rules are not");
    String::from_utf8(bytes).map_err(|_| anyhow::anyhow!("{name}: not UTF-8 text"))
}

/// `, line 3, column 7: what is wrong`, without the line itself: the file may be another one than the user meant.
fn place(text: &str, error: &toml::de::Error) -> String {
    let place = error.span().map(|span| {
        let before = &text.as_bytes()[..span.start.min(text.len())];
        let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        let column = 1 + String::from_utf8_lossy(&before[start..]).chars().count();
        format!(", line {}, column {column}", 1 + before.iter().filter(|b| **b == b'\n').count())
    });
    format!("{}: not TOML: {}", place.unwrap_or_default(), error.message().lines().next().unwrap_or_default())
}

/// ` 'word'` if it looks like a mistyped one, else nothing.
pub(crate) fn quoted(word: &str) -> String {
    if heapscrub::is_repeatable(word) { format!(" '{word}'") } else { String::new() }
}

/// A size such as `25MB`, `24 MiB` or `1000000`.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic()).trim_end();
    let unit = text[digits.len()..].trim().to_ascii_lowercase();
    let factor: u64 = match unit.as_str() {
        "" | "b" => 1,
        "k" | "kb" => 1_000,
        "m" | "mb" => 1_000_000,
        "g" | "gb" => 1_000_000_000,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        "gib" => 1 << 30,
        _ => return Err(format!("no unit of size{}; use kB, MB, GB, KiB, MiB or GiB", quoted(&unit))),
    };
    let number: u64 = digits.parse().map_err(|_| "a size is a whole number with a unit, such as 25MB".to_owned())?;
    number.checked_mul(factor).filter(|n| *n > 0).ok_or_else(|| "a size from 1 byte on".to_owned())
}

/// The settings of a run.
pub(crate) fn settings(common: &Common, config: &Config) -> Result<Settings> {
    let profile = common.profile.as_deref().or(config.profile.as_deref()).unwrap_or(Profile::Strict.name());
    let recipe = super::profiles::read(profile)?;
    let (mut names, mut values) = (SourceNames::default(), Values::default());
    for dir in config.names_from.iter().chain(&common.names_from) {
        names.add(dir).with_context(|| shown(dir))?;
    }
    for file in config.values_files.iter().chain(&common.values_file) {
        values.add(file, &common.values_column).with_context(|| shown(file))?;
    }
    let key = common.key_file.as_deref().or(config.key_file.as_deref());
    let key = key.map(|file| Key::read(file).with_context(|| shown(file))).transpose()?;
    let rules = rules(config.rules.iter().chain(&common.rules), common.quiet || common.json)?;
    let progress = progress::on_terminal(common.quiet || common.json);
    let weakened = [
        ("keep-rules", rules.own_keep() > 0),
        ("rules-off", rules.off() > 0),
        ("names-from", !config.names_from.is_empty() || !common.names_from.is_empty()),
    ];
    let weakened: Vec<&str> = weakened.iter().filter(|(_, is_there)| *is_there).map(|(word, _)| *word).collect();
    recipe.check(key.is_some(), &weakened).with_context(|| format!("--profile {}", plain(&recipe.name)))?;
    let (profile, numbers) = (recipe.profile, recipe.numbers);
    let (explain, jobs) = (common.explain.clone(), common.jobs);
    // What rules find is counted for those who ask.
    let survey = !explain.is_empty();
    Ok(Settings { profile, numbers, names, values, key, explain, survey, jobs, progress, ..Settings::new(rules) })
}

/// The embedded rules and those of files.
pub(crate) fn rules<'p>(files: impl Iterator<Item = &'p PathBuf>, is_quiet: bool) -> Result<Rules> {
    let files: Vec<PathBuf> = files.cloned().collect();
    super::rules::load(&files, is_quiet)
}

/// What the user told, and the names of the snapshots.
pub(crate) fn tell(settings: &mut Settings, told: &Told, config: &Config, inputs: &[PathBuf]) -> Result<()> {
    let mut context = Context::default();
    for file in &told.context_file {
        context.add_file(file)?;
    }
    for pair in config.context.iter().chain(&told.context) {
        context.add(pair)?;
    }
    let count = inputs.len();
    anyhow::ensure!(
        context.highest_snapshot() as usize <= count,
        "--context tells about snapshot {}, but there are {count}",
        context.highest_snapshot()
    );
    settings.trend = super::trend::told(&told.trend)?;
    settings.trend_after = super::trend::told(&told.trend_after)?;
    if told.keep_file_names {
        for path in inputs {
            let name = path.file_name().map(|n| n.to_string_lossy().into_owned());
            context.label(&name.unwrap_or_else(|| "standard input".to_owned()));
        }
    }
    if !told.work.is_empty() {
        let rises = told.work.windows(2).all(|pair| pair[0] < pair[1]) && told.work.iter().all(|n| n.is_finite());
        anyhow::ensure!(rises, "--work must rise from snapshot to snapshot: it counts all work since the start");
        settings.work = Some(told.work.clone());
    }
    (settings.context, settings.report, settings.keep_order) = (context, true, told.keep_order);
    Ok(())
}

/// Opens all inputs.
pub(crate) fn open(paths: &[PathBuf]) -> Result<Vec<Input>> {
    let streams = paths.iter().filter(|path| is_stream(path)).count();
    anyhow::ensure!(streams <= 1, "standard input can be read only once");
    let one = |path: &PathBuf| {
        let input = if is_stream(path) { Input::from_reader(std::io::stdin().lock()) } else { Input::open(path) };
        input.with_context(|| shown(path))
    };
    paths.iter().map(one).collect()
}

pub(crate) fn is_stream(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Refuses a device, a pipe or a directory as an output: it exists too, but --force would not help.
pub(crate) fn no_device(path: &Path) -> Result<()> {
    if path.symlink_metadata().is_ok_and(|meta| !meta.is_file() && !meta.is_symlink()) {
        return Err(Error::new(Stage::Write, Kind::OutputNotAFile)).with_context(|| shown(path));
    }
    Ok(())
}

/// A failure with the file that it is about.
pub(crate) fn named(failure: Failure, inputs: &[PathBuf]) -> anyhow::Error {
    let error = anyhow::Error::new(failure.error);
    if let Kind::OutOfOrder { order } = failure.error.kind {
        let paths: Vec<String> =
            order.inputs().filter_map(|n| inputs.get(usize::from(n) - 1)).map(|p| shown(p)).collect();
        let more = if order.is_cut() { " ..." } else { "" };
        return error.context(format!("the right order is {}{more}", paths.join(" ")));
    }
    match failure.input.and_then(|input| inputs.get(input)) {
        Some(path) => error.context(shown(path)),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (text, bytes) in
            [("25MB", 25_000_000), ("25 mb", 25_000_000), ("24MiB", 24 << 20), ("1000", 1000), ("3k", 3000)]
        {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for bad in ["", "MB", "-3MB", "1.5MB", "25 parsecs", "0", "99999999999GB"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn settings_files() {
        let read = |text: &str| Config::of(&toml::from_str(text).expect("TOML"), Path::new("etc"));
        let config = read(
            "profile = 'balanced'\nnames_from = ['src']\nlevel = 9\nmax_size = '25MB'\n[context]\nruntime = 'node 20'\n",
        );
        let config = config.expect("good settings");
        assert_eq!(
            (config.profile, config.level, config.max_size),
            (Some("balanced".to_owned()), Some(9), Some(25_000_000))
        );
        assert_eq!(
            (config.names_from, config.context),
            (vec![PathBuf::from("etc/src")], vec!["runtime=node 20".to_owned()])
        );
        let fault = |text: &str| read(text).expect_err(text).to_string();
        assert!(fault("profil = 'strict'").contains("did you mean 'profile'?"));
        assert!(fault("profile = 'lenient'").contains("strict, balanced"));
        assert!(fault("rules = 'one.toml'").contains("list"));
        assert!(fault("level = 40").contains("1 to 19"));
    }
}
