//! `heapscrub trend`: is it a leak? From files of memory over time.

use anyhow::{Context, Result};
use heapscrub::report::plot;
use heapscrub::{Asked, CheckedReport, Input, Output, Runtime, Settings, Trend, Unit, Verdict};
use std::path::PathBuf;

use super::args::{FailOn, TrendFormat, TrendOf};
use super::print::{output, percent, plain_lines, say, shown, size};
use super::settings::{self, Config, is_stream, no_device};
use super::wrap::{fill, terminal_width};

/// Plots on a terminal, and in a file.
const SHORT: usize = 2;
const ALL: usize = 12;
/// Where nobody says how wide the terminal is.
const WIDTH: usize = 96;

pub(crate) fn unit(word: &str) -> Result<Unit, String> {
    match word {
        "B" | "bytes" => Ok(Unit::Bytes),
        "kB" | "KB" | "KiB" => Ok(Unit::Kibi),
        "MB" | "MiB" => Ok(Unit::Mebi),
        "GB" | "GiB" => Ok(Unit::Gibi),
        "pages" => Ok(Unit::Pages),
        _ => Err("units are B, kB, MB, GB and pages; kB and above count in steps of 1,024, as tools do".to_owned()),
    }
}

pub(crate) fn runtime(word: &str) -> Result<Runtime, String> {
    let word = if word == "node" { "v8" } else { word };
    let known = Runtime::ALL.into_iter().find(|runtime| runtime.name() == word && *runtime != Runtime::Unknown);
    known.ok_or_else(|| "runtimes are v8 (or node), jvm, go, dotnet, ruby, python and native".to_owned())
}

/// More growth than the user allows.
#[derive(Debug)]
pub(crate) struct Grew(String);

