//! A call acts on the target that was approved, or does not run.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::{ActionAttributes, CallKind, ResultOrigin};
use silcrow_exec::Journal;
use silcrow_tool::{FileDiff, Preview, PreviewDiff, ToolError, ToolPolicy};

use super::{Desk, runner, with_tools, write};
use crate::{attempt, ended, next, plan, ready, summary, toolbox};

#[tokio::test]
async fn tool_receives_its_approved_target() {
    let desk = Desk::default();
    desk.answer.notify_one();
    let mut runner = runner(&desk, |args| {
        let preview = Preview::new(args).with_target("docs/notes.md");
        async { Ok(preview) }.boxed()
    });
    runner.start(ready("a1", "write", "{}"));
    assert_eq!(next(&mut runner).await.2, "{} at docs/notes.md");
}

#[tokio::test]
async fn changed_target_after_approval_stops_call() {
    let (desk, place) = (Desk::default(), Arc::new(Mutex::new("docs/notes.md")));
    let looked = Arc::clone(&place);
    let journal = Arc::new(AtomicUsize::new(0));
    let mut runner = runner(&desk, move |_| {
        let preview = Preview::new("").with_target(*looked.lock().unwrap());
        async { Ok(preview) }.boxed()
    })
    .with_journal(Started(Arc::clone(&journal)));
    runner.start(ready("a1", "write", "{}"));
    while desk.asked.lock().unwrap().is_empty() {
        assert!(!matches!(runner.next().now_or_never(), Some(None)));
        tokio::task::yield_now().await;
    }
    // Somebody puts a link in its place while the person thinks.
    *place.lock().unwrap() = ".git/config";
    desk.answer.notify_one();
    let (_, outcome) = ended(&mut runner).await;
    // The message contains paths that the tool named.
    assert_eq!(outcome.origin(), ResultOrigin::Tool);
    assert_eq!(summary(&outcome), "changed since it was approved");
    assert_eq!(
        outcome.content,
        "not started: what this call acts on has changed since it was approved (approved: \
         docs/notes.md; now: .git/config); call it again to have it approved again"
    );
    assert_eq!(journal.load(Ordering::SeqCst), 0, "it was not started");
    // A yes for the conversation is bound to the target of this call, too.
    runner.grant(CallKind::Tool, "write", "");
    runner.start(ready("a2", "write", "{}"));
    assert_eq!(next(&mut runner).await.2, "{} at .git/config");
}

#[tokio::test]
async fn conversation_approval_covers_scope_with_any_target() {
    let (desk, looks) = (Desk::default(), AtomicUsize::new(0));
    let mut runner = runner(&desk, move |_| {
        let target = format!("look {}", looks.fetch_add(1, Ordering::SeqCst));
        async { Ok(Preview::new("any").with_target(target)) }.boxed()
    });
    runner.grant(CallKind::Tool, "write", "any");
    runner.start(ready("a1", "write", "{}"));
    assert_eq!(next(&mut runner).await.2, "{} at look 0");
    // Another scope is not covered.
    let looks = AtomicUsize::new(0);
    let mut runner = super::runner(&desk, move |_| {
        let scope = if looks.fetch_add(1, Ordering::SeqCst) == 0 { "any" } else { "other" };
        async move { Ok(Preview::new(scope)) }.boxed()
    });
    runner.grant(CallKind::Tool, "write", "any");
    runner.start(ready("a1", "write", "{}"));
    assert_eq!(summary(&ended(&mut runner).await.1), "changed since it was approved");
}

#[tokio::test]
async fn effect_may_change_during_approval() {
    let (desk, looks) = (Desk::default(), AtomicUsize::new(0));
    desk.answer.notify_one();
    let mut runner = runner(&desk, move |_| {
        let effect = format!("replaces {} bytes", looks.fetch_add(1, Ordering::SeqCst));
        async { Ok(Preview::new("").with_target("a.txt").with_effect(effect)) }.boxed()
    });
    runner.start(ready("a1", "write", "{}"));
    assert_eq!(next(&mut runner).await.2, "{} at a.txt");
}

