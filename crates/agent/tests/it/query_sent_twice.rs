//! No query is sent twice: each request has the person's prompt exactly once, however the previous
//! run ended.

use std::sync::Arc;
use std::time::Duration;

use silcrow_agent::{Agent, ConnectionMode, RunOutcome, StreamOptions};
use silcrow_event::{Event, Message, RunEvent};
use silcrow_provider::{Delta, Error, ErrorKind, FinishReason};
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{CancellationToken, Scope, ToolOutput};
use tokio::time::timeout;

use crate::gated::{ANSWER, CALL, GatedTalk};
use crate::session_model::{Fault, Model, Notes, note};
use crate::support::{Answer, DeltaModel, echo, hangs, run, toolbox, with};

/// A prompt whose words occur nowhere else.
const QUERY: &str = "Count-the-seals-of-pier-39.";

fn times(request: &[Message], words: &str) -> usize {
    request.iter().map(|message| message.text().matches(words).count()).sum()
}

#[track_caller]
fn assert_once(asked: &[Vec<Message>], words: &str) {
    let counts: Vec<_> = asked.iter().map(|request| times(request, words)).collect();
    assert_eq!(counts, vec![1; asked.len()], "{asked:?}");
    assert!(!asked.is_empty());
}

fn answer(text: &str) -> Answer {
    let deltas = vec![Ok(Delta::Text(text.to_owned())), Ok(Delta::Done(FinishReason::Stop))];
    Answer { deltas, hangs: false }
}

/// An answer that comes to nothing after this text.
fn stuck(text: &str) -> Answer {
    Answer { deltas: vec![Ok(Delta::Text(text.to_owned()))], hangs: true }
}

fn agent(answers: Vec<Answer>, store: &Arc<MemoryStore>) -> (Agent, DeltaModel) {
    let model = DeltaModel::new(answers);
    let tools = toolbox([with(echo("echo")), with(hangs("hangs"))]);
    (Agent::new(model.clone(), Arc::clone(store)).with_tools(tools), model)
}

