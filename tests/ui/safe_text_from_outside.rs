//! Text that was read becomes a text of a report only below `raw::scrub`; a bundle is only what was assembled and checked.
fn leak(text: String) -> heapscrub::SafeText {
    heapscrub::SafeText::vouch(text)
}

fn literal(text: String) -> heapscrub::SafeText {
    heapscrub::SafeText::literal(&text)
}

fn shown(text: String) -> heapscrub::SafeText {
    heapscrub::SafeText::shown(1, |_| text.clone())
}

fn made_up() -> heapscrub::Bundle {
    heapscrub::Bundle {}
}

fn main() {}
