//! The messages of a build without features if a command needs one: a line with the feature. The
//! stage `alone` runs these tests.

#![cfg(not(any(
    feature = "mcp",
    feature = "postgres",
    feature = "serve",
    feature = "telemetry",
    feature = "web"
)))]

use std::process::{Command, Output};

/// Runs the command in an empty folder, with the rehearsal model and nothing of this machine.
fn silcrow(args: &[&str], variables: &[(&str, &str)]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_silcrow"));
    command.args(args).current_dir(folder.path()).env_clear();
    for name in ["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"] {
        command.env(name, folder.path());
    }
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.envs(variables.iter().copied());
    let Output { status, stderr, .. } = command.output().unwrap();
    (status.code(), String::from_utf8(stderr).unwrap())
}

/// Returns a run without a model, with further words.
fn run<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["run", "hello", "--model", "rehearsal"][..], more].concat()
}

#[test]
fn commands_not_built_name_their_feature() {
    for (args, feature) in [
        (vec!["serve"], "serve"),
        (vec!["runs", "worker"], "serve"),
        (vec!["mcp", "serve"], "serve"),
        (run(&["--store", "postgres://ada@db/silcrow"]), "postgres"),
        (run(&["--allow-host", "localhost:8888"]), "web"),
    ] {
        let (code, said) = silcrow(&args, &[]);
        assert_eq!(code, Some(2), "{args:?}: {said}");
        let lines: Vec<_> = said.lines().filter(|line| line.contains("built without")).collect();
        assert_eq!(lines.len(), 1, "{args:?}: {said}");
        assert!(lines[0].contains(&format!("the feature `{feature}`")), "{args:?}: {said}");
    }
}

#[test]
fn run_continues_without_collector_and_server_features() {
    let collector = [("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")];
    let (code, said) = silcrow(&run(&[]), &collector);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(said.matches("the feature `telemetry`").count(), 1, "{said}");
    let (code, said) = silcrow(&run(&["--mcp", "time=a-program"]), &[]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(said.matches("the feature `mcp`").count(), 1, "{said}");
}

#[test]
fn basic_commands_need_no_features() {
    let (code, said) = silcrow(&run(&[]), &[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(!said.contains("built without"), "{said}");
}
