use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, pending};
use silcrow_exec::{CallUpdate, Runner};
use silcrow_tool::{
    ApprovalDecision, ApprovalRequest, Approver, CancellationToken, Scope, ToolOutput,
};
use tokio::sync::oneshot;
use tokio::task::yield_now;
use tokio::time::sleep;

use crate::run::parallel;
use crate::{next, plain, ready, runner, tool, toolbox, with, within};

/// Reports when it is dropped, and whether the token was cancelled by then.
struct Leaving(Option<oneshot::Sender<bool>>, CancellationToken);

impl Drop for Leaving {
    fn drop(&mut self) {
        if let Some(told) = self.0.take() {
            let _ = told.send(self.1.is_cancelled());
        }
    }
}

/// Returns a tool that ignores its token, and receivers for when it begins and when it is dropped.
fn stubborn() -> (impl silcrow_tool::Tool, oneshot::Receiver<()>, oneshot::Receiver<bool>) {
    let (enter, entered) = oneshot::channel();
    let (leave, left) = oneshot::channel();
    let ends = Mutex::new(Some((enter, leave)));
    let stubborn = tool("stubborn", move |_, context| {
        let (enter, leave) = ends.lock().unwrap().take().expect("it runs once");
        async move {
            let _leaving = Leaving(Some(leave), context.cancellation().clone());
            enter.send(()).unwrap();
            loop {
                // The clock must be able to advance, or a broken runner would hang the test.
                sleep(Duration::from_secs(60)).await;
            }
        }
        .boxed()
    });
    (stubborn, entered, left)
}

#[tokio::test(start_paused = true)]
async fn cancel_drops_tools_ignoring_their_token() {
    let (stubborn, entered, left) = stubborn();
    let mut runner = runner(with(toolbox(stubborn), plain("fine")));
    runner.start(ready("a1", "stubborn", "{}"));
    within(entered).await.unwrap();
    runner.cancel();
    assert!(within(runner.next()).await.is_none(), "no outcome of a cancelled call");
    assert!(within(left).await.unwrap(), "the stop sign was up");
    runner.start(ready("b1", "fine", "{}"));
    assert_eq!(next(&mut runner).await.0, "b1", "the next turn restarts");
}

