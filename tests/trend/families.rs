//! Series of memory over time of which the truth is known: what a program keeps, under a collector that leaves a saw.
//!
//! The same family and seed give the same series on every machine.

const MIB: f64 = 1_048_576.0;

/// A series and what may be said about it.
pub(crate) struct Made {
    pub(crate) t: Vec<f64>,
    pub(crate) y: Vec<f64>,
    pub(crate) load: Option<Vec<f64>>,
    /// Verdicts that are right; some families cannot be told more exactly.
    pub(crate) right: &'static [&'static str],
}

/// The families: what they are called, and what is right.
pub(crate) const FAMILIES: [(&str, &[&str]); 20] = [
    ("leak-straight", &["leak"]),
    ("leak-slow", &["leak"]),
    ("leak-in-steps", &["leak"]),
    ("leak-faster-and-faster", &["leak"]),
    ("leak-after-a-cache", &["leak"]),
    ("leak-under-changing-load", &["leak"]),
    ("cache-to-its-limit", &["bounded"]),
    ("cache-ever-slower", &["bounded"]),
    ("one-step", &["bounded"]),
    ("pool-in-a-few-steps", &["bounded"]),
    ("flat", &["plateau"]),
    ("flat-after-start", &["plateau"]),
    ("flat-under-a-big-saw", &["plateau", "noise"]),
    ("wandering", &["plateau", "noise"]),
    ("load-of-the-day", &["plateau", "noise"]),
    ("load-that-grows", &["plateau", "noise", "bounded"]),
    ("shrinking", &["plateau"]),
    ("never-given-back", &["plateau", "bounded"]),
    ("bursts", &["plateau", "noise"]),
    ("too-short", &["insufficient"]),
];

/// Numbers that look random and follow from the seed (SplitMix64).
struct Random(u64);

