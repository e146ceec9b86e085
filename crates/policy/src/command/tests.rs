//! Comparison of the scanner with real shells: it has found every command that they run.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use proptest::prelude::*;

use super::script::ShellScript;

/// The pieces of texts. All letters are commands, which record how they were called.
const PIECES: &[&str] = &[
    "w",
    "x",
    "y",
    "w",
    "x",
    " ",
    " ",
    " ",
    "w x",
    "'",
    "'",
    "\"",
    "\"",
    "'w'",
    "\"x\"",
    "\\",
    "\\\n",
    "\\\\",
    "\n",
    ";",
    "|",
    "||",
    "&&",
    "#",
    " #",
    "{",
    "}",
    "~",
    "*",
    "?",
    "[",
    "]",
    "!",
    "=",
    "-",
    "$",
    "$ ",
    "2>&1",
    ">/dev/null",
    " 2>/dev/null",
    "1",
    "2",
    "^",
    "%",
    "\t",
    ",",
    "/",
    "@",
    ":",
    "+",
    "é",
    "\"$\"",
    "a=",
    "(",
    ")",
    "<",
    "&",
    "`",
];

/// The shells whose parsing is compared, if they exist.
const SHELLS: &[&str] = &["/bin/sh", "/bin/dash", "/bin/bash"];

/// Runs a text in a shell whose every command notes its words, and returns these.
fn run(shell: &str, text: &str, folder: &Path) -> BTreeSet<Vec<String>> {
    let log = folder.join("log");
    // An earlier text may have written it.
    let _ = fs::remove_file(&log);
    let status = Command::new(shell)
        .args(["-c", text])
        .env_clear()
        .env("PATH", folder.join("bin"))
        .env("LOG", &log)
        .env("HOME", "~")
        .current_dir(folder.join("empty"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(status.is_ok(), "{shell} does not start");
    let noted = fs::read_to_string(&log).unwrap_or_default();
    let calls = noted.split_terminator('\u{1e}');
    calls.map(|call| call.split_terminator('\u{1f}').map(str::to_owned).collect()).collect()
}

/// Makes a folder in which all letters are commands.
fn shell_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["bin", "empty"] {
        fs::create_dir(folder.path().join(name)).unwrap();
    }
    let note = "#!/bin/sh\nout=${0##*/}\nfor word; do out=\"$out\u{1f}$word\"; done\n\
                printf '%s\u{1f}\u{1e}' \"$out\" >> \"$LOG\"\n";
    let path = folder.path().join("bin/note");
    fs::write(&path, note).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    for name in ["w", "x", "y", "1", "2", "%", ",", "@", "+", "é", "-", "=", "^", "]"] {
        symlink("note", folder.path().join("bin").join(name)).unwrap();
    }
    folder
}

#[test]
fn parser_finds_every_command_shells_run() {
    let folder = shell_folder();
    let compared = Cell::new(0);
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    let text = prop::collection::vec(prop::sample::select(PIECES), 1..9);
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let done = runner.run(&text, |pieces| {
        let text = pieces.concat();
        let script = ShellScript::parse(&text);
        if script.opaque.is_some() {
            return Ok(());
        }
        let found: BTreeSet<Vec<_>> = script
            .commands
            .iter()
            .map(|command| command.words.iter().map(|word| word.text.clone()).collect())
            .collect();
        for shell in SHELLS.iter().filter(|shell| Path::new(shell).exists()) {
            for ran in run(shell, &text, folder.path()) {
                compared.set(compared.get() + 1);
                prop_assert!(
                    found.contains(&ran),
                    "{shell} runs {ran:?} of {text:?}, not {found:?}"
                );
            }
        }
        Ok(())
    });
    done.unwrap();
    assert!(compared.get() > 0, "no shell has run anything");
}
