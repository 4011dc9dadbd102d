//! Every text of a bundle that is still readable.

use serde_json::Value;

use super::Received;
use crate::bundle::manifest::Digest;
use crate::bundle::member::MemberName;
use crate::pipeline::Settings;
use crate::raw::scrub::kept::{Collector, Kept};
use crate::{Error, Ingested, Stage};

/// What can be read in a bundle.
#[derive(Clone, Debug)]
pub struct Readable {
    /// The digest of its manifest.
    pub digest: Digest,
    /// The texts, those that most should be looked at first.
    pub texts: Vec<Kept>,
    /// Words that every runtime carries, which are not listed.
    pub known: u64,
}

impl Received {
    /// Checks the bundle, then lists every text in it that is still readable. `all`: also what every runtime carries.
    ///
    /// # Errors
    /// As for [`Received::check`]. What was changed is not shown.
    pub fn readable(&self, settings: &Settings, all: bool) -> Result<Readable, Vec<Error>> {
        let mut collector = Collector::default();
        self.check_each(settings, |_, input| {
            let ingested = Ingested::read(input).map_err(|error| Error { stage: Stage::Receive, ..error })?;
            collector.add(ingested, settings, all);
            Ok(())
        })?;
        let report = self.small(MemberName::REPORT).map_err(|error| vec![error])?;
        let report: Value = serde_json::from_slice(&report).unwrap_or_default();
        let labels = report["inputs"].as_array().into_iter().flatten().map(|input| &input["label"]);
        let values = report["evidence"].as_array().into_iter().flatten().filter(|item| item["state"] == "told");
        let values =
            values.flat_map(|item| item["values"].as_array().into_iter().flatten()).map(|value| &value["value"]);
        // Labels that this program gives are no texts of anybody.
        let own = |text: &&str| text.rsplit_once('-').is_some_and(|(_, n)| n.parse::<u32>().is_ok());
        labels.filter_map(Value::as_str).filter(|text| !own(text)).for_each(|text| collector.told(text));
        values.filter_map(Value::as_str).for_each(|text| collector.told(text));
        let (texts, known) = collector.ranked();
        Ok(Readable { digest: self.digest, texts, known })
    }
}
