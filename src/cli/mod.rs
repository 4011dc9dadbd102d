//! The only layer that prints, reads arguments and exits. One file for each subcommand.

mod args;
mod batch;
mod explain;
mod gate;
mod guard;
mod help;
mod init;
mod item;
mod kept;
mod listed;
mod merge;
mod print;
mod profiles;
mod progress;
mod receive;
mod report;
mod rules;
mod scan;
mod scrub;
mod settings;
mod share;
mod shell;
mod sign;
mod trend;
mod wrap;

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use self::args::Command;
use self::print::{complain, say};

/// Exit code when something was found that the user asked to be told about.
const FOUND: u8 = 1;
/// Exit code of a program that was interrupted.
const INTERRUPTED: i32 = 130;
/// Exit code for faults in arguments, rules and settings.
const USAGE: u8 = 2;
/// Exit code for input or output that failed outside of the pipeline.
const IO: u8 = 5;
/// Exit code of a program that failed in itself, as Rust has it.
const PANIC: u8 = 101;

/// Keeps raw text out of core dumps, debuggers of other users and panic messages.
pub(crate) fn harden() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map_or_else(String::new, |l| format!(" at {}:{}", l.file(), l.line()));
        complain(&format!("internal fault{place}; nothing was written. Please report this line (it holds no content)"));
    }));
    use rustix::process::{Resource, Rlimit, setrlimit};
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    if setrlimit(Resource::Core, none).is_err() {
        say("note: core dumps could not be switched off");
    }
    #[cfg(target_os = "linux")]
    if rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable).is_err() {
        say("note: the process could not be closed to debuggers");
    }
}

/// Is the result there? Then there is nothing to interrupt any more, and the program just ends.
static PUBLISHED: AtomicBool = AtomicBool::new(false);

/// Leaves nothing behind when the user or the system ends the program.
fn clean_up_when_interrupted() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    match signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM]) {
        Ok(mut signals) => {
            std::thread::spawn(move || {
                if signals.forever().next().is_some() && !PUBLISHED.load(Ordering::SeqCst) {
                    heapscrub::abandon();
                    progress::clear();
                    complain("interrupted; nothing unfinished is left behind");
                    std::process::exit(INTERRUPTED);
                }
            });
        }
        Err(_) => say("note: nobody cleans up if the program is interrupted"),
    }
}

/// Parses the arguments and runs the subcommand.
pub(crate) fn run() -> ExitCode {
    let arguments = match help::parse() {
        Ok(arguments) => arguments,
        Err(code) => return code,
    };
    clean_up_when_interrupted();
    let done = std::panic::catch_unwind(|| match &arguments.command {
        Command::Share(share) => share::run(share),
        Command::Unpack(unpack) => receive::unpack(unpack),
        Command::Verify(verify) => receive::verify(verify),
        Command::Kept(kept) => kept::run(kept),
        Command::Scrub(scrub) => scrub::run(scrub),
        Command::Report(report) => report::run(report),
        Command::Scan(scan) => scan::run(scan),
        Command::Guard(guard) => guard::run(guard),
        Command::Trend(trend) => trend::run(trend),
        Command::Batch(batch) => batch::run(batch),
        Command::Item(item) => item::run(item),
        Command::Merge(merge) => merge::run(merge),
        Command::Keygen(keygen) => sign::keygen(keygen),
        Command::Approve(approve) => sign::approve(approve),
        Command::Gate(gate) => gate::run(gate),
        Command::Profiles(profiles) => profiles::run(profiles),
        Command::Init(init) => init::init(init),
        Command::Schema(schema) => init::schema(schema),
        Command::Rules(rules) => rules::run(rules),
        Command::Completions(completions) => shell::completions(completions),
        Command::Man(man) => shell::man(man),
    });
    progress::clear();
    match done {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => {
            if let Some(refused) = error.downcast_ref::<gate::Refused>() {
                return ExitCode::from(refused.0);
            }
            if !error.is::<receive::Told>() && !error.is::<listed::Stands>() {
                complain(&format!("{error:#}"));
            }
            if let Some(failed) = error.downcast_ref::<batch::Failed>() {
                return ExitCode::from(failed.code);
            }
            let known = error.chain().find_map(|e| e.downcast_ref::<heapscrub::Error>()).copied();
            if let Some(advice) = known.map(heapscrub::Error::advice).filter(|a| !a.is_empty()) {
                say(&format!("  {advice}"));
            }
            if error.is::<scan::Found>() || error.is::<trend::Grew>() || error.is::<listed::Stands>() {
                return ExitCode::from(FOUND);
            }
            let io = error.chain().any(|e| e.is::<std::io::Error>());
            ExitCode::from(known.map_or(if io { IO } else { USAGE }, heapscrub::Error::exit_code))
        }
        Err(_) => ExitCode::from(PANIC),
    }
}
