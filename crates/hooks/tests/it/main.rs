//! Hooks with real processes, around a tool.

#![cfg(unix)]

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_hooks::{Hook, HookCall, HookEvent, HookMatcher, HookVerdict, HookedTool, Hooks};
use silcrow_tool::{CallContext, Preview, Tool, ToolArgs, ToolError, ToolOutput};

/// Returns its arguments.
struct Echo;

impl Tool for Echo {
    fn name(&self) -> &str {
        "shell"
    }

    fn description(&self) -> &str {
        ""
    }

    fn schema(&self) -> &str {
        "{}"
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move { Ok(ToolOutput::new("echoed", args.as_str())) }.boxed()
    }
}

fn before(command: &str) -> Hook {
    Hook::new(HookEvent::PreToolUse, command)
}

async fn verdict(hook: Hook) -> HookVerdict {
    let folder = tempfile::tempdir().unwrap();
    let hooks = Hooks::new([hook], folder.path());
    hooks.run(&HookCall::before_tool("c", "shell", r#"{"command":"rm x"}"#)).await.verdict
}

#[tokio::test]
async fn a_hook_reads_json_and_decides() {
    let script = r#"grep -q '"command":"rm x"' || exit 0; echo 'no rm' >&2; exit 2"#;
    let HookVerdict::Block(why) = verdict(before(script)).await else {
        panic!("it is let through")
    };
    assert!(why.starts_with("the hook `grep") && why.ends_with("says: no rm"), "{why}");
    assert_eq!(verdict(before("cat > /dev/null")).await, HookVerdict::GoOn);
    // A hook need not read.
    assert_eq!(verdict(before("true")).await, HookVerdict::GoOn);
    let mut of_reading = before("exit 2");
    of_reading.matcher = HookMatcher::new("Read");
    assert_eq!(verdict(of_reading).await, HookVerdict::GoOn);
}

#[tokio::test]
async fn guard_failures_block_unless_allowed() {
    for script in ["exit 1", "kill -9 $$", "echo '{'", "no-such-program-anywhere"] {
        let mut hook = before(script);
        let HookVerdict::Block(why) = verdict(hook.clone()).await else { panic!("{script}") };
        assert!(why.contains("it failed: "), "{why}");
        hook.goes_on = true;
        assert_eq!(verdict(hook).await, HookVerdict::GoOn, "{script}");
    }
    let mut foreign = before("true");
    foreign.is_own = false;
    let HookVerdict::Block(why) = verdict(foreign).await else { panic!("it ran") };
    assert!(why.contains("in a sandbox only"), "{why}");
}

#[tokio::test]
async fn timed_out_hook_ends_with_its_processes() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("late");
    let mut hook = before(&format!("(sleep 1; touch '{}') & sleep 30", mark.display()));
    hook.timeout = Duration::from_millis(200);
    let begun = Instant::now();
    let HookVerdict::Block(why) = verdict(hook).await else { panic!("it went on") };
    assert!(why.contains("took longer than 0.2 s"), "{why}");
    assert!(begun.elapsed() < Duration::from_secs(20));
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    assert!(!mark.exists(), "its child has lived on");
}

#[tokio::test]
async fn a_tool_has_its_hooks_around_it() {
    let folder = tempfile::tempdir().unwrap();
    let count = folder.path().join("count");
    let once = before(&format!("echo x >> '{}'", count.display()));
    let after = r#"echo '{"hookSpecificOutput":{"additionalContext":"Run the tests."}}'"#;
    let hooks = Hooks::new([once, Hook::new(HookEvent::PostToolUse, after)], folder.path());
    let tool = HookedTool::new(Arc::new(Echo), &hooks);
    let context = CallContext::new("c", "a1");
    let args = ToolArgs::new(r#"{"command":"ls"}"#);
    tool.preview(args, &context).await.unwrap();
    tool.preview(args, &context).await.unwrap();
    let output = tool.call(args, &context).await.unwrap();
    assert_eq!(fs::read_to_string(&count).unwrap(), "x\n", "a hook runs once for a call");
    let text = output.content.text();
    assert!(text.starts_with(r#"{"command":"ls"}"#) && text.contains("Run the tests."), "{text}");
    let reports: Vec<_> =
        hooks.all().into_iter().map(|(_, report)| report.unwrap().outcome).collect();
    assert_eq!(reports, ["went on", "went on"]);
}

#[tokio::test]
async fn hook_can_require_approval() {
    let asks = before(
        r#"echo '{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"look"}}'"#,
    );
    let tool = HookedTool::new(Arc::new(Echo), &Hooks::new([asks], "."));
    let (context, args) = (CallContext::new("c", "a1"), ToolArgs::new("{}"));
    let preview = tool.preview(args, &context).await.unwrap();
    let risk = preview.risk.unwrap();
    assert!(risk.starts_with("the hook `echo "), "{risk}");
    assert!(risk.ends_with(" wants you to decide: look"), "{risk}");
    let error = tool.call(args, &context).await.unwrap_err().into_words();
    assert!(error.starts_with("nobody can be asked, and the hook `echo "), "{error}");
    tool.preview(args, &context).await.unwrap();
    let approved = context.with_approved(Some(Preview::new("{}")));
    assert!(tool.call(args, &approved).await.is_ok());
}
