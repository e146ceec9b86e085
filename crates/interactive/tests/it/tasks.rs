//! Whole tasks as a person sees them, from the first prompt to the last row, at the widths of small, usual and wide
//! windows.

use silcrow_interactive::chat::ChatOptions;
use silcrow_policy::PermissionMode;
use silcrow_session::RunTarget;

use crate::support::Sandbox;
use crate::window::ChatWindow;

const WIDTHS: [u16; 3] = [60, 100, 140];

const PLANNED: &str = r##"§think: The sum is a difference.
§call: {"name":"plan_propose","args":{"title":"Mend the sum","plan":"1. Change `add` in `sums.py`: it subtracts.\n2. Say what was changed."}}
§execute
%%
§call: {"name":"plan_propose","args":{"title":"Mend the sum, and test it","plan":"1. Change `add` in `sums.py`: it subtracts.\n2. Run the tests, which are in `test_sums.py`."}}
§execute
%%
§call: {"name":"file_edit","args":{"file":"sums.py","edits":[{"old":"    return a - b","new":"    return a + b"}]}}
§execute
%%
§respond: `add` adds now:

| file | change |
|---|---|
| `sums.py` | `a + b` in place of `a - b` |

The tests were **not** run, because there are none.
§end"##;

fn begins() -> ChatOptions {
    let target = RunTarget::New("task".to_owned());
    ChatOptions { target, version: "0.0.0".to_owned(), ..ChatOptions::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_is_refused_planned_again_and_carried_out() {
    for columns in WIDTHS {
        let sandbox = Sandbox::new();
        std::fs::write(sandbox.root().join("sums.py"), "def add(a, b):\n    return a - b\n")
            .unwrap();
        let mut options = sandbox.options(PLANNED);
        options.session.policy.permissions = Some(PermissionMode::Plan);
        let mut window = ChatWindow::open_wide(options, begins(), columns).await;
        window.line("Mend the sum").await;
        window.wait_for("Mend the sum").await;
        window.wait_for("y yes").await;
        window.press("wtest it, too\r").await;
        window.wait_for("and test it").await;
        window.press("e").await;
        window.wait_for("because there are none").await;
        let shown = window.leave().await;
        assert_eq!(
            sandbox.written("sums.py").as_deref(),
            Some("def add(a, b):\n    return a + b\n")
        );
        assert!(shown.lines().all(|row| row.chars().count() <= columns.into()), "{shown}");
        insta::assert_snapshot!(format!("task_plan_{columns}"), sandbox.steady(&shown));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_run_keeps_what_was_queued_in_the_line() {
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