#[tokio::test(start_paused = true)]
async fn a_dropped_runner_stops_its_tools() {
    let (stubborn, entered, left) = stubborn();
    let mut runner = runner(toolbox(stubborn));
    runner.start(ready("a1", "stubborn", "{}"));
    within(entered).await.unwrap();
    drop(runner);
    within(left).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn cancel_drops_waiting_calls_and_unreported_ends() {
    let (note, started) = noting();
    let mut runner = runner(toolbox(note)).with_limits(parallel(2));
    for id in ["a1", "a2", "a3", "a4"] {
        runner.start(ready(id, "note", "{}"));
    }
    runner.start(ready("a5", "nothing", "{}"));
    yield_now().await;
    runner.cancel();
    assert!(within(runner.next()).await.is_none());
    for _ in 0..100 {
        yield_now().await;
    }
    let mut started = started.lock().unwrap().clone();
    started.sort_unstable();
    assert_eq!(started, ["a1", "a2"]);
}

#[tokio::test(start_paused = true)]
async fn tool_threads_see_cancellation() {
    for end in ["timeout", "cancel", "done"] {
        let (share, shared) = oneshot::channel::<CancellationToken>();
        let share = Mutex::new(Some(share));
        let tell = tool("tell", move |_, context| {
            drop(share.lock().unwrap().take().unwrap().send(context.cancellation().clone()));
            if end == "done" {
                return async { Ok(ToolOutput::new("", "")) }.boxed();
            }
            pending().boxed()
        });
        let limit = Duration::from_millis(if end == "timeout" { 1 } else { 60_000 });
        let mut runner = runner(toolbox(tell.limited(limit)));
        runner.start(ready("a1", "tell", "{}"));
        let cancel = within(shared).await.unwrap();
        if end == "cancel" {
            assert!(!cancel.is_cancelled());
            runner.cancel();
        } else {
            next(&mut runner).await;
        }
        assert!(cancel.is_cancelled(), "{end}");
    }
}

#[tokio::test(start_paused = true)]
async fn ending_one_call_stops_no_other() {
    let (share, mut shared) = tokio::sync::mpsc::channel::<CancellationToken>(10);
    let tell = tool("tell", move |_, context| {
        share.try_send(context.cancellation().clone()).unwrap();
        pending().boxed()
    });
    let mut runner = runner(with(toolbox(tell), plain("fine")));
    runner.start(ready("a1", "tell", "{}"));
    let first = within(shared.recv()).await.unwrap();
    runner.start(ready("a2", "fine", "{}"));
    assert_eq!(next(&mut runner).await.0, "a2");
    assert!(!first.is_cancelled());
    runner.cancel();
    assert!(first.is_cancelled());

    runner.start(ready("b1", "tell", "{}"));
    let second = within(shared.recv()).await.unwrap();
    assert!(!second.is_cancelled(), "a cancel is for what was started before it");
}

#[tokio::test(start_paused = true)]
async fn one_call_is_stopped_in_any_state() {
    for state in ["running", "queued", "asked about", "behind a question", "refused", "ended"] {
        let (note, started) = noting();
        let tools = with(with(toolbox(note), plain("fine")), plain("asked").asking());
        let mut runner = Runner::new(Arc::new(tools), Arc::new(Silent)).with_limits(parallel(1));
        let first = if state == "ended" { "fine" } else { "note" };
        runner.start(ready("a1", first, "{}"));
        let stopped = match state {
            "running" | "ended" => "a1",
            "queued" => {
                runner.start(ready("a2", "note", "{}"));
                "a2"
            }
            "refused" => {
                runner.start(ready("a2", "nothing", "{}"));
                "a2"
            }
            _ => {
                runner.start(ready("a2", "asked", "{}"));
                assert!(
                    matches!(within(runner.next()).await, Some(CallUpdate::Asked { id, .. }) if id == "a2")
                );
                assert!(runner.next().now_or_never().is_none(), "the question is put");
                if state == "asked about" {
                    "a2"
                } else {
                    runner.start(ready("a3", "asked", "{}"));
                    "a3"
                }
            }
        };
        for _ in 0..10 {
            yield_now().await;
        }
        runner.stop(stopped);
        runner.stop("who is that");
        if state == "behind a question" {
            runner.stop("a2");
        }
        if stopped != "a1" {
            assert!(runner.next().now_or_never().is_none(), "{state}: the other one goes on");
            assert_eq!(*started.lock().unwrap(), ["a1"], "{state}");
            runner.stop("a1");
        }
        assert_eq!(within(runner.next()).await, None, "{state}: none of them ends");
        runner.start(ready("b1", "fine", "{}"));
        assert_eq!(next(&mut runner).await.0, "b1", "{state}: the place is free");
    }
}

#[tokio::test(start_paused = true)]
async fn call_stopped_before_asking_needs_no_approval() {
    let tools = toolbox(plain("asked").asking());
    let mut runner = Runner::new(Arc::new(tools), Arc::new(Silent));
    runner.start(ready("a1", "asked", "{}"));
    runner.start(ready("a2", "asked", "{}"));
    runner.stop("a1");
    assert!(
        matches!(within(runner.next()).await, Some(CallUpdate::Asked { id, .. }) if id == "a2")
    );
}

#[tokio::test(start_paused = true)]
async fn parent_token_stops_running_waiting_and_asked_calls() {
    let (stubborn, entered, left) = stubborn();
    let above = CancellationToken::new();
    let (note, started) = noting();
    let tools = with(with(toolbox(stubborn), plain("asked").asking()), note);
    let mut runner = Runner::new(Arc::new(tools), Arc::new(Silent))
        .with_limits(parallel(1))
        .with_scope(Scope::default().with_cancellation(above.clone()));
    runner.start(ready("a1", "stubborn", "{}"));
    runner.start(ready("a2", "note", "{}"));
    runner.start(ready("a3", "asked", "{}"));
    within(entered).await.unwrap();
    assert!(matches!(within(runner.next()).await, Some(CallUpdate::Asked { .. })));
    let trigger = tokio::spawn(async move {
        yield_now().await;
        above.cancel();
    });
    assert_eq!(within(runner.next()).await, None);
    trigger.await.unwrap();
    assert!(within(left).await.unwrap(), "the stop sign was up");
    for again in ["b1", "c1"] {
        runner.start(ready(again, "note", "{}"));
        yield_now().await;
        assert_eq!(within(runner.next()).await, None, "the sign is up for good");
        runner.cancel();
    }
    assert!(started.lock().unwrap().is_empty(), "nothing starts under it");
}

#[tokio::test(start_paused = true)]
async fn stopped_call_frees_its_slot_immediately() {
    let (note, started) = noting();
    let mut runner = runner(toolbox(note)).with_limits(parallel(1));
    runner.start(ready("a1", "note", "{}"));
    yield_now().await;
    runner.stop("a1");
    runner.start(ready("a2", "note", "{}"));
    yield_now().await;
    assert_eq!(*started.lock().unwrap(), ["a1", "a2"]);
}

/// Returns a tool that records which of its calls have started, and never ends.
fn noting() -> (impl silcrow_tool::Tool, Arc<Mutex<Vec<String>>>) {
    let started = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&started);
    let note = tool("note", move |_, context| {
        seen.lock().unwrap().push(context.call_id().to_owned());
        pending().boxed()
    });
    (note, started)
}

/// An approver that never answers.
struct Silent;

impl Approver for Silent {
    fn ask<'a>(&'a self, _: ApprovalRequest<'a>) -> BoxFuture<'a, ApprovalDecision> {
        pending().boxed()
    }
}
