//! The text that teaches the model before its first turn: the guide, and the caller's examples.

use std::fs;

use crate::support::{CommandOutput, Sandbox, command_output};

/// Runs once, and returns the output and the recorded request.
fn taught(sandbox: &Sandbox, more: &[&str]) -> (CommandOutput, String) {
    let script = sandbox.write("script", "§respond: done\n§end");
    let model = format!("script:{script}");
    let file = sandbox.path("recorded");
    let mut args = vec!["run", "What is here?", "--store", "memory", "--model", &model];
    args.extend(more);
    let output = sandbox.command(&args).env("SILCROW_RECORD", &file).output().unwrap();
    let recorded = fs::read_to_string(&file).unwrap_or_default();
    let _ = fs::remove_file(&file);
    (command_output(output), recorded)
}

#[test]
fn examples_come_before_the_prompt() {
    let sandbox = Sandbox::new();
    let earlier = sandbox.silcrow(&["run", "Say hello.", "--new", "c", "--json"]);
    earlier.ends(0);
    let shown = sandbox.silcrow(&["log", "--json", "show", "c"]);
    let examples = sandbox.write("examples.jsonl", &shown.ends(0).out);
    let (output, recorded) = taught(&sandbox, &["--examples", &examples]);
    assert_eq!(output.ends(0).out, "done\n");
    let example = recorded.find("Say hello.").expect("the model saw the example");
    assert!(example < recorded.find("What is here?").unwrap());
}

#[test]
fn invalid_examples_file_is_named_with_line() {
    let sandbox = Sandbox::new();
    let examples =
        sandbox.write("examples.jsonl", "{\"type\":\"user\",\"content\":\"x\"}\nhello\n");
    let (output, recorded) = taught(&sandbox, &["--examples", &examples]);
    assert!(output.ends(2).err.contains("examples.jsonl, line 2:"), "{}", output.err);
    assert_eq!(recorded, "", "nothing was asked");
}

#[test]
fn guide_has_the_requested_length() {
    let sandbox = Sandbox::new();
    let [full, brief, off] = ["full", "brief", "off"].map(|length| {
        let (output, recorded) = taught(&sandbox, &["--guide", length]);
        output.ends(0);
        (recorded.contains("How you write"), recorded.contains("The person asks"), recorded.len())
    });
    assert_eq!((full.0, full.1), (true, true));
    assert_eq!((brief.0, brief.1), (true, false));
    assert_eq!((off.0, off.1), (false, false));
    assert!(off.2 < brief.2 && brief.2 < full.2);
}
