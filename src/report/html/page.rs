//! The page around everything: one file that loads nothing, runs nothing but its own script, and sends nothing.

use base64ct::{Base64, Encoding};
use sha2::{Digest as _, Sha256};

use super::markup::Html;
use crate::report::escape;

/// The one style sheet of all pages.
pub(crate) const STYLE: &str = include_str!("style.css");
/// The one script of all pages: tables that can be filtered and sorted. Pages are complete without it.
pub(crate) const SCRIPT: &str = include_str!("script.js");

/// A whole page.
#[must_use]
pub fn page(title: &str, body: &Html) -> String {
    let hash = |text: &str| Base64::encode_string(&Sha256::digest(text.as_bytes()));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src &#39;none&#39;; style-src &#39;sha256-{}&#39;; script-src &#39;sha256-{}&#39;; base-uri &#39;none&#39;; form-action &#39;none&#39;\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{}<script>{SCRIPT}</script>\n</body>\n</html>\n",
        hash(STYLE),
        hash(SCRIPT),
        escape::html(title),
        body.as_str(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_style_or_script_early() {
        for text in [STYLE, SCRIPT] {
            assert!(!text.contains("</") && !text.contains("<!--") && !text.contains("http"));
            assert!(text.is_ascii() && !text.contains("url(") && !text.contains("@import"));
        }
    }
}