/// Runs the query until nothing happens, and ends the run where it is.
async fn kill(agent: &Agent) {
    let second = Duration::from_secs(1);
    assert!(timeout(second, agent.run("c", QUERY, &mut |_| {})).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn query_is_once_in_each_request() {
    for mode in [ConnectionMode::Replay, ConnectionMode::Resume, ConnectionMode::Auto] {
        let (model, store) = (Model::new(Fault::None), Arc::new(MemoryStore::new()));
        let tools = toolbox([with(note(&Notes::default()))]);
        let agent = Agent::new(model.clone(), Arc::clone(&store)).with_tools(tools).with_mode(mode);
        for prompt in [QUERY, "And of pier 41?"] {
            let ran = run(&agent, &store, prompt, &CancellationToken::new()).await;
            assert_eq!(ran.ended.unwrap(), RunOutcome::Answered);
        }
        let asked = model.asked.lock().unwrap().clone();
        assert_eq!(asked.len(), 4);
        assert_once(&asked, QUERY);
        assert_once(&asked[3..], "And of pier 41?");
    }
}

#[tokio::test(start_paused = true)]
async fn query_is_sent_once_after_session_failure() {
    for mode in [ConnectionMode::Resume, ConnectionMode::Auto] {
        for at in 1..40 {
            let (model, store) = (Model::new(Fault::FailsAt(at)), Arc::new(MemoryStore::new()));
            let tools = toolbox([with(note(&Notes::default()))]);
            let agent = Agent::new(model.clone(), Arc::clone(&store)).with_tools(tools);
            let agent = agent.with_mode(mode);
            let _ = run(&agent, &store, QUERY, &CancellationToken::new()).await;
            for request in &*model.asked.lock().unwrap() {
                assert_eq!(times(request, QUERY), 1, "{mode} {at}: {request:?}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn query_is_sent_once_after_a_kill() {
    let cases = || {
        [
            vec![stuck("")],
            vec![stuck("§think: I count\n§respond: There a")],
            vec![answer("§call: {\"name\":\"hangs\"}\n§execute\n")],
            vec![answer("§call: {\"name\":\"echo\"}\n§execute\n"), stuck("")],
        ]
    };
    for answers in cases() {
        let store = Arc::new(MemoryStore::new());
        let (killed, model) = agent(answers, &store);
        kill(&killed).await;
        assert_once(&model.asked(), QUERY);
        // `silcrow run --resume` and `--retry` continue in this way.
        let (next, model) = agent(vec![answer(ANSWER)], &store);
        assert_eq!(next.resume("c", &[], &mut |_| {}).await.unwrap(), RunOutcome::Answered);
        assert_once(&model.asked(), QUERY);
    }
    // A person who asks again after nothing but the prompt was stored continues the same query.
    for answers in cases().into_iter().take(1) {
        let store = Arc::new(MemoryStore::new());
        kill(&agent(answers, &store).0).await;
        let (next, model) = agent(vec![answer(ANSWER)], &store);
        assert_eq!(next.run("c", QUERY, &mut |_| {}).await.unwrap(), RunOutcome::Answered);
        assert_once(&model.asked(), QUERY);
        let stored = store.read("c", 1..=u64::MAX).await.unwrap();
        let is_prompt = |event: &Event| matches!(event, Event::User { .. });
        assert_eq!(stored.iter().filter(|entry| is_prompt(&entry.event)).count(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn query_is_sent_once_after_a_message() {
    let store = Arc::new(MemoryStore::new());
    let answers = [CALL.replace("look", "echo"), ANSWER.to_owned(), ANSWER.to_owned()];
    let (agent, model) = agent(answers.iter().map(|text| answer(text)).collect(), &store);
    let mut run = agent.stream_with("c", QUERY, StreamOptions::default().with_capacity(1));
    let handle = run.handle();
    while let Some(event) = run.next().await {
        let RunEvent::Entry(entry) = event else { continue };
        match entry.event {
            Event::Call(_) => handle.steer("And-the-walruses.").await.unwrap(),
            Event::Metric(_) if model.asked().len() == 2 => {
                // The run may be over.
                let _ = handle.steer("And-the-gulls.").await;
            }
            _ => {}
        }
    }
    assert_eq!(run.outcome().await.unwrap(), RunOutcome::Answered);
    let asked = model.asked();
    assert_once(&asked, QUERY);
    assert_once(&asked[1..], "And-the-walruses.");
}

#[tokio::test(start_paused = true)]
async fn query_is_sent_once_on_repeated_request() {
    let cut = |text: &str| {
        let error = Error::new(ErrorKind::Network, "the connection was lost");
        Answer { deltas: vec![Ok(Delta::Text(text.to_owned())), Err(error)], hangs: false }
    };
    for first in [
        cut("§respond: There a"),
        cut("§think: I count\n§call: {\"name\":\"echo\"}\n"),
        answer("§respond: There a"),
        // It has no text for the person, so a notice follows.
        answer("§think: I count\n§end"),
        answer("§call: {\"name\":\"nobody\"}\n§execute\n"),
        answer("§call: {\"name\"\n§execute\n"),
    ] {
        let store = Arc::new(MemoryStore::new());
        let (agent, model) = agent(vec![first, answer(ANSWER)], &store);
        let ran = run(&agent, &store, QUERY, &CancellationToken::new()).await;
        assert_eq!(ran.ended.unwrap(), RunOutcome::Answered);
        assert_once(&model.asked(), QUERY);
    }
}

/// The only prompt is the first and the last message of the person, and both stay.
#[tokio::test(start_paused = true)]
async fn query_is_sent_once_beyond_the_window() {
    let mut answers = vec![CALL; 19];
    answers.push(ANSWER);
    let counter = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let talk = GatedTalk::new(0, &answers).await.with_look(move |_| {
        let number = counter.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let seen = format!("{number} {}", "x".repeat(3000));
        Box::pin(async move { Ok(ToolOutput::new("looked", seen)) })
    });
    talk.model.gate.add_permits(100);
    assert_eq!(talk.run(Scope::new("c"), |_| {}).await.unwrap(), RunOutcome::Answered);
    assert!(!talk.summaries().await.is_empty());
    let steps = talk.model.steps();
    assert_eq!(steps.len(), 20);
    assert!(steps.iter().all(|text| text.matches("look around").count() == 1));
}
