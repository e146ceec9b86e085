//! Keys in everything that a run writes: canaries come in by every way, and come out by none.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::server::play;
use crate::support::{CommandOutput, Sandbox, command_output};

/// The variables with keys, and their values.
const CANARIES: [(&str, &str); 6] = [
    ("OPENAI_API_KEY", "sk-canary-openai-00001"),
    ("ANTHROPIC_API_KEY", "sk-ant-canary-anthropic-2"),
    ("GEMINI_API_KEY", "AIzacanary-gemini-000003"),
    ("AZURE_OPENAI_API_KEY", "canary-azure-0000000004"),
    ("OPENAI_HEADERS", "X-Auth-Token: canary-header-00005"),
    ("GITHUB_TOKEN", "ghp_canary-github-000006"),
];

/// The key in the file that SILCROW_COMPATIBLE_KEY_FILE names.
const IN_FILE: &str = "canary-in-a-file-00000007";

fn all() -> String {
    let values = CANARIES.iter().map(|(_, value)| value.rsplit(' ').next().unwrap());
    values.chain([IN_FILE]).map(|value| format!("KEY={value}\n")).collect()
}

fn with_keys<'a>(sandbox: &Sandbox, command: &'a mut Command) -> &'a mut Command {
    let file = sandbox.write("key-file", &format!("{IN_FILE}\n"));
    command.envs(CANARIES).env("SILCROW_COMPATIBLE_KEY_FILE", file)
}

/// Checks that nothing that was printed has a canary.
#[track_caller]
fn tells_none(said: &CommandOutput) {
    for text in [&said.out, &said.err] {
        if let Some(at) = text.find("canary") {
            let start = text.floor_char_boundary(at.saturating_sub(200));
            panic!("{}", &text[start..at]);
        }
    }
}

/// Checks that no file in the folder has a canary, except those that the test wrote.
fn holds_none(folder: &Path, files: &mut usize) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            holds_none(&path, files);
        } else if !["keys.env", "key-file", "script"].iter().any(|name| path.ends_with(name)) {
            let bytes = fs::read(&path).unwrap();
            let found = bytes.windows(6).any(|window| window == b"canary");
            assert!(!found, "{}: {}", path.display(), String::from_utf8_lossy(&bytes));
            *files += 1;
        }
    }
}

#[test]
fn keys_appear_in_no_file_or_stream() {
    let sandbox = Sandbox::new();
    // Long enough to be kept beside the log.
    let filler = "x = 1\n".repeat(60_000);
    let long = format!("{}{filler}{}{filler}{}", all(), all(), all());
    fs::write(sandbox.root().join("keys.env"), &long).unwrap();
    fs::write(sandbox.root().join(IN_FILE), "").unwrap();
    let script = "§call: {\"name\":\"file_read\",\"args\":{\"file\":\"keys.env\"}}\n\
                  §call: {\"name\":\"file_list\",\"args\":{}}\n§execute\n%%\n§respond: done\n§end";
    let script = sandbox.write("script", script);
    let model = format!("script:{script}");
    let recording = sandbox.path("recording");
    for more in [&["--json"][..], &["--json", "--stream", "token"], &[]] {
        let prompt = format!("My keys are {}", all());
        let mut command = sandbox.command(&["run", &prompt, "--model", &model]);
        command.args(more).env("SILCROW_RECORD", &recording);
        let said = command_output(with_keys(&sandbox, &mut command).output().unwrap());
        tells_none(said.ends(0));
    }
    let (mut command, mut files) = (sandbox.command(&["log", "--json", "search", "keys"]), 0);
    let found = command_output(with_keys(&sandbox, &mut command).output().unwrap());
    assert!(found.out.contains("[secret OPENAI_API_KEY]"), "{}", found.out);
    assert!(found.out.contains("[secret GITHUB_TOKEN]"), "{}", found.out);
    holds_none(&sandbox.path(""), &mut files);
    assert!(files > 4, "{files}");
}

#[test]
fn errors_never_contain_keys() {
    for (status, command) in [
        ("401 Unauthorized", &["run", "go", "--store", "memory", "--model"][..]),
        ("400 Bad Request", &["run", "go", "--store", "memory", "--json", "--model"]),
        (
            "500 Internal Server Error",
            &["run", "go", "--store", "memory", "--mode", "replay", "--model"],
        ),
    ] {
        let sandbox = Sandbox::new();
        let body = format!("{{\"error\":{{\"message\":\"no {}\"}}}}", all().replace('\n', " "));
        let answer = format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nretry-after: 99\r\n\
             connection: close\r\n\r\n{body}",
            body.len()
        );
        let (address, server) = play(vec![answer.into_bytes()], 1 << 20);
        let model = format!("compatible:http://{address}/v1#m");
        let mut command = sandbox.command(&[command, &[&model]].concat());
        command.env("SILCROW_RECORD", sandbox.path("recording"));
        let said = command_output(with_keys(&sandbox, &mut command).output().unwrap());
        server.join().unwrap();
        assert_ne!(said.code, Some(0), "{}", said.out);
        assert!(said.err.contains("[secret]"), "{}", said.err);
        tells_none(&said);
        holds_none(&sandbox.path(""), &mut 0);
    }
}

#[test]
fn messages_never_quote_a_misplaced_key() {
    let sandbox = Sandbox::new();
    for variable in ["SILCROW_ALLOW_PLAIN_HTTP", "ANTHROPIC_VERSION", "SILCROW_MODEL"] {
        for key in ["sk-canary-openai-00001", "sk-proj-abcdefghijklmnopqrst"] {
            let model: &[&str] = match variable {
                "SILCROW_MODEL" => &[],
                "ANTHROPIC_VERSION" => &["--model", "anthropic:m"],
                _ => &["--model", "compatible:http://example.com/#m"],
            };
            let mut command =
                sandbox.command(&[&["run", "go", "--store", "memory"], model].concat());
            with_keys(&sandbox, &mut command).env(variable, key);
            let said = command_output(command.output().unwrap());
            assert_ne!(said.code, Some(0), "{}", said.out);
            tells_none(&said);
            assert!(!said.err.contains(key), "{}", said.err);
        }
    }
}
