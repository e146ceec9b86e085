//! One question for the items of a loop.

use silcrow_agent::RunOutcome;

use crate::window::EmulatedWindow;

const LOOP: &str = "\
<foreach id=\"each\" in=\"['a','b','c']\" as=\"n\" max_parallel=\"1\" on_error=\"skip\">
<action id=\"save\">{\"name\":\"file_write\",\"parameters\":{\"file\":\"$n\",\"content\":\"of $n\\n\"}}</action>
</foreach>
%%
<response>Done.</response>";

/// Opens a window in which a loop over three files asks, and waits for the question.
async fn asked() -> EmulatedWindow {
    let mut window = EmulatedWindow::open(LOOP);
    window.wait_for("y yes, all").await;
    window
}

async fn written(mut window: EmulatedWindow) -> [Option<String>; 3] {
    window.wait_for("Done.").await;
    let files = ["a", "b", "c"].map(|name| window.written(name));
    let (end, shown, _) = window.end().await;
    assert!(matches!(end.ended, Ok(RunOutcome::Answered)), "{:?}\n{shown}", end.ended);
    files
}

fn content(name: &str) -> Option<String> {
    Some(format!("of {name}\n"))
}

#[tokio::test]
async fn loop_question_names_all_items() {
    let window = asked().await;
    let shown = window.shown();
    for row in ["1: file: \"a\"", "2: file: \"b\"", "3: file: \"c\""] {
        assert!(shown.contains(row), "{row}: {shown}");
    }
    window.press("y").await;
    assert_eq!(written(window).await, [content("a"), content("b"), content("c")]);
}

#[tokio::test]
async fn numbers_allow_some_items_and_deny_the_others() {
    let mut window = asked().await;
    window.press("o").await;
    window.wait_for("Those that may run").await;
    // A number without an item answers nothing.
    window.press("4\r").await;
    window.press("1,3\r").await;
    assert_eq!(written(window).await, [content("a"), None, content("c")]);
}

#[tokio::test]
async fn loop_denial_covers_all_items() {
    let window = asked().await;
    window.press("n").await;
    assert_eq!(written(window).await, [None, None, None]);
}
