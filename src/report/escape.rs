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

/// For texts and attributes of HTML and XML: nothing is an element, an entity or the end of an attribute.
#[must_use]
pub fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Line breaks and tabs are blanks there.
            '\n' => out.push('\n'),
            c if is_hidden(c) => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

/// For JSON that was written already: what would act on a terminal or in an editor is spelled out, with the same meaning.
#[must_use]
pub fn json(written: &str) -> String {
    let mut out = String::with_capacity(written.len());
    for c in written.chars() {
        if c != '\n' && is_hidden(c) {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        } else {
            out.push(c);
        }
    }
    out
}

/// A field of a table for spreadsheets: nothing is a formula, a second field or a second line.
#[must_use]
pub fn csv(text: &str) -> String {
    let text = plain(text);
    let acts = text.trim_start().starts_with(['=', '+', '-', '@', '\'', '|', '%']);
    format!("\"{}{}\"", if acts { "'" } else { "" }, text.replace('"', "\"\""))
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
    fn nothing_acts_in_html() {
        assert_eq!(html("<script>&\"'\u{202e}\0"), "&lt;script&gt;&amp;&quot;&#39;\\u{202e}\\u{0}");
        assert_eq!(html("a\n`b` Łódź"), "a\n`b` Łódź");
    }

    #[test]
    fn json_means_the_same_and_hides_nothing() {
        let text = "a\u{9b}b\u{202e}c\u{e0041}d\u{7f}";
        let written = json(&serde_json::to_string(text).expect("JSON"));
        assert_eq!(written, "\"a\\u009bb\\u202ec\\udb40\\udc41d\\u007f\"");
        assert_eq!(serde_json::from_str::<String>(&written).expect("JSON"), text);
    }

    #[test]
    fn nothing_acts_in_a_spreadsheet() {
        for (text, expected) in [
            ("=cmd()|' /C calc'!A0", "\"'=cmd()|' /C calc'!A0\""),
            (" \t@SUM(1)", "\" \\u{9}@SUM(1)\""),
            ("-1+1", "\"'-1+1\""),
            ("a\"b,c\nd", "\"a\"\"b,c\\u{a}d\""),
        ] {
            assert_eq!(csv(text), expected);
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
