//! From bytes to places: lines and values of JSON, with who holds what.

use rustc_hash::FxHashMap;

use super::json::{self, Token};
use crate::heap::StrId;
use crate::raw::ingest::role::Role;
use crate::raw::scrub::lines::{Says, says};
use crate::{Error, Kind, Result, Stage, limits};

/// A place of a unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) start: u64,
    pub(super) len: u32,
    pub(super) unit: StrId,
}

impl Item {
    pub(super) fn of<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        &bytes[self.start as usize..self.start as usize + self.len as usize]
    }
}

/// What a unit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A line that is no JSON.
    Line,
    /// A string of JSON with its role.
    Text(Role),
    /// A number of JSON.
    Number(Role),
    /// A key.
    Key,
    /// The end of a line, for texts over several lines.
    End,
}

impl Shape {
    pub(super) fn role(self) -> Role {
        match self {
            Self::Line => Role::Line,
            Self::Text(role) | Self::Number(role) => role,
            Self::Key => Role::Field,
            Self::End => Role::Structure,
        }
    }

    /// Does it stand in quotes?
    pub(super) fn is_quoted(self) -> bool {
        matches!(self, Self::Text(_) | Self::Key)
    }
}

/// No object, or no key.
pub(super) const NONE: u32 = u32::MAX;

/// Objects and lists, and what they hold.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// For each object or list: what holds it, under which key, and where its keys are.
    pub(super) frames: Vec<Frame>,
    /// Keys, frame by frame.
    pub(super) keys: Vec<StrId>,
    /// For each unit: the frame and key that hold it, and its place among the elements of a list.
    pub(super) held: Vec<(u32, u32, u32)>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) parent: u32,
    pub(super) key: u32,
    pub(super) is_object: bool,
    pub(super) keys: (u32, u32),
}

/// Everything in a text.
pub(super) struct Read {
    pub(super) items: Vec<Item>,
    pub(super) units: Vec<(u32, Shape)>,
    pub(super) tree: Tree,
    pub(super) extension: &'static str,
    pub(super) ends: u64,
}

pub(super) struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
    out: Read,
    keys: FxHashMap<&'b [u8], StrId>,
    /// Frames that are open, with their keys so far, the last key, and how many elements there were.
    open: Vec<Open>,
    tokens: Vec<Token>,
    /// Bytes that may still be read in vain.
    budget: usize,
    /// Lines, values of JSON, and values over several lines.
    counts: (u64, u64, u64),
}

struct Open {
    frame: u32,
    keys: Vec<StrId>,
    key: u32,
    says: Says,
    elements: u32,
}

impl<'b> Reader<'b> {
    pub(super) fn new(bytes: &'b [u8], at: usize) -> Self {
        let out = Read { items: Vec::new(), units: Vec::new(), tree: Tree::default(), extension: "log", ends: 0 };
        let budget = bytes.len().saturating_mul(4).max(1 << 16);
        Self {
            bytes,
            at,
            out,
            keys: FxHashMap::default(),
            open: Vec::new(),
            tokens: Vec::new(),
            budget,
            counts: (0, 0, 0),
        }
    }

    pub(super) fn read(mut self) -> Result<Read> {
        self.out.ends = ends(self.bytes);
        while self.at < self.bytes.len() {
            if !self.json()? {
                self.line()?;
            }
        }
        self.out.extension = match self.counts {
            (0, 1, _) => "json",
            (0, 2.., 0) => "jsonl",
            (0, 2.., _) => "json",
            _ => "log",
        };
        Ok(self.out)
    }

    /// Reads a value of JSON that begins here and has its last line for itself.
    fn json(&mut self) -> Result<bool> {
        let line = memchr::memchr(b'\n', &self.bytes[self.at..]).map_or(self.bytes.len(), |n| self.at + n);
        let text = self.bytes[self.at..line].trim_ascii_start();
        if !matches!(text.first(), Some(b'{' | b'[')) {
            return Ok(false);
        }
        // A value over several lines may turn out to be none at the end of the file, and so from each line on.
        let until = if self.budget > 0 { self.bytes.len() } else { line };
        self.tokens.clear();
        let mut tokens = std::mem::take(&mut self.tokens);
        let mut last = self.at;
        let end = json::value(&self.bytes[..until], line - text.len(), &mut |token| {
            if let Token::Key(_, end) | Token::Text(_, end) | Token::Number(_, end) = token {
                last = end;
            }
            tokens.push(token);
        });
        let ended = end.and_then(|end| {
            let rest = &self.bytes[end..];
            let len = rest.iter().position(|b| !matches!(b, b' ' | b'\t' | b'\r')).unwrap_or(rest.len());
            (len == rest.len() || rest[len] == b'\n').then_some((end, end + len))
        });
        if let Some((end, next)) = ended {
            self.counts.1 += 1;
            self.counts.2 += u64::from(end > line);
            for token in &tokens {
                self.token(*token)?;
            }
            self.at = (next + 1).min(self.bytes.len());
        } else if last > line {
            self.budget = self.budget.saturating_sub(last - self.at);
        }
        self.tokens = tokens;
        Ok(ended.is_some())
    }

