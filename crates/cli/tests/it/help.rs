//! `--help` and `silcrow help` at several widths.

use std::process::Stdio;

use crate::support::{CommandOutput, Sandbox, command_output};

fn help(columns: usize, args: &[&str]) -> CommandOutput {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(args);
    let command = command.env("COLUMNS", columns.to_string()).stdin(Stdio::null());
    command_output(command.output().unwrap())
}

#[test]
fn pages() {
    for columns in [60, 80] {
        for args in [
            &["--help"][..],
            &["help"],
            &["chat", "--help"],
            &["run", "--help"],
            &["log", "--help"],
            &["config", "--help"],
            &["help", "models"],
            &["help", "environment"],
            &["help", "exit-codes"],
            &["help", "permissions"],
            &["help", "conversations"],
            &["help", "dialects"],
            &["help", "limits"],
            &["help", "mcp"],
            &["help", "web"],
        ] {
            let name = format!("help_{}_{columns}", args.join("_").replace("--", "flag_"));
            insta::assert_snapshot!(name, help(columns, args).ends(0).out);
        }
    }
}

/// Only a single word, such as a URL, may be wider than the terminal.
#[test]
fn help_wraps_at_words() {
    for columns in [60, 80, 100] {
        for args in [
            &["run", "--help"][..],
            &["help"],
            &["help", "models"],
            &["help", "environment"],
            &["log", "-h"],
        ] {
            let shown = help(columns, args);
            for line in shown.ends(0).out.lines() {
                let is_word = !line.trim().contains(' ');
                assert!(line.chars().count() <= columns || is_word, "{columns}: {line}");
            }
        }
    }
}

#[test]
fn run_flags_take_two_screens() {
    for args in [["run", "--help"], ["run", "-h"], ["chat", "-h"]] {
        let shown = help(80, &args);
        assert!(shown.out.lines().count() <= 60, "{}", shown.out);
        let options = shown.out.lines().filter(|line| line.starts_with("      --"));
        assert!(options.count() > 25);
    }
}

#[test]
fn unlisted_flags_appear_in_help_topics() {
    let topics = ["models", "dialects", "limits", "conversations", "web", "mcp"];
    let pages = topics.map(|topic| help(80, &["help", topic]).out);
    for flag in [
        "--mode",
        "--inline",
        "--var",
        "--max-requests",
        "--changes-days",
        "--search",
        "--mcp",
        "--no-mcp",
        "--learn-profile",
        "--diff",
    ] {
        let flag = format!("{flag} ");
        assert!(!help(80, &["run", "--help"]).out.contains(&flag), "{flag}");
        assert!(pages.iter().any(|page| page.contains(&flag)), "{flag}");
    }
}

#[test]
fn help_of_a_command_is_its_own() {
    assert_eq!(help(80, &["help", "run"]).out, help(80, &["run", "--help"]).out);
    assert_eq!(
        help(80, &["help", "log", "export"]).out,
        help(80, &["log", "export", "--help"]).out
    );
    let said = help(80, &["help", "modles"]);
    assert!(said.ends(2).err.contains("did you mean `models`?"), "{}", said.err);
    let said = help(80, &["help", "log", "exprt"]);
    assert!(said.ends(2).err.contains("did you mean `export`?"), "{}", said.err);
}
