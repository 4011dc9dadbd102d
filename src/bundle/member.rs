//! The names that members of a bundle can have: a closed list, so that a name in a received file is known or not repeated.

use std::fmt;

/// The name of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemberName {
    what: What,
    /// The number of the piece, if the member was split.
    piece: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum What {
    Fixed(usize),
    /// A sanitised input: its number from 1, and of which kind it is; packed ones come second.
    Snapshot(u32, usize, bool),
    /// What tells about a part of a bundle: its number, and how many there are.
    Part(u32, u32),
}

const FIXED: [&str; 6] = ["README.txt", "report.html", "report.md", "report.json", "manifest.json", "SHA256SUMS"];
const PACKED: &str = ".zst";

/// What a sanitised input can be.
struct Input {
    /// The beginning of its name.
    stem: &'static str,
    /// The end of its name.
    extension: &'static str,
    /// Does it have a graph of objects?
    has_graph: bool,
}

const SNAPSHOT: &str = "snapshots/snapshot-";

const LOG: &str = "logs/log-";

const INPUTS: [Input; 6] = [
    Input { stem: SNAPSHOT, extension: "heapsnapshot", has_graph: true },
    Input { stem: SNAPSHOT, extension: "heaptimeline", has_graph: true },
    Input { stem: SNAPSHOT, extension: "tracemalloc", has_graph: false },
    Input { stem: LOG, extension: "log", has_graph: false },
    Input { stem: LOG, extension: "json", has_graph: false },
    Input { stem: LOG, extension: "jsonl", has_graph: false },
];

/// The endings of sanitised inputs.
pub(crate) fn extensions() -> impl Iterator<Item = &'static str> {
    INPUTS.iter().map(|input| input.extension)
}

/// The directories of a bundle.
pub(crate) fn folders() -> impl Iterator<Item = &'static str> {
    INPUTS.iter().filter_map(|input| input.stem.split_once('/')).map(|(folder, _)| folder)
}

/// The word for an input with this extension: `snapshot-`.
pub(crate) fn label(extension: &str) -> &'static str {
    let input = INPUTS.iter().find(|input| input.extension == extension);
    input.and_then(|input| input.stem.split_once('/')).map_or("input-", |(_, label)| label)
}

impl MemberName {
    pub(crate) const README: Self = Self::fixed(0);
    pub(crate) const HTML: Self = Self::fixed(1);
    pub(crate) const MARKDOWN: Self = Self::fixed(2);
    pub(crate) const REPORT: Self = Self::fixed(3);
    pub(crate) const MANIFEST: Self = Self::fixed(4);
    pub(crate) const SUMS: Self = Self::fixed(5);

    /// Snapshots, parts and pieces of a bundle, at most.
    pub(crate) const NUMBERS: u32 = 999;

    const fn fixed(index: usize) -> Self {
        Self { what: What::Fixed(index), piece: None }
    }

    /// A sanitised input by its number from 1; `None` if there are too many, or the ending is unknown.
    pub(crate) fn snapshot(number: u32, extension: &str, is_packed: bool) -> Option<Self> {
        let kind = INPUTS.iter().position(|input| input.extension == extension)?;
        let what = What::Snapshot(number, kind, is_packed);
        (1..=Self::NUMBERS).contains(&number).then_some(Self { what, piece: None })
    }

    /// Every kind of sanitised input, packed, with the number 1.
    pub(crate) fn all_inputs() -> impl Iterator<Item = Self> + Clone {
        INPUTS.iter().filter_map(|input| Self::snapshot(1, input.extension, true))
    }

    /// Is it an input with a graph of objects?
    pub(crate) fn has_graph(self) -> bool {
        matches!(self.what, What::Snapshot(_, kind, _) if INPUTS[kind].has_graph)
    }

