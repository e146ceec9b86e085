//! Messages of the person to a run that works: each is stored at once, is in the very next request
//! exactly once, and opens the next run if its own ends or dies first.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures_util::FutureExt as _;
use silcrow_agent::{
    Agent, Approvals, ConnectionMode, ErrorKind, OnDrop, RunOutcome, SteerMessage, StreamOptions,
};
use silcrow_event::{Entry, Event, Message, Role, RunEvent};
use silcrow_provider::{Delta, FinishReason};
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{ApprovalDecision, ApprovalScope, CancellationToken};
use tokio::runtime::{Builder, Runtime};

use crate::session_model::{Fault, Model, Notes, note};
use crate::streams::calls;
use crate::support::{Answer, DeltaModel, Random, echo, hangs, run, tool, toolbox, with};

fn answer(text: &str) -> Answer {
    let deltas = vec![Ok(Delta::Text(text.to_owned())), Ok(Delta::Done(FinishReason::Stop))];
    Answer { deltas, hangs: false }
}

#[tokio::test]
async fn message_follows_the_results_of_its_turn() {
    let model = DeltaModel::new([
        answer("§call: {\"name\":\"echo\"}\n§execute\n"),
        answer("§respond: both\n§end"),
    ]);
    let store = Arc::new(MemoryStore::new());
    let agent =
        Agent::new(model.clone(), Arc::clone(&store)).with_tools(toolbox([with(echo("echo"))]));
    let mut run = agent.stream_with("c", "one", StreamOptions::default().with_capacity(1));
    let handle = run.handle();
    assert_eq!(handle.steer(" \n").await.unwrap_err().kind(), ErrorKind::Refused);
    let mut users = Vec::new();
    while let Some(event) = run.next().await {
        let RunEvent::Entry(entry) = event else { continue };
        match entry.event {
            Event::Call(_) => handle.steer("two").await.unwrap(),
            Event::User { steer, .. } => users.push(steer),
            _ => {}
        }
    }
    assert_eq!(run.outcome().await.unwrap(), RunOutcome::Answered);
    assert_eq!(users, [false, true], "the message is shown, too");
    let last = model.asked().pop().unwrap().pop().unwrap().content.into_text();
    assert!(last.find("§result").unwrap() < last.find("two").unwrap(), "{last}");
    let error = handle.steer("three").await.unwrap_err();
    assert!(error.to_string().contains("the run is over"), "{error}");
}

#[tokio::test]
async fn message_after_the_answer_is_answered() {
    let pieces = ["§respond: one", " and", " one", " more\n§end"];
    let deltas = pieces.map(|piece| Ok(Delta::Text(piece.to_owned())));
    let deltas = deltas.into_iter().chain([Ok(Delta::Done(FinishReason::Stop))]).collect();
    let model = DeltaModel::new([Answer { deltas, hangs: false }, answer("§respond: two\n§end")]);
    let agent = Agent::new(model.clone(), MemoryStore::new());
    let mut run = agent.stream_with("c", "first", StreamOptions::default().with_capacity(1));
    let handle = run.handle();
    let mut was_sent = false;
    while let Some(event) = run.next().await {
        // The channel has room for one event, so the rest of the answer is not read yet.
        if matches!(event, RunEvent::Text(_)) && !std::mem::replace(&mut was_sent, true) {
            handle.steer("second").await.unwrap();
        }
    }
    assert_eq!(run.answer().await.unwrap().text, "two");
    let asked = model.asked();
    assert_eq!((asked.len(), &*asked[1].last().unwrap().text()), (2, "second"));
}

#[tokio::test]
async fn message_to_cancelled_run_opens_the_next() {
    let store = Arc::new(MemoryStore::new());
    let agent =
        Agent::new(calls("hangs"), store.clone()).with_tools(toolbox([with(hangs("hangs"))]));
    let mut stopped = agent.stream("c", "go");
    let handle = stopped.handle();
    while let Some(event) = stopped.next().await {
        if matches!(event, RunEvent::Entry(entry) if entry.event == Event::Execute) {
            handle.steer("and then?").await.unwrap();
            handle.cancel();
        }
    }
    assert_eq!(stopped.outcome().await.unwrap(), RunOutcome::Interrupted);
    let model = DeltaModel::new([answer("§respond: then\n§end")]);
    let agent = Agent::new(model.clone(), store.clone());
    let ended = run(&agent, &store, "go on", &CancellationToken::new()).await.ended;
    assert_eq!(ended.unwrap(), RunOutcome::Answered);
    let last = model.asked()[0].last().unwrap().text().into_owned();
    assert!(last.find("and then?").unwrap() < last.find("go on").unwrap(), "{last}");
}

