//! Do several snapshots come from one process, and in which order were they taken?
//!
//! A runtime that numbers its objects gives a number once: an object that is still there has its old number, type and
//! size, and whatever came later has a higher one. Snapshots of two processes share numbers by chance only, for objects
//! that have little in common. A sample of the numbers tells the two apart. Two runs of one small program can look like
//! one process: they number the same objects in the same way.

/// Numbers of objects in a sample.
const SAMPLE: usize = 1 << 15;

/// Of the objects that two snapshots of one process share, so many percent are the same. Ones that were replaced in
/// place (a string that was flattened, an array that was trimmed) are not; two runs of one program agree far less.
const SAME_PERCENT: usize = 90;

/// A sample of the objects of one snapshot: the same numbers are chosen in every snapshot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sketch {
    /// In order of the first: what the choice goes by, the number of the object, and its type and size.
    chosen: Vec<(u64, u64)>,
    /// Beyond this nothing was chosen.
    bound: u64,
    highest_id: u64,
}

impl Sketch {
    /// Samples objects given as number and mark (type and size).
    pub(crate) fn of(objects: impl Iterator<Item = (u64, u64)>) -> Self {
        let mut sketch = Self { bound: u64::MAX, ..Self::default() };
        for (id, mark) in objects {
            sketch.highest_id = sketch.highest_id.max(id);
            let place = id.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            if place <= sketch.bound {
                sketch.chosen.push((place, mark));
                if sketch.chosen.len() >= 2 * SAMPLE {
                    sketch.thin();
                }
            }
        }
        sketch.thin();
        sketch
    }

    fn thin(&mut self) {
        self.chosen.sort_unstable();
        if self.chosen.len() > SAMPLE {
            self.chosen.truncate(SAMPLE);
            self.bound = self.chosen[SAMPLE - 1].0;
        }
    }

    /// Objects in both samples, and how many of them are the same.
    fn shared(&self, other: &Self) -> (usize, usize) {
        let bound = self.bound.min(other.bound);
        let (mut shared, mut same, mut at) = (0, 0, 0);
        for (place, mark) in self.chosen.iter().take_while(|(place, _)| *place <= bound) {
            while other.chosen.get(at).is_some_and(|(p, _)| p < place) {
                at += 1;
            }
            if let Some((_, other)) = other.chosen.get(at).filter(|(p, _)| p == place) {
                shared += 1;
                same += usize::from(other == mark);
            }
        }
        (shared, same)
    }

    fn is_kin(&self, other: &Self) -> bool {
        let (shared, same) = self.shared(other);
        shared > 0 && same * 100 >= shared * SAME_PERCENT
    }

    fn is_same(&self, other: &Self) -> bool {
        self.highest_id == other.highest_id && self.chosen == other.chosen
    }
}

/// How the snapshots of a call belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Series {
    /// There is only one.
    Single,
    /// One process, in the order in which they were taken.
    InOrder,
    /// Nothing numbers the objects: taken as they were given.
    Given,
    /// One process, but at least one snapshot is there twice.
    Repeated,
    /// One process, in another order: the numbers of the inputs (from 0) as they were taken.
    OutOfOrder(Vec<usize>),
    /// Several processes or builds: objects cannot be compared one by one.
    Different,
}

/// Looks at the snapshots in the order in which they were given.
pub(crate) fn judge(sketches: &[&Sketch]) -> Series {
    if sketches.len() < 2 {
        return Series::Single;
    }
    if !sketches.windows(2).all(|pair| pair[0].is_kin(pair[1])) {
        return Series::Different;
    }
    if sketches.windows(2).any(|pair| pair[0].is_same(pair[1])) {
        return Series::Repeated;
    }
    let mut order: Vec<usize> = (0..sketches.len()).collect();
    // Stable: snapshots without anything new between them keep the order that the user gave.
    order.sort_by_key(|i| sketches[*i].highest_id);
    if order.windows(2).all(|pair| pair[0] < pair[1]) { Series::InOrder } else { Series::OutOfOrder(order) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A process: what lives from the first round to the last, and what each round adds.
    fn snapshot(seed: u64, rounds: u64) -> Sketch {
        let mark = |id: u64| (id ^ seed).wrapping_mul(0x2545_f491_4f6c_dd1d) % 40;
        Sketch::of((0..50_000 + rounds * 5_000).filter(|n| n % 7 != rounds % 7).map(|n| (n * 2 + 1, mark(n))))
    }

    #[track_caller]
    fn check(sketches: &[Sketch], expected: &Series) {
        assert_eq!(&judge(&sketches.iter().collect::<Vec<_>>()), expected);
    }

    #[test]
    fn one_process_in_and_out_of_order_and_two_processes() {
        check(&[snapshot(1, 1)], &Series::Single);
        check(&[snapshot(1, 1), snapshot(1, 2), snapshot(1, 3)], &Series::InOrder);
        check(&[snapshot(1, 3), snapshot(1, 1), snapshot(1, 2)], &Series::OutOfOrder(vec![1, 2, 0]));
        check(&[snapshot(1, 2), snapshot(1, 2)], &Series::Repeated);
        check(&[snapshot(1, 1), snapshot(2, 2)], &Series::Different);
    }
}
