//! Commands in the background, which a person lists, looks at and stops.

use super::{TerminalWindow, script};
use crate::support::Sandbox;

const STARTS: &str = "\
§call: {\"name\":\"shell\",\"args\":{\"command\":\"printf 'begun\\\\nready\\\\n'; exec sleep 600\",\"background\":true}}
§execute
%%
§call: {\"name\":\"shell_processes\",\"args\":{\"action\":\"output\",\"id\":\"p1\",\"wait\":60}}
§execute
%%
§respond: It runs.
§end";

#[test]
fn background_commands_are_listed_shown_and_stopped() {
    let sandbox = Sandbox::new();
    let model = script(&sandbox, STARTS);
    let args = ["chat", "--model", &model, "--permissions", "full"];
    let mut window = TerminalWindow::open(&sandbox.command(&args), 80, 40);
    window.wait_for("› full");
    window.press("/ps\r");
    window.wait_for("nothing runs in the background");
    window.press("go\r");
    window.wait_for("It runs.");
    window.wait_for("out › full");
    window.press("/ps\r");
    // What the model has read is there all the same.
    window.wait_for("exec sleep 600 ready ›");
    window.press("/ps p1\r");
    window.wait_for("exec sleep 600 begun ready ›");
    window.press("/ps p2\r");
    window.wait_for("there is no background command p2; there are p1");
    window.press("/ps stop\r");
    window.wait_for("/ps stop all");
    window.press("/ps stop all\r");
    window.wait_for("p1 is stopped: printf");
    window.press("/ps\r");
    window.wait_for("p1 ended by signal 15");
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
}