#[tokio::test]
async fn message_may_drop_waiting_calls() {
    let ask = tool("ask", |_, _| panic!("it was dropped")).asking();
    let model = DeltaModel::new([
        answer("§call: {\"name\":\"echo\"}\n§call: {\"name\":\"ask\"}\n§execute\n"),
        answer("§respond: as you say\n§end"),
    ]);
    let store = Arc::new(MemoryStore::new());
    let agent = Agent::new(model.clone(), Arc::clone(&store))
        .with_tools(toolbox([with(echo("echo")), with(ask)]));
    let options = StreamOptions::default().with_approvals(Approvals::Handle);
    let mut run = agent.stream_with("c", "go", options);
    let handle = run.handle();
    let mut number = None;
    while let Some(event) = run.next().await {
        if let RunEvent::Approval(prompt) = event {
            number = Some(prompt.number);
            handle.steer(SteerMessage::new("never mind").with_dropped_calls()).await.unwrap();
        }
    }
    assert_eq!(run.outcome().await.unwrap(), RunOutcome::Answered);
    let yes = ApprovalDecision::Allow(ApprovalScope::Once);
    assert!(!handle.answer(number.unwrap(), yes), "the question is closed");
    let entries = entries(&store).await;
    let results = entries.iter().filter_map(|entry| match &entry.event {
        Event::Result(result) => Some(result.content.text()),
        _ => None,
    });
    let results: Vec<_> = results.collect();
    assert_eq!(results.len(), 2);
    assert_eq!(results[0], "{}");
    assert!(results[1].contains("dropped the calls that waited"), "{results:?}");
}

#[tokio::test]
async fn waiting_messages_are_limited() {
    let agent =
        Agent::new(calls("hangs"), MemoryStore::new()).with_tools(toolbox([with(hangs("hangs"))]));
    let run = agent.stream("c", "go");
    let handle = run.handle();
    // The run has not been polled yet, so it stores none of them.
    let sent: Vec<_> =
        (0..100).map(|number| handle.steer(number.to_string()).now_or_never()).collect();
    let refused: Vec<_> = sent.into_iter().flatten().filter_map(Result::err).collect();
    assert_eq!(refused.len(), 36);
    assert!(refused.iter().all(|error| error.kind() == ErrorKind::Refused));
}

/// The words are in each request after the turn in which they were stored, once and in one place;
/// in a session they are sent over it.
#[tokio::test]
async fn message_at_any_moment_is_in_next_request() {
    let mut read = 0;
    for (mode, seed) in modes(RUNS) {
        let mut random = Random(seed);
        let (model, store) = (Model::new(Fault::None), Arc::new(MemoryStore::new()));
        let (_, stored) = steered(&model, &store, mode, &mut random, usize::MAX).await;
        let asked = model.asked.lock().unwrap().clone();
        for (turn, words) in stored {
            let places = asked.iter().map(|messages| places(messages, &words));
            for (place, request) in places.zip(1_u32..) {
                assert_eq!(place.len(), usize::from(request > turn), "{mode} {seed}: {words}");
                read += place.len();
            }
        }
        for (one, next) in asked.iter().zip(&asked[1..]) {
            assert!(next.starts_with(one), "{mode} {seed}: what was sent stays as it was");
        }
        if mode == ConnectionMode::Resume {
            let of_others = asked.last().unwrap().iter();
            let of_others = of_others.filter(|message| message.role != Role::Assistant).count();
            assert_eq!(model.sent.load(Ordering::SeqCst), of_others as u64, "one session");
        }
    }
    assert!(read > 100, "most words came too late to be read");
}

