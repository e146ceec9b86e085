//! The permission mode, which a person changes while a line is typed and while the agent works.

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
fn a_key_changes_the_mode_of_the_next_decision() {
    let sandbox = Sandbox::new();
    let mut window = open(&sandbox, 80);
    window.press(BACK_TAB);
    window.wait_for("› workspace (Shift-Tab)");
    // What is typed stays.
    window.press("go");
    window.wait_for("› go");
    window.press(BACK_TAB);
    window.wait_for("› go read-only");
    window.press("\r");
    // Nothing is asked.
    window.wait_for("It ends.");
    assert!(!sandbox.root().join("b.txt").exists());
    window.wait_for("› read-only (Shift-Tab)");
    window.press(&format!("{BACK_TAB}{BACK_TAB}"));
    window.wait_for("› workspace (Shift-Tab)");
    window.press("again\r");
    window.wait_for("It ends again.");
    assert!(sandbox.root().join("c.txt").exists());
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
}

#[test]
fn the_widest_mode_takes_a_yes_and_survives_other_settings() {
    let sandbox = Sandbox::new();
    let mut window = open(&sandbox, 80);
    window.press("/permissions\r");
    window.wait_for("/permissions MODE chooses one of read-only, ask, workspace, full");
    window.press("/permissions full\r");
    window.wait_for("Sure? [y/N]");
    window.press("\r");
    window.wait_for("permissions ask, as before");
    window.press("/permissions full\r");
    window.wait_for_times("Sure? [y/N]", 2);
    window.press("y\r");
    window.wait_for("permissions full: everything runs");
    window.press("/dialect sigil\r");
    window.wait_for("› full (Shift-Tab)");
    window.press("go\r");
    window.wait_for("It ends.");
    assert!(sandbox.root().join("b.txt").exists());
    window.press("/permissions fulll\r");
    window.wait_for("did you mean `full`?");
    // The key leaves it, and never leads to it.
    for mode in ["ask", "workspace", "read-only", "ask"] {
        window.press(BACK_TAB);
        window.wait_for(&format!("› {mode} (Shift-Tab)"));
    }
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
}

#[test]
fn a_project_keeps_the_mode_narrow() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.root().join("silcrow-policy.toml"), "mode = \"ask\"\n").unwrap();
    let mut window = open(&sandbox, 80);
    window.press("/permissions workspace\r");
    window.wait_for("the project allows no wider mode than `ask` here");
    window.press(BACK_TAB);
    window.wait_for("› read-only (Shift-Tab)");
    window.press(BACK_TAB);
    window.wait_for_times("› ask (Shift-Tab)", 1);
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
}
