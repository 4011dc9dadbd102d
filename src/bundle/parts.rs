//! Which bytes go into which file of a bundle that is split. Only snapshots are cut; every part is a container of its
//! own, so that trackers accept each.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;

use super::member::MemberName;
use super::{Choice, Container, Pack, failed};
use crate::{Error, Kind, Result, Stage};

/// Some bytes of a member in a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// The name there.
    pub(super) name: MemberName,
    /// Which member, by its place in the list.
    pub(super) content: usize,
    pub(super) start: u64,
    pub(super) len: u64,
}

/// The parts, each with its pieces.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) parts: Vec<Vec<Piece>>,
}

/// What headers of one member and its row in the manifest and the sums take, at most, beside its bytes.
const MEMBER_COST: u64 = 1024;
/// What a row for one more piece takes in the manifest.
const PIECE_COST: u64 = 256;
/// What a container and the description of a part take.
const PART_COST: u64 = 2048;
/// The smallest part that is worth a file.
const SMALLEST: u64 = 100_000;

impl Plan {
    /// Everything in one file.
    pub(super) fn whole(members: &[(MemberName, u64)]) -> Self {
        let whole =
            |(content, (name, len)): (usize, &(MemberName, u64))| Piece { name: *name, content, start: 0, len: *len };
        Self { parts: vec![members.iter().enumerate().map(whole).collect()] }
    }

    /// Files that are no larger than the limit.
    pub(super) fn split(members: &[(MemberName, u64)], choice: &Choice) -> Result<Self> {
        let max = choice.max_size.unwrap_or(u64::MAX);
        let total: u64 = members.iter().map(|(_, len)| len + MEMBER_COST).sum::<u64>() + PART_COST;
        let limit = |what| Err(Error::new(Stage::Write, Kind::Limit { what, limit: max }));
        if choice.container == Container::Directory {
            return limit("bytes of a bundle that is a directory, which is not split");
        }
        if choice.pack == Pack::Deflate && choice.container == Container::Zip {
            // What deflate makes of a piece is known only afterwards.
            return limit("bytes of a bundle with --pack deflate, which is not split");
        }
        if choice.path.as_deref() == Some(std::path::Path::new("-")) {
            return limit("bytes of a bundle on standard output, which is not split");
        }
        if max < SMALLEST {
            return limit("bytes of one part, of which 100,000 are the least");
        }
        if members.iter().all(|(name, _)| !name.is_snapshot()) {
            return limit("bytes of a bundle without snapshots, which is not split");
        }
        // Rows of the manifest lie in the first part.
        let pieces = total / max.max(1) + members.len() as u64 + 2;
        let small = members.iter().filter(|(name, _)| !name.is_snapshot());
        let first_cost: u64 = small.map(|(_, len)| len + MEMBER_COST).sum::<u64>() + PART_COST;
        let first_cost = first_cost + (members.len() as u64) * MEMBER_COST + pieces * PIECE_COST;
        let Some(first) = max.checked_sub(first_cost) else {
            return limit("bytes of the first part: the report alone is larger");
        };
        let parts = cut(members, first, max - PART_COST);
        if parts.len() > MemberName::NUMBERS as usize {
            return limit("bytes of one part: there would be more than 999");
        }
        Ok(Self { parts })
    }
}

fn cut(members: &[(MemberName, u64)], first: u64, other: u64) -> Vec<Vec<Piece>> {
    let (mut parts, mut left): (Vec<Vec<Piece>>, u64) = (vec![Vec::new()], first);
    for (content, (name, len)) in members.iter().enumerate() {
        let push = |parts: &mut Vec<Vec<Piece>>, piece| {
            if let Some(part) = parts.last_mut() {
                part.push(piece);
            }
        };
        if !name.is_snapshot() {
            push(&mut parts, Piece { name: *name, content, start: 0, len: *len });
            continue;
        }
        let (mut start, mut number) = (0, 1);
        while start < *len {
            if left <= MEMBER_COST + 1 {
                parts.push(Vec::new());
                left = other;
            }
            let take = (len - start).min(left - MEMBER_COST);
            // More pieces than names can count would need parts far below the smallest.
            let piece = name.piece(number).unwrap_or(*name);
            push(&mut parts, Piece { name: piece, content, start, len: take });
            (start, number, left) = (start + take, number + 1, left - take - MEMBER_COST);
        }
    }
    parts
}

/// A range of a file, as a file of its own.
pub(super) struct FileSlice<'f> {
    file: &'f File,
    start: u64,
    len: u64,
    at: u64,
}

impl<'f> FileSlice<'f> {
    pub(super) fn new(file: &'f File, start: u64, len: u64) -> Result<Self> {
        let size = file.metadata().map_err(|e| failed(&e))?.len();
        if start.checked_add(len).is_none_or(|end| end > size) {
            return Err(Error::new(Stage::Write, Kind::Io(io::ErrorKind::UnexpectedEof)));
        }
        Ok(Self { file, start, len, at: 0 })
    }
}

impl Read for FileSlice<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.len - self.at).unwrap_or(usize::MAX);
        let want = out.len().min(left);
        let n = self.file.read_at(&mut out[..want], self.start + self.at)?;
        self.at += n as u64;
        Ok(n)
    }
}

impl Seek for FileSlice<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.len.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.filter(|at| *at <= self.len).ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(snapshots: &[u64], max: u64) -> Result<Vec<Vec<Piece>>> {
        let name = |n: u32| MemberName::snapshot(n, "heapsnapshot", true).expect("a name");
        let snapshots = (1..).zip(snapshots).map(|(n, len)| (name(n), *len));
        let members: Vec<_> =
            [(MemberName::README, 900), (MemberName::REPORT, 40_000)].into_iter().chain(snapshots).collect();
        Ok(Plan::split(&members, &Choice { max_size: Some(max), ..Choice::default() })?.parts)
    }

    #[test]
    fn every_byte_goes_somewhere_once_and_no_part_is_too_large() {
        for (snapshots, max) in
            [(&[3_000_000, 17, 2_500_000][..], 1_000_000), (&[400_000], 150_000), (&[0, 500_000], 300_000)]
        {
            let parts = plan(snapshots, max).expect("can be split");
            assert!(parts.len() > 1);
            for part in &parts {
                assert!(part.iter().map(|p| p.len + 512).sum::<u64>() + 1024 <= max);
            }
            for (at, len) in snapshots.iter().enumerate() {
                let mut next = 0;
                for (number, piece) in (1..).zip(parts.iter().flatten().filter(|p| p.content == at + 2)) {
                    assert_eq!((piece.start, piece.name.whole().1), (next, Some(number)));
                    next += piece.len;
                }
                assert_eq!(next, *len);
            }
        }
        assert!(plan(&[1_000_000], 30_000).is_err());
    }
}
