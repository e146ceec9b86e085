//! Files that need a person's own yes although `--allow file_write` is given, and files that no tool
//! touches.

use std::fs;

use serde_json::{Value, json};

use crate::support::{CommandOutput, Sandbox, file};

/// Runs calls of tools, one for each step and all of them allowed, and returns their results.
fn results(sandbox: &Sandbox, args: &[&str], calls: &[(&str, Value)]) -> Vec<Value> {
    let said = played(sandbox, args, calls);
    said.ends(0).events().into_iter().filter(|event| event["type"] == "result").collect()
}

fn played(sandbox: &Sandbox, args: &[&str], calls: &[(&str, Value)]) -> CommandOutput {
    let steps = calls.iter().map(|(name, args)| {
        format!("§call: {}\n§execute\n%%\n", json!({"name": name, "args": args}))
    });
    let script = sandbox.write("script", &(steps.collect::<String>() + "§respond: Done.\n§end"));
    let model = format!("script:{script}");
    let run = ["run", "x", "--model", &model, "--json", "--allow", "file_write"];
    silcrow(sandbox, &[&run[..], args].concat())
}

/// The command whose home and data are beneath the root.
fn silcrow(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    let mut command = sandbox.command(args);
    let home = sandbox.root().join("home");
    command.env("HOME", &home).env("XDG_DATA_HOME", sandbox.root().join("data"));
    crate::support::command_output(command.stdin(std::process::Stdio::null()).output().unwrap())
}

fn write(file: &str) -> (&'static str, Value) {
    ("file_write", json!({"file": file, "content": "written"}))
}

fn read(file: &str) -> (&'static str, Value) {
    ("file_read", json!({"file": file}))
}

#[test]
fn no_permission_opens_protected_files_for_writing() {
    let sandbox = Sandbox::new();
    let root = sandbox.root();
    for folder in [".git/hooks", "docs", "home"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    fs::write(root.join(".git/config"), "[core]").unwrap();
    fs::write(root.join("silcrow.toml"), "[agents.a]\ndescription = \"x\"\ninstructions = \"x\"\n")
        .unwrap();
    std::os::unix::fs::symlink("../.git/config", root.join("docs/notes.md")).unwrap();
    silcrow(&sandbox, &["manifest", "trust", "silcrow.toml"]).ends(0);
    let given = results(
        &sandbox,
        &["--manifest", "silcrow.toml"],
        &[
            read(".git/config"),
            read("silcrow.toml"),
            write(".git/config"),
            write(".git/hooks/pre-commit"),
            write("docs/notes.md"),
            write("silcrow.toml"),
            write("home/.bashrc"),
            write("data/silcrow-trust/x"),
            write("data/silcrow/spills/x"),
            ("file_list", json!({"path": "data/silcrow"})),
            ("file_read", json!({"file": "data/silcrow/db"})),
            ("file_search", json!({"query": "x", "path": "data/silcrow"})),
            write("docs/free.md"),
        ],
    );
    let whys = [
        "needs a person's approval",
        "needs a person's approval",
        "is a link to `.git/config`",
        "needs a person's approval",
        "needs a person's approval",
        "needs a person's approval",
        "store",
        "store",
        "store",
        "store",
    ];
    for (result, why) in given[2..].iter().zip(whys) {
        assert_eq!(result["payload"]["status"], "failure", "{result}");
        let content = result["content"].as_str().unwrap();
        assert!(content.contains(why), "{content}");
    }
    assert_eq!(given.last().unwrap()["payload"]["status"], "success");
    assert_eq!(file(&root.join(".git/config")), "[core]");
    assert!(file(&root.join("silcrow.toml")).starts_with("[agents.a]"));
    assert_eq!(file(&root.join("docs/free.md")), "written");
    assert!(!root.join("home/.bashrc").exists() && !root.join(".git/hooks/pre-commit").exists());
}

/// An output that is too long is kept in the store, and the conversation reads on there.
#[test]
fn kept_outputs_are_readable_in_the_private_store() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.root().join("odd")).unwrap();
    for n in 0..300 {
        // Each of these characters is shown as several.
        let name = format!("odd/{n:03}{}", "\u{1}".repeat(50));
        fs::write(sandbox.root().join(name), "").unwrap();
    }
    let rest = json!({"file": "spill:1-a1", "offset": 200, "numbers": false});
    let list = ("file_list", json!({"path": "odd"}));
    let kept = "data/silcrow/spills";
    let given = results(&sandbox, &[], &[list, ("file_read", rest), read(kept)]);
    let content = |n: usize| given[n]["content"].as_str().unwrap();
    assert_eq!(given[0]["payload"]["truncated"]["full_output"], "spill:1-a1");
    assert!(content(0).lines().count() < 300, "not all of it is shown");
    assert_eq!(content(1).lines().filter(|line| line.contains("  0 bytes")).count(), 101);
    assert!(content(2).contains("the store of conversations"), "{}", content(2));
}

