//! `heapscrub report`: the report alone.

use anyhow::{Context, Result};
use heapscrub::{CheckedReport, Error, Kind, Output, Stage, report};

use super::args::{ReportFormat, ReportOnly};
use super::print::{output, say, shown, size};
use super::settings::{self, Config};

pub(crate) fn run(args: &ReportOnly) -> Result<()> {
    anyhow::ensure!(
        !(args.common.json && args.format == Some(ReportFormat::Md)),
        "--json and --format md say different things; choose one"
    );
    let config = Config::read(args.common.config.as_deref())?;
    let mut settings = settings::settings(&args.common, &config)?;
    settings::tell(&mut settings, &args.told, &config, &args.inputs)?;
    settings.survey = true;
    let inputs = settings::open(&args.inputs)?;
    let target = args.output.as_deref().filter(|path| !settings::is_stream(path));
    let name = target.map(shown).unwrap_or_default();
    if target.is_some_and(|path| inputs.iter().any(|input| input.is_same_file(path))) {
        return Err(Error::new(Stage::Write, Kind::OutputIsInput)).context(name);
    }
    target.map_or(Ok(()), settings::no_device)?;
    let target = target.map(|path| Output::file(path, args.force).with_context(|| name.clone())).transpose()?;
    let outputs = inputs.iter().map(|_| Output::rehearsal()).collect::<Result<Vec<_>, _>>()?;
    let outcome = heapscrub::scrub(&inputs, outputs, &settings).map_err(|f| settings::named(f, &args.inputs))?;
    let report = report::build(&outcome, &settings, args.told.limit);
    let checked = outcome.check_report(&report)?;
    super::progress::clear();
    let text = match args.format {
        Some(ReportFormat::Json) => &checked.json,
        None if args.common.json => &checked.json,
        Some(ReportFormat::Md) | None => &checked.markdown,
    };
    match target {
        None => output(text.trim_end())?,
        Some(target) => {
            let bytes = CheckedReport::publish(text, target).with_context(|| name.clone())?;
            if !args.common.quiet {
                say(&format!("{name}: {}", size(bytes)));
            }
        }
    }
    Ok(())
}
