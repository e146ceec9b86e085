//! Replays of conversations, by real processes.

use std::fs;

use crate::approve::at_terminal;
use crate::support::Sandbox;

const SCRIPT: &str = "\
§call: {\"name\": \"file_read\", \"args\": {\"file\": \"a.txt\"}}
§call: {\"name\": \"file_write\", \"args\": {\"file\": \"b.txt\", \"content\": \"x\"}}
§execute
%%
§respond: one
§end
%%
§respond: two
§end";

/// Returns a sandbox with a conversation of two prompts, after which the files have changed.
fn recorded() -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    sandbox.write("root/a.txt", "then\n");
    let model = format!("script:{}", sandbox.write("script", SCRIPT));
    let run = ["--model", &model, "--new", "c1", "--allow", "file_write"];
    sandbox.silcrow(&[&["run", "first"], &run[..]].concat()).ends(0);
    let rest = SCRIPT.rsplit("%%\n").next().unwrap();
    let rest = format!("script:{}", sandbox.write("rest", rest));
    sandbox.silcrow(&["run", "second", "--model", &rest, "--conversation", "c1"]).ends(0);
    sandbox.write("root/a.txt", "now\n");
    fs::remove_file(sandbox.root().join("b.txt")).unwrap();
    (sandbox, model)
}

#[test]
fn replay_uses_recorded_results_and_changes_nothing() {
    let (sandbox, model) = recorded();
    let before = sandbox.silcrow(&["log", "--json", "export", "c1"]).ends(0).out.clone();
    let said = sandbox.silcrow(&["replay", "c1", "--as", "c2", "--model", &model]);
    assert_eq!(said.ends(0).out, "one\ntwo\n");
    for line in [
        "> first",
        "✓ file_read 1 line (from the log)",
        "✗ file_write denied: not started: this conversation is replayed",
        "> second",
        "replay: 1 result from the log, 1 not; compare with silcrow log diff c1 c2",
    ] {
        assert!(said.err.lines().any(|shown| shown.starts_with(line)), "{line}: {}", said.err);
    }
    assert!(!sandbox.root().join("b.txt").exists());
    let events = sandbox.silcrow(&["log", "--json", "c2"]).ends(0).events();
    assert_eq!(events[0]["replay_of"], serde_json::json!({"conversation": "c1", "seq": 8}));
    assert_eq!(events[3]["content"], "then\n");
    assert_eq!(sandbox.silcrow(&["log", "--json", "export", "c1"]).ends(0).out, before);
}

#[test]
fn allowed_tool_runs_and_recorded_results_are_marked() {
    let (sandbox, model) = recorded();
    let replay = ["replay", "c1", "--model", &model, "--json", "--allow", "file_write"];
    let said = sandbox.silcrow(&replay);
    let events = said.ends(0).events();
    let of = |kind: &str| events.iter().filter(|event| event["type"] == kind).count();
    assert_eq!((of("recorded"), of("started"), of("end")), (1, 1, 2));
    assert!(sandbox.root().join("b.txt").exists());
}

#[test]
fn unrecorded_call_needs_approval_in_a_replay() {
    let (sandbox, model) = recorded();
    let command = sandbox.command(&["replay", "c1", "--as", "c2", "--model", &model]);
    let (shown, code) = at_terminal(&command, &["y\n"]);
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("c1 has no recorded result of this call:"), "{shown}");
    assert!(sandbox.root().join("b.txt").exists());
}

#[test]
fn replay_errors_name_the_next_step() {
    let (sandbox, model) = recorded();
    let fails = |args: &[&str], why: &str| {
        let said = sandbox.silcrow(&[args, &["--model", &model]].concat());
        assert!(said.ends(2).err.contains(why), "{args:?}: {}", said.err);
    };
    fails(&["replay", "c9"], "unknown conversation `c9`; `silcrow log` lists them");
    fails(&["replay", "c1", "--as", "c1"], "there is a conversation `c1` already");
    fails(&["replay", "c1", "--user", "ann"], "belongs to no user");
    fails(&["replay"], "see silcrow dev replay --help");
    assert_eq!(sandbox.silcrow(&["log", "--json", "list"]).ends(0).events().len(), 1);
}

#[test]
fn replay_is_compared_with_the_recording() {
    let (sandbox, model) = recorded();
    sandbox.silcrow(&["replay", "c1", "--as", "c2", "--model", &model]).ends(0);
    let lines = sandbox.silcrow(&["log", "--json", "diff", "c1", "c2"]).ends(0).events();
    assert!(lines[0]["shared"].as_u64() >= Some(3), "the prompt and the calls: {lines:?}");
    let same = lines[1..].iter().filter(|line| line["same"] == true).count();
    assert!(same >= 3, "the answers and the second prompt are the same: {lines:?}");
    assert!(lines[1..].iter().any(|line| line["same"] == false));
    let said = sandbox.silcrow(&["log", "--json", "diff", "c1", "c9"]);
    assert!(said.ends(2).err.contains("unknown conversation `c9`"), "{}", said.err);
}
