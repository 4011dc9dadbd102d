//! The default build has no code that talks to a network.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Crates that open sockets, speak protocols, or bring a runtime that does.
const TALKERS: [&str; 34] = [
    "socket2",
    "mio",
    "tokio",
    "async-std",
    "smol",
    "hyper",
    "hyper-util",
    "reqwest",
    "ureq",
    "attohttpc",
    "isahc",
    "curl",
    "curl-sys",
    "h2",
    "h3",
    "http",
    "httparse",
    "rustls",
    "native-tls",
    "openssl",
    "openssl-sys",
    "security-framework",
    "schannel",
    "webpki",
    "webpki-roots",
    "trust-dns-resolver",
    "hickory-resolver",
    "quinn",
    "tungstenite",
    "libssh2-sys",
    "ssh2",
    "russh",
    "opentelemetry",
    "sentry",
];

/// What the program is built from, without what only tests need.
fn tree() -> BTreeSet<String> {
    let args = ["tree", "--edges", "normal,build", "--prefix", "none", "--locked", "--offline"];
    let out = Command::new(env!("CARGO")).args(args).current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("cargo");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let text = String::from_utf8(out.stdout).expect("UTF-8");
    text.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

#[test]
fn nothing_in_the_dependency_tree_talks_to_a_network() {
    let tree = tree();
    // The tree was read: these are in it.
    for known in ["clap", "memmap2", "ed25519-dalek", "zstd-sys"] {
        assert!(tree.contains(known), "{known}");
    }
    let talkers: Vec<&&str> = TALKERS.iter().filter(|name| tree.contains(**name)).collect();
    assert!(talkers.is_empty(), "{talkers:?}");
}

#[test]
fn no_source_names_a_socket() {
    let mut count = 0;
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            count += 1;
            for word in
                ["std::net", "TcpStream", "UdpSocket", "TcpListener", "ToSocketAddrs", "rustix::net", "libc::socket"]
            {
                assert!(!text.contains(word), "{word} in {}", path.display());
            }
        }
    }
    assert!(count > 100, "{count} files were read");
    // The calls of the system that rustix may make here: none of its network part.
    let manifest =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).expect("a manifest");
    let rustix = manifest.lines().find(|line| line.starts_with("rustix")).expect("rustix");
    assert!(!rustix.contains("net"), "{rustix}");
}
