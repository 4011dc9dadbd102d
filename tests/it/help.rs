//! Help of every command at every width, colours, closed pipes, mistyped words, completions and manual pages.

use std::process::Stdio;

use super::support::{Lab, Run};

/// Runs the program with settings of the environment.
fn run(lab: &Lab, args: &[&str], env: &[(&str, &str)]) -> Run {
    let mut command = lab.command();
    for name in ["COLUMNS", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    let out = command.args(args).envs(env.iter().copied()).stdin(Stdio::null()).output().expect("the program runs");
    let stderr = String::from_utf8(out.stderr).expect("messages are UTF-8");
    Run { code: out.status.code().unwrap_or(-1), stdout: out.stdout, stderr }
}

fn text(run: &Run) -> String {
    String::from_utf8(run.stdout.clone()).expect("UTF-8")
}

/// The commands that a help page names.
fn named(help: &str) -> Vec<String> {
    let section = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let words = section.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    words.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

/// Every command and nested command, found through the help pages.
fn commands(lab: &Lab) -> Vec<Vec<String>> {
    let (mut all, mut at) = (vec![Vec::new()], 0);
    while at < all.len() {
        let path: Vec<String> = all[at].clone();
        let mut args: Vec<&str> = path.iter().map(String::as_str).collect();
        args.push("--help");
        let help = text(&run(lab, &args, &[("COLUMNS", "100")]));
        // `help` prints help; it has no help of its own to look at.
        let below = named(&help).into_iter().filter(|name| name != "help");
        all.extend(below.map(|name| [path.clone(), vec![name]].concat()));
        at += 1;
    }
    all
}

#[test]
fn all_commands_are_found_and_completions_know_them() {
    let lab = Lab::new();
    let commands = commands(&lab);
    for expected in ["scrub", "rules", "rules list", "rules explain", "rules test", "rules lint", "completions", "man"]
    {
        assert!(commands.iter().any(|path| path.join(" ") == expected), "{expected}");
    }
    let bash = text(&run(&lab, &["completions", "bash"], &[]));
    for path in &commands {
        // The script has a case for each command, named in this way.
        let names = path.iter().map(|name| format!("__subcmd__{name}"));
        let case = format!("heapscrub{})", names.collect::<String>());
        assert!(bash.lines().any(|line| line.trim() == case), "{case}");
    }
}

#[test]
fn help_of_every_command_fits_every_width() {
    let lab = Lab::new();
    for path in commands(&lab) {
        for flag in ["-h", "--help"] {
            let mut args: Vec<&str> = path.iter().map(String::as_str).collect();
            args.push(flag);
            for columns in ["0", "1", "20", "40", "80", "200", "none", "-7", "99999999999999999999"] {
                let run = run(&lab, &args, &[("COLUMNS", columns)]);
                assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{args:?} at {columns}");
                let help = text(&run);
                assert!(help.contains("Usage:") && !help.contains('\u{1b}'), "{args:?} at {columns}: {help}");
                let width = columns.parse().ok().filter(|n| *n > 0).unwrap_or(100);
                for line in help.lines() {
                    // What is wider is a single word, which cannot be broken.
                    let fits = line.chars().count() <= width || line.split_whitespace().count() == 1;
                    assert!(fits, "{args:?} at {columns}: {line:?}");
                }
            }
        }
    }
}

#[test]
fn help_says_the_same_at_every_width() {
    let lab = Lab::new();
    let words = |columns: &str| {
        let help = text(&run(&lab, &["scrub", "-h"], &[("COLUMNS", columns)]));
        help.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(words("1"), words("120"));
}

#[test]
fn colours_only_where_they_are_wanted() {
    let lab = Lab::new();
    for (env, expected) in [
        (&[][..], false),
        (&[("NO_COLOR", "1")], false),
        (&[("CLICOLOR_FORCE", "1")], true),
        (&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false),
    ] {
        for args in [&["--help"][..], &["scrub", "--hepl"]] {
            let run = run(&lab, args, env);
            let both = text(&run) + &run.stderr;
            assert_eq!(both.contains('\u{1b}'), expected, "{args:?} {env:?}: {both}");
        }
        assert!(!text(&run(&lab, &["rules", "list"], env)).contains('\u{1b}'));
    }
}

#[test]
fn mistyped_words_get_a_suggestion() {
    let lab = Lab::new();
    for (args, suggestion) in [
        (&["scurb"][..], "'scrub'"),
        (&["rules", "lst"], "'list'"),
        (&["rules", "list", "--jsn"], "'--json'"),
        (&["scrub", "a", "--dry-rn"], "'--dry-run'"),
        (&["scrub", "a", "--dry-run", "--profile", "balancd"], "'balanced'"),
        (&["completions", "fsh"], "'fish'"),
        (&["rules", "explain", "github-tokn"], "no rule 'github-tokn'; did you mean 'github-token'?"),
    ] {
        let run = run(&lab, args, &[]);
        assert_eq!((run.code, run.stdout.len()), (2, 0), "{args:?}");
        assert!(run.stderr.contains(suggestion), "{args:?}: {}", run.stderr);
    }
}

#[test]
fn a_closed_pipe_is_success() {
    let lab = Lab::new();
    for args in [&["--help"][..], &["rules", "list"], &["rules", "list", "--json"], &["completions", "bash"], &["man"]]
    {
        let (reader, writer) = std::io::pipe().expect("pipe");
        drop(reader);
        let out = lab.command().args(args).stdin(Stdio::null()).stdout(writer).output().expect("the program runs");
        assert_eq!(out.status.code(), Some(0), "{args:?}");
        assert_eq!(String::from_utf8_lossy(&out.stderr), "", "{args:?}");
    }
}

#[test]
fn no_standard_output_at_all_is_success() {
    let lab = Lab::new();
    for args in ["--help", "rules list"] {
        let script = format!("exec \"$0\" {args} >&-");
        let mut shell = std::process::Command::new("sh");
        let out = shell.args(["-c", &script, env!("CARGO_BIN_EXE_heapscrub")]).output().expect("a shell");
        assert_eq!((out.status.code(), out.stderr.len()), (Some(0), 0), "{args}");
    }
    drop(lab);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_no_success() {
    let lab = Lab::new();
    for args in [&["--help"][..], &["rules", "list"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("/dev/full");
        let out = lab.command().args(args).stdin(Stdio::null()).stdout(full).output().expect("the program runs");
        assert_eq!(out.status.code(), Some(5), "{args:?}");
        assert!(String::from_utf8_lossy(&out.stderr).starts_with("heapscrub: "), "{args:?}");
    }
}

#[test]
fn completions_for_every_shell() {
    let lab = Lab::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = run(&lab, &["completions", shell], &[]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{shell}");
        let script = text(&run);
        assert!(["heapscrub", "scrub", "explain", "names-from"].iter().all(|word| script.contains(word)), "{shell}");
    }
}

#[test]
fn the_bash_completions_are_bash() {
    let lab = Lab::new();
    let script = lab.input("heapscrub.bash", &run(&lab, &["completions", "bash"], &[]).stdout);
    let check = std::process::Command::new("bash").arg("-n").arg(script).output().expect("bash");
    assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stderr));
}

#[test]
fn a_manual_page_for_every_command() {
    let lab = Lab::new();
    let page = text(&run(&lab, &["man"], &[]));
    assert!(page.contains(".TH heapscrub 1") && page.contains(".SH NAME"), "{page}");
    let dir = lab.out("man1");
    let dir_name = dir.to_str().expect("UTF-8");
    assert_eq!(run(&lab, &["man", "-o", dir_name], &[("COLUMNS", "20")]).code, 0);
    let mut expected: Vec<String> = commands(&lab)
        .iter()
        .map(|path| format!("heapscrub{}.1", path.iter().map(|name| format!("-{name}")).collect::<String>()))
        .collect();
    expected.sort();
    let entries = std::fs::read_dir(&dir).expect("directory");
    let mut found: Vec<String> =
        entries.map(|e| e.expect("entry").file_name().into_string().expect("UTF-8 name")).collect();
    found.sort();
    assert_eq!(found, expected);
    assert_eq!(std::fs::read_to_string(dir.join("heapscrub.1")).expect("page"), page, "the same at every width");
}
