//! Which part of a job this machine does.

use anyhow::{Context, Result};
use heapscrub::batch::Shard;

/// What the flag says, completed by what the environment of a cluster tells.
pub(super) fn of(flag: Option<&str>, environment: &dyn Fn(&str) -> Option<String>) -> Result<Option<Shard>> {
    let number = |name: &str| environment(name).and_then(|text| text.trim().parse::<u32>().ok());
    // Indexed jobs of Kubernetes tell the number alone; arrays of AWS Batch tell both.
    let known = number("AWS_BATCH_JOB_ARRAY_INDEX").map(|n| (n, number("AWS_BATCH_JOB_ARRAY_SIZE")));
    let known = known.or_else(|| number("JOB_COMPLETION_INDEX").map(|n| (n, None)));
    let Some(flag) = flag else {
        let Some((number, Some(of))) = known else {
            // In an indexed job all machines would do all of it.
            anyhow::ensure!(
                known.is_none(),
                "this is one of several machines of a job (JOB_COMPLETION_INDEX is set); say how many there are with --shard auto/N, or --shard 0/1 to do everything here"
            );
            return Ok(None);
        };
        return Shard { number, of }.checked().context("the environment names a part that there is not").map(Some);
    };
    let shard = match flag.trim().strip_prefix("auto") {
        None => Shard::read(flag),
        Some(rest) => {
            let (number, of) = known.context("--shard auto needs JOB_COMPLETION_INDEX or AWS_BATCH_JOB_ARRAY_INDEX")?;
            let said = rest.strip_prefix('/').and_then(|of| of.trim().parse().ok());
            said.or(of).and_then(|of| Shard { number, of }.checked())
        }
    };
    shard.context("--shard has the form I/N with I from 0 to N-1, or auto/N").map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(flag: Option<&str>, environment: &[(&str, &str)], expected: Result<Option<(u32, u32)>, ()>) {
        let find = |name: &str| environment.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned());
        let got = of(flag, &find).map(|shard| shard.map(|s| (s.number, s.of))).map_err(|_| ());
        assert_eq!(got, expected, "{flag:?} {environment:?}");
    }

    #[test]
    fn parts_from_flags_and_clusters() {
        let kubernetes = &[("JOB_COMPLETION_INDEX", "2")][..];
        let aws = &[("AWS_BATCH_JOB_ARRAY_INDEX", "1"), ("AWS_BATCH_JOB_ARRAY_SIZE", "4")][..];
        check(None, &[], Ok(None));
        check(Some("1/3"), &[], Ok(Some((1, 3))));
        check(Some("auto/8"), kubernetes, Ok(Some((2, 8))));
        check(Some("0/1"), kubernetes, Ok(Some((0, 1))));
        check(None, kubernetes, Err(()));
        check(Some("auto"), kubernetes, Err(()));
        check(Some("auto/2"), kubernetes, Err(()));
        check(None, aws, Ok(Some((1, 4))));
        check(Some("auto"), aws, Ok(Some((1, 4))));
        check(Some("auto/3"), &[], Err(()));
        check(Some("3/3"), &[], Err(()));
    }
}
