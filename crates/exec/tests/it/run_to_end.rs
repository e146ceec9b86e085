//! The work of a call that continues when the call is stopped.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use silcrow_event::{Entry, Event};
use silcrow_exec::{CallUpdate, Runner};
use silcrow_tool::{CallContext, ToolOutput};
use tokio::time::{Instant, sleep};

use crate::{next, ready, runner, tool, toolbox};

/// Returns a runner with a tool that must finish `work`.
fn runner_of<F, W>(work: F) -> Runner
where
    F: Fn(CallContext) -> W + Send + Sync + 'static,
    W: Future<Output = ()> + Send + 'static,
{
    let work = Arc::new(work);
    runner(toolbox(tool("careful", move |_, context| {
        let work = Arc::clone(&work);
        async move {
            context.run_to_end(work(context.clone())).await?;
            Ok(ToolOutput::new("done", ""))
        }
        .boxed()
    })))
}

/// Starts the call, and stops it while it waits.
async fn stopped(runner: &mut Runner) {
    runner.start(ready("a1", "careful", "{}"));
    sleep(Duration::from_millis(1)).await;
    runner.cancel();
    assert_eq!(runner.next().await, None, "the call is over at once");
}

/// Returns the updates while the runner drains.
async fn updates(runner: &mut Runner) -> Vec<CallUpdate> {
    let mut updates = Vec::new();
    runner.drain(&mut |update| updates.push(update)).await;
    updates
}

#[tokio::test(start_paused = true)]
async fn aborted_calls_finish_their_work() {
    let ended = Arc::new(Mutex::new(None));
    let noted = Arc::clone(&ended);
    let mut runner = runner_of(move |context| {
        let noted = Arc::clone(&noted);
        async move {
            context.cancellation().cancelled().await;
            sleep(Duration::from_secs(1)).await;
            context.report_event(Entry::from(Event::End)).await;
            *noted.lock().unwrap() = Some(Instant::now());
        }
    });
    let begun = Instant::now();
    stopped(&mut runner).await;
    assert_eq!(updates(&mut runner).await, [CallUpdate::AgentEvent(Box::new(Event::End.into()))]);
    assert_eq!(ended.lock().unwrap().unwrap() - begun, Duration::from_millis(1001));
}

#[tokio::test(start_paused = true)]
async fn draining_waits_five_seconds_for_uncancellable_work() {
    let mut runner = runner_of(|_| std::future::pending());
    stopped(&mut runner).await;
    let begun = Instant::now();
    assert_eq!(updates(&mut runner).await, []);
    assert_eq!(begun.elapsed(), Duration::from_secs(5));
}

#[tokio::test(start_paused = true)]
async fn a_dropped_runner_drops_the_work_too() {
    let alive = Arc::new(());
    let held = Arc::clone(&alive);
    let mut runner = runner_of(move |_| {
        let held = Arc::clone(&held);
        async move {
            let _held = held;
            std::future::pending().await
        }
    });
    stopped(&mut runner).await;
    drop(runner);
    sleep(Duration::from_millis(1)).await;
    assert_eq!(Arc::strong_count(&alive), 1);
}

#[tokio::test]
async fn work_outside_runner_drops_with_its_call() {
    let alive = Arc::new(());
    let held = Arc::clone(&alive);
    let context = CallContext::new("c", "a1");
    let work = async move {
        let _held = held;
        std::future::pending::<()>().await
    };
    assert_eq!(context.run_to_end(work).now_or_never(), None);
    assert_eq!(Arc::strong_count(&alive), 1);
}

#[tokio::test]
async fn a_panic_in_the_work_is_a_failure() {
    let mut runner = runner_of(|_| async { panic!("oh") });
    runner.start(ready("a1", "careful", "{}"));
    assert!(next(&mut runner).await.2.contains("panicked"));
}
