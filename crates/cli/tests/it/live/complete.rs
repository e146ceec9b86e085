//! What Tab completes in a session.

use super::{TerminalWindow, script};
use crate::support::Sandbox;

#[test]
fn conversations_and_prompts_are_completed_when_tab_is_pressed() {
    let sandbox = Sandbox::new();
    let model = script(&sandbox, "§respond: Of course.\n§end");
    for (id, prompt) in [("notes-one", "Explain dates"), ("notes-two", "Write a poem")] {
        sandbox.silcrow(&["run", prompt, "--new", id, "--model", &model]).ends(0);
    }
    let model = script(&sandbox, "§respond: First.\n§end\n%%\n§respond: Second.\n§end");
    let mut window = TerminalWindow::open(&sandbox.command(&["chat", "--model", &model]), 80, 40);
    window.wait_for("›");
    window.press("/resume n\t\t");
    window.wait_for("notes-one Explain dates");
    window.wait_for("notes-two Write a poem");
    window.wait_for("› /resume notes-");
    window.press("o\t");
    window.wait_for("› /resume notes-one");
    window.press("\r");
    window.wait_for("conversation notes-one ›");
    window.press("tell me more\r");
    window.wait_for("out ›");
    // The prompt that was just stored is completed, too.
    window.press("/fork \t\t");
    window.wait_for("1 Explain dates");
    window.wait_for("2 tell me more");
    window.wait_for("end all of it");
    window.press("e\t");
    window.wait_for("› /fork end");
    window.press("\r");
    window.wait_for("a fork of notes-one");
    window.press("\x04");
    let (code, shown) = window.end();
    assert_eq!(code, Some(0), "{shown}");
}
