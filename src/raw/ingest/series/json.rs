//! `process.memoryUsage()` and its relatives as JSON: one object in each line (with whatever a logger writes before it),
//! or one list of objects. Values are looked at as they are read; no text is kept.

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::builder::{Builder, Row};
use super::lines::{has, is_too_long, lines};
use super::names::{Field, field, runtime_of_column};
use super::times::{Stamp, leading, stamp};
use super::units::{Unit, bytes, number};
use super::{Asked, Read};
use crate::summarise::trend::Runtime;
use crate::{Error, Kind, Result, Stage};

pub(super) fn is_mine(head: &[u8]) -> bool {
    let mut seen = lines(head).take(200).filter(|line| memchr::memchr(b'{', line.text).is_some());
    let is_list = head.trim_ascii_start().starts_with(b"[");
    let known: [&[u8]; 6] = [b"rss", b"eap", b"emory", b"bytes", b"uss", b"RSS"];
    let names = |text: &[u8]| known.iter().any(|word| has(text, word)) && has(text, b"\":");
    (is_list && has(head, b"{") && names(head)) || seen.any(|line| names(line.text))
}

/// What is read into a row.
struct Into<'a> {
    row: &'a mut Row,
    asked: &'a Asked,
    runtime: &'a mut Runtime,
    time_unit: &'a mut Option<f64>,
    left_out: &'a mut u64,
    /// The key above: `{"heap": {"used": 5}}`.
    above: Vec<u8>,
    depth: u32,
}

/// Objects below objects that are looked at.
const DEPTH: u32 = 4;

impl Into<'_> {
    fn field(&self, key: &[u8]) -> Option<Field> {
        let is = |wanted: &str| wanted.as_bytes().eq_ignore_ascii_case(key);
        let known = || field(&[&self.above, &b"_"[..], key].concat()).or_else(|| field(key));
        if self.asked.time.as_deref().is_some_and(is) {
            return Some(Field::Time(None));
        }
        if self.asked.load.as_deref().is_some_and(is) {
            return Some(Field::Load);
        }
        if !self.asked.bytes.is_empty() {
            let chosen = self.asked.bytes.iter().any(|wanted| is(wanted));
            let other = known().filter(|f| !matches!(f, Field::Bytes(..)));
            let memory = Field::Bytes(crate::summarise::trend::Measure::Memory, None);
            return if chosen {
                Some(known().filter(|f| matches!(f, Field::Bytes(..))).unwrap_or(memory))
            } else {
                other
            };
        }
        known()
    }

    fn take(&mut self, field: Field, value: f64, own: Option<Unit>) {
        match field {
            Field::Time(unit) => {
                self.row.time = Some(Stamp::Number(value));
                *self.time_unit = self.time_unit.or(unit);
            }
            Field::Bytes(measure, unit) if (0.0..1e17).contains(&value) => {
                let is_known = own.is_some() || unit.is_some();
                self.row.add(measure, value * own.or(unit).map_or(1.0, Unit::bytes), is_known);
            }
            Field::Load => self.row.load = Some(value),
            Field::Pid => self.row.pid = value.max(0.0) as u64,
            Field::Fulls => self.row.fulls = Some(value),
            Field::Marks => self.row.marks = Some(value),
            Field::Limit(unit) => self.row.limit = Some(value * unit.map_or(1.0, Unit::bytes)),
            Field::Bytes(..) | Field::Command => *self.left_out += 1,
        }
    }
}

impl<'de> DeserializeSeed<'de> for &mut Into<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut Into<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(Key)? {
            *self.runtime = Some(runtime_of_column(&key)).filter(|r| *r != Runtime::Unknown).unwrap_or(*self.runtime);
            let field = self.field(&key);
            map.next_value_seed(Value { into: self, key: &key, field })?;
        }
        Ok(())
    }
}

/// A key, for as long as its value is read.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = zeroize::Zeroizing<Vec<u8>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key {
    type Value = zeroize::Zeroizing<Vec<u8>>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(zeroize::Zeroizing::new(key.as_bytes().to_vec()))
    }
}

/// One value of an object.
struct Value<'a, 'b> {
    into: &'a mut Into<'b>,
    key: &'a [u8],
    field: Option<Field>,
}

