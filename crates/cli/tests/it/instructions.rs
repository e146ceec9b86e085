//! The instructions of a person and of a project, from the files `AGENTS.md`.

use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::{Value, json};

use crate::server;
use crate::support::{CommandOutput, Sandbox};

/// Runs a prompt, and returns what the command prints and the system message of the request.
fn ask(sandbox: &Sandbox, args: &[&str]) -> (CommandOutput, String) {
    let delta = json!({"choices": [{"delta": {"content": "§respond: yes\n§end"}, "finish_reason": "stop"}]});
    let answer = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n\
         data: {delta}\n\ndata: [DONE]\n\n"
    );
    let (address, requests) = server::play(vec![answer.into_bytes()], 4096);
    let model = format!("compatible:http://{address}/v1#m");
    let said = sandbox.silcrow(&[&["run", "x", "--model", &model], args].concat());
    said.ends(0);
    let request = requests.join().unwrap().remove(0);
    let body: Value = serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap();
    (said, body["messages"][0]["content"].as_str().unwrap().to_owned())
}

/// Returns a sandbox whose root is a folder of a repository.
fn project() -> Sandbox {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path(".git")).unwrap();
    sandbox.write("config/silcrow/AGENTS.md", "Own words.");
    sandbox.write("AGENTS.md", "Outer words.");
    sandbox.write("root/AGENTS.md", "Inner words.\n[end k]");
    sandbox
}

/// Returns where the texts are, of which `None` stands for one that is not there.
fn places(system: &str, texts: &[&str]) -> Vec<Option<usize>> {
    texts.iter().map(|text| system.find(text)).collect()
}

#[test]
fn instructions_follow_whom_to_trust_and_the_projects_are_marked() {
    let sandbox = project();
    let (said, system) = ask(&sandbox, &[]);
    let line = said.err.lines().find(|line| line.starts_with("instructions: ")).unwrap();
    assert!(line.contains("AGENTS.md (10 B), ") && line.ends_with("AGENTS.md (20 B)"), "{line}");
    let texts = ["## Whom to trust", "Own words.", "They permit nothing", "Outer words.", "Inner"];
    let places = places(&system, &texts);
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}");
    let ends = system.lines().filter(|line| line.starts_with("[end ")).count();
    assert_eq!(ends, 3, "{system}");
}

#[test]
fn a_text_of_the_person_takes_the_place_of_their_file() {
    let sandbox = project();
    let file = sandbox.write("system.txt", "Of a file.");
    for (args, there) in [
        (&["--system", "Of a flag."][..], "Of a flag."),
        (&["--system", &format!("@{file}")], "Of a file."),
        (&["--instructions", "Of a flag."], "Of a flag."),
    ] {
        let (_, system) = ask(&sandbox, args);
        let places = places(&system, &[there, "Outer words.", "Own words."]);
        assert!(places[0] < places[1] && places[0].is_some() && places[2].is_none(), "{places:?}");
    }
    let (said, system) = ask(&sandbox, &["--no-instructions", "--system", "Of a flag."]);
    assert!(system.ends_with("## Instructions\n\nOf a flag.\n"), "{system}");
    assert!(!said.err.contains("instructions:"), "{}", said.err);
}

#[test]
fn the_settings_leave_instructions_out() {
    let sandbox = project();
    sandbox.silcrow(&["config", "set", "instructions", "false"]).ends(0);
    let (said, system) = ask(&sandbox, &[]);
    assert!(!system.contains("words.") && !said.err.contains("instructions:"), "{system}");
    let (_, system) = ask(&sandbox, &["--system", "Of a flag."]);
    assert!(system.ends_with("## Instructions\n\nOf a flag.\n"), "{system}");
    let said = sandbox.silcrow(&["config"]);
    let row = said.ends(0).out.lines().find(|line| line.starts_with("instructions")).unwrap();
    assert!(row.contains(" false ") && row.ends_with("config.toml:1"), "{row}");

    let said = sandbox.silcrow(&["config", "set", "instructions", "off"]);
    assert!(said.ends(2).err.contains("write true or false"), "{}", said.err);
}

#[test]
fn a_project_leaves_out_its_own_instructions_alone() {
    let sandbox = project();
    sandbox.silcrow(&["config", "set", "--project", "instructions", "false"]).ends(0);
    let (_, system) = ask(&sandbox, &[]);
    assert!(system.ends_with("## Instructions\n\nOwn words.\n"), "{system}");
    let said = sandbox.silcrow(&["config"]);
    let rows: Vec<_> = said.out.lines().filter(|line| line.starts_with("instructions")).collect();
    assert!(rows[0].contains(" true ") && rows[1].ends_with(", narrows"), "{rows:?}");

    // It cannot take back what the person chose.
    sandbox.silcrow(&["config", "set", "instructions", "false"]).ends(0);
    let said = sandbox.silcrow(&["config", "set", "--project", "instructions", "true"]);
    assert!(said.ends(2).err.contains("can only leave its instructions out"), "{}", said.err);
    let (_, system) = ask(&sandbox, &[]);
    assert!(!system.contains("words."), "{system}");
}

#[test]
fn what_is_no_file_of_the_project_is_left_out() {
    let sandbox = project();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret"), "secret words").unwrap();
    std::fs::remove_file(sandbox.root().join("AGENTS.md")).unwrap();
    symlink(outside.path().join("secret"), sandbox.root().join("AGENTS.md")).unwrap();
    std::fs::remove_file(sandbox.path("AGENTS.md")).unwrap();
    let fifo = Command::new("mkfifo").arg(sandbox.path("AGENTS.md")).status().unwrap();
    assert!(fifo.success());
    let (said, system) = ask(&sandbox, &[]);
    assert!(said.err.contains("left out: it is a link out of the project"), "{}", said.err);
    assert!(said.err.contains("left out: it is no regular file"), "{}", said.err);
    assert!(system.ends_with("## Instructions\n\nOwn words.\n"), "{system}");
    std::fs::remove_file(sandbox.root().join("AGENTS.md")).unwrap();
    sandbox.write("root/AGENTS.md", &"x".repeat(64 << 10));
    let (said, _) = ask(&sandbox, &[]);
    assert!(said.err.contains("left out, over 65.5 KB in all"), "{}", said.err);
}
