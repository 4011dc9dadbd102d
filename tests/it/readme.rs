//! Every command in README is run, as a new user would run it.

use std::path::Path;
use std::process::Command;

use super::support::{Lab, leak_sample, sample};

/// Commands that other places run: the tests themselves.
const ELSEWHERE: [&str; 2] = ["tests/run", "tests/run --full"];

#[test]
fn every_command_in_readme_works() {
    let lab = Lab::new();
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let place = lab.out("");
    std::os::unix::fs::symlink(project.join("samples"), place.join("samples")).expect("link");
    let bin = Path::new(env!("CARGO_BIN_EXE_heapscrub")).parent().expect("directory").to_owned();
    // What the commands talk about.
    std::fs::create_dir(place.join("src")).expect("directory");
    std::fs::copy(project.join("samples/helpdesk/app.js"), place.join("src/app.js")).expect("source");
    std::fs::write(place.join("customers.txt"), "Erika Mustermann\n").expect("list");
    std::fs::write(place.join("own.toml"), "[[keep]]\nid = \"mine\"\nexact = [\"somethingOfMine\"]\n").expect("rules");
    std::fs::write(place.join("budget.toml"), "max_heap_growth = \"10 MB\"\n").expect("budget");
    std::fs::write(place.join("app.heapsnapshot"), sample("helpdesk.heapsnapshot.zst")).expect("snapshot");
    for n in 1..=3 {
        std::fs::write(place.join(format!("{n}.heapsnapshot")), leak_sample("desk-leak", n)).expect("snapshot");
    }
    for (name, n) in [("before", 1), ("after", 2)] {
        std::fs::write(place.join(format!("{name}.heapsnapshot")), leak_sample("page-leak", n)).expect("snapshot");
    }
    let readme = std::fs::read_to_string(project.join("README.md")).expect("README");
    let commands: Vec<&str> =
        readme.lines().filter_map(|line| line.strip_prefix("    ")).filter(|l| !l.starts_with(' ')).collect();
    assert!(commands.len() >= 15, "{}", commands.len());
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let mut ran = 0;
    for command in commands {
        let command = command.split(" # ").next().unwrap_or(command).trim_end();
        if ELSEWHERE.contains(&command) || command.starts_with("git clone") || command.starts_with("cargo install") {
            continue;
        }
        // The program is built already.
        let command = command.replace("cargo run --release --", "heapscrub");
        let run =
            Command::new("bash").args(["-c", &command]).env("PATH", &path).current_dir(&place).output().expect("bash");
        assert!(
            run.status.success(),
            "{command}\n{}\n{}",
            String::from_utf8_lossy(&run.stdout),
            String::from_utf8_lossy(&run.stderr)
        );
        ran += 1;
    }
    assert!(ran >= 12, "{ran}");
}
