//! Messages that another process stores for a run.

use std::sync::{Arc, Mutex};

use futures_util::{FutureExt as _, StreamExt as _, stream};
use silcrow_agent::{Agent, RunOutcome, steer_stored};
use silcrow_event::{Event, Message};
use silcrow_provider::{Delta, FinishReason, Request};
use silcrow_store::{ErrorKind, MemoryStore, Store as _};
use silcrow_tool::{CancellationToken, ToolOutput};

use crate::models::model;
use crate::support::{Ran, run, tool};

/// Runs with a model that looks, looks again and answers, and with messages that arrive before the
/// answers with these numbers end, and before the calls with these numbers end.
async fn steered(in_answers: &[usize], in_calls: &[usize]) -> (Ran, Vec<Vec<Message>>) {
    let store = Arc::new(MemoryStore::new());
    let asked = Arc::<Mutex<Vec<Vec<Message>>>>::default();
    let send = |store: Arc<MemoryStore>, text: String| async move {
        steer_stored(&*store, "c", None, text.into()).await.unwrap();
    };
    let (shared, seen, in_answers) = (Arc::clone(&store), Arc::clone(&asked), in_answers.to_vec());
    let looking = model(move |request: Request| {
        let mut seen = seen.lock().unwrap();
        let number = seen.len();
        seen.push(request.messages.into());
        let text = match number {
            0 | 1 => "§think: I look.\n§call: {\"name\":\"look\"}\n§execute",
            _ => "§respond: seen\n§end",
        };
        let (store, is_steered) = (Arc::clone(&shared), in_answers.contains(&number));
        let first = stream::iter([Ok(Delta::Text(text[..9].to_owned()))]);
        let rest = async move {
            if is_steered {
                send(store, format!("during answer {number}")).await;
            }
            let done = Delta::Done(FinishReason::Stop);
            stream::iter([Ok(Delta::Text(text[9..].to_owned())), Ok(done)])
        };
        Box::pin(first.chain(rest.into_stream().flatten()))
    });
    let (shared, in_calls, calls) = (Arc::clone(&store), in_calls.to_vec(), Mutex::new(0));
    let look = tool("look", move |_, _| {
        let mut calls = calls.lock().unwrap();
        let (number, store) = (*calls, Arc::clone(&shared));
        *calls += 1;
        let is_steered = in_calls.contains(&number);
        async move {
            if is_steered {
                send(store, format!("during call {number}")).await;
            }
            Ok(ToolOutput::new("looked", "nothing"))
        }
        .boxed()
    });
    let agent = Agent::new(looking, Arc::clone(&store)).with_tool(look).unwrap();
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    let asked = asked.lock().unwrap().clone();
    (ran, asked)
}

#[tokio::test]
async fn every_message_is_in_the_next_request() {
    for in_answers in [&[][..], &[0], &[1], &[2], &[0, 1, 2], &[2, 3]] {
        for in_calls in [&[][..], &[0], &[1], &[0, 1]] {
            let (ran, asked) = steered(in_answers, in_calls).await;
            assert_eq!(ran.ended.unwrap(), RunOutcome::Answered);
            let last = asked.last().unwrap().iter();
            let last =
                last.map(|message| message.text().into_owned()).collect::<Vec<_>>().join("\n");
            let answers = in_answers.iter().map(|number| format!("during answer {number}"));
            let calls = in_calls.iter().map(|number| format!("during call {number}"));
            for text in answers.chain(calls) {
                assert_eq!(last.matches(&text).count(), 1, "{text} in {last}");
            }
            // No message moves in front of earlier requests' messages.
            for pair in asked.windows(2) {
                let known = pair[0].len() - 1;
                assert_eq!(pair[0][..known], pair[1][..known], "{in_answers:?} {in_calls:?}");
                let (before, now) = (pair[0][known].text(), pair[1][known].text());
                assert!(
                    now.starts_with(&*before),
                    "{in_answers:?} {in_calls:?}: {before} -> {now}"
                );
            }
            let sent = ran
                .stored
                .iter()
                .filter(|entry| matches!(entry.event, Event::User { steer: true, .. }));
            assert_eq!(sent.count(), in_answers.len() + in_calls.len());
        }
    }
}

#[tokio::test]
async fn steering_requires_the_same_user() {
    let store = MemoryStore::new();
    let entry = silcrow_event::Entry { user: Some("ann".to_owned()), ..Event::user("hi").into() };
    store.append("c", 0, vec![entry]).await.unwrap();
    for user in [None, Some("bob")] {
        let refused = steer_stored(&store, "c", user, "now".into()).await.unwrap_err();
        let kind = refused.store().unwrap().kind();
        assert_eq!(kind, ErrorKind::Refused, "{refused}");
    }
    assert_eq!(store.head("c").await.unwrap(), 1);
}
