//! Reads a page of this program back, strictly: every text and every attribute, as a browser would understand it. What this
//! program would not have written is no page.

use super::page::{SCRIPT, STYLE};

/// Attributes that this program writes and that hold geometry or order: digits, and the few letters of SVG.
const DRAWN: [&str; 15] =
    ["d", "points", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "width", "height", "viewBox", "transform", "data-v"];
/// Attributes that could load, run or send something. No page has them.
const ACTING: [&str; 9] =
    ["src", "srcset", "style", "action", "formaction", "data", "xlink:href", "background", "srcdoc"];

/// Hands each text and attribute to `each`, without escapes. `None`: this program writes no such page.
pub(crate) fn literals(page: &str, mut each: impl FnMut(&[u8])) -> Option<()> {
    let mut rest = page.strip_prefix("<!DOCTYPE html>\n")?;
    while let Some(at) = rest.find('<') {
        text(&rest[..at], &mut each)?;
        let end = tag_end(&rest[at..])?;
        let tag = &rest[at + 1..at + end];
        rest = &rest[at + end + 1..];
        let name = element(tag, &mut each)?;
        // Their content is the program's own, to the last byte.
        for (of, own) in [("style", STYLE), ("script", SCRIPT)] {
            if name == of {
                rest = rest.strip_prefix(own)?.strip_prefix("</")?.strip_prefix(of)?.strip_prefix('>')?;
            }
        }
    }
    text(rest, &mut each)
}

/// Where a tag ends, beside what stands in quotes.
fn tag_end(tag: &str) -> Option<usize> {
    let mut quoted = false;
    tag.bytes().position(|b| {
        quoted ^= b == b'"';
        b == b'>' && !quoted
    })
}

/// The name of an element, after its attributes were looked at.
fn element<'t>(tag: &'t str, each: &mut impl FnMut(&[u8])) -> Option<&'t str> {
    let is_name =
        |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b':'));
    let (name, mut rest) = tag.split_at(tag.find(' ').unwrap_or(tag.len()));
    let (closes, name) = name.strip_prefix('/').map_or((false, name), |name| (true, name));
    if !is_name(name) || (closes && !rest.is_empty()) {
        return None;
    }
    // SVG may end an element in itself.
    rest = rest.strip_suffix('/').unwrap_or(rest);
    while let Some(attribute) = rest.strip_prefix(' ') {
        let (key, value) = attribute.split_once("=\"")?;
        let (value, after) = value.split_once('"')?;
        rest = after;
        if !is_name(key) || ACTING.contains(&key) || key.starts_with("on") {
            return None;
        }
        if key == "href" && !value.starts_with('#') {
            return None;
        }
        let is_drawn = value.bytes().all(|b| b.is_ascii_digit() || b" .,-()MLHVZtransle".contains(&b));
        if !(DRAWN.contains(&key) && is_drawn) {
            text(value, each)?;
        }
    }
    let name = name.strip_suffix('/').unwrap_or(name);
    rest.is_empty().then_some(if closes { "" } else { name })
}

/// A text without its escapes; only those that this program writes.
fn text(escaped: &str, each: &mut impl FnMut(&[u8])) -> Option<()> {
    const ENTITIES: [(&str, char); 5] = [("amp;", '&'), ("lt;", '<'), ("gt;", '>'), ("quot;", '"'), ("#39;", '\'')];
    let (mut out, mut rest) = (String::new(), escaped);
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let (entity, c) = ENTITIES.into_iter().find(|(entity, _)| rest.starts_with(entity))?;
        out.push(c);
        rest = &rest[entity.len()..];
    }
    out.push_str(rest);
    if out.contains(['<', '>']) && escaped.contains(['<', '>']) {
        return None;
    }
    // Lines count alone, as they do in other texts.
    out.split('\n').filter(|line| !line.trim().is_empty()).for_each(|line| each(line.trim().as_bytes()));
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(body: &str, expected: Option<&[&str]>) {
        let mut found = Vec::new();
        let page = format!("<!DOCTYPE html>\n{body}");
        let read = literals(&page, |text| found.push(String::from_utf8_lossy(text).into_owned()));
        assert_eq!(
            read.map(|()| found),
            expected.map(|texts| texts.iter().map(|t| (*t).to_owned()).collect()),
            "{body}"
        );
    }

    #[test]
    fn every_text_is_seen_and_nothing_else_is_accepted() {
        check("<p title=\"a&amp;b\">&lt;c&gt;\nd</p>", Some(&["a&b", "<c>", "d"]));
        check("<rect x=\"1.5\" width=\"4\"/>", Some(&[]));
        check("<rect x=\"card\"/>", Some(&["card"]));
        check(&format!("<style>{STYLE}</style>"), Some(&[]));
        for odd in [
            "<p>&copy;</p>",
            "<!-- x -->",
            "<p onclick=\"x\">",
            "<p title='x'>",
            "<a href=\"javascript:x\">",
            "<img src=\"x\">",
            "<p hidden>",
            "<style>p{}</style>",
            "<script>x</script>",
            "<p",
        ] {
            check(odd, None);
        }
    }
}
