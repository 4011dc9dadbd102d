//! What a run shows: a line that is written over on a terminal, events as JSON elsewhere, and a summary at the end.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use heapscrub::batch::index::Index;
use heapscrub::batch::plan::{Item, Plan};
use heapscrub::batch::schedule::{Came, Event};
use heapscrub::batch::{Hex, State};
use serde_json::json;

use super::ByClass;
use crate::cli::print::{output, plain, say, short, shown, size, thousands};
use crate::cli::progress;

/// Failed items that are listed.
const LISTED: usize = 20;
/// Services that are listed.
const SERVICES: usize = 5;
/// How often the line of a terminal is written over.
const PACE: Duration = Duration::from_millis(200);

/// Says that dumps are being looked for.
pub(super) fn looking(is_quiet: bool) {
    if !is_quiet && progress::has_terminal() {
        progress::show("looking for dumps ...");
    }
}

/// Prints what would be done.
pub(super) fn plan(plan: &Plan, memory: u64, jobs: usize, is_json: bool) -> Result<()> {
    progress::clear();
    let faults: ByClass = plan.faults.iter().map(|(class, count)| (class.name(), *count)).collect();
    if is_json {
        let formats: BTreeMap<_, _> = plan
            .formats
            .iter()
            .map(|(format, (items, bytes))| (*format, json!({ "items": items, "bytes": bytes })))
            .collect();
        let line = json!({
            "formats": formats,
            "faults": faults,
            "passed_over": plan.passed_over,
            "too_large": plan.too_large,
            "largest_needs_bytes": plan.largest,
            "memory_bytes": memory,
            "side_by_side": plan.side_by_side,
            "jobs": jobs,
            "about_seconds": plan.seconds,
        });
        return Ok(output(&line.to_string())?);
    }
    for (format, (items, bytes)) in &plan.formats {
        output(&format!("{format:<14} {:>9} dumps {:>12} unpacked", thousands(*items), size(*bytes)))?;
    }
    for (class, count) in &faults {
        output(&format!("{class:<14} {:>9} will fail", thousands(*count)))?;
    }
    output(&format!("passed over    {:>9} files that are no dumps", thousands(plan.passed_over)))?;
    output(&format!(
        "memory         {:>9}, the largest dump takes {}, {} of {jobs} workers fit beside each other then",
        size(memory),
        size(plan.largest),
        plan.side_by_side
    ))?;
    if plan.too_large > 0 {
        output(&format!(
            "too large      {:>9} dumps take more memory than that and will fail; --max-memory gives more",
            thousands(plan.too_large)
        ))?;
    }
    output(&format!("time           about {}", spell(plan.seconds)))?;
    Ok(())
}

fn spell(seconds: u64) -> String {
    match seconds {
        0..=90 => format!("{seconds} s"),
        91..=5400 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{:.1} h", seconds as f64 / 3600.0),
    }
}

/// Who watches a run.
pub(super) struct Watch<'w> {
    items: &'w [Item],
    is_quiet: bool,
    on_terminal: bool,
    shows_names: bool,
    running: BTreeMap<Hex, Instant>,
    done: BTreeSet<Hex>,
    failed: u64,
    begun: Instant,
    drawn: Option<Instant>,
}

impl<'w> Watch<'w> {
    pub(super) fn new(items: &'w [Item], is_quiet: bool, keep_file_names: bool) -> Self {
        let on_terminal = progress::has_terminal();
        let shows_names = keep_file_names || std::io::stderr().is_terminal();
        let (running, done) = (BTreeMap::new(), BTreeSet::new());
        Self { items, is_quiet, on_terminal, shows_names, running, done, failed: 0, begun: Instant::now(), drawn: None }
    }

    pub(super) fn damaged(&self, lines: u64) {
        if lines > 0 {
            say(&format!("note: {lines} lines of the journal cannot be read; their dumps are done again"));
        }
    }

    /// What an item is called: by its name on the terminal of its owner, else by its digest.
    fn name(&self, item: &Item) -> String {
        if self.shows_names { short(&plain(item.place.called()), 100) } else { item.key.to_string() }
    }

    pub(super) fn see(&mut self, event: &Event<'_>) {
        match event {
            Event::Started(item) => {
                self.running.insert(item.key.clone(), Instant::now());
            }
            Event::Again(item, why) => {
                self.running.remove(&item.key);
                self.event(&json!({ "event": "again", "item": item.key.as_str(), "class": why.name() }));
            }
            Event::Ended(item, row) => {
                self.running.remove(&item.key);
                self.done.insert(item.key.clone());
                self.failed += u64::from(row.state == State::Failed);
                let class = row.class.map(heapscrub::batch::Why::name);
                let (done, of) = (self.done.len(), self.items.len());
                self.event(&json!({ "event": "ended", "item": item.key.as_str(), "state": row.state, "class": class, "done": done, "of": of }));
                if self.on_terminal && !self.is_quiet && row.state == State::Failed {
                    progress::clear();
                    let why = row.why.as_ref().map(|why| why.as_str()).unwrap_or_default();
                    say(&format!("  failed   {}: {}", self.name(item), plain(why)));
                }
            }
            Event::Tick => {}
        }
        self.draw();
    }