    /// How the input ends, unpacked.
    pub(crate) fn extension(self) -> Option<&'static str> {
        match self.what {
            What::Snapshot(_, kind, _) => Some(INPUTS[kind].extension),
            _ => None,
        }
    }

    pub(crate) const fn part(number: u32, of: u32) -> Self {
        Self { what: What::Part(number, of), piece: None }
    }

    /// One piece of it, from 1.
    pub(crate) fn piece(self, number: u32) -> Option<Self> {
        (1..=Self::NUMBERS).contains(&number).then_some(Self { piece: Some(number), ..self })
    }

    /// The member that a piece is of, and its number.
    pub(crate) fn whole(self) -> (Self, Option<u32>) {
        (Self { piece: None, ..self }, self.piece)
    }

    pub(crate) const fn is_snapshot(self) -> bool {
        matches!(self.what, What::Snapshot(..))
    }

    pub(crate) const fn snapshot_number(self) -> Option<u32> {
        match self.what {
            What::Snapshot(number, ..) => Some(number),
            _ => None,
        }
    }

    pub(crate) const fn is_part(self) -> bool {
        matches!(self.what, What::Part(..))
    }

    /// The name that a packed snapshot has when it is unpacked; the name itself otherwise.
    pub(crate) fn unpacked(self) -> Self {
        match self.what {
            What::Snapshot(number, kind, true) => Self { what: What::Snapshot(number, kind, false), piece: None },
            _ => self,
        }
    }

    pub(crate) fn is_packed(self) -> bool {
        self.unpacked() != self.whole().0
    }

    /// Where it stands in a container: what tells about a part, texts, manifest and sums, then snapshots and their pieces.
    pub(crate) fn order(self) -> (u32, u32, u32) {
        match self.what {
            What::Part(..) => (0, 0, 0),
            What::Fixed(index) => (1, index as u32, 0),
            What::Snapshot(number, ..) => (2, number, self.piece.unwrap_or(0)),
        }
    }

    /// Reads a name: exactly as it is written, or not at all.
    pub(crate) fn read(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        let name = Self::guess(text)?;
        (name.to_string() == text).then_some(name)
    }

    fn guess(text: &str) -> Option<Self> {
        if let Some(index) = FIXED.iter().position(|name| *name == text) {
            return Some(Self::fixed(index));
        }
        let number = |digits: &str| digits.parse::<u32>().ok().filter(|n| (1..=Self::NUMBERS).contains(n));
        if let Some(rest) = text.strip_prefix("part-") {
            let (part, of) = rest.strip_suffix(".txt")?.split_once("-of-")?;
            return Some(Self::part(number(part)?, number(of)?));
        }
        INPUTS.iter().enumerate().find_map(|(kind, input)| {
            let (digits, end) = text.strip_prefix(input.stem)?.split_once('.')?;
            let end = end.strip_prefix(input.extension)?;
            let (end, is_packed) = end.strip_prefix(PACKED).map_or((end, false), |rest| (rest, true));
            let piece = match end {
                "" => None,
                _ => Some(number(end.strip_prefix('.')?)?),
            };
            Some(Self { what: What::Snapshot(number(digits)?, kind, is_packed), piece })
        })
    }
}

impl fmt::Display for MemberName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.what {
            What::Fixed(index) => f.write_str(FIXED[index])?,
            What::Snapshot(number, kind, is_packed) => {
                let Input { stem, extension, .. } = INPUTS[kind];
                write!(f, "{stem}{number}.{extension}{}", if is_packed { PACKED } else { "" })?;
            }
            What::Part(number, of) => write!(f, "part-{number}-of-{of}.txt")?,
        }
        self.piece.map_or(Ok(()), |n| write!(f, ".{n:03}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        let snapshot = MemberName::snapshot(3, "heapsnapshot", true).expect("a name");
        let names = [MemberName::README, snapshot, snapshot.piece(2).expect("a name"), MemberName::part(2, 4)];
        for name in names {
            assert_eq!(MemberName::read(name.to_string().as_bytes()), Some(name));
        }
        assert_eq!(snapshot.to_string(), "snapshots/snapshot-3.heapsnapshot.zst");
        assert_eq!(snapshot.unpacked().to_string(), "snapshots/snapshot-3.heapsnapshot");
        assert!(snapshot.is_packed() && !snapshot.unpacked().is_packed() && !MemberName::README.is_packed());
        for other in [
            "readme.txt",
            "snapshots/snapshot-03.heapsnapshot.zst",
            "snapshots/snapshot-0.heapsnapshot",
            "snapshots/snapshot-1.js",
            "snapshots/snapshot-1.heapsnapshot.zst.1",
            "snapshots/snapshot-1.heapsnapshot.zst.001.001",
            "part-1-of-2.txt.001",
            "../README.txt",
            "",
        ] {
            assert_eq!(MemberName::read(other.as_bytes()), None, "{other}");
        }
    }
}
