//! Aids for typing a line: the person's editor, the keys of vi, earlier lines, names of files.

use std::fs;
use std::process::Command;

use super::{TerminalWindow, script};
use crate::support::Sandbox;

fn command(sandbox: &Sandbox) -> Command {
    let model = script(sandbox, "§respond: I see.\n§end");
    sandbox.command(&["chat", "--model", &model])
}

fn open(command: &Command) -> TerminalWindow {
    let window = TerminalWindow::open(command, 80, 30);
    window.wait_for("› ask (Shift-Tab)");
    window
}

/// Sends the line, leaves, and returns the prompts of the conversation.
fn prompts(sandbox: &Sandbox, mut window: TerminalWindow) -> Vec<String> {
    window.press("\r");
    window.wait_for_both("I see.", "out ›");
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
    let listed = sandbox.silcrow(&["log", "list", "--json"]).events();
    let id = listed[0]["conversation"].as_str().unwrap();
    let events = sandbox.silcrow(&["log", "show", id, "--json"]).events();
    let prompts = events.iter().filter(|event| event["type"] == "user");
    prompts.map(|event| event["content"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn external_editor_edits_the_line() {
    let sandbox = Sandbox::new();
    let editor = sandbox.write("editor.sh", "sed -i 's/draft/text of an editor/' \"$1\"\n");
    let mut command = command(&sandbox);
    command.env_remove("VISUAL").env("EDITOR", format!("sh {editor}"));
    let mut window = open(&command);
    window.press("the draft");
    window.wait_for("› the draft");
    // Ctrl-G.
    window.press("\x07");
    window.wait_for("› the text of an editor");
    assert_eq!(prompts(&sandbox, window), ["the text of an editor"]);
}

#[test]
fn vi_keys_edit_and_show_their_mode() {
    let sandbox = Sandbox::new();
    sandbox.silcrow(&["config", "set", "keys", "vi"]).ends(0);
    let mut window = open(&command(&sandbox));
    window.press("one two");
    window.wait_for("› one two");
    window.press("\x1b");
    window.wait_for("› one two normal mode");
    window.press("bcwthree");
    window.wait_for("› one three");
    assert_eq!(prompts(&sandbox, window), ["one three"]);
}

#[test]
fn history_search_finds_lines_by_parts() {
    let sandbox = Sandbox::new();
    let mut window = open(&command(&sandbox));
    window.press("find the parser\r");
    window.wait_for_both("I see.", "out ›");
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
    let mut window = open(&command(&sandbox));
    // Ctrl-R.
    window.press("\x12");
    window.wait_for("find the parser");
    window.press("pars\r");
    window.wait_for("› find the parser");
    assert_eq!(prompts(&sandbox, window), ["find the parser"]);
}

#[test]
fn file_completion_matches_some_letters() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.root().join("alpha")).unwrap();
    fs::write(sandbox.root().join("alpha/meeting-notes.txt"), "At ten.\n").unwrap();
    let mut window = open(&command(&sandbox));
    window.press("read @metnot");
    window.wait_for_both("› read @metnot", "alpha/meeting-notes.txt");
    window.press("\t");
    window.wait_for("› read @alpha/meeting-notes.txt");
    let sent = prompts(&sandbox, window);
    assert!(sent[0].starts_with("read @alpha/meeting-notes.txt"), "{sent:?}");
}

#[test]
fn shift_enter_begins_a_line_if_supported() {
    let sandbox = Sandbox::new();
    let mut command = command(&sandbox);
    command.env("SSH_CONNECTION", "1");
    let mut window = TerminalWindow::open(&command, 80, 30);
    // The terminal reports that it supports the protocol, and its kind.
    window.press("\x1b[?0u\x1b[?62;22c");
    window.wait_for("› ask (Shift-Tab)");
    window.press("one\x1b[13;2utwo");
    window.wait_for("› one two");
    assert_eq!(prompts(&sandbox, window), ["one\ntwo"]);
}
