//! Hooks, queued prompts, plans that are edited, and worktrees, at a real terminal.

use std::fs;

use super::{TerminalWindow, script};
use crate::support::Sandbox;

/// Writes the hooks of the person.
fn own_hooks(sandbox: &Sandbox, text: &str) {
    fs::write(sandbox.path("config/silcrow/hooks.json"), text).unwrap();
}

#[test]
fn hook_denies_a_call_with_a_reason() {
    let sandbox = Sandbox::new();
    let hooks = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
        {"type": "command", "command": "grep -q 'rm -rf' && echo 'nothing is removed here' >&2 && exit 2; exit 0"}]}]}}"#;
    own_hooks(&sandbox, hooks);
    let call = |command: &str| {
        format!(
            "§call: {{\"name\":\"shell\",\"args\":{{\"command\":\"{command}\"}}}}\n§execute\n%%\n"
        )
    };
    let text = format!("{}{}§respond: It stays.\n§end", call("rm -rf old"), call("echo fine"));
    fs::create_dir(sandbox.root().join("old")).unwrap();
    let model = script(&sandbox, &text);
    let args = ["chat", "--model", &model, "--permissions", "full"];
    let mut window = TerminalWindow::open(&sandbox.command(&args), 100, 50);
    window.wait_for("›");
    window.press("clean up\r");
    window.wait_for("nothing is removed here");
    window.wait_for_both("It stays.", "full (Shift-Tab)");
    assert!(sandbox.root().join("old").is_dir());
    window.press("/hooks\r");
    window.wait_for("PreToolUse Bash");
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
    // The log has the effect of each run of the hook.
    let found = sandbox.silcrow(&["log", "search", "clean up", "--json"]).events().remove(0);
    let conversation = found["conversation"].as_str().unwrap().to_owned();
    let log = sandbox.silcrow(&["log", "show", &conversation, "--json"]).events();
    let runs: Vec<_> = log.iter().filter(|event| event["type"] == "hook").collect();
    let effects: Vec<_> = runs.iter().map(|run| run["effect"].as_str().unwrap()).collect();
    assert_eq!(effects, ["blocked", "passed"], "{runs:?}");
    assert_eq!(runs[0]["content"], "nothing is removed here");
    assert_eq!((&runs[0]["event"], &runs[0]["tool"]), (&"PreToolUse".into(), &"shell".into()));
    assert!(runs[0]["id"].is_string() && runs[0]["duration"].as_f64().unwrap() > 0.0);
    let log = sandbox.silcrow(&["log", "show", &conversation]);
    assert!(log.out.contains("blocked shell: nothing is removed here (PreToolUse)"), "{}", log.out);
}

#[test]
fn hook_messages_are_lines_and_events() {
    let sandbox = Sandbox::new();
    let hooks = r#"{"hooks": {
        "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "echo It rains."}]}],
        "PostToolUse": [{"hooks": [{"type": "command",
            "command": "echo '{\"decision\":\"block\",\"reason\":\"run the tests\"}'"}]}]}}"#;
    own_hooks(&sandbox, hooks);
    let call = "{\"name\":\"shell\",\"args\":{\"command\":\"echo fine\"}}";
    let text = format!("§call: {call}\n§execute\n%%\n§respond: Done.\n§end");
    let model = script(&sandbox, &text);
    let args = ["chat", "--model", &model, "--permissions", "full"];
    let mut window = TerminalWindow::open(&sandbox.command(&args), 100, 40);
    window.wait_for("›");
    window.press("go\r");
    window.wait_for_both("hook `echo It rains.` told the model about UserPromptSubmit", "Done.");
    window.wait_for_both("blocked shell: run the tests", "full (Shift-Tab)");
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
    let found = sandbox.silcrow(&["log", "list", "--json"]).events().remove(0);
    let conversation = found["conversation"].as_str().unwrap().to_owned();
    let log = sandbox.silcrow(&["log", "show", &conversation, "--json"]).events();
    let runs = log.iter().filter(|event| event["type"] == "hook");
    let effects: Vec<_> =
        runs.map(|run| (&run["event"], &run["effect"], &run["content"])).collect();
    // The first one ran before the conversation began.
    assert!(effects.contains(&(&"UserPromptSubmit".into(), &"added".into(), &"It rains.".into())));
    assert!(effects.contains(&(&"PostToolUse".into(), &"blocked".into(), &"run the tests".into())));
    assert_eq!(effects.len(), 2, "{effects:?}");
    sandbox.silcrow(&["log", "verify"]).ends(0);
}

