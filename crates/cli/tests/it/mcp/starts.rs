//! The working folders of servers' programs, and programs in the root.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use super::{ALLOW, declare, program, results, run, script};
use crate::live::TerminalWindow;
use crate::support::{CommandOutput, Sandbox, command_output, file};

/// Declares servers in the person's settings.
fn config(sandbox: &Sandbox, text: &str) {
    fs::write(sandbox.path("config/silcrow/config.toml"), text).unwrap();
}

/// Writes a script of the root that notes that it ran.
fn plant(sandbox: &Sandbox, name: &str, text: &str) {
    let path = sandbox.root().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn has(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|said| said.status.success())
}

#[test]
fn server_starts_in_an_empty_folder() {
    let sandbox = Sandbox::new();
    declare(&sandbox, &[], "");
    let said = results(&run(&sandbox, &[("test.variable", r#"{"name":"PWD"}"#)], &ALLOW));
    let folders = sandbox.path("state/silcrow-servers");
    assert!(said[0].starts_with(folders.to_str().unwrap()), "{said:?}");
    assert_eq!(fs::metadata(&folders).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(fs::read_dir(&folders).unwrap().count(), 0, "it is removed at the end");
}

#[test]
fn bare_server_names_never_run_root_files() {
    let sandbox = Sandbox::new();
    let mark = sandbox.path("ran");
    let note = format!("open({:?}, 'w')\n", mark.to_str().unwrap());
    plant(&sandbox, "planted.py", &note);
    plant(&sandbox, "planted", &format!("#!/bin/sh\ntouch {}\n", mark.display()));
    plant(&sandbox, "bin/planted", &format!("#!/bin/sh\ntouch {}\n", mark.display()));
    let package = "{\"name\":\"planted\",\"version\":\"1.0.0\",\"bin\":\"planted\"}";
    plant(&sandbox, "package.json", package);
    plant(&sandbox, "node_modules/.bin/planted", &format!("#!/bin/sh\ntouch {}\n", mark.display()));
    let mut commands = vec!["[\"planted\"]"];
    commands.extend(has("python3").then_some("[\"python3\", \"-m\", \"planted\"]"));
    commands.extend(has("npx").then_some("[\"npx\", \"--offline\", \"-y\", \"planted\", \".\"]"));
    for command in commands {
        config(&sandbox, &format!("[mcp.test]\ncommand = {command}\n"));
        let model = script(&sandbox, &[]);
        let mut run = sandbox.command(&["run", "go", "--model", &model]);
        let path = std::env::var("PATH").unwrap();
        let inside = sandbox.root().join("bin");
        run.env("PATH", format!(":.:bin:{}:{path}", inside.display()));
        let said = command_output(run.output().unwrap());
        assert!(said.ends(0).err.contains("MCP server test: "), "{command}: {}", said.err);
        assert!(!mark.exists(), "{command}");
    }
    let said = tried(&sandbox, "[\"planted\"]", Some("bin"));
    let named = "is found only in the root, where a model may write it";
    assert!(said.out.contains(named), "{}", said.out);
}

/// Tries a server, with a folder of the root in `PATH`.
fn tried(sandbox: &Sandbox, command: &str, folder: Option<&str>) -> CommandOutput {
    config(sandbox, &format!("[mcp.test]\ncommand = {command}\n"));
    let mut test = sandbox.command(&["mcp", "test", "test"]);
    if let Some(folder) = folder {
        test.env("PATH", format!("{}:/usr/bin:/bin", sandbox.root().join(folder).display()));
    }
    command_output(test.output().unwrap())
}

#[test]
fn declaration_says_that_a_server_needs_the_root() {
    let sandbox = Sandbox::new();
    let more = "folder = \".\"\nenv = { WHERE = \"{root}/x\" }\n";
    declare(&sandbox, &[], more);
    let calls = [("test.variable", r#"{"name":"PWD"}"#), ("test.variable", r#"{"name":"WHERE"}"#)];
    let said = results(&run(&sandbox, &calls, &ALLOW));
    let root = sandbox.root().canonicalize().unwrap();
    let root = root.to_str().unwrap();
    assert!(said[0].starts_with(&format!("{root} ")), "{said:?}");
    assert!(said[1].starts_with(&format!("{root}/x ")), "{said:?}");
    for args in [&["mcp", "list"][..], &["mcp", "test", "test"], &["mcp", "list", "--json"]] {
        let said = sandbox.silcrow(args);
        assert!(said.ends(0).out.contains("in the root"), "{}", said.out);
    }
    let doctor = sandbox.silcrow(&["doctor"]);
    assert!(doctor.out.contains(", in the root"), "{}", doctor.out);
    // A project says it if the person trusts it.
    config(&sandbox, "");
    fs::create_dir_all(sandbox.path("root/.silcrow")).unwrap();
    let table = format!("[mcp.test]\ncommand = [{:?}]\nfolder = \".\"\n", program());
    fs::write(sandbox.path("root/.silcrow/config.toml"), table).unwrap();
    let trusted = sandbox.silcrow(&["config", "trust"]);
    assert!(trusted.ends(0).out.contains("(in the root)"), "{}", trusted.out);
    // The flag writes it.
    let added = ["mcp", "add", "other", "--folder", ".", "--", &program()];
    sandbox.silcrow(&added).ends(0);
    let text = file(&sandbox.path("config/silcrow/config.toml"));
    assert!(text.contains("folder = \".\"\n"), "{text}");
}

#[test]
fn words_resolving_to_empty_folder_are_named() {
    let sandbox = Sandbox::new();
    declare(&sandbox, &["."], "");
    let said = run(&sandbox, &[], &[]);
    let advice =
        "MCP server test: `.` is in the empty folder in which the server starts; write {root}";
    assert!(said.ends(0).err.contains(advice), "{}", said.err);
    let wrong = tried(&sandbox, "[\"./server\"]", None);
    let why = "which lacks `./server`; write {root}/server for a program of the root";
    assert!(wrong.ends(2).err.contains(why), "{}", wrong.err);
}

#[test]
fn files_that_a_server_runs_are_protected() {
    let sandbox = Sandbox::new();
    plant(&sandbox, "tool.sh", "as it was");
    config(&sandbox, "[mcp.test]\ncommand = [\"sh\", \"{root}/tool.sh\"]\n");
    let calls = [
        ("file_read", r#"{"file":"tool.sh"}"#),
        ("file_write", r#"{"file":"tool.sh","content":"written"}"#),
        ("shell", r#"{"command":"echo written > tool.sh"}"#),
        ("shell", r#"{"command":"rm tool.sh"}"#),
        ("file_write", r#"{"file":"other.sh","content":"written"}"#),
    ];
    let said = run(&sandbox, &calls, &["--allow", "file_write", "--allow", "shell"]);
    let given = results(&said);
    assert!(given[1].contains("needs a person's approval"), "{given:?}");
    assert_eq!(file(&sandbox.root().join("tool.sh")), "as it was");
    assert_eq!(file(&sandbox.root().join("other.sh")), "written");
}

/// Returns calls that change the program of a server, end the server, and call it again.
fn changing_calls(sandbox: &Sandbox) -> [(&'static str, String); 4] {
    plant(sandbox, "tool.sh", &format!("exec {}\n", program()));
    config(sandbox, "[mcp.test]\ncommand = [\"sh\", \"{root}/tool.sh\"]\n");
    let text = format!("# changed\nexec {}\n", program());
    let write = serde_json::json!({"file": "tool.sh", "content": text});
    [
        ("file_read", r#"{"file":"tool.sh"}"#.to_owned()),
        ("file_write", write.to_string()),
        ("test.die", "{}".to_owned()),
        ("test.echo", r#"{"text":"again"}"#.to_owned()),
    ]
}

#[test]
fn changed_server_is_not_started_again() {
    let sandbox = Sandbox::new();
    let calls = changing_calls(&sandbox);
    let calls: Vec<_> = calls.iter().map(|(tool, args)| (*tool, &**args)).collect();
    let said = results(&run(&sandbox, &calls, &["--permissions", "full"]));
    let why = "is not started again, because";
    assert!(said[3].contains(why) && said[3].contains("tool.sh has changed"), "{said:?}");
    // A new run starts it as it is.
    let said = run(&sandbox, &[("test.echo", r#"{"text":"new"}"#)], &["--permissions", "full"]);
    assert_eq!(results(&said), ["new"]);
}

#[test]
fn changed_server_starts_after_approval() {
    for (answer, says) in [("y", "\"again\""), ("n", "has changed since it was started first")] {
        let sandbox = Sandbox::new();
        let calls = changing_calls(&sandbox);
        let calls: Vec<_> = calls.iter().map(|(tool, args)| (*tool, &**args)).collect();
        let model = script(&sandbox, &calls);
        let args = ["run", "go", "--model", &model, "--permissions", "full", "--verbose"];
        let mut window = TerminalWindow::open(&sandbox.command(&args), 100, 60);
        window.wait_for("what it would run now is not what you started");
        window.wait_for("tool.sh");
        window.press(&format!("{answer}\r"));
        window.wait_for("It is done.");
        let (code, shown) = window.end();
        assert_eq!(code, Some(0), "{shown}");
        assert!(shown.contains(says.trim_matches('"')), "{answer}: {shown}");
    }
}
