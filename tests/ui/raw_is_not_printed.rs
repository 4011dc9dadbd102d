//! Raw text has no `Display`, cannot be compared, and does not show its bytes.
fn print(raw: heapscrub::RawStr<'_>) {
    println!("{raw}");
}

fn look(raw: heapscrub::RawStr<'_>) -> &[u8] {
    raw.expose()
}

fn compare(raw: heapscrub::RawStr<'_>) -> bool {
    raw == raw
}

fn main() {}