#[test]
fn trusted_project_hooks_run_confined() {
    let sandbox = Sandbox::new();
    let folder = sandbox.root().join(".silcrow");
    fs::create_dir(&folder).unwrap();
    let hooks = r#"{"hooks": {"UserPromptSubmit": [{"hooks": [
        {"type": "command", "command": "cat > seen.json; echo It rains.; (echo x > ../outside) 2> /dev/null || true"}]}]}}"#;
    fs::write(folder.join("hooks.json"), hooks).unwrap();
    let model = script(&sandbox, "§respond: I see.\n§end");
    let run = || sandbox.silcrow(&["run", "go on", "--model", &model, "--new", "c1"]);
    let said = run();
    assert!(said.ends(0).err.contains("hooks.json is left out"), "{}", said.err);
    assert!(!sandbox.root().join("seen.json").exists());
    sandbox.silcrow(&["config", "trust"]).ends(0);
    sandbox.silcrow(&["log", "delete", "c1", "--yes"]);
    run().ends(0);
    let seen = fs::read_to_string(sandbox.root().join("seen.json")).unwrap();
    assert!(seen.contains("\"prompt\":\"go on\""), "{seen}");
    assert!(!sandbox.path("outside").exists(), "it was written outside of the root");
    let log = sandbox.silcrow(&["log", "show", "c1"]);
    assert!(log.out.contains("It rains."), "{}", log.out);
    assert!(sandbox.silcrow(&["doctor", "--offline"]).out.contains("1 of the project"));
}

#[test]
fn queued_prompt_follows_the_run() {
    let sandbox = Sandbox::new();
    let wait =
        "{\"name\":\"shell\",\"args\":{\"command\":\"while [ ! -e go ]; do sleep 0.05; done\"}}";
    let text =
        format!("§call: {wait}\n§execute\n%%\n§respond: First.\n§end\n%%\n§respond: Second.\n§end");
    let model = script(&sandbox, &text);
    let args = ["chat", "--model", &model, "--permissions", "full"];
    let mut window = TerminalWindow::open(&sandbox.command(&args), 100, 40);
    window.wait_for("›");
    window.press("one\r");
    window.wait_for("→ shell");
    window.press("two\t");
    window.wait_for("queued 1 › two");
    window.press("three\t");
    window.wait_for("queued 2 › three");
    // The last one comes back, and is cleared.
    window.press("\x1b[A");
    window.wait_for("› three");
    window.press("\x15");
    fs::write(sandbox.root().join("go"), "").unwrap();
    window.wait_for_both("First.", "Second.");
    window.wait_for("full (Shift-Tab)");
    window.press("\x04");
    let (code, shown) = window.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("› two"), "{shown}");
}

#[test]
fn edited_plan_is_the_accepted_plan() {
    let sandbox = Sandbox::new();
    let editor = sandbox.path("editor.sh");
    fs::write(&editor, "#!/bin/sh\necho '1. Write *both* files' > \"$1\"\n").unwrap();
    let args = "{\"title\":\"Files\",\"plan\":\"1. Write `b.txt`\"}";
    let text = format!(
        "§call: {{\"name\":\"plan_propose\",\"args\":{args}}}\n§execute\n%%\n§respond: Both, then.\n§end"
    );
    let model = script(&sandbox, &text);
    let args = ["chat", "--model", &model, "--permissions", "plan"];
    let mut command = sandbox.command(&args);
    command.env("EDITOR", format!("sh {}", editor.display()));
    let mut window = TerminalWindow::open(&command, 100, 40);
    window.wait_for("› plan (Shift-Tab)");
    window.press("go\r");
    window.wait_for_both("plan │ Files", "Ctrl-G edit");
    window.press("\x07");
    window.wait_for("Write both files");
    window.press("y");
    window.wait_for_both("Both, then.", "ask (Shift-Tab)");
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
    let found = sandbox.silcrow(&["log", "search", "both", "--json"]).events().remove(0);
    let log = sandbox.silcrow(&["log", "show", found["conversation"].as_str().unwrap()]);
    assert!(log.out.contains("has changed the plan"), "{}", log.out);
}
