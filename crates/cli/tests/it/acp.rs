//! `silcrow acp`, at the other end of real pipes.

mod pictures;
mod servers;

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::support::Sandbox;

struct Editor {
    process: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    last: u64,
}

impl Editor {
    fn start(sandbox: &Sandbox, args: &[&str]) -> Self {
        let args: Vec<_> = ["acp"].iter().chain(args).copied().collect();
        Self::spawn(sandbox.command(&args))
    }

    fn spawn(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let input = process.stdin.take().unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        Self { process, input, lines, last: 0 }
    }

    /// Sends a request, and returns the updates before its answer, and that answer. Calls are
    /// allowed, and forms are filled.
    fn call(&mut self, method: &str, params: Value) -> (Vec<Value>, Value) {
        self.last += 1;
        let id = self.last;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let mut updates = Vec::new();
        loop {
            let line = self.lines.next().expect("the agent is gone").unwrap();
            let message: Value = serde_json::from_str(&line).unwrap();
            match message["method"].as_str() {
                Some("session/request_permission") => {
                    let outcome = json!({"outcome": "selected", "optionId": "allow-once"});
                    let answer = json!({"outcome": outcome});
                    let id = &message["id"];
                    self.send(&json!({"jsonrpc": "2.0", "id": id, "result": answer}));
                    updates.push(message);
                }
                Some("elicitation/create") => {
                    let answer = json!({"action": "accept", "content": {"colour": "blue"}});
                    let id = &message["id"];
                    self.send(&json!({"jsonrpc": "2.0", "id": id, "result": answer}));
                    updates.push(message);
                }
                Some(_) => updates.push(message["params"]["update"].clone()),
                None if message["id"] == id => return (updates, message),
                None => panic!("{message}"),
            }
        }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    /// Closes the pipe, and returns the output of the process and whether it ended well.
    fn leave(self) -> (String, bool) {
        drop(self.input);
        let output = self.process.wait_with_output().unwrap();
        (String::from_utf8(output.stderr).unwrap(), output.status.success())
    }
}

fn prompt(session: &Value, text: &str) -> Value {
    json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]})
}

#[test]
fn editor_runs_in_its_folder_and_reloads_sessions() {
    let sandbox = Sandbox::new();
    let folder = sandbox.path("project");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(sandbox.path("project/notes.txt"), "remember\n").unwrap();
    let cwd = std::fs::canonicalize(&folder).unwrap();
    let mut editor = Editor::start(&sandbox, &["--permissions", "ask"]);
    let (_, offered) = editor.call("initialize", json!({"protocolVersion": 1}));
    assert_eq!(offered["result"]["agentInfo"]["name"], "silcrow");
    let (_, opened) = editor.call("session/new", json!({"cwd": cwd, "mcpServers": []}));
    let session = opened["result"]["sessionId"].clone();
    assert_eq!(opened["result"]["modes"]["currentModeId"], "ask");
    let (updates, answer) = editor.call("session/prompt", prompt(&session, "What is in .?"));
    assert_eq!(answer["result"], json!({"stopReason": "end_turn"}), "{answer}");
    let result = updates.iter().find(|update| update["status"] == "completed").unwrap();
    assert!(result.to_string().contains("notes.txt"), "{result}");

    let (_, listed) = editor.call("session/list", json!({"cwd": cwd}));
    assert_eq!(listed["result"]["sessions"][0]["sessionId"], session);
    let load = json!({"sessionId": session, "cwd": cwd, "mcpServers": []});
    let (loaded, _) = editor.call("session/load", load.clone());
    assert_eq!(loaded[0]["sessionUpdate"], "user_message_chunk");
    editor.call("session/delete", json!({"sessionId": session}));
    let (_, gone) = editor.call("session/load", load);
    assert!(gone["error"]["message"].as_str().unwrap().contains("unknown session"), "{gone}");
    let (said, is_success) = editor.leave();
    assert!(is_success && said.contains("rehearsal model"), "{said}");
}

