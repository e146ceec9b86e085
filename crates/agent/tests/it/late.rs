//! Calls that outlive their turn (P-24): questions about them, stopping them, and the end of the
//! run.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use silcrow_agent::{Agent, ErrorKind, RunOutcome};
use silcrow_event::Event;
use silcrow_parser::Dialect;
use silcrow_provider::{Delta, Error, FinishReason, Provider, ScriptedModel};
use silcrow_store::MemoryStore;
use silcrow_tool::{
    ApprovalDecision, ApprovalRequest, ApprovalScope, Approver, CancellationToken, ToolOutput,
};
use tokio::time::{Instant, sleep};

use crate::models::model;
use crate::support::{Ran, hangs, run, tool, toolbox, with};

fn forget(id: &str, name: &str) -> String {
    format!(
        "<action mode=\"fire_and_forget\" id=\"{id}\">{{\"name\":\"{name}\",\"parameters\":{{}}}}</action>\n\
         <response final=\"false\">more</response>\n"
    )
}

/// Runs until a time, then stops.
async fn stopped_after(agent: &Agent, store: &Arc<MemoryStore>, time: Duration) -> Ran {
    let cancel = CancellationToken::new();
    let stop = async {
        sleep(time).await;
        cancel.cancel();
    };
    tokio::join!(run(agent, store, "go", &cancel), stop).0
}

/// An approver that takes ten seconds for each question, and counts the questions that are open at
/// once.
#[derive(Clone, Default)]
struct Slow {
    open: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

impl Approver for Slow {
    fn ask<'a>(&'a self, _: ApprovalRequest<'a>) -> BoxFuture<'a, ApprovalDecision> {
        async {
            let open = self.open.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(open, Ordering::SeqCst);
            sleep(Duration::from_secs(10)).await;
            self.open.fetch_sub(1, Ordering::SeqCst);
            ApprovalDecision::Allow(ApprovalScope::Once)
        }
        .boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn questions_of_two_turns_come_serially() {
    let desk = Slow::default();
    let write = tool("write", |_, _| async { Ok(ToolOutput::new("written", "written")) }.boxed());
    let store = Arc::new(MemoryStore::new());
    let script = format!(
        "{}%%\n<action>{{\"name\":\"write\",\"parameters\":{{}}}}</action>\n%%\n<response>done</response>",
        forget("first", "write"),
    );
    let agent = Agent::new(ScriptedModel::parse(&script, 3), Arc::clone(&store))
        .with_dialect(Dialect::Action)
        .with_tools(toolbox([with(write.asking())]))
        .with_approver(desk.clone());
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    assert_eq!(ran.ended.unwrap(), RunOutcome::Answered);
    assert_eq!(desk.most.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn stop_after_answer_is_an_interrupt() {
    let store = Arc::new(MemoryStore::new());
    let script = format!("{}%%\n<response>done</response>", forget("f", "hangs"));
    let agent = Agent::new(ScriptedModel::parse(&script, 3), Arc::clone(&store))
        .with_dialect(Dialect::Action)
        .with_tools(toolbox([with(hangs("hangs"))]));
    let ran = stopped_after(&agent, &store, Duration::from_secs(1)).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Interrupted);
    assert_eq!(
        Ran::types(&ran.stored),
        ["user", "call", "respond", "respond", "result", "cancelled"]
    );
    assert!(!Ran::types(&ran.shown).contains(&"end"));
    assert!(Ran::types(&ran.shown).contains(&"interrupt"));
}

#[tokio::test(start_paused = true)]
async fn stop_reaches_calls_of_all_turns() {
    let store = Arc::new(MemoryStore::new());
    let started = Instant::now();
    let ticks = Arc::new(Mutex::new(Duration::ZERO));
    let last = Arc::clone(&ticks);
    // It sees its work through, far longer than anybody waits.
    let stubborn = tool("stubborn", |_, context| {
        let work = async {
            sleep(Duration::from_secs(1000)).await;
            Ok(ToolOutput::new("", ""))
        };
        async move { context.run_to_end(work).await? }.boxed()
    });
    let ticking = tool("ticks", move |_, _| {
        let last = Arc::clone(&last);
        async move {
            loop {
                sleep(Duration::from_millis(500)).await;
                *last.lock().unwrap() = started.elapsed();
            }
        }
        .boxed()
    });
    let script = format!(
        "{}%%\n{}%%\n<action>{{\"name\":\"stubborn\",\"parameters\":{{}}}}</action>",
        forget("a", "stubborn"),
        forget("b", "ticks"),
    );
    let agent = Agent::new(ScriptedModel::parse(&script, 3), Arc::clone(&store))
        .with_dialect(Dialect::Action)
        .with_tools(toolbox([with(stubborn), with(ticking)]));
    let ran = stopped_after(&agent, &store, Duration::from_secs(2)).await;
    assert_eq!(ran.ended.unwrap(), RunOutcome::Interrupted);
    assert!(*ticks.lock().unwrap() <= Duration::from_secs(2), "{:?}", ticks.lock().unwrap());
}

#[tokio::test(start_paused = true)]
async fn failing_run_does_not_await_background_calls() {
    let store = Arc::new(MemoryStore::new());
    // The model has no second answer.
    let agent = Agent::new(ScriptedModel::parse(&forget("f", "hangs"), 3), Arc::clone(&store))
        .with_dialect(Dialect::Action)
        .with_tools(toolbox([with(hangs("hangs"))]));
    let started = Instant::now();
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    assert!(matches!(ran.ended.as_ref().unwrap_err().kind(), ErrorKind::Provider(_)));
    assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
    assert_eq!(ran.result("f").content, "cancelled: the run failed");
}

/// Returns a model that writes something that is stored, waits, and is cut.
fn cut_model() -> impl Provider {
    let asked = AtomicUsize::new(0);
    model(move |_| {
        let text = |text: &str| Ok::<_, Error>(Delta::Text(text.to_owned()));
        match asked.fetch_add(1, Ordering::SeqCst) {
            0 => stream::iter([text(&forget("f", "slow")), Ok(Delta::Done(FinishReason::Stop))])
                .boxed(),
            _ => stream::iter([text("<response final=\"false\">half an answer</response>\n")])
                .chain(stream::once(async move {
                    sleep(Duration::from_secs(20)).await;
                    text(" ")
                }))
                .boxed(),
        }
    })
}

#[tokio::test(start_paused = true)]
async fn cut_answer_is_noted_after_late_result() {
    let store = Arc::new(MemoryStore::new());
    let slow = tool("slow", |_, _| {
        async {
            sleep(Duration::from_secs(5)).await;
            Ok(ToolOutput::new("done", "done"))
        }
        .boxed()
    });
    let agent = Agent::new(cut_model(), Arc::clone(&store))
        .with_dialect(Dialect::Action)
        .with_tools(toolbox([with(slow)]));
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    assert!(ran.ended.is_err());
    let at = ran.stored.iter().position(|entry| entry.event.type_name() == "result").unwrap();
    let behind = &ran.stored[at..];
    // The model is asked for it twice more, and it is cut each time.
    assert_eq!(
        Ran::types(behind),
        ["result", "cancelled", "respond", "cancelled", "respond", "cancelled", "failed"]
    );
    assert!(matches!(behind[1].event, Event::Cancelled { .. }) && behind[1].turn == Some(2));
}
