//! Texts of a bundle for people who have nothing but the bundle.

use super::manifest::{Extent, Manifest, Member, Weakened};
use super::member::MemberName;
use super::terms::Terms;
use super::{Choice, Pack};
use crate::date::Date;
use crate::report::build::blank;
use crate::report::numbers::size;
use crate::{Profile, Report};

/// Every text that stands in the program and can stand in a bundle, or in an index of many dumps.
pub(crate) fn own() -> Vec<String> {
    let mut out = vec![part(1, 2, "0")];
    out.extend(crate::batch::own());
    for report in blank() {
        out.extend([report.to_json(), report.to_markdown()]);
        for (pack, no_snapshot) in [(Pack::Zst, false), (Pack::Deflate, false), (Pack::Zst, true)] {
            let terms = Some(Terms { made: Date::default(), recipient: None, purpose: None, expires: None });
            out.push(readme(&report, &Choice { pack, no_snapshot, terms, ..Choice::default() }, true));
        }
    }
    let extent = Extent { bytes: 0, sha256: [0; 32] };
    let names = MemberName::all_inputs().chain([
        MemberName::README,
        MemberName::HTML,
        MemberName::MARKDOWN,
        MemberName::REPORT,
    ]);
    let row = |name| Member { name, extent, plain: Some(extent), graph: Some((0, 0)), pieces: vec![(1, extent)] };
    for profile in [Profile::Strict, Profile::Balanced] {
        let (version, rules, members) = (Manifest::own_version(), (0, [0; 32]), names.clone().map(row).collect());
        let weakened = Weakened::default();
        let manifest = Manifest { version, profile, keyed: false, rules, weakened, terms: None, parts: 1, members };
        out.extend([manifest.to_json(), manifest.sums(&[0; 32])]);
    }
    out
}

/// Every page that stands in the program and can stand in a bundle.
pub(crate) fn own_pages() -> Vec<String> {
    blank().iter().map(Report::to_html).collect()
}

/// `README.txt`.
pub(crate) fn readme(report: &Report, choice: &Choice, is_split: bool) -> String {
    let mut out = String::from(
        "A report on the memory of a program, made by heapscrub from what was sanitised.\n\n\
         READ IT      report.html in a browser: it loads nothing. report.md as text; report.json for programs.\n\n",
    );
    if choice.no_snapshot {
        out.push_str("OPEN IT      The files themselves were left out.\n\n");
    } else {
        files(report, choice, &mut out);
    }
    if is_split {
        out.push_str(
            "PARTS        Unpack all parts into one folder, and there join what has a number at its end:\n\
             \u{20}            for f in */*.001; do cat \"${f%.001}\".[0-9][0-9][0-9] > \"${f%.001}\"; done\n\
             \u{20}            (heapscrub unpack does all of this.)\n\n",
        );
    }
    out.push_str(
        "CHECK IT     In the unpacked folder:  sha256sum --ignore-missing -c SHA256SUMS\n\
         \u{20}            With heapscrub:          heapscrub verify BUNDLE, or the folder\n\
         \u{20}            The first 8 digits of the SHA-256 of manifest.json name the bundle; ask the sender for them.\n\n",
    );
    out.push_str(SIGNATURES);
    if let Some(terms) = &choice.terms {
        out.push_str(&format!("TERMS        {}.\n\n", terms.spoken()));
    }
    out.push_str(&format!("PROFILE      {}: {}.\n", report.redaction.profile, report.redaction.promise));
    out.push_str(if report.redaction.profile == Profile::Unlinkable.name() {
        "             Texts that were removed look like [text#1]; nothing tells which of them were equal.\n"
    } else {
        "             Texts that were removed look like [text#12]; equal texts have equal numbers.\n"
    });
    out
}

/// How to check signatures with programs that everybody has. The commands work as they stand there, and a test runs them.
const SIGNATURES: &str = include_str!("signatures.txt");

/// What there is beside the report, and how to open it.
fn files(report: &Report, choice: &Choice, out: &mut String) {
    let count = |is_snapshot| {
        let inputs = || report.inputs.iter().filter(|input| input.is_snapshot() == is_snapshot);
        let bytes: u64 = inputs().map(|input| input.bytes).sum();
        let count = inputs().count();
        (count, if count == 1 { "" } else { "s" }, size(bytes))
    };
    let ((snapshots, plural, bytes), (others, more, other_bytes)) = (count(true), count(false));
    let is_graph = report.inputs.iter().any(|input| input.has_graph);
    let what =
        if is_graph { "all objects, references and sizes" } else { "all blocks of memory, stacks of calls and sizes" };
    if snapshots > 0 {
        out.push_str(&format!("OPEN IT      {snapshots} heap snapshot{plural} ({bytes} unpacked), with {what}.\n"));
    }
    if others > 0 {
        out.push_str(&format!("OPEN IT      {others} file{more} without a heap ({other_bytes} unpacked).\n"));
    }
    out.push_str("             With heapscrub:  heapscrub unpack BUNDLE\n");
    if choice.pack == Pack::Zst {
        out.push_str("             Without:         unpack this archive, then  zstd -d */*.zst\n");
    }
    let has = |format: &str| report.inputs.iter().any(|input| input.format == format);
    if has("tracemalloc") {
        out.push_str("             Python: tracemalloc.Snapshot.load(FILE), then .statistics(\"lineno\").\n");
    }
    if is_graph {
        out.push_str(
            "             Chrome: DevTools, Memory, Load profile. Several snapshots: load all, choose Comparison.\n",
        );
    }
    out.push('\n');
}

/// What tells about one part of a bundle.
pub(crate) fn part(number: u32, of: u32, digest: &str) -> String {
    format!(
        "Part {number} of {of} of the bundle heapscrub-{digest}.\n\
         heapscrub unpack BUNDLE joins the parts if they lie in one folder. By hand: unpack all of them into one folder,\n\
         and follow README.txt of part 1.\n"
    )
}
