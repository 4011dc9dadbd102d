//! Text from a heap is hostile: each medium gets it in a form that can do nothing there.

/// For terminals and plain text: nothing that moves the cursor, changes the direction or hides.
#[must_use]
pub fn plain(text: &str) -> String {
    text.chars().map(|c| if is_hidden(c) { format!("\\u{{{:x}}}", u32::from(c)) } else { c.to_string() }).collect()
}

/// The same for texts of several lines: line breaks stay.
#[must_use]
pub fn plain_lines(text: &str) -> String {
    text.split('\n').map(plain).collect::<Vec<_>>().join("\n")
}

/// At most this many characters; "…" says that there were more.
#[must_use]
pub fn short(text: &str, characters: usize) -> String {
    let mut rest = text.chars();
    let kept: String = rest.by_ref().take(characters).collect();
    if rest.next().is_some() { kept + "…" } else { kept }
}

/// For Markdown: a code span, in which nothing is a mention, a link, an image or a table.
#[must_use]
pub fn code(text: &str) -> String {
    let text = plain(text).replace('|', "\\|");
    // A span is closed only by as many backticks as opened it.
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') || text.is_empty() { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Control, direction and zero-width characters, and marks that change what stands beside them.
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_acts_on_a_terminal() {
        assert_eq!(plain("a\u{1b}[31mb\u{202e}c\r\n\u{200b}"), "a\\u{1b}[31mb\\u{202e}c\\u{d}\\u{a}\\u{200b}");
        assert_eq!(plain("Łódź 😀 [text#1]"), "Łódź 😀 [text#1]");
    }

    #[test]
    fn only_line_breaks_stay_in_lines() {
        assert_eq!(plain_lines("a\n\u{1b}b\r\n"), "a\n\\u{1b}b\\u{d}\n");
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        for (text, expected) in [("", ""), ("Łódź", "Łódź"), ("Łódź😀", "Łódź…"), ("abcdef", "abcd…")]
        {
            assert_eq!(short(text, 4), expected);
        }
    }

    #[test]
    fn nothing_acts_in_markdown() {
        assert_eq!(code("@someone <img src=x>"), "`@someone <img src=x>`");
        assert_eq!(code("a`b``c"), "```a`b``c```");
        assert_eq!(code("`x"), "`` `x ``");
        assert_eq!(code("a|b\nc"), "`a\\|b\\u{a}c`");
        assert_eq!(code(""), "`  `");
    }
}
