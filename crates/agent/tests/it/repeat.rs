//! Calls that a dead process had started: which of them are run again, and how (P-28).

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use silcrow_agent::{Agent, ErrorKind, RunOutcome};
use silcrow_event::{Event, read_entry};
use silcrow_exec::{BudgetLimits, BudgetResource};
use silcrow_parser::Dialect;
use silcrow_provider::ScriptedModel;
use silcrow_store::{MemoryStore, Store};
use silcrow_tool::{
    ApprovalNeed, CallContext, CancellationToken, Tool, ToolOutput, ToolPolicy, Toolbox,
};
use tokio::time::Instant;

use crate::support::{Ran, run, tool};

/// A tool that records the key under which it runs. The one called `hangs` never ends.
fn noted(
    name: &'static str,
    policy: ToolPolicy,
    keys: &Arc<Mutex<Vec<String>>>,
) -> impl Tool + use<> {
    let keys = Arc::clone(keys);
    let run = move |_, context: CallContext| {
        assert!(context.is_repeated(), "an earlier process started it");
        let key = format!("{}/{}/{}", context.conversation_id(), context.turn(), context.call_id());
        keys.lock().unwrap().push(format!("{name} {key}"));
        async move {
            if name == "hangs" {
                std::future::pending::<()>().await;
            }
            Ok(ToolOutput::new("ran", "ran"))
        }
        .boxed()
    };
    tool(name, run).with_policy(policy)
}

/// Continues a conversation whose turn 3 has these calls, all started: tool, arguments and
/// dependencies. Also returns the calls that ran, with their keys.
async fn after(calls: &[(&str, &str, &str)], cancel: &CancellationToken) -> (Ran, Vec<String>) {
    after_for(calls, cancel, None, 0).await
}

