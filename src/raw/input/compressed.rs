//! Decompresses `.gz` and `.zst` inputs, known by their first bytes, under the limits against bombs.

use std::io::{ErrorKind, Read};

use zeroize::Zeroizing;

use crate::{Error, Kind, Result, Stage, limits};

const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// Is this the beginning of a compressed input?
pub(super) fn is_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(GZIP) || bytes.starts_with(ZSTD)
}

pub(super) fn is_zstd(bytes: &[u8]) -> bool {
    bytes.starts_with(ZSTD)
}

/// Unpacks what is one frame of zstd to its last byte, and nothing else.
pub(super) fn one_frame(bytes: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
    if !is_zstd(bytes) || zstd::zstd_safe::find_frame_compressed_size(bytes) != Ok(bytes.len()) {
        return Err(Error::new(Stage::Input, Kind::Malformed { what: "one frame of zstd and nothing else" }));
    }
    unzstd(bytes)
}

fn unzstd(bytes: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
    let mut decoder = zstd::stream::read::Decoder::with_buffer(bytes).map_err(|e| Error::io(Stage::Input, &e))?;
    decoder.window_log_max(limits::ZSTD_WINDOW_LOG).map_err(|e| Error::io(Stage::Input, &e))?;
    read_all(decoder, bytes.len(), ZSTD_NAMES)
}

/// The plain bytes of a compressed input; `None` if the input is not compressed.
pub(super) fn inflate(bytes: &[u8]) -> Result<Option<Zeroizing<Vec<u8>>>> {
    let mut plain: Option<Zeroizing<Vec<u8>>> = None;
    for depth in 0.. {
        let current = plain.as_deref().map_or(bytes, Vec::as_slice);
        let next = match current {
            _ if current.starts_with(GZIP) => {
                read_all(flate2::read::MultiGzDecoder::new(current), current.len(), GZIP_NAMES)
            }
            _ if is_zstd(current) => unzstd(current),
            _ => break,
        };
        if depth == limits::NESTING {
            let kind = Kind::Limit { what: "levels of compression", limit: u64::from(limits::NESTING) };
            return Err(Error::new(Stage::Input, kind));
        }
        plain = Some(next?);
    }
    if plain.as_ref().is_some_and(|p| p.is_empty()) {
        return Err(Error::new(Stage::Input, Kind::Empty));
    }
    Ok(plain)
}

/// What to call the stream in errors: cut off, damaged.
type Names = [&'static str; 2];
const GZIP_NAMES: Names = ["the gzip stream", "a whole gzip stream"];
const ZSTD_NAMES: Names = ["the zstd stream", "a whole zstd stream (window at most 128 MiB)"];

fn read_all(mut reader: impl Read, compressed: usize, names: Names) -> Result<Zeroizing<Vec<u8>>> {
    let bound = limits::PLAIN_BYTES.min((compressed as u64 * limits::RATIO).max(limits::RATIO_FREE_BYTES));
    let mut out = Zeroizing::new(Vec::new());
    let mut chunk = Zeroizing::new(vec![0; 1 << 17]);
    loop {
        let n = reader.read(&mut chunk).map_err(|e| match e.kind() {
            ErrorKind::UnexpectedEof => Error::new(Stage::Input, Kind::Truncated { what: names[0] }),
            _ => Error::new(Stage::Input, Kind::Malformed { what: names[1] }).at(out.len() as u64),
        })?;
        if n == 0 {
            return Ok(out);
        }
        if (out.len() + n) as u64 > bound {
            return Err(Error::new(Stage::Input, Kind::Limit { what: "bytes after decompression", limit: bound }));
        }
        out.extend_from_slice(&chunk[..n]);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        out.write_all(bytes).expect("memory");
        out.finish().expect("memory")
    }

    #[track_caller]
    fn check(bytes: &[u8], expected: Result<Option<usize>, Kind>) {
        let got = inflate(bytes).map(|plain| plain.map(|p| p.len())).map_err(|e| e.kind);
        assert_eq!(got, expected);
    }

    #[test]
    fn plain_bytes_are_left_alone() {
        check(b"{\"snapshot\":", Ok(None));
    }

    #[test]
    fn one_and_two_levels() {
        check(&gzip(b"abc"), Ok(Some(3)));
        check(&zstd::encode_all(&gzip(b"abc")[..], 3).expect("memory"), Ok(Some(3)));
    }

    #[test]
    fn three_levels_are_refused() {
        check(&gzip(&gzip(&gzip(b"abc"))), Err(Kind::Limit { what: "levels of compression", limit: 2 }));
    }

    #[test]
    fn a_bomb_is_refused() {
        let bomb = zstd::encode_all(&vec![0_u8; 200 << 20][..], 1).expect("memory");
        let limit = limits::RATIO_FREE_BYTES.max(bomb.len() as u64 * limits::RATIO);
        check(&bomb, Err(Kind::Limit { what: "bytes after decompression", limit }));
    }

    #[test]
    fn cut_off_streams_have_their_own_error() {
        let whole = gzip(&[7; 100_000]);
        check(&whole[..whole.len() - 9], Err(Kind::Truncated { what: "the gzip stream" }));
        let whole = zstd::encode_all(&[7; 100_000][..], 3).expect("memory");
        check(&whole[..whole.len() - 3], Err(Kind::Truncated { what: "the zstd stream" }));
    }

    #[test]
    fn an_empty_archive_is_empty() {
        check(&gzip(b""), Err(Kind::Empty));
    }
}
