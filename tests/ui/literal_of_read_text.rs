//! Text that was read is not static, so it cannot pass as text of the program.
fn main() {
    let text = std::env::args().next().unwrap();
    println!("{}", heapscrub::SafeStr::literal(&text));
}
