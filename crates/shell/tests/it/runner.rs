//! The tool in a runner: progress while a command runs, and long outputs that are kept elsewhere.

use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::{Call, CallResult, ResultOrigin, ResultStatus};
use silcrow_exec::{
    CallContext, CallUpdate, DenyAll, Permission, PermissionRequest, Permissions, Runner, Spill,
    ToolError, Toolbox, WithPermissions,
};
use silcrow_plan::{Plan, PlanDecision};
use silcrow_shell::has_failed_command;

use super::Place;

struct AllowEverything;

impl Permissions for AllowEverything {
    fn decide(&self, _: &PermissionRequest<'_>) -> Permission {
        Permission::Allow
    }
}

#[derive(Default)]
struct Shelf(Mutex<Vec<String>>);

impl Spill for Shelf {
    fn keep<'a>(
        &'a self,
        _: &'a CallContext,
        text: &'a str,
    ) -> BoxFuture<'a, Result<String, ToolError>> {
        self.0.lock().unwrap().push(text.to_owned());
        async { Ok("outputs/1".to_owned()) }.boxed()
    }
}

/// Runs a command, and returns its progress and its outcome.
async fn run(command: &str, shelf: Arc<Shelf>) -> (Vec<(String, String)>, CallResult) {
    let Place { folder: _folder, shell } = Place::new();
    let mut tools = Toolbox::new();
    tools.add(shell).unwrap();
    let approver = WithPermissions::new(AllowEverything, DenyAll);
    let mut runner = Runner::new(Arc::new(tools), Arc::new(approver)).with_spill(shelf);
    let mut plan = Plan::new();
    let args = serde_json::json!({"name": "shell", "args": {"command": command}});
    plan.push(Call::parse("a1", args.to_string()).unwrap());
    plan.reach_execution_point();
    let Some(PlanDecision::Start(ready)) = plan.decide() else { panic!() };
    runner.start(ready);
    let mut pieces = Vec::new();
    loop {
        match runner.next().await.unwrap() {
            CallUpdate::Progress(piece) => pieces.push((piece.channel, piece.content)),
            CallUpdate::Ended(ended) => return (pieces, ended.outcome),
            _ => {}
        }
    }
}

#[tokio::test]
async fn output_is_progress_while_the_command_runs() {
    let (pieces, outcome) = run("echo out; echo err >&2", Arc::default()).await;
    let of = |channel: &str| -> String {
        let own = pieces.iter().filter(|(of, _)| of == channel);
        own.map(|(_, text)| text.as_str()).collect()
    };
    assert_eq!((&*of("stdout"), &*of("stderr")), ("out\n", "err\n"));
    assert_eq!(outcome.content.text().len(), 8);
}

#[tokio::test]
async fn a_long_output_is_kept_elsewhere() {
    let shelf = Arc::new(Shelf::default());
    let (_, outcome) = run("seq 100000", Arc::clone(&shelf)).await;
    let cut = outcome.truncated().unwrap();
    assert_eq!(cut.full_output.as_deref(), Some("outputs/1"));
    assert!(cut.tail.as_deref().unwrap().ends_with("\n100000\n"));
    assert_eq!(outcome.content.text().len(), 30 * 1024 * 3 / 4);
    assert_eq!(shelf.0.lock().unwrap()[0].lines().count(), 100_000);
}

#[tokio::test]
async fn a_command_that_failed_is_a_failed_call_with_its_output() {
    for command in ["echo 3 tests failed; exit 1", "echo x; no-such-program", "echo x; kill -9 $$"]
    {
        let (_, outcome) = run(command, Arc::default()).await;
        assert_eq!(outcome.status(), ResultStatus::Failure, "{command}");
        assert_eq!(outcome.origin(), ResultOrigin::Tool, "{command}");
        assert!(!outcome.content.text().is_empty(), "{command}");
        assert!(has_failed_command(&outcome), "{command}");
    }
    let (_, outcome) = run("true", Arc::default()).await;
    assert_eq!(outcome.status(), ResultStatus::Success);
}
