//! Pictures that clients of the server send.

use std::process::Stdio;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustix::process::Signal;
use serde_json::json;

use super::Serving;
use crate::pictures::SHOT;
use crate::support::Sandbox;

/// The process that decodes them needs a folder for the file, and the first time the folder does
/// not exist.
#[test]
fn picture_is_decoded_in_a_separate_process() {
    let sandbox = Sandbox::new();
    let (temporary, elsewhere) = (sandbox.path("temporary"), sandbox.path("elsewhere"));
    std::fs::create_dir(&temporary).unwrap();
    let mut command = sandbox.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.env("TMPDIR", &temporary);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let serving = Serving::from_process(command.spawn().unwrap());
    let files = json!([{"name": "shot.png", "data": STANDARD.encode(SHOT)}]);
    let body = json!({"prompt": "What is this?", "files": files}).to_string();
    std::fs::rename(&temporary, &elsewhere).unwrap();
    let (status, answer) = serving.send("POST", "/conversations/c1/runs", &body);
    let why = answer.to_string();
    assert!(why.contains("the picture cannot be decoded: it cannot be read here"), "{why}");
    assert_eq!(status, 400, "{why}");
    std::fs::rename(&elsewhere, &temporary).unwrap();
    let (status, answer) = serving.send("POST", "/conversations/c1/runs", &body);
    assert!(status < 300, "{answer}");
    let events = serving.follow("c1", "respond");
    assert!(events.contains("[image 1: shot.png, PNG, 40 × 30"), "{events}");
    assert_eq!(serving.end(Signal::TERM), Some(0));
}
