//! A job in parts: each machine takes the items whose digests fall to it, so a list that grows does not move the others.

use super::hex::Hex;

/// One of so many parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Its number, from 0.
    pub number: u32,
    /// How many there are.
    pub of: u32,
}

impl Shard {
    /// Reads `2/8`: numbers count from 0, so there are 0/8 to 7/8.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let (number, of) = text.split_once('/')?;
        Self { number: number.trim().parse().ok()?, of: of.trim().parse().ok()? }.checked()
    }

    /// The same, if there is such a part.
    #[must_use]
    pub fn checked(self) -> Option<Self> {
        (self.number < self.of && self.of <= 100_000).then_some(self)
    }

    /// Does this item fall to it?
    #[must_use]
    pub fn has(self, item: &super::plan::Item) -> bool {
        self.takes(&item.key)
    }

    pub(crate) fn takes(self, item: &Hex) -> bool {
        item.number() % u64::from(self.of) == u64::from(self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_falls_to_one_part() {
        let items: Vec<Hex> =
            (0..1000_u64).map(|n| Hex::of(&n.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes())).collect();
        for of in [1, 2, 3, 7] {
            let parts: Vec<Shard> = (0..of).map(|number| Shard { number, of }).collect();
            for item in &items {
                assert_eq!(parts.iter().filter(|part| part.takes(item)).count(), 1);
            }
        }
        for (text, expected) in
            [("0/2", Some((0, 2))), (" 1 / 2", Some((1, 2))), ("2/2", None), ("1", None), ("-1/2", None)]
        {
            assert_eq!(Shard::read(text).map(|s| (s.number, s.of)), expected, "{text}");
        }
    }
}
