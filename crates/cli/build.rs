//! Sets the facts of the build, as variables that `env!` reads.
//!
//! The commit is left out if git is missing or the sources are not in its repository.

use std::env;
use std::path::Path;
use std::process::Command;

#[path = "build/date.rs"]
mod date;

fn main() {
    println!("cargo:rerun-if-env-changed=SOURCE_DATE_EPOCH");
    println!("cargo:rerun-if-changed=build.rs");
    let commit = Commit::read();
    let epoch = env::var("SOURCE_DATE_EPOCH").ok().and_then(|seconds| seconds.trim().parse().ok());
    let seconds = epoch.or_else(|| Some(commit.as_ref()?.seconds));
    let date = seconds.map(day).unwrap_or_default();
    let (hash, changes) = commit.map(|commit| (commit.hash, commit.changes)).unwrap_or_default();
    let version = variable("CARGO_PKG_VERSION");
    let shown = format!("{hash}{}", if changes { "+changes" } else { "" });
    let origin: Vec<_> = [&shown, &date].into_iter().filter(|text| !text.is_empty()).collect();
    let line = match origin.as_slice() {
        [] => version,
        [first, rest @ ..] => {
            let rest: String = rest.iter().map(|text| format!(" {text}")).collect();
            format!("{version} ({first}{rest})")
        }
    };
    let compiler = Command::new(variable("RUSTC")).arg("--version").output();
    let compiler = compiler.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    set("LINE", &line);
    set("COMMIT", &hash);
    set("CHANGES", if changes { "true" } else { "" });
    set("DATE", &date);
    set("TARGET", &variable("TARGET"));
    set("RUSTC", &compiler.unwrap_or_default());
    set("PROFILE", &variable("PROFILE"));
    set("FEATURES", &variable("CARGO_CFG_FEATURE"));
}

/// The commit of the sources.
struct Commit {
    hash: String,
    seconds: u64,
    /// Whether what is compiled differs from it.
    changes: bool,
}

impl Commit {
    fn read() -> Option<Self> {
        let top = git(&["rev-parse", "--show-toplevel"])?;
        let here = Path::new(&variable("CARGO_MANIFEST_DIR")).canonicalize().ok()?;
        if Path::new(&top).canonicalize().ok()?.join("crates/cli") != here {
            return None;
        }
        git(&["ls-files", "--error-unmatch", "Cargo.toml"])?;
        let shown = git(&["log", "-1", "--abbrev=10", "--format=%h %ct"])?;
        let (hash, seconds) = shown.split_once(' ')?;
        let status = ["status", "--porcelain", "--untracked-files=all", "--"];
        let changes = git(&[&status[..], &SOURCES].concat())?;
        watch(&top);
        Some(Self {
            hash: hash.to_owned(),
            seconds: seconds.parse().ok()?,
            changes: !changes.is_empty(),
        })
    }
}

/// Has this script run again after a commit, and after a change of a source, but after no other.
fn watch(top: &str) {
    let branch = git(&["symbolic-ref", "--quiet", "HEAD"]);
    let names = ["HEAD", "logs/HEAD", "packed-refs"].into_iter().chain(branch.as_deref());
    let paths = names.filter_map(|name| git(&["rev-parse", "--git-path", name]));
    let paths = paths.map(|path| Path::new(&variable("CARGO_MANIFEST_DIR")).join(path));
    let crates = Path::new(top).join("crates").read_dir().into_iter().flatten().flatten();
    let sources = crates.map(|entry| entry.path().join("src"));
    let manifests = ["Cargo.toml", "Cargo.lock"].map(|name| Path::new(top).join(name));
    // Cargo runs a script at every build whose files do not exist.
    for path in paths.chain(sources).chain(manifests).filter(|path| path.exists()) {
        println!("cargo:rerun-if-changed={}", path.display());
    }
}

/// Returns what git prints, or `None` if it fails.
fn git(args: &[&str]) -> Option<String> {
    let mut git = Command::new("git");
    git.arg("--no-optional-locks").args(args).current_dir(variable("CARGO_MANIFEST_DIR"));
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        git.env_remove(name);
    }
    let output = git.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim_end().to_owned())
}

/// Returns the day of a time in seconds after 1970.
fn day(seconds: u64) -> String {
    let (year, month, day) = date::date(seconds / 86_400);
    format!("{year:04}-{month:02}-{day:02}")
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

fn set(name: &str, value: &str) {
    println!("cargo:rustc-env=SILCROW_BUILD_{name}={value}");
}

/// The sources that are compiled.
const SOURCES: [&str; 4] = [
    ":(top,glob)crates/*/src/**",
    ":(top,glob)crates/*/Cargo.toml",
    ":(top)Cargo.toml",
    ":(top)Cargo.lock",
];
