//! One series: leak, bounded, plateau, noise or insufficient.
//!
//! Nine settings (how fine the floor is, how much counts as warm-up) judge on their own and vote. A verdict that depends
//! on the setting is no verdict.

use super::floors::{Cut, FEWEST, floors, is_bunched, material, without_load};
use super::shapes::{Kind, Levelling, compare, jumps};
use super::statistics::{median, slope, trend};

/// What became of the memory over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It rises and nothing says that it will end.
    Leak,
    /// It rose and levelled off: a cache, a pool, a warm-up.
    Bounded,
    /// It does not rise.
    Plateau,
    /// It may rise or not: it moves more than a trend would.
    Noise,
    /// What was measured cannot tell.
    Insufficient,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Leak, Self::Bounded, Self::Plateau, Self::Noise, Self::Insufficient];

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Leak => "leak",
            Self::Bounded => "bounded",
            Self::Plateau => "plateau",
            Self::Noise => "noise",
            Self::Insufficient => "insufficient",
        }
    }
}

/// Samples that a series needs.
pub(super) const SAMPLES: usize = 20;
/// How rare a rise by chance must be.
pub(super) const LEVEL: f64 = 0.01;
/// A rise of which less than this part is left in the second half is one that levels off.
pub(super) const DECAY: f64 = 0.4;
/// The share of settings that must say leak, and the share where the evidence is weak: the rise is not that rare by
/// chance, or hardly more than what counts.
const AGREED: f64 = 0.55;
const AGREED_WEAK: f64 = 0.75;
const WEAK: f64 = 0.002;
const SMALL: f64 = 1.5;
/// How many parts the series is cut into for its floor.
const BLOCKS: [usize; 3] = [16, 24, 36];
/// How much of the beginning is warm-up.
const WARM_UP: [f64; 3] = [0.10, 0.20, 0.30];

/// What one setting, or all together, found.
#[derive(Clone, Debug)]
pub(super) struct Judged {
    pub(super) verdict: Verdict,
    pub(super) confidence: f64,
    /// For each verdict, how many settings say so.
    pub(super) votes: [u32; 5],
    /// Numbers of the setting that stands for them.
    pub(super) numbers: Option<Numbers>,
    /// How well the load of the moment explains the series, if it was taken out.
    pub(super) load: Option<f64>,
}

/// What a setting measured.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    pub(super) p: f64,
    pub(super) slope: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    /// The slope of the second half over that of the first.
    pub(super) decay: Option<f64>,
    /// What the floor grows by, in the judged window, and since shortly after the start.
    pub(super) growth: f64,
    pub(super) growth_all: f64,
    /// Growth below this does not count.
    pub(super) material: f64,
    pub(super) level: f64,
    pub(super) levelling: Option<Levelling>,
    pub(super) is_staircase: bool,
    /// From where on it was judged.
    pub(super) from: f64,
    pub(super) floor: (Vec<f64>, Vec<f64>),
}

impl Judged {
    pub(super) fn insufficient() -> Self {
        let mut votes = [0; 5];
        votes[Verdict::Insufficient as usize] = 1;
        Self { verdict: Verdict::Insufficient, confidence: 1.0, votes, numbers: None, load: None }
    }
}

/// Judges a series: times in ascending order, values, and the load of each moment if it is known.
pub(super) fn judge(t: &[f64], y: &[f64], load: Option<&[f64]>) -> Judged {
    judge_cut(t, y, load, Cut::of(t))
}

/// Judges a series that is cut into parts in this way.
pub(super) fn judge_cut(t: &[f64], y: &[f64], load: Option<&[f64]>, cut: Cut) -> Judged {
    let n = y.len();
    if n < SAMPLES || t[n - 1] <= t[0] {
        return Judged::insufficient();
    }
    let raw = vote(t, y, cut);
    let Some((without, correlation)) = load.and_then(|load| without_load(y, load)) else { return raw };
    let mut judged = vote(t, &without, cut);
    // Where the load changes nothing, it is not the reason.
    judged.load = (judged.verdict != raw.verdict).then_some(correlation);
    judged
}

/// All settings together.
fn vote(t: &[f64], y: &[f64], cut: Cut) -> Judged {
    let mut rows: Vec<(Verdict, Numbers)> = Vec::new();
    let mut votes = [0; 5];
    for blocks in BLOCKS {
        let floor = floors(t, y, blocks, cut);
        for warm_up in WARM_UP {
            match setting(&floor, warm_up, cut) {
                Some((verdict, numbers)) => {
                    votes[verdict as usize] += 1;
                    rows.push((verdict, numbers));
                }
                None => votes[Verdict::Insufficient as usize] += 1,
            }
        }
    }
    // Of equal votes the more cautious verdict wins.
    let order = [Verdict::Noise, Verdict::Plateau, Verdict::Bounded, Verdict::Leak, Verdict::Insufficient];
    let most = order.into_iter().rev().max_by_key(|v| votes[*v as usize]).unwrap_or(Verdict::Insufficient);
    let share = f64::from(votes[most as usize]) / f64::from(votes.iter().sum::<u32>().max(1));
    let of_most: Vec<&(Verdict, Numbers)> = rows.iter().filter(|(v, _)| *v == most).collect();
    let numbers = of_most.get(of_most.len() / 2).map(|(_, numbers)| numbers.clone());
    let is_weak = numbers.as_ref().is_some_and(|n| n.p > WEAK || n.growth.max(n.growth_all) < SMALL * n.material);
    let needed = if is_weak { AGREED_WEAK } else { AGREED };
    let verdict = if most == Verdict::Leak && share < needed { Verdict::Noise } else { most };
    let confidence = match &numbers {
        Some(n) if verdict == Verdict::Leak => {
            let size = n.growth.max(n.growth_all) / (3.0 * n.material);
            share * (1.0 - n.p.min(0.5)) * (0.6 + 0.4 * size.clamp(0.0, 1.0))
        }
        _ => share,
    };
    Judged { verdict, confidence, votes, numbers, load: None }
}

