//! A tool that a person calls at a terminal.

use super::TerminalWindow;
use crate::support::Sandbox;

const ARGS: &str = r#"{"file":"b.txt","content":"one"}"#;

#[test]
fn a_call_by_hand_is_answered_by_a_key_and_its_rule_is_kept() {
    let sandbox = Sandbox::new();
    let command = sandbox.command(&["tool", "file_write", ARGS]);
    let mut window = TerminalWindow::open(&command, 80, 40);
    window.wait_for("a always …");
    window.press("?");
    window.wait_for("this explanation");
    window.press("af");
    window.wait_for("› yes, always in this folder");
    let (code, shown) = window.end();
    assert_eq!(code, Some(0), "{shown}");
    assert_eq!(shown.matches("✓ file_write b.txt").count(), 1, "{shown}");
    assert!(!shown.contains("The call has ended."), "{shown}");
    assert_eq!(std::fs::read_to_string(sandbox.root().join("b.txt")).unwrap(), "one");
    // Nobody is asked again.
    let (code, shown) = TerminalWindow::open(&command, 80, 40).end();
    assert_eq!(code, Some(0), "{shown}");
}

#[test]
fn a_no_with_words_is_what_the_call_fails_with() {
    let sandbox = Sandbox::new();
    let command = sandbox.command(&["tool", "file_write", ARGS]);
    let mut window = TerminalWindow::open(&command, 80, 40);
    window.wait_for("w words");
    window.press("wnot there\r");
    let (code, shown) = window.end();
    assert_eq!(code, Some(1), "{shown}");
    assert!(shown.contains("and said: not there"), "{shown}");
    assert!(!sandbox.root().join("b.txt").exists());
}

#[test]
fn arguments_may_come_from_a_pipe_while_keys_answer() {
    let sandbox = Sandbox::new();
    let command = sandbox.command(&["tool", "file_write", "-"]);
    let mut window = TerminalWindow::open_with(&command, 80, 40, Some(ARGS));
    window.wait_for("y yes");
    window.press("y");
    assert_eq!(window.end().0, Some(0));
    assert_eq!(std::fs::read_to_string(sandbox.root().join("b.txt")).unwrap(), "one");
}

#[test]
fn ctrl_c_stops_a_call_whose_output_is_shown_as_it_comes() {
    let sandbox = Sandbox::new();
    let args = r#"{"command":"echo begun; while :; do sleep 0.05; done"}"#;
    let command = sandbox.command(&["tool", "shell", args, "--permissions", "full"]);
    let mut window = TerminalWindow::open(&command, 80, 40);
    window.wait_for("│ begun");
    window.press("\x03");
    let (code, shown) = window.end();
    assert_eq!(code, Some(130), "{shown}");
}

#[test]
fn a_dumb_terminal_is_asked_in_lines() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(&["tool", "file_write", ARGS]);
    let mut window = TerminalWindow::open(command.env("TERM", "dumb"), 80, 40);
    window.wait_for("[N]");
    window.press("y\r");
    assert_eq!(window.end().0, Some(0));
    assert_eq!(std::fs::read_to_string(sandbox.root().join("b.txt")).unwrap(), "one");
}
