//! Questions about calls if standard input is not a terminal.

use super::{TerminalWindow, script};
use crate::support::Sandbox;

const WRITES: &str = "\
§call: {\"name\":\"file_write\",\"args\":{\"file\":\"b.txt\",\"content\":\"one\\ntwo\\n\"}}
§execute
%%
§call: {\"name\":\"file_write\",\"args\":{\"file\":\"b.txt\",\"content\":\"three\\n\"}}
§execute
%%
§respond: Done.
§end";

#[test]
fn piped_input_leaves_questions_to_the_terminal() {
    let sandbox = Sandbox::new();
    let model = script(&sandbox, WRITES);
    let command = sandbox.command(&["run", "-", "--model", &model]);
    let mut window = TerminalWindow::open_with(&command, 80, 40, Some("go on"));
    window.wait_for("y yes");
    window.press("a1");
    window.wait_for("Done.");
    assert_eq!(window.end().0, Some(0));
}
