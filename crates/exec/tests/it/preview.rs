//! Previews: before an approver is asked, the tool describes what the call would do.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, pending};
use silcrow_event::{ActionAttributes, CallKind, ResultOrigin, ResultStatus};
use silcrow_exec::{
    ApprovalDecision, ApprovalRequest, ApprovalScope, Approver, CallContext, CallUpdate,
    CancellationToken, Journal, Preview, Runner, RunnerLimits, Scope, Tool, ToolArgs, ToolError,
    ToolOutput, ToolPolicy, Toolbox,
};

use crate::{attempt, ended, next, plain, plan, ready, summary, toolbox, with};

/// The function that makes a preview.
type Look = dyn Fn(&str) -> BoxFuture<'static, Result<Preview, ToolError>> + Send + Sync;

/// A tool with this preview whose calls need approval.
struct Write(Arc<Look>);

impl Tool for Write {
    fn name(&self) -> &str {
        "write"
    }
    fn description(&self) -> &str {
        "Made for a test."
    }
    fn schema(&self) -> &str {
        "{}"
    }
    fn policy(&self) -> ToolPolicy {
        ToolPolicy { needs_approval: true, ..ToolPolicy::default() }
    }
    fn preview<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        assert_eq!((context.conversation(), context.turn()), ("talk", 3));
        (self.0)(args.as_str())
    }
    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        let target =
            context.approved().and_then(|preview| preview.target.as_deref()).unwrap_or("nothing");
        async move { Ok(ToolOutput::new("", format!("{} at {target}", args.as_str()))) }.boxed()
    }
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

fn runner(
    desk: &Desk,
    look: impl Fn(&str) -> BoxFuture<'static, Result<Preview, ToolError>> + Send + Sync + 'static,
) -> Runner {
    let tools: Toolbox = with(toolbox(Write(Arc::new(look))), plain("read"));
    Runner::new(Arc::new(tools), Arc::new(desk.clone())).with_scope(Scope::new("talk").with_turn(3))
}

#[tokio::test]
async fn a_call_that_cannot_be_done_is_answered_and_nobody_is_asked() {
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
async fn a_preview_that_takes_longer_than_a_call_may_is_a_failure() {
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
async fn a_preview_that_blocks_its_thread_times_out_too() {
    // The first preview is for the request, the second one is right before the call.
    for blocked in 1..=2 {
        let (release, released) = mpsc::channel::<()>();
        let (released, looks) = (Mutex::new(released), AtomicUsize::new(0));
        let look = move |_: &str| -> BoxFuture<'static, Result<Preview, ToolError>> {
            if looks.fetch_add(1, Ordering::SeqCst) + 1 == blocked {
                // This blocks a thread of the runtime until the test is over.
                let _ = released.lock().unwrap().recv();
            }
            async { Ok(Preview::new("")) }.boxed()
        };
        let desk = Desk::default();
        desk.answer.notify_one();
        let settings =
            RunnerLimits { longest: Duration::from_millis(20), ..RunnerLimits::default() };
        let mut runner = runner(&desk, look).with_limits(settings);
        runner.start(ready("a1", "write", "{}"));
        let (_, outcome) = tokio::spawn(async move { ended(&mut runner).await }).await.unwrap();
        assert_eq!(summary(&outcome), "timed out");
        drop(release);
    }
}

#[tokio::test]
async fn each_look_has_a_stop_sign_of_its_own_which_is_up_afterwards() {
    let signs = Arc::new(Mutex::new(Vec::<CancellationToken>::new()));
    let (desk, kept) = (Desk::default(), Arc::clone(&signs));
    desk.answer.notify_one();
    let tools = toolbox(TokenKeeper(kept));
    let mut runner = Runner::new(Arc::new(tools), Arc::new(desk));
    runner.start(ready("a1", "signed", "{}"));
    assert_eq!(next(&mut runner).await.2, "it was down");
    let signs = signs.lock().unwrap();
    assert_eq!((signs.len(), signs.iter().all(CancellationToken::is_cancelled)), (2, true));
}

/// A tool that keeps the cancellation tokens of its previews, and checks that none is cancelled at
/// first.
struct TokenKeeper(Arc<Mutex<Vec<CancellationToken>>>);

impl Tool for TokenKeeper {
    fn name(&self) -> &str {
        "signed"
    }
    fn description(&self) -> &str {
        "Made for a test."
    }
    fn schema(&self) -> &str {
        "{}"
    }
    fn policy(&self) -> ToolPolicy {
        ToolPolicy { needs_approval: true, ..ToolPolicy::default() }
    }
    fn preview<'a>(
        &'a self,
        _: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        assert!(!context.cancel().is_cancelled());
        self.0.lock().unwrap().push(context.cancel().clone());
        async { Ok(Preview::new("")) }.boxed()
    }
    fn call<'a>(
        &'a self,
        _: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        assert!(!context.cancel().is_cancelled());
        async { Ok(ToolOutput::new("", "it was down")) }.boxed()
    }
}

#[tokio::test]
async fn a_preview_holds_up_nothing_else_and_is_dropped_with_its_call() {
    /// Counts what is dropped.
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
async fn what_a_call_would_do_is_looked_at_right_before_its_question() {
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

#[tokio::test]
async fn the_tool_knows_what_it_was_approved_to_act_on() {
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
async fn what_has_changed_since_it_was_approved_does_not_run() {
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
async fn a_yes_for_the_conversation_is_to_the_scope_whatever_the_target() {
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
    let mut runner = self::runner(&desk, move |_| {
        let scope = if looks.fetch_add(1, Ordering::SeqCst) == 0 { "any" } else { "other" };
        async move { Ok(Preview::new(scope)) }.boxed()
    });
    runner.grant(CallKind::Tool, "write", "any");
    runner.start(ready("a1", "write", "{}"));
    assert_eq!(summary(&ended(&mut runner).await.1), "changed since it was approved");
}

#[tokio::test]
async fn an_effect_may_change_while_somebody_thinks() {
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
async fn a_further_attempt_acts_on_what_was_approved_or_not_at_all() {
    let (desk, place) = (Desk::default(), Arc::new(Mutex::new("one")));
    let looked = Arc::clone(&place);
    desk.answer.notify_one();
    let tools = toolbox(Safe(Write(Arc::new(move |_: &str| {
        let preview = Preview::new("").with_target(*looked.lock().unwrap());
        async { Ok(preview) }.boxed()
    }))));
    let mut runner = Runner::new(Arc::new(tools), Arc::new(desk.clone()))
        .with_scope(Scope::new("talk").with_turn(3));
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

/// The same tool, declared idempotent.
struct Safe(Write);

impl Tool for Safe {
    fn name(&self) -> &str {
        self.0.name()
    }
    fn description(&self) -> &str {
        self.0.description()
    }
    fn schema(&self) -> &str {
        self.0.schema()
    }
    fn policy(&self) -> ToolPolicy {
        ToolPolicy { idempotent: true, ..self.0.policy() }
    }
    fn preview<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        self.0.preview(args, context)
    }
    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        self.0.call(args, context)
    }
}
