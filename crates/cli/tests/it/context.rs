//! The messages that the model reads of a conversation: shown, summarized, edited and taken back.

use serde_json::Value;

use crate::support::{CommandOutput, Sandbox, command_output, file};

/// A conversation `talk` of two prompts, and a model that summarizes it.
fn talk() -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    let answers = sandbox.write("answers", "§respond: The seal is Nils.\n§end");
    let model = format!("script:{answers}");
    for (flag, prompt) in [("--new", "Who is the seal?"), ("--conversation", "And how old?")] {
        sandbox.silcrow(&["run", prompt, flag, "talk", "--model", &model]).ends(0);
    }
    let notes = sandbox.write("notes", "Nils is a seal of \u{1b}[2J five years.");
    (sandbox, format!("script:{notes}"))
}

fn context(sandbox: &Sandbox, more: &[&str]) -> CommandOutput {
    sandbox.silcrow(&[&["context", "talk"], more].concat())
}

fn messages(sandbox: &Sandbox) -> Vec<(String, String)> {
    let shown = context(sandbox, &["--json"]);
    let json: Value = serde_json::from_str(&shown.ends(0).out).unwrap();
    let messages = json["messages"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let messages = messages.map(|message| {
        assert!(message["tokens"].as_u64().unwrap() > 0);
        (text(&message["role"]), text(&message["content"]))
    });
    messages.collect()
}

#[test]
fn context_equals_the_next_request() {
    let (sandbox, _) = talk();
    let messages = messages(&sandbox);
    let roles = Vec::from_iter(messages.iter().map(|(role, _)| &**role));
    assert_eq!(roles, ["system", "user", "assistant", "user", "assistant", "user"]);
    assert_eq!(messages[1].1, "Who is the seal?");
    assert!(messages[0].1.contains("file_read"));
    let brief = context(&sandbox, &["--brief", "--window", "8000"]);
    let lines = Vec::from_iter(brief.ends(0).out.lines());
    assert!(lines[0].starts_with("── system, about "), "{}", brief.out);
    assert!(lines.last().unwrap().contains(" of 8000, "), "{}", brief.out);
    let whole = context(&sandbox, &[]);
    assert!(whole.ends(0).out.contains("And how old?"));
    let unknown = sandbox.silcrow(&["context", "tall"]);
    assert!(unknown.ends(2).err.contains("unknown conversation `tall`"), "{}", unknown.err);
}

#[test]
fn context_has_date_and_folder_without_time() {
    let (sandbox, _) = talk();
    let system = |zone: &str| {
        let mut command = sandbox.command(&["context", "talk", "--json"]);
        command.env("HOME", sandbox.path("")).env("TZ", zone);
        let shown = command_output(command.output().unwrap());
        let json: Value = serde_json::from_str(&shown.ends(0).out).unwrap();
        json["messages"][0]["content"].as_str().unwrap().to_owned()
    };
    // Two zones that never have the same day.
    let (west, east) = (system("Etc/GMT+12"), system("Etc/GMT-14"));
    let (stable, run) = west.split_once("\n## This run\n\n").unwrap();
    assert!(run.starts_with("The date is 20") && run.ends_with("day). The folder is ~/root.\n"));
    assert_eq!(run.len() - run.split_once('(').unwrap().1.len(), "The date is 2026-11-24 (".len());
    assert!(east.starts_with(stable) && east != west, "{east}");
}

#[test]
fn recording_omits_day_and_folder() {
    let (sandbox, _) = talk();
    let model = format!("script:{}", sandbox.write("answer", "§respond: Hello.\n§end"));
    let recorded = sandbox.path("recorded");
    let mut command = sandbox.command(&["run", "Hello", "--model", &model]);
    command_output(command.env("SILCROW_RECORD", &recorded).output().unwrap()).ends(0);
    let requests = file(&recorded);
    assert!(requests.contains("Hello") && !requests.contains("This run"), "{requests}");
}

#[test]
fn summary_can_be_created_edited_and_undone() {
    let (sandbox, model) = talk();
    let compact = |more: &[&str]| sandbox.silcrow(&[&["compact", "talk"], more].concat());
    let none = compact(&["--undo"]);
    assert!(none.ends(2).err.contains("has no summary"), "{}", none.err);

    let made = compact(&["--model", &model, "--focus", "the age"]);
    assert!(made.ends(0).out.starts_with("2 events are summarized"), "{}", made.out);
    let read = context(&sandbox, &["--summary"]);
    assert_eq!(read.ends(0).out.trim(), "Nils is a seal of \\x1b[2J five years.");
    let after = messages(&sandbox);
    assert_eq!(after.len(), 4, "{after:?}");
    assert!(after[1].1.starts_with("Who is the seal?") && after[1].1.ends_with("And how old?"));
    assert!(after[1].1.contains("five years"));

    compact(&["--text", "Nils is six."]).ends(0);
    assert!(messages(&sandbox)[1].1.contains("Nils is six."));
    let empty = compact(&["--text", " "]);
    assert!(empty.ends(2).err.contains("no words"), "{}", empty.err);

    compact(&["--undo"]).ends(0);
    assert_eq!(messages(&sandbox).len(), 6);
    let types = sandbox.silcrow(&["log", "--json", "show", "talk"]).ends(0).types();
    assert_eq!(types.iter().filter(|word| *word == "summary").count(), 3, "{types:?}");
}

#[test]
fn missing_summary_changes_nothing() {
    let (sandbox, _) = talk();
    let empty = format!("script:{}", sandbox.write("empty", " "));
    let failed = sandbox.silcrow(&["compact", "talk", "--model", &empty]);
    failed.ends(1);
    assert_eq!(messages(&sandbox).len(), 6);
}

#[test]
fn run_in_small_window_is_compacted() {
    let sandbox = Sandbox::new();
    let answer = "seals and walruses ".repeat(60);
    // One of the answers may be taken for the summary.
    let answers = [(); 4].map(|()| format!("§respond: {answer}\n§end")).join("\n%%\n");
    let model = format!("script:{}", sandbox.write("answers", &answers));
    let run = |flag: &str, more: &[&str]| {
        let run = ["run", "Tell me more.", flag, "talk", "--model", &model];
        sandbox.silcrow(&[&run[..], &["--tools", "file_list"], more].concat())
    };
    run("--new", &["--window", "4000"]).ends(0);
    let said = Vec::from_iter((0..12).map(|_| run("--conversation", &["--window", "4000"])));
    for run in &said {
        run.ends(0);
    }
    assert!(said.iter().any(|run| run.err.contains("a summary stands for the first")));
    let off = run("--conversation", &["--window", "4000", "--compact-at", "0"]);
    assert!(!off.ends(0).err.contains("summary"), "{}", off.err);
    let wrong = run("--conversation", &["--compact-at", "120"]);
    assert!(wrong.ends(2).err.contains("from 0 to 95"), "{}", wrong.err);
}
