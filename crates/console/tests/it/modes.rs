//! The permission mode, which a person changes while a question waits.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_console::approve::{ModeWatch, TerminalApprover};
use silcrow_console::live::{KeyCode, TypedInput};
use silcrow_policy::{PermissionMode, SharedPolicy};
use silcrow_tool::ApprovalRequest;

use crate::window::{EmulatedWindow, WindowOptions};

const WRITES: &str = "\
§call: {\"name\":\"file_write\",\"args\":{\"file\":\"b.txt\",\"content\":\"one\\n\"}}
§execute
%%
§respond: It ends.
§end";

#[tokio::test]
async fn only_a_narrower_mode_answers_open_questions() {
    let options = WindowOptions { columns: 60, approver: in_mode, ..WindowOptions::default() };
    let mut window = EmulatedWindow::open_with(WRITES, options);
    window.wait_for("y yes").await;
    window.wait_for("· ask ·").await;
    window.send(TypedInput::Key(KeyCode::BackTab.into())).await;
    window.wait_for("· workspace ·").await;
    // It would run unasked now, and the question stays.
    window.wait_for("? more").await;
    assert_eq!(window.written("b.txt"), None);
    window.send(TypedInput::Key(KeyCode::BackTab.into())).await;
    window.wait_for("the person chose the mode `read-only`").await;
    window.wait_for("It ends.").await;
    assert_eq!(window.written("b.txt"), None);
    window.end().await;
}

fn in_mode(approver: TerminalApprover, policy: &Arc<SharedPolicy>) -> TerminalApprover {
    approver.with_mode_watch(Arc::new(WatchedPolicy(Arc::clone(policy))))
}

/// Looks at the mode of a policy now and then.
struct WatchedPolicy(Arc<SharedPolicy>);

impl ModeWatch for WatchedPolicy {
    fn denial<'a>(&'a self, _question: ApprovalRequest<'a>) -> BoxFuture<'a, String> {
        async move {
            let mut ticks = tokio::time::interval(Duration::from_millis(10));
            while self.0.mode() != PermissionMode::ReadOnly {
                ticks.tick().await;
            }
            "the person chose the mode `read-only` instead of an answer".to_owned()
        }
        .boxed()
    }
}
