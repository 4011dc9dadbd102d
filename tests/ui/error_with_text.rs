//! An error owns no text: it is `Copy`, and a kind takes static words only.
fn main() {
    let text = String::from("text of a customer");
    let _ = heapscrub::Kind::Malformed { what: &text };
}
