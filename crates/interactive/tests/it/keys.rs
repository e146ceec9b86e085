//! The effects of keys while the agent works.

use silcrow_interactive::chat::ChatOptions;
use silcrow_store::Store as _;
use silcrow_store_log::{LogStore, Options};

use crate::support::Sandbox;
use crate::window::ChatWindow;

/// A call that runs until it is stopped, or until a file exists.
const WAITS: &str = "\
§call: {\"name\":\"shell\",\"args\":{\"command\":\"echo begun; while [ ! -e go ]; do sleep 0.05; done; echo done\",\"timeout\":50}}
§execute
%%
§respond: It is done.
§end
%%
§respond: A later answer.
§end";

async fn open(sandbox: &Sandbox) -> ChatWindow {
    let mut window = ChatWindow::open_wide(sandbox.full(WAITS), ChatOptions::default(), 80).await;
    window.line("go").await;
    window.wait_for("│ begun").await;
    window
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_stops_only_the_answer() {
    let sandbox = Sandbox::new();
    let mut window = open(&sandbox).await;
    window.press("\x03").await;
    window.wait_for("stopped").await;
    window.wait_until_gone("Ctrl-C stops").await;
    window.line("again").await;
    window.wait_for("It is done.").await;
    window.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn prompts_typed_during_a_run_join_next_step() {
    let sandbox = Sandbox::new();
    let mut window = open(&sandbox).await;
    window.press("use b.txx\x7ft instead").await;
    window.wait_for("› use b.txt instead").await;
    window.press("\r").await;
    window.wait_until_gone("Ctrl-C stops use").await;
    std::fs::write(sandbox.root().join("go"), "").unwrap();
    window.wait_for("It is done.").await;
    let shown = window.leave().await;
    assert_eq!(shown.matches("› use b.txt instead").count(), 1, "{shown}");
    let store = LogStore::open(sandbox.path("data"), Options::default()).await.unwrap();
    let conversation = store.list(Some("ada")).await.unwrap().remove(0).conversation;
    let entries = store.read(&conversation, 1..=u64::MAX).await.unwrap();
    let lines: Vec<_> = entries.iter().map(|entry| entry.to_json()).collect();
    let steered = |line: &&String| line.contains("instead") && line.contains("\"steer\":true");
    assert_eq!(lines.iter().filter(steered).count(), 1, "{lines:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn unsent_typing_begins_the_next_line() {
    let sandbox = Sandbox::new();
    let mut window = open(&sandbox).await;
    window.press("half a th").await;
    window.wait_for("› half a th").await;
    std::fs::write(sandbox.root().join("go"), "").unwrap();
    window.wait_for("It is done.").await;
    window.line_over("half a th", "half a thought").await;
    window.wait_for("A later answer.").await;
    window.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn changing_rows_survive_a_resize_without_leftovers() {
    let sandbox = Sandbox::new();
    let mut window = open(&sandbox).await;
    for (columns, rows) in [(40, 20), (100, 20), (30, 10), (80, 30)] {
        window.resize(columns, rows).await;
        window.wait_for("→ shell").await;
        window.wait_for("begun").await;
    }
    std::fs::write(sandbox.root().join("go"), "").unwrap();
    window.wait_for("It is done.").await;
    let shown = window.leave().await;
    assert_eq!(shown.matches("✓ shell").count(), 1, "{shown}");
    assert!(!shown.contains("Esc stops"), "{shown}");
}
