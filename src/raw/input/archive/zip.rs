//! Zip archives, by their directory at the end: members that are stored, deflated or zstd; also beyond 4 GiB.

use super::source::Source;
use super::{Visit, too_many};
use crate::{Error, Kind, Result, Stage, limits};

/// Is this the beginning of a zip archive?
pub(super) fn is_zip(head: &[u8]) -> bool {
    head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06")
}

fn malformed() -> Error {
    Error::new(Stage::Input, Kind::Malformed { what: "the directory of a zip archive" })
}

fn u16_at(bytes: &[u8], at: usize) -> Result<u64> {
    let field = bytes.get(at..).and_then(|b| b.first_chunk()).ok_or_else(malformed)?;
    Ok(u64::from(u16::from_le_bytes(*field)))
}

fn u32_at(bytes: &[u8], at: usize) -> Result<u64> {
    let field = bytes.get(at..).and_then(|b| b.first_chunk()).ok_or_else(malformed)?;
    Ok(u64::from(u32::from_le_bytes(*field)))
}

fn u64_at(bytes: &[u8], at: usize) -> Result<u64> {
    let field = bytes.get(at..).and_then(|b| b.first_chunk()).ok_or_else(malformed)?;
    Ok(u64::from_le_bytes(*field))
}

fn from(bytes: &[u8], at: u64) -> Result<&[u8]> {
    usize::try_from(at).ok().and_then(|at| bytes.get(at..)).ok_or_else(malformed)
}

/// Where the directory begins, and how many entries it claims to have, modulo 65,536.
fn directory(bytes: &[u8]) -> Result<(u64, u64)> {
    // The record at the end is followed by a comment of at most 64 KiB.
    let first = bytes.len().saturating_sub(22 + 0xffff);
    let tail = &bytes[first..];
    let truncated = Error::new(Stage::Input, Kind::Truncated { what: "a zip archive" });
    let found = memchr::memmem::rfind(tail, b"PK\x05\x06").ok_or(truncated)?;
    let (end, at) = (&tail[found..], first + found);
    let offset = u32_at(end, 16)?;
    if offset != 0xffff_ffff {
        return Ok((offset, u16_at(end, 10)?));
    }
    let locator = at.checked_sub(20).map(|at| &bytes[at..]).filter(|l| l.starts_with(b"PK\x06\x07"));
    let record = from(bytes, u64_at(locator.ok_or_else(malformed)?, 8)?)?;
    if !record.starts_with(b"PK\x06\x06") {
        return Err(malformed());
    }
    Ok((u64_at(record, 48)?, u64_at(record, 32)? % (1 << 16)))
}

/// One entry of the directory.
struct Entry<'z> {
    name: &'z [u8],
    flags: u64,
    method: u64,
    packed: u64,
    plain: u64,
    header: u64,
    length: u64,
}

fn entry(bytes: &[u8]) -> Result<Entry<'_>> {
    let (name, extra, comment) = (u16_at(bytes, 28)?, u16_at(bytes, 30)?, u16_at(bytes, 32)?);
    let (name_end, length) = (46 + name, 46 + name + extra + comment);
    let mut entry = Entry {
        name: bytes.get(46..name_end as usize).ok_or_else(malformed)?,
        flags: u16_at(bytes, 8)?,
        method: u16_at(bytes, 10)?,
        packed: u32_at(bytes, 20)?,
        plain: u32_at(bytes, 24)?,
        header: u32_at(bytes, 42)?,
        length,
    };
    let mut extra = bytes.get(name_end as usize..(name_end + extra) as usize).ok_or_else(malformed)?;
    while extra.len() >= 4 {
        let (id, size) = (u16_at(extra, 0)?, u16_at(extra, 2)? as usize);
        let field = extra.get(4..4 + size).ok_or_else(malformed)?;
        if id == 1 {
            // Only what did not fit is there, in this order.
            let mut at = 0;
            for value in [&mut entry.plain, &mut entry.packed, &mut entry.header] {
                if *value == 0xffff_ffff {
                    *value = u64_at(field, at)?;
                    at += 8;
                }
            }
        }
        extra = &extra[4 + size..];
    }
    Ok(entry)
}

/// Visits the members, in the order of the directory.
pub(super) fn members(bytes: &[u8], visit: &mut Visit<'_, '_>) -> Result<()> {
    let (start, claimed) = directory(bytes)?;
    let mut rest = from(bytes, start)?;
    let mut number = 0;
    while rest.starts_with(b"PK\x01\x02") {
        if number >= limits::ARCHIVE_MEMBERS {
            return Err(too_many());
        }
        let entry = entry(rest)?;
        if !entry.name.ends_with(b"/") && visit.is_wanted(number) {
            match content(bytes, &entry) {
                Ok(source) => visit.member(number, entry.name, source)?,
                Err(error) => visit.broken(number, entry.name, error)?,
            }
        }
        rest = from(rest, entry.length)?;
        number += 1;
    }
    // Entries that are not found must not be passed over in silence.
    if u64::from(number) % (1 << 16) == claimed { Ok(()) } else { Err(malformed()) }
}

/// The bytes of a member.
fn content<'z>(bytes: &'z [u8], entry: &Entry<'_>) -> Result<Source<'z>> {
    if entry.flags & 1 != 0 {
        return Err(Error::new(Stage::Input, Kind::Unsupported { what: "an encrypted member of a zip archive" }));
    }
    let local = from(bytes, entry.header)?;
    if !local.starts_with(b"PK\x03\x04") {
        return Err(malformed());
    }
    let data = from(local, 30 + u16_at(local, 26)? + u16_at(local, 28)?)?;
    let truncated = Error::new(Stage::Input, Kind::Truncated { what: "a member of a zip archive" });
    let data = usize::try_from(entry.packed).ok().and_then(|n| data.get(..n)).ok_or(truncated)?;
    match entry.method {
        0 => Ok(Source::Slice(data)),
        8 => Ok(Source::inflated(data, entry.plain)),
        93 => Source::Slice(data).unpacked(zeroize::Zeroizing::new(data[..data.len().min(18)].to_vec())),
        _ => Err(Error::new(Stage::Input, Kind::Unsupported { what: "a packing in a zip archive" })),
    }
}
