//! The permission mode of a chat.

use silcrow_console::live::KeyCode;
use silcrow_interactive::chat::ChatOptions;
use silcrow_policy::PermissionMode;

use crate::support::Sandbox;
use crate::window::ChatWindow;

const WRITES: &str = "\
§call: {\"name\":\"file_write\",\"args\":{\"file\":\"b.txt\",\"content\":\"one\\n\"}}
§execute
%%
§respond: It ends.
§end";

#[tokio::test(flavor = "multi_thread")]
async fn widest_mode_needs_confirmation_and_persists() {
    let sandbox = Sandbox::new();
    let mut window = ChatWindow::open(&sandbox, WRITES).await;
    window.line("/permissions").await;
    window.wait_for("/permissions MODE chooses one of plan, read-only, ask, workspace, full").await;
    window.line("/permissions full").await;
    window.answer("Sure?", "").await;
    window.wait_for("permissions ask, as before").await;
    window.line("/permissions full").await;
    window.answer("Sure?", "y").await;
    window.wait_for("permissions full: everything runs").await;
    window.line("/dialect sigil").await;
    window.line("go").await;
    window.wait_for("It ends.").await;
    assert_eq!(sandbox.written("b.txt").as_deref(), Some("one\n"));
    window.line("/permissions fulll").await;
    window.wait_for("did you mean `full`?").await;
    window.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mode_key_leaves_but_never_enters_widest_mode() {
    let sandbox = Sandbox::new();
    let text = "§call: {\"name\":\"shell\",\"args\":{\"command\":\"echo begun; while [ ! -e go ]; do sleep 0.05; done\"}}\n\
                §execute\n%%\n§respond: It ends.\n§end";
    let mut window = ChatWindow::open_with(sandbox.full(text), ChatOptions::default()).await;
    window.line("go").await;
    window.wait_for("│ begun").await;
    window.wait_for("· full ·").await;
    for mode in ["ask", "workspace", "plan", "ask"] {
        window.key(KeyCode::BackTab.into()).await;
        window.wait_for(&format!("· {mode} ·")).await;
    }
    std::fs::write(sandbox.root().join("go"), "").unwrap();
    window.wait_for("It ends.").await;
    window.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn project_can_narrow_the_mode() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.root().join("silcrow-policy.toml"), "mode = \"ask\"\n").unwrap();
    let mut window = ChatWindow::open(&sandbox, WRITES).await;
    window.line("/permissions workspace").await;
    window.wait_for("the project allows no wider mode than `ask` here").await;
    window.line("go").await;
    window.wait_for("y yes").await;
    window.wait_for("· ask ·").await;
    // The widest mode here is followed by the narrowest, which answers the question.
    window.key(KeyCode::BackTab.into()).await;
    window.wait_for("the person chose the mode `plan`").await;
    window.wait_for("It ends.").await;
    assert_eq!(sandbox.written("b.txt"), None);
    window.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_narrower_mode_answers_open_questions() {
    let sandbox = Sandbox::new();
    let mut window = ChatWindow::open(&sandbox, WRITES).await;
    window.line("go").await;
    window.wait_for("y yes").await;
    window.wait_for("· ask ·").await;
    window.key(KeyCode::BackTab.into()).await;
    window.wait_for("· workspace ·").await;
    // It would run unasked now, and the question stays.
    window.wait_for("? more").await;
    assert_eq!(sandbox.written("b.txt"), None);
    window.key(KeyCode::BackTab.into()).await;
    // Whether the row of the question says first that it was taken back depends on who is faster.
    window.wait_for("the person chose the mode `plan`").await;
    window.wait_for("It ends.").await;
    assert_eq!(sandbox.written("b.txt"), None);
    window.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn disabled_sandbox_warns_and_asks_about_each_command() {
    let sandbox = Sandbox::new();
    let text = "§call: {\"name\":\"shell\",\"args\":{\"command\":\"ls\"}}\n§execute\n%%\n\
                §respond: It ends.\n§end";
    let mut options = sandbox.options(text);
    options.session.policy.permissions = Some(PermissionMode::Workspace);
    options.session.policy.is_sandbox_off = true;
    let mut window = ChatWindow::open_with(options, ChatOptions::default()).await;
    window.wait_for("sandbox: off, as you have set it").await;
    window.line("go").await;
    window.wait_for("· workspace · sandbox off ·").await;
    window.wait_for("y yes").await;
    // Each command needs a yes.
    assert!(!window.shown().contains("always"), "{}", window.shown());
    window.press("y").await;
    window.wait_for("It ends.").await;
    window.leave().await;
}
