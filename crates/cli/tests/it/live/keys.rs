//! A window that changes, and a process that is stopped, while the agent works.

use super::{TerminalWindow, script};
use crate::support::Sandbox;

/// A call that runs until it is stopped, or until a file exists.
const WAITS: &str = "\
§call: {\"name\":\"shell\",\"args\":{\"command\":\"echo begun; while [ ! -e go ]; do sleep 0.05; done; echo done\",\"timeout\":50}}
§execute
%%
§respond: It is done.
§end
%%
§respond: A later answer.
§end";

fn open(sandbox: &Sandbox) -> TerminalWindow {
    let model = script(sandbox, WAITS);
    let args = ["chat", "--model", &model, "--permissions", "full"];
    let mut window = TerminalWindow::open(&sandbox.command(&args), 80, 30);
    window.wait_for("›");
    window.press("go\r");
    window.wait_for("│ begun");
    window
}

/// Leaves once the answer is there and the next line is read.
fn leave(mut window: TerminalWindow, answer: &str) -> String {
    window.wait_for_both(answer, "›");
    window.press("\x04");
    let (code, shown) = window.end();
    assert_eq!(code, Some(0), "{shown}");
    shown
}

#[test]
fn changing_rows_survive_a_resize_without_leftovers() {
    let sandbox = Sandbox::new();
    let mut window = open(&sandbox);
    for (columns, rows) in [(40, 20), (100, 20), (30, 10), (80, 30)] {
        window.resize(columns, rows);
        window.wait_for("→ shell");
        window.wait_for("begun");
    }
    std::fs::write(sandbox.root().join("go"), "").unwrap();
    let shown = leave(window, "It is done.");
    assert_eq!(shown.matches("✓ shell").count(), 1, "{shown}");
    assert!(!shown.contains("Esc stops"), "{shown}");
}

#[test]
fn question_is_redrawn_after_ctrl_z() {
    let sandbox = Sandbox::new();
    let call = "{\"name\":\"file_write\",\"args\":{\"file\":\"b.txt\",\"content\":\"beta\"}}";
    let model = script(&sandbox, &format!("§call: {call}\n§execute\n%%\n§respond: Done.\n§end"));
    let mut window =
        TerminalWindow::open(&sandbox.command(&["run", "go", "--model", &model]), 80, 50);
    window.wait_for("y yes");
    // A process whose group has no shell is not stopped, and continues at once.
    window.press("\x1a");
    window.wait_for_times("change │ content in b.txt", 2);
    window.press("y");
    window.wait_for("Done.");
    assert_eq!(window.end().0, Some(0));
    assert_eq!(std::fs::read_to_string(sandbox.root().join("b.txt")).unwrap(), "beta");
}
