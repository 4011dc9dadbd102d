//! One process for one item: a bomb, a fault or a full memory ends it and nothing else.
//!
//! Job and key go over its standard input, which stays open: a worker whose batch has ended ends too.

use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::item::Job;
use super::row::{Row, Why};
use crate::Key;

/// The most that a worker says.
const ANSWER_BYTES: u64 = 1 << 28;

/// What a worker says when it ends.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Answer<T> {
    /// What came of the item.
    pub(super) row: Row<T>,
    /// The most memory that it had, in bytes.
    pub(super) peak_bytes: u64,
}

/// How a worker ended.
#[derive(Debug)]
pub(super) enum Ended {
    /// It said what came of the item.
    Said(Box<Answer<String>>),
    /// It said nothing.
    Silent(Why),
}

/// A worker that runs.
pub(super) struct Running {
    child: Arc<Mutex<Child>>,
    /// Nothing more is written; the end of it ends the worker.
    _stdin: ChildStdin,
    deadline: Instant,
    is_late: Arc<Mutex<bool>>,
    pub(super) started: Instant,
}

/// Starts a worker. `done` is called when it has ended, on a thread of its own.
pub(super) fn start(
    program: &Path,
    args: &[std::ffi::OsString],
    (job, key): (&Job, &Key),
    time: Duration,
    done: impl FnOnce(Ended) + Send + 'static,
) -> std::io::Result<Running> {
    let mut command = Command::new(program);
    command.arg("item").arg("--worker").args(args);
    // What the environment says about this job is for the batch alone.
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let missing = || std::io::Error::from(std::io::ErrorKind::BrokenPipe);
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (mut stdin, stdout, stderr) =
        (stdin.ok_or_else(missing)?, stdout.ok_or_else(missing)?, stderr.ok_or_else(missing)?);
    let line = serde_json::to_vec(job).unwrap_or_else(|_| unreachable!("a job serialises"));
    // A worker that ends at once breaks the pipe; its end tells more than the pipe does.
    let _ = stdin.write_all(&line).and_then(|()| stdin.write_all(b"\n")).and_then(|()| key.hand_over(&mut stdin));
    let (child, is_late) = (Arc::new(Mutex::new(child)), Arc::new(Mutex::new(false)));
    let (waits, late) = (Arc::clone(&child), Arc::clone(&is_late));
    std::thread::spawn(move || {
        let (mut said, mut complained) = (Vec::new(), Vec::new());
        // Whatever cannot be read was not said.
        let _ = stdout.take(ANSWER_BYTES).read_to_end(&mut said);
        let _ = stderr.take(1 << 16).read_to_end(&mut complained);
        let status = lock(&waits).wait();
        let is_late = *lock(&late);
        done(ended(&said, &complained, status.ok(), is_late));
    });
    let started = Instant::now();
    Ok(Running { child, _stdin: stdin, deadline: started + time, is_late, started })
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Running {
    /// Ends the worker if it takes too long.
    pub(super) fn end_if_late(&self, now: Instant) {
        if now >= self.deadline && !*lock(&self.is_late) {
            *lock(&self.is_late) = true;
            // It may have ended meanwhile.
            let _ = lock(&self.child).kill();
        }
    }
}

fn ended(said: &[u8], complained: &[u8], status: Option<ExitStatus>, is_late: bool) -> Ended {
    if let Ok(answer) = serde_json::from_slice::<Answer<String>>(said) {
        return Ended::Said(Box::new(answer));
    }
    let runs_out = memchr::memmem::find(complained, b"memory allocation of").is_some()
        || memchr::memmem::find(complained, b"WouldBlock").is_some();
    let why = match status.map(|status| (status.signal(), status.code())) {
        _ if is_late => Why::Time,
        Some((Some(_), _)) if runs_out => Why::Memory,
        // Somebody shortened the mapped file.
        Some((Some(7), _)) => Why::Changed,
        Some((Some(6 | 11), _)) => Why::Fault,
        Some((Some(_), _)) | None => Why::Killed,
        Some((None, Some(101))) if runs_out => Why::Memory,
        Some((None, Some(2))) => Why::Settings,
        // Interrupted together with the batch.
        Some((None, Some(130))) => Why::Killed,
        Some((None, _)) => Why::Fault,
    };
    Ended::Silent(why)
}
