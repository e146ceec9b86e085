//! The agents of calls, which a person lists, looks at and stops, and which a later process shows.

use silcrow_event::read_entry;
use silcrow_interactive::chat::ChatOptions;
use silcrow_session::RunTarget;
use silcrow_store::Store as _;
use silcrow_store_log::{LogStore, Options};

use crate::support::Sandbox;
use crate::window::ChatWindow;

/// One agent answers, and another one runs a command that does not end.
const TWO_AGENTS: &str = "\
§call: {\"name\":\"agent\",\"args\":{\"task\":\"Where is the parser?\"}}
§execute
%%
§respond: It is in a.rs:3.
§end
%%
§call: {\"name\":\"agent\",\"args\":{\"task\":\"Run the tests.\",\"as\":\"general\"}}
§execute
%%
§call: {\"name\":\"shell\",\"args\":{\"command\":\"echo begun; exec sleep 600\"}}
§execute
%%
§respond: I went on without it.
§end";

#[tokio::test(flavor = "multi_thread")]
async fn running_agents_can_be_listed_shown_and_stopped() {
    for columns in [60, 100] {
        let sandbox = Sandbox::new();
        std::fs::write(sandbox.root().join("Cargo.toml"), "").unwrap();
        let options = sandbox.full(TWO_AGENTS);
        let mut window = ChatWindow::open_wide(options, ChatOptions::default(), columns).await;
        window.line("/agents").await;
        window.wait_for("no agent has run in this conversation").await;
        window.line("go").await;
        window.wait_for("begun").await;
        window.press("/agents\r").await;
        window.wait_for("1 explore: Where is the parser? answered").await;
        window.wait_for("2 general: Run the tests. works").await;
        window.press("/agents 1\r").await;
        window.wait_for("respond It is in a.rs:3.").await;
        window.press("/agents 3\r").await;
        window.wait_for("unknown agent 3; there are 1 to 2").await;
        window.press("/agents stop 1\r").await;
        window.wait_for("agent 1 does not run").await;
        window.press("/agents stop 2\r").await;
        window.wait_for("agent 2 is stopped: Run the tests.").await;
        window.wait_for("I went on without it.").await;
        window.line("/agents").await;
        window.wait_for("the person stopped this subagent").await;
        window.line("/agents stop all").await;
        window.wait_for("no agent runs").await;
        let shown = window.leave().await;
        assert!(shown.lines().all(|row| row.chars().count() <= columns.into()), "{shown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn continued_conversation_reports_the_fate_of_agents() {
    let sandbox = Sandbox::new();
    let store = LogStore::open(sandbox.path("data"), Options::default()).await.unwrap();
    let outer = [
        r#"{"type":"user","content":"go","turn":1,"conversation":"c1","run":"r1","user":"ada"}"#,
        r#"{"type":"call","id":"a1","turn":1,"content":"{\"name\":\"agent\",\"args\":{\"task\":\"x\"}}"}"#,
    ];
    let inner = r#"{"type":"user","content":"Find it.","agent_path":"explore","conversation":"c1/1/a1","run":"r2","user":"ada"}"#;
    let read = |line: &str| read_entry(line).unwrap();
    store.append("c1", 0, outer.map(read).to_vec()).await.unwrap();
    store.append("c1/1/a1", 0, vec![read(inner)]).await.unwrap();
    drop(store);
    let options = sandbox.options("§respond: Of course.\n§end");
    let continues =
        ChatOptions { target: RunTarget::Existing("c1".to_owned()), ..ChatOptions::default() };
    let mut window = ChatWindow::open_with(options, continues).await;
    window.wait_for("1 explore: Find it. was cut off when its process ended").await;
    window.leave().await;
}