impl std::fmt::Display for Grew {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Grew {}

pub(crate) fn run(args: &TrendOf) -> Result<()> {
    let format = match (args.format, args.json) {
        (None, false) => TrendFormat::Text,
        (None | Some(TrendFormat::Json), true) => TrendFormat::Json,
        (Some(format), false) => format,
        (Some(_), true) => anyhow::bail!("--json is the same as --format json; choose one form"),
    };
    let trend = judge(&args.inputs, args)?;
    let text = match format {
        TrendFormat::Text => plain_lines(&for_people(&trend)),
        TrendFormat::Json => trend.to_json(),
        TrendFormat::Svg => plot::svg(&trend, ALL),
    };
    match args.output.as_deref().filter(|path| !is_stream(path)) {
        None if args.quiet && format == TrendFormat::Text => {}
        None => output(text.trim_end())?,
        Some(path) => {
            no_device(path)?;
            let inputs = args.inputs.iter().filter(|input| !is_stream(input));
            for input in inputs {
                let same = Input::series(input).with_context(|| shown(input))?.is_same_file(path);
                anyhow::ensure!(!same, "{}: input and output are the same file", shown(path));
            }
            let file = Output::file(path, args.force).with_context(|| shown(path))?;
            CheckedReport::publish(&text, file).with_context(|| shown(path))?;
            super::PUBLISHED.store(true, std::sync::atomic::Ordering::SeqCst);
            if !args.quiet {
                say(&format!("{}: {}", shown(path), trend.summary));
            }
        }
    }
    within_budget(&trend, args)
}

/// Reads the files of a call and judges them.
fn judge(inputs: &[PathBuf], args: &TrendOf) -> Result<Trend> {
    let asked = Asked {
        time: args.time.clone(),
        bytes: args.bytes.clone(),
        load: args.load.clone(),
        unit: args.unit,
        after_gc: args.after_gc,
        runtime: args.runtime.unwrap_or_default(),
        limit: args.limit.map(|bytes| bytes as f64),
        keep_labels: args.keep_labels,
    };
    // Rules take a while to compile, and only labels need them.
    let settings = if args.keep_labels {
        let config = Config::read(args.common.config.as_deref())?;
        settings::settings(&args.common.common(args.json, args.quiet), &config)?
    } else {
        Settings::default()
    };
    judge_files(inputs, &asked, &settings)
}

fn judge_files(inputs: &[PathBuf], asked: &Asked, settings: &Settings) -> Result<Trend> {
    let streams = inputs.iter().filter(|path| is_stream(path)).count();
    anyhow::ensure!(streams <= 1, "standard input can be read only once");
    let open = |path: &PathBuf| {
        let input = if is_stream(path) { Input::series_from(std::io::stdin().lock()) } else { Input::series(path) };
        input.with_context(|| shown(path))
    };
    let opened = inputs.iter().map(open).collect::<Result<Vec<_>>>()?;
    heapscrub::trend(&opened, asked, settings).map_err(|failure| settings::named(failure, inputs))
}

/// Memory over time that goes into a report, without any label.
pub(crate) fn told(files: &[PathBuf]) -> Result<Option<Trend>> {
    if files.is_empty() {
        return Ok(None);
    }
    anyhow::ensure!(!files.iter().any(|path| is_stream(path)), "--trend reads files, not standard input");
    judge_files(files, &Asked::default(), &Settings::default()).map(Some)
}

fn within_budget(trend: &Trend, args: &TrendOf) -> Result<()> {
    let verdict = trend.verdict;
    let is_over = match args.fail_on {
        None => false,
        Some(FailOn::Leak) => verdict == Verdict::Leak,
        Some(FailOn::Growth) => matches!(verdict, Verdict::Leak | Verdict::Bounded),
        Some(FailOn::Unsure) => !matches!(verdict, Verdict::Plateau | Verdict::Bounded),
    };
    if is_over {
        return Err(Grew(format!("the verdict is {}", verdict.name())).into());
    }
    let Some(most) = args.max_growth else { return Ok(()) };
    let grew = trend.growth().unwrap_or(0.0);
    if grew > most as f64 {
        return Err(Grew(format!("the floor grew by {}, more than {}", size(grew as u64), size(most))).into());
    }
    Ok(())
}

/// Verdict, plots, reasons, evidence.
fn for_people(trend: &Trend) -> String {
    let width = terminal_width().unwrap_or(WIDTH).clamp(40, 120);
    let mut lines = Vec::new();
    let mut paragraph = |text: &str, first: &str, rest: &str| {
        let filled = fill(text, width.saturating_sub(first.chars().count()).max(20));
        for (at, line) in filled.iter().enumerate() {
            lines.push(format!("{}{line}", if at == 0 { first } else { rest }));
        }
    };
    paragraph(&trend.summary, "", "");
    paragraph(
        &format!(
            "verdict {}, cause {}, confidence {}",
            trend.verdict.name(),
            trend.cause.name(),
            percent((trend.confidence * 1000.0) as u64, 1000)
        ),
        "  ",
        "  ",
    );
    lines.push(String::new());
    lines.push(plot::text(trend, width, SHORT));
    let mut paragraph = |text: &str, first: &str, rest: &str| {
        let filled = fill(text, width.saturating_sub(first.chars().count()).max(20));
        for (at, line) in filled.iter().enumerate() {
            lines.push(format!("{}{line}", if at == 0 { first } else { rest }));
        }
    };
    paragraph("why", "", "");
    for why in &trend.why {
        paragraph(why, "  - ", "    ");
    }
    let missing: Vec<_> = trend.evidence.iter().filter(|needed| !needed.is_there).collect();
    if !missing.is_empty() {
        paragraph("missing", "", "");
        for needed in missing {
            paragraph(&format!("{}: {}", needed.what, needed.detail), "  - ", "    ");
        }
    }
    paragraph("read", "", "");
    for input in &trend.inputs {
        let label = input.label.as_ref().map_or_else(String::new, |label| format!(" [{label}]"));
        let mut told = format!("{} {}{label}: {} rows", input.input, input.format, input.rows);
        if input.rows_damaged > 0 {
            let lines: Vec<String> = input.damaged_lines.iter().map(u64::to_string).collect();
            let more = if input.rows_damaged > input.damaged_lines.len() as u64 { " ..." } else { "" };
            told += &format!("; {} damaged and left out, line {}{more}", input.rows_damaged, lines.join(", "));
        }
        if input.is_cut {
            told += "; the last line was cut off and left out";
        }
        if input.texts_left_out > 0 {
            told += &format!("; {} texts, lines or columns left out", input.texts_left_out);
        }
        for note in &input.notes {
            told += &format!("; {note}");
        }
        paragraph(&told, "  ", "    ");
    }
    lines.join("\n")
}
