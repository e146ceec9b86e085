//! Runs over sessions: the messages that are sent, and the effect of a changed history.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use silcrow_agent::{Agent, ConnectionMode, ErrorKind, RunOutcome};
use silcrow_context::{ContextAssembler, ContextInput, FullHistory};
use silcrow_event::{Entry, Event, Message};
use silcrow_provider::{Delta, ErrorKind as Kind, FinishReason};
use silcrow_store::MemoryStore;
use silcrow_tool::CancellationToken;

use crate::session_model::{Fault, Model, Notes, note, ran};
use crate::support::{Ran, run, toolbox, with};

#[tokio::test]
async fn session_sends_only_new_messages() {
    let replayed = Model::new(Fault::None);
    let (replay, _) = ran(&replayed, ConnectionMode::Replay).await;
    // The system message and the person's message, then two more answers and two more results.
    assert_eq!(replayed.streamed.load(Ordering::SeqCst), 2 + 4 + 6);
    for mode in [ConnectionMode::Resume, ConnectionMode::Auto] {
        let model = Model::new(Fault::None);
        let (resumed, _) = ran(&model, mode).await;
        assert_eq!(resumed.ended.as_ref().unwrap(), &RunOutcome::Answered);
        assert_eq!(model.streamed.load(Ordering::SeqCst), 0);
        assert_eq!(model.sent.load(Ordering::SeqCst), 2 + 1 + 1);
        assert_eq!(Ran::types(&resumed.stored), Ran::types(&replay.stored));
        // The model has the contents of a request, and nothing that it wrote after the execution
        // point.
        let asked = model.asked.lock().unwrap();
        assert_eq!(*asked, *replayed.asked.lock().unwrap());
        assert!(asked.iter().flatten().all(|message| !message.content.text().contains("forged")));
        assert_eq!(asked.len(), 3);
    }
}

#[tokio::test]
async fn provider_without_sessions_is_refused_or_replayed() {
    let agent = |mode| {
        let says = crate::support::DeltaModel::new([crate::support::Answer {
            deltas: vec![
                Ok(Delta::Text("§respond: so\n§end".to_owned())),
                Ok(Delta::Done(FinishReason::Stop)),
            ],
            hangs: false,
        }]);
        let store = Arc::new(MemoryStore::new());
        (Agent::new(says, Arc::clone(&store)).with_mode(mode), store)
    };
    let (auto, store) = agent(ConnectionMode::Auto);
    assert_eq!(
        run(&auto, &store, "go", &CancellationToken::new()).await.ended.unwrap(),
        RunOutcome::Answered
    );
    let (resume, store) = agent(ConnectionMode::Resume);
    let error = run(&resume, &store, "go", &CancellationToken::new()).await.ended.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Provider(Kind::Refused));
    assert!(error.to_string().contains("mode replay"), "{error}");
}

/// A context assembler that records the messages of another.
#[derive(Clone)]
struct Recorded {
    context: Arc<dyn ContextAssembler>,
    returned: Arc<Mutex<Vec<Vec<Message>>>>,
}

impl ContextAssembler for Recorded {
    fn assemble(&self, input: &ContextInput<'_>) -> Vec<Message> {
        let messages = self.context.assemble(input);
        self.returned.lock().unwrap().push(messages.clone());
        messages
    }
}

/// A context assembler that leaves the first answer and its results out as soon as there is a
/// second one, as if the history had become too long.
struct Forgetful;

impl ContextAssembler for Forgetful {
    fn assemble(&self, input: &ContextInput<'_>) -> Vec<Message> {
        let has_second = input.entries.iter().any(|entry| entry.turn == Some(2));
        let is_kept = |entry: &&Entry| {
            !has_second || entry.turn != Some(1) || matches!(entry.event, Event::User { .. })
        };
        let entries: Vec<_> = input.entries.iter().filter(is_kept).cloned().collect();
        FullHistory.assemble(&input.with_entries(&entries))
    }
}

/// A context assembler that changes the text of an earlier message, and not the number of messages.
struct Paraphrasing;

impl ContextAssembler for Paraphrasing {
    fn assemble(&self, input: &ContextInput<'_>) -> Vec<Message> {
        let mut messages = FullHistory.assemble(input);
        if messages.len() > 4 {
            messages[1].content = "go, in other words".into();
        }
        messages
    }
}

/// A session continues only from the messages that the model has. If a context has rewritten them,
/// the run opens another session, in which the model has exactly the context's messages.
#[tokio::test]
async fn rewritten_history_opens_another_session() {
    let forgetful: (Arc<dyn ContextAssembler>, _) = (Arc::new(Forgetful), [4, 2]);
    let paraphrasing: (Arc<dyn ContextAssembler>, _) = (Arc::new(Paraphrasing), [3, 1]);
    for (context, [steps, resumed]) in [forgetful, paraphrasing] {
        for mode in [ConnectionMode::Resume, ConnectionMode::Auto] {
            let recorded = Recorded { context: Arc::clone(&context), returned: Arc::default() };
            let model = Model::new(Fault::None);
            let store = Arc::new(MemoryStore::new());
            let agent = Agent::new(model.clone(), Arc::clone(&store))
                .with_tools(toolbox([with(note(&Notes::default()))]))
                .with_context(recorded.clone())
                .with_mode(mode);
            let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
            assert_eq!(ran.ended.unwrap(), RunOutcome::Answered);
            let asked = model.asked.lock().unwrap();
            assert_eq!(*asked, *recorded.returned.lock().unwrap());
            assert_eq!(asked.len(), steps);
            assert_eq!(model.streamed.load(Ordering::SeqCst), 0, "no request was needed");
            assert_eq!(model.resumed.load(Ordering::SeqCst), resumed as u64);
        }
    }
}
