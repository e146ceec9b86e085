//! The values that a context passes to the host of its call, and its behaviour without one.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, ready};
use silcrow_event::{Entry, Event, Grants};
use silcrow_tool::{CallAccess, CallContext, CallHost};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep};

fn doors(text: &str) -> Grants {
    [text.parse().unwrap()].into_iter().collect()
}

/// A host that records its messages, answers questions with the test's answers, and keeps work that
/// continues.
#[derive(Debug)]
struct Recorder {
    heard: Mutex<Vec<String>>,
    questions: mpsc::Sender<oneshot::Sender<Result<(), String>>>,
}

impl Recorder {
    fn hear(&self, what: String) -> BoxFuture<'_, ()> {
        self.heard.lock().unwrap().push(what);
        ready(()).boxed()
    }
}

impl CallHost for Recorder {
    fn progress<'a>(&'a self, channel: &'a str, content: String) -> BoxFuture<'a, ()> {
        self.hear(format!("{channel}: {content}"))
    }

    fn report_event(&self, entry: Entry) -> BoxFuture<'_, ()> {
        self.hear(format!("{:?}", entry.event))
    }

    fn ask_for(&self, missing: Grants) -> BoxFuture<'_, Result<(), String>> {
        async move {
            self.hear(format!("asked for {missing}")).await;
            let (sender, receiver) = oneshot::channel();
            self.questions.send(sender).await.unwrap();
            receiver.await.unwrap()
        }
        .boxed()
    }

    fn run_to_end(&self, work: BoxFuture<'static, ()>) -> Option<BoxFuture<'static, ()>> {
        tokio::spawn(work);
        None
    }
}

type Questions = mpsc::Receiver<oneshot::Sender<Result<(), String>>>;

fn recorder() -> (Arc<Recorder>, Questions) {
    let (questions, receiver) = mpsc::channel(8);
    (Arc::new(Recorder { heard: Mutex::default(), questions }), receiver)
}

#[tokio::test]
async fn reports_reach_the_host_in_order() {
    let (host, _questions) = recorder();
    let context = CallContext::new("talk", "a1").with_host(host.clone());
    context.progress("stdout", "one").await;
    context.report_event(Entry::from(Event::End)).await;
    context.clone().progress("stderr", "two").await;
    assert_eq!(*host.heard.lock().unwrap(), ["stdout: one", "End", "stderr: two"]);
}

#[tokio::test]
async fn only_missing_grants_are_requested() {
    let (host, mut questions) = recorder();
    let context = CallContext::new("talk", "a1").with_grants(doors("git")).with_host(host.clone());
    assert_eq!(context.ask_for(doors("git")).now_or_never(), Some(Ok(())));
    let both = doors("git").union(doors("outside"));
    let answer = tokio::spawn({
        let context = context.clone();
        async move { context.ask_for(both).await }
    });
    questions.recv().await.unwrap().send(Err("not today".to_owned())).unwrap();
    assert_eq!(answer.await.unwrap(), Err("not today".to_owned()));
    assert_eq!(*host.heard.lock().unwrap(), ["asked for outside"]);
    let reads = context.with_access(CallAccess::ReadOnly);
    let refused = reads.ask_for(doors("outside")).now_or_never().unwrap().unwrap_err();
    assert_eq!(refused, "this call may only read, and outside does not open for it");
    assert_eq!(host.heard.lock().unwrap().len(), 1, "nobody was asked");
}

#[tokio::test(start_paused = true)]
async fn time_stands_still_while_a_question_waits() {
    let (host, mut questions) = recorder();
    let context = CallContext::new("talk", "a1").with_host(host);
    let begun = Instant::now();
    let ran = tokio::spawn({
        let context = context.clone();
        async move {
            context.has_run_for(Duration::from_secs(10)).await;
            begun.elapsed()
        }
    });
    sleep(Duration::from_secs(4)).await;
    let asks = tokio::spawn({
        let context = context.clone();
        async move { context.ask_for(doors("git")).await }
    });
    let answer = questions.recv().await.unwrap();
    sleep(Duration::from_secs(100)).await;
    answer.send(Ok(())).unwrap();
    asks.await.unwrap().unwrap();
    assert_eq!(ran.await.unwrap(), Duration::from_secs(110));
}

#[tokio::test]
async fn a_withdrawn_question_starts_the_clock_again() {
    let (host, mut questions) = recorder();
    let context = CallContext::new("talk", "a1").with_host(host);
    {
        let mut asks = Box::pin(context.ask_for(doors("git")));
        assert_eq!((&mut asks).now_or_never(), None);
        assert!(questions.try_recv().is_ok());
        assert_eq!(context.has_run_for(Duration::ZERO).now_or_never(), None, "it stands still");
    }
    context.has_run_for(Duration::ZERO).await;
}

#[tokio::test]
async fn work_continues_when_its_call_is_dropped() {
    let (host, _questions) = recorder();
    let context = CallContext::new("talk", "a1").with_host(host);
    let (finish, finished) = oneshot::channel();
    let (report, reported) = oneshot::channel();
    let work = async move {
        finished.await.unwrap();
        report.send(()).unwrap();
    };
    assert_eq!(context.run_to_end(work).now_or_never(), None, "it waits");
    finish.send(()).unwrap();
    reported.await.unwrap();
    assert_eq!(context.run_to_end(async { 5 }).await, Ok(5));
    let words = context.run_to_end(panics()).await.unwrap_err();
    assert_eq!(words.to_string(), "it panicked, or the program is shutting down");
}

async fn panics() {
    panic!("oh");
}

/// A host that only listens.
#[derive(Debug)]
struct Deaf;

impl CallHost for Deaf {
    fn progress<'a>(&'a self, _: &'a str, _: String) -> BoxFuture<'a, ()> {
        ready(()).boxed()
    }
    fn report_event(&self, _: Entry) -> BoxFuture<'_, ()> {
        ready(()).boxed()
    }
}

#[tokio::test]
async fn call_works_with_a_minimal_host() {
    let alone = CallContext::new("talk", "a1");
    for context in [alone.clone(), alone.with_host(Arc::new(Deaf))] {
        context.progress("stdout", "lost").await;
        assert_eq!(context.run_to_end(async { 5 }).await, Ok(5));
        let refused = context.ask_for(doors("git")).await;
        assert_eq!(refused, Err("nobody can be asked for git".to_owned()));
    }
}
