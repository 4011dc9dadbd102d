//! `--values-file`: exact values that must not stay, one on each line, or the cells of a table. They are read and never
//! written.

use std::io::Read;
use std::path::Path;

use zeroize::Zeroizing;

use super::needles::Core;
use super::table;
use super::tags::Kind as Tag;
use crate::{Error, Kind, Result, Stage, limits};

/// Values that the user knows of: addresses of staff, names of customers.
#[derive(Debug, Default)]
pub struct Values {
    pub(super) cores: Vec<Core>,
    /// Where each of them stands: the number of its file, from 0, and its line, from 1.
    pub(in crate::raw) places: Vec<(u32, u64)>,
    files: u32,
}

impl Values {
    /// Adds a file. A table (its name ends in `.csv` or `.tsv`, or columns are asked for) gives its cells, of these columns
    /// or of all; anything else gives its lines. Blank ones, and blanks around a value, do not count.
    ///
    /// # Errors
    /// When the file cannot be read, is too large, is not UTF-8, holds no value, or is no table with these columns.
    pub fn add(&mut self, path: &Path, columns: &[String]) -> Result<()> {
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
        // Lists made on other systems begin with a mark of the encoding.
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        let end = path.extension().map(|end| end.to_string_lossy().to_ascii_lowercase());
        let is_tabbed = end.as_deref() == Some("tsv");
        let values = if is_tabbed || end.as_deref() == Some("csv") || !columns.is_empty() {
            table::cells(text, is_tabbed, columns)?
        } else {
            lines(text)
        };
        if values.is_empty() {
            return Err(Error::new(Stage::Input, Kind::NoValues));
        }
        for (line, text) in values {
            self.places.push((self.files, line));
            self.cores.push(Core { kind: Tag::Listed, everywhere: true, text });
        }
        self.files += 1;
        Ok(())
    }

    /// How many values there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.cores.len()
    }
}

/// The lines of a list, each with its number. One that is wholly in quotes was written by a program that quotes.
fn lines(text: &[u8]) -> Vec<(u64, Zeroizing<Vec<u8>>)> {
    let trimmed = text.split(|b| *b == b'\n').map(<[u8]>::trim_ascii);
    let plain = |line: &[u8]| match line.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")) {
        Some(inner) if !inner.contains(&b'"') && !inner.trim_ascii().is_empty() => inner.trim_ascii().to_vec(),
        _ => line.to_vec(),
    };
    let numbered = (1..).zip(trimmed).filter(|(_, line)| !line.is_empty());
    numbered.map(|(number, line)| (number, Zeroizing::new(plain(line)))).collect()
}