/// A run is killed at a random moment after words were sent, or while they are sent.
#[test]
fn steering_a_dying_run_opens_the_next() {
    let mut survived = 0;
    for (mode, seed) in modes(RUNS) {
        let mut random = Random(seed ^ 0x5555);
        let (model, store) = (Model::new(Fault::None), Arc::new(MemoryStore::new()));
        let killed = runtime();
        let most = random.below(MOMENTS);
        let accepted = killed.block_on(steered(&model, &store, mode, &mut random, most as usize)).0;
        // Its tasks end where they are.
        drop(killed);
        runtime().block_on(async {
            let stored = words(&entries(&store).await);
            assert!(accepted.iter().all(|words| stored.iter().any(|(_, other)| other == words)));
            let model = Model::new(Fault::None);
            let ended = agent(&model, &store, mode).run("c", "go on", &mut |_| {}).await;
            assert_eq!(ended.unwrap(), RunOutcome::Answered);
            for messages in &*model.asked.lock().unwrap() {
                for (_, words) in &stored {
                    assert_eq!(places(messages, words).len(), 1, "{mode} {seed}: {words}");
                    survived += 1;
                }
            }
        });
    }
    assert!(survived > 100, "most runs died too early");
}

/// The number of runs in each mode.
const RUNS: u64 = 250;

/// More than the number of events of a run.
const MOMENTS: u64 = 40;

fn modes(runs: u64) -> impl Iterator<Item = (ConnectionMode, u64)> {
    let modes = [ConnectionMode::Replay, ConnectionMode::Resume];
    let seeds = silcrow_testkit::run_seeds(runs);
    modes.into_iter().flat_map(move |mode| seeds.clone().map(move |seed| (mode, seed)))
}

fn agent(model: &Model, store: &Arc<MemoryStore>, mode: ConnectionMode) -> Agent {
    let tools = toolbox([with(note(&Notes::default()))]);
    Agent::new(model.clone(), Arc::clone(store)).with_tools(tools).with_mode(mode)
}

/// Runs an agent until so many events were read, and sends it words at up to three random moments.
/// Returns the words that were accepted, and the stored ones with their turns.
async fn steered(
    model: &Model,
    store: &Arc<MemoryStore>,
    mode: ConnectionMode,
    random: &mut Random,
    most: usize,
) -> (Vec<String>, Vec<(u32, String)>) {
    let capacity = 1 + random.below(4) as usize;
    let options = StreamOptions::default().with_capacity(capacity).with_on_drop(OnDrop::Detach);
    let moments: Vec<u64> = (0..3).map(|_| random.below(MOMENTS)).collect();
    let mut run = agent(model, store, mode).stream_with("c", "go", options);
    let handle = run.handle();
    let mut accepted = Vec::new();
    for at in 0..most {
        for (_, number) in moments.iter().zip(1..).filter(|(moment, _)| **moment == at as u64) {
            let words = format!("words-{at}-{number};");
            match at + 1 == most && random.below(2) == 0 {
                // The run is killed before it has read them, or right afterwards.
                true => drop(handle.steer(&*words).now_or_never()),
                false if handle.steer(&*words).await.is_ok() => accepted.push(words),
                false => {}
            }
        }
        if run.next().await.is_none() {
            break;
        }
    }
    let stored = words(&entries(store).await);
    (accepted, stored)
}

/// Returns the stored words that were sent to a run that worked, with their turns.
fn words(entries: &[Entry]) -> Vec<(u32, String)> {
    let words = entries.iter().filter_map(|entry| match &entry.event {
        Event::User { content, steer: true } => {
            Some((entry.turn.unwrap(), content.text().into_owned()))
        }
        _ => None,
    });
    words.collect()
}

/// Returns the number of the message of each place where the words are.
fn places(messages: &[Message], words: &str) -> Vec<usize> {
    let texts = messages.iter().enumerate();
    texts
        .flat_map(|(number, message)| vec![number; message.text().matches(words).count()])
        .collect()
}

async fn entries(store: &MemoryStore) -> Vec<Entry> {
    store.read("c", 1..=u64::MAX).await.unwrap()
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}
