//! Pictures that a person sends from a chat.

use silcrow_interactive::chat::ChatOptions;
use silcrow_store::Store as _;
use silcrow_store_log::{LogStore, Options};

use crate::support::Sandbox;
use crate::window::ChatWindow;

const SHOT: &[u8] = include_bytes!("../../../cli/tests/it/shot.png");

#[tokio::test(flavor = "multi_thread")]
async fn named_pictures_go_with_the_prompt() {
    let sandbox = Sandbox::new();
    for name in ["my shot.png", "other.png"] {
        std::fs::write(sandbox.root().join(name), SHOT).unwrap();
    }
    sandbox.write("root/notes.txt", "a text");
    let options = sandbox.full("§respond: I see dots.\n§end");
    let mut window = ChatWindow::open_wide(options, ChatOptions::default(), 100).await;
    window.line("/image notes.txt").await;
    window.wait_for("not a picture").await;
    window.line("/image other.png").await;
    window.wait_for("other.png, PNG, 40 × 30] goes with the next prompt").await;
    window.line(r"What is @my\ shot.png?").await;
    window.wait_for("I see dots.").await;
    window.leave().await;
    let store = LogStore::open(sandbox.path("data"), Options::default()).await.unwrap();
    let conversation = store.list(Some("ada")).await.unwrap().remove(0).conversation;
    let prompt = store.read(&conversation, 1..=1).await.unwrap().remove(0).to_json();
    assert!(prompt.contains(r#""name":"my shot.png""#), "{prompt}");
    assert!(prompt.contains(r#""name":"other.png""#), "{prompt}");
}
