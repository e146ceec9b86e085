//! `silcrow completions`, whose script for bash is read by bash.

use std::process::{Command, Stdio};

use crate::support::{Sandbox, command_output};

/// Completes the last word in bash, and returns the offers.
fn completed(sandbox: &Sandbox, words: &[&str]) -> Vec<String> {
    let script = sandbox.silcrow(&["completions", "bash"]);
    let path = sandbox.write("completions.bash", &script.ends(0).out);
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", COMPLETE, "bash", &path]).args(words);
    let said = command_output(bash.stdin(Stdio::null()).output().unwrap());
    assert_eq!(said.ends(0).err, "");
    said.out.lines().map(str::to_owned).collect()
}

/// Completes as bash does when somebody presses the key Tab.
const COMPLETE: &str = r#"
source "$1" && shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_silcrow silcrow "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\n' "${COMPREPLY[@]}"
"#;

#[test]
fn bash_reads_the_script() {
    let sandbox = Sandbox::new();
    let script = sandbox.silcrow(&["completions", "bash"]);
    let path = sandbox.write("completions.bash", &script.ends(0).out);
    let said = command_output(Command::new("bash").args(["-n", &path]).output().unwrap());
    assert_eq!(said.ends(0).err, "");
}

#[test]
fn bash_completes_commands_flags_and_values() {
    let sandbox = Sandbox::new();
    let commands = completed(&sandbox, &["silcrow", ""]);
    assert!(
        ["run", "log", "doctor", "--profile"]
            .iter()
            .all(|name| commands.contains(&(*name).to_owned()))
    );
    assert_eq!(completed(&sandbox, &["silcrow", "run", "--perm"]), ["--permissions"]);
    assert_eq!(completed(&sandbox, &["silcrow", "run", "--permissions", "w"]), ["workspace"]);
    assert_eq!(completed(&sandbox, &["silcrow", "log", "exp"]), ["export"]);
    assert_eq!(completed(&sandbox, &["silcrow", "dev", "pa"]), ["parse"]);
    assert!(["parse", "stop"].iter().all(|name| !commands.contains(&(*name).to_owned())));
    assert_eq!(completed(&sandbox, &["silcrow", "completions", "f"]), ["fish"]);
}

#[test]
fn flags_of_topics_are_completed() {
    let sandbox = Sandbox::new();
    assert_eq!(completed(&sandbox, &["silcrow", "run", "--max-req"]), ["--max-requests"]);
}

#[test]
fn every_shell_script_names_all_commands() {
    let sandbox = Sandbox::new();
    let listed = sandbox.silcrow(&["help"]);
    let commands = listed.ends(0).out.split("\nTopics:").next().unwrap();
    let commands = commands.split("Commands:\n").nth(1).unwrap();
    let names: Vec<_> = commands
        .lines()
        .filter_map(|line| line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')))
        .map(|line| line.split(' ').next().unwrap())
        .collect();
    assert!(names.len() > 15, "{names:?}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = sandbox.silcrow(&["completions", shell]);
        for name in names.iter().chain(&["permissions", "max-requests"]) {
            assert!(script.ends(0).out.contains(name), "{shell}: {name}");
        }
    }
}

#[test]
fn unknown_shell_suggests_the_nearest() {
    let sandbox = Sandbox::new();
    let said = sandbox.silcrow(&["completions", "fsh"]);
    assert!(said.ends(2).err.contains("did you mean `fish`?"), "{}", said.err);
}
