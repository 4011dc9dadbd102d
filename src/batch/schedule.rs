//! Who runs when: the largest items first, and never one that does not fit into the memory that is left.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use super::hex::Hex;
use super::item::{self, Emit, Job};
use super::journal::{Effort, Entry, Journal};
use super::plan::Item;
use super::row::{Row, Rows, State, Why};
use super::worker::{self, Ended, Running};
use crate::raw::names::Names;
use crate::{Error, Key, Kind, Result, SafeText, Settings, Stage};

/// How often an item is tried that something ended or that could not be read.
const ATTEMPTS: u32 = 3;
/// How often is looked for workers that take too long.
const TICK: Duration = Duration::from_millis(100);

/// What a run is like.
#[derive(Debug)]
pub struct Run<'r> {
    /// The program of the workers: this one.
    pub program: PathBuf,
    /// Flags of the workers.
    pub args: Vec<OsString>,
    /// The key of the job.
    pub key: &'r Key,
    /// The settings, for names.
    pub settings: &'r Settings,
    /// What stands for everything that results depend on.
    pub digest: Hex,
    /// Where results go.
    pub out: PathBuf,
    /// What is written beside reports.
    pub emit: Emit,
    /// Classes in reports and rows.
    pub limit: usize,
    /// Workers beside each other.
    pub jobs: usize,
    /// Threads of each.
    pub threads: usize,
    /// Memory for all of them together.
    pub memory: u64,
    /// Time for each.
    pub time: Duration,
    /// Do not believe that a file is unchanged because its size and time are.
    pub rehash: bool,
}

/// What happens meanwhile.
#[derive(Debug)]
pub enum Event<'e> {
    /// A worker started.
    Started(&'e Item),
    /// It came to nothing, and is tried again.
    Again(&'e Item, Why),
    /// An item is done with.
    Ended(&'e Item, &'e Row),
    /// Time went by.
    Tick,
}

/// What came of a run.
#[derive(Debug, Default)]
pub struct Came {
    /// The rows of all items.
    pub rows: Rows,
    /// Rows that were there before.
    pub resumed: usize,
    /// Why the run ended early; then there is no index.
    pub stopped: Option<Error>,
}

/// An item that waits.
struct Waiting {
    at: usize,
    needs: u64,
    attempts: u32,
    /// Only its content is looked at.
    only_digest: bool,
}

struct Busy {
    waiting: Waiting,
    running: Running,
}

/// Where workers say that they ended, and which item theirs was.
type Ends = (Sender<(usize, Ended)>, Receiver<(usize, Ended)>);

struct Schedule<'s, 'r> {
    run: &'s Run<'r>,
    items: &'s [Item],
    names: Names<'r>,
    journal: Journal,
    /// What was done before, of items whose content is looked at.
    known: BTreeMap<usize, Entry>,
    waiting: Vec<Waiting>,
    busy: BTreeMap<usize, Busy>,
    came: Came,
    ends: Ends,
    tell: &'s mut dyn FnMut(&Event<'_>),
}