/// Commands are kept from the same files as the tools, with any permissions.
#[test]
fn commands_leave_no_files_that_programs_autorun() {
    let sandbox = Sandbox::new();
    let root = sandbox.root();
    for folder in [".husky", "sub/.vscode", "home/.config"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    fs::write(root.join(".husky/pre-commit"), "as it was").unwrap();
    let shell = |command: &str| ("shell", json!({ "command": command }));
    let calls = [
        shell("echo x > .husky/pre-commit"),
        shell("rm -rf .husky"),
        shell("echo x > .exrc"),
        shell("echo x > sub/.exrc"),
        shell("echo x > sub/.vscode/tasks.json"),
        shell("echo x > home/.bashrc"),
        shell("mkdir -p home/.config/systemd/user"),
        shell("echo x > sub/free.md"),
    ];
    let said = played(&sandbox, &["--allow", "shell"], &calls);
    if said.err.contains("sandbox: none") {
        return;
    }
    let results: Vec<_> =
        said.ends(0).events().into_iter().filter(|event| event["type"] == "result").collect();
    assert_eq!(results.len(), calls.len());
    assert_eq!(file(&root.join(".husky/pre-commit")), "as it was");
    for path in
        [".exrc", "sub/.exrc", "sub/.vscode/tasks.json", "home/.bashrc", "home/.config/systemd"]
    {
        assert!(!root.join(path).exists(), "{path}");
    }
    let notices = results[3]["payload"]["notices"].to_string();
    assert!(notices.contains("sub/.exrc.set-aside-1"), "{results:?}");
    assert_eq!(file(&root.join("sub/free.md")), "x\n");
}

/// Also while the command still runs, and the person reads it in the line of a call.
#[test]
fn running_background_commands_leave_no_autorun_files() {
    let sandbox = Sandbox::new();
    let root = sandbox.root();
    fs::create_dir_all(root.join("sub")).unwrap();
    let shell = |command: &str| ("shell", json!({ "command": command }));
    let make = "mkdir -p sub/.github/workflows; echo x > sub/my.code-workspace; exec sleep 900";
    let gone =
        "until ls sub/*.set-aside-1 sub/.github/*.set-aside-1 2>/dev/null; do sleep 0.02; done";
    let calls = [
        ("shell", json!({"command": make, "background": true})),
        shell(gone),
        // A file that was renamed a moment ago is reported at the end at the latest.
        ("shell_processes", json!({"action": "stop", "id": "p1"})),
    ];
    let said = played(&sandbox, &["--allow", "shell"], &calls);
    if said.err.contains("sandbox: none") {
        return;
    }
    let results: Vec<_> =
        said.ends(0).events().into_iter().filter(|event| event["type"] == "result").collect();
    let told = |path: &str| {
        let is_told = |member: &str| {
            results.iter().any(|result| result["payload"][member].to_string().contains(path))
        };
        is_told("notices") && is_told("outcome")
    };
    for path in ["sub/my.code-workspace", "sub/.github/workflows"] {
        assert!(told(&format!("{path}.set-aside-1")), "{path}: {results:?}");
    }
    assert!(!root.join("sub/my.code-workspace").exists());
}
