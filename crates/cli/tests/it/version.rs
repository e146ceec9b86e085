//! `silcrow version`, and the build script that finds its facts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::support::{Sandbox, command_output};

#[test]
fn version_flag_prints_one_line() {
    let said = Sandbox::new().silcrow(&["--version"]);
    let line = said.ends(0).out.strip_suffix('\n').unwrap();
    assert!(line.starts_with(concat!("silcrow ", env!("CARGO_PKG_VERSION"))), "{line}");
    assert!(!line.contains('\n'));
}

#[test]
fn version_prints_lines_and_json() {
    let sandbox = Sandbox::new();
    let said = sandbox.silcrow(&["version"]);
    let line = |name: &str| {
        let found = said.ends(0).out.lines().find(|line| line.starts_with(name));
        found.unwrap_or_else(|| panic!("{name}: {}", said.out)).split_once(' ').unwrap().1.trim()
    };
    let json = &sandbox.silcrow(&["version", "--json"]).events()[0];
    for name in ["version", "target", "rustc", "profile"] {
        assert_eq!(json[name], line(name), "{name}");
    }
    assert_eq!(json["version"], env!("CARGO_PKG_VERSION"));
    assert!(line("rustc").starts_with("rustc 1."));
    assert!(json["commit"].is_null() || json["commit"].as_str().unwrap().len() >= 10);
    assert!(json["features"].is_array() && json["changes"].is_boolean());
}

/// A folder like the workspace's, and the build script as a program.
struct Build {
    folder: TempDir,
    script: PathBuf,
}

impl Build {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("script");
        let mut rustc = Command::new("rustc");
        rustc.args(["--edition", "2024", "-o"]).arg(&script);
        rustc.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/build.rs"));
        assert!(rustc.status().unwrap().success());
        let build = Self { folder, script };
        fs::create_dir_all(build.top().join("crates/cli/src")).unwrap();
        fs::write(build.top().join("crates/cli/Cargo.toml"), "").unwrap();
        fs::write(build.top().join("crates/cli/src/main.rs"), "").unwrap();
        build
    }

    fn top(&self) -> PathBuf {
        self.folder.path().join("top")
    }

    /// Runs git, and returns whether it is there.
    fn git(&self, args: &[&str]) -> bool {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(args);
        git.current_dir(self.top()).env("GIT_CONFIG_GLOBAL", "/dev/null").stdout(Stdio::null());
        git.env("GIT_COMMITTER_DATE", "2026-11-20T12:00:00Z");
        git.status().is_ok_and(|status| status.success())
    }

    /// Runs the script in a folder, and returns its lines.
    fn run(&self, crate_folder: &Path, set: &[(&str, &str)]) -> Vec<String> {
        let mut script = Command::new(&self.script);
        script.env("CARGO_MANIFEST_DIR", crate_folder).env("CARGO_PKG_VERSION", "0.1.0");
        script.env("RUSTC", "rustc").env_remove("SOURCE_DATE_EPOCH").envs(set.iter().copied());
        let said = command_output(script.output().unwrap());
        said.ends(0).out.lines().map(str::to_owned).collect()
    }

    fn cli(&self) -> PathBuf {
        self.top().join("crates/cli")
    }
}

/// Returns the value of a variable that the script sets.
#[track_caller]
fn fact<'a>(lines: &'a [String], name: &str) -> &'a str {
    let begin = format!("cargo:rustc-env=SILCROW_BUILD_{name}=");
    lines.iter().find_map(|line| line.strip_prefix(&begin)).unwrap()
}

#[test]
fn version_names_commit_and_changes() {
    let build = Build::new();
    if !build.git(&["init", "-q"]) {
        return;
    }
    assert!(build.git(&["add", "-A"]) && build.git(&["commit", "-qm", "One"]));
    let lines = build.run(&build.cli(), &[]);
    let commit = fact(&lines, "COMMIT").to_owned();
    assert_eq!(commit.len(), 10);
    assert_eq!(fact(&lines, "LINE"), format!("0.1.0 ({commit} 2026-11-20)"));
    let watched = |lines: &[String], end: &str| {
        lines.iter().any(|line| line.starts_with("cargo:rerun-if-changed=") && line.ends_with(end))
    };
    assert!(watched(&lines, ".git/HEAD") && watched(&lines, "crates/cli/src"), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("/refs/heads/")), "{lines:?}");

    fs::write(build.top().join("notes.md"), "not compiled").unwrap();
    assert_eq!(fact(&build.run(&build.cli(), &[]), "CHANGES"), "");
    fs::write(build.cli().join("src/main.rs"), "fn main() {}").unwrap();
    let lines = build.run(&build.cli(), &[]);
    assert_eq!(fact(&lines, "LINE"), format!("0.1.0 ({commit}+changes 2026-11-20)"));
    let lines = build.run(&build.cli(), &[("SOURCE_DATE_EPOCH", "86400")]);
    assert_eq!(fact(&lines, "LINE"), format!("0.1.0 ({commit}+changes 1970-01-02)"));
}

#[test]
fn commit_is_omitted_without_repository_or_git() {
    let build = Build::new();
    assert_eq!(fact(&build.run(&build.cli(), &[]), "LINE"), "0.1.0");
    let dated = build.run(&build.cli(), &[("SOURCE_DATE_EPOCH", "0")]);
    assert_eq!(fact(&dated, "LINE"), "0.1.0 (1970-01-01)");
    if !build.git(&["init", "-q"]) {
        return;
    }
    // The sources are a part of somebody else's repository.
    let vendored = build.top().join("vendor/silcrow-cli");
    fs::create_dir_all(&vendored).unwrap();
    fs::write(vendored.join("Cargo.toml"), "").unwrap();
    assert!(build.git(&["add", "-A"]) && build.git(&["commit", "-qm", "One"]));
    assert_eq!(fact(&build.run(&vendored, &[]), "LINE"), "0.1.0");
    assert_eq!(fact(&build.run(&build.cli(), &[("PATH", "")]), "LINE"), "0.1.0");
}
