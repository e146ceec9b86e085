//! How a person names a conversation: by the beginning of its id, or as the last one of a folder.

use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use crate::follow::model::Model;
use crate::support::{CommandOutput, Sandbox};

/// Runs a prompt with a model that answers `yes`.
fn ask(sandbox: &Sandbox, prompt: &str, more: &[&str]) -> CommandOutput {
    let model = format!("script:{}", sandbox.write("script", "§respond: yes\n§end"));
    sandbox.silcrow(&[&["run", prompt, "--model", &model], more].concat())
}

/// Returns the numbers of prompts in the conversations with these ids.
fn prompts(sandbox: &Sandbox, ids: &[&str]) -> Vec<usize> {
    let count = |id: &&str| {
        let types = sandbox.silcrow(&["log", "--json", "show", id]).ends(0).types();
        types.iter().filter(|word| *word == "user").count()
    };
    ids.iter().map(count).collect()
}

#[test]
fn id_prefix_names_a_conversation() {
    let sandbox = Sandbox::new();
    for (id, prompt) in [("walrus-one", "Count walruses"), ("walrus-two", "Feed them")] {
        ask(&sandbox, prompt, &["--new", id]).ends(0);
    }
    ask(&sandbox, "And again", &["--conversation", "walrus-o"]).ends(0);
    assert_eq!(prompts(&sandbox, &["walrus-o", "walrus-t"]), [2, 1]);
    let several = ask(&sandbox, "x", &["--conversation", "walr"]);
    assert_eq!(
        several.ends(2).err.lines().last().unwrap(),
        "silcrow: 2 conversations begin with `walr`: `walrus-one` (Count walruses) and \
         `walrus-two` (Feed them); type more of the id; --new walr begins one"
    );
    // Too short to mean one of them.
    let short = sandbox.silcrow(&["log", "--json", "show", "wal"]);
    assert!(short.ends(2).err.contains("unknown conversation `wal`"), "{}", short.err);
    for args in [
        &["log", "--json", "export", "walrus-t"][..],
        &["log", "fork", "walrus-t", "--as", "branch"],
        &["log", "--json", "diff", "walrus-o", "walrus-t"],
        &["undo", "walrus-t", "--dry-run"],
        &["answer", "walrus-t"],
        &["run", "on", "--fork", "walrus-t@1", "--new", "fork"],
    ] {
        sandbox.silcrow(args).ends(0);
    }
    // An exact id wins over longer ids with the same beginning.
    ask(&sandbox, "x", &["--new", "walrus-one-more"]).ends(0);
    ask(&sandbox, "x", &["--conversation", "walrus-one"]).ends(0);
    assert_eq!(prompts(&sandbox, &["walrus-one", "walrus-one-more"]), [3, 1]);
}

#[test]
fn unknown_conversation_error_suggests_close_names() {
    let sandbox = Sandbox::new();
    ask(&sandbox, "Count walruses", &["--new", "walrus"]).ends(0);
    for (typed, meant) in [
        ("wlarus", "; did you mean `walrus` (Count walruses)?"),
        ("count WALR", "; did you mean `walrus` (Count walruses)?"),
        ("quite-other", ""),
    ] {
        let said = ask(&sandbox, "x", &["--conversation", typed]);
        let wanted = format!(
            "silcrow: unknown conversation `{typed}`{meant}; `silcrow log` lists them; --new \
             {typed} begins one"
        );
        assert_eq!(said.ends(2).err.lines().last().unwrap(), wanted);
    }
    let said = ask(&sandbox, "x", &["--new", "walrus"]);
    assert!(said.ends(2).err.contains("`walrus` already"), "{}", said.err);
    // A conversation without a user does not belong to a named user.
    let said = ask(&sandbox, "x", &["--conversation", "walr", "--user", "ann"]);
    assert!(said.ends(2).err.contains("unknown conversation `walr`;"), "{}", said.err);
}

#[test]
fn continue_resumes_last_conversation_of_folder_and_user() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("other")).unwrap();
    let other = sandbox.path("other").to_str().unwrap().to_owned();
    let none = ask(&sandbox, "x", &["--continue"]);
    let folder = sandbox.root().canonicalize().unwrap();
    let wanted = format!("no conversation in {} to continue", folder.display());
    assert!(none.ends(2).err.contains(&wanted), "{}", none.err);
    ask(&sandbox, "x", &["--new", "here-1"]).ends(0);
    ask(&sandbox, "x", &["--new", "here-2"]).ends(0);
    ask(&sandbox, "x", &["--new", "hers", "--user", "ann"]).ends(0);
    ask(&sandbox, "x", &["--new", "there", "--root", &other]).ends(0);
    ask(&sandbox, "x", &["--continue"]).ends(0);
    ask(&sandbox, "x", &["--continue", "--user", "ann"]).ends(0);
    ask(&sandbox, "x", &["--continue", "--root", "../other/."]).ends(0);
    assert_eq!(prompts(&sandbox, &["here-1", "here-2", "hers", "there"]), [1, 2, 2, 2]);
    // A conversation that moves is of the folder of its last run.
    ask(&sandbox, "x", &["--conversation", "here-2", "--root", &other]).ends(0);
    ask(&sandbox, "x", &["--continue"]).ends(0);
    assert_eq!(prompts(&sandbox, &["here-1", "here-2"]), [2, 3]);
}

#[test]
fn repeated_prompt_after_stopped_answer_is_stored_once() {
    let sandbox = Sandbox::new();
    let model = Model::new();
    let name = model.name();
    let mut run = sandbox.start(&["run", "Count walruses", "--model", &name, "--new", "c1"]);
    let mut answering = model.asked();
    answering.send_text("§think: one\n§think: two\n");
    while sandbox.silcrow(&["log", "--json", "c1"]).out.lines().count() < 2 {}
    kill_process(Pid::from_child(&run), Signal::INT).unwrap();
    run.wait().unwrap();

    let script = format!("script:{}", sandbox.write("script", "§respond: yes\n§end"));
    let again = sandbox.silcrow(&["run", "--retry", "--model", &script]);
    assert!(again.ends(0).err.contains("asking again: Count walruses"), "{}", again.err);
    assert_eq!(again.out, "yes\n");
    assert_eq!(prompts(&sandbox, &["c1"]), [1]);
    let said = sandbox.silcrow(&["run", "--retry", "--model", &script, "--conversation", "c1"]);
    assert!(said.ends(2).err.contains("the last prompt has an answer"), "{}", said.err);
    let stdin = sandbox.command(&["run", "x", "--retry"]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(stdin.status.code(), Some(2));
}