#[test]
fn person_skills_and_commands_work_in_editors() {
    let sandbox = Sandbox::new();
    let write = |path: &str, text: &str| {
        let path = sandbox.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let command = "---\ndescription: Explains a folder\nargument-hint: FOLDER\n---\nWhat is in $1?";
    write("config/silcrow/commands/explain.md", command);
    write("config/silcrow/skills/tidy/SKILL.md", "---\ndescription: Tidies up.\n---\nSweep first.");
    write("project/notes.txt", "remember");
    let cwd = std::fs::canonicalize(sandbox.path("project")).unwrap();
    let mut editor = Editor::start(&sandbox, &["--permissions", "ask"]);
    editor.call("initialize", json!({"protocolVersion": 1}));
    let (_, opened) = editor.call("session/new", json!({"cwd": cwd, "mcpServers": []}));
    let session = opened["result"]["sessionId"].clone();
    let (updates, answer) = editor.call("session/prompt", prompt(&session, "/explain ."));
    assert_eq!(answer["result"], json!({"stopReason": "end_turn"}), "{answer}");
    let listed = &updates[0]["availableCommands"];
    let names: Vec<_> = listed.as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["explain", "tidy", "init", "review"]);
    let explain = json!({
        "name": "explain", "description": "Explains a folder", "input": {"hint": "FOLDER"},
    });
    assert_eq!(listed[0], explain);
    let result = updates.iter().find(|update| update["status"] == "completed").unwrap();
    assert!(result.to_string().contains("notes.txt"), "{result}");
    editor.call("session/prompt", prompt(&session, "/tidy the desk"));
    let load = json!({"sessionId": session, "cwd": cwd, "mcpServers": []});
    let (loaded, _) = editor.call("session/load", load);
    let said = |words: &str| {
        loaded.iter().any(|update| {
            let text = update["content"]["text"].as_str().unwrap_or_default();
            update["sessionUpdate"] == "user_message_chunk" && text.contains(words)
        })
    };
    assert!(said("What is in .?") && said("/tidy the desk") && said("Sweep first."), "{loaded:?}");
    editor.leave();
}

#[test]
fn wrong_argument_fails_before_serving() {
    let sandbox = Sandbox::new();
    let output = sandbox.command(&["acp", "--model", "nobody:x"]).output().unwrap();
    assert_eq!((output.status.code(), &*output.stdout), (Some(2), &b""[..]));
}

#[test]
fn configured_mcp_servers_end_with_the_editor() {
    let sandbox = Sandbox::new();
    crate::mcp::declare(&sandbox, &["lives"], "");
    let model = crate::mcp::script(&sandbox, &[("test.spawn", "{}")]);
    let mut editor = Editor::start(&sandbox, &["--model", &model, "--permissions", "ask"]);
    editor.call("initialize", json!({"protocolVersion": 1}));
    let new = json!({"cwd": sandbox.root(), "mcpServers": []});
    let (_, opened) = editor.call("session/new", new);
    let session = opened["result"]["sessionId"].clone();
    let (updates, _) = editor.call("session/prompt", prompt(&session, "go"));
    let done = updates.iter().find(|update| update["status"] == "completed").unwrap();
    let text = done["content"].to_string();
    let pid: String = text.chars().filter(char::is_ascii_digit).collect();
    assert!(crate::mcp::is_alive(&pid), "{text}");
    let (_, is_success) = editor.leave();
    assert!(is_success && crate::mcp::has_ended(&pid));
}

/// Editors close both pipes at once, while the agent may still have something to send.
#[test]
fn editor_leaving_without_reading_is_not_a_failure() {
    let sandbox = Sandbox::new();
    let mut editor = Editor::start(&sandbox, &[]);
    editor.call("initialize", json!({"protocolVersion": 1, "clientCapabilities": {}}));
    let Editor { process, mut input, lines, .. } = editor;
    drop(lines);
    let request = json!({"jsonrpc": "2.0", "id": 9, "method": "session/list", "params": {}});
    writeln!(input, "{request}").unwrap();
    drop(input);
    let output = process.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
