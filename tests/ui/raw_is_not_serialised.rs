//! Raw text cannot get into a report.
fn main() {
    fn report(value: impl serde::Serialize) {}
    fn leak(raw: heapscrub::RawStr<'_>) {
        report(raw);
    }
}
