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
fn a_session_learns_beside_its_prompts_and_says_so() {
    let sandbox = Sandbox::new();
    five(&sandbox);
    let model = script(&sandbox, NOTED);
    let command = sandbox.command(&["chat", "--model", &model, "--learn-profile"]);
    let mut window = TerminalWindow::open(&command, 80, 40);
    window.wait_for("›");
    window.press("I am Ann.\r");
    window.wait_for_both("hello", "›");
    while !sandbox.silcrow(&["profile"]).out.contains("called Ann") {}
    window.press("Hi!\r");
    window.wait_for_both("hello again", "your profile: 1 fact added");
    window.press("\x04");
    let (code, shown) = window.end();
    assert_eq!(code, Some(0), "{shown}");
}

#[test]
fn a_run_says_what_it_waits_for_and_ctrl_c_skips_it() {
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
