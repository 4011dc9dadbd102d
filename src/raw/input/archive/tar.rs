//! Tar archives: ustar, GNU and pax, as streams. Links, devices and sparse files hold no dump and are passed over.

use std::io::Read;

use zeroize::Zeroizing;

use super::source::Source;
use super::{Visit, fill, too_many};
use crate::{Error, Kind, Result, Stage, limits};

const BLOCK: usize = 512;

/// Is this the beginning of a tar archive? Old ones have no mark, only a sum.
pub(super) fn is_tar(head: &[u8]) -> bool {
    head.get(..BLOCK).is_some_and(|block| block[0] != 0 && sum_is_right(block))
}

fn sum_is_right(block: &[u8]) -> bool {
    let sum: u64 =
        block.iter().enumerate().map(|(at, b)| if (148..156).contains(&at) { 32 } else { u64::from(*b) }).sum();
    octal(&block[148..156]) == Some(sum)
}

/// A number: octal digits, or base 256 if the first bit is set.
fn octal(field: &[u8]) -> Option<u64> {
    if field.first()? & 0x80 != 0 {
        return field.iter().enumerate().try_fold(0_u64, |n, (at, b)| {
            let byte = u64::from(if at == 0 { b & 0x7f } else { *b });
            n.checked_mul(256)?.checked_add(byte)
        });
    }
    let digits = field.trim_ascii_start();
    let digits = &digits[..digits.iter().position(|b| matches!(b, 0 | b' ')).unwrap_or(digits.len())];
    digits.iter().try_fold(0_u64, |n, b| {
        let digit = (b'0'..=b'7').contains(b).then(|| u64::from(b - b'0'))?;
        n.checked_mul(8)?.checked_add(digit)
    })
}

fn text(field: &[u8]) -> &[u8] {
    &field[..field.iter().position(|b| *b == 0).unwrap_or(field.len())]
}

fn cut_off() -> Error {
    Error::new(Stage::Input, Kind::Truncated { what: "a tar archive" })
}

fn malformed() -> Error {
    Error::new(Stage::Input, Kind::Malformed { what: "a header of a tar archive" })
}

/// The archive as a stream, with what was read ahead.
struct Blocks<'s> {
    ahead: Zeroizing<Vec<u8>>,
    at: usize,
    source: Source<'s>,
}

impl Read for Blocks<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.at < self.ahead.len() {
            let got = (self.ahead.len() - self.at).min(into.len());
            into[..got].copy_from_slice(&self.ahead[self.at..self.at + got]);
            self.at += got;
            return Ok(got);
        }
        match &mut self.source {
            Source::Slice(bytes) => bytes.read(into),
            Source::Stream(reader, _) => reader.read(into),
            Source::Broken(_) => Ok(0),
        }
    }
}

impl Blocks<'_> {
    /// Passes over so many bytes.
    fn skip(&mut self, bytes: u64) -> Result<()> {
        if let Source::Slice(rest) = &mut self.source {
            let ahead = ((self.ahead.len() - self.at) as u64).min(bytes);
            self.at += ahead as usize;
            let left = usize::try_from(bytes - ahead).map_err(|_| cut_off())?;
            *rest = rest.get(left..).ok_or_else(cut_off)?;
            return Ok(());
        }
        let passed = std::io::copy(&mut self.take(bytes), &mut std::io::sink()).map_err(|e| match e.kind() {
            std::io::ErrorKind::FileTooLarge => {
                let kind = Kind::Limit { what: "bytes after decompression", limit: limits::PLAIN_BYTES };
                Error::new(Stage::Input, kind)
            }
            _ => cut_off(),
        })?;
        if passed == bytes { Ok(()) } else { Err(cut_off()) }
    }

    /// A short piece as a whole: a long name, or pax records.
    fn piece(&mut self, bytes: u64) -> Result<Vec<u8>> {
        if bytes > limits::ARCHIVE_NAME_BYTES {
            let kind = Kind::Limit { what: "bytes of a name in an archive", limit: limits::ARCHIVE_NAME_BYTES };
            return Err(Error::new(Stage::Input, kind));
        }
        let mut piece = vec![0; bytes as usize];
        let got = fill(self, &mut piece).map_err(|_| cut_off())?;
        if got < piece.len() { Err(cut_off()) } else { Ok(piece) }
    }
}

/// What an entry before the member says about it.
#[derive(Default)]
struct Said {
    name: Option<Vec<u8>>,
    size: Option<u64>,
}

