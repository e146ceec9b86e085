//! Commands in the background, which a person lists, looks at and stops.

use crate::support::Sandbox;
use crate::window::ChatWindow;
use silcrow_interactive::chat::ChatOptions;

const STARTS: &str = "\
§call: {\"name\":\"shell\",\"args\":{\"command\":\"printf 'begun\\\\nready\\\\n'; exec sleep 600\",\"background\":true}}
§execute
%%
§call: {\"name\":\"shell_processes\",\"args\":{\"action\":\"output\",\"id\":\"p1\",\"wait\":60}}
§execute
%%
§respond: It runs.
§end";

#[tokio::test(flavor = "multi_thread")]
async fn background_commands_are_listed_shown_and_stopped() {
    let sandbox = Sandbox::new();
    let options = sandbox.full(STARTS);
    let mut window = ChatWindow::open_wide(options, ChatOptions::default(), 80).await;
    window.line("/ps").await;
    window.wait_for("nothing runs in the background").await;
    window.line("go").await;
    window.wait_for("It runs.").await;
    window.line("/ps").await;
    // The output that the model has read is still there.
    window.wait_for("exec sleep 600 ready").await;
    window.line("/ps p1").await;
    window.wait_for("exec sleep 600 begun ready").await;
    window.line("/ps p2").await;
    window.wait_for("unknown background command p2; use one of p1").await;
    window.line("/ps stop").await;
    window.wait_for("/ps stop all").await;
    window.line("/ps stop all").await;
    window.wait_for("p1 is stopped: printf").await;
    window.line("/ps").await;
    window.wait_for("p1 ended by signal 15").await;
    window.leave().await;
}
