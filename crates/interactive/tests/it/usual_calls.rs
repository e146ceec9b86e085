//! The number of questions to a person in a usual task, if each yes covers as much as the question
//! offers.

use crate::run_window::RunWindow;
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

#[tokio::test(flavor = "multi_thread")]
async fn five_usual_calls_take_two_questions() {
    let sandbox = Sandbox::new();
    let mut window = RunWindow::open(sandbox.options(USUAL), 100);
    for asked in ["run │ python3 -m unittest", "change │ content in a.py"] {
        window.wait_for(asked).await;
        window.wait_for("a always …").await;
        window.press("a").await;
        window.wait_for("Esc goes back").await;
        // The widest that this conversation has.
        let shown = window.shown();
        let mut keys = shown.lines().filter(|line| line.starts_with(['1', '2', '3']));
        let widest = keys.next_back().unwrap()[..1].to_owned();
        window.press(&widest).await;
    }
    // A third question would wait forever.
    window.wait_for("Done.").await;
    let (shown, ended) = window.end().await;
    ended.unwrap();
    assert_eq!(shown.matches("› yes, always").count(), 2, "{shown}");
}
