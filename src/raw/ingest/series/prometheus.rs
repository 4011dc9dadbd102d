//! Answers of Prometheus to range queries. Names of metrics become closed words; labels tell series apart and are left
//! out unless they are asked for.

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use zeroize::Zeroizing;

use super::builder::{Builder, Row};
use super::lines::has;
use super::names::{Field, field, runtime_of_column, runtime_of_command};
use super::times::Stamp;
use super::units::Unit;
use super::{Asked, Read};
use crate::summarise::trend::{Measure, Runtime};
use crate::{Error, Kind, Result, Stage, limits};

pub(super) fn is_mine(head: &[u8]) -> bool {
    head.trim_ascii_start().starts_with(b"{") && has(head, b"\"resultType\"") && has(head, b"\"result\"")
}

/// What the labels of one series say.
#[derive(Debug, Default)]
struct Labels {
    field: Option<Field>,
    runtime: Runtime,
    /// Everything but the name, to tell series apart: numbers of it only leave this file.
    rest: Zeroizing<Vec<u8>>,
    left_out: u64,
    is_other_part: bool,
    has_name: bool,
}

#[derive(Debug, Default)]
struct Series {
    labels: Labels,
    values: Vec<(f64, f64)>,
    damaged: u64,
}

macro_rules! expects {
    ($what:literal) => {
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str($what)
        }
    };
}

impl<'de> serde::Deserialize<'de> for Labels {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Labels;
            expects!("labels");
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Labels, A::Error> {
                let mut labels = Labels::default();
                let mut pairs: Vec<(Zeroizing<String>, Zeroizing<String>)> = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, String>()? {
                    pairs.push((Zeroizing::new(key), Zeroizing::new(value)));
                }
                pairs.sort_by(|a, b| a.0.as_str().cmp(b.0.as_str()));
                for (key, value) in &pairs {
                    match key.as_str() {
                        "__name__" => {
                            labels.has_name = true;
                            labels.field = field(value.as_bytes());
                            labels.runtime = runtime_of_column(value.as_bytes());
                        }
                        // Parts of a heap: only the whole is of use here.
                        "area" => labels.is_other_part |= value.as_str() != "heap",
                        "space" | "id" if pairs.iter().any(|(k, _)| k.as_str() == "area") => {
                            labels.is_other_part = true
                        }
                        "container" if value.as_str() == "POD" => labels.is_other_part = true,
                        _ => {
                            if key.as_str() == "job" && labels.runtime == Runtime::Unknown {
                                labels.runtime = runtime_of_command(value.as_bytes());
                            }
                            labels.left_out += 1;
                            if !labels.rest.is_empty() {
                                labels.rest.extend_from_slice(b", ");
                            }
                            labels.rest.extend_from_slice(key.as_bytes());
                            labels.rest.push(b'=');
                            labels.rest.extend_from_slice(value.as_bytes());
                        }
                    }
                }
                Ok(labels)
            }
        }
        deserializer.deserialize_map(All)
    }
}

/// `[[1700000000.5, "12345"], ...]`, straight into numbers.
struct Values<'a>(&'a mut Series);

impl<'de> DeserializeSeed<'de> for Values<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Values<'_> {
    type Value = ();
    expects!("a list of pairs");
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some((time, value)) = list.next_element::<(f64, String)>()? {
            match value.parse::<f64>() {
                Ok(value) if (0.0..1e17).contains(&value) => self.0.values.push((time, value)),
                _ => self.0.damaged += 1,
            }
        }
        Ok(())
    }
}

impl<'de> serde::Deserialize<'de> for Series {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct One;
        impl<'de> Visitor<'de> for One {
            type Value = Series;
            expects!("a series");
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Series, A::Error> {
                let mut series = Series::default();
                while let Some(key) = map.next_key::<String>()?.map(Zeroizing::new) {
                    match key.as_str() {
                        "metric" => series.labels = map.next_value()?,
                        "values" => map.next_value_seed(Values(&mut series))?,
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(series)
            }
        }
        deserializer.deserialize_map(One)
    }
}

#[derive(serde::Deserialize)]
struct Answer {
    data: Data,
}

#[derive(serde::Deserialize)]
struct Data {
    result: Vec<Series>,
}

pub(super) fn read(text: &[u8], asked: &Asked) -> Result<Vec<Read>> {
    let answer: Answer = serde_json::from_slice(text).map_err(|error| {
        let kind = if error.is_eof() {
            Kind::Truncated { what: "a Prometheus answer" }
        } else {
            Kind::DamagedRows { line: error.line() as u64, damaged: 1, rows: 1 }
        };
        Error::new(Stage::Ingest, kind)
    })?;
    let total: u64 = answer.data.result.iter().map(|series| series.values.len() as u64).sum();
    if total > limits::SERIES_ROWS || answer.data.result.len() as u64 > limits::SERIES_PROCESSES {
        let kind = Kind::Limit { what: "values of a Prometheus answer", limit: limits::SERIES_ROWS };
        return Err(Error::new(Stage::Ingest, kind));
    }
    // Series of one process have the same labels but for the name.
    let mut processes: Vec<(Zeroizing<Vec<u8>>, Vec<Series>)> = Vec::new();
    for series in answer.data.result.into_iter().filter(|series| !series.labels.is_other_part) {
        match processes.iter_mut().find(|(labels, _)| **labels == *series.labels.rest) {
            Some((_, all)) => all.push(series),
            None => processes.push((Zeroizing::new(series.labels.rest.to_vec()), vec![series])),
        }
    }
    let mut out = Vec::new();
    for (label, series) in processes {
        let mut builder = Builder::new("prometheus");
        let fields: Vec<Option<Field>> = series.iter().map(|s| s.labels.field).collect();
        let runtimes = series.iter().map(|s| s.labels.runtime);
        builder.runtime = runtimes.into_iter().find(|r| *r != Runtime::Unknown).unwrap_or_default();
        builder.tally.texts_left_out = series.iter().map(|s| s.labels.left_out).sum();
        for _ in 0..series.iter().map(|s| s.damaged).sum() {
            builder.tally.damage(1);
        }
        // Rows by time: one for each moment at which any of them has a value.
        let mut moments: Vec<(f64, usize, f64)> = Vec::new();
        for (at, one) in series.iter().enumerate() {
            moments.extend(one.values.iter().map(|(time, value)| (*time, at, *value)));
        }
        moments.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for moment in moments.chunk_by(|a, b| a.0 == b.0) {
            let mut row = Row { time: Some(Stamp::Number(moment[0].0)), ..Row::default() };
            for (_, at, value) in moment {
                match fields[*at] {
                    Some(Field::Bytes(measure, unit)) => row.add(measure, *value * unit.map_or(1.0, Unit::bytes), true),
                    Some(Field::Load) => row.load = Some(*value),
                    Some(Field::Fulls) => row.fulls = Some(*value),
                    Some(Field::Limit(_)) => row.limit = Some(*value),
                    // A query such as rate(...) or sum(...) has no name any more.
                    None if !series[*at].labels.has_name => row.add(Measure::Memory, *value, true),
                    _ => {}
                }
            }
            if !row.bytes.is_empty() {
                builder.push(&row)?;
            }
        }
        if !label.is_empty() {
            builder.labels.insert(0, label);
        }
        if builder.len() > 0 {
            out.extend(builder.finish(asked)?);
        }
    }
    if out.is_empty() {
        return Err(Error::new(
            Stage::Ingest,
            Kind::Malformed { what: "a range query over memory (resultType matrix)" },
        ));
    }
    Ok(out)
}
