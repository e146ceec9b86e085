//! The laws of the driver of calls, with tokio's clock paused.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::pending;
use silcrow_event::{ActionAttributes, Call, CallEnd, CallMode};
use silcrow_exec::{CallDriver, CallUpdate, DriverEvent, RunnerLimits};
use silcrow_plan::{Plan, PlanLimits, PlanUpdate};
use silcrow_tool::{CancellationToken, Scope, ToolError, ToolOutput};
use tokio::time::{Instant, sleep};

use crate::{plain, runner, tool, toolbox, with, within};

fn action(id: &str, name: &str, retry: u32, depends_on: &[&str]) -> Call {
    let depends_on = depends_on.iter().map(|id| (*id).to_owned()).collect();
    let action = ActionAttributes {
        mode: CallMode::Async,
        retry: Some(retry),
        depends_on,
        ..ActionAttributes::default()
    };
    Call::parse(id, format!(r#"{{"name":"{name}"}}"#)).unwrap().with_action(action)
}

/// Limits without jitter, so that pauses are exact.
fn exact() -> RunnerLimits {
    RunnerLimits { jitter_percent: 0, ..RunnerLimits::default() }
}

/// Drives until nothing runs any more, and returns how each call ended.
async fn drive(driver: &mut CallDriver) -> Vec<(String, CallEnd)> {
    driver.start();
    let mut ends = Vec::new();
    loop {
        while let Some(update) = driver.plan_mut().next_update() {
            if let PlanUpdate::End { id, how } = update {
                ends.push((id, how));
            }
        }
        if within(driver.next()).await.is_none() {
            return ends;
        }
        driver.start();
    }
}

#[tokio::test(start_paused = true)]
async fn each_call_ends_once_for_any_attempts() {
    let attempts = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&attempts);
    let flaky = tool("flaky", move |_, _| {
        let attempt = counted.fetch_add(1, Ordering::SeqCst);
        async move {
            match attempt {
                0 => Err(ToolError::new("no")),
                1 => panic!("on purpose"),
                _ => Ok(ToolOutput::new("", "yes")),
            }
        }
        .boxed()
    });
    let bad = tool("bad", |_, _| async { Err(ToolError::new("no")) }.boxed());
    let tools = with(with(toolbox(flaky), bad), plain("fine"));
    let limits = PlanLimits { max_parallel: 2, ..PlanLimits::default() };
    let mut driver = CallDriver::new(Plan::with_limits(limits), runner(tools));
    for call in [
        action("a", "flaky", 2, &[]),
        action("b", "bad", 1, &[]),
        action("c", "fine", 0, &["a"]),
        action("d", "fine", 0, &["b"]),
        action("e", "nothing", 5, &[]),
    ] {
        driver.plan_mut().push(call);
    }
    driver.plan_mut().end_text();
    let mut ends = drive(&mut driver).await;
    ends.sort_by(|one, other| one.0.cmp(&other.0));
    let ends: Vec<_> = ends.iter().map(|(id, how)| (&**id, *how)).collect();
    let want = [
        ("a", CallEnd::Ok),
        ("b", CallEnd::Failed),
        ("c", CallEnd::Ok),
        ("d", CallEnd::Skipped),
        ("e", CallEnd::Failed),
    ];
    assert_eq!(ends, want);
    assert_eq!(attempts.load(Ordering::SeqCst), 3);
    assert!(driver.plan().is_settled() && !driver.plan().is_running());
}

#[tokio::test(start_paused = true)]
async fn a_retry_waits_for_its_pause() {
    for (limits, longest) in [(exact(), 1.0), (RunnerLimits::default(), 1.25)] {
        let times = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&times);
        let fail = tool("fail", move |_, _| {
            noted.lock().unwrap().push(Instant::now());
            async { Err(ToolError::new("no")) }.boxed()
        });
        let runner = runner(toolbox(fail)).with_limits(limits);
        let mut driver = CallDriver::new(Plan::new(), runner);
        driver.plan_mut().push(action("a", "fail", 3, &[]));
        assert_eq!(drive(&mut driver).await, [("a".to_owned(), CallEnd::Failed)]);
        let times = times.lock().unwrap();
        let pauses: Vec<_> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(pauses.len(), 3);
        for (pause, exact) in pauses.iter().zip([100, 200, 400].map(Duration::from_millis)) {
            // Timers have a resolution of a millisecond.
            let longest = exact.mul_f64(longest) + Duration::from_millis(1);
            assert!(exact <= *pause && *pause <= longest, "{pause:?} for {exact:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn cancel_answers_everything() {
    let hang = tool("hang", |_, _| pending().boxed());
    let fail = tool("fail", |_, _| async { Err(ToolError::new("no")) }.boxed());
    let limits = RunnerLimits { max_parallel: NonZeroUsize::new(2).unwrap(), ..exact() };
    let runner = runner(with(toolbox(hang), fail)).with_limits(limits);
    let mut driver = CallDriver::new(Plan::new(), runner);
    for call in [
        action("pausing", "fail", 9, &[]),
        action("running", "hang", 0, &[]),
        action("queued", "hang", 0, &[]),
        action("waiting", "hang", 0, &["running"]),
        Call::parse("held", r#"{"name":"hang"}"#).unwrap(),
    ] {
        driver.plan_mut().push(call);
    }
    driver.start();
    assert_eq!(within(driver.next()).await, Some(DriverEvent::Advanced));
    driver.start();
    // This decision is not carried out before the cancel.
    driver.plan_mut().push(action("decided", "hang", 0, &[]));
    let decision = driver.plan_mut().decide().expect("it may start");
    driver.cancel("cancelled", "cancelled: on purpose");
    driver.carry_out(decision);
    driver.start();
    assert_eq!(within(driver.next()).await, None, "nothing runs, and nothing pauses");
    for id in ["pausing", "running", "queued", "waiting", "held", "decided"] {
        let outcome = driver.plan().outcome(id).expect(id);
        assert_eq!(outcome.content, "cancelled: on purpose", "{id}");
    }
    assert!(driver.plan().is_settled());
}

#[tokio::test(start_paused = true)]
async fn drain_waits_for_work_run_to_end() {
    let is_done = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&is_done);
    let store = tool("store", move |_, context| {
        let is_done = Arc::clone(&seen);
        async move {
            let token = context.cancellation().clone();
            let work = async move {
                token.cancelled().await;
                sleep(Duration::from_secs(2)).await;
                is_done.store(true, Ordering::SeqCst);
            };
            context.run_to_end(work).await?;
            Ok(ToolOutput::new("", ""))
        }
        .boxed()
    });
    let mut driver = CallDriver::new(Plan::new(), runner(toolbox(store)));
    driver.plan_mut().push(action("a", "store", 0, &[]));
    driver.start();
    assert!(tokio::time::timeout(Duration::from_secs(1), driver.next()).await.is_err());
    driver.cancel("cancelled", "cancelled: on purpose");
    let since = Instant::now();
    within(driver.drain(&mut |_| {})).await;
    assert!(is_done.load(Ordering::SeqCst));
    assert_eq!(since.elapsed(), Duration::from_secs(2));
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_scope_answers_everything() {
    let cancellation = CancellationToken::new();
    let scope = Scope::default().with_cancellation(cancellation.clone());
    let hang = tool("hang", |_, _| pending().boxed());
    let fail = tool("fail", |_, _| async { Err(ToolError::new("no")) }.boxed());
    let runner = runner(with(toolbox(hang), fail)).with_limits(exact()).with_scope(scope);
    let mut driver = CallDriver::new(Plan::new(), runner);
    driver.plan_mut().push(action("a", "hang", 0, &[]));
    driver.plan_mut().push(action("b", "hang", 0, &["a"]));
    driver.start();
    cancellation.cancel();
    assert_eq!(within(driver.next()).await, Some(DriverEvent::Advanced));
    assert_eq!(within(driver.next()).await, None);
    for id in ["a", "b"] {
        assert_eq!(driver.plan().outcome(id).unwrap().content, "cancelled: the run was stopped");
    }
}

#[tokio::test(start_paused = true)]
async fn progress_precedes_end_and_never_delays_pause() {
    let noisy = tool("noisy", |_, context| {
        async move {
            for piece in 0..3 {
                context.progress("stdout", piece.to_string()).await;
            }
            sleep(Duration::from_secs(1)).await;
            Ok(ToolOutput::new("", "done"))
        }
        .boxed()
    });
    let fail = tool("fail", |_, _| async { Err(ToolError::new("no")) }.boxed());
    let runner = runner(with(toolbox(noisy), fail)).with_limits(exact());
    let mut driver = CallDriver::new(Plan::new(), runner);
    driver.plan_mut().push(action("a", "noisy", 0, &[]));
    driver.plan_mut().push(action("b", "fail", 1, &[]));
    driver.start();
    let mut pieces = 0;
    while let Some(event) = within(driver.next()).await {
        if let DriverEvent::Reported(CallUpdate::Progress(_)) = event {
            assert!(driver.plan().outcome("a").is_none());
            pieces += 1;
        }
        driver.start();
    }
    assert_eq!(pieces, 3);
    assert_eq!(driver.plan().outcome("a").unwrap().content, "done");
    assert_eq!(driver.plan().outcome("b").unwrap().content, "no");
}
