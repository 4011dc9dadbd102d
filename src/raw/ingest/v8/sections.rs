//! The outline of the file: a tokenizer that finds the sections without reading what is in them.

use std::ops::Range;

use super::layout::FLAT;
use super::numbers::Numbers;
use super::strings::{Table, end_of_literal};
use crate::{Error, Kind, Result, Stage, limits};

/// A section of the file, in file order; ranges are what stands between the brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Nodes,
    Edges,
    TraceTree,
    /// Index into [`FLAT`].
    Flat(usize),
}

/// Where everything stands.
#[derive(Debug)]
pub(super) struct Outline {
    pub(super) header: Range<usize>,
    pub(super) sections: Vec<(Section, Range<usize>)>,
    pub(super) strings: Table,
    pub(super) dropped: u32,
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

fn cut(what: &'static str) -> Error {
    Error::new(Stage::Ingest, Kind::Truncated { what })
}

impl Cursor<'_> {
    fn bad(&self, what: &'static str) -> Error {
        Error::new(Stage::Ingest, Kind::Malformed { what }).at(self.at as u64)
    }

    fn peek(&mut self) -> Option<u8> {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
        self.bytes.get(self.at).copied()
    }

    fn expect(&mut self, byte: u8, what: &'static str) -> Result<()> {
        match self.peek() {
            Some(b) if b == byte => self.at += 1,
            Some(_) => return Err(self.bad(what)),
            None => return Err(cut("the outline of the file, between two sections")),
        }
        Ok(())
    }

    /// The bytes of a flat array; the cursor ends behind it.
    fn flat(&mut self, what: &'static str) -> Result<Range<usize>> {
        self.expect(b'[', "an array")?;
        let start = self.at;
        let end = memchr::memchr(b']', &self.bytes[start..]).ok_or_else(|| cut(what))? + start;
        self.at = end + 1;
        Ok(start..end)
    }

    /// Any JSON value, skipped by brackets and quotes; the cursor ends behind it.
    fn skip(&mut self, what: &'static str) -> Result<Range<usize>> {
        self.peek();
        let start = self.at;
        let mut depth = 0_u64;
        loop {
            let byte = *self.bytes.get(self.at).ok_or_else(|| cut(what))?;
            self.at += 1;
            match byte {
                b'"' => self.at = end_of_literal(self.bytes, self.at).ok_or_else(|| cut(what))? + 1,
                b'[' | b'{' => depth += 1,
                b']' | b'}' if depth > 0 => depth -= 1,
                _ => {}
            }
            if depth == 0 && matches!(self.peek().ok_or_else(|| cut(what))?, b',' | b'}' | b']') {
                return Ok(start..self.at);
            }
        }
    }
}

impl Outline {
    pub(super) fn read(bytes: &[u8]) -> Result<Self> {
        let mut c = Cursor { bytes, at: 0 };
        c.expect(b'{', "an object")?;
        let (mut header, mut strings, mut dropped) = (None, None, 0);
        let mut sections: Vec<(Section, Range<usize>)> = Vec::new();
        loop {
            c.expect(b'"', "the name of a section")?;
            let name = c.at..end_of_literal(bytes, c.at).ok_or_else(|| cut("the name of a section"))?;
            c.at = name.end + 1;
            c.expect(b':', "a colon")?;
            let section = match &bytes[name] {
                b"snapshot" if header.is_none() => {
                    header = Some(c.skip("the header")?);
                    None
                }
                b"strings" if strings.is_none() => {
                    c.expect(b'[', "an array of strings")?;
                    let (table, end) = Table::read(bytes, c.at)?;
                    c.at = end;
                    strings = Some(table);
                    None
                }
                b"snapshot" | b"strings" => return Err(c.bad("each section once")),
                b"nodes" => Some((Section::Nodes, c.flat("the nodes section")?)),
                b"edges" => Some((Section::Edges, c.flat("the edges section")?)),
                b"trace_tree" => Some((Section::TraceTree, c.skip("the trace_tree section")?)),
                other => match FLAT.iter().position(|f| f.section.as_bytes() == other) {
                    Some(i) => Some((Section::Flat(i), c.flat(FLAT[i].section)?)),
                    None => {
                        c.skip("a section that is not known")?;
                        dropped += 1;
                        None
                    }
                },
            };
            if let Some((section, range)) = section {
                if sections.iter().any(|(s, _)| *s == section) {
                    return Err(c.bad("each section once"));
                }
                sections.push((section, range));
            }
            match c.peek() {
                Some(b',') => c.at += 1,
                Some(b'}') => break,
                Some(_) => return Err(c.bad("a comma or the end of the object")),
                None => return Err(cut("the outline of the file, between two sections")),
            }
        }
        c.at += 1;
        if c.peek().is_some() {
            return Err(c.bad("nothing behind the last section"));
        }
        let header = header.ok_or_else(|| c.bad("a snapshot section"))?;
        if header.len() > limits::HEADER_BYTES {
            let kind = Kind::Limit { what: "bytes of the header", limit: limits::HEADER_BYTES as u64 };
            return Err(Error::new(Stage::Ingest, kind));
        }
        let strings = strings.ok_or_else(|| c.bad("a strings section"))?;
        Ok(Self { header, sections, strings, dropped })
    }

    pub(super) fn range(&self, section: Section) -> Option<Range<usize>> {
        self.sections.iter().find(|(s, _)| *s == section).map(|(_, r)| r.clone())
    }
}

/// One token of the nested `trace_tree` section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Open,
    Close,
    Comma,
    Number(i64),
}

/// Walks the `trace_tree` section: brackets, commas and integers, balanced and bounded in depth.
pub(super) fn trace_tokens(bytes: &[u8], base: usize, mut each: impl FnMut(Token) -> Result<()>) -> Result<()> {
    let bad = |at: usize| {
        Error::new(Stage::Ingest, Kind::Malformed { what: "nested arrays of integers" }).at((base + at) as u64)
    };
    let (mut at, mut depth, mut last) = (0, 0_u32, None);
    while at < bytes.len() {
        let token = match bytes[at] {
            b' ' | b'\n' | b'\r' | b'\t' => {
                at += 1;
                continue;
            }
            b'[' => Token::Open,
            b']' => Token::Close,
            b',' => Token::Comma,
            _ => {
                let end =
                    bytes[at..].iter().position(|b| matches!(b, b',' | b'[' | b']')).map_or(bytes.len(), |n| at + n);
                let number = Numbers::new(&bytes[at..end], base + at).next()?.ok_or_else(|| bad(at))?;
                at = end - 1;
                Token::Number(number)
            }
        };
        let follows = match last {
            None => token == Token::Open,
            Some(Token::Open) => matches!(token, Token::Open | Token::Close | Token::Number(_)),
            Some(Token::Comma) => matches!(token, Token::Open | Token::Number(_)),
            Some(Token::Close | Token::Number(_)) => depth > 0 && matches!(token, Token::Comma | Token::Close),
        };
        if !follows {
            return Err(bad(at));
        }
        match token {
            Token::Open => depth += 1,
            Token::Close => depth -= 1,
            _ => {}
        }
        if depth > limits::TRACE_DEPTH {
            let kind = Kind::Limit { what: "depth of the trace tree", limit: limits::TRACE_DEPTH.into() };
            return Err(Error::new(Stage::Ingest, kind));
        }
        each(token)?;
        last = Some(token);
        at += 1;
    }
    if depth == 0 { Ok(()) } else { Err(cut("the trace_tree section")) }
}
