//! `--values-file`: exact values that must not stay, one on each line. They are read and never written.

use std::io::Read;
use std::path::Path;

use zeroize::Zeroizing;

use super::needles::Core;
use super::tags::Kind as Tag;
use crate::{Error, Kind, Result, Stage, limits};

/// Values that the user knows of: addresses of staff, names of customers.
#[derive(Debug, Default)]
pub struct Values {
    pub(super) cores: Vec<Core>,
}

impl Values {
    /// Adds the lines of a file. Blank lines, and blanks around a value, do not count.
    ///
    /// # Errors
    /// When the file cannot be read, is too large, is not UTF-8, or holds no value.
    pub fn add(&mut self, path: &Path) -> Result<()> {
        let failed = |e: &std::io::Error| Error::io(Stage::Input, e);
        let file = std::fs::File::open(path).map_err(|e| failed(&e))?;
        let mut bytes = Zeroizing::new(Vec::new());
        file.take(limits::VALUES_BYTES + 1).read_to_end(&mut bytes).map_err(|e| failed(&e))?;
        if bytes.len() as u64 > limits::VALUES_BYTES {
            let kind = Kind::Limit { what: "bytes of the values file", limit: limits::VALUES_BYTES };
            return Err(Error::new(Stage::Input, kind));
        }
        // A list in another encoding would match nothing.
        if std::str::from_utf8(&bytes).is_err() || bytes.contains(&0) {
            return Err(Error::new(Stage::Input, Kind::ValuesEncoding));
        }
        let before = self.cores.len();
        // Lists made on other systems begin with a mark of the encoding.
        let lines = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        let values = lines.split(|b| *b == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
        self.cores.extend(values.map(|value| Core {
            kind: Tag::Listed,
            everywhere: true,
            text: Zeroizing::new(value.to_vec()),
        }));
        if self.cores.len() == before {
            return Err(Error::new(Stage::Input, Kind::NoValues));
        }
        Ok(())
    }

    /// How many values there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.cores.len()
    }
}
