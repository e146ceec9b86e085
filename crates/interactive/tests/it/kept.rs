//! Facts that a conversation keeps about its person: the mode, and their own commands.

use silcrow_event::Event;
use silcrow_interactive::chat::ChatOptions;
use silcrow_session::RunTarget;
use silcrow_store::Store as _;
use silcrow_store_log::{LogStore, Options};

use crate::support::Sandbox;
use crate::window::ChatWindow;

const ANSWERS: &str = "§respond: Of course.\n§end\n%%\n§respond: Once more.\n§end";

fn of_last() -> ChatOptions {
    ChatOptions { target: RunTarget::Latest, ..ChatOptions::default() }
}

async fn events(sandbox: &Sandbox) -> Vec<Event> {
    let store = LogStore::open(sandbox.path("data"), Options::default()).await.unwrap();
    let id = store.list(Some("ada")).await.unwrap().remove(0).conversation;
    let head = store.head(&id).await.unwrap();
    store.read(&id, 1..=head).await.unwrap().into_iter().map(|entry| entry.event).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn conversation_resumes_its_mode_except_the_widest() {
    let sandbox = Sandbox::new();
    let mut window = ChatWindow::open(&sandbox, ANSWERS).await;
    window.line("/permissions workspace").await;
    window.line("go").await;
    window.wait_for("Of course.").await;
    window.line("/permissions plan").await;
    window.wait_for("permissions plan: ").await;
    window.leave().await;
    let modes: Vec<_> = events(&sandbox)
        .await
        .into_iter()
        .filter_map(|event| match event {
            Event::Mode { mode } => Some(mode),
            _ => None,
        })
        .collect();
    assert_eq!(modes, ["workspace", "plan"]);
    let mut window = ChatWindow::open_with(sandbox.options(ANSWERS), of_last()).await;
    window.wait_for("permissions plan, as before").await;
    window.line("/permissions full").await;
    window.answer("Sure?", "y").await;
    window.line("go on").await;
    window.wait_for("Of course.").await;
    window.leave().await;
    let window = ChatWindow::open_with(sandbox.options(ANSWERS), of_last()).await;
    let shown = window.leave().await;
    assert!(!shown.contains("as before"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn person_command_output_waits_for_next_prompt() {
    let sandbox = Sandbox::new();
    let mut window = ChatWindow::open(&sandbox, ANSWERS).await;
    window.line("go").await;
    window.wait_for("Of course.").await;
    window.line("!echo told; exit 3").await;
    window.wait_for("exit status 3").await;
    window.line("!!echo untold").await;
    window.wait_for_times("untold", 2).await;
    window.leave().await;
    let found = events(&sandbox).await;
    let Some(Event::PersonCommand(ran)) = found.last() else { panic!("{found:?}") };
    assert_eq!(
        (&*ran.command, &*ran.content, ran.status),
        ("echo told; exit 3", "told\n", Some(3))
    );
}
