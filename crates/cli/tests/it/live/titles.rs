//! The titles that a model gives beside a session.

use super::{TerminalWindow, script};
use crate::follow::model::Model;
use crate::support::Sandbox;

#[test]
fn conversation_is_named_during_later_prompts() {
    let sandbox = Sandbox::new();
    let server = Model::new();
    sandbox.silcrow(&["config", "set", "title_model", &server.name()]).ends(0);
    let model = script(&sandbox, "§respond: hello\n§end\n%%\n§respond: hello again\n§end");
    let command = sandbox.command(&["chat", "--model", &model]);
    let mut window = TerminalWindow::open(&command, 80, 40);
    window.wait_for("›");
    window.press("Hi!\r");
    let mut naming = server.asked();
    window.wait_for_both("hello", "›");
    // Entries that the session adds meanwhile do not lose the title.
    window.press("Hi again!\r");
    window.wait_for_both("hello again", "›");
    naming.send_text("Two greetings");
    naming.end();
    while !sandbox.silcrow(&["log"]).out.contains("Two greetings") {}
    window.press("\x04");
    let (code, shown) = window.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(!shown.contains("title"), "{shown}");
}
