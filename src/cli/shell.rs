//! `heapscrub completions` and `heapscrub man`: what a package installs beside the program.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Command, CommandFactory};
use clap_complete::Shell;

use super::args::Arguments;
use super::print::{output, say, shown};

/// Print the completions for a shell.
#[derive(Debug, clap::Args)]
#[command(after_help = COMPLETIONS)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

const COMPLETIONS: &str = "Examples:
  heapscrub completions bash > ~/.local/share/bash-completion/completions/heapscrub
  heapscrub completions zsh > ~/.zfunc/_heapscrub
  heapscrub completions fish > ~/.config/fish/completions/heapscrub.fish";

/// Print the manual page, or write all of them.
#[derive(Debug, clap::Args)]
#[command(after_help = MAN)]
pub(crate) struct Man {
    /// Write heapscrub.1 and a page for each command to this directory, which is made if it is not there
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

const MAN: &str = "Examples:
  heapscrub man | man -l -
  heapscrub man -o ~/.local/share/man/man1";

pub(crate) fn completions(args: &Completions) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "heapscrub", &mut script);
    print(&script)
}

pub(crate) fn man(args: &Man) -> Result<()> {
    let mut command = Arguments::command();
    command.build();
    match &args.output {
        None => print(&page(&command)?),
        Some(dir) => {
            std::fs::create_dir_all(dir).with_context(|| shown(dir))?;
            let count = pages(&command, "heapscrub", dir)?;
            say(&format!("{}: {count} pages", shown(dir)));
            Ok(())
        }
    }
}

/// The page of a command and of everything below it; how many they are.
fn pages(command: &Command, name: &str, dir: &Path) -> Result<usize> {
    let path = dir.join(format!("{name}.1"));
    std::fs::write(&path, page(command)?).with_context(|| shown(&path))?;
    let mut count = 1;
    for below in command.get_subcommands().filter(|c| c.get_name() != "help" && !c.is_hide_set()) {
        count += pages(below, &format!("{name}-{}", below.get_name()), dir)?;
    }
    Ok(count)
}

fn page(command: &Command) -> Result<Vec<u8>> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    Ok(page)
}

fn print(text: &[u8]) -> Result<()> {
    Ok(output(String::from_utf8_lossy(text).trim_end())?)
}
