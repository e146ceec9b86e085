//! Calls that take others back run after all of the others, and even if the run is cancelled
//! (P-32).

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, pending};
use silcrow_event::{ActionAttributes, Call, CallMode, Compensation};
use silcrow_exec::{CallDriver, DriverEvent, Journal};
use silcrow_plan::{ControlBlock, ControlKind, Plan, PlanUpdate};
use silcrow_tool::{CancellationToken, Scope, ToolError, ToolOutput};
use tokio::time::{Instant, sleep};

use crate::{runner, tool, toolbox, with, within};

fn call(id: &str, name: &str) -> Call {
    let compensate = Compensation::parse(r#"{"name":"drop"}"#).ok().map(Box::new);
    let action = ActionAttributes { mode: CallMode::Async, compensate, ..Default::default() };
    Call::parse(id, format!(r#"{{"name":"{name}"}}"#)).unwrap().with_action(action)
}

fn plan(calls: &[Call]) -> Plan {
    let mut plan = Plan::new();
    plan.open_block(ControlBlock::new("t", ControlKind::Transaction { timeout: None }));
    calls.iter().cloned().for_each(|call| plan.push(call));
    plan.close_block();
    plan.end_text();
    plan
}

/// Drives until nothing runs any more. `on_start` is called after the first starts.
async fn drive(driver: &mut CallDriver, mut on_start: impl FnMut(&mut CallDriver)) {
    let mut has_begun = false;
    loop {
        while driver.plan_mut().next_update().is_some() {}
        driver.start();
        if driver.plan().has_updates() {
            continue;
        }
        if !std::mem::replace(&mut has_begun, true) {
            sleep(Duration::from_millis(1)).await;
            on_start(driver);
            continue;
        }
        if !driver.plan().is_running() {
            return;
        }
        let _: Option<DriverEvent> = within(driver.next()).await;
    }
}

type Notes = Arc<Mutex<Vec<String>>>;

/// A tool whose work goes on for two seconds after it was stopped, one that fails at once, and one
/// that takes back.
fn tools(notes: &Notes) -> silcrow_tool::Toolbox {
    let note = |what: &'static str| {
        let notes = Arc::clone(notes);
        move || notes.lock().unwrap().push(what.to_owned())
    };
    let (late, dropped) = (note("late"), note("drop"));
    let slow = tool("slow", move |_, context| {
        let late = late.clone();
        async move {
            let work = async move {
                sleep(Duration::from_secs(2)).await;
                late();
            };
            context.run_to_end(work).await?;
            pending().await
        }
        .boxed()
    });
    let fails = tool("fails", |_, _| {
        async {
            sleep(Duration::from_secs(1)).await;
            Err(ToolError::new("no"))
        }
        .boxed()
    });
    let drops = tool("drop", move |_, _| {
        dropped();
        async { Ok(ToolOutput::new("", "")) }.boxed()
    });
    with(with(toolbox(slow), fails), drops)
}

#[tokio::test(start_paused = true)]
async fn rollback_waits_until_call_fully_ended() {
    let notes = Notes::default();
    let calls = [call("a", "slow"), call("b", "fails")];
    let mut driver = CallDriver::new(plan(&calls), runner(tools(&notes)));
    drive(&mut driver, |_| {}).await;
    assert_eq!(*notes.lock().unwrap(), ["late", "drop"]);
    let why = driver.plan().outcome("t").unwrap().failure_text();
    assert_eq!(why, "`b` failed: no; rolled back: `a`");
}

#[tokio::test(start_paused = true)]
async fn cancellation_does_not_interrupt_rollback() {
    for is_scope in [true, false] {
        let (notes, token) = (Notes::default(), CancellationToken::new());
        let scope = Scope::default().with_cancellation(token.clone());
        let runner = runner(tools(&notes)).with_scope(scope);
        let mut driver = CallDriver::new(plan(&[call("a", "slow"), call("b", "slow")]), runner);
        drive(&mut driver, |driver| {
            if is_scope {
                token.cancel();
            }
            driver.cancel("cancelled", "cancelled: enough");
            driver.cancel("cancelled", "cancelled: enough");
        })
        .await;
        assert_eq!(*notes.lock().unwrap(), ["late", "late", "drop", "drop"]);
        let why = driver.plan().outcome("t").unwrap().failure_text();
        assert!(why.starts_with("cancelled: enough; rolled back: `"), "{why}");
        assert!(driver.plan().is_settled());
    }
}

#[tokio::test(start_paused = true)]
async fn stopped_run_rolls_back_within_thirty_seconds() {
    let hang = tool("drop", |_, _| pending().boxed());
    let done = tool("done", |_, _| async { Ok(ToolOutput::new("", "")) }.boxed());
    let slow = tool("slow", |_, _| pending().boxed());
    let tools = with(with(toolbox(hang), done), slow);
    let mut driver = CallDriver::new(plan(&[call("a", "done"), call("b", "slow")]), runner(tools));
    driver.start();
    within(driver.next()).await;
    let begun = Instant::now();
    drive(&mut driver, |driver| driver.cancel("cancelled", "cancelled: enough")).await;
    assert!(begun.elapsed() < Duration::from_secs(31), "{:?}", begun.elapsed());
    let why = driver.plan().outcome("t").unwrap().failure_text();
    assert!(why.contains("could not be undone: "), "{why}");
    assert!(why.contains("`a`: was cancelled"), "{why}");
    while let Some(update) = driver.plan_mut().next_update() {
        assert!(!matches!(update, PlanUpdate::Instance(_)));
    }
    assert!(driver.plan().is_settled() && !driver.plan().is_running());
}

/// A journal that never comes to its end with `a`.
struct SlowJournal;

impl Journal for SlowJournal {
    fn starting<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), ToolError>> {
        async move { if id == "a" { pending().await } else { Ok(()) } }.boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn call_without_recorded_start_is_not_rolled_back() {
    let notes = Notes::default();
    let runner = runner(tools(&notes)).with_journal(SlowJournal);
    let mut driver = CallDriver::new(plan(&[call("a", "slow"), call("b", "fails")]), runner);
    drive(&mut driver, |_| {}).await;
    assert_eq!(*notes.lock().unwrap(), [""; 0]);
    let why = driver.plan().outcome("t").unwrap().failure_text();
    assert_eq!(why, "`b` failed: no; nothing had to be rolled back");
}
