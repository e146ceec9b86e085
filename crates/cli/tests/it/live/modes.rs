//! The permission mode, which a person changes while a line is typed.

use super::{TerminalWindow, script};
use crate::support::Sandbox;

const WRITES: &str = "\
§call: {\"name\":\"file_write\",\"args\":{\"file\":\"b.txt\",\"content\":\"one\\n\"}}
§execute
%%
§respond: It ends.
§end
%%
§call: {\"name\":\"file_write\",\"args\":{\"file\":\"c.txt\",\"content\":\"two\\n\"}}
§execute
%%
§respond: It ends again.
§end";

/// Shift-Tab.
const BACK_TAB: &str = "\x1b[Z";

fn open(sandbox: &Sandbox, columns: u16) -> TerminalWindow {
    let model = script(sandbox, WRITES);
    let window = TerminalWindow::open(&sandbox.command(&["chat", "--model", &model]), columns, 40);
    window.wait_for("› ask (Shift-Tab)");
    window
}

#[test]
fn key_changes_the_mode_for_next_decision() {
    let sandbox = Sandbox::new();
    let mut window = open(&sandbox, 80);
    window.press(BACK_TAB);
    window.wait_for("› workspace (Shift-Tab)");
    // Typed text stays.
    window.press("go");
    window.wait_for("› go");
    window.press(BACK_TAB);
    window.wait_for("› go plan");
    window.press("\r");
    // Nothing is asked.
    window.wait_for("It ends.");
    assert!(!sandbox.root().join("b.txt").exists());
    window.wait_for("› plan (Shift-Tab)");
    window.press(&format!("{BACK_TAB}{BACK_TAB}"));
    window.wait_for("› workspace (Shift-Tab)");
    window.press("again\r");
    window.wait_for("It ends again.");
    assert!(sandbox.root().join("c.txt").exists());
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
}
