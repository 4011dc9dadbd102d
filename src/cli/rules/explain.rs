//! `heapscrub rules explain`: everything about one rule, in words.

use anyhow::Result;
use heapscrub::{Confidence, KeepInfo, RuleInfo, Rules};

use crate::cli::print::output;
use crate::cli::wrap::{fill, width};

/// The first column.
const LABEL: usize = 12;

pub(super) fn run(rules: &Rules, id: &str) -> Result<()> {
    // People copy placeholders: [email#12].
    let id = id.trim_start_matches('[').split('#').next().unwrap_or(id);
    let text = if let Some(rule) = rules.catalogue().find(|rule| rule.id == id) {
        explain(rule)
    } else if let Some(keep) = rules.keep_rules().find(|keep| keep.id == id) {
        explain_keep(keep)
    } else {
        anyhow::bail!("no rule '{id}'; {}", suggestion(rules, id));
    };
    Ok(output(text.trim_end())?)
}

fn suggestion(rules: &Rules, id: &str) -> String {
    let ids = rules.catalogue().map(|rule| rule.id.as_str()).chain(rules.keep_rules().map(|keep| keep.id.as_str()));
    match heapscrub::nearest(id, ids) {
        Some(known) => format!("did you mean '{known}'?"),
        None => "'heapscrub rules list' shows them all".to_owned(),
    }
}

fn explain(rule: &RuleInfo) -> String {
    let mut page = Page::new(&format!("{}: {}", rule.id, rule.describe));
    page.row("category", &rule.category);
    page.row("severity", rule.severity.name());
    page.row("stands in", &rule.pack);
    page.row("why", why(&rule.category));
    page.row("known by", &known_by(rule));
    if !rule.keys.is_empty() {
        page.row("keys", &format!("{} (also in other spellings: apiKey, API_KEY, X-Api-Key)", rule.keys.join(", ")));
    }
    if !rule.siblings.is_empty() {
        page.row("beside", &format!("only if one of these keys stands beside it: {}", rule.siblings.join(", ")));
    }
    if !rule.owners.is_empty() {
        page.row("owner", &format!("only in objects of these classes: {}", rule.owners.join(", ")));
    }
    page.exact("pattern", (!rule.pattern.is_empty()).then_some(rule.pattern.as_str()));
    page.exact("cut off", rule.cut.as_deref());
    page.exact("but not", rule.except.as_deref());
    if !rule.keywords.is_empty() {
        page.row("tried if", &format!("the text has one of: {}", rule.keywords.join(" ")));
    }
    if !rule.stop.is_empty() {
        page.row("not with", &format!("what is found is none if it has one of: {}", rule.stop.join(", ")));
    }
    if let Some(bits) = rule.entropy {
        page.row("entropy", &format!("at least {bits} bits in each byte of what is found"));
    }
    if !rule.excluded.is_empty() {
        page.row("not under", &format!("keys with one of: {}", rule.excluded.join(", ")));
    }
    page.row("how sure", &how_sure(rule));
    if rule.digits > 0 {
        page.row("digits", &format!("at least {} in the text", rule.digits));
    }
    page.row("leaves", &format!("[{}#N], the same N for the same text", rule.placeholder()));
    page.examples("finds", &rule.examples);
    page.examples("finds not", &rule.counterexamples);
    page.row("mistakes", rule.note.as_deref().unwrap_or_else(|| mistakes(rule)));
    page.row("to allow", ALLOW);
    page.snippet(&allow(rule));
    page.text
}

const ALLOW: &str = "put the whole texts that may stay into a keep rule, in a file that you pass with --rules. It counts \
                     in the strict profile; in the balanced profile, what a rule finds in a value goes all the same. \
                     The ledger says that the result was weakened by it.";

fn known_by(rule: &RuleInfo) -> String {
    let looks = match rule.looks.as_deref() {
        Some("made") => "; and it must look made, not like a word or an identifier".to_owned(),
        Some("token") => "; and it must not look like a plain word".to_owned(),
        Some("luhn") => "; and its check digit must be right".to_owned(),
        Some(other) => format!("; and it must look {other}"),
        None => String::new(),
    };
    if rule.pattern.is_empty() {
        return "chance: 24 to 512 letters and digits in a row, at least 3 digits, 3 capital and 3 small letters, as mixed \
                as chance would have it. Only values are looked at, not names"
            .to_owned();
    }
    let by = if rule.is_context {
        "the key that holds it (property, private field, variable, map entry, header, pair), and its form"
    } else {
        "its form, wherever it stands"
    };
    format!("{by}{looks}")
}

