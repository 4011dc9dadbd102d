//! Looks into a file and whatever is packed in it, one layer after the other, within the bounds against bombs.

use std::io::{self, Cursor, Read};

use memchr::memmem;
use zeroize::Zeroizing;

use super::{Dump, Seen, is_sanitised, zip};
use crate::limits;
use crate::pipeline::Settings;
use crate::raw::ingest;
use crate::raw::input::Input;
use crate::raw::scrub::wall::RawStr;

/// How much of each layer tells what it is.
const HEAD: u64 = 1 << 16;
/// Layers inside layers.
const DEPTH: u32 = 6;
/// A piece of a long text that is searched.
const PIECE: usize = 1 << 20;
/// Words that the header of a V8 snapshot has, wherever a tool that sorts keys has put it.
const V8_WORDS: [&[u8]; 3] = [b"node_fields", b"edge_fields", b"trace_function_info_fields"];
/// How the mark of a result begins.
const SANITISED: &[u8] = b"[sanitised#";
const FAR_MORE: &str = "what unpacks to far more than it is";
const DAMAGED: &str = "a damaged archive";

pub(super) struct Look<'s> {
    settings: &'s Settings,
    /// Bytes that may still be unpacked.
    left: u64,
    closed: Option<&'static str>,
}

impl<'s> Look<'s> {
    pub(super) fn new(settings: &'s Settings, bytes: usize) -> Self {
        let most = (bytes as u64).saturating_mul(limits::RATIO).max(limits::RATIO_FREE_BYTES);
        Self { settings, left: most.min(limits::PLAIN_BYTES), closed: None }
    }

    /// A whole file.
    pub(super) fn file(mut self, input: &Input) -> Seen {
        let bytes = input.bytes();
        let head = &bytes[..bytes.len().min(HEAD as usize)];
        let is_packed = layer(head).is_some();
        let dump = match Dump::of(head).filter(|_| !is_packed) {
            Some(dump) => self.verdict(dump, input),
            None => self.layers(&mut Cursor::new(bytes), 0),
        };
        Seen { dump, is_packed, closed: self.closed }
    }

    /// A dump, unless it was sanitised.
    fn verdict(&self, dump: Dump, input: &Input) -> Option<Dump> {
        // Most are raw, which is told here without reading them.
        let is_raw = ingest::recognise(input.head()).is_err()
            || dump == Dump::V8 && memmem::find(input.bytes(), SANITISED).is_none();
        (is_raw || !is_sanitised(input, self.settings)).then_some(dump)
    }

    /// One layer: what it is, or what it holds.
    fn layers(&mut self, reader: &mut dyn Read, depth: u32) -> Option<Dump> {
        let mut head = Zeroizing::new(Vec::new());
        // A stream that ends too early is looked at as far as it goes.
        let _ = self.read(reader, HEAD, &mut head, depth);
        let Some(layer) = layer(&head) else { return self.plain(head, reader, depth) };
        if depth == DEPTH {
            self.closed = Some("archives inside archives");
            return None;
        }
        let start = Zeroizing::new(head.to_vec());
        let mut all = Cursor::new(&start[..]).chain(reader);
        match layer {
            Layer::Gzip => self.layers(&mut flate2::read::MultiGzDecoder::new(all), depth + 1),
            Layer::Zstd => match zstd::Decoder::new(&mut all) {
                Ok(mut decoder) => {
                    let _ = decoder.window_log_max(limits::ZSTD_WINDOW_LOG);
                    self.layers(&mut decoder, depth + 1)
                }
                Err(_) => self.shut(DAMAGED),
            },
            Layer::Zip => self.zip(&mut all, depth),
            Layer::Tar => self.tar(&mut all, depth),
            Layer::Closed(what) => self.shut(what),
        }
    }

    fn shut(&mut self, what: &'static str) -> Option<Dump> {
        self.closed = Some(what);
        None
    }

    /// Reads at most so many bytes; what was unpacked counts.
    fn read(&mut self, reader: &mut dyn Read, most: u64, into: &mut Vec<u8>, depth: u32) -> io::Result<()> {
        let most = if depth == 0 { most } else { most.min(self.left) };
        let before = into.len();
        let done = reader.take(most).read_to_end(into);
        if depth > 0 {
            self.left -= (into.len() - before) as u64;
            if self.left == 0 {
                self.closed = Some(FAR_MORE);
            }
        }
        done.map(drop)
    }

    /// Not packed: a dump, or something else.
    fn plain(&mut self, mut head: Zeroizing<Vec<u8>>, reader: &mut dyn Read, depth: u32) -> Option<Dump> {
        let Some(dump) = Dump::of(&head) else { return self.elsewhere(&head, reader, depth) };
        if ingest::recognise(RawStr::new(&head[..head.len().min(4096)])).is_err() {
            return Some(dump);
        }
        // Only what was read to its end can be told to be sanitised.
        if self.read(reader, limits::PLAIN_BYTES, &mut head, depth).is_err() || self.closed == Some(FAR_MORE) {
            return Some(dump);
        }
        Input::from_reader(Cursor::new(&head[..])).map_or(Some(dump), |input| self.verdict(dump, &input))
    }

