//! Runs whose connection to the model fails.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use silcrow_agent::{Agent, ConnectionMode, ErrorKind, RunOutcome};
use silcrow_event::{CallResult, Event};
use silcrow_provider::{
    Attempt, DeltaStream, Error, ErrorKind as Kind, OpeningSession, Provider, Request,
};
use silcrow_store::MemoryStore;
use silcrow_tool::CancellationToken;

use crate::session_model::{Fault, Model, Notes, note, ran};
use crate::support::{Ran, run, toolbox, with};

/// A model that offers sessions and fails to open them, with this error.
struct Unwilling {
    model: Model,
    why: Kind,
    wait: Option<std::time::Duration>,
    asked: Arc<Mutex<Vec<Attempt>>>,
}

impl Provider for Unwilling {
    fn name(&self) -> &str {
        "unwilling"
    }

    fn stream(&self, request: Request) -> DeltaStream {
        self.model.stream(request)
    }

    fn connect(&self, request: Request) -> Option<OpeningSession> {
        self.asked.lock().unwrap().push(request.attempt);
        let error = self.wait.into_iter().fold(Error::new(self.why, "no"), Error::with_retry_after);
        Some(async { Err(error) }.boxed())
    }
}

#[tokio::test]
async fn failing_sessions_fall_back_to_requests() {
    // Each of the model's three steps could try another session.
    let ways = [
        (Kind::Malformed, 1, Attempt::First),
        (Kind::Timeout, 1, Attempt::First),
        (Kind::Network, 2, Attempt::First),
        (Kind::Cut, 2, Attempt::First),
        (Kind::Overload, 2, Attempt::Second),
        (Kind::Rate, 2, Attempt::Second),
    ];
    for (why, times, attempt) in ways {
        let (ran, asked, model) = unwilling(why, None).await;
        assert_eq!(ran.ended.unwrap(), RunOutcome::Answered, "{why:?}");
        assert_eq!(asked, [Attempt::Only].repeat(times), "{why:?}");
        let mut attempts = vec![attempt; times];
        attempts.resize(3, Attempt::First);
        assert_eq!(*model.attempts.lock().unwrap(), attempts, "{why:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn requested_wait_precedes_the_request() {
    let wait = Some(std::time::Duration::from_secs(7));
    let start = tokio::time::Instant::now();
    let (ran, asked, _) = unwilling(Kind::Overload, wait).await;
    assert_eq!((ran.ended.unwrap(), asked.len()), (RunOutcome::Answered, 2));
    assert!((14.0..14.1).contains(&start.elapsed().as_secs_f64()), "{:?}", start.elapsed());
}

#[tokio::test]
async fn other_faults_open_no_session() {
    for (why, opened) in [
        (Kind::Network, true),
        (Kind::Cut, true),
        // Asked again by the provider, as often as that may be.
        (Kind::Rate, false),
        (Kind::Overload, false),
        (Kind::Auth, false),
        (Kind::Refused, false),
        (Kind::ContextTooLong, false),
    ] {
        let model = Model::new(Fault::RefusesToSend(why));
        let (ran, _) = ran(&model, ConnectionMode::Resume).await;
        assert_eq!(ran.ended.is_ok(), opened, "{why:?}");
        let asked = model.asked.lock().unwrap().len();
        assert_eq!(asked, if opened { 3 } else { 1 }, "{why:?}");
    }
}

#[tokio::test]
async fn other_faults_are_not_retried_by_request() {
    let long = Some(std::time::Duration::from_secs(61));
    for (why, wait) in [
        (Kind::Auth, None),
        (Kind::Refused, None),
        (Kind::ContextTooLong, None),
        (Kind::Rate, long),
    ] {
        let (ran, asked, model) = unwilling(why, wait).await;
        assert_eq!(ran.ended.unwrap_err().kind(), ErrorKind::Provider(why));
        assert_eq!((asked.len(), model.streamed.load(Ordering::SeqCst)), (1, 0), "{why:?}");
    }
}

/// Runs with a model that opens no session. Returns the run, the attempts at a session, and the
/// model.
async fn unwilling(why: Kind, wait: Option<std::time::Duration>) -> (Ran, Vec<Attempt>, Model) {
    let asked = Arc::default();
    let answers = Model::new(Fault::None);
    let model = Unwilling { model: answers.clone(), why, wait, asked: Arc::clone(&asked) };
    let store = Arc::new(MemoryStore::new());
    let tools = toolbox([with(note(&Notes::default()))]);
    let agent =
        Agent::new(model, Arc::clone(&store)).with_tools(tools).with_mode(ConnectionMode::Auto);
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    let asked = asked.lock().unwrap().clone();
    (ran, asked, answers)
}

/// After two sessions that fail in the middle of their answers, no other is tried.
#[tokio::test(start_paused = true)]
async fn sessions_with_failing_answers_are_abandoned_too() {
    let model = Model::new(Fault::NeverAnswers);
    let (ran, noted) = ran(&model, ConnectionMode::Auto).await;
    assert_whole(&ran, &noted, "never answers");
    // The session, a request, another session, and requests from then on.
    let attempts = model.attempts.lock().unwrap().clone();
    assert_eq!(attempts, [Attempt::First; 3]);
    assert_eq!(model.steps.load(Ordering::SeqCst), 4, "two sessions, opened and failed");
}

/// Asserts that nothing is lost or run twice, and that the run has answered.
fn assert_whole(ran: &Ran, noted: &[(u32, String)], what: &str) {
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered, "{what}");
    let once: BTreeSet<_> = noted.iter().collect();
    assert_eq!(once.len(), noted.len(), "{what}: a tool ran twice: {noted:?}");
    let (mut calls, mut results) = (BTreeSet::new(), BTreeSet::new());
    for entry in &ran.stored {
        let key = |id: &str| (entry.turn.unwrap(), id.to_owned());
        match &entry.event {
            Event::Call(call) => assert!(calls.insert(key(call.id())), "{what}"),
            // A call that was cut off has a result alone.
            Event::Result(CallResult { id: Some(id), .. }) => {
                assert!(results.insert(key(id)), "{what}: two results");
            }
            _ => {}
        }
    }
    assert!(calls.is_subset(&results), "{what}: {calls:?} {results:?}");
    assert!(once.iter().all(|ran| calls.contains(*ran)), "{what}");
    let shown: Vec<_> = ran.shown.iter().filter(|entry| entry.event.is_stored()).collect();
    assert_eq!(shown, ran.stored.iter().collect::<Vec<_>>(), "{what}: shown once, as stored");
    let said = ran.stored.iter().filter_map(|entry| match &entry.event {
        Event::Think(think) => Some(think.content.trim_end()),
        Event::Respond(respond) => Some(respond.content.trim_end()),
        _ => None,
    });
    let pieces = ran.text.iter().map(|(_, text)| text.trim_end());
    assert!(said.eq(pieces), "{what}: {:?}", ran.text);
}

#[tokio::test(start_paused = true)]
async fn failed_session_continues_as_replay() {
    let mut at = 0;
    loop {
        at += 1;
        let model = Model::new(Fault::FailsAt(at));
        let (ran, noted) = ran(&model, ConnectionMode::Auto).await;
        assert_whole(&ran, &noted, &format!("failed at {at}"));
        if model.steps.load(Ordering::SeqCst) < at {
            break;
        }
    }
    assert!(at > 25, "most steps were not looked at: {at}");
}

#[tokio::test(start_paused = true)]
async fn session_only_run_fails_with_its_session() {
    let (mut failed, mut at) = (0, 0);
    loop {
        at += 1;
        let model = Model::new(Fault::FailsAt(at));
        let (ran, noted) = ran(&model, ConnectionMode::Resume).await;
        assert_eq!(model.streamed.load(Ordering::SeqCst), 0, "failed at {at}: a request");
        match &ran.ended {
            Ok(_) => assert_whole(&ran, &noted, &format!("failed at {at}")),
            Err(error) => {
                assert!(matches!(error.kind(), ErrorKind::Provider(_)));
                failed += 1;
            }
        }
        if model.steps.load(Ordering::SeqCst) < at {
            break;
        }
    }
    // A run does not fail if its answer was already complete, or if another session was opened.
    assert!(failed > 10 && failed < at - 3, "{failed} of {at}");
}

#[tokio::test(start_paused = true)]
async fn ended_session_is_replaced_between_answers() {
    let replayed = Model::new(Fault::None);
    ran(&replayed, ConnectionMode::Replay).await;
    for at in [1, 2] {
        let model = Model::new(Fault::FailsToSend(at));
        let (ran, noted) = ran(&model, ConnectionMode::Resume).await;
        assert_whole(&ran, &noted, &format!("sending failed at {at}"));
        assert_eq!(noted.len(), 3);
        assert_eq!(model.streamed.load(Ordering::SeqCst), 0);
        assert_eq!(model.resumed.load(Ordering::SeqCst), 1);
        assert_eq!(*model.asked.lock().unwrap(), *replayed.asked.lock().unwrap());
    }
}

/// Runs mixtures of faults. The message of a failure has its seed. SILCROW_FAULT_MIXTURES says how
/// many there are.
#[tokio::test(start_paused = true)]
#[expect(clippy::print_stdout, reason = "a campaign prints it")]
async fn no_fault_loses_or_repeats_work() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let mixtures: u64 = number("SILCROW_FAULT_MIXTURES").unwrap_or(2_500);
    let mut resumed = 0;
    for seed in silcrow_testkit::run_seeds(mixtures) {
        let model = Model::new(Fault::Random(seed, 1 + seed % 12));
        let (ran, noted) = ran(&model, ConnectionMode::Auto).await;
        assert_whole(&ran, &noted, &format!("seed {seed}"));
        resumed += u64::from(model.resumed.load(Ordering::SeqCst) > 0);
    }
    println!("@ tried {mixtures} mixtures of faults, {resumed} of them with a session");
    assert!(resumed > mixtures / 10, "hardly any run went on over a session: {resumed}");
}
