//! The guide for working on code: the requests that have it, and the length of the first request.

use std::fs;
use std::process::Stdio;

use serde_json::Value;

use crate::server::play;
use crate::support::Sandbox;

const GUIDE: &str = "Look before you change something";

/// Returns the body of the first request of a run with these flags.
fn asked(sandbox: &Sandbox, flags: &[&str]) -> String {
    let data =
        r#"{"choices":[{"delta":{"content":"§respond: hello\n§end"},"finish_reason":"stop"}]}"#;
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
    let (address, played) = play(vec![format!("{head}data: {data}\n\n").into_bytes()], usize::MAX);
    let args = [&["run", "hi", "--store", "memory", "--model", "openai:m"][..], flags].concat();
    let mut command = sandbox.command(&args);
    command.env("OPENAI_API_KEY", "sk-canary").env("OPENAI_BASE_URL", format!("http://{address}"));
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let request = played.join().unwrap().remove(0);
    request.split_once("\r\n\r\n").unwrap().1.to_owned()
}

#[test]
fn coding_guide_and_branch_keep_requests_short() {
    let sandbox = Sandbox::new();
    assert!(!asked(&sandbox, &[]).contains(GUIDE));
    fs::create_dir(sandbox.path("root/.git")).unwrap();
    fs::write(sandbox.path("root/.git/HEAD"), "ref: refs/heads/topic\n").unwrap();
    let body = asked(&sandbox, &[]);
    assert!(body.contains(GUIDE), "{body}");
    assert!(body.contains("The branch is `topic`"), "{body}");
    assert!(body.len() < 17_500, "{}", body.len());
    // The constant text comes before the facts of this run.
    let body: Value = serde_json::from_str(&body).unwrap();
    let system = body["messages"][0]["content"].as_str().unwrap();
    assert!(system.find(GUIDE) < system.find("The date is"), "{system}");
    assert!(!asked(&sandbox, &["--system", "Answer in verse."]).contains(GUIDE));
    fs::write(sandbox.path("config/silcrow/config.toml"), "coding = false\n").unwrap();
    let body = asked(&sandbox, &[]);
    assert!(!body.contains(GUIDE) && !body.contains("The branch is"), "{body}");
}
