//! Previews: before an approver is asked, the tool describes the effect of the call.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, pending};
use silcrow_event::{CallKind, ResultOrigin, ResultStatus};
use silcrow_exec::{CallUpdate, Runner, RunnerLimits};
use silcrow_tool::{
    ApprovalDecision, ApprovalRequest, ApprovalScope, Approver, CallContext, CancellationToken,
    Preview, Scope, ToolError, ToolOutput, Toolbox,
};

use crate::{Done, Made, ended, next, plain, ready, summary, tool, toolbox, with};

mod changed;
mod shown;

type Look = BoxFuture<'static, Result<Preview, ToolError>>;

/// Returns a tool with this preview whose calls need approval.
fn write(
    look: impl Fn(&str) -> Look + Send + Sync + 'static,
) -> Made<impl Fn(String, CallContext) -> Done + Send + Sync> {
    let run = |args: String, context: CallContext| {
        let target = context.approved().and_then(|preview| preview.target.as_deref());
        let said = format!("{args} at {}", target.unwrap_or("nothing"));
        async move { Ok(ToolOutput::new("", said)) }.boxed()
    };
    tool("write", run).asking().previewed(move |args, context| {
        assert_eq!((context.conversation_id(), context.turn()), ("talk", 3));
        look(args)
    })
}

/// An approver that says yes once the test lets it, and records the targets it was asked about.
#[derive(Clone, Default)]
struct Desk {
    asked: Arc<Mutex<Vec<Option<String>>>>,
    answer: Arc<tokio::sync::Notify>,
}

impl Approver for Desk {
    fn ask<'a>(&'a self, question: ApprovalRequest<'a>) -> BoxFuture<'a, ApprovalDecision> {
        self.asked.lock().unwrap().push(question.target.map(str::to_owned));
        async move {
            self.answer.notified().await;
            ApprovalDecision::Allow(ApprovalScope::Once)
        }
        .boxed()
    }
}

fn runner(desk: &Desk, look: impl Fn(&str) -> Look + Send + Sync + 'static) -> Runner {
    with_tools(desk, with(toolbox(write(look)), plain("read")))
}

fn with_tools(desk: &Desk, tools: Toolbox) -> Runner {
    Runner::new(Arc::new(tools), Arc::new(desk.clone())).with_scope(Scope::new("talk").with_turn(3))
}