impl Random {
    fn of(family: &str, seed: u64) -> Self {
        let name =
            family.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
        Self(name ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A whole number, `high` not included.
    fn whole(&mut self, low: usize, high: usize) -> usize {
        low + (self.next() % (high.max(low + 1) - low) as u64) as usize
    }

    /// Normally distributed, by the sum of twelve.
    fn normal(&mut self, spread: f64) -> f64 {
        ((0..12).map(|_| self.unit()).sum::<f64>() - 6.0) * spread
    }

    fn exponential(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - self.unit()).ln()
    }
}

/// What a process shows whose collector frees most of the young garbage often and all of it now and then.
fn collected(random: &mut Random, live: &[f64], young: f64, period: usize) -> Vec<f64> {
    let period = period.max(3);
    let (mut garbage, mut collections, mut next) = (0.0, 0, random.whole(1, period + 1));
    (live.iter().enumerate())
        .map(|(i, live)| {
            garbage += young / period as f64 * random.between(0.6, 1.4);
            if i >= next {
                collections += 1;
                garbage *= if collections % 12 == 0 { 0.02 } else { random.between(0.05, 0.35) };
                next = i + ((period as f64 * random.between(0.7, 1.3)) as usize).max(2);
            }
            live + garbage
        })
        .collect()
}

/// Makes the series of a family and a seed.
pub(crate) fn make(family: usize, seed: u64) -> Made {
    let (name, right) = FAMILIES[family];
    let random = &mut Random::of(name, seed);
    let mut n = random.whole(150, 600);
    let step = [1.0, 5.0, 10.0, 15.0][random.whole(0, 4)];
    let base = random.between(40.0, 600.0) * MIB;
    let noise = base * random.between(0.002, 0.01);
    let mut young = base * random.between(0.03, 0.35);
    let mut period = random.whole(4, (n / 30).max(5));
    let start = (base * random.between(0.0, 0.3), random.between(0.01, 0.02));
    if name == "too-short" {
        n = random.whole(3, 18);
    }
    let x: Vec<f64> = (0..n).map(|i| i as f64 / (n - 1) as f64).collect();
    let mut live: Vec<f64> = x.iter().map(|x| base + start.0 * (1.0 - (-x / start.1).exp())).collect();
    let mut load: Option<Vec<f64>> = None;
    let mut add = |what: &dyn Fn(f64) -> f64| live.iter_mut().zip(&x).for_each(|(live, x)| *live += base * what(*x));
    let tau = std::f64::consts::TAU;
    match name {
        "leak-straight" => {
            let rise = random.between(0.15, 2.0);
            add(&|x| rise * x);
        }
        "leak-slow" => {
            let rise = random.between(0.10, 0.18);
            young = base * random.between(0.02, 0.10);
            add(&|x| rise * x);
        }
        "leak-in-steps" => {
            let count = random.whole(7, 16);
            let at: Vec<f64> = (0..count).map(|_| random.between(0.02, 0.99)).collect();
            let each = random.between(0.4, 1.2) / count as f64;
            add(&|x| each * at.iter().filter(|at| x > **at).count() as f64);
        }
        "leak-faster-and-faster" => {
            let (rise, power) = (random.between(0.4, 1.5), random.between(1.4, 2.2));
            add(&|x| rise * x.powf(power));
        }
        "leak-after-a-cache" => {
            let (cache, rise) = (random.between(0.3, 0.6), random.between(0.3, 0.8));
            add(&|x| cache * (x / 0.15).min(1.0) + rise * x);
        }
        "leak-under-changing-load" => {
            let (turns, phase, rise) = (random.between(1.5, 4.0), random.between(0.0, 6.0), random.between(0.4, 1.0));
            let made: Vec<f64> =
                x.iter().map(|x| 100.0 * (1.0 + 0.5 * (tau * x * turns + phase).sin()) + random.normal(3.0)).collect();
            add(&|x| rise * x);
            live.iter_mut().zip(&made).for_each(|(live, load)| *live += load * base * 0.002);
            load = Some(made);
        }
        "cache-to-its-limit" => {
            let (size, end) = (random.between(0.3, 1.5), random.between(0.2, 0.55));
            add(&|x| size * (x / end).min(1.0));
        }
        "cache-ever-slower" => {
            let (size, time) = (random.between(0.4, 1.5), random.between(0.1, 0.25));
            add(&|x| size * (1.0 - (-x / time).exp()));
        }
        "one-step" => {
            let (size, at) = (random.between(0.2, 0.8), random.between(0.2, 0.65));
            add(&|x| if x > at { size } else { 0.0 });
        }
        "pool-in-a-few-steps" => {
            let count = random.whole(2, 5);
            let at: Vec<f64> = (0..count).map(|_| random.between(0.05, 0.5)).collect();
            let each = random.between(0.4, 1.0) / count as f64;
            add(&|x| each * at.iter().filter(|at| x > **at).count() as f64);
        }
        "flat-after-start" => {
            let size = random.between(0.3, 0.8);
            add(&|x| size * (1.0 - (-x / 0.02).exp()));
        }
        "flat-under-a-big-saw" => {
            young = base * random.between(0.8, 2.5);
            period = random.whole((n / 30).max(6), (n / 14).max(7));
        }
        "wandering" => {
            let mut away = 0.0;
            for live in &mut live {
                away = 0.97 * away + random.normal(0.008 * base);
                *live += away;
            }
        }
        "load-of-the-day" => {
            let (turns, phase) = (random.between(2.0, 5.0), random.between(0.0, 6.0));
            let made: Vec<f64> =
                x.iter().map(|x| 100.0 * (1.0 + 0.6 * (tau * x * turns + phase).sin()) + random.normal(3.0)).collect();
            live.iter_mut().zip(&made).for_each(|(live, load)| *live += load * base * 0.004);
            load = Some(made);
        }
        "load-that-grows" => {
            let (rise, turns) = (random.between(0.4, 0.9), random.between(3.0, 6.0));
            let made: Vec<f64> = (x.iter())
                .map(|x| 100.0 * (1.0 + rise * x + 0.25 * (tau * x * turns).sin()) + random.normal(3.0))
                .collect();
            live.iter_mut().zip(&made).for_each(|(live, load)| *live += load * base * 0.004);
            load = Some(made);
        }
        "shrinking" => {
            let size = random.between(0.1, 0.5);
            add(&|x| size * (1.0 - x));
        }
        "bursts" => {
            let count = random.whole(2, 6);
            let at: Vec<(f64, f64, f64)> = (0..count)
                .map(|_| (random.between(0.1, 0.9), random.between(0.01, 0.04), random.between(0.3, 1.5)))
                .collect();
            add(&|x| at.iter().map(|(at, wide, high)| if (x - at).abs() < *wide { *high } else { 0.0 }).sum());
        }
        "too-short" => add(&|x| 0.5 * x),
        _ => {}
    }
    let mut y = collected(random, &live, young, period);
    y.iter_mut().for_each(|y| *y += random.normal(noise));
    if name == "never-given-back" {
        let mut highest = f64::MIN;
        for y in &mut y {
            highest = highest.max(*y - random.exponential(noise));
            *y = highest;
        }
    }
    let t = (0..n).map(|i| i as f64 * step).collect();
    Made { t, y: y.into_iter().map(|y| y.max(0.0)).collect(), load, right }
}
