//! The conversation of a chat: forks, earlier ones, and a store that takes long or is damaged.

use silcrow_interactive::chat::ChatOptions;
use silcrow_session::RunTarget;
use silcrow_store::Store as _;
use silcrow_store_log::{LogStore, Options};

use crate::support::Sandbox;
use crate::window::ChatWindow;

const TWO_ANSWERS: &str = "\
§respond: The first answer.
§end
%%
§respond: The second answer.
§end
%%
§respond: Another answer.
§end";

/// Makes a conversation with one prompt.
async fn one_prompt(sandbox: &Sandbox, prompt: &str, id: &str) {
    let options = sandbox.options("§respond: Of course.\n§end");
    let begins = ChatOptions { target: RunTarget::New(id.to_owned()), ..ChatOptions::default() };
    let mut window = ChatWindow::open_with(options, begins).await;
    window.line(prompt).await;
    window.wait_for("Of course.").await;
    window.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fork_continues_from_an_earlier_prompt() {
    let sandbox = Sandbox::new();
    let mut window = ChatWindow::open(&sandbox, TWO_ANSWERS).await;
    window.line("first").await;
    window.wait_for("The first answer.").await;
    window.line("second").await;
    window.wait_for("The second answer.").await;
    window.line("/fork").await;
    window.wait_for("2 second").await;
    window.line("/fork 2").await;
    window.wait_for("a fork of").await;
    window.line_over("second", "second again").await;
    window.wait_for("Another answer.").await;
    window.leave().await;
    let store = LogStore::open(sandbox.path("data"), Options::default()).await.unwrap();
    assert_eq!(store.list(Some("ada")).await.unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn undoing_the_last_prompt_restores_the_conversation() {
    let sandbox = Sandbox::new();
    let mut window = ChatWindow::open(&sandbox, TWO_ANSWERS).await;
    window.line("first try").await;
    window.wait_for("The first answer.").await;
    // The first prompt of a conversation leaves nothing to fork.
    window.line_again("first try again").await;
    window.wait_for("new conversation").await;
    window.wait_for("The second answer.").await;
    window.line_again("once more").await;
    window.wait_for("Another answer.").await;
    window.leave().await;
    let store = LogStore::open(sandbox.path("data"), Options::default()).await.unwrap();
    let titles: Vec<_> =
        store.list(Some("ada")).await.unwrap().into_iter().map(|one| one.title).collect();
    assert_eq!(titles.len(), 3, "{titles:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn earlier_conversation_is_picked_from_a_list() {
    let sandbox = Sandbox::new();
    one_prompt(&sandbox, "Explain the borrow checker", "borrow").await;
    one_prompt(&sandbox, "Write a poem", "poem").await;
    let options = sandbox.options("§respond: More about it.\n§end");
    let begins = ChatOptions { picks: true, ..ChatOptions::default() };
    let mut window = ChatWindow::open_wide(options, begins, 80).await;
    window.wait_for("Write a poem").await;
    window.wait_for("2 of 2 ›").await;
    let shown = window.shown();
    let (_, list) = shown.split_once("› now").unwrap();
    insta::assert_snapshot!("picker", sandbox.steady(&format!("› now{list}")));
    window.press("brw chk").await;
    window.wait_for("1 of 2").await;
    window.press("\r").await;
    window.wait_for("conversation borrow").await;
    window.line("go on").await;
    window.wait_for("More about it.").await;
    window.leave().await;
    let store = LogStore::open(sandbox.path("data"), Options::default()).await.unwrap();
    assert_eq!(store.head("borrow").await.unwrap(), 4);
    assert_eq!(store.head("poem").await.unwrap(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn paths_and_words_of_any_script_are_prompts() {
    let sandbox = Sandbox::new();
    let mut window = ChatWindow::open(&sandbox, TWO_ANSWERS).await;
    for (prompt, answer) in [
        ("\u{fc}ber alles", "The first answer."),
        ("/etc/hosts is a file", "The second answer."),
        ("\u{6771}", "Another answer."),
    ] {
        window.line(prompt).await;
        window.wait_for(answer).await;
    }
    window.leave().await;
}

/// A store that another process writes to cannot be recovered yet, and a long one takes long to read.
#[tokio::test(flavor = "multi_thread")]
async fn session_accepts_typing_before_its_store_opens() {
    let sandbox = Sandbox::new();
    one_prompt(&sandbox, "earlier", "c1").await;
    let lock = std::fs::File::open(sandbox.path("data/LOCK")).unwrap();
    lock.lock().unwrap();
    let mut window = ChatWindow::open(&sandbox, TWO_ANSWERS).await;
    window.line("hello").await;
    window.wait_for("› hello").await;
    lock.unlock().unwrap();
    window.wait_for("The first answer.").await;
    window.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn session_reports_damage_and_continues() {
    let sandbox = Sandbox::new();
    one_prompt(&sandbox, "whales", "c1").await;
    let segment = sandbox.path("data/log").read_dir().unwrap().next().unwrap().unwrap().path();
    std::fs::write(segment, "").unwrap();
    let mut window = ChatWindow::open(&sandbox, TWO_ANSWERS).await;
    window.line("hello").await;
    window.wait_for("the store is damaged: bytes 0 to ").await;
    window.wait_for("The first answer.").await;
    let shown = window.leave().await;
    assert_eq!(shown.matches("the store is damaged").count(), 1, "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn session_learns_during_prompts_and_reports_it() {
    let sandbox = Sandbox::new();
    let noted = "§respond: hello\n§end\n%%\n{\"add\": [\"The person is called Ann.\"]}\n%%\n\
                 §respond: hello again\n§end";
    for number in 0..5 {
        one_prompt(&sandbox, "I am Ann.", &format!("c{number}")).await;
    }
    let mut options = sandbox.options(noted);
    options.session.learn_profile = true;
    let mut window = ChatWindow::open_with(options, ChatOptions::default()).await;
    window.line("I am Ann.").await;
    window.wait_for("hello").await;
    // The script's second answer is for the request that learns. Empty lines ask the model nothing.
    window.line_until("", "your profile: 1 fact added").await;
    window.line("Hi!").await;
    window.wait_for("hello again").await;
    window.leave().await;
}
