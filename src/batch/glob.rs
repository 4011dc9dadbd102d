//! Patterns of paths: `*`, `?`, `[abc]` within a name, `**` over directories.

use regex_automata::meta::Regex;
use regex_automata::util::syntax;

use crate::ConfigError;

/// A pattern of paths.
#[derive(Debug)]
pub struct Glob {
    regex: Regex,
    /// Without a slash it is about the last name alone.
    is_name: bool,
}

impl Glob {
    /// Reads a pattern.
    ///
    /// # Errors
    /// When a bracket is not closed.
    pub fn new(pattern: &str) -> Result<Self, ConfigError> {
        let fault = || ConfigError::new(format!("'{}' is no pattern of paths", crate::report::escape::plain(pattern)));
        let text = translated(pattern).ok_or_else(fault)?;
        let config = syntax::Config::new().dot_matches_new_line(true);
        let regex = Regex::builder().syntax(config).build(&text).map_err(|_| fault())?;
        Ok(Self { regex, is_name: !pattern.contains('/') })
    }

    /// Does a path look like it?
    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        let part = if self.is_name { path.rsplit(['/', '!']).next().unwrap_or(path) } else { path };
        self.regex.is_match(part)
    }
}

/// Is this a pattern and no plain path?
pub(super) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

fn translated(pattern: &str) -> Option<String> {
    let mut out = String::from(r"\A");
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        let (piece, taken) = match c {
            '*' if rest.starts_with("**/") => ("(?:.*/)?".to_owned(), 3),
            '*' if rest.starts_with("**") => (".*".to_owned(), 2),
            '*' => ("[^/]*".to_owned(), 1),
            '?' => ("[^/]".to_owned(), 1),
            '[' => {
                let end = rest[2.min(rest.len())..].find(']')? + 2;
                let inside = &rest[1..end];
                let (not, set) = inside.strip_prefix(['!', '^']).map_or(("", inside), |set| ("^", set));
                let set: String = set
                    .chars()
                    .map(|c| if c == '-' { "-".into() } else { regex_syntax::escape(&c.to_string()) })
                    .collect();
                (format!("[{not}{set}]"), end + 1)
            }
            c => (regex_syntax::escape(&c.to_string()), c.len_utf8()),
        };
        out.push_str(&piece);
        rest = &rest[taken..];
    }
    Some(out + r"\z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, yes: &[&str], no: &[&str]) {
        let glob = Glob::new(pattern).expect("a pattern");
        for path in yes {
            assert!(glob.matches(path), "{pattern} {path}");
        }
        for path in no {
            assert!(!glob.matches(path), "{pattern} {path}");
        }
    }

    #[test]
    fn patterns_of_paths() {
        check(
            "*.heapsnapshot",
            &["a.heapsnapshot", "x/y/a.heapsnapshot", "x.zip!a.heapsnapshot"],
            &["a.heapsnapshot.gz"],
        );
        check("x/*/a", &["x/y/a"], &["x/y/z/a", "x/a"]);
        check("x/**/a", &["x/y/a", "x/y/z/a", "x/a"], &["y/a"]);
        check("x/**", &["x/y/a", "x/"], &["y/x/a"]);
        check("a?[0-9].b", &["ax1.b"], &["a1.b", "axx.b", "ax1xb"]);
        check("[!a]x", &["bx"], &["ax"]);
        check("a+(b).c", &["a+(b).c"], &["aab.c"]);
        assert!(Glob::new("a[b").is_err() && Glob::new("[").is_err() && Glob::new("[]").is_err());
    }
}