impl<'de> DeserializeSeed<'de> for Value<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a value")
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<(), E> {
        match self.field {
            Some(field) => self.into.take(field, value, None),
            None => *self.into.left_out += 1,
        }
        Ok(())
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<(), E> {
        self.visit_f64(value as f64)
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<(), E> {
        self.visit_f64(value as f64)
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        match self.field {
            Some(Field::Marks) => self.into.row.marks = Some(f64::from(u8::from(value))),
            _ => *self.into.left_out += 1,
        }
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        match self.field {
            Some(Field::Time(_)) => self.into.row.time = self.into.row.time.or_else(|| stamp(text.as_bytes())),
            // Numbers in quotes, with their unit.
            Some(field @ Field::Bytes(..)) if bytes(text.as_bytes(), None).is_some() => {
                if let Some((value, unit)) = number(text.as_bytes()) {
                    self.into.take(field, value, unit);
                }
            }
            _ => *self.into.left_out += 1,
        }
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        if self.into.depth >= DEPTH {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            *self.into.left_out += 1;
            return Ok(());
        }
        let above = std::mem::replace(&mut self.into.above, self.key.to_vec());
        self.into.depth += 1;
        let done = (&mut *self.into).visit_map(map);
        self.into.depth -= 1;
        self.into.above = above;
        done
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        *self.into.left_out += 1;
        Ok(())
    }
}

/// Reads one object into a row; whether it says anything about memory.
fn object<'de, D: Deserializer<'de>>(
    from: D,
    builder: &mut Builder,
    asked: &Asked,
    row: &mut Row,
) -> Result<(), D::Error> {
    let (mut runtime, mut unit, mut left_out) = (builder.runtime, builder.time_unit, 0);
    let mut into = Into {
        row,
        asked,
        runtime: &mut runtime,
        time_unit: &mut unit,
        left_out: &mut left_out,
        above: Vec::new(),
        depth: 0,
    };
    (&mut into).deserialize(from)?;
    (builder.runtime, builder.time_unit) = (runtime, unit);
    builder.tally.texts_left_out += left_out;
    Ok(())
}

pub(super) fn read(text: &[u8], asked: &Asked) -> Result<Vec<Read>> {
    let mut builder = Builder::new("json");
    if text.trim_ascii_start().starts_with(b"[") {
        list(text, &mut builder, asked)?;
        return builder.finish(asked);
    }
    for line in lines(text) {
        let Some(at) = memchr::memchr(b'{', line.text).filter(|_| !is_too_long(line.text)) else {
            builder.tally.texts_left_out += 1;
            continue;
        };
        let mut row = Row::default();
        let mut from = serde_json::Deserializer::from_slice(&line.text[at..]);
        let done = object(&mut from, &mut builder, asked, &mut row);
        match done {
            Ok(()) if row.bytes.is_empty() => builder.tally.texts_left_out += 1,
            Ok(()) => {
                row.time = row.time.or_else(|| leading(&line.text[..at]));
                builder.push(&row)?;
            }
            Err(_) if line.is_open => builder.tally.cut(),
            Err(_) => builder.tally.damage(line.number),
        }
    }
    builder.finish(asked)
}

/// One list of objects.
fn list(text: &[u8], builder: &mut Builder, asked: &Asked) -> Result<()> {
    struct All<'a> {
        builder: &'a mut Builder,
        asked: &'a Asked,
        failed: Option<Error>,
    }
    struct One<'a, 'b>(&'a mut All<'b>);
    impl<'de> DeserializeSeed<'de> for One<'_, '_> {
        type Value = ();
        fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
            let mut row = Row::default();
            object(deserializer, self.0.builder, self.0.asked, &mut row)?;
            if row.bytes.is_empty() {
                self.0.builder.tally.texts_left_out += 1;
            } else if let Err(error) = self.0.builder.push(&row) {
                self.0.failed = Some(error);
            }
            Ok(())
        }
    }
    impl<'de> Visitor<'de> for &mut All<'_> {
        type Value = ();
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a list of objects")
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
            while self.failed.is_none() && list.next_element_seed(One(self))?.is_some() {}
            while list.next_element::<IgnoredAny>()?.is_some() {}
            Ok(())
        }
    }
    let mut all = All { builder, asked, failed: None };
    let mut from = serde_json::Deserializer::from_slice(text);
    let done = from.deserialize_seq(&mut all);
    if let Some(error) = all.failed {
        return Err(error);
    }
    match done {
        Ok(()) => Ok(()),
        // What was read before the end counts.
        Err(error) if error.is_eof() && all.builder.len() > 0 => {
            all.builder.tally.cut();
            Ok(())
        }
        Err(error) => {
            let kind = Kind::DamagedRows { line: error.line() as u64, damaged: 1, rows: all.builder.len() as u64 + 1 };
            Err(Error::new(Stage::Ingest, kind))
        }
    }
}
