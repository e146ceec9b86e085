//! Pictures of the clipboard that a person pastes at the prompt.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use super::{TerminalWindow, script};
use crate::pictures::SHOT;
use crate::support::Sandbox;

#[test]
fn ctrl_v_and_empty_paste_attach_clipboard_pictures() {
    let sandbox = Sandbox::new();
    let programs = sandbox.path("programs");
    fs::create_dir(&programs).unwrap();
    let shot = sandbox.path("shot");
    fs::write(&shot, SHOT).unwrap();
    let program = programs.join("pngpaste");
    fs::write(&program, format!("#!/bin/sh\nexec cat '{}'\n", shot.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let model = script(&sandbox, "§respond: I see dots.\n§end");
    let mut command = sandbox.command(&["chat", "--model", &model]);
    let path = std::env::var("PATH").unwrap();
    command.env("PATH", format!("{}:{path}", programs.display()));
    command.env_remove("WAYLAND_DISPLAY").env_remove("DISPLAY");
    let mut window = TerminalWindow::open(&command, 100, 30);
    window.wait_for("›");
    window.press("What is this");
    window.press("\x16");
    window.wait_for("[image: clipboard.png, PNG, 40 × 30] goes with the next prompt");
    window.wait_for("› What is this");
    window.press("\x1b[200~\x1b[201~");
    window.wait_for_times("goes with the next prompt", 2);
    fs::remove_file(&shot).unwrap();
    window.press("\x16");
    window.wait_for("the clipboard has no picture");
    window.press("?\r");
    window.wait_for("I see dots.");
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
    let found = sandbox.silcrow(&["log", "search", "dots", "--json"]).ends(0).out.clone();
    let found: Value = serde_json::from_str(found.lines().next().unwrap()).unwrap();
    let id = found["conversation"].as_str().unwrap();
    let log = sandbox.silcrow(&["log", "--json", "show", id]).ends(0).out.clone();
    let prompt = log.lines().next().unwrap();
    assert!(prompt.contains("What is this?"), "{prompt}");
    assert_eq!(prompt.matches("\"name\":\"clipboard.png\"").count(), 2, "{prompt}");
}
