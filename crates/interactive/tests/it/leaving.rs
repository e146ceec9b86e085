//! The one yes that lets commands leave the sandbox in the mode `full`.

use silcrow_interactive::chat::ChatOptions;

use crate::run_window::RunWindow;
use crate::support::Sandbox;
use crate::window::ChatWindow;

/// Returns a script whose turns are commands that want to leave the sandbox. Each writes a file
/// beside the root, which is not possible in the sandbox.
fn leaving(turns: &[&[&str]]) -> String {
    let call = |name: &&str| {
        format!(
            "§call: {{\"name\":\"shell\",\"args\":{{\"command\":\"touch ../{name}\",\
             \"needs\":{{\"outside\":\"it writes beside the root\"}}}}}}\n"
        )
    };
    let turn = |names: &&[&str]| names.iter().map(call).collect::<String>() + "§execute\n%%\n";
    turns.iter().map(turn).collect()
}

const HOLDS: &str = "a yes holds until the mode changes";

#[tokio::test(flavor = "multi_thread")]
async fn session_approval_lasts_until_the_mode_changes() {
    let sandbox = Sandbox::new();
    let ends = |text: &str| format!("§respond: {text}\n§end\n%%\n");
    let text = leaving(&[&["one"], &["two"]])
        + &ends("First.")
        + &leaving(&[&["three"]])
        + &ends("Second.")
        + &leaving(&[&["four"]])
        + &ends("Third.")
        + &leaving(&[&["five"]])
        + "§respond: Fourth.\n§end";
    let mut window = ChatWindow::open_wide(sandbox.full(&text), ChatOptions::default(), 60).await;
    window.line("go").await;
    // The question says how long the yes holds, even if it has little room.
    window.wait_for(HOLDS).await;
    window.wait_for("y yes").await;
    assert!(!window.shown().contains("a always"), "{}", window.shown());
    assert!(!sandbox.path("one").exists());
    window.press("y").await;
    // A second question would wait forever.
    window.wait_for("First.").await;
    window.line("again").await;
    window.wait_for("Second.").await;
    assert!(["one", "two", "three"].iter().all(|name| sandbox.path(name).exists()));
    // Another mode forgets it, and `full` asks again.
    window.line("/permissions ask").await;
    window.line("go").await;
    window.wait_for("touch ../four").await;
    window.wait_for_times("y yes", 1).await;
    assert_eq!(window.shown().matches(HOLDS).count(), 1, "{}", window.shown());
    window.press("n").await;
    window.wait_for("Third.").await;
    window.line("/permissions full").await;
    window.answer("Sure?", "y").await;
    window.line("go").await;
    window.wait_for_times(HOLDS, 2).await;
    window.press("n").await;
    window.wait_for("Fourth.").await;
    assert!(!["four", "five"].iter().any(|name| sandbox.path(name).exists()));
    window.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn approval_lasts_one_run_and_is_not_saved() {
    let sandbox = Sandbox::new();
    let text = leaving(&[&["one", "two"], &["three"]]) + "§respond: Done.\n§end";
    let mut window = RunWindow::open(sandbox.full(&text), 100);
    window.wait_for(HOLDS).await;
    window.wait_for("y yes").await;
    window.press("y").await;
    window.wait_for("Done.").await;
    window.end().await.1.unwrap();
    for name in ["one", "two", "three"] {
        std::fs::remove_file(sandbox.path(name)).unwrap();
    }
    // The next run asks again, and its question holds at a terminal of lines, too.
    let (shown, ended) = RunWindow::lines(sandbox.full(&text), &["y\n"]).await;
    ended.unwrap();
    assert_eq!(shown.matches("A call needs your approval.").count(), 1, "{shown}");
    assert!(shown.contains("yes holds until the mode changes"), "{shown}");
    assert!(["one", "two", "three"].iter().all(|name| sandbox.path(name).exists()), "{shown}");
    let policy = std::fs::read_to_string(sandbox.path("policy.toml")).unwrap();
    assert_eq!(policy, "mode = \"ask\"\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn denial_opens_nothing() {
    let sandbox = Sandbox::new();
    let text = leaving(&[&["one"], &["two"]]) + "§respond: Done.\n§end";
    let (shown, ended) = RunWindow::lines(sandbox.full(&text), &["n\n", "n\n"]).await;
    ended.unwrap();
    assert!(!sandbox.path("one").exists() && !sandbox.path("two").exists(), "{shown}");
}
