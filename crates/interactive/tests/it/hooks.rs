//! Hooks in a chat, with real processes.

use std::fs;

use silcrow_interactive::chat::ChatOptions;

use crate::support::Sandbox;
use crate::window::ChatWindow;

/// The hooks of a project count only if they are trusted, and the home folder of this process keeps
/// that trust.
#[tokio::test(flavor = "multi_thread")]
async fn untrusted_project_hooks_are_named_and_skipped() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.root().join(".silcrow")).unwrap();
    let hooks = r#"{"hooks": {"UserPromptSubmit": [{"hooks": [
        {"type": "command", "command": "touch ran; exit 2"}]}]}}"#;
    fs::write(sandbox.root().join(".silcrow/hooks.json"), hooks).unwrap();
    let options = sandbox.options("§respond: Of course.\n§end");
    let mut window = ChatWindow::open_with(options, ChatOptions::default()).await;
    window.wait_for("hooks.json is left out; read it and what it runs").await;
    window.line("go").await;
    window.wait_for("Of course.").await;
    window.line("/hooks").await;
    window.wait_for("there are none; silcrow help hooks").await;
    window.leave().await;
    assert!(!sandbox.root().join("ran").exists());
}
