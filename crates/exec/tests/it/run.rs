use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use futures_util::future::pending;
use silcrow_event::{Json, ResultOrigin, ResultStatus};
use silcrow_exec::{CallOutcome, CallUpdate, RunnerLimits};
use silcrow_tool::{Scope, ToolError, ToolOutput, ToolPolicy};
use tokio::sync::{Barrier, Semaphore, oneshot};
use tokio::task::yield_now;

use crate::{ended, next, plain, ready, runner, summary, tool, toolbox, with, within};

pub(crate) fn parallel(max: usize) -> RunnerLimits {
    RunnerLimits { max_parallel: NonZeroUsize::new(max).unwrap(), ..RunnerLimits::default() }
}

#[tokio::test(start_paused = true)]
async fn outcome_carries_tool_output() {
    let echo = tool("echo", |args, context| {
        async move {
            let around =
                (context.conversation_id(), context.turn(), context.call_id(), context.root());
            Ok(ToolOutput::new("a word", format!("{around:?} {args}")))
        }
        .boxed()
    });
    let mut runner =
        runner(toolbox(echo)).with_scope(Scope::new("talk").with_turn(3).with_root("/some/where"));
    assert!(within(runner.next()).await.is_none());
    runner.start(ready("a7", "echo", r#"{ "b" : 1, "a" : 2 }"#));
    let (id, outcome) = ended(&mut runner).await;
    assert_eq!(id, "a7");
    assert_eq!(outcome.content, r#"("talk", 3, "a7", Some("/some/where")) { "b" : 1, "a" : 2 }"#);
    assert_eq!(summary(&outcome), "a word");
    assert_eq!(outcome.payload.unwrap().tool.as_deref(), Some("echo"));
    assert!(within(runner.next()).await.is_none());
}

#[tokio::test(start_paused = true)]
async fn two_calls_are_inside_at_once() {
    let barrier = Arc::new(Barrier::new(2));
    let meet = tool("meet", move |_, _| {
        let barrier = Arc::clone(&barrier);
        async move {
            barrier.wait().await;
            Ok(ToolOutput::new("", "met"))
        }
        .boxed()
    });
    let mut runner = runner(toolbox(meet));
    runner.start(ready("a1", "meet", "{}"));
    runner.start(ready("a2", "meet", "{}"));
    assert_eq!(next(&mut runner).await.2, "met");
    assert_eq!(next(&mut runner).await.2, "met");
}

#[tokio::test(start_paused = true)]
async fn call_starts_without_being_polled() {
    let (told, inside) = oneshot::channel();
    let told = Mutex::new(Some(told));
    let tell = tool("tell", move |_, _| {
        told.lock().unwrap().take().unwrap().send(()).unwrap();
        pending().boxed()
    });
    let mut runner = runner(toolbox(tell));
    runner.start(ready("a1", "tell", "{}"));
    within(inside).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn failures_carry_output_notices_and_value() {
    let tests = tool("tests", |_, _| {
        let output = ToolOutput::new("exit status 1", "3 tests failed").failed();
        let value = Json::parse(r#"{"failed":3}"#);
        async { Ok(output.with_notice("exit status 1").with_value(value)) }.boxed()
    });
    let mut runner = runner(toolbox(tests));
    runner.start(ready("a1", "tests", "{}"));
    let (_, outcome) = ended(&mut runner).await;
    assert_eq!((outcome.status(), outcome.origin()), (ResultStatus::Failure, ResultOrigin::Tool));
    assert_eq!((&*outcome.content.text(), summary(&outcome)), ("3 tests failed", "exit status 1"));
    assert_eq!(outcome.notices(), ["exit status 1"]);
    assert_eq!(outcome.value().unwrap().as_str(), r#"{"failed":3}"#);
}

#[tokio::test(start_paused = true)]
async fn failures_are_reported_and_summarized() {
    let fail = tool("fail", |_, _| {
        async { Err(ToolError::new(format!("first line\n{}", "x".repeat(1000)))) }.boxed()
    });
    let mut runner = runner(toolbox(fail));
    runner.start(ready("a1", "fail", "{}"));
    let (_, outcome) = ended(&mut runner).await;
    assert_eq!(summary(&outcome), "first line");
    assert_eq!(outcome.content.text().len(), 11 + 1000);
    assert!(outcome.payload.unwrap().error);
}

#[tokio::test(start_paused = true)]
async fn a_thousand_calls_run_sixteen_at_a_time() {
    let (inside, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let gate = Arc::new(Semaphore::new(0));
    let count = {
        let (inside, most, gate) = (Arc::clone(&inside), Arc::clone(&most), Arc::clone(&gate));
        tool("count", move |_, _| {
            let (inside, most, gate) = (Arc::clone(&inside), Arc::clone(&most), Arc::clone(&gate));
            async move {
                most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                gate.acquire().await.unwrap().forget();
                inside.fetch_sub(1, Ordering::SeqCst);
                Ok(ToolOutput::new("", ""))
            }
            .boxed()
        })
    };
    let mut runner = runner(toolbox(count));
    for n in 0..1000 {
        runner.start(ready(&format!("a{n}"), "count", "{}"));
    }
    for _ in 0..100 {
        assert!(runner.next().now_or_never().is_none());
        yield_now().await;
    }
    assert_eq!(inside.load(Ordering::SeqCst), 16, "sixteen are inside, the others wait");
    gate.add_permits(1000);
    let mut ids = Vec::new();
    while let Some(news) = within(runner.next()).await {
        let CallUpdate::Ended(CallOutcome { id, outcome, .. }) = news else { panic!("{news:?}") };
        assert_eq!(outcome.status(), ResultStatus::Success);
        ids.push(id);
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 1000);
    assert_eq!(most.load(Ordering::SeqCst), 16);
}

#[tokio::test(start_paused = true)]
async fn waiting_calls_start_in_their_order() {
    let order = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&order);
    let note = tool("note", move |_, context| {
        seen.lock().unwrap().push(context.call_id().to_owned());
        async { Ok(ToolOutput::new("", "")) }.boxed()
    });
    let mut runner = runner(toolbox(note)).with_limits(parallel(1));
    let ids: Vec<_> = (0..50).map(|n| format!("a{n}")).collect();
    for id in &ids {
        runner.start(ready(id, "note", "{}"));
    }
    while within(runner.next()).await.is_some() {}
    assert_eq!(*order.lock().unwrap(), ids);
}

#[tokio::test(start_paused = true)]
async fn waiting_may_be_given_up_at_any_time() {
    let gate = Arc::new(Semaphore::new(0));
    let held = Arc::clone(&gate);
    let hold = tool("hold", move |_, _| {
        let gate = Arc::clone(&held);
        async move {
            gate.acquire().await.unwrap().forget();
            Ok(ToolOutput::new("", "held"))
        }
        .boxed()
    });
    let mut runner = runner(toolbox(hold)).with_limits(parallel(3));
    for n in 0..30 {
        runner.start(ready(&format!("a{n}"), "hold", "{}"));
    }
    let mut ended = 0;
    let mut given_up = 0;
    while ended < 30 {
        match runner.next().now_or_never() {
            Some(Some(_)) => ended += 1,
            Some(None) => panic!("calls are open"),
            None => {
                given_up += 1;
                assert!(given_up < 10_000, "calls are open, and none of them ends");
                gate.add_permits(1);
                yield_now().await;
            }
        }
    }
    assert!(given_up >= 30);
    assert!(within(runner.next()).await.is_none());
}

#[tokio::test(start_paused = true)]
async fn failures_state_allowed_attempts() {
    let fail = tool("fail", |_, _| async { Err(ToolError::new("no")) }.boxed());
    let fail = fail.treated(|policy| ToolPolicy { retries: 3, ..policy });
    let fine = plain("fine").treated(|policy| ToolPolicy { retries: 3, ..policy });
    let mut runner = runner(with(toolbox(fail), fine));
    for (name, args, retries) in [
        ("fail", "{}", Some(3)),
        ("fine", "{}", None),
        ("unknown", "{}", None), // another attempt would not make it known
    ] {
        runner.start(ready("a1", name, args));
        let Some(CallUpdate::Ended(ended)) = within(runner.next()).await else { panic!() };
        assert_eq!(ended.retries, retries, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_summary_is_a_line() {
    let long = tool("long", |_, _| {
        async { Ok(ToolOutput::new(format!("{}\nmore", "é".repeat(10_000)), "")) }.boxed()
    });
    let mut runner = runner(toolbox(long));
    runner.start(ready("a1", "long", "{}"));
    let (_, outcome) = ended(&mut runner).await;
    assert_eq!(summary(&outcome), format!("{}…", "é".repeat(200)));
}
