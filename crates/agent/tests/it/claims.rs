//! Two owners of one conversation never disagree about a call: a call that one declares not started
//! cannot be started by the other (P-28).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::FutureExt as _;
use silcrow_agent::{Agent, Approvals, RunOutcome, StreamOptions};
use silcrow_event::{Event, RunEvent, read_entry};
use silcrow_provider::ScriptedModel;
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{ApprovalDecision, ApprovalScope, ToolOutput};

use crate::parked_law::mortal::MortalStore;
use crate::support::{tool, toolbox, with};

#[tokio::test]
async fn claimed_call_does_not_start() {
    let store = Arc::new(MemoryStore::new());
    let has_run = Arc::new(AtomicBool::new(false));
    let ran = Arc::clone(&has_run);
    let write = tool("write", move |_, _| {
        ran.store(true, Ordering::SeqCst);
        async { Ok(ToolOutput::new("ran", "ran")) }.boxed()
    });
    let model = ScriptedModel::parse("§call: {\"name\":\"write\"}\n§execute", 1);
    let first = Agent::new(model, store.clone()).with_tools(toolbox([with(write.asking())]));
    let options = StreamOptions::default().with_approvals(Approvals::Handle);
    let mut waiting = first.stream_with("c", "go", options);
    let number = loop {
        let event = waiting.next().await.expect("the run asks before it ends");
        if let RunEvent::Approval(prompt) = event {
            break prompt.number;
        }
    };

    // Another owner takes the conversation for abandoned while the first waits for its yes.
    let model = ScriptedModel::parse("§respond: done\n§end", 1);
    let second = Agent::new(model, MortalStore::new(&store, None));
    let ended = second.run("c", "and?", &mut |_| {}).await;
    assert_eq!(ended.unwrap(), RunOutcome::Answered);

    let allowed = ApprovalDecision::Allow(ApprovalScope::Once);
    assert!(waiting.handle().answer(number, allowed), "the question is open");
    assert!(waiting.outcome().await.is_err(), "the conversation went on without this run");
    assert!(!has_run.load(Ordering::SeqCst), "it ran after it was declared not started");
    let entries = store.read("c", 1..=u64::MAX).await.unwrap();
    let results = entries.iter().filter_map(|entry| match &entry.event {
        Event::Result(result) => Some(result.content.text()),
        _ => None,
    });
    let results: Vec<_> = results.collect();
    assert!(matches!(&*results, [only] if only.starts_with("not started")), "{results:?}");
}

#[tokio::test]
async fn claimed_call_stays_unstarted_without_claimer() {
    let store = Arc::new(MemoryStore::new());
    let left = [
        r#"{"type":"user","content":"go","turn":1}"#,
        r#"{"type":"call","id":"a1","content":"{\"name\":\"write\"}","turn":1}"#,
    ];
    let left = left.map(|line| read_entry(line).unwrap());
    store.append("c", 0, left.to_vec()).await.unwrap();
    // An owner claims the call and dies before it stores the result.
    store.put("started/c", "1/a1", 0, b"not started".to_vec()).await.unwrap();
    let agent = Agent::new(ScriptedModel::parse("§respond: done\n§end", 1), store.clone());
    assert_eq!(agent.run("c", "and?", &mut |_| {}).await.unwrap(), RunOutcome::Answered);
    let entries = store.read("c", 1..=u64::MAX).await.unwrap();
    let is_not_started = |event: &Event| matches!(event, Event::Result(result) if result.content.text().starts_with("not started"));
    assert!(entries.iter().any(|entry| is_not_started(&entry.event)), "{entries:?}");
}
