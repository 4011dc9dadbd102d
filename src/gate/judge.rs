//! Holds a bundle against a policy. Everything is looked at, so that all reasons are told at once.

use std::collections::{BTreeMap, BTreeSet};

use super::policy::{Policy, Signers};
use crate::Error;
use crate::bundle::terms::spelled;
use crate::date::Date;
use crate::raw::receive::Declared;
use crate::report::numbers::size;
use crate::sign::{Act, Found, Statement, What};

/// One thing that a policy asks for, and what came of it.
#[derive(Clone, Debug)]
pub struct Check {
    /// Its name, which never changes its meaning.
    pub id: &'static str,
    /// What is asked for.
    pub wants: String,
    /// Why it is not so; empty if it is.
    pub refusals: Vec<Refusal>,
}

/// Why a bundle may not leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What is wrong.
    pub what: String,
    /// Why that matters.
    pub why: String,
    /// What to do next.
    pub next: String,
}

/// What came of all checks.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// In a fixed order.
    pub checks: Vec<Check>,
    /// What is worth knowing and changes nothing.
    pub notes: Vec<String>,
    /// Is the bundle, or a signature, not as it was made?
    pub is_tampered: bool,
}

impl Verdict {
    /// May it leave?
    #[must_use]
    pub fn passes(&self) -> bool {
        self.checks.iter().all(|check| check.refusals.is_empty())
    }

    /// Every refusal with the check it belongs to.
    pub fn refusals(&self) -> impl Iterator<Item = (&Check, &Refusal)> {
        self.checks.iter().flat_map(|check| check.refusals.iter().map(move |refusal| (check, refusal)))
    }
}

fn refusal(what: impl Into<String>, why: impl Into<String>, next: impl Into<String>) -> Refusal {
    Refusal { what: what.into(), why: why.into(), next: next.into() }
}

const SENDER: &str = "share it again so that it meets the policy; a bundle cannot be changed afterwards";

/// A bundle that cannot even be opened.
#[must_use]
pub fn unopened(error: Error) -> Verdict {
    let is_tampered = error.exit_code() == 6;
    Verdict { checks: vec![intact(&[error])], notes: Vec::new(), is_tampered }
}

/// Differences that are told one by one.
const MOST: usize = 20;

fn intact(errors: &[Error]) -> Check {
    const WHY: &str = "only what is exactly as heapscrub made and checked it is known to hold what its manifest says";
    let next = |error: &Error| match error.advice() {
        "" => "ask the sender for it again, and compare its digest with the one they see",
        advice => advice,
    };
    let mut refusals: Vec<Refusal> =
        errors.iter().take(MOST).map(|error| refusal(error.to_string(), WHY, next(error))).collect();
    if errors.len() > MOST {
        refusals.push(refusal(format!("and {} more differences", errors.len() - MOST), WHY, "see those above first"));
    }
    Check { id: "intact", wants: "the bundle is as it was made, and nothing is found in it".to_owned(), refusals }
}

/// Holds a bundle against a policy: what it says about itself, what its check found, and its signatures.
#[must_use]
pub fn judge(policy: &Policy, bundle: &Declared, errors: &[Error], signatures: &[Found], today: Date) -> Verdict {
    let mut checks = vec![intact(errors)];
    let mut is_tampered = errors.iter().any(|error| error.exit_code() == 6);
    if is_tampered {
        // What it says about itself is worth nothing then.
        let notes = vec!["the rest of the policy was not looked at, since the bundle is not as it was made".to_owned()];
        return Verdict { checks, notes, is_tampered };
    }
    profile(policy, bundle, &mut checks);
    contents(policy, bundle, &mut checks);
    amounts(policy, bundle, &mut checks);
    terms(policy, bundle, today, &mut checks);
    let (signed, notes) = read_signatures(policy, bundle, signatures, today, &mut checks);
    is_tampered |= signatures.iter().any(|found| matches!(found.what, What::Wrong(_)));
    signers(policy, &signed, today, &mut checks);
    Verdict { checks, notes, is_tampered }
}

/// Adds a check that the policy asks for.
fn check(checks: &mut Vec<Check>, id: &'static str, wants: impl Into<String>, refused: Option<Refusal>) {
    checks.push(Check { id, wants: wants.into(), refusals: refused.into_iter().collect() });
}

fn version(version: [u32; 3]) -> String {
    version.map(|n| n.to_string()).join(".")
}

