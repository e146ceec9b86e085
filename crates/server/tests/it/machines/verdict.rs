//! The required state of a conversation after a fault: its log, the ledger of its calls, and the
//! events that its clients have seen.

use std::collections::BTreeSet;
use std::path::Path;

use silcrow_event::{Entry, Event};
use silcrow_store::Store;

/// Checks the log of a conversation and the ledger, and returns the number of its events.
pub(super) async fn check(
    store: &dyn Store,
    conversation: &str,
    folder: &Path,
    place: &str,
) -> usize {
    let log = store.read(conversation, 1..=u64::MAX).await.unwrap();
    let place = format!("{place}, {conversation}");
    let prompts = log.iter().filter(|entry| matches!(entry.event, Event::User { .. }));
    assert_eq!(prompts.count(), 1, "{place}: {log:#?}");
    let (mut calls, mut results) = (BTreeSet::new(), BTreeSet::new());
    for entry in &log {
        match &entry.event {
            Event::Call(call) => {
                assert!(calls.insert(key(entry, call.id())), "{place}: a call twice: {log:#?}");
            }
            Event::Result(result) => {
                let key = key(entry, result.id.as_deref().unwrap_or_default());
                assert!(calls.contains(&key), "{place}: a result without a call: {log:#?}");
                assert!(results.insert(key), "{place}: two results: {log:#?}");
            }
            _ => {}
        }
    }
    assert_eq!(calls, results, "{place}: a call without a result: {log:#?}");
    let answers = log.iter().filter(|entry| is_answer(&entry.event));
    assert_eq!(answers.count(), 1, "{place}: {log:#?}");

    let ledger = std::fs::read_to_string(folder.join("ledger")).unwrap_or_default();
    let started: Vec<&str> = ledger
        .lines()
        .filter_map(|line| line.strip_prefix(conversation)?.strip_prefix(' '))
        .collect();
    let once: BTreeSet<&&str> = started.iter().collect();
    assert_eq!(once.len(), started.len(), "{place}: a call started twice: {started:?}");
    log.len()
}

/// Returns the name of the machine that has a conversation.
pub(super) async fn owner(store: &dyn Store, conversation: &str) -> Option<String> {
    let holder = store.shared_runs().holder(conversation).await.unwrap_or_default();
    holder.map(|holder| holder.name)
}

/// Returns whether an event is the final answer.
pub(super) fn is_answer(event: &Event) -> bool {
    matches!(event, Event::Respond(respond) if respond.last)
}

fn key(entry: &Entry, id: &str) -> String {
    format!("{} {id}", entry.turn.unwrap_or_default())
}
