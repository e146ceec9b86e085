//! A tool that a person calls by hand.

use silcrow_event::{CallResult, ResultStatus};

use crate::run_window::RunWindow;
use crate::support::Sandbox;

fn has_succeeded(result: Option<CallResult>) -> bool {
    result.is_some_and(|result| result.status() == ResultStatus::Success)
}

const ARGS: &str = r#"{"file":"b.txt","content":"one"}"#;

#[tokio::test(flavor = "multi_thread")]
async fn manual_call_approval_can_save_a_rule() {
    let sandbox = Sandbox::new();
    let call = || RunWindow::call(sandbox.options(""), "file_write", ARGS);
    let mut window = call();
    window.wait_for("a always …").await;
    window.press("?").await;
    window.wait_for("this explanation").await;
    window.press("af").await;
    window.wait_for("› yes, always in this folder").await;
    let (shown, result) = window.end().await;
    assert!(has_succeeded(result.unwrap()), "{shown}");
    assert_eq!(shown.matches("✓ file_write b.txt").count(), 1, "{shown}");
    assert!(!shown.contains("The call has ended."), "{shown}");
    assert_eq!(sandbox.written("b.txt").as_deref(), Some("one"));
    // Nobody is asked again.
    let (shown, result) = call().end().await;
    assert!(has_succeeded(result.unwrap()), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn denial_reason_becomes_the_call_error() {
    let sandbox = Sandbox::new();
    let mut window = RunWindow::call(sandbox.options(""), "file_write", ARGS);
    window.wait_for("w words").await;
    window.press("wnot there\r").await;
    let (shown, result) = window.end().await;
    let result = result.unwrap().unwrap();
    let text = result.content.text();
    assert!(text.contains("and said: not there"), "{text}\n{shown}");
    assert_eq!(sandbox.written("b.txt"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_stops_a_call_with_live_output() {
    let sandbox = Sandbox::new();
    let args = r#"{"command":"echo begun; while :; do sleep 0.05; done"}"#;
    let mut window = RunWindow::call(sandbox.full(""), "shell", args);
    window.wait_for("│ begun").await;
    window.press("\x03").await;
    let (shown, result) = window.end().await;
    assert!(!has_succeeded(result.unwrap()), "{shown}");
    assert!(shown.contains("stopped"), "{shown}");
}
