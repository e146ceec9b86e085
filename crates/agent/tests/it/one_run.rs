//! A conversation has one run at a time, also in a store in memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt as _;
use silcrow_agent::{Agent, ErrorKind, RunOutcome};
use silcrow_event::{Event, RunEvent};
use silcrow_provider::ScriptedModel;
use silcrow_store::{ErrorKind as StoreErrorKind, MemoryStore, Store as _};
use silcrow_tool::ToolOutput;
use tokio::sync::Notify;

use crate::support::{tool, toolbox, with};

#[tokio::test]
async fn second_prompt_does_not_take_over() {
    let store = Arc::new(MemoryStore::new());
    let (ran, release) = (Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
    let (counted, released) = (Arc::clone(&ran), Arc::clone(&release));
    let slow = tool("slow", move |_, _| {
        counted.fetch_add(1, Ordering::SeqCst);
        let released = Arc::clone(&released);
        async move {
            released.notified().await;
            Ok(ToolOutput::new("done", "It is done."))
        }
        .boxed()
    });
    let script = "§call: {\"name\":\"slow\"}\n§execute\n%%\n§respond: The first.\n§end";
    let first = Agent::new(ScriptedModel::parse(script, 1), Arc::clone(&store));
    let mut first = first.with_tools(toolbox([with(slow)])).stream("c", "one");
    while ran.load(Ordering::SeqCst) == 0 {
        first.next().await.expect("the call starts");
    }

    let second = Agent::new(ScriptedModel::parse("§respond: The second.\n§end", 1), store.clone());
    let refused = second.run("c", "two", &mut |_| {}).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Store(StoreErrorKind::Locked), "{refused}");
    let streamed = second.stream("c", "two");
    assert!(!streamed.handle().begun().await, "nothing of it is stored");
    assert!(streamed.outcome().await.is_err());

    release.notify_one();
    assert_eq!(first.answer().await.unwrap().text, "The first.");
    let log = store.read("c", 1..=u64::MAX).await.unwrap();
    let results = log.iter().filter_map(|entry| match &entry.event {
        Event::Result(result) => Some(result.content.text()),
        _ => None,
    });
    assert_eq!(results.collect::<Vec<_>>(), ["It is done."]);
    // The conversation is free again.
    let next = second.run("c", "two", &mut |_| {}).await;
    assert_eq!(next.unwrap(), RunOutcome::Answered);
}

#[tokio::test]
async fn run_begins_once_prompt_is_stored() {
    let store = Arc::new(MemoryStore::new());
    let model = ScriptedModel::parse("§respond: Four.\n§end", 1);
    let mut run = Agent::new(model, store.clone()).stream("c", "2 + 2?");
    let handle = run.handle();
    assert!(handle.begun().await);
    let log = store.read("c", 1..=1).await.unwrap();
    assert_eq!(log[0].event, Event::user("2 + 2?"));
    while let Some(event) = run.next().await {
        assert!(!matches!(event, RunEvent::Entry(entry) if matches!(entry.event, Event::Error(_))));
    }
    run.outcome().await.unwrap();
    assert!(handle.begun().await, "also when it is over");
}

#[tokio::test]
async fn run_stopped_before_its_prompt_has_not_begun() {
    let store = Arc::new(MemoryStore::new());
    let hold = store.hold("c").await.unwrap();
    let model = ScriptedModel::parse("§respond: Four.\n§end", 1);
    let run = Agent::new(model, store.clone()).stream("c", "2 + 2?");
    assert!(!run.handle().begun().await);
    hold.release().await;
    assert_eq!(store.head("c").await.unwrap(), 0);
}
