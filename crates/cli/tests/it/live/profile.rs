//! The profile of the person, learned beside a session and after a run.

use super::{TerminalWindow, script};
use crate::follow::model::Model;
use crate::support::Sandbox;

const NOTED: &str = "\
§respond: hello
§end
%%
{\"add\": [\"The person is called Ann.\"]}
%%
§respond: hello again
§end";

/// Makes five messages, one less than a request for facts needs.
fn five(sandbox: &Sandbox) {
    let model = script(sandbox, NOTED);
    for _ in 0..5 {
        sandbox.silcrow(&["run", "I am Ann.", "--model", &model]).ends(0);
    }
}

#[test]
fn ctrl_c_skips_the_shown_wait() {
    let sandbox = Sandbox::new();
    five(&sandbox);
    let server = Model::new();
    let name = server.name();
    let args = ["run", "I am Ann.", "--model", &name, "--learn-profile", "--mode", "replay"];
    let mut window = TerminalWindow::open(&sandbox.command(&args), 80, 40);
    let mut answering = server.asked();
    answering.send_text("§respond: hello\n§end");
    answering.end();
    // The request for facts, which is not answered.
    let learning = server.asked();
    window.wait_for("learning your profile");
    window.press("\x03");
    let (code, shown) = window.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("hello") && !shown.contains("learning your profile"), "{shown}");
    drop(learning);
}
