//! `heapscrub init` and `heapscrub schema`: what people start from.

use std::io::Write;

use anyhow::{Context, Result};
use heapscrub::batch::Row;
use heapscrub::{Report, Trend};

use super::args::{Init, Schema, SchemaOf};
use super::print::{output, say, shown};
use super::settings::is_stream;

const SETTINGS: &str = include_str!("heapscrub.toml");

pub(crate) fn init(args: &Init) -> Result<()> {
    if is_stream(&args.output) {
        return Ok(output(SETTINGS.trim_end())?);
    }
    let name = shown(&args.output);
    let made = std::fs::File::options().write(true).create_new(true).open(&args.output);
    let mut file = made.map_err(|e| match e.kind() {
        std::io::ErrorKind::AlreadyExists => anyhow::anyhow!("{name} exists already; choose another name with -o"),
        _ => anyhow::Error::new(e).context(name.clone()),
    })?;
    file.write_all(SETTINGS.as_bytes()).with_context(|| name.clone())?;
    say(&format!("{name}: all settings, commented out; pass it with --config {name}"));
    Ok(())
}

pub(crate) fn schema(args: &Schema) -> Result<()> {
    match args.what {
        SchemaOf::Report => Ok(output(&Report::schema())?),
        SchemaOf::Batch => Ok(output(&Row::schema())?),
        SchemaOf::Trend => Ok(output(&Trend::schema())?),
    }
}