fn profile(policy: &Policy, bundle: &Declared, checks: &mut Vec<Check>) {
    let wanted = policy.profiles.join(" or ");
    let refused = (!policy.profiles.contains(&bundle.profile)).then(|| {
        refusal(
            format!("it was made with the profile {}", bundle.profile),
            format!("this policy takes {wanted} only; other profiles let other texts stay"),
            format!("share it again with --profile {}", policy.profiles.first().map_or("strict", String::as_str)),
        )
    });
    check(checks, "profile", format!("the profile is {wanted}"), refused);
    if let Some(least) = policy.min_rules {
        let refused = (bundle.version < least).then(|| {
            refusal(
                format!("it was made with the rules of heapscrub {}", version(bundle.version)),
                format!("rules before {} do not find everything that this policy relies on", version(least)),
                "share it again with a newer heapscrub",
            )
        });
        check(checks, "rules", format!("the rules are those of heapscrub {} or newer", version(least)), refused);
    }
    if policy.same_rules {
        let refused = (!bundle.same_rules).then(|| {
            refusal(
                "it was made with other rules than this program has",
                "with rules of the sender's own, or another version, other things were looked for",
                "share it again with the heapscrub and the rules that this gate uses (--rules gives it yours)",
            )
        });
        check(checks, "same-rules", "the rules are those of this program", refused);
    }
    if let Some(keyed) = policy.keyed {
        let (wanted, next) = match keyed {
            true => ("placeholders were made under a key", "share it again with --key-file"),
            false => ("placeholders were not made under a key", "share it again without --key-file"),
        };
        let why = match keyed {
            true => "without a key, bundles of one process cannot be compared text by text",
            false => "whoever has the key can tell which texts are equal in all bundles made with it",
        };
        let refused = (bundle.keyed != keyed).then(|| {
            let what = if bundle.keyed {
                "placeholders were made under a key"
            } else {
                "placeholders were made without a key"
            };
            refusal(what, why, next)
        });
        check(checks, "keyed", wanted, refused);
    }
    let weakened = [
        ("keep rules of the sender's own", bundle.weakened.keep_rules, policy.keep_rules, "without keep rules"),
        ("rules that were turned off", bundle.weakened.rules_off, policy.rules_off, "with all rules on"),
        (
            "source trees that vouched for names",
            bundle.weakened.source_trees,
            policy.source_trees,
            "without --names-from",
        ),
    ];
    for (what, count, most, next) in weakened {
        let refused = (count > most).then(|| {
            refusal(
                format!("{count} {what}, and the policy allows {most}"),
                "each of them keeps texts that the profile would have removed",
                format!("share it again {next}, or allow it under [weakened]"),
            )
        });
        check(checks, "weakened", format!("at most {most} {what}"), refused);
    }
}

fn contents(policy: &Policy, bundle: &Declared, checks: &mut Vec<Check>) {
    const SILENT: &str = "the report in it does not say";
    for category in &policy.zero_found {
        let count = bundle.found.as_ref().map(|found| found.get(category).copied().unwrap_or(0));
        let refused = (count != Some(0)).then(|| {
            let what = count.map_or_else(
                || SILENT.to_owned(),
                |count| format!("{count} texts of the category {category} were found in the snapshots, and removed"),
            );
            refusal(
                what,
                "where there was some, there may be more that no rule knows; this policy wants a person to look at it",
                "find out where it comes from with heapscrub scan; take a snapshot of a process without such data",
            )
        });
        check(checks, "found", format!("nothing of the category {category} was found"), refused);
    }
    for role in &policy.roles {
        let has = bundle.roles.as_ref().is_some_and(|roles| roles.contains(role.as_str()));
        let refused = (!has).then(|| {
            refusal(
                format!("no text in the role {role} was decided"),
                "either the snapshots have none, or they are of a kind in which such texts are not known",
                "take snapshots of a runtime that has this role, or take it out of the policy",
            )
        });
        check(checks, "roles", format!("texts in the role {role} were decided"), refused);
    }
    if let Some(formats) = &policy.formats {
        let wanted = formats.join(", ");
        let other: Vec<&str> = bundle.formats.iter().filter(|f| !formats.contains(f)).map(String::as_str).collect();
        let refused = (!other.is_empty()).then(|| {
            refusal(
                format!("it holds {}", other.join(", ")),
                format!("this policy takes {wanted} only"),
                "leave these snapshots out, or share the report alone (--no-snapshot)",
            )
        });
        check(checks, "formats", format!("snapshots are {wanted}"), refused);
    }
    if let Some(most) = policy.max_left_out {
        let refused = bundle.left_out.is_none_or(|count| count > most).then(|| {
            let what =
                bundle.left_out.map_or_else(|| SILENT.to_owned(), |n| format!("{n} parts of the files were left out"));
            refusal(
                what,
                format!("this policy allows {most}: what is not understood is not analysed"),
                "use a newer heapscrub",
            )
        });
        check(checks, "left-out", format!("at most {most} parts were not understood"), refused);
    }
}