    fn event(&self, event: &serde_json::Value) {
        if !self.on_terminal && !self.is_quiet {
            // Whoever does not listen any more does not stop the run.
            let _ = writeln!(std::io::stderr().lock(), "{event}");
        }
    }

    fn draw(&mut self) {
        if !self.on_terminal || self.is_quiet || self.drawn.is_some_and(|at| at.elapsed() < PACE) {
            return;
        }
        self.drawn = Some(Instant::now());
        let oldest = self.running.iter().min_by_key(|(_, started)| **started);
        let oldest = oldest.and_then(|(key, started)| {
            let item = self.items.iter().find(|item| item.key == *key)?;
            Some(format!("; {} for {}", short(&self.name(item), 40), spell(started.elapsed().as_secs())))
        });
        let failed = if self.failed > 0 { format!(", {} failed", thousands(self.failed)) } else { String::new() };
        let (done, of) = (self.done.len() as u64, self.items.len() as u64);
        progress::show(&format!(
            "{} of {} dumps{failed}, {} running{}; {}",
            thousands(done),
            thousands(of),
            self.running.len(),
            oldest.unwrap_or_default(),
            spell(self.begun.elapsed().as_secs()),
        ));
    }

    /// The summary.
    pub(super) fn end(&mut self, came: &Came, made: &Index, out: &Path, is_json: bool) -> Result<()> {
        let mut by_class = ByClass::new();
        let (mut done, mut skipped, mut failed) = (0_u64, 0_u64, 0_u64);
        for row in came.rows.values() {
            match row.state {
                State::Done => done += 1,
                State::Skipped => skipped += 1,
                State::Failed => {
                    failed += 1;
                    *by_class.entry(row.class.map_or("fault", heapscrub::batch::Why::name)).or_default() += 1;
                }
            }
        }
        if is_json {
            let line = json!({ "done": done, "failed": by_class, "passed_over": skipped, "resumed": came.resumed, "services": made.services.len() });
            return Ok(output(&line.to_string())?);
        }
        if self.is_quiet {
            return Ok(());
        }
        let resumed = if came.resumed > 0 {
            format!(" ({} of them before)", thousands(came.resumed as u64))
        } else {
            String::new()
        };
        say(&format!(
            "{}: {} dumps summarised{resumed}, {} failed, {} files passed over, {}",
            shown(out),
            thousands(done),
            thousands(failed),
            thousands(skipped),
            spell(self.begun.elapsed().as_secs())
        ));
        if failed > 0 {
            let classes: Vec<String> =
                by_class.iter().map(|(class, count)| format!("{class} {}", thousands(*count))).collect();
            say(&format!("  failed   {}", classes.join(", ")));
            self.list(came);
        }
        for one in made.services.iter().filter(|one| one.growth > 0).take(SERVICES) {
            let label = one.service.as_ref().map_or("(no service told)", |s| s.as_str());
            let class = one
                .classes
                .first()
                .map(|c| format!("; most of it {}", short(&plain(c.class.as_str()), 60)))
                .unwrap_or_default();
            say(&format!(
                "  grew     {} +{} over {} dumps, {}{class}",
                short(&plain(label), 40),
                size(one.growth.unsigned_abs()),
                one.heap_bytes.len(),
                one.verdict
            ));
        }
        say(&format!("  next     open {}", shown(&out.join("overview.html"))));
        Ok(())
    }

    fn list(&self, came: &Came) {
        let failed = self.items.iter().filter_map(|item| Some((item, came.rows.get(&item.key)?)));
        let failed: Vec<_> = failed.filter(|(_, row)| row.state == State::Failed).collect();
        for (item, row) in failed.iter().take(LISTED) {
            let why = row.why.as_ref().map(|why| why.as_str()).unwrap_or_default();
            say(&format!("           {}: {}", self.name(item), plain(why)));
        }
        if failed.len() > LISTED {
            say(&format!("           and {} more, in index.jsonl", failed.len() - LISTED));
        }
        if !self.shows_names {
            say(
                "           names of files are not shown here; .state/failed.jsonl has them, --keep-file-names shows them",
            );
        }
    }
}
