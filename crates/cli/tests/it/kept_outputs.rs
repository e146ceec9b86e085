//! Results that a summary shortens: the model reads the whole again, under the name that the result
//! has in the request.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::support::{CommandOutput, Sandbox};

const CALL: &str = "§call: {\"name\": \"file_read\", \"args\": {\"file\": \"FILE\"}}\n§execute";

/// Runs a prompt with a model that reads files and then answers.
fn ask(sandbox: &Sandbox, prompt: &str, files: &[&str], more: &[&str]) -> CommandOutput {
    let calls = files.iter().map(|file| CALL.replace("FILE", file) + "\n%%\n");
    let script = calls.collect::<String>() + "§respond: read\n§end";
    let model = format!("script:{}", sandbox.write("script", &script));
    let run = ["run", prompt, "--model", &model, "--window", "10000", "--tools", "file_read"];
    sandbox.silcrow(&[&run[..], more].concat())
}

/// Returns a sandbox with a conversation `talk`, of which the first results are shortened.
fn shortened() -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    let text = "A line of a file that is read.\n".repeat(75);
    // A new result takes at most a quarter of the window, so it takes several to fill it.
    let names: Vec<_> = ('a'..='h').map(|name| format!("{name}.txt")).collect();
    for name in &names {
        let own = if name == "a.txt" { text.clone() } else { text.replace("line", name) };
        sandbox.write(&format!("root/{name}"), &own);
    }
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let said = ask(&sandbox, "Read them.", &names, &["--new", "talk"]);
    assert!(said.ends(0).err.contains("long results are left out"), "{}", said.err);
    (sandbox, text)
}

/// Returns the JSON of the next request.
fn context(sandbox: &Sandbox, conversation: &str) -> String {
    sandbox.silcrow(&["context", conversation, "--json"]).ends(0).out.clone()
}

/// Lets the model read a kept output, and returns the content of its result.
fn read(sandbox: &Sandbox, conversation: &str, name: &str) -> String {
    let said = ask(sandbox, "Read it again.", &[name], &["--conversation", conversation, "--json"]);
    let events = said.ends(0).events();
    let result = events.iter().find(|event| event["type"] == "result").unwrap();
    assert_eq!(result["payload"]["status"], "success", "{result}");
    result["content"].as_str().unwrap().to_owned()
}

#[test]
fn model_rereads_a_shortened_result() {
    let (sandbox, text) = shortened();
    let before = context(&sandbox, "talk");
    assert_eq!(before, context(&sandbox, "talk"));
    for name in ["spill:1-a1", "spill:2-a1"] {
        assert!(before.contains(&format!(r#"\"full_output\":\"{name}\""#)), "{before}");
    }
    // The file itself may change; the text that the model has read stays.
    sandbox.write("root/a.txt", "other");
    assert_eq!(read(&sandbox, "talk", "spill:1-a1").trim_end(), text.trim_end());
    let folder = sandbox.path("data/silcrow/spills/talk");
    for file in fs::read_dir(&folder).unwrap() {
        let mode = file.unwrap().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    sandbox.silcrow(&["log", "delete", "--yes", "talk"]).ends(0);
    assert!(!folder.exists());
}

#[test]
fn fork_keeps_outputs_named_by_its_summary() {
    let (sandbox, text) = shortened();
    sandbox.silcrow(&["log", "fork", "talk", "--as", "other"]).ends(0);
    sandbox.silcrow(&["log", "delete", "--yes", "talk"]).ends(0);
    assert!(context(&sandbox, "other").contains(r#"\"full_output\":\"spill:1-a1\""#));
    assert_eq!(read(&sandbox, "other", "spill:1-a1").trim_end(), text.trim_end());
}
