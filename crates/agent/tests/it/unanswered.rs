//! A prompt that no answer follows, and the next run of its conversation.

use std::sync::Arc;

use silcrow_agent::{Agent, ErrorKind, RunOutcome};
use silcrow_event::{Event, read_entry};
use silcrow_provider::{Delta, Error, ErrorKind as Kind, FinishReason};
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::CancellationToken;

use crate::support::{Answer, DeltaModel, Ran, run};

/// Runs one prompt after the other in one conversation. The model fails before it writes anything,
/// and answers the last prompt. Returns the last run and the last request.
async fn asked(prompts: &[&str], kind: Kind) -> (Ran, Vec<String>) {
    let (last, failing) = prompts.split_last().unwrap();
    let failure = || Answer { deltas: vec![Err(Error::new(kind, "no"))], hangs: false };
    let answer = Answer {
        deltas: vec![
            Ok(Delta::Text("§respond: yes\n§end".to_owned())),
            Ok(Delta::Done(FinishReason::Stop)),
        ],
        hangs: false,
    };
    let model = DeltaModel::new(failing.iter().map(|_| failure()).chain([answer]));
    let store = Arc::new(MemoryStore::new());
    let agent = Agent::new(model.clone(), Arc::clone(&store));
    for prompt in failing {
        let ran = run(&agent, &store, prompt, &CancellationToken::new()).await;
        assert_eq!(ran.ended.unwrap_err().kind(), ErrorKind::Provider(kind));
    }
    let ran = run(&agent, &store, last, &CancellationToken::new()).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    let request = model.asked().pop().unwrap();
    (ran, request[1..].iter().map(|message| message.text().into_owned()).collect())
}

#[tokio::test]
async fn repeated_identical_prompt_counts_once() {
    for kind in [Kind::Auth, Kind::Network, Kind::Refused] {
        let (ran, request) = asked(&["go", "go", "go"], kind).await;
        assert_eq!(request, ["go"], "{kind:?}");
        assert_eq!(Ran::types(&ran.stored), ["user", "failed", "failed", "respond"]);
        // The run emits its stored entries, and its first event identifies the run.
        assert_eq!(Ran::types(&ran.shown)[0], "respond");
        assert_eq!(ran.shown[0].opening.as_ref().unwrap().conversation, "c");
    }
}

/// The person said both, so both stay, and the same text later is said again.
#[tokio::test]
async fn another_text_is_another_prompt() {
    let (ran, request) = asked(&["go", "stay", "go"], Kind::Network).await;
    assert_eq!(request, ["go\n\nstay\n\ngo"]);
    let stored = ["user", "failed", "user", "failed", "user", "respond"];
    assert_eq!(Ran::types(&ran.stored), stored);
}

/// After an answer, after a stop and after another text it is a new prompt.
#[tokio::test]
async fn only_identical_last_prompt_continues() {
    let user = r#"{"type":"user","content":"go","turn":1}"#;
    let before = [
        vec![user, r#"{"type":"respond","content":"yes","turn":1}"#],
        vec![user, r#"{"type":"cancelled","content":"stopped","turn":1}"#],
        vec![r#"{"type":"user","content":"go ","turn":1}"#],
    ];
    for lines in before {
        let store = Arc::new(MemoryStore::new());
        let log = lines.iter().map(|line| read_entry(line).unwrap()).collect();
        store.append("c", 0, log).await.unwrap();
        let model = silcrow_provider::ScriptedModel::parse("§respond: yes\n§end", 1);
        let agent = Agent::new(model, Arc::clone(&store));
        let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
        assert_eq!(ran.ended.unwrap(), RunOutcome::Answered);
        assert_eq!(ran.stored.len(), lines.len() + 2, "{lines:?}");
        assert_eq!(ran.stored[lines.len()].event, Event::user("go"));
    }
}

/// A prompt without a user is not Bob's prompt.
#[tokio::test]
async fn another_user_s_prompt_is_not_continued() {
    let store = Arc::new(MemoryStore::new());
    let said = [
        r#"{"type":"user","content":"hello","user":"bob","turn":1}"#,
        r#"{"type":"user","content":"go","turn":1}"#,
    ];
    store.append("c", 0, said.map(|line| read_entry(line).unwrap()).to_vec()).await.unwrap();
    let model = silcrow_provider::ScriptedModel::parse("§respond: yes\n§end", 1);
    let agent = Agent::new(model, Arc::clone(&store)).with_user("bob");
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    assert_eq!(ran.ended.unwrap(), RunOutcome::Answered);
    assert_eq!(ran.stored[2].user.as_deref(), Some("bob"));
    assert_eq!(Ran::types(&ran.stored), ["user", "user", "user", "respond"]);
}