/// Runs everything that is not done yet.
///
/// # Errors
/// When the journal cannot be opened. Whatever happens to items is in their rows.
pub fn run(
    run: &Run<'_>,
    items: &[Item],
    journal: Journal,
    entries: BTreeMap<Hex, Entry>,
    tell: &mut dyn FnMut(&Event<'_>),
) -> Came {
    let names = Names::new(run.settings);
    let mut schedule = Schedule {
        run,
        items,
        names,
        journal,
        known: BTreeMap::new(),
        waiting: Vec::new(),
        busy: BTreeMap::new(),
        came: Came::default(),
        ends: channel(),
        tell,
    };
    schedule.sort(entries);
    schedule.go();
    schedule.came
}

/// Opens the journal of a job.
///
/// # Errors
/// When it cannot be read or written, or another run of this job is going on.
pub fn journal(run: &Run<'_>, state: &std::path::Path) -> Result<(Journal, BTreeMap<Hex, Entry>)> {
    Journal::open(state, run.digest.clone(), &mut Names::new(run.settings))
}

impl Schedule<'_, '_> {
    /// What was done counts; what cannot be done is told; the rest waits, the largest first.
    fn sort(&mut self, mut entries: BTreeMap<Hex, Entry>) {
        let job = item::job_of(self.run.key);
        for (at, item) in self.items.iter().enumerate() {
            if let Err(error) = item.probe {
                self.no_dump(item, error, &job);
                continue;
            }
            let needs = item.needs();
            let entry = entries.remove(&item.key).filter(|entry| {
                let is_final = entry.row.class.is_none_or(|class| !class.is_worth_a_retry());
                let was_too_large = entry.row.class == Some(Why::Memory);
                entry.settings == self.run.digest
                    && entry.row.job == job
                    && is_final
                    && !was_too_large
                    && item::is_there(&entry.row, &self.run.out)
            });
            match entry {
                Some(entry) if !self.run.rehash => {
                    self.came.rows.insert(item.key.clone(), entry.row);
                    self.came.resumed += 1;
                }
                _ if needs > self.run.memory => {
                    let kind = Kind::Limit { what: "bytes of memory for all items together", limit: self.run.memory };
                    let why = SafeText::of_error(Error::new(Stage::Input, kind));
                    self.came.rows.insert(
                        item.key.clone(),
                        Row {
                            format: item.format().map(SafeText::literal),
                            ..placed(Row::failed(job.clone(), item.key.clone(), Why::Memory, why), item)
                        },
                    );
                }
                entry => {
                    let only_digest = entry.as_ref().is_some_and(|entry| entry.row.input.is_some());
                    if let Some(entry) = entry.filter(|_| only_digest) {
                        self.known.insert(at, entry);
                    }
                    self.waiting.push(Waiting { at, needs, attempts: 0, only_digest });
                }
            }
        }
        self.waiting.sort_by(|a, b| b.needs.cmp(&a.needs).then(a.at.cmp(&b.at)));
    }

    /// An item that needs no worker.
    fn no_dump(&mut self, item: &Item, error: Error, job: &Hex) {
        let row = Row::failed(job.clone(), item.key.clone(), Why::of(error), SafeText::of_error(error));
        let state = if item.is_passed_over { State::Skipped } else { State::Failed };
        self.came.rows.insert(item.key.clone(), placed(Row { state, ..row }, item));
    }

    fn go(&mut self) {
        while !self.busy.is_empty() || (self.came.stopped.is_none() && !self.waiting.is_empty()) {
            if self.came.stopped.is_none() {
                self.start_what_fits();
            }
            match self.ends.1.recv_timeout(TICK) {
                Ok((at, ended)) => self.end(at, ended),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    let now = Instant::now();
                    for busy in self.busy.values() {
                        busy.running.end_if_late(now);
                    }
                    (self.tell)(&Event::Tick);
                }
            }
        }
    }

    fn start_what_fits(&mut self) {
        while self.busy.len() < self.run.jobs {
            let used: u64 = self.busy.values().map(|busy| busy.waiting.needs).sum();
            let left = self.run.memory.saturating_sub(used);
            let Some(next) = self.waiting.iter().position(|waiting| waiting.needs <= left) else { return };
            let waiting = self.waiting.remove(next);
            self.start(waiting);
        }
    }

    fn start(&mut self, waiting: Waiting) {
        let (run, at) = (self.run, waiting.at);
        let Some(item) = self.items.get(at) else { return };
        let job = Job {
            place: item.place.clone(),
            item: item.key.clone(),
            out: run.out.clone(),
            emit: run.emit,
            limit: run.limit,
            threads: run.threads,
            memory: waiting.needs,
            only_digest: waiting.only_digest,
        };
        let ends = self.ends.0.clone();
        // Nobody waits any more if the run was ended.
        let done = move |ended| drop(ends.send((at, ended)));
        match worker::start(&run.program, &run.args, (&job, run.key), run.time, done) {
            Ok(running) => {
                (self.tell)(&Event::Started(item));
                self.busy.insert(at, Busy { waiting, running });
            }
            // No process, no memory: another run may have more luck.
            Err(error) => self.came.stopped = Some(Error::io(Stage::Input, &error)),
        }
    }

    fn end(&mut self, at: usize, ended: Ended) {
        let (Some(Busy { waiting, running }), Some(item)) = (self.busy.remove(&at), self.items.get(at)) else { return };
        let job = item::job_of(self.run.key);
        let took_ms = running.started.elapsed().as_millis() as u64;
        let (row, peak_bytes) = match ended {
            Ended::Said(answer) if answer.row.item == item.key && answer.row.job == job => {
                (answer.row.vouched(&mut self.names), answer.peak_bytes)
            }
            Ended::Said(_) => (silent(&job, item, Why::Fault), 0),
            Ended::Silent(why) => (silent(&job, item, why), 0),
        };
        let row = placed(row, item);
        let attempts = waiting.attempts + 1;
        match row.class {
            Some(Why::NoSpace) => {
                self.came.stopped = Some(Error::new(Stage::Write, Kind::Io(std::io::ErrorKind::StorageFull)));
                return;
            }
            // What the beginning made likely was not enough: once more with everything there is, alone.
            Some(Why::Memory) if waiting.needs < self.run.memory => {
                (self.tell)(&Event::Again(item, Why::Memory));
                self.waiting.insert(0, Waiting { needs: self.run.memory, attempts, ..waiting });
                return;
            }
            Some(why @ (Why::Killed | Why::Unreadable | Why::Unwritable)) if attempts < ATTEMPTS => {
                (self.tell)(&Event::Again(item, why));
                self.waiting.insert(0, Waiting { attempts, ..waiting });
                return;
            }
            _ => {}
        }
        if let Some(entry) = self.known.remove(&at) {
            if row.state == State::Done && entry.row.input == row.input {
                (self.tell)(&Event::Ended(item, &entry.row));
                self.came.resumed += 1;
                self.came.rows.insert(item.key.clone(), entry.row);
            } else {
                self.waiting.insert(0, Waiting { at, needs: item.needs(), attempts: 0, only_digest: false });
            }
            return;
        }
        if let Err(error) = self.journal.append(&item.place, &row, Effort { attempts, took_ms, peak_bytes }) {
            self.came.stopped = Some(error);
            return;
        }
        (self.tell)(&Event::Ended(item, &row));
        self.came.rows.insert(item.key.clone(), row);
    }
}

/// An item whose worker said nothing.
fn silent(job: &Hex, item: &Item, why: Why) -> Row {
    let words = match why {
        Why::Time => "it took longer than an item may",
        Why::Memory => "it took more memory than it was given",
        Why::Killed => "something ended its worker",
        Why::Changed => "the input changed while it was read",
        Why::Settings => "its worker did not take the settings",
        _ => "its worker failed in itself",
    };
    Row::failed(job.clone(), item.key.clone(), why, SafeText::literal(words))
}

/// What is known of the file of an item.
fn placed(mut row: Row, item: &Item) -> Row {
    (row.changed, row.file_bytes) = (item.place.changed(), item.place.bytes);
    row.format = row.format.or(item.format().map(SafeText::literal));
    row
}
