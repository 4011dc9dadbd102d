//! Texts of a bundle for people who have nothing but the bundle.

use super::{Choice, Container, Pack};
use crate::Report;
use crate::report::numbers::size;

/// `README.txt`.
pub(crate) fn readme(report: &Report, choice: &Choice) -> String {
    let mut out = String::from(
        "A report on the memory of a program, made by heapscrub from sanitised heap snapshots.\n\n\
         READ IT      report.md; report.json for programs.\n\n",
    );
    let files = report.inputs.len();
    if choice.no_snapshot {
        out.push_str("OPEN IT      The snapshots themselves were left out.\n\n");
    } else {
        let total: u64 = report.inputs.iter().map(|input| input.bytes).sum();
        out.push_str(&format!(
            "OPEN IT      {files} heap snapshot{} ({} unpacked), with all objects, references and sizes.\n",
            if files == 1 { "" } else { "s" },
            size(total)
        ));
        out.push_str("             With heapscrub:  heapscrub unpack BUNDLE\n");
        if choice.pack == Pack::Zst {
            out.push_str("             Without:         unpack this archive, then  zstd -d snapshots/*.zst\n");
        }
        out.push_str(
            "             Chrome: DevTools, Memory, Load profile. Several snapshots: load all, choose Comparison.\n\n",
        );
    }
    if choice.max_size.is_some() && choice.container != Container::Directory {
        out.push_str(
            "PARTS        If there are files named .part1of2, .part2of2 and so on: unpack all of them into one folder.\n\
             \u{20}            Then join what has a number at its end, for each snapshot:\n\
             \u{20}            cat snapshots/snapshot-1.*.zst.[0-9][0-9][0-9] > snapshots/snapshot-1.heapsnapshot.zst\n\
             \u{20}            (heapscrub unpack does all of this.)\n\n",
        );
    }
    out.push_str(
        "CHECK IT     In the unpacked folder:  sha256sum -c SHA256SUMS\n\
         \u{20}            With heapscrub:          heapscrub verify BUNDLE\n\
         \u{20}            The name of the bundle holds the first 8 digits of the SHA-256 of manifest.json.\n\n",
    );
    out.push_str(&format!("PROFILE      {}: {}.\n", report.redaction.profile, report.redaction.promise));
    out.push_str("             Texts that were removed look like [text#12]; equal texts have equal numbers.\n");
    out
}

/// What tells about one part of a bundle.
pub(crate) fn part(number: u32, of: u32, digest: &str) -> String {
    format!(
        "Part {number} of {of} of the bundle heapscrub-{digest}.\n\
         heapscrub unpack BUNDLE joins the parts if they lie in one folder. By hand: unpack all of them into one folder,\n\
         and follow README.txt of part 1.\n"
    )
}
