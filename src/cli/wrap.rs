//! Fits text to the width of the terminal.

use std::io::IsTerminal;

/// Wider lines are hard to read, however wide the terminal is.
const WIDEST: usize = 120;
/// The width where nobody says any.
const USUAL: usize = 100;

/// The width for help: what COLUMNS says, or the terminal. Zero and anything that is no number say nothing.
pub(crate) fn width() -> usize {
    let said = std::env::var("COLUMNS").ok().and_then(|columns| columns.trim().parse().ok()).filter(|n| *n > 0);
    said.or_else(terminal_width).map_or(USUAL, |width: usize| width.min(WIDEST))
}

/// The width of the terminal that standard output goes to; none for pipes and files.
pub(crate) fn terminal_width() -> Option<usize> {
    let stdout = std::io::stdout();
    let size = if stdout.is_terminal() { rustix::termios::tcgetwinsize(&stdout).ok() } else { None };
    size.map(|size| usize::from(size.ws_col)).filter(|n| *n > 0)
}

/// How many columns a text takes; sequences for colours take none.
fn columns(text: &str) -> usize {
    let (mut count, mut is_escape) = (0, false);
    for c in text.chars() {
        match c {
            '\u{1b}' => is_escape = true,
            'm' if is_escape => is_escape = false,
            _ if is_escape => {}
            _ => count += 1,
        }
    }
    count
}

/// Breaks lines that are too wide at spaces and keeps their indent. A single word is never broken.
pub(crate) fn fit(text: &str, width: usize) -> String {
    let lines = text.lines().map(|line| {
        let line = line.trim_end();
        if columns(line) <= width { line.to_owned() } else { broken(line, width) }
    });
    lines.flat_map(|line| [line, "\n".to_owned()]).collect()
}

fn broken(line: &str, width: usize) -> String {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let (mut out, mut column, mut gap) = (" ".repeat(indent), indent, 0);
    let mut is_first = true;
    for word in line[indent..].split(' ') {
        if word.is_empty() {
            gap += 1;
            continue;
        }
        let wide = columns(word);
        if is_first {
            column += wide;
        } else if column + gap + wide > width {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            column = indent + wide;
        } else {
            out.push_str(&" ".repeat(gap));
            column += gap + wide;
        }
        out.push_str(word);
        (gap, is_first) = (1, false);
    }
    out
}

/// A paragraph in lines of at most this width, where the words allow.
pub(crate) fn fill(text: &str, width: usize) -> Vec<String> {
    broken(text.trim(), width).lines().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_at_spaces_and_keep_their_indent() {
        for (text, width, expected) in [
            ("short", 20, "short\n"),
            ("  one two three", 9, "  one two\n  three\n"),
            ("unbreakable", 3, "unbreakable\n"),
            ("a  b", 1, "a\nb\n"),
            ("a\n\nb   ", 10, "a\n\nb\n"),
            ("\u{1b}[1mone\u{1b}[0m two", 7, "\u{1b}[1mone\u{1b}[0m two\n"),
            ("", 0, ""),
        ] {
            assert_eq!(fit(text, width), expected, "{text:?} at {width}");
        }
        assert_eq!(fill("one two three", 7), ["one two", "three"]);
    }
}
