//! Walks through a deflate stream without unpacking it: its length is known before anything is unpacked, and bits that
//! no decoder looks at cannot hide anything.

use super::{LENGTH, PACKED};

/// Walks through a deflate stream (RFC 1951) without unpacking it, and gives the number of bytes it unpacks to.
///
/// It refuses what inflate lets pass and deflate never writes, since something could hide there: bits of padding that
/// are set, bytes behind the end, blocks without content, codes that are not complete, a second spelling of length
/// 258. It does not prove that deflate chose the same matches; only packing again can.
pub(super) fn survey(packed: &[u8], at_most: u64) -> Result<u64, &'static str> {
    let mut walk = Walk { bits: Bits { bytes: packed, hold: 0, held: 0 }, plain: 0, at_most };
    while !walk.block()? {}
    walk.bits.align().ok_or(PACKED)?;
    // Whole bytes that are held were not used.
    if walk.bits.held > 0 || !walk.bits.bytes.is_empty() {
        return Err(PACKED);
    }
    Ok(walk.plain)
}

struct Walk<'a> {
    bits: Bits<'a>,
    plain: u64,
    at_most: u64,
}

impl Walk<'_> {
    /// Walks through one block; was it the last?
    fn block(&mut self) -> Result<bool, &'static str> {
        let before = self.plain;
        let last = self.bits.take(1).ok_or(PACKED)? == 1;
        match self.bits.take(2).ok_or(PACKED)? {
            0 => {
                let length = self.bits.stored().ok_or(PACKED)?;
                self.count(length)?;
            }
            1 => {
                let literals: Vec<u8> = [(8, 144), (9, 112), (7, 24), (8, 8)]
                    .iter()
                    .flat_map(|&(bits, times)| std::iter::repeat_n(bits, times))
                    .collect();
                self.symbols(&Codes::new(&literals).ok_or(PACKED)?, &Codes::new(&[5; 32]).ok_or(PACKED)?)?;
            }
            2 => {
                let (literals, distances) = self.bits.codes().ok_or(PACKED)?;
                self.symbols(&literals, &distances)?;
            }
            _ => return Err(PACKED),
        }
        // Deflate ends a stream with an empty block when nothing is left, and writes no other without a flush.
        if self.plain == before && !last { Err(PACKED) } else { Ok(last) }
    }

    fn symbols(&mut self, literals: &Codes, distances: &Codes) -> Result<(), &'static str> {
        loop {
            match self.bits.symbol(literals).ok_or(PACKED)? {
                0..=255 => self.count(1)?,
                256 => return Ok(()),
                symbol => {
                    let length = self.bits.length(symbol).ok_or(PACKED)?;
                    self.bits.distance(distances).ok_or(PACKED)?;
                    self.count(length)?;
                }
            }
        }
    }

    fn count(&mut self, more: u32) -> Result<(), &'static str> {
        self.plain = self.plain.saturating_add(u64::from(more));
        if self.plain > self.at_most { Err(LENGTH) } else { Ok(()) }
    }
}

/// Bits of a deflate stream, the lowest first.
struct Bits<'a> {
    bytes: &'a [u8],
    hold: u64,
    held: u32,
}