#[tokio::test]
async fn failed_preview_ends_call_without_asking() {
    let desk = Desk::default();
    let mut runner =
        runner(&desk, |_| async { Err(ToolError::new("`docs` is a folder; name a file")) }.boxed());
    runner.start(ready("a1", "write", "{}"));
    let (_, outcome) = ended(&mut runner).await;
    assert_eq!(outcome.status(), ResultStatus::Failure);
    assert_eq!(summary(&outcome), "cannot be done");
    assert_eq!(outcome.content, "`docs` is a folder; name a file");
    assert_eq!(outcome.origin(), ResultOrigin::Tool);
    assert_eq!(runner.next().await, None);
    assert!(desk.asked.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn preview_exceeding_call_timeout_fails() {
    let desk = Desk::default();
    let mut runner = runner(&desk, |_| pending().boxed());
    runner.start(ready("a1", "write", "{}"));
    let (_, outcome) = ended(&mut runner).await;
    assert_eq!(summary(&outcome), "timed out");
    assert_eq!(outcome.content, "it took longer than 60 s to find out what the call would do");
    assert_eq!(outcome.origin(), ResultOrigin::Framework);
    assert!(desk.asked.lock().unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn thread_blocking_preview_times_out() {
    // The first preview is for the request, the second one is right before the call.
    for blocked in 1..=2 {
        let (release, released) = mpsc::channel::<()>();
        let (released, looks) = (Mutex::new(released), AtomicUsize::new(0));
        let look = move |_: &str| -> Look {
            if looks.fetch_add(1, Ordering::SeqCst) + 1 == blocked {
                // This blocks a thread of the runtime until the test is over.
                let _ = released.lock().unwrap().recv();
            }
            async { Ok(Preview::new("")) }.boxed()
        };
        let desk = Desk::default();
        desk.answer.notify_one();
        let settings =
            RunnerLimits { max_timeout: Duration::from_millis(20), ..RunnerLimits::default() };
        let mut runner = runner(&desk, look).with_limits(settings);
        runner.start(ready("a1", "write", "{}"));
        let (_, outcome) = tokio::spawn(async move { ended(&mut runner).await }).await.unwrap();
        assert_eq!(summary(&outcome), "timed out");
        drop(release);
    }
}

#[tokio::test]
async fn each_preview_token_is_cancelled_afterwards() {
    let tokens = Arc::new(Mutex::new(Vec::<CancellationToken>::new()));
    let (desk, kept) = (Desk::default(), Arc::clone(&tokens));
    desk.answer.notify_one();
    let run = |_, context: CallContext| {
        assert!(!context.cancellation().is_cancelled());
        async { Ok(ToolOutput::new("", "it was not cancelled")) }.boxed()
    };
    let signed = tool("signed", run).asking().previewed(move |_, context| {
        assert!(!context.cancellation().is_cancelled());
        kept.lock().unwrap().push(context.cancellation().clone());
        async { Ok(Preview::new("")) }.boxed()
    });
    let mut runner = with_tools(&desk, toolbox(signed));
    runner.start(ready("a1", "signed", "{}"));
    assert_eq!(next(&mut runner).await.2, "it was not cancelled");
    let tokens = tokens.lock().unwrap();
    assert_eq!((tokens.len(), tokens.iter().all(CancellationToken::is_cancelled)), (2, true));
}

#[tokio::test]
async fn preview_blocks_nothing_and_drops_with_call() {
    /// Counts drops.
    struct Held(Arc<AtomicUsize>);
    impl Drop for Held {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let (desk, dropped) = (Desk::default(), Arc::new(AtomicUsize::new(0)));
    let held = Arc::clone(&dropped);
    let mut runner = runner(&desk, move |_| {
        let held = Held(Arc::clone(&held));
        async move {
            let _held = held;
            pending().await
        }
        .boxed()
    });
    runner.start(ready("a1", "write", "{}"));
    runner.start(ready("a2", "write", "{}"));
    runner.start(ready("a3", "read", "{}"));
    assert_eq!(next(&mut runner).await.0, "a3");
    assert!(runner.next().now_or_never().is_none(), "the previews are awaited");
    runner.stop("a1");
    while dropped.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    assert!(runner.next().now_or_never().is_none(), "the other one is awaited");
    runner.cancel();
    assert_eq!(runner.next().await, None);
    while dropped.load(Ordering::SeqCst) == 1 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn preview_runs_right_before_asking() {
    let (desk, place) = (Desk::default(), Arc::new(Mutex::new("old")));
    let looked = Arc::clone(&place);
    let mut runner = runner(&desk, move |args| {
        let preview = Preview::new(args).with_target(*looked.lock().unwrap());
        async { Ok(preview) }.boxed()
    });
    runner.start(ready("a1", "write", r#"{"n":1}"#));
    runner.start(ready("a2", "write", r#"{"n":2}"#));
    runner.start(ready("a3", "write", r#"{"n":3}"#));
    assert!(matches!(runner.next().await, Some(CallUpdate::Asked { .. })));
    assert!(runner.next().now_or_never().is_none(), "the question is open");
    while desk.asked.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    // While the person thinks, the target of the next call changes.
    *place.lock().unwrap() = "new";
    desk.answer.notify_one();
    assert!(matches!(runner.next().await, Some(CallUpdate::Answered { .. })));
    runner.grant(CallKind::Tool, "write", r#"{"n":3}"#);
    let mut asked = Vec::new();
    while desk.asked.lock().unwrap().len() < 2 {
        if let Some(Some(news)) = runner.next().now_or_never() {
            asked.push(news);
        }
        tokio::task::yield_now().await;
    }
    assert!(asked.iter().any(|news| matches!(news, CallUpdate::Asked { id, .. } if id == "a2")));
    assert!(asked.iter().any(|news| matches!(news, CallUpdate::Ended(ended) if ended.id == "a3")));
    let targets = desk.asked.lock().unwrap().clone();
    assert_eq!(targets, [Some("old".to_owned()), Some("new".to_owned())]);
}