/// The same for a user, in a conversation without one whose first `imported` events were imported.
async fn after_for(
    calls: &[(&str, &str, &str)],
    cancel: &CancellationToken,
    user: Option<&str>,
    imported: u64,
) -> (Ran, Vec<String>) {
    let keys = Arc::<Mutex<Vec<String>>>::default();
    let is = ToolPolicy::default();
    let mut tools = Toolbox::new();
    for (name, policy) in [
        ("reads", ToolPolicy { read_only: true, ..is }),
        ("sets", ToolPolicy { idempotent: true, ..is }),
        ("adds", is),
        ("asks", ToolPolicy { read_only: true, approval: ApprovalNeed::Always, ..is }),
        ("hangs", ToolPolicy { read_only: true, ..is }),
    ] {
        tools.add(noted(name, policy, &keys)).unwrap();
    }
    let store = Arc::new(MemoryStore::new());
    let mut left = vec![read_entry(r#"{"type":"user","content":"go","turn":3}"#).unwrap()];
    for (index, (name, args, others)) in calls.iter().enumerate() {
        let content = format!(r#"{{"name":"{name}","args":{args}}}"#);
        let content = serde_json::to_string(&content).unwrap();
        let action = format!(r#"{{"type":"tool","mode":"async","depends_on":{others}}}"#);
        left.push(
            read_entry(&format!(
                r#"{{"type":"call","id":"a{index}","content":{content},"action":{action},"turn":3}}"#
            ))
            .unwrap(),
        );
        store.put("started/c", &format!("3/a{index}"), 0, Vec::new()).await.unwrap();
    }
    store.append("c", 0, left).await.unwrap();
    if imported > 0 {
        let head = imported.to_string().into_bytes();
        store.put("imported/c", "head", 0, head).await.unwrap();
    }
    let model = ScriptedModel::parse("<response>on</response>", 1);
    let agent = Agent::new(model, store.clone())
        .with_tools(tools)
        .with_dialect(Dialect::Action)
        .with_budget(BudgetLimits { time: LONGEST, ..BudgetLimits::default() });
    let agent = user.map_or_else(|| agent.clone(), |user| agent.clone().with_user(user));
    let ran = run(&agent, &store, "and?", cancel).await;
    let keys = keys.lock().unwrap().clone();
    (ran, keys)
}

/// The time that a run may take.
const LONGEST: Duration = Duration::from_secs(20);

#[tokio::test]
async fn harmless_calls_rerun_under_their_key() {
    let calls = ["reads", "adds", "sets", "gone"].map(|name| (name, "{}", "[]"));
    let (ran, mut keys) = after(&calls, &CancellationToken::new()).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    keys.sort();
    assert_eq!(keys, ["reads c/3/a0", "sets c/3/a2"]);
    for (id, content) in [("a0", "ran"), ("a1", "interr"), ("a2", "ran"), ("a3", "interr")] {
        assert!(ran.result(id).content.text().starts_with(content), "{:?}", ran.result(id));
    }
    let results = ran.stored.iter().filter_map(|entry| match &entry.event {
        Event::Result(outcome) => Some((entry.turn, outcome.id.as_deref().unwrap())),
        _ => None,
    });
    let turn = Some(3);
    assert!(results.eq([(turn, "a0"), (turn, "a1"), (turn, "a2"), (turn, "a3")]), "in their order");
}

#[tokio::test]
async fn calls_with_approval_or_inputs_do_not_rerun() {
    let calls =
        [("asks", "{}", "[]"), ("reads", r#"{"of":"$name"}"#, "[]"), ("reads", "{}", r#"["a0"]"#)];
    let (ran, keys) = after(&calls, &CancellationToken::new()).await;
    assert_eq!(keys, [""; 0]);
    for id in ["a0", "a1", "a2"] {
        assert!(ran.result(id).content.text().starts_with("interrupted"), "{:?}", ran.result(id));
    }
}

#[tokio::test(start_paused = true)]
async fn repeated_call_ends_with_the_runs_time() {
    let begun = Instant::now();
    let (ran, keys) = after(&[("hangs", "{}", "[]")], &CancellationToken::new()).await;
    assert_eq!(begun.elapsed(), LONGEST);
    assert_eq!(ran.ended.as_ref().unwrap_err().kind(), ErrorKind::Budget(BudgetResource::Time));
    assert_eq!(keys, ["hangs c/3/a0"]);
    assert!(ran.result("a0").content.text().starts_with("interrupted"), "{:?}", ran.result("a0"));
}

#[tokio::test]
async fn calls_are_not_repeated_for_other_users() {
    let (ran, keys) =
        after_for(&[("reads", "{}", "[]")], &CancellationToken::new(), Some("ann"), 0).await;
    assert_eq!(ran.ended.unwrap_err().kind(), ErrorKind::Refused);
    assert_eq!(keys, [""; 0]);
    assert_eq!(ran.stored.len(), 2, "nothing is added");
}

#[tokio::test]
async fn the_stop_sign_stops_it() {
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    let (ran, keys) = tokio::join!(after(&[("hangs", "{}", "[]")], &cancel), async {
        tokio::task::yield_now().await;
        stop.cancel();
    })
    .0;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Interrupted);
    assert!(keys.len() <= 1);
    let content = ran.result("a0").content.text();
    assert!(content.starts_with("interrupted") && content.contains("stopped before"), "{content}");
}

/// Imported calls never run, even if marks say otherwise; calls after them do.
#[tokio::test]
async fn imported_calls_are_not_repeated() {
    let calls = ["reads", "sets", "reads"].map(|name| (name, "{}", "[]"));
    let (ran, keys) = after_for(&calls, &CancellationToken::new(), None, 3).await;
    assert_eq!(keys, ["reads c/3/a2"]);
    for (id, content) in [("a0", "not started"), ("a1", "not started"), ("a2", "ran")] {
        assert!(ran.result(id).content.text().starts_with(content), "{:?}", ran.result(id));
    }
}

/// A log whose last turn has no number after it is rejected, and none of its turns wraps.
#[tokio::test]
async fn last_possible_turn_is_an_error() {
    let store = Arc::new(MemoryStore::new());
    let last = read_entry(r#"{"type":"user","content":"go","turn":1000000000}"#).unwrap();
    store.append("c", 0, vec![last]).await.unwrap();
    let model = ScriptedModel::parse("<response>on</response>", 1);
    let agent = Agent::new(model, store.clone()).with_dialect(Dialect::Action);
    let ran = run(&agent, &store, "and?", &CancellationToken::new()).await;
    let error = ran.ended.unwrap_err().to_string();
    assert!(error.contains("turn 1000000001 is beyond the last"), "{error}");
    assert_eq!(store.head("c").await.unwrap(), 1);
}
