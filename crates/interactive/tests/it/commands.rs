//! Slash commands.

use silcrow_settings::PriceSetting;

use crate::support::Sandbox;
use crate::window::ChatWindow;
use silcrow_interactive::chat::ChatOptions;

#[tokio::test(flavor = "multi_thread")]
async fn commands_of_the_session_are_found_and_explained() {
    let sandbox = Sandbox::new();
    let mut window =
        ChatWindow::open_wide(sandbox.options("§respond: yes\n§end"), ChatOptions::default(), 80)
            .await;
    window.line("/help").await;
    window.wait_for("Ctrl-D leave").await;
    window.line("/modle").await;
    window.wait_for("unknown command /modle; did you mean /model?").await;
    window.line("/dialect phase").await;
    window.wait_for("the dialect is phase").await;
    window.line("/fork").await;
    window.wait_for("nothing to fork yet").await;
    window.line("/log").await;
    window.wait_for("this program has no command for that").await;
    window.line("/exit").await;
    let (shown, ended) = window.end().await;
    ended.unwrap();
    // The list is longer than the screen.
    let from = shown.find("/stop ").unwrap();
    insta::assert_snapshot!("commands", &shown[from..]);
}

#[tokio::test(flavor = "multi_thread")]
async fn session_shows_and_summarizes_its_context() {
    let sandbox = Sandbox::new();
    let script = "§respond: walruses\n§end\n%%\n§respond: puffins\n§end\n%%\nThe notes.";
    let mut options = sandbox.options(script);
    options.session.window.window = Some(9000);
    let mut window = ChatWindow::open_with(options, ChatOptions::default()).await;
    window.line("/compact").await;
    window.wait_for("nothing to summarize yet").await;
    for (prompt, answer) in [("first", "walruses"), ("second", "puffins")] {
        window.line(prompt).await;
        window.wait_for(answer).await;
    }
    window.line("/compact").await;
    window.wait_for("2 events are summarized").await;
    window.line("/context").await;
    window.wait_for("stands for the first 2 of").await;
    window.line("/compact undo").await;
    window.wait_for("reads everything again").await;
    window.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn run_cost_is_shown_for_known_prices() {
    let sandbox = Sandbox::new();
    let prices = sandbox.write("prices.toml", "[\"*\"]\ninput = 1000\noutput = 1000\n");
    let mut options = sandbox.options("§respond: walruses\n§end");
    options.session.prices = Some(PriceSetting::File(prices));
    let mut window = ChatWindow::open_with(options, ChatOptions::default()).await;
    window.line("hello").await;
    window.wait_for("out · ~$").await;
    window.line("/cost").await;
    window.wait_for("out, ~$").await;
    window.leave().await;
}
