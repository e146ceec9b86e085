//! Two processes that have the same conversation summarized at once.

use std::sync::Arc;

use futures_util::{StreamExt as _, stream};
use silcrow_agent::Agent;
use silcrow_event::{Entry, Event};
use silcrow_provider::{Delta, DeltaStream, FinishReason, OpeningSession, Provider, Request};
use silcrow_store::{MemoryStore, Store as _};
use tokio::sync::Barrier;

/// A model that answers once both processes have asked.
struct MeetingModel {
    says: &'static str,
    asked: Arc<Barrier>,
}

impl Provider for MeetingModel {
    fn name(&self) -> &str {
        "meets"
    }

    fn stream(&self, _: Request) -> DeltaStream {
        let deltas = [Delta::Text(self.says.to_owned()), Delta::Done(FinishReason::Stop)].map(Ok);
        let asked = Arc::clone(&self.asked);
        let both = async move {
            asked.wait().await;
            stream::iter(deltas)
        };
        stream::once(both).flatten().boxed()
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}

#[tokio::test]
async fn first_stored_summary_counts() {
    let store = Arc::new(MemoryStore::new());
    let said = (1..=6).flat_map(|turn| {
        let events =
            [Event::user(format!("prompt {turn}")), Event::respond(format!("answer {turn}"))];
        events.map(|event| Entry { turn: Some(turn), ..event.into() })
    });
    let said: Vec<_> = said.collect();
    store.append("c", 0, said.clone()).await.unwrap();
    let asked = Arc::new(Barrier::new(2));
    let [one, other] = ["Notes of one.", "Notes of the other."].map(|says| {
        Agent::new(MeetingModel { says, asked: Arc::clone(&asked) }, Arc::clone(&store))
    });
    let (mut quiet, mut silent) =
        (|_: silcrow_event::RunEventRef<'_>| {}, |_: silcrow_event::RunEventRef<'_>| {});
    let made =
        tokio::join!(one.compact("c", None, &mut quiet), other.compact("c", None, &mut silent),);
    assert!(made.0.unwrap().is_some() && made.1.unwrap().is_some());

    let head = store.head("c").await.unwrap();
    let stored = store.read("c", 1..=head).await.unwrap();
    let events = |entries: &[Entry]| Vec::from_iter(entries.iter().map(|one| one.event.clone()));
    assert_eq!(events(&stored[..said.len()]), events(&said));
    let summaries = stored[said.len()..].iter().map(|entry| match &entry.event {
        Event::Summary(summary) => summary,
        other => panic!("{other:?}"),
    });
    let summaries: Vec<_> = summaries.collect();
    assert!(summaries.len() >= 2);
    assert_eq!(summaries.first(), summaries.last());
    assert!(summaries.iter().all(|summary| summary.until == 10), "{summaries:?}");
    let context = one.next_context("c").await.unwrap();
    let text = context.messages[1].text();
    assert!(text.starts_with("prompt 1") && text.contains(&summaries[0].content), "{text}");
    assert!(text.ends_with("prompt 6"), "{text}");
}
