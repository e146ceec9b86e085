//! Prompts that a person queues while the agent works.

use silcrow_interactive::chat::ChatOptions;

use crate::support::Sandbox;
use crate::window::ChatWindow;

#[tokio::test(flavor = "multi_thread")]
async fn stopped_run_returns_queued_prompts_to_the_line() {
    let sandbox = Sandbox::new();
    let text = "§call: {\"name\":\"shell\",\"args\":{\"command\":\"sleep 60\"}}\n§execute\n%%\n\
                §respond: Never.\n§end";
    let mut window = ChatWindow::open_with(sandbox.full(text), ChatOptions::default()).await;
    window.line("go").await;
    window.wait_for("→ shell").await;
    window.press("and then this\t").await;
    window.wait_for("queued 1 › and then this").await;
    window.press("\u{1b}").await;
    window.wait_for("what was queued is in the line").await;
    window.wait_for_line("and then this").await;
    drop(window);
}