fn how_sure(rule: &RuleInfo) -> String {
    let mut text = rule.confidence.name().to_owned();
    if let Some(validator) = rule.validator {
        text.push_str(&format!("; high if the check '{validator}' is right; what fails it goes all the same"));
    }
    if !rule.raising.is_empty() {
        text.push_str(&format!("; one step more under keys with one of: {}", rule.raising.join(", ")));
    }
    text
}

/// When it is wrong, for rules that have no note of their own.
fn mistakes(rule: &RuleInfo) -> &'static str {
    match rule.confidence {
        _ if rule.is_context => "whatever else stands under such a key in this form goes too",
        Confidence::High => {
            "rare, since nothing else is written in this form; examples and placeholders are found with low confidence"
        }
        Confidence::Medium => {
            "texts in the same form that were made for something else; examples and placeholders are found with low \
             confidence"
        }
        Confidence::Low => "ordinary texts in the same form are not rare: look at what holds them before you act on it",
    }
}

/// What can happen if it gets out.
fn why(category: &str) -> &'static str {
    match category {
        "ai" => "whoever has it can use the models at your cost and read what you sent",
        "chance" => "it may be a key of a service that no rule knows yet",
        "chat" => "whoever has it can read and write in your name",
        "ci" | "registry" => "whoever has it can change what you build and publish",
        "cloud" => "whoever has it can use your machines and read your data",
        "key" => "whoever has it is you, for every machine that trusts it",
        "payment" => "whoever has it can move money or see who pays",
        "personal" => "it tells who somebody is; laws say who may know that",
        "prompt" => "it is what people wrote in confidence, or how your product works",
        "source" => "it is how your program works, or somebody else's work",
        "saas" => "whoever has it can use that service in your name and see what it knows",
        "credential" => "whoever has it can get in as you or as one of your users",
        "vcs" | "version-control" => "whoever has it can read and change your code",
        _ => "whoever has it can get in",
    }
}

/// A keep rule for the first example, ready to paste.
fn allow(rule: &RuleInfo) -> String {
    let text = rule.examples.first().map_or("the whole text", String::as_str);
    format!(
        "[[keep]]\nid = \"allowed-{}\"\nexact = [{}]\nroles = [\"value\"]",
        rule.id,
        serde_json::Value::from(text) // what JSON escapes, TOML reads
    )
}

fn explain_keep(keep: &KeepInfo) -> String {
    let mut page = Page::new(&format!("{}: a keep rule, for texts that may stay", keep.id));
    page.row("stands in", &keep.pack);
    let roles = if keep.roles.is_empty() { "any name, but no value".to_owned() } else { keep.roles.join(", ") };
    page.row("stays as", &roles);
    page.row("known by", "the whole text, exactly");
    page.examples("keeps", &keep.exact);
    page.row(
        "counts",
        "in the strict profile; in the balanced profile, what a rule finds in a value goes all the same",
    );
    page.row("to add", "write one like it into a file that you pass with --rules:");
    page.snippet(
        "[[keep]]\nid = \"my-words\"\nexact = [\"pending\", \"done\"]\nroles = [\"value\"] # or key, variable, class, function, symbol, regexp",
    );
    page.text
}

/// Quotes stay as they are; what a terminal would act upon does not.
fn shown(text: &str) -> String {
    let escape = |c: char| if matches!(c, '"' | '\'' | '\\') { c.to_string() } else { c.escape_debug().to_string() };
    text.chars().map(escape).collect()
}

/// Rows of label and text, within the width.
struct Page {
    text: String,
    width: usize,
}

impl Page {
    fn new(title: &str) -> Self {
        let width = width();
        let mut page = Self { text: String::new(), width };
        for line in fill(title, width) {
            page.line(&line);
        }
        page
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn row(&mut self, label: &str, text: &str) {
        let space = self.width.saturating_sub(LABEL + 2).max(20);
        for (i, part) in fill(text, space).iter().enumerate() {
            self.line(&format!("  {:LABEL$}{part}", if i == 0 { label } else { "" }));
        }
    }

    /// A pattern stays in one piece, so that it can be copied.
    fn exact(&mut self, label: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.line(&format!("  {label:LABEL$}{text}"));
        }
    }

    fn examples(&mut self, label: &str, texts: &[String]) {
        for (i, text) in texts.iter().enumerate() {
            // Line ends and controls are shown, not done.
            let shown = if text.is_empty() { "(the empty text)".to_owned() } else { shown(text) };
            self.line(&format!("  {:LABEL$}{shown}", if i == 0 { label } else { "" }));
        }
    }

    fn snippet(&mut self, toml: &str) {
        self.line("");
        for line in toml.lines() {
            self.line(&format!("    {line}"));
        }
        self.line("");
    }
}