fn amounts(policy: &Policy, bundle: &Declared, checks: &mut Vec<Check>) {
    if let Some(most) = policy.max_size {
        let refused = (bundle.bytes > most).then(|| {
            refusal(
                format!("it has {}", size(bundle.bytes)),
                format!("this policy allows {}: the more leaves, the more there is to answer for", size(most)),
                "share fewer snapshots, or the report alone (--no-snapshot)",
            )
        });
        check(checks, "size", format!("at most {}", size(most)), refused);
    }
    if let Some(most) = policy.max_snapshots {
        let refused = (bundle.snapshots > most).then(|| {
            refusal(
                format!("it holds {} snapshots", bundle.snapshots),
                format!("this policy allows {most}"),
                "share fewer snapshots, or the report alone (--no-snapshot)",
            )
        });
        check(checks, "snapshots", format!("at most {most} snapshots"), refused);
    }
}

fn terms(policy: &Policy, bundle: &Declared, today: Date, checks: &mut Vec<Check>) {
    let terms = bundle.terms.as_ref();
    let made = terms.map(|terms| terms.made);
    let future = made.filter(|made| *made > today);
    let refused = future.map(|made| {
        refusal(
            format!("it was made on {made}, and today is {today} by this clock"),
            "one of the two clocks is wrong, and ages and last days cannot be judged",
            "set the clock of this machine, or ask the sender to set theirs and share it again",
        )
    });
    check(checks, "clock", "it was not made after today", refused);
    if let Some(most) = policy.max_age {
        let refused = match made {
            None => Some(refusal(
                "it does not say when it was made",
                format!("this policy takes bundles of the last {most} days only"),
                "share it again with --dated, or with --expires",
            )),
            Some(made) => (today.since(made) > i64::from(most)).then(|| {
                refusal(
                    format!("it was made on {made}, {} days ago", today.since(made)),
                    format!("this policy takes bundles of the last {most} days only; rules know more by now"),
                    "share the snapshots again, with today's rules",
                )
            }),
        };
        check(checks, "age", format!("made in the last {most} days"), refused);
    }
    let expires = terms.and_then(|terms| terms.expires);
    let refused = match expires {
        Some(day) if day < today => Some(refusal(
            format!("it was to be used until {day}, and today is {today}"),
            "the sender bound the last day in the manifest",
            "ask the sender for a new one, and delete this one",
        )),
        None if policy.must_expire => Some(refusal(
            "it has no last day",
            "this policy takes nothing that may be used for ever",
            "share it again with --expires 30d",
        )),
        _ => None,
    };
    let wants = if policy.must_expire {
        "it has a last day, which is not over"
    } else {
        "its last day, if it has one, is not over"
    };
    check(checks, "expiry", wants, refused);
    if let Some(most) = policy.max_term {
        let term = expires.zip(made).map(|(expires, made)| expires.since(made));
        let refused = term.is_none_or(|days| days > i64::from(most)).then(|| {
            let what =
                term.map_or_else(|| "it has no last day".to_owned(), |days| format!("it may be used for {days} days"));
            refusal(what, format!("this policy allows {most} days"), format!("share it again with --expires {most}d"))
        });
        check(checks, "term", format!("to be used for at most {most} days"), refused);
    }
    let texts = [
        ("recipient", &policy.recipients, terms.and_then(|terms| terms.recipient.as_deref()), "--recipient"),
        ("purpose", &policy.purposes, terms.and_then(|terms| terms.purpose.as_deref()), "--purpose"),
    ];
    for (id, allowed, text, flag) in texts {
        let Some(allowed) = allowed else { continue };
        // Equal to the last bit: a text that only looks the same is another one.
        let is_allowed = text.is_some_and(|text| allowed.iter().any(|one| one == text));
        let list: Vec<String> = allowed.iter().map(|one| format!("\"{}\"", spelled(one))).collect();
        let refused = (!is_allowed).then(|| {
            let what =
                text.map_or_else(|| format!("it has no {id}"), |text| format!("its {id} is \"{}\"", spelled(text)));
            refusal(
                what,
                format!("this policy allows {}", list.join(", ")),
                format!("share it again with {flag}; {SENDER}"),
            )
        });
        check(checks, id, format!("its {id} is {}", list.join(" or ")), refused);
    }
}

/// Who signed what, each person once for each act: the latest statement counts.
type Signed = BTreeMap<Act, BTreeMap<usize, Statement>>;

