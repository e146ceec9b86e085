//! `silcrow man`, whose pages name every flag and are read without a warning.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{Sandbox, command_output, file};

/// Writes all pages, and returns their folder.
fn pages(sandbox: &Sandbox) -> PathBuf {
    let folder = sandbox.path("man/new");
    sandbox.silcrow(&["man", folder.to_str().unwrap()]).ends(0);
    folder
}

/// Returns the text of a page without the marks of its notation.
fn page(folder: &Path, name: &str) -> String {
    file(&folder.join(name)).replace("\\-", "-").replace("\\fB", "").replace("\\fR", "")
}

/// Returns the long flags that a help shows.
fn flags(help: &str) -> Vec<&str> {
    let lines = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let flags = lines.flat_map(|line| line.split([' ', ',', '[', '=']));
    flags.filter(|word| word.starts_with("--") && word.len() > 2).collect()
}

#[test]
fn each_command_page_names_its_flags() {
    let sandbox = Sandbox::new();
    let folder = pages(&sandbox);
    for words in [
        &["run"][..],
        &["chat"],
        &["log"],
        &["log", "export"],
        &["log", "delete"],
        &["config"],
        &["config", "set"],
        &["policy", "judge"],
        &["manifest", "show"],
        &["doctor"],
        &["models"],
        &["profile", "edit"],
        &["undo"],
        &["dev", "parse"],
        &["dev", "replay"],
        &["runs", "worker"],
        &["completions"],
    ] {
        let page = page(&folder, &format!("silcrow-{}.1", words.join("-")));
        let shown = sandbox.silcrow(&[words, &["--help"]].concat());
        for flag in flags(&shown.ends(0).out) {
            assert!(page.contains(flag), "{words:?}: {flag}");
        }
    }
    for topic in ["models", "dialects", "limits", "conversations", "web"] {
        let shown = sandbox.silcrow(&["help", topic]);
        for flag in flags(&shown.ends(0).out) {
            assert!(page(&folder, "silcrow-run.1").contains(flag), "{topic}: {flag}");
        }
    }
}

#[test]
fn main_page_lists_visible_commands() {
    let sandbox = Sandbox::new();
    let folder = pages(&sandbox);
    let page = page(&folder, "silcrow.1");
    for name in ["run", "log", "doctor", "completions"] {
        assert!(page.contains(&format!("silcrow-{name}(1)")), "{name}");
    }
    assert!(!page.contains("silcrow-man("), "{page}");
    assert!(!folder.join("silcrow-man.1").exists());
    assert!(!sandbox.silcrow(&["help"]).out.contains("manual pages"));
}

#[test]
fn examples_keep_their_lines() {
    let sandbox = Sandbox::new();
    let page = page(&pages(&sandbox), "silcrow-config.1");
    let notes = page.split(".nf\n").nth(1).unwrap();
    assert!(notes.contains("\n  [policy]  "), "{notes}");
}

/// If groff is missing, the other tests still read the pages.
#[test]
fn groff_reads_the_pages_without_warnings() {
    let sandbox = Sandbox::new();
    for entry in fs::read_dir(pages(&sandbox)).unwrap() {
        let path = entry.unwrap().path();
        let mut groff = Command::new("groff");
        groff.args(["-man", "-Tutf8", "-ww", "-k"]).arg(&path).stdin(Stdio::null());
        let Ok(output) = groff.output() else { return };
        let said = command_output(output);
        assert_eq!(said.ends(0).err, "", "{}", path.display());
        assert!(said.out.contains("Print help"), "{}", said.out);
    }
}
