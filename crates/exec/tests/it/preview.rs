//! Before anybody is asked, the tool says what the call would do.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, pending};
use silcrow_event::{Kind, Status};
use silcrow_exec::{
    Answer, Approver, Args, Context, Extent, Failure, News, Output, Policy, Preview, Question,
    Runner, Tool, Toolbox,
};

use crate::{ended, next, plain, ready, summary, toolbox, with};

/// What a preview does.
type Look = dyn Fn(&str) -> BoxFuture<'static, Result<Preview, Failure>> + Send + Sync;

/// A tool whose calls need a yes, with this preview.
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
    fn policy(&self) -> Policy {
        Policy { needs_approval: true, ..Policy::default() }
    }
    fn preview<'a>(
        &'a self,
        args: Args<'a>,
        context: &'a Context,
    ) -> BoxFuture<'a, Result<Preview, Failure>> {
        assert_eq!((context.conversation(), context.turn()), ("talk", 3));
        (self.0)(args.as_str())
    }
    fn call<'a>(
        &'a self,
        args: Args<'a>,
        context: &'a Context,
    ) -> BoxFuture<'a, Result<Output, Failure>> {
        let approved = context.approved().and_then(|preview| preview.target.clone());
        async move { Ok(Output::new(approved.unwrap_or_default(), args.as_str())) }.boxed()
    }
}

/// Says yes, once the test lets it, and keeps the targets it was asked about.
#[derive(Clone, Default)]
struct Desk {
    asked: Arc<Mutex<Vec<Option<String>>>>,
    answer: Arc<tokio::sync::Notify>,
}

impl Approver for Desk {
    fn ask<'a>(&'a self, question: Question<'a>) -> BoxFuture<'a, Answer> {
        self.asked.lock().unwrap().push(question.target.map(str::to_owned));
        async move {
            self.answer.notified().await;
            Answer::Allow(Extent::Once)
        }
        .boxed()
    }
}

fn runner(
    desk: &Desk,
    look: impl Fn(&str) -> BoxFuture<'static, Result<Preview, Failure>> + Send + Sync + 'static,
) -> Runner {
    let tools: Toolbox = with(toolbox(Write(Arc::new(look))), plain("read"));
    Runner::new(Arc::new(tools), Arc::new(desk.clone())).in_turn("talk", 3)
}

#[tokio::test]
async fn a_call_that_cannot_be_done_is_answered_and_nobody_is_asked() {
    let desk = Desk::default();
    let mut runner =
        runner(&desk, |_| async { Err(Failure::new("`docs` is a folder; name a file")) }.boxed());
    runner.start(ready("a1", "write", "{}"));
    let (_, outcome) = ended(&mut runner).await;
    assert_eq!(outcome.status(), Status::Failure);
    assert_eq!(summary(&outcome), "cannot be done");
    assert_eq!(outcome.content, "`docs` is a folder; name a file");
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
    assert!(desk.asked.lock().unwrap().is_empty());
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
    assert!(matches!(runner.next().await, Some(News::Asked { .. })));
    assert!(runner.next().now_or_never().is_none(), "the question is open");
    while desk.asked.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    // While the person thinks, what the next call is about changes.
    *place.lock().unwrap() = "new";
    desk.answer.notify_one();
    assert!(matches!(runner.next().await, Some(News::Answered { .. })));
    runner.grant(Kind::Tool, "write", r#"{"n":3}"#);
    let mut asked = Vec::new();
    while desk.asked.lock().unwrap().len() < 2 {
        if let Some(Some(news)) = runner.next().now_or_never() {
            asked.push(news);
        }
        tokio::task::yield_now().await;
    }
    assert!(asked.iter().any(|news| *news == News::Asked { id: "a2".to_owned() }));
    assert!(asked.iter().any(|news| matches!(news, News::Ended(ended) if ended.id == "a3")));
    let targets = desk.asked.lock().unwrap().clone();
    assert_eq!(targets, [Some("old".to_owned()), Some("new".to_owned())]);
}

#[tokio::test]
async fn a_call_runs_with_the_preview_that_was_approved() {
    let (desk, count) = (Desk::default(), AtomicUsize::new(0));
    let mut runner = runner(&desk, move |_| {
        let target = format!("look {}", count.fetch_add(1, Ordering::SeqCst));
        async { Ok(Preview::new("any").with_target(target)) }.boxed()
    });
    desk.answer.notify_one();
    runner.start(ready("a1", "write", "{}"));
    let (_, outcome) = ended(&mut runner).await;
    let asked = desk.asked.lock().unwrap()[0].clone().unwrap();
    assert_eq!(summary(&outcome), asked);
    // Nobody is asked about the next ones, and each has a preview of its own.
    runner.grant(Kind::Tool, "write", "any");
    for id in ["a2", "a3"] {
        runner.start(ready(id, "write", "{}"));
        let (_, outcome) = ended(&mut runner).await;
        assert!(summary(&outcome).starts_with("look "), "{outcome:?}");
        assert_ne!(summary(&outcome), asked);
    }
    assert_eq!(desk.asked.lock().unwrap().len(), 1);
    runner.start(ready("a4", "read", "{}"));
    assert_eq!(ended(&mut runner).await.1.status(), Status::Success);
}