    /// A snapshot whose header stands elsewhere, or inside another JSON, or in UTF-16.
    fn elsewhere(&mut self, head: &[u8], reader: &mut dyn Read, depth: u32) -> Option<Dump> {
        let is_wide = head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff");
        let is_blank = |b: u8| b.is_ascii_whitespace() || is_wide && matches!(b, 0 | 0xfe | 0xff);
        let first = head.iter().copied().find(|b| !is_blank(*b));
        if !matches!(first, Some(b'{' | b'[' | 0xef)) {
            return None;
        }
        let mut found = [false; V8_WORDS.len()];
        let mut text = Zeroizing::new(head.to_vec());
        loop {
            if is_wide {
                text.retain(|b| *b != 0);
                if let Some(dump) = Dump::of(text.strip_prefix(b"\xff\xfe").unwrap_or(&text)) {
                    return Some(dump);
                }
            }
            for (found, word) in found.iter_mut().zip(V8_WORDS) {
                *found |= memmem::find(&text, word).is_some();
            }
            if found == [true; V8_WORDS.len()] {
                return Some(Dump::V8);
            }
            // A word may lie across two pieces.
            let kept = text.len().saturating_sub(32);
            text.drain(..kept);
            let before = text.len();
            if self.read(reader, PIECE as u64, &mut text, depth).is_err() || text.len() == before {
                return None;
            }
        }
    }

    fn zip(&mut self, reader: &mut dyn Read, depth: u32) -> Option<Dump> {
        let mut bytes = Zeroizing::new(Vec::new());
        if self.read(reader, limits::PLAIN_BYTES, &mut bytes, depth).is_err() {
            return self.shut(DAMAGED);
        }
        let Some(members) = zip::members(&bytes) else { return self.shut(DAMAGED) };
        for member in members {
            let data = bytes.get(member.data.clone()).unwrap_or_default();
            let dump = match member.method {
                zip::Method::Stored => self.layers(&mut Cursor::new(data), depth + 1),
                zip::Method::Deflated => self.layers(&mut flate2::read::DeflateDecoder::new(data), depth + 1),
                zip::Method::Zstd => match zstd::Decoder::new(data) {
                    Ok(mut decoder) => self.layers(&mut decoder, depth + 1),
                    Err(_) => self.shut(DAMAGED),
                },
                zip::Method::Closed => self.shut("a member of a zip that is encrypted or packed in another way"),
            };
            if dump.is_some() {
                return dump;
            }
        }
        None
    }

    fn tar(&mut self, reader: &mut dyn Read, depth: u32) -> Option<Dump> {
        loop {
            let mut header = [0; 512];
            if reader.read_exact(&mut header).is_err() || header == [0; 512] {
                return None;
            }
            let Some(size) = tar_size(&header[124..136]) else { return self.shut(DAMAGED) };
            let mut member = reader.take(size);
            let dump = self.layers(&mut member, depth + 1);
            if dump.is_some() {
                return dump;
            }
            // The rest of the member, and what fills its last block.
            let left = member.limit() + size.next_multiple_of(512) - size;
            let skipped = io::copy(&mut reader.take(left), &mut io::sink());
            self.left = self.left.saturating_sub(left);
            if self.left == 0 || skipped.ok() != Some(left) {
                return self.shut(if self.left == 0 { FAR_MORE } else { DAMAGED });
            }
        }
    }
}

/// Octal digits, or a binary number where the first bit says so.
fn tar_size(field: &[u8]) -> Option<u64> {
    if field[0] & 0x80 != 0 {
        return field[4..].iter().try_fold(0_u64, |sum, b| sum.checked_mul(256)?.checked_add(u64::from(*b)));
    }
    let digits = field.iter().copied().skip_while(|b| *b == b' ').take_while(u8::is_ascii_digit);
    digits.map(|b| u64::from(b - b'0')).try_fold(0_u64, |sum, digit| sum.checked_mul(8)?.checked_add(digit))
}

enum Layer {
    Gzip,
    Zstd,
    Zip,
    Tar,
    Closed(&'static str),
}

fn layer(head: &[u8]) -> Option<Layer> {
    let starts = |magic: &[u8]| head.starts_with(magic);
    match () {
        () if starts(b"\x1f\x8b") => Some(Layer::Gzip),
        // A frame that is skipped may stand before the first.
        () if starts(b"\x28\xb5\x2f\xfd")
            || (head.len() > 4 && head[0] & 0xf0 == 0x50 && head[1..4] == *b"\x2a\x4d\x18") =>
        {
            Some(Layer::Zstd)
        }
        () if starts(b"PK\x03\x04") || starts(b"PK\x05\x06") => Some(Layer::Zip),
        () if head.get(257..262) == Some(b"ustar") => Some(Layer::Tar),
        () if starts(b"\xfd7zXZ\0") => Some(Layer::Closed("xz")),
        () if starts(b"BZh") && head.get(4..10) == Some(b"1AY&SY") => Some(Layer::Closed("bzip2")),
        () if starts(b"7z\xbc\xaf\x27\x1c") => Some(Layer::Closed("7z")),
        () if starts(b"Rar!\x1a\x07") => Some(Layer::Closed("rar")),
        () if starts(b"\x04\x22\x4d\x18") && Dump::of(head).is_none() => Some(Layer::Closed("lz4")),
        () => None,
    }
}