#[tokio::test]
async fn only_approved_lines_change() {
    const SEEN: &str = "@@ -5,2 +5,2 @@\n five\n-six\n+6\n";
    for (now, runs) in [
        (Some(SEEN), true),
        // The lines have moved, and others around them have changed.
        (Some("@@ -7,2 +7,2 @@\n 5\n-six\n+6\n"), true),
        // By now nothing is left to do.
        (Some(""), true),
        (Some("@@ -5,2 +5,2 @@\n five\n-SIX\n+6\n"), false),
        (Some("@@ -5,2 +5,3 @@\n-five\n-six\n+6\n"), false),
        (None, false),
    ] {
        let shown = |hunks: Option<&str>| {
            let preview = Preview::new("").with_target("a.txt");
            let Some(hunks) = hunks else { return preview };
            let file = FileDiff { path: "a.txt".to_owned(), hunks: hunks.to_owned() };
            let files = if hunks.is_empty() { Vec::new() } else { vec![file] };
            preview.with_diff(PreviewDiff::new(files))
        };
        let (desk, looks) = (Desk::default(), AtomicUsize::new(0));
        desk.answer.notify_one();
        let mut runner = runner(&desk, move |_| {
            let is_first = looks.fetch_add(1, Ordering::SeqCst) == 0;
            let preview = shown(if is_first { Some(SEEN) } else { now });
            async { Ok(preview) }.boxed()
        });
        runner.start(ready("a1", "write", "{}"));
        let (_, outcome) = ended(&mut runner).await;
        let is_refused = summary(&outcome) == "changed since it was approved";
        assert_eq!(is_refused, !runs, "{now:?}");
    }
    // A yes for the conversation is not to lines, and neither are permissions.
    let (desk, looks) = (Desk::default(), AtomicUsize::new(0));
    let mut runner = runner(&desk, move |_| {
        let hunks = format!("@@ -1 +1 @@\n-{}\n+x\n", looks.fetch_add(1, Ordering::SeqCst));
        let file = FileDiff { path: "a.txt".to_owned(), hunks };
        async { Ok(Preview::new("any").with_diff(PreviewDiff::new(vec![file]))) }.boxed()
    });
    runner.grant(CallKind::Tool, "write", "any");
    runner.start(ready("a1", "write", "{}"));
    assert!(next(&mut runner).await.2.starts_with("{}"));
}

#[tokio::test]
async fn retry_acts_only_on_approved_target() {
    let (desk, place) = (Desk::default(), Arc::new(Mutex::new("one")));
    let looked = Arc::clone(&place);
    desk.answer.notify_one();
    let safe = write(move |_| {
        let preview = Preview::new("").with_target(*looked.lock().unwrap());
        async { Ok(preview) }.boxed()
    })
    .treated(|policy| ToolPolicy { idempotent: true, ..policy });
    let mut runner = with_tools(&desk, toolbox(safe));
    let action = ActionAttributes { retry: Some(2), ..ActionAttributes::default() };
    let mut plan = plan("a1", r#"{"name":"write"}"#, action);
    runner.start(attempt(&mut plan));
    let (id, outcome) = ended(&mut runner).await;
    assert_eq!(outcome.content, "{} at one");
    plan.fail(&id, outcome, 0);
    *place.lock().unwrap() = "other";
    runner.start(attempt(&mut plan));
    let (_, outcome) = ended(&mut runner).await;
    assert_eq!(summary(&outcome), "changed since it was approved");
    assert_eq!(desk.asked.lock().unwrap().len(), 1);
}

/// A journal that counts the calls that start.
struct Started(Arc<AtomicUsize>);

impl Journal for Started {
    fn starting<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<(), ToolError>> {
        self.0.fetch_add(1, Ordering::SeqCst);
        async { Ok(()) }.boxed()
    }
}
