//! Agents that agents call, when they do not end by themselves or are faster than their reader.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use silcrow_agent::RunOutcome;
use silcrow_event::{ActionAttributes, Call, CallKind, Entry, Event, ResultStatus};
use silcrow_exec::{CallUpdate, Runner};
use silcrow_plan::{Plan, PlanDecision};
use silcrow_provider::{Delta, Provider, ScriptedModel};
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{CancellationToken, DenyAll, Scope, Toolbox};
use tokio::time::Instant;

use crate::child::{agent, and, asks, log};
use crate::models::{Always, model};
use crate::support::{Answer, DeltaModel, Ran, hangs, run, toolbox, with};

#[tokio::test(start_paused = true)]
async fn endless_child_runs_out_of_steps_or_time() {
    let store = Arc::new(MemoryStore::new());
    let loops =
        agent(Always::new("<response final=\"false\">hm</response>"), &store, Toolbox::new());
    let silent = agent(
        DeltaModel::new([Answer {
            deltas: vec![Ok(Delta::Text("<thought>hm".into()))],
            hangs: true,
        }]),
        &store,
        Toolbox::new(),
    );
    let tools = and(and(Toolbox::new(), "loops", loops.with_max_steps(3)), "silent", silent);
    let text =
        format!("{}{}\n%%\n<response>so</response>", asks("x", "loops"), asks("y", "silent"));
    let person = agent(ScriptedModel::parse(&text, 1), &store, tools);
    let begun = Instant::now();
    let ran = run(&person, &store, "go", &CancellationToken::new()).await;
    assert!(ran.result("x").content.text().contains("used up (3)"), "{:?}", ran.result("x"));
    assert!(ran.result("y").content.text().contains("timed out: no progress for 300 s"));
    assert_eq!(begun.elapsed(), Duration::from_secs(300));
    // The log of the agent says that it was cancelled.
    assert_eq!(Ran::types(&log(&store, "c/1/y").await), ["user", "think", "cancelled"]);
}

#[tokio::test(start_paused = true)]
async fn stop_reaches_agents_and_their_logs() {
    let store = Arc::new(MemoryStore::new());
    let tools = || toolbox([with(hangs("hangs"))]);
    let tool = r#"<action id="h">{"name":"hangs"}</action>"#;
    let inner = agent(Always::new(tool), &store, tools());
    let outer = agent(Always::new(asks("y", "inner")), &store, and(tools(), "inner", inner));
    let person = agent(Always::new(asks("x", "outer")), &store, and(tools(), "outer", outer));
    let cancel = CancellationToken::new();
    let begun = Instant::now();
    let stop = async {
        tokio::time::sleep(Duration::from_millis(1)).await;
        cancel.cancel();
    };
    let (ran, ()) = tokio::join!(run(&person, &store, "go", &cancel), stop);
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Interrupted);
    assert_eq!(begun.elapsed(), Duration::from_millis(1));
    for conversation in ["c", "c/1/x", "c/1/x/1/y"] {
        let log = log(&store, conversation).await;
        assert_eq!(Ran::types(&log), ["user", "call", "result", "cancelled"], "{conversation}");
        let Event::Result(outcome) = &log[2].event else { panic!() };
        assert_eq!(outcome.status(), ResultStatus::Failure);
        assert!(outcome.content.text().starts_with("cancelled"), "{outcome:?}");
        // The entry is emitted, too.
        let of = |entry: &&Entry| entry.agent_path == log[0].agent_path;
        let shown: Vec<_> =
            ran.shown.iter().filter(of).map(|entry| entry.event.type_name()).collect();
        assert!(shown.contains(&"interrupt") && shown.contains(&"cancelled"), "{shown:?}");
    }
}

#[tokio::test]
async fn events_beyond_buffer_size_stay_ordered() {
    let store = Arc::new(MemoryStore::new());
    let says: Vec<_> = (0..2_000).map(|n| format!("<thought>{n}</thought>")).collect();
    let talks = ScriptedModel::parse(&format!("{}<response>done</response>", says.concat()), 1);
    let talks = agent(talks, &store, Toolbox::new());
    let text = format!("{}<response>so</response>", asks("x", "talks"));
    let person = agent(ScriptedModel::parse(&text, 1), &store, and(Toolbox::new(), "talks", talks));
    let ran = run(&person, &store, "go", &CancellationToken::new()).await;
    let thoughts = ran.shown.iter().filter(|entry| entry.event.type_name() == "think");
    assert_eq!(thoughts.count(), 2_000);
    let of = |entry: &&Entry| entry.agent_path.is_some() && entry.event.is_stored();
    let shown: Vec<_> = ran.shown.iter().filter(of).cloned().collect();
    assert_eq!(shown, log(&store, "c/1/x").await);
}

/// Returns a model that writes thoughts one by one, without end.
fn thinker() -> impl Provider {
    let think = |n: u32| async move {
        tokio::task::yield_now().await;
        Some((Ok(Delta::Text(format!("<thought>{n}</thought>"))), n + 1))
    };
    model(move |_| stream::unfold(0, think).boxed())
}

#[tokio::test(start_paused = true)]
async fn child_waits_for_its_listener() {
    let store = Arc::new(MemoryStore::new());
    let thinks = agent(thinker(), &store, Toolbox::new());
    let tools = and(Toolbox::new(), "thinks", thinks);
    let mut runner =
        Runner::new(Arc::new(tools), Arc::new(DenyAll)).with_scope(Scope::new("c").with_turn(1));
    let mut plan = Plan::new();
    let action = ActionAttributes { kind: CallKind::Agent, ..ActionAttributes::default() };
    let call = Call::parse("x", r#"{"name":"thinks","args":{"task":"go"}}"#).unwrap();
    plan.push(call.with_action(action));
    let Some(PlanDecision::Start(ready)) = plan.decide() else { panic!() };
    runner.start(ready);
    let stored = async || {
        for _ in 0..10_000 {
            tokio::task::yield_now().await;
        }
        store.head("c/1/x").await.unwrap()
    };
    let before = stored().await;
    assert!((256..300).contains(&before), "{before}");
    for _ in 0..100 {
        assert!(matches!(runner.next().await, Some(CallUpdate::AgentEvent(_))));
    }
    assert_eq!(stored().await, before + 100);
}
