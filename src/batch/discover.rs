//! What is there: files, directories, patterns and lists, looked into down to the members of archives.

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::glob::{self, Glob};
use super::place::Place;
use super::row::Why;
use crate::raw::input::archive::{self, Probe};
use crate::{Error, Kind, Stage};

/// What to look for.
#[derive(Debug, Default)]
pub struct Wanted {
    /// Files, directories and patterns, as the user named them.
    pub roots: Vec<PathBuf>,
    /// Only what looks like one of these.
    pub include: Vec<Glob>,
    /// Nothing that looks like one of these.
    pub exclude: Vec<Glob>,
    /// Only files that were changed since then, in seconds since 1970.
    pub since: Option<i64>,
    /// Directories that are not looked into: where results go.
    pub not_in: Vec<PathBuf>,
}

/// Something that was found.
#[derive(Debug)]
pub struct Found {
    /// Where it lies.
    pub place: Place,
    /// What it is, or why it will come to nothing.
    pub(crate) probe: Result<Probe, Error>,
    /// Did the user name this very file?
    pub is_named: bool,
}

impl Found {
    /// Why it will come to nothing.
    pub(crate) fn fault(&self) -> Option<(Why, Error)> {
        self.probe.err().map(|error| (Why::of(error), error))
    }

    /// Files of a directory or an archive that are no dumps are passed over.
    pub(crate) fn is_passed_over(&self) -> bool {
        !self.is_named && matches!(self.fault(), Some((Why::Unknown | Why::Empty, _)))
    }
}

/// Looks for dumps. What comes back is sorted by place, and no file is there twice, however many ways lead to it.
#[must_use]
pub fn discover(wanted: &Wanted) -> Vec<Found> {
    let mut search = Search { wanted, seen: BTreeSet::new(), found: Vec::new() };
    let mut roots: Vec<&PathBuf> = wanted.roots.iter().collect();
    roots.sort();
    roots.dedup();
    for root in roots {
        search.root(root);
    }
    search.found.sort_by(|a, b| a.place.cmp(&b.place));
    search.found
}

struct Search<'w> {
    wanted: &'w Wanted,
    /// Device and number of every file that was looked at: links and loops lead to them again.
    seen: BTreeSet<(u64, u64)>,
    found: Vec<Found>,
}

fn io_fault(error: &std::io::Error) -> Error {
    Error::io(Stage::Input, error)
}

impl Search<'_> {
    fn root(&mut self, root: &Path) {
        let text = root.to_string_lossy();
        match std::fs::metadata(root) {
            Ok(meta) if meta.is_dir() => self.directory(root, root.parent(), None),
            Ok(_) => self.file(root, root.parent(), true),
            Err(_) if glob::is_pattern(&text) => self.pattern(&text),
            Err(error) => self.fault(root, None, io_fault(&error), true),
        }
    }

    /// A pattern: everything below the directories in front of it that looks like it.
    fn pattern(&mut self, pattern: &str) {
        let base: PathBuf = Path::new(pattern)
            .components()
            .take_while(|c| !glob::is_pattern(&c.as_os_str().to_string_lossy()))
            .collect();
        let base = if base.as_os_str().is_empty() { PathBuf::from(".") } else { base };
        // One name alone is about the files right here, not about all below.
        let whole = if pattern.contains('/') { pattern.to_owned() } else { format!("./{pattern}") };
        let before = self.found.len();
        match Glob::new(&whole) {
            Ok(glob) => self.directory(&base, base.parent(), Some(&glob)),
            Err(_) => {
                return self.fault(
                    Path::new(pattern),
                    None,
                    Error::new(Stage::Input, Kind::Io(std::io::ErrorKind::NotFound)),
                    true,
                );
            }
        }
        if self.found.len() == before {
            let nothing = Error::new(Stage::Input, Kind::Io(std::io::ErrorKind::NotFound));
            self.fault(Path::new(pattern), None, nothing, true);
        }
    }

    fn directory(&mut self, root: &Path, base: Option<&Path>, glob: Option<&Glob>) {
        let inner =
            |path: &Path| self.wanted.not_in.iter().any(|not| std::fs::canonicalize(path).is_ok_and(|p| p == *not));
        let walk = WalkDir::new(root).follow_links(true).sort_by_file_name().into_iter();
        let entries: Vec<_> = walk.filter_entry(|entry| !(entry.file_type().is_dir() && inner(entry.path()))).collect();
        for entry in entries {
            match entry {
                Ok(entry) if entry.file_type().is_dir() => {}
                Ok(entry) => {
                    if glob.is_none_or(|glob| glob.matches(&entry.path().to_string_lossy())) {
                        self.file(entry.path(), base, false);
                    }
                }
                // A loop leads to what is looked at anyway.
                Err(error) if error.loop_ancestor().is_some() => {}
                Err(error) => {
                    let path = error.path().unwrap_or(root).to_owned();
                    let kind = error.io_error().map_or(std::io::ErrorKind::Other, std::io::Error::kind);
                    if glob.is_none_or(|glob| glob.matches(&path.to_string_lossy())) {
                        self.fault(&path, base, Error::new(Stage::Input, Kind::Io(kind)), false);
                    }
                }
            }
        }
    }

    /// What a path is called: from the directory on that the user named.
    fn called(path: &Path, base: Option<&Path>) -> String {
        let short = base.and_then(|base| path.strip_prefix(base).ok()).unwrap_or(path);
        short.to_string_lossy().into_owned()
    }

    fn fault(&mut self, path: &Path, base: Option<&Path>, error: Error, is_named: bool) {
        let called = Self::called(path, base);
        if self.is_wanted(&called) {
            let full = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
            self.found.push(Found { place: Place::new(&full, called, 0, 0), probe: Err(error), is_named });
        }
    }

    fn is_wanted(&self, called: &str) -> bool {
        let Wanted { include, exclude, .. } = self.wanted;
        (include.is_empty() || include.iter().any(|glob| glob.matches(called)))
            && !exclude.iter().any(|glob| glob.matches(called))
    }

    fn file(&mut self, path: &Path, base: Option<&Path>, is_named: bool) {
        let state = std::fs::canonicalize(path).and_then(|full| Ok((std::fs::metadata(&full)?, full)));
        let (meta, full) = match state {
            Ok(state) => state,
            Err(error) => return self.fault(path, base, io_fault(&error), is_named),
        };
        let called = Self::called(path, base);
        let changed_ns = i128::from(meta.mtime()) * 1_000_000_000 + i128::from(meta.mtime_nsec());
        let place = Place::new(&full, called, meta.len(), changed_ns);
        if self.wanted.since.is_some_and(|since| place.changed() < since) || !self.seen.insert((meta.dev(), meta.ino()))
        {
            return;
        }
        if !meta.is_file() {
            // Pipes and devices may have no end.
            let kind = Kind::Unsupported { what: "a pipe, a socket or a device among the dumps" };
            if self.is_wanted(&place.called) {
                self.found.push(Found { place, probe: Err(Error::new(Stage::Input, kind)), is_named });
            }
            return;
        }
        let mut members = Vec::new();
        archive::look(&full, &mut |seen| members.push(seen));
        for seen in members {
            let mut place = place.clone();
            for member in &seen.members {
                place.called.push('!');
                place.called.push_str(&member.name);
                place.members.push(member.number);
            }
            if self.is_wanted(&place.called) {
                let is_named = is_named && seen.members.is_empty();
                self.found.push(Found { place, probe: seen.probe, is_named });
            }
        }
    }
}
