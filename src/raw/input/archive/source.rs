//! Where the bytes of a member come from: a piece of the mapped file, or a stream that is unpacked while it is read.

use std::cell::Cell;
use std::io::{self, ErrorKind, Read};
use std::rc::Rc;

use zeroize::Zeroizing;

use super::fill;
use crate::raw::input::compressed::is_zstd;
use crate::{Error, Kind, Result, Stage, limits};

/// Bytes of something, from where it was read up to.
pub(super) enum Source<'s> {
    /// They lie in memory, or in the mapped file.
    Slice(&'s [u8]),
    /// They are unpacked while they are read; so many bytes are left, if that is known.
    Stream(Box<dyn Read + 's>, Option<u64>),
    /// There are none, for this reason.
    Broken(Error),
}

/// The first bytes, and how many there are in all, if that is known.
pub(super) struct Pulled {
    pub(super) head: Zeroizing<Vec<u8>>,
    pub(super) plain: Option<u64>,
}

/// What went wrong while a stream was read. The kind stands for it: its message could hold anything.
fn failed(error: &io::Error) -> Error {
    let kind = match error.kind() {
        ErrorKind::UnexpectedEof => Kind::Truncated { what: "the archive or a packed member" },
        ErrorKind::FileTooLarge => Kind::Limit { what: "bytes after decompression", limit: limits::PLAIN_BYTES },
        _ => Kind::Malformed { what: "a whole packed member (window at most 128 MiB)" },
    };
    Error::new(Stage::Input, kind)
}

impl<'s> Source<'s> {
    /// Takes the first bytes. Those of a slice stay where they are.
    pub(super) fn pull(&mut self, most: u64) -> Result<Pulled> {
        match self {
            Self::Slice(bytes) => {
                let head = &bytes[..bytes.len().min(most as usize)];
                Ok(Pulled { head: Zeroizing::new(head.to_vec()), plain: Some(bytes.len() as u64) })
            }
            Self::Stream(reader, left) => {
                let mut head = Zeroizing::new(vec![0; most as usize]);
                let got = fill(reader, &mut head).map_err(|e| failed(&e))?;
                head.truncate(got);
                let plain = *left;
                if let Some(left) = left {
                    *left = left.saturating_sub(got as u64);
                }
                Ok(Pulled { head, plain })
            }
            Self::Broken(error) => Err(*error),
        }
    }

    /// Appends everything that is left.
    pub(super) fn append_all(&mut self, out: &mut Zeroizing<Vec<u8>>) -> Result<()> {
        self.append_at_most(out, limits::PLAIN_BYTES)
    }

    /// Appends everything that is left; more than so many bytes in all are refused.
    pub(super) fn append_at_most(&mut self, out: &mut Zeroizing<Vec<u8>>, most: u64) -> Result<()> {
        let too_large = || Error::new(Stage::Input, Kind::Limit { what: "bytes after decompression", limit: most });
        match self {
            Self::Slice(bytes) if bytes.len() as u64 > most => Err(too_large()),
            Self::Slice(bytes) => {
                // The head was copied from the same place.
                out.clear();
                out.extend_from_slice(bytes);
                Ok(())
            }
            Self::Stream(reader, _) => {
                let mut chunk = Zeroizing::new(vec![0; 1 << 17]);
                loop {
                    let got = fill(reader, &mut chunk).map_err(|e| failed(&e))?;
                    if (out.len() + got) as u64 > most {
                        return Err(too_large());
                    }
                    out.extend_from_slice(&chunk[..got]);
                    if got < chunk.len() {
                        return Ok(());
                    }
                }
            }
            Self::Broken(error) => Err(*error),
        }
    }

    /// The plain form of what is packed, under the limits against bombs.
    pub(super) fn unpacked(self, head: Zeroizing<Vec<u8>>) -> Result<Source<'s>> {
        let zstd = is_zstd(&head);
        let claimed = if zstd { zstd::zstd_safe::get_frame_content_size(&head).ok().flatten() } else { None };
        let taken = Rc::new(Cell::new(0));
        let packed: Box<dyn Read + 's> = match self {
            Self::Slice(bytes) => Box::new(bytes),
            Self::Stream(reader, _) => Box::new(io::Cursor::new(head.to_vec()).chain(reader)),
            Self::Broken(error) => return Err(error),
        };
        let counted = Counted { inner: packed, taken: Rc::clone(&taken) };
        let plain: Box<dyn Read + 's> = if zstd {
            let io = |e: io::Error| failed(&e);
            let mut decoder = zstd::stream::read::Decoder::new(counted).map_err(io)?;
            decoder.window_log_max(limits::ZSTD_WINDOW_LOG).map_err(io)?;
            Box::new(decoder)
        } else {
            Box::new(flate2::read::MultiGzDecoder::new(counted))
        };
        // A claim beyond every bound is none.
        let claimed = claimed.filter(|bytes| *bytes <= limits::PLAIN_BYTES);
        Ok(Source::Stream(Box::new(Bounded { inner: plain, taken, given: 0 }), claimed))
    }

    /// The plain form of a member that a zip holds without a wrapping of its own.
    pub(super) fn inflated(packed: &'s [u8], plain: u64) -> Source<'s> {
        let taken = Rc::new(Cell::new(packed.len() as u64));
        let decoder = flate2::read::DeflateDecoder::new(packed);
        Source::Stream(Box::new(Bounded { inner: decoder, taken, given: 0 }), Some(plain))
    }
}

/// Counts what a decoder takes.
struct Counted<R> {
    inner: R,
    taken: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let got = self.inner.read(into)?;
        self.taken.set(self.taken.get() + got as u64);
        Ok(got)
    }
}

/// Ends with an error when far more comes out than went in.
struct Bounded<R> {
    inner: R,
    taken: Rc<Cell<u64>>,
    given: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let got = self.inner.read(into)?;
        self.given += got as u64;
        let bound = (self.taken.get().saturating_mul(limits::RATIO)).max(limits::RATIO_FREE_BYTES);
        if self.given > bound.min(limits::PLAIN_BYTES) { Err(ErrorKind::FileTooLarge.into()) } else { Ok(got) }
    }
}
