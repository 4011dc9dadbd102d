//! What to do about each kind of owner: one table for each runtime, written by people and shown as it stands.

mod javascript;
mod python;

use super::owner_kind::{OwnerKind, Runtime};

/// What a kind of owner means and how the leak is mended at its root.
#[derive(Debug)]
pub(crate) struct Advice {
    /// Why objects stay, in one sentence.
    pub(crate) means: &'static str,
    /// What to do, in one to three sentences.
    pub(crate) advice: &'static str,
    /// A sketch of code that leaks.
    pub(crate) before: &'static str,
    /// The same code without the leak.
    pub(crate) after: &'static str,
}

/// The advice for a kind of owner; none where nothing is known for the runtime, and never for [`OwnerKind::Unknown`].
pub(crate) fn advice(kind: OwnerKind, runtime: Runtime) -> Option<&'static Advice> {
    match runtime {
        Runtime::JavaScript => javascript::advice(kind),
        Runtime::Python => python::advice(kind),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every advice of every runtime, with what to call it when something is wrong with it.
    fn all() -> impl Iterator<Item = (String, &'static Advice)> {
        Runtime::ALL.into_iter().flat_map(|runtime| {
            OwnerKind::ALL.into_iter().filter_map(move |kind| {
                let found = advice(kind, runtime)?;
                Some((format!("{runtime:?}, {}", kind.name()), found))
            })
        })
    }

    #[test]
    fn every_kind_but_unknown_has_advice_for_javascript() {
        for kind in OwnerKind::ALL {
            assert_eq!(advice(kind, Runtime::JavaScript).is_some(), kind != OwnerKind::Unknown, "{}", kind.name());
        }
    }

    #[test]
    fn unknown_owners_get_no_advice_anywhere() {
        assert!(Runtime::ALL.into_iter().all(|runtime| advice(OwnerKind::Unknown, runtime).is_none()));
    }

    #[test]
    fn texts_are_short_whole_sentences() {
        for (name, found) in all() {
            for text in [found.means, found.advice] {
                assert!((20..=320).contains(&text.len()), "{name}: {} bytes: {text}", text.len());
                assert!(text.ends_with('.') && !text.contains("  ") && !text.contains('\n'), "{name}: {text}");
            }
            assert!(found.means.matches(". ").count() == 0, "{name}: more than one sentence: {}", found.means);
        }
    }

    #[test]
    fn sketches_are_two_to_six_short_lines_that_differ_and_close_what_they_open() {
        for (name, found) in all() {
            assert_ne!(found.before, found.after, "{name}");
            for sketch in [found.before, found.after] {
                assert!((2..=6).contains(&sketch.lines().count()), "{name}: {sketch}");
                assert!(sketch.lines().all(|line| !line.trim().is_empty() && line.len() <= 90), "{name}: {sketch}");
                for (open, close) in [('(', ')'), ('{', '}'), ('[', ']')] {
                    assert_eq!(
                        sketch.matches(open).count(),
                        sketch.matches(close).count(),
                        "{name}: {open} in {sketch}"
                    );
                }
            }
        }
    }

    #[test]
    fn texts_are_plain_characters() {
        for (name, found) in all() {
            for text in [found.means, found.advice, found.before, found.after] {
                assert!(text.bytes().all(|b| b == b'\n' || (b' '..=b'~').contains(&b)), "{name}: {text}");
                assert!(!text.contains('`'), "{name}: a backtick ends a code span: {text}");
            }
        }
    }
}
