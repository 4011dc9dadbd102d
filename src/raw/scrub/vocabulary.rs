//! The embedded vocabularies: names that bare runtimes carry, by role. Made by `rules/vocabulary/make.sh`.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use super::tags::Kind;

/// A sorted list of lines.
#[derive(Debug)]
struct List {
    text: &'static [u8],
    lines: Vec<u32>,
}

impl List {
    fn new(text: &'static str) -> Self {
        let text = text.as_bytes();
        let mut lines = vec![0];
        lines.extend(memchr::memchr_iter(b'\n', text).map(|n| n as u32 + 1));
        Self { text, lines }
    }

    fn line(&self, i: usize) -> &'static [u8] {
        &self.text[self.lines[i] as usize..self.lines[i + 1] as usize - 1]
    }

    fn contains(&self, word: &[u8]) -> bool {
        let (mut low, mut high) = (0, self.lines.len() - 1);
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.line(middle).cmp(word) {
                std::cmp::Ordering::Equal => return true,
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        false
    }
}

macro_rules! lists {
    ($($list:ident $file:literal),* $(,)?) => {
        $(static $list: LazyLock<List> = LazyLock::new(|| List::new(include_str!(concat!("../../../rules/vocabulary/", $file))));)*
        #[cfg(test)]
        fn all() -> Vec<(&'static str, &'static List)> { vec![$(($file, &*$list)),*] }
    };
}

lists! {
    CLASSES "classes.txt", EDGES "edges.txt", FUNCTIONS "functions.txt", PROPERTIES "properties.txt",
    PYTHON_FILES "python_files.txt", PYTHON_PACKAGES "python_packages.txt",
    REGEXPS "regexps.txt", SCRIPTS "scripts.txt", STRUCTURE "structure.txt", TAGS "tags.txt", VARIABLES "variables.txt",
}

/// Words of the format and of the engines that a bare runtime shows only at times.
const MORE: [(Kind, &str); 14] = [
    // What stands between the lines of a log.
    (Kind::Structure, "\n"),
    (Kind::Structure, "<dummy>"),
    (Kind::Structure, "(concatenated string)"),
    (Kind::Structure, "(sliced string)"),
    (Kind::Structure, "heap number"),
    (Kind::Unused, "<dummy>"),
    (Kind::Function, "(root)"),
    (Kind::Function, "(V8 API)"),
    (Kind::Edge, "weak_refs_keep_during_job"),
    (Kind::Edge, "optimized code"),
    (Kind::Native, "Node / std::basic_string"),
    (Kind::Script, "v8/gc"),
    (Kind::Script, "node:internal/main/run_main_module"),
    (Kind::Script, "internal/main/run_main_module.js"),
];

/// Does a bare runtime use this name in this part?
pub(in crate::raw) fn contains(kind: Kind, word: &[u8]) -> bool {
    let lists: &[&List] = match kind {
        Kind::Key => &[&PROPERTIES, &FUNCTIONS],
        Kind::Variable => &[&VARIABLES],
        Kind::Class => &[&CLASSES, &STRUCTURE],
        Kind::Function => &[&FUNCTIONS, &CLASSES],
        Kind::Code => &[&STRUCTURE, &FUNCTIONS, &CLASSES],
        Kind::Script => &[&SCRIPTS],
        Kind::File => &[&PYTHON_FILES],
        Kind::Regexp => &[&REGEXPS],
        Kind::Symbol => &[&PROPERTIES, &STRUCTURE],
        Kind::Native => &[&STRUCTURE, &CLASSES],
        Kind::Tag => &[&TAGS],
        Kind::Edge => &[&EDGES],
        Kind::Structure | Kind::Unused => &[&STRUCTURE],
        _ => &[],
    };
    lists.iter().any(|list| list.contains(word)) || MORE.iter().any(|(k, w)| *k == kind && w.as_bytes() == word)
}

/// Is this a word, in small letters, that programs write into logs and that is nobody's name?
pub(in crate::raw) fn contains_log_word(word: &[u8]) -> bool {
    static WORDS: LazyLock<FxHashSet<&'static [u8]>> =
        LazyLock::new(|| include_str!("../../../rules/logs/words.txt").lines().map(str::as_bytes).collect());
    WORDS.contains(word)
}

/// Is this a class of a bare runtime?
pub(in crate::raw) fn contains_class(word: &[u8]) -> bool {
    CLASSES.contains(word)
}

/// Is this a module of a public package of Python?
pub(in crate::raw) fn is_python_package(word: &[u8]) -> bool {
    PYTHON_PACKAGES.contains(word)
}

/// Is this a script of a bare runtime?
pub(in crate::raw) fn contains_script(word: &[u8]) -> bool {
    contains(Kind::Script, word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_and_end_with_a_line_end() {
        for (file, list) in all() {
            assert!(list.text.ends_with(b"\n"), "{file}");
            let lines: Vec<_> = (0..list.lines.len() - 1).map(|i| list.line(i)).collect();
            assert!(lines.is_sorted() && lines.len() > 100, "{file}");
            assert!(lines.iter().all(|l| list.contains(l)), "{file}");
        }
    }

    #[test]
    fn words_of_logs_are_sorted_small_and_nobodys_name() {
        let words: Vec<&str> = include_str!("../../../rules/logs/words.txt").lines().collect();
        assert!(words.is_sorted() && words.len() > 1500);
        let plain =
            |word: &&str| word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_.".contains(&b));
        assert!(words.iter().all(plain));
        assert!(
            ["mark", "will", "rose", "grace", "max", "grant", "may", "anna"].iter().all(|name| !words.contains(name))
        );
    }

    #[test]
    fn no_rule_objects_to_the_vocabulary() {
        let rules = crate::raw::detect::Rules::builtin();
        for (file, list) in all().into_iter().filter(|(file, _)| *file != "regexps.txt") {
            let hits: Vec<_> =
                (0..list.lines.len() - 1).filter(|i| rules.objects(list.line(*i))).map(|i| list.line(i)).collect();
            assert!(
                hits.is_empty(),
                "{file}: {:?}",
                hits.iter().map(|h| String::from_utf8_lossy(h)).collect::<Vec<_>>()
            );
        }
    }
}
