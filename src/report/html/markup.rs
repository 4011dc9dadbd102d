//! HTML that is well formed and escaped by construction: there is no way to put text into it but as text.
//!
//! Names of elements and attributes stand in the program. No attribute can run or load anything: there are no addresses
//! but those inside the page.

use crate::report::escape;

/// A piece of HTML: everything in it was escaped, or stands in the program.
#[derive(Clone, Debug, Default)]
pub struct Html(String);

impl Html {
    /// The bytes of it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// One piece after the other.
    pub fn put(&mut self, piece: impl Into<Self>) {
        self.0.push_str(&piece.into().0);
    }

    /// Text: whatever it is, it is shown and does nothing.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self(escape::html(text))
    }

    /// Pieces one after the other.
    pub fn all<T: Into<Self>>(pieces: impl IntoIterator<Item = T>) -> Self {
        let mut out = Self::default();
        pieces.into_iter().for_each(|piece| out.put(piece));
        out
    }

    /// SVG that this program drew and escaped.
    pub(super) fn drawn(svg: String) -> Self {
        Self(svg)
    }

    /// Nothing at all?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// An element that is being put together.
#[derive(Clone, Debug)]
pub struct Element {
    tag: &'static str,
    attributes: String,
    inner: Html,
}

/// Elements without content and end.
const VOID: [&str; 3] = ["br", "col", "hr"];
/// Elements after which a line of the file ends, so that lines stay short.
const BLOCKS: [&str; 20] = [
    "p", "li", "ul", "ol", "tr", "table", "section", "div", "h1", "h2", "h3", "nav", "header", "main", "footer", "svg",
    "details", "pre", "dl", "dd",
];

/// Begins an element.
#[must_use]
pub fn el(tag: &'static str) -> Element {
    Element { tag, attributes: String::new(), inner: Html::default() }
}

impl Element {
    /// Adds an attribute.
    #[must_use]
    pub fn attr(mut self, name: &'static str, value: &str) -> Self {
        self.attributes.push_str(&format!(" {name}=\"{}\"", escape::html(value)));
        self
    }

    /// Adds its classes, which stand in the style sheet.
    #[must_use]
    pub fn class(self, class: &'static str) -> Self {
        self.attr("class", class)
    }

    /// Adds text.
    #[must_use]
    pub fn text(mut self, text: &str) -> Self {
        self.inner.put(Html::text(text));
        self
    }

    /// Adds what was put together before.
    #[must_use]
    pub fn with(mut self, piece: impl Into<Html>) -> Self {
        self.inner.put(piece);
        self
    }

    /// Adds several.
    #[must_use]
    pub fn all<T: Into<Html>>(mut self, pieces: impl IntoIterator<Item = T>) -> Self {
        self.inner.put(Html::all(pieces));
        self
    }
}

impl From<Element> for Html {
    fn from(Element { tag, attributes, inner }: Element) -> Self {
        let end = if BLOCKS.contains(&tag) { "\n" } else { "" };
        if VOID.contains(&tag) {
            return Self(format!("<{tag}{attributes}>{end}"));
        }
        Self(format!("<{tag}{attributes}>{}</{tag}>{end}", inner.0))
    }
}

impl<T: Into<Html>> From<Option<T>> for Html {
    fn from(piece: Option<T>) -> Self {
        piece.map(Into::into).unwrap_or_default()
    }
}

/// A name, address or other text of a program.
#[must_use]
pub fn code(text: &str) -> Element {
    el("code").text(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        let piece = el("p").attr("title", "\"><script>").text("<img src=x onerror=alert(1)>&\u{202e}").with(code("`'"));
        assert_eq!(
            Html::from(piece).as_str(),
            "<p title=\"&quot;&gt;&lt;script&gt;\">&lt;img src=x onerror=alert(1)&gt;&amp;\\u{202e}<code>`&#39;</code></p>\n"
        );
    }
}
