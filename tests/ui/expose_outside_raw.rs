//! Inside the crate, too, nothing outside of `raw` can look at raw bytes.
mod raw {
    pub mod scrub;
}

mod report {
    pub fn leak(raw: crate::raw::scrub::wall::RawStr<'_>) -> usize {
        raw.expose().len()
    }
}

fn main() {
    let _ = report::leak;
}
