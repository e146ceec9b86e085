//! The system prompt is never lost: it is the first message of every request, the same byte for
//! byte, even if other messages are left out.

use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use silcrow_agent::{Agent, ConnectionMode, RunOutcome};
use silcrow_context::ModelLimits;
use silcrow_event::{ContextSummary, Event, Message, Role, SummaryAuthor};
use silcrow_provider::{Delta, DeltaStream, Error, ErrorKind, Estimate, FinishReason, Request};
use silcrow_store::MemoryStore;
use silcrow_tool::{CancellationToken, Scope};
use tokio::time::timeout;

use crate::gated::{ANSWER, CALL, GatedTalk, append, seen};
use crate::models::model;
use crate::session_model::{Fault, Model, Notes, note};
use crate::support::{Answer, DeltaModel, run, toolbox, with};

/// Words that only the system prompt has.
const INSTRUCTION: &str = "Obey-the-walrus.";

/// Asserts that each request begins with the same system prompt and has no other.
#[track_caller]
fn assert_kept(asked: &[Vec<Message>]) {
    assert!(!asked.is_empty());
    let system = &asked[0][0];
    assert!(system.text().contains(INSTRUCTION));
    for request in asked {
        assert_eq!(&request[0], system);
        let others = request[1..].iter().filter(|message| message.role == Role::System);
        assert_eq!(others.count(), 0, "{request:?}");
        assert_eq!(request.last().unwrap().role, Role::User);
    }
}

/// Asserts the same of the requests of a gated model's steps. Requests for summaries have a task.
#[track_caller]
fn assert_gated_kept(talk: &GatedTalk) {
    let is_summary =
        |messages: &Vec<Message>| messages.last().unwrap().text().ends_with("Write the notes now.");
    let (summaries, steps): (Vec<_>, Vec<_>) =
        talk.model.requests().into_iter().partition(is_summary);
    assert_kept(&steps);
    assert!(summaries.iter().all(|messages| messages[0].role == Role::System));
}

fn is_summary(messages: &[Message]) -> bool {
    messages.last().unwrap().text().ends_with("Write the notes now.")
}

fn answer(text: &str) -> Answer {
    let deltas = vec![Ok(Delta::Text(text.to_owned())), Ok(Delta::Done(FinishReason::Stop))];
    Answer { deltas, hangs: false }
}

fn deltas(text: &str) -> DeltaStream {
    stream::iter(answer(text).deltas).boxed()
}

async fn gated(percent: u64, answers: &[&'static str]) -> GatedTalk {
    let mut talk = GatedTalk::new(percent, answers).await;
    talk.agent = talk.agent.with_instructions(INSTRUCTION);
    talk.model.gate.add_permits(100);
    talk.with_look(|_| Box::pin(async { Ok(seen(900)) }))
}

#[tokio::test(start_paused = true)]
async fn system_prompt_survives_summaries() {
    for fails in [false, true] {
        for percent in [75, 92] {
            let talk = gated(percent, &[CALL, CALL, ANSWER, ANSWER]).await;
            talk.model.fails.store(fails, SeqCst);
            for _ in 0..2 {
                let ended = talk.run(Scope::new("c"), |_| {}).await;
                assert_eq!(ended.unwrap(), RunOutcome::Answered);
            }
            let authors = talk.summaries().await.into_iter().map(|(_, summary)| summary.author);
            let author = if fails { SummaryAuthor::Framework } else { SummaryAuthor::Model };
            assert_eq!(Vec::from_iter(authors), [author], "{percent}");
            assert_gated_kept(&talk);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn system_prompt_survives_persons_summary() {
    let talk = gated(40, &[ANSWER, ANSWER, ANSWER, ANSWER]).await;
    let until = talk.stored().await.len() as u64 - 2;
    let author = SummaryAuthor::Person;
    let written = ContextSummary {
        content: "Seals.".into(),
        until,
        shortened: until,
        author,
        ..Default::default()
    };
    let empty = ContextSummary { author, ..ContextSummary::default() };
    let whole = ContextSummary { until: u64::MAX, ..written.clone() };
    for summary in [None, Some(written), Some(whole), Some(empty)] {
        if let Some(summary) = summary {
            append(&talk.store, 1, [Event::Summary(summary)]).await;
        }
        assert_eq!(talk.run(Scope::new("c"), |_| {}).await.unwrap(), RunOutcome::Answered);
        let next = talk.agent.next_context("c").await.unwrap().messages;
        assert_eq!(next[0].role, Role::System);
        assert!(next[0].text().contains(INSTRUCTION));
    }
    assert_gated_kept(&talk);
}

#[tokio::test(start_paused = true)]
async fn system_prompt_survives_a_full_window() {
    let talk = gated(75, &[]).await;
    let asked = Arc::<Mutex<Vec<Vec<Message>>>>::default();
    let steps = Arc::clone(&asked);
    let short = model(move |Request { messages, .. }| {
        if is_summary(&messages) {
            return deltas("The person counts seals.");
        }
        let is_long = Estimate::of_messages(&messages) > 3000;
        steps.lock().unwrap().push(messages.into());
        match is_long {
            true => stream::iter([Err(Error::new(ErrorKind::ContextTooLong, "no"))]).boxed(),
            false => deltas(ANSWER),
        }
    });
    let agent = talk.agent.clone().with_provider(short);
    let agent = agent.with_model_limits(ModelLimits::default());
    let ended = agent.run("c", "go", &mut |_| {}).await;
    assert_eq!(ended.unwrap(), RunOutcome::Answered);
    let asked = asked.lock().unwrap().clone();
    assert!(asked.len() > 1 && asked.last().unwrap().len() < asked[0].len());
    assert_kept(&asked);
}

#[tokio::test(start_paused = true)]
async fn system_prompt_survives_every_session() {
    for mode in [ConnectionMode::Replay, ConnectionMode::Resume, ConnectionMode::Auto] {
        for at in 0..40 {
            let (model, store) = (Model::new(Fault::FailsAt(at)), Arc::new(MemoryStore::new()));
            let tools = toolbox([with(note(&Notes::default()))]);
            let agent = Agent::new(model.clone(), Arc::clone(&store))
                .with_tools(tools)
                .with_mode(mode)
                .with_instructions(INSTRUCTION);
            let _ = run(&agent, &store, "go", &CancellationToken::new()).await;
            let asked = model.asked.lock().unwrap().clone();
            if !asked.is_empty() {
                assert_kept(&asked);
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn system_prompt_survives_kill_fork_and_replay() {
    let stuck = Answer { deltas: vec![Ok(Delta::Text("§respond: I".to_owned()))], hangs: true };
    let answers = [answer(ANSWER), stuck].into_iter();
    let model = DeltaModel::new(answers.chain((0..5).map(|_| answer(ANSWER))));
    let store = Arc::new(MemoryStore::new());
    let agent = Agent::new(model.clone(), Arc::clone(&store)).with_instructions(INSTRUCTION);
    agent.ask_in("c", "one").await.unwrap();
    let second = Duration::from_secs(1);
    assert!(timeout(second, agent.run("c", "two", &mut |_| {})).await.is_err());
    assert_eq!(agent.resume("c", &[], &mut |_| {}).await.unwrap(), RunOutcome::Answered);
    let fork = agent.fork("c", 2, Scope::default()).await.unwrap();
    agent.ask_in(&*fork, "three").await.unwrap();
    let replayed = agent.replay("c", "again", &mut |_| {}).await;
    assert_eq!(replayed.unwrap(), RunOutcome::Answered);
    assert_eq!(model.asked().len(), 6);
    assert_kept(&model.asked());
}
