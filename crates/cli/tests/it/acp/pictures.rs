//! Pictures that an editor sends.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use silcrow_testkit::pdf;

use super::Editor;
use crate::pictures::SHOT;
use crate::support::Sandbox;

/// The process that decodes them needs a folder for the file, and the first time the folder does
/// not exist.
#[test]
fn picture_is_decoded_in_a_separate_process() {
    let sandbox = Sandbox::new();
    let (folder, temporary) = (sandbox.path("project"), sandbox.path("temporary"));
    std::fs::create_dir(&folder).unwrap();
    std::fs::create_dir(&temporary).unwrap();
    let cwd = std::fs::canonicalize(&folder).unwrap();
    let mut command = sandbox.command(&["acp"]);
    command.env("TMPDIR", &temporary);
    let mut editor = Editor::spawn(command);
    editor.call("initialize", json!({"protocolVersion": 1}));
    let (_, opened) = editor.call("session/new", json!({"cwd": cwd, "mcpServers": []}));
    let session = opened["result"]["sessionId"].as_str().unwrap();
    let blocks = json!([
        {"type": "text", "text": "What is this?"},
        {"type": "image", "data": STANDARD.encode(SHOT), "mimeType": "image/png"},
    ]);
    let prompt = json!({"sessionId": session, "prompt": blocks});
    let elsewhere = sandbox.path("elsewhere");
    std::fs::rename(&temporary, &elsewhere).unwrap();
    let (_, answer) = editor.call("session/prompt", prompt.clone());
    let why = answer["error"]["message"].as_str().unwrap();
    assert!(why.contains("the picture cannot be decoded: it cannot be read here"), "{why}");
    std::fs::rename(&elsewhere, &temporary).unwrap();
    let (_, answer) = editor.call("session/prompt", prompt);
    assert_eq!(answer["result"], json!({"stopReason": "end_turn"}), "{answer}");
    editor.leave();
    let shown = sandbox.silcrow(&["log", "show", session]).out;
    assert!(shown.contains("[image 1: PNG, 40 × 30"), "{shown}");
}

/// A model that reads no documents reads the text, as it does of a document that a person attaches.
#[test]
fn document_includes_its_text() {
    let sandbox = Sandbox::new();
    let mut editor = Editor::spawn(sandbox.command(&["acp"]));
    editor.call("initialize", json!({"protocolVersion": 1}));
    let cwd = std::fs::canonicalize(sandbox.root()).unwrap();
    let (_, opened) = editor.call("session/new", json!({"cwd": cwd, "mcpServers": []}));
    let session = opened["result"]["sessionId"].as_str().unwrap();
    let blob = |pages: &[&str], name: &str| {
        let uri = format!("file:///work/{name}");
        json!({"type": "resource", "resource": {"uri": uri, "blob": STANDARD.encode(pdf(pages))}})
    };
    let blocks = json!([
        {"type": "text", "text": "Sum up."},
        blob(&["The total is 42."], "a.pdf"),
        blob(&[""], "scan.pdf"),
    ]);
    let (_, answer) =
        editor.call("session/prompt", json!({"sessionId": session, "prompt": blocks}));
    assert_eq!(answer["result"], json!({"stopReason": "end_turn"}), "{answer}");
    editor.leave();
    let stored = sandbox.silcrow(&["log", "export", session]).out;
    assert!(stored.contains(r#""text":"--- page 1 of 1 ---\nThe total is 42.\n""#), "{stored}");
    assert!(stored.contains(r#""text":"[no text: there is no text in the page"#), "{stored}");
}
