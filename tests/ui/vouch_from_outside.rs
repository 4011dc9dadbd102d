//! Another crate cannot declare a text safe.
fn main() {
    let text = String::from("text of a customer");
    println!("{}", heapscrub::SafeStr::vouch(&text));
}