    fn token(&mut self, token: Token) -> Result<()> {
        match token {
            Token::Open(is_object) => {
                let (parent, key, says) =
                    self.open.last().map_or((NONE, NONE, Says::Nothing), |o| (o.frame, o.key, o.says));
                // What a key says goes for the elements of a list.
                let says = if is_object { Says::Nothing } else { says };
                let frame = number(self.out.tree.frames.len())?;
                self.out.tree.frames.push(Frame { parent, key, is_object, keys: (0, 0) });
                self.count();
                self.open.push(Open { frame, keys: Vec::new(), key: NONE, says, elements: 0 });
            }
            Token::Close => {
                let Some(open) = self.open.pop() else { return Ok(()) };
                let first = number(self.out.tree.keys.len())?;
                self.out.tree.keys.extend(open.keys);
                self.out.tree.frames[open.frame as usize].keys = (first, number(self.out.tree.keys.len())?);
            }
            Token::Key(start, end) => {
                let text = &self.bytes[start..end];
                let id = match self.keys.get(text) {
                    Some(id) => *id,
                    None => {
                        let id = self.unit(Shape::Key, (NONE, NONE, 0))?;
                        self.keys.insert(text, id);
                        id
                    }
                };
                if let Some(open) = self.open.last_mut() {
                    open.keys.push(id);
                    (open.key, open.says) = (id.0, says(text));
                }
                self.item(start, end, id)?;
            }
            Token::Text(start, end) => {
                let role = match self.open.last().map_or(Says::Nothing, |open| open.says) {
                    // An earlier run may have replaced a number.
                    Says::Nothing if self.bytes[start..end].starts_with(b"[number#") => Role::Number,
                    Says::Words | Says::Either => Role::Line,
                    Says::Measure => Role::Measure,
                    Says::Nothing => Role::Value,
                };
                self.value(Shape::Text(role), start, end)?;
            }
            Token::Number(start, end) => {
                let role = match self.open.last().map_or(Says::Nothing, |open| open.says) {
                    Says::Measure | Says::Either => Role::Measure,
                    Says::Words | Says::Nothing => Role::Number,
                };
                self.value(Shape::Number(role), start, end)?;
            }
        }
        Ok(())
    }

    fn value(&mut self, shape: Shape, start: usize, end: usize) -> Result<()> {
        let (frame, key, elements) = self.open.last().map_or((NONE, NONE, 0), |o| (o.frame, o.key, o.elements));
        let id = self.unit(shape, (frame, key, elements))?;
        self.count();
        self.item(start, end, id)
    }

    /// One more element of the innermost list.
    fn count(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.elements = open.elements.saturating_add(1);
        }
    }

    fn line(&mut self) -> Result<()> {
        let rest = &self.bytes[self.at..];
        let len = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let next = (self.at + len + 1).min(self.bytes.len());
        let text = rest[..len].strip_suffix(b"\r").unwrap_or(&rest[..len]);
        if !text.is_empty() {
            self.counts.0 += u64::from(!text.trim_ascii().is_empty());
            let id = self.unit(Shape::Line, (NONE, NONE, 0))?;
            self.item(self.at, self.at + text.len(), id)?;
        }
        self.at = next;
        Ok(())
    }

    fn unit(&mut self, shape: Shape, held: (u32, u32, u32)) -> Result<StrId> {
        let id = number(self.out.units.len())?;
        self.out.units.push((number(self.out.items.len())?, shape));
        self.out.tree.held.push(held);
        Ok(StrId(id))
    }

    fn item(&mut self, start: usize, end: usize, unit: StrId) -> Result<()> {
        self.out.items.push(Item { start: start as u64, len: number(end - start)?, unit });
        Ok(())
    }
}

fn number(n: usize) -> Result<u32> {
    let limit = limits::INDEX;
    let error = Error::new(Stage::Ingest, Kind::Limit { what: "texts, or bytes of one text", limit });
    u32::try_from(n).ok().filter(|n| u64::from(*n) < limit).ok_or(error)
}

/// A number over how lines end, and how many there are.
fn ends(bytes: &[u8]) -> u64 {
    let ends = memchr::memchr_iter(b'\n', bytes);
    let sum = ends.fold(7_u64, |sum, at| {
        let is_wide = at > 0 && bytes[at - 1] == b'\r';
        (sum ^ u64::from(is_wide)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(7).wrapping_add(1)
    });
    sum.wrapping_add(u64::from(bytes.last() == Some(&b'\n')))
}
