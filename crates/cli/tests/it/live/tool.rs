//! A tool that a person calls at a terminal.

use super::TerminalWindow;
use crate::support::Sandbox;

const ARGS: &str = r#"{"file":"b.txt","content":"one"}"#;

#[test]
fn piped_arguments_leave_the_keyboard_for_answers() {
    let sandbox = Sandbox::new();
    let command = sandbox.command(&["tool", "file_write", "-"]);
    let mut window = TerminalWindow::open_with(&command, 80, 40, Some(ARGS));
    window.wait_for("y yes");
    window.press("y");
    assert_eq!(window.end().0, Some(0));
    assert_eq!(std::fs::read_to_string(sandbox.root().join("b.txt")).unwrap(), "one");
}

#[test]
fn dumb_terminal_questions_are_lines() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(&["tool", "file_write", ARGS]);
    let mut window = TerminalWindow::open(command.env("TERM", "dumb"), 80, 40);
    window.wait_for("[N]");
    window.press("y\r");
    assert_eq!(window.end().0, Some(0));
    assert_eq!(std::fs::read_to_string(sandbox.root().join("b.txt")).unwrap(), "one");
}
