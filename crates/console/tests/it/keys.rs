//! The effects of keys while the agent works.

use silcrow_agent::RunOutcome;
use silcrow_console::live::TypedInput;

use crate::window::EmulatedWindow;

/// A call that waits for an answer, and the answer that follows.
const WAITS: &str = "\
§think: First thought.
Second line of it.
§call: {\"name\":\"file_write\",\"args\":{\"file\":\"b.txt\",\"content\":\"beta\"}}
§execute
%%
§respond: It is done.
§end";

async fn open() -> EmulatedWindow {
    let mut window = EmulatedWindow::open(WAITS);
    window.wait_for("y yes").await;
    window
}

#[tokio::test]
async fn ctrl_c_stops_the_run() {
    let mut window = open().await;
    window.press("\x03").await;
    window.wait_for("stopped").await;
    let (end, shown, _) = window.end().await;
    assert!(matches!(end.ended, Ok(RunOutcome::Interrupted)), "{shown}");
    assert!(!end.is_hung_up && !shown.contains("Esc stops"), "{shown}");
}

#[tokio::test]
async fn closed_terminal_stops_the_run() {
    let window = open().await;
    let end = window.hang_up().await;
    assert!(matches!(end.ended, Ok(RunOutcome::Interrupted)));
    assert!(end.is_hung_up);
}

#[tokio::test]
async fn ctrl_o_opens_the_last_thought() {
    let mut window = open().await;
    window.press("\x0fy").await;
    window.wait_for("It is done.").await;
    let (_, shown, _) = window.end().await;
    assert!(shown.contains("Second line of it."), "{shown}");
}

#[tokio::test]
async fn ctrl_d_leaves_once_the_run_is_over() {
    let mut window = open().await;
    // A question is answered first.
    window.press("\x04n").await;
    window.wait_for("It is done.").await;
    let (end, ..) = window.end().await;
    assert!(!end.leaves);
}

#[tokio::test]
async fn typing_during_a_run_is_sent_or_kept() {
    let (mut window, release) = EmulatedWindow::open_held();
    window.press("use b.txx\x7ft instead").await;
    window.wait_for("› use b.txt instead").await;
    window.press("\r").await;
    window.wait_until_gone("stops › use").await;
    window.send(TypedInput::Paste("half a\r\nthought".to_owned())).await;
    window.wait_for("› half a⏎thought").await;
    release.send(()).unwrap();
    let (end, shown, draft) = window.end().await;
    assert_eq!(draft, "half a\nthought", "{shown}");
    // The message was stored in the run or comes back, and is never lost.
    let is_shown = shown.contains("› use b.txt instead");
    assert!(is_shown || end.unsent == ["use b.txt instead"], "{shown}");
}

#[tokio::test]
async fn changing_rows_survive_a_resize_without_leftovers() {
    let mut window = open().await;
    for (columns, rows) in [(40, 20), (100, 20), (30, 12), (80, 30)] {
        window.resize(columns, rows).await;
        window.wait_for("→ file_write").await;
        window.wait_for("y yes").await;
    }
    window.press("n").await;
    window.wait_for("It is done.").await;
    let (_, shown, _) = window.end().await;
    assert_eq!(shown.matches("✗ file_write").count(), 1, "{shown}");
    assert!(!shown.contains("Esc stops"), "{shown}");
}

#[tokio::test]
async fn esc_stops_the_run_unless_something_is_typed() {
    let (mut window, release) = EmulatedWindow::open_held();
    window.press("half\x1b").await;
    window.wait_for("› half Esc again clears").await;
    window.press("\x1b").await;
    window.wait_until_gone("› half").await;
    window.press("\x1b").await;
    window.wait_for("stopped").await;
    let (end, shown, _) = window.end().await;
    assert!(matches!(end.ended, Ok(RunOutcome::Interrupted)), "{shown}");
    drop(release);
}

#[tokio::test]
async fn commands_never_reach_the_model() {
    let (mut window, release) = EmulatedWindow::open_held();
    window.press("/cost\r").await;
    window.wait_for("done: /cost").await;
    window.press("/new\r").await;
    window.wait_for("later: /new").await;
    release.send(()).unwrap();
    window.wait_for("It is done.").await;
    let (end, shown, _) = window.end().await;
    assert_eq!(end.unsent, ["/new"], "{shown}");
    let (mut window, _release) = EmulatedWindow::open_held();
    window.wait_for("→ hold").await;
    window.press("/exit\r").await;
    window.wait_for("stopped").await;
    let (end, shown, _) = window.end().await;
    assert!(end.leaves && matches!(end.ended, Ok(RunOutcome::Interrupted)), "{shown}");
}
