use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::pending;
use silcrow_event::ActionAttributes;
use silcrow_exec::{Budget, BudgetLimits, CallUpdate, RunnerLimits};
use silcrow_tool::{ToolOutput, ToolPolicy};
use tokio::task::yield_now;
use tokio::time::{Instant, sleep};

use crate::run::parallel;
use crate::{attempt, ended, next, plan, ready, runner, summary, tool, toolbox};

#[tokio::test(start_paused = true)]
async fn hanging_tool_reaches_its_timeout() {
    let hang = || tool("hang", |_, _| pending().boxed());
    let mut patient = runner(toolbox(hang()));
    let began = Instant::now();
    patient.start(ready("a1", "hang", "{}"));
    let (_, outcome) = ended(&mut patient).await;
    assert_eq!(began.elapsed().as_secs(), 60);
    assert_eq!(outcome.content, "timed out after 60 s");
    assert_eq!(summary(&outcome), "timed out after 60 s");

    let mut hasty = runner(toolbox(hang().limited(Duration::from_millis(1500))));
    hasty.start(ready("a1", "hang", "{}"));
    assert_eq!(next(&mut hasty).await.2, "timed out after 1.5 s");

    let mut endless = runner(toolbox(hang().limited(Duration::MAX)));
    endless.start(ready("a1", "hang", "{}"));
    yield_now().await;
    assert!(endless.next().now_or_never().is_none());
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_slot_uses_no_timeout() {
    let hang = tool("hang", |_, _| pending().boxed());
    let mut runner = runner(toolbox(hang)).with_limits(parallel(1));
    let began = Instant::now();
    for id in ["a1", "a2", "a3"] {
        runner.start(ready(id, "hang", "{}"));
    }
    for (id, at) in [("a1", 60), ("a2", 120), ("a3", 180)] {
        assert_eq!(next(&mut runner).await.0, id);
        assert_eq!(began.elapsed().as_secs(), at);
    }
}

#[tokio::test(start_paused = true)]
async fn model_timeout_wins_up_to_maximum() {
    let table =
        [(None, 60), (Some(1_500), 1), (Some(0), 0), (Some(600_000), 600), (Some(u64::MAX), 1000)];
    for (timeout, expected) in table {
        let timeout = timeout.map(Duration::from_millis);
        let hang = tool("hang", |_, _| pending().boxed());
        let settings =
            RunnerLimits { max_timeout: Duration::from_secs(1000), ..RunnerLimits::default() };
        let mut runner = runner(toolbox(hang)).with_limits(settings);
        let action = ActionAttributes { timeout, ..ActionAttributes::default() };
        let began = Instant::now();
        runner.start(attempt(&mut plan("a1", r#"{"name":"hang"}"#, action)));
        next(&mut runner).await;
        assert_eq!(began.elapsed().as_secs(), expected, "{timeout:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn silent_tool_times_out_early() {
    let talk = tool("talk", |_, context| {
        async move {
            for n in 0..4 {
                sleep(Duration::from_secs(9)).await;
                context.progress("stdout", n.to_string()).await;
            }
            pending().await
        }
        .boxed()
    });
    let idle_timeout = Some(Duration::from_secs(10));
    let talk = talk.treated(|policy| ToolPolicy { idle_timeout, ..policy });
    let mut runner = runner(toolbox(talk));
    let began = Instant::now();
    runner.start(ready("a1", "talk", "{}"));
    let (_, outcome) = ended(&mut runner).await;
    assert_eq!(outcome.content, "timed out: no progress for 10 s");
    assert_eq!(summary(&outcome), "timed out: no progress for 10 s");
    assert_eq!(began.elapsed().as_secs(), 4 * 9 + 10);
}

#[tokio::test(start_paused = true)]
async fn waiting_for_slow_listener_is_not_silence() {
    let flood = tool("flood", |_, context| {
        async move {
            for n in 0..1000 {
                context.progress("stdout", n.to_string()).await;
            }
            Ok(ToolOutput::new("", "all told"))
        }
        .boxed()
    });
    let idle_timeout = Some(Duration::from_secs(1));
    let flood = flood.treated(|policy| ToolPolicy { idle_timeout, ..policy });
    let mut runner = runner(toolbox(flood));
    runner.start(ready("a1", "flood", "{}"));
    let mut heard = 0;
    let outcome = loop {
        match runner.next().await.unwrap() {
            CallUpdate::Progress(_) => heard += 1,
            CallUpdate::Ended(ended) => break ended.outcome,
            other => panic!("{other:?}"),
        }
        if heard == 10 {
            sleep(Duration::from_secs(30)).await;
        }
    };
    assert_eq!((heard, &*outcome.content.text()), (1000, "all told"));
}

#[test]
#[should_panic(expected = "Tokio 1.x runtime")]
fn awaiting_exhaustion_outside_a_runtime_panics() {
    Budget::new(BudgetLimits::default()).expired().now_or_never();
}
