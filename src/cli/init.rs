//! `heapscrub init` and `heapscrub schema`: what people start from.

use std::io::Write;

use anyhow::{Context, Result};
use heapscrub::batch::Row;
use heapscrub::{Report, Trend};

use super::args::{Init, Schema, SchemaOf};
use super::print::{output, say, shown};
use super::settings::is_stream;

const SETTINGS: &str = include_str!("heapscrub.toml");
const POLICY: &str = include_str!("policy.toml");

pub(crate) fn init(args: &Init) -> Result<()> {
    let (text, usual) = if args.policy { (POLICY, "policy.toml") } else { (SETTINGS, "heapscrub.toml") };
    let path = args.output.clone().unwrap_or_else(|| usual.into());
    if is_stream(&path) {
        return Ok(output(text.trim_end())?);
    }
    let name = shown(&path);
    let made = std::fs::File::options().write(true).create_new(true).open(&path);
    let mut file = made.map_err(|e| match e.kind() {
        std::io::ErrorKind::AlreadyExists => anyhow::anyhow!("{name} exists already; choose another name with -o"),
        _ => anyhow::Error::new(e).context(name.clone()),
    })?;
    file.write_all(text.as_bytes()).with_context(|| name.clone())?;
    say(&match args.policy {
        true => format!(
            "{name}: a policy that takes strict bundles, and all that can be asked for; heapscrub gate BUNDLE --policy {name}"
        ),
        false => format!("{name}: all settings, commented out; pass it with --config {name}"),
    });
    Ok(())
}

pub(crate) fn schema(args: &Schema) -> Result<()> {
    match args.what {
        SchemaOf::Report => Ok(output(&Report::schema())?),
        SchemaOf::Batch => Ok(output(&Row::schema())?),
        SchemaOf::Trend => Ok(output(&Trend::schema())?),
    }
}