/// What one setting says.
fn setting(floor: &(Vec<f64>, Vec<f64>), warm_up: f64, cut: Cut) -> Option<(Verdict, Numbers)> {
    let (ft, fy) = floor;
    if fy.len() < FEWEST {
        return None;
    }
    let whole = ft[ft.len() - 1] - ft[0];
    // Where collections bunch, time alone would leave too few of them on one side.
    let is_odd = cut == Cut::Floors && is_bunched(ft);
    let part = |t: &[f64], share: f64| {
        let at = t[0] + share * (t[t.len() - 1] - t[0]);
        if is_odd { (share * t.len() as f64).ceil() as usize } else { t.partition_point(|t| *t < at) }
    };
    let from = part(ft, warm_up);
    let (t, y) = (&ft[from..], &fy[from..]);
    if y.len() < FEWEST {
        return None;
    }
    let window = t[t.len() - 1] - t[0];
    let middle = part(t, 0.5);
    let (early_t, early_y, late_t, late_y) = (&t[..middle], &y[..middle], &t[middle..], &y[middle..]);
    let (all, late) = (trend(t, y), trend(late_t, late_y));
    let material = material(y);
    let growth = all.slope * window;
    let settled: Vec<f64> = (ft.iter().zip(fy))
        .filter(|(at, _)| (0.08..=0.20).contains(&((*at - ft[0]) / whole)))
        .map(|(_, y)| *y)
        .collect();
    let growth_all = median(&fy[fy.len() - 3..]) - if settled.is_empty() { fy[0] } else { median(&settled) };
    let early = if middle > 2 { slope(early_t, early_y) } else { all.slope };
    let decay = match (early > 0.0, late.slope > 0.0) {
        (true, _) => late.slope / early,
        (false, true) => f64::INFINITY,
        (false, false) => 0.0,
    };
    let levelling = compare(t, y);
    let late_window = late_t.last().zip(late_t.first()).map_or(0.0, |(last, first)| last - first);
    let still_rises = late.p < 0.05 && late.low > 0.0;
    let late_is_material = late.slope * late_window >= material / 2.5;
    let ends = levelling.over_line > 6.0
        && match levelling.kind {
            Kind::Curve => levelling.left < 0.5 * growth_all.max(1.0) && levelling.at < 0.7,
            Kind::Step => levelling.at < 0.8,
            Kind::Ramp => true,
        };
    let (up, down) = jumps(y, material / 4.0);
    let steps = y.len() as f64 - 1.0;
    let is_staircase = up.len() >= 3
        && down.len() <= up.len() / 4
        && up.last().is_some_and(|at| *at as f64 >= 0.6 * steps)
        && up.first().is_some_and(|at| *at as f64 <= 0.4 * steps);
    let is_rising = all.p < LEVEL && all.low > 0.0 && growth >= material;
    let late_is_flat = late.p > 0.05 || late.high * late_window <= material;
    let verdict = if is_rising {
        if is_staircase {
            Verdict::Leak
        } else if ends && !(still_rises && decay > DECAY) {
            Verdict::Bounded
        } else if (still_rises || late.z > 1.0) && decay > DECAY && late_is_material {
            Verdict::Leak
        } else if decay <= DECAY {
            Verdict::Bounded
        } else {
            Verdict::Noise
        }
    } else if is_staircase && all.p < LEVEL && growth_all >= 2.0 * material {
        Verdict::Leak
    } else if (levelling.over_flat > 10.0 && levelling.over_line > 6.0 && late_is_flat && growth_all >= material)
        || (growth_all >= 2.0 * material
            && growth < growth_all * 0.35
            && all.high * window < growth_all.max(2.0 * material))
    {
        Verdict::Bounded
    } else if all.low.abs().max(all.high.abs()) * window <= 2.0 * material || all.high * window <= material {
        // Not just no proof of a rise: even the steepest slope that fits would not matter.
        Verdict::Plateau
    } else {
        Verdict::Noise
    };
    let numbers = Numbers {
        p: all.p,
        slope: all.slope,
        low: all.low,
        high: all.high,
        decay: decay.is_finite().then_some(decay),
        growth,
        growth_all,
        material,
        level: median(y),
        levelling: ends.then_some(levelling),
        // A line rises from each part to the next too.
        is_staircase: is_staircase && 2 * up.len() <= y.len(),
        from: t[0],
        floor: floor.clone(),
    };
    Some((verdict, numbers))
}