impl Bits<'_> {
    fn fill(&mut self) {
        while self.held <= 56 {
            let Some((first, rest)) = self.bytes.split_first() else { return };
            self.hold |= u64::from(*first) << self.held;
            (self.held, self.bytes) = (self.held + 8, rest);
        }
    }

    /// Drops bits that were looked at; `None` if there are fewer.
    fn drop(&mut self, count: u32) -> Option<()> {
        self.held = self.held.checked_sub(count)?;
        self.hold >>= count;
        Some(())
    }

    /// The next bits as a number, at most 16.
    fn take(&mut self, count: u32) -> Option<u32> {
        self.fill();
        let value = self.hold & ((1 << count) - 1);
        self.drop(count)?;
        u32::try_from(value).ok()
    }

    fn symbol(&mut self, codes: &Codes) -> Option<u16> {
        self.fill();
        let found = *codes.0.get(usize::try_from(self.hold & 0x7fff).ok()?)?;
        self.drop(u32::from(found & 15))?;
        Some(found >> 4)
    }

    /// Skips to the next byte; what is skipped must be zero.
    fn align(&mut self) -> Option<()> {
        (self.take(self.held % 8)? == 0).then_some(())
    }

    /// The length of a stored block, which is skipped.
    fn stored(&mut self) -> Option<u32> {
        self.align()?;
        let (length, inverse) = (self.take(16)?, self.take(16)?);
        if length ^ inverse != 0xffff {
            return None;
        }
        // Only whole bytes are held, and at most six of them; what they do not cover is skipped at once.
        let held = (self.held / 8).min(length);
        self.drop(held * 8)?;
        self.bytes = self.bytes.get(usize::try_from(length - held).ok()?..)?;
        Some(length)
    }

    /// How many bytes a match has (RFC 1951, 3.2.5).
    fn length(&mut self, symbol: u16) -> Option<u32> {
        match u32::from(symbol).checked_sub(257)? {
            index @ 0..=7 => Some(index + 3),
            index @ 8..=27 => {
                let extra = (index - 4) / 4;
                let length = ((4 + index % 4) << extra) + 3 + self.take(extra)?;
                (length < 258).then_some(length)
            }
            28 => Some(258),
            _ => None,
        }
    }

    fn distance(&mut self, codes: &Codes) -> Option<()> {
        match u32::from(self.symbol(codes)?) {
            0..=1 => Some(()),
            symbol @ 2..=29 => self.take(symbol / 2 - 1).map(|_| ()),
            _ => None,
        }
    }

    /// The codes that stand before a block (RFC 1951, 3.2.7).
    fn codes(&mut self) -> Option<(Codes, Codes)> {
        const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
        let literals = usize::try_from(self.take(5)? + 257).ok()?;
        let distances = usize::try_from(self.take(5)? + 1).ok()?;
        let count = usize::try_from(self.take(4)? + 4).ok()?;
        let mut lengths = [0_u8; 19];
        for place in ORDER.iter().take(count) {
            lengths[*place] = u8::try_from(self.take(3)?).ok()?;
        }
        let codes = Codes::new(&lengths)?;
        let mut lengths: Vec<u8> = Vec::with_capacity(320);
        while lengths.len() < literals + distances {
            let (value, times) = match self.symbol(&codes)? {
                16 => (*lengths.last()?, 3 + self.take(2)?),
                17 => (0, 3 + self.take(3)?),
                18 => (0, 11 + self.take(7)?),
                length => (u8::try_from(length).ok()?, 1),
            };
            lengths.extend(std::iter::repeat_n(value, usize::try_from(times).ok()?));
        }
        if lengths.len() != literals + distances {
            return None;
        }
        let (literals, distances) = lengths.split_at(literals);
        Some((Codes::new(literals)?, Codes::new(distances)?))
    }
}

/// For each 15 bits that may come next: the symbol they begin with (times 16) and how many bits it has.
pub(super) struct Codes(Vec<u16>);

impl Codes {
    /// `None` unless the lengths make a complete code.
    pub(super) fn new(lengths: &[u8]) -> Option<Self> {
        let mut table = vec![0_u16; 1 << 15];
        let mut next = 0_usize;
        for length in 1..=15_u8 {
            for (symbol, _) in lengths.iter().enumerate().filter(|(_, l)| **l == length) {
                // Codes are counted as if all had 15 bits; they are read from the highest bit on.
                let first = u16::try_from(next).ok().filter(|code| *code < 1 << 15)?.reverse_bits() >> 1;
                let entry = u16::try_from(symbol).ok()? << 4 | u16::from(length);
                table.iter_mut().skip(usize::from(first)).step_by(1 << length).for_each(|place| *place = entry);
                next += 1 << (15 - length);
            }
        }
        (next == 1 << 15).then_some(Self(table))
    }
}
