//! The directory of any zip, read leniently: only to look at what the members begin with.
//!
//! The strict reader of `archive` is for bundles; here a zip that somebody else made must be looked into too.

use std::ops::Range;

use memchr::memmem;

/// How a member is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Stored,
    Deflated,
    Zstd,
    /// Encrypted, or packed in a way that is not looked into.
    Closed,
}

/// A member: how it is packed, and where.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) method: Method,
    pub(super) data: Range<usize>,
}

const END: &[u8] = b"PK\x05\x06";
const END_64: &[u8] = b"PK\x06\x06";
const ENTRY: &[u8] = b"PK\x01\x02";
/// A field of 32 bits that says: the number stands in the extra field.
const ELSEWHERE: u64 = 0xffff_ffff;

/// The members of a zip; `None` if it has no directory that can be read.
pub(super) fn members(bytes: &[u8]) -> Option<Vec<Member>> {
    let end = memmem::rfind(bytes, END)?;
    let mut at = number(bytes, end + 16, 4)?;
    if at == ELSEWHERE {
        at = number(bytes, memmem::rfind(bytes, END_64)? + 48, 8)?;
    }
    let mut at = usize::try_from(at).ok()?;
    let mut out = Vec::new();
    while bytes.get(at..)?.starts_with(ENTRY) {
        let size = |field| number(bytes, at + field, 2).map(|n| n as usize);
        let (name, extra, comment) = (size(28)?, size(30)?, size(32)?);
        let extra_at = at + 46 + name;
        out.push(member(bytes, at, bytes.get(extra_at..extra_at + extra)?)?);
        at = extra_at + extra + comment;
    }
    Some(out)
}

fn member(bytes: &[u8], at: usize, extra: &[u8]) -> Option<Member> {
    let is_encrypted = number(bytes, at + 8, 2)? & 1 != 0;
    let method = match number(bytes, at + 10, 2)? {
        _ if is_encrypted => Method::Closed,
        0 => Method::Stored,
        8 => Method::Deflated,
        20 | 93 => Method::Zstd,
        _ => Method::Closed,
    };
    let (mut packed, plain, mut place) =
        (number(bytes, at + 20, 4)?, number(bytes, at + 24, 4)?, number(bytes, at + 42, 4)?);
    // Long numbers stand in the extra field, those that are needed only, in this order.
    let mut long = field(extra, 1).unwrap_or_default().chunks_exact(8);
    let mut next = || long.next().and_then(|n| number(n, 0, 8));
    if plain == ELSEWHERE {
        next()?;
    }
    if packed == ELSEWHERE {
        packed = next()?;
    }
    if place == ELSEWHERE {
        place = next()?;
    }
    let local = usize::try_from(place).ok()?;
    let (name, extra) = (number(bytes, local.checked_add(26)?, 2)?, number(bytes, local + 28, 2)?);
    let start = local.checked_add(30 + name as usize + extra as usize)?;
    let end = start.checked_add(usize::try_from(packed).ok()?)?.min(bytes.len());
    Some(Member { method, data: start.min(end)..end })
}

/// An extra field by its number.
fn field(mut extra: &[u8], wanted: u64) -> Option<&[u8]> {
    while extra.len() >= 4 {
        let size = number(extra, 2, 2)? as usize;
        let body = extra.get(4..4 + size)?;
        if number(extra, 0, 2)? == wanted {
            return Some(body);
        }
        extra = &extra[4 + size..];
    }
    None
}

fn number(bytes: &[u8], at: usize, size: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(size)?)?;
    Some(bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
}