impl Said {
    /// Records of pax: `LENGTH KEY=VALUE\n`.
    fn pax(&mut self, mut records: &[u8]) -> Option<()> {
        while !records.is_empty() && records[0] != 0 {
            let blank = records.iter().position(|b| *b == b' ')?;
            let length: usize = std::str::from_utf8(&records[..blank]).ok()?.parse().ok()?;
            let record = records.get(blank + 1..length.checked_sub(1)?)?;
            records = records.get(length..)?;
            let equals = record.iter().position(|b| *b == b'=')?;
            let (key, value) = (&record[..equals], &record[equals + 1..]);
            match key {
                b"path" => self.name = Some(value.to_vec()),
                b"size" => self.size = Some(std::str::from_utf8(value).ok()?.parse().ok()?),
                _ => {}
            }
        }
        Some(())
    }
}

/// Visits the members, in order.
pub(super) fn members(head: Zeroizing<Vec<u8>>, source: Source<'_>, visit: &mut Visit<'_, '_>) -> Result<()> {
    // Of a slice, nothing was taken off.
    let ahead = if matches!(source, Source::Slice(_)) { Zeroizing::new(Vec::new()) } else { head };
    let mut blocks = Blocks { ahead, at: 0, source };
    let (mut said, mut number) = (Said::default(), 0_u32);
    loop {
        let mut block = [0; BLOCK];
        match fill(&mut blocks, &mut block).map_err(|_| cut_off())? {
            // Some programs leave the two empty blocks at the end out.
            0 => return Ok(()),
            BLOCK => {}
            _ => return Err(cut_off()),
        }
        if block.iter().all(|b| *b == 0) {
            return Ok(());
        }
        if !sum_is_right(&block) {
            return Err(malformed());
        }
        let size = octal(&block[124..136]).ok_or_else(malformed)?;
        let padding = |size: u64| size.wrapping_neg() % BLOCK as u64;
        match block[156] {
            b'L' => said.name = Some(text(&blocks.piece(size)?).to_vec()),
            b'x' => said.pax(&blocks.piece(size)?).ok_or_else(malformed)?,
            // Records for all that follow, and long names of links.
            b'g' | b'K' => blocks.skip(size)?,
            kind => {
                let said = std::mem::take(&mut said);
                let size = said.size.unwrap_or(size);
                let name = said.name.unwrap_or_else(|| name_of(&block));
                if number >= limits::ARCHIVE_MEMBERS {
                    return Err(too_many());
                }
                let is_file = matches!(kind, 0 | b'0' | b'7') && !name.ends_with(b"/");
                if is_file && visit.is_wanted(number) {
                    one(&mut blocks, size, number, &name, visit)?;
                    if visit.wanted.is_some() {
                        return Ok(());
                    }
                } else {
                    // Links and directories have no bytes, whatever their size says.
                    let has_bytes = !matches!(kind, b'1'..=b'6');
                    blocks.skip(if has_bytes { size } else { 0 })?;
                }
                let has_bytes = !matches!(kind, b'1'..=b'6');
                blocks.skip(if has_bytes { padding(size) } else { 0 })?;
                number += 1;
                continue;
            }
        }
        blocks.skip(padding(size))?;
    }
}

fn name_of(block: &[u8]) -> Vec<u8> {
    let (name, prefix) = (text(&block[..100]), text(&block[345..500]));
    let has_prefix = &block[257..263] == b"ustar\0" && !prefix.is_empty();
    if has_prefix { [prefix, b"/", name].concat() } else { name.to_vec() }
}

/// Visits one member and passes over what is left of it.
fn one(blocks: &mut Blocks<'_>, size: u64, number: u32, name: &[u8], visit: &mut Visit<'_, '_>) -> Result<()> {
    if let Source::Slice(bytes) = blocks.source {
        let size = usize::try_from(size).map_err(|_| cut_off())?;
        let (member, rest) = bytes.split_at_checked(size).ok_or_else(cut_off)?;
        blocks.source = Source::Slice(rest);
        return visit.member(number, name, Source::Slice(member));
    }
    let mut taken = Taken { inner: &mut *blocks, left: size };
    visit.member(number, name, Source::Stream(Box::new(&mut taken), Some(size)))?;
    let left = taken.left;
    blocks.skip(left)
}

/// The bytes of one member; knows how many are left when nobody reads on.
struct Taken<'t, 's> {
    inner: &'t mut Blocks<'s>,
    left: u64,
}

impl Read for Taken<'_, '_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(into.len());
        let got = self.inner.read(&mut into[..most])?;
        if got == 0 && most > 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        self.left -= got as u64;
        Ok(got)
    }
}
