//! How often a person is asked in a usual task, if each yes covers as much as the question offers.

use super::{TerminalWindow, script};
use crate::support::Sandbox;

/// The calls of a usual task: the tests in three spellings, and two changes of files.
const USUAL: &str = "\
§call: {\"name\":\"shell\",\"args\":{\"command\":\"python3 -m unittest\"}}
§execute
%%
§call: {\"name\":\"file_write\",\"args\":{\"file\":\"a.py\",\"content\":\"A = 1\\n\"}}
§execute
%%
§call: {\"name\":\"shell\",\"args\":{\"command\":\"python3 -m unittest -v\"}}
§execute
%%
§call: {\"name\":\"file_write\",\"args\":{\"file\":\"b.py\",\"content\":\"B = 1\\n\"}}
§execute
%%
§call: {\"name\":\"shell\",\"args\":{\"command\":\"python3 -m unittest test_a\",\"timeout\":30}}
§execute
%%
§respond: Done.
§end";

#[test]
fn five_usual_calls_take_two_questions() {
    let sandbox = Sandbox::new();
    let model = script(&sandbox, USUAL);
    let run = sandbox.command(&["run", "go", "--model", &model]);
    let mut window = TerminalWindow::open(&run, 100, 60);
    for asked in ["run │ python3 -m unittest", "change │ content in a.py"] {
        window.wait_for(asked);
        window.wait_for("a always …");
        window.press("a");
        window.wait_for("Esc goes back");
        // The widest that this conversation has.
        let shown = window.shown();
        let mut keys = shown.lines().filter(|line| line.starts_with(['1', '2', '3']));
        let widest = keys.next_back().unwrap()[..1].to_owned();
        window.press(&widest);
    }
    // A third question would wait forever.
    window.wait_for("Done.");
    let (code, shown) = window.end();
    assert_eq!(code, Some(0), "{shown}");
    assert_eq!(shown.matches("› yes, always").count(), 2, "{shown}");
}
