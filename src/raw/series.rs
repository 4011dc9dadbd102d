//! Files of memory over time: read, and judged as numbers. Their texts stay behind, but for labels that were asked for,
//! which go through the wall like what the user tells.

use super::ingest::series::{Asked, join, read};
use super::input::Input;
use super::scrub::guard::Labels;
use crate::pipeline::{Failure, Settings};
use crate::summarise::trend::recording::Recording;
use crate::summarise::trend::{Trend, tell};

/// Says what files of memory over time tell; all of them are taken to be about one process.
///
/// # Errors
/// When a file is none that is known, or too much of it cannot be read.
pub fn trend(inputs: &[Input], asked: &Asked, settings: &Settings) -> Result<Trend, Failure> {
    let mut files = Vec::new();
    for (at, input) in inputs.iter().enumerate() {
        let reads = read(input, asked).map_err(|error| Failure { input: Some(at), error })?;
        input.check_unchanged().map_err(|error| Failure { input: Some(at), error })?;
        files.push((at as u32 + 1, reads));
    }
    let mut labels = asked.keep_labels.then(|| Labels::new(settings));
    let recordings = join(files).into_iter().map(|(input, mut read)| {
        let label = read.label.as_ref().zip(labels.as_mut()).and_then(|(label, labels)| labels.free(label));
        read.recording.label = label;
        (input, read.recording)
    });
    let recordings: Vec<(u32, Recording)> = recordings.collect();
    Ok(tell(&recordings))
}