fn read_signatures(
    policy: &Policy,
    bundle: &Declared,
    found: &[Found],
    today: Date,
    checks: &mut Vec<Check>,
) -> (Signed, Vec<String>) {
    let (mut signed, mut notes, mut refusals): (Signed, _, _) = (BTreeMap::new(), Vec::new(), Vec::new());
    let made = bundle.terms.as_ref().map(|terms| terms.made);
    for one in found {
        let file = one.path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        match &one.what {
            What::Wrong(trouble) => refusals.push(refusal(
                format!("the signature {file} {}", trouble.means()),
                "somebody changed it, or put it there to be taken for another",
                "if you do not know where it comes from, take the file away; if it should be good, ask for it again",
            )),
            What::Unknown(statement) => notes.push(format!(
                "{file} ({}) is by a key that the policy does not name: {}",
                statement.act.name(),
                statement.signer
            )),
            What::Good(statement, _) if statement.date > today || made.is_some_and(|made| statement.date < made) => {
                refusals.push(refusal(
                    format!("the signature {file} is of {}, before the bundle was made or after today", statement.date),
                    "a clock was wrong, and whether it is still good cannot be judged",
                    "set the clocks, and ask for it again (approve --force)",
                ));
            }
            What::Good(statement, key) => {
                let of_act = signed.entry(statement.act).or_default();
                let latest = of_act.entry(policy.owner(*key)).or_insert_with(|| statement.clone());
                if statement.date > latest.date {
                    *latest = statement.clone();
                }
            }
        }
    }
    checks.push(Check { id: "signatures", wants: "every signature beside it is good".to_owned(), refusals });
    (signed, notes)
}

fn signers(policy: &Policy, signed: &Signed, today: Date, checks: &mut Vec<Check>) {
    let none = BTreeMap::new();
    let makers: BTreeSet<usize> = signed.get(&Act::Made).into_iter().flat_map(BTreeMap::keys).copied().collect();
    let kinds = [
        ("made", Act::Made, &policy.made, "heapscrub share --sign"),
        ("approved", Act::Approved, &policy.approved, "heapscrub approve"),
        ("reviewed", Act::Reviewed, &policy.reviewed, "heapscrub approve --reviewed"),
    ];
    for (id, act, wanted, command) in kinds {
        let Some(wanted) = wanted else { continue };
        let of_act = signed.get(&act).unwrap_or(&none);
        let names = |people: &[usize]| people.iter().map(|p| policy.people[*p].as_str()).collect::<Vec<_>>().join(", ");
        let mut short_of = Vec::new();
        let good: Vec<usize> = wanted
            .by
            .iter()
            .copied()
            .filter(|p| counts(policy, wanted, act, *p, of_act, &makers, today, &mut short_of))
            .collect();
        let wants = format!("{id} by {} of {}", wanted.at_least, names(&wanted.by));
        let refused = (good.len() < wanted.at_least).then(|| {
            let has = if good.is_empty() { "nobody".to_owned() } else { names(&good) };
            let but = if short_of.is_empty() { String::new() } else { format!(" ({})", short_of.join("; ")) };
            let missing: Vec<usize> = wanted.by.iter().copied().filter(|p| !good.contains(p)).collect();
            refusal(
                format!("{id} by {has} of those that count{but}"),
                format!("this policy wants {} of {}", wanted.at_least, names(&wanted.by)),
                format!(
                    "ask {} more of {} to run {command}, and put the files beside the bundle",
                    wanted.at_least - good.len(),
                    names(&missing)
                ),
            )
        });
        check(checks, id, wants, refused);
    }
}

/// Does the statement of a person count? If not, why.
#[allow(clippy::too_many_arguments)]
fn counts(
    policy: &Policy,
    wanted: &Signers,
    act: Act,
    person: usize,
    signed: &BTreeMap<usize, Statement>,
    makers: &BTreeSet<usize>,
    today: Date,
    short_of: &mut Vec<String>,
) -> bool {
    let Some(statement) = signed.get(&person) else { return false };
    let name = &policy.people[person];
    let age = today.since(statement.date);
    let fault = match () {
        () if wanted.max_age.is_some_and(|most| age > i64::from(most)) => {
            format!("that of {name} is {age} days old")
        }
        () if act != Act::Made && !wanted.maker_counts && makers.contains(&person) => {
            format!("{name} made it, so somebody else must look at it")
        }
        () if wanted.with_list && statement.kept.is_none() => {
            format!("that of {name} does not name the list that was read")
        }
        () => return true,
    };
    short_of.push(fault);
    false
}
