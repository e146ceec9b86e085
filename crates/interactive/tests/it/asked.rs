//! Questions about calls, and the keys that answer them.

use silcrow_agent::RunOutcome;

use crate::run_window::RunWindow;
use crate::support::Sandbox;
use crate::window::ChatWindow;

const WRITES: &str = "\
§call: {\"name\":\"file_write\",\"args\":{\"file\":\"b.txt\",\"content\":\"one\\ntwo\\n\"}}
§execute
%%
§call: {\"name\":\"file_write\",\"args\":{\"file\":\"b.txt\",\"content\":\"three\\n\"}}
§execute
%%
§respond: Done.
§end";

#[tokio::test(flavor = "multi_thread")]
async fn question_shows_all_details_and_choices() {
    let sandbox = Sandbox::new();
    let mut window = RunWindow::open(sandbox.options(WRITES), 80);
    window.wait_for("y yes").await;
    window.press("?").await;
    window.wait_for("this explanation").await;
    window.wait_for("? more").await;
    insta::assert_snapshot!("question", sandbox.steady(&window.shown()));
    window.press("a").await;
    window.wait_for("Esc goes back").await;
    insta::assert_snapshot!("question_always", sandbox.steady(&window.shown()));
    window.press("\x1b").await;
    window.wait_for("? more").await;
    window.press("s").await;
    let (shown, ended) = window.end().await;
    assert_eq!(ended.unwrap(), RunOutcome::Interrupted, "{shown}");
    assert_eq!(sandbox.written("b.txt"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn saved_approval_holds_by_any_path_to_folder() {
    let sandbox = Sandbox::new();
    let mut window = RunWindow::open(sandbox.options(WRITES), 80);
    window.wait_for("y yes").await;
    window.press("af").await;
    window.wait_for("Done.").await;
    window.end().await.1.unwrap();
    std::os::unix::fs::symlink(sandbox.root(), sandbox.path("way")).unwrap();
    for root in ["root", "way"] {
        std::fs::remove_file(sandbox.root().join("b.txt")).unwrap();
        let mut options = sandbox.options(WRITES);
        options.session.root = sandbox.path(root);
        // A question would wait forever.
        let (shown, ended) = RunWindow::open(options, 80).end().await;
        assert_eq!(ended.unwrap(), RunOutcome::Answered, "{shown}");
        assert_eq!(sandbox.written("b.txt").as_deref(), Some("three\n"));
    }
}

async fn ask(sandbox: &Sandbox) -> ChatWindow {
    let mut window = ChatWindow::open(sandbox, WRITES).await;
    window.line("go").await;
    window.wait_for("y yes").await;
    window
}

#[tokio::test(flavor = "multi_thread")]
async fn question_shows_its_subject_and_explains_keys() {
    let sandbox = Sandbox::new();
    let mut window = ask(&sandbox).await;
    window.wait_for("change │ content in b.txt").await;
    window.press("?").await;
    window.wait_for("this explanation").await;
    window.press("a").await;
    window.wait_for("Esc goes back").await;
    window.press("\x1b").await;
    window.wait_for("? more").await;
    window.press("s").await;
    window.leave().await;
    assert_eq!(sandbox.written("b.txt"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn folder_approval_is_saved_for_that_folder_only() {
    let sandbox = Sandbox::new();
    let mut window = ask(&sandbox).await;
    window.press("af").await;
    // The second call is allowed by the rule that was just kept.
    window.wait_for("Done.").await;
    window.leave().await;
    assert_eq!(sandbox.written("b.txt").as_deref(), Some("three\n"));
    let root = sandbox.root().canonicalize().unwrap();
    let kept = std::fs::read_to_string(sandbox.path("policy.toml")).unwrap();
    assert_eq!(
        kept,
        format!(
            "mode = \"ask\"\n\n# Kept by an answer to a question.\n[[rules]]\neffect = \"allow\"\n\
             tool = \"file_write\"\npath = \"b.txt\"\nroot = \"{}\"\n",
            root.display()
        )
    );
    // A chat in another folder asks.
    std::fs::create_dir(sandbox.path("other")).unwrap();
    let mut options = sandbox.options(WRITES);
    sandbox.write("policy.toml", &kept);
    options.session.root = sandbox.path("other");
    let mut window = ChatWindow::open_with(options, Default::default()).await;
    window.line("go").await;
    window.wait_for("y yes").await;
    window.press("s").await;
    window.leave().await;
    assert!(!sandbox.path("other/b.txt").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn unsaveable_rule_does_not_approve() {
    let sandbox = Sandbox::new();
    let mut window = ask(&sandbox).await;
    sandbox.write("policy.toml", "mode =");
    window.press("af").await;
    window.wait_for("the rule is not kept, because").await;
    window.wait_for("y yes").await;
    assert_eq!(sandbox.written("b.txt"), None);
    window.press("s").await;
    window.leave().await;
    assert_eq!(std::fs::read_to_string(sandbox.path("policy.toml")).unwrap(), "mode =");
}
