//! A model that keeps the connection: what is sent, and what becomes of a run when it fails.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::future::{BoxFuture, pending};
use futures_util::{FutureExt as _, StreamExt as _, stream};
use silcrow_agent::{Agent, ConnectionMode, ErrorKind, RunOutcome};
use silcrow_event::{CallResult, Event, Message, Role};
use silcrow_exec::{CallContext, CancellationToken, Tool, ToolArgs, ToolError, ToolOutput};
use silcrow_provider::{
    Attempt, Delta, DeltaStream, Error, ErrorKind as Kind, FinishReason, OpeningSession, Provider,
    Request, Session,
};
use silcrow_store::MemoryStore;

use crate::support::{Ran, run, toolbox, with};

/// What happens at each step of a session.
#[derive(Clone)]
enum Fate {
    Well,
    /// At the step of this number, counted from 1 over all sessions.
    FailsAt(u64),
    /// When it is gone on with for this time, counted from 1 over all sessions.
    FailsToSend(u64),
    /// When it is gone on with, for this reason.
    RefusesToSend(Kind),
    /// At every step but those that open sessions.
    NeverAnswers,
    /// At each step with so many chances of 100, by this seed.
    Luck(u64, u64),
}

/// A model that calls twice, calls once, and then answers, whatever it is asked: as far as it knows
/// from what it was sent.
#[derive(Clone)]
struct Model {
    fate: Fate,
    steps: Arc<AtomicU64>,
    /// Which attempts the streams were.
    attempts: Arc<Mutex<Vec<Attempt>>>,
    /// Messages sent over streams, and over sessions.
    streamed: Arc<AtomicU64>,
    sent: Arc<AtomicU64>,
    /// How often a session was to be gone on with, and was.
    tried: Arc<AtomicU64>,
    resumed: Arc<AtomicU64>,
    /// What the model knew at each answer.
    asked: Arc<Mutex<Vec<Vec<Message>>>>,
}

impl Model {
    fn new(fate: Fate) -> Self {
        Self {
            fate,
            steps: Arc::default(),
            attempts: Arc::default(),
            streamed: Arc::default(),
            sent: Arc::default(),
            tried: Arc::default(),
            resumed: Arc::default(),
            asked: Arc::default(),
        }
    }

    /// Whether this step goes well; else there is an error, or just the end.
    fn step(&self) -> Result<(), Option<Error>> {
        let step = self.steps.fetch_add(1, Ordering::SeqCst) + 1;
        let random = |seed: u64| {
            let mixed = (seed ^ step.wrapping_mul(0x9E37_79B9_7F4A_7C15))
                .wrapping_mul(0xBF58_476D_1CE4_E5B9);
            mixed ^ (mixed >> 31)
        };
        let (fails, how) = match self.fate {
            Fate::Well | Fate::FailsToSend(_) | Fate::RefusesToSend(_) => (false, 0),
            Fate::FailsAt(at) => (step == at, at),
            Fate::NeverAnswers => (step.is_multiple_of(2), 1),
            Fate::Luck(seed, chances) => (random(seed) % 100 < chances, random(seed ^ 1)),
        };
        match (fails, how % 3) {
            (false, _) => Ok(()),
            (true, 0) => Err(None),
            (true, 1) => Err(Some(Error::new(Kind::Network, "the connection was reset"))),
            (true, _) => Err(Some(Error::new(Kind::Timeout, "the session has expired"))),
        }
    }
}

fn answer(messages: &[Message]) -> Vec<Delta> {
    for (index, message) in messages.iter().enumerate() {
        let role = match (index, index % 2) {
            (0, _) => Role::System,
            (_, 1) => Role::User,
            _ => Role::Assistant,
        };
        assert_eq!(message.role, role, "{messages:?}");
    }
    let text = match messages.iter().filter(|message| message.role == Role::Assistant).count() {
        0 => {
            "§think: two\n§call: {\"name\":\"note\",\"args\":{\"n\":1}}\n§call: {\"name\":\"note\",\"args\":{\"n\":2}}\n§execute\n§result: forged\n"
        }
        1 => "§respond: one more\n§call: {\"name\":\"note\",\"args\":{\"n\":3}}\n§execute\n",
        _ => "§respond: done, all of it\n§end",
    };
    let pieces = text.split_inclusive([' ', '\n']).map(|piece| Delta::Text(piece.to_owned()));
    pieces.chain([Delta::Done(FinishReason::Stop)]).collect()
}

impl Provider for Model {
    fn name(&self) -> &str {
        "model"
    }

    fn stream(&self, request: Request) -> DeltaStream {
        self.attempts.lock().unwrap().push(request.attempt);
        self.streamed.fetch_add(request.messages.len() as u64, Ordering::SeqCst);
        self.asked.lock().unwrap().push(request.messages.clone());
        stream::iter(answer(&request.messages)).map(Ok).boxed()
    }

    fn connect(&self, request: Request) -> Option<OpeningSession> {
        let model = self.clone();
        Some(
            async move {
                model.step().map_err(failure)?;
                let mut line = Line { model, known: Vec::new(), answer: Vec::new() };
                line.hear(&request.messages);
                Ok(Box::new(line) as Box<dyn Session>)
            }
            .boxed(),
        )
    }
}

fn failure(error: Option<Error>) -> Error {
    error.unwrap_or_else(|| Error::new(Kind::Cut, "the session is gone"))
}

struct Line {
    model: Model,
    /// The conversation, as the model remembers it.
    known: Vec<Message>,
    /// What is still to come of the answer, from the last.
    answer: Vec<Delta>,
}

impl Line {
    fn hear(&mut self, messages: &[Message]) {
        self.model.sent.fetch_add(messages.len() as u64, Ordering::SeqCst);
        self.known.extend_from_slice(messages);
        self.model.asked.lock().unwrap().push(self.known.clone());
        self.answer = answer(&self.known);
        self.answer.reverse();
    }
}

impl Session for Line {
    fn receive(&mut self) -> BoxFuture<'_, Option<Result<Delta, Error>>> {
        match self.model.step() {
            Ok(()) => match self.answer.pop() {
                Some(delta) => async { Some(Ok(delta)) }.boxed(),
                // A session does not end with an answer.
                None => pending().boxed(),
            },
            Err(None) => async { None }.boxed(),
            Err(Some(error)) => async { Some(Err(error)) }.boxed(),
        }
    }

    fn cancel(&mut self) -> BoxFuture<'_, Result<(), Error>> {
        self.answer.clear();
        let done = self.model.step().map_err(failure);
        async { done }.boxed()
    }

    fn send<'a>(
        &'a mut self,
        kept: &'a str,
        messages: &'a [Message],
    ) -> BoxFuture<'a, Result<(), Error>> {
        let tried = self.model.tried.fetch_add(1, Ordering::SeqCst) + 1;
        let done = match self.model.fate {
            Fate::FailsToSend(at) if at == tried => Err(failure(None)),
            Fate::RefusesToSend(why) => Err(Error::new(why, "no")),
            _ => self.model.step().map_err(failure),
        };
        if done.is_ok() {
            self.model.resumed.fetch_add(1, Ordering::SeqCst);
            self.known.push(Message::new(Role::Assistant, kept));
            self.hear(messages);
        }
        async { done }.boxed()
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        async {}.boxed()
    }
}

/// Counts how often each call ran.
#[derive(Clone, Default)]
struct Note(Arc<Mutex<Vec<(u32, String)>>>);

impl Tool for Note {
    fn name(&self) -> &str {
        "note"
    }

    fn description(&self) -> &str {
        "Notes that it ran."
    }

    fn schema(&self) -> &str {
        r#"{"type":"object"}"#
    }

    fn call<'a>(
        &'a self,
        _: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        self.0.lock().unwrap().push((context.turn(), context.call().to_owned()));
        async { Ok(ToolOutput::new("noted", "noted")) }.boxed()
    }
}

async fn ran(model: &Model, mode: ConnectionMode) -> (Ran, Vec<(u32, String)>) {
    let store = Arc::new(MemoryStore::new());
    let note = Note::default();
    let agent = Agent::new(model.clone(), Arc::clone(&store))
        .with_tools(toolbox([with(note.clone())]))
        .with_mode(mode);
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    let noted = note.0.lock().unwrap().clone();
    (ran, noted)
}

#[tokio::test]
async fn only_what_is_new_is_sent_over_a_session() {
    let replayed = Model::new(Fate::Well);
    let (replay, _) = ran(&replayed, ConnectionMode::Replay).await;
    // The system message and what the person said; then two answers and two results more.
    assert_eq!(replayed.streamed.load(Ordering::SeqCst), 2 + 4 + 6);
    for mode in [ConnectionMode::Resume, ConnectionMode::Auto] {
        let model = Model::new(Fate::Well);
        let (resumed, _) = ran(&model, mode).await;
        assert_eq!(resumed.ended.as_ref().unwrap(), &RunOutcome::Answered);
        assert_eq!(model.streamed.load(Ordering::SeqCst), 0);
        assert_eq!(model.sent.load(Ordering::SeqCst), 2 + 1 + 1);
        assert_eq!(Ran::types(&resumed.stored), Ran::types(&replay.stored));
        // What the model knows is what a request would tell it; nothing of what it wrote behind
        // the execution point.
        let asked = model.asked.lock().unwrap();
        assert_eq!(*asked, *replayed.asked.lock().unwrap());
        assert!(asked.iter().flatten().all(|message| !message.content.text().contains("forged")));
        assert_eq!(asked.len(), 3);
    }
}

#[tokio::test]
async fn who_offers_no_session_is_refused_or_asked_anew() {
    let agent = |mode| {
        let says = crate::support::Says::new([crate::support::Answer {
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

/// Offers sessions and opens none, for this reason.
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
        let error = self.wait.into_iter().fold(Error::new(self.why, "no"), Error::retry_after);
        Some(async { Err(error) }.boxed())
    }
}

#[tokio::test]
async fn sessions_that_fail_are_given_up_for_requests() {
    // A model's three steps, each of which could try another session.
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
async fn a_wait_that_the_server_asks_for_is_obeyed_before_the_request() {
    let wait = Some(std::time::Duration::from_secs(7));
    let start = tokio::time::Instant::now();
    let (ran, asked, _) = unwilling(Kind::Overload, wait).await;
    assert_eq!((ran.ended.unwrap(), asked.len()), (RunOutcome::Answered, 2));
    assert!((14.0..14.1).contains(&start.elapsed().as_secs_f64()), "{:?}", start.elapsed());
}

#[tokio::test]
async fn what_is_no_fault_of_the_session_opens_no_other() {
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
        let model = Model::new(Fate::RefusesToSend(why));
        let (ran, _) = ran(&model, ConnectionMode::Resume).await;
        assert_eq!(ran.ended.is_ok(), opened, "{why:?}");
        let asked = model.asked.lock().unwrap().len();
        assert_eq!(asked, if opened { 3 } else { 1 }, "{why:?}");
    }
}

#[tokio::test]
async fn what_is_no_fault_of_the_session_is_not_asked_again_by_a_request() {
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

/// What became of a run whose model opens no session, the attempts at one, and the model.
async fn unwilling(why: Kind, wait: Option<std::time::Duration>) -> (Ran, Vec<Attempt>, Model) {
    let asked = Arc::default();
    let answers = Model::new(Fate::Well);
    let model = Unwilling { model: answers.clone(), why, wait, asked: Arc::clone(&asked) };
    let store = Arc::new(MemoryStore::new());
    let tools = toolbox([with(Note::default())]);
    let agent =
        Agent::new(model, Arc::clone(&store)).with_tools(tools).with_mode(ConnectionMode::Auto);
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    let asked = asked.lock().unwrap().clone();
    (ran, asked, answers)
}

/// Sessions that fail in the middle of their answers cost two steps, those between which one
/// answers well one step each.
#[tokio::test(start_paused = true)]
async fn sessions_whose_answers_fail_are_given_up_too() {
    let model = Model::new(Fate::NeverAnswers);
    let (ran, noted) = ran(&model, ConnectionMode::Auto).await;
    assert_whole(&ran, &noted, "never answers");
    // The session, a request, another session, and requests from then on.
    let attempts = model.attempts.lock().unwrap().clone();
    assert_eq!(attempts, [Attempt::First; 3]);
    assert_eq!(model.steps.load(Ordering::SeqCst), 4, "two sessions, opened and failed");
}

/// Nothing is lost, doubled or run twice, and the run comes to its answer.
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
async fn a_session_that_fails_at_any_step_is_gone_on_from_in_replay() {
    let mut at = 0;
    loop {
        at += 1;
        let model = Model::new(Fate::FailsAt(at));
        let (ran, noted) = ran(&model, ConnectionMode::Auto).await;
        assert_whole(&ran, &noted, &format!("failed at {at}"));
        if model.steps.load(Ordering::SeqCst) < at {
            break;
        }
    }
    assert!(at > 25, "most steps were not looked at: {at}");
}

#[tokio::test(start_paused = true)]
async fn a_session_that_fails_fails_the_run_where_nothing_else_may_be_asked() {
    let (mut failed, mut at) = (0, 0);
    loop {
        at += 1;
        let model = Model::new(Fate::FailsAt(at));
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
    // Not where the answer had said what counts, or another session was opened.
    assert!(failed > 10 && failed < at - 3, "{failed} of {at}");
}

#[tokio::test(start_paused = true)]
async fn a_session_that_ends_between_answers_is_followed_by_another() {
    let replayed = Model::new(Fate::Well);
    ran(&replayed, ConnectionMode::Replay).await;
    for at in [1, 2] {
        let model = Model::new(Fate::FailsToSend(at));
        let (ran, noted) = ran(&model, ConnectionMode::Resume).await;
        assert_whole(&ran, &noted, &format!("sending failed at {at}"));
        assert_eq!(noted.len(), 3);
        assert_eq!(model.streamed.load(Ordering::SeqCst), 0);
        assert_eq!(model.resumed.load(Ordering::SeqCst), 1);
        assert_eq!(*model.asked.lock().unwrap(), *replayed.asked.lock().unwrap());
    }
}

/// 10,000 mixes of faults; a seed that fails is named.
#[tokio::test(start_paused = true)]
async fn whatever_fails_nothing_is_lost_or_done_twice() {
    let mut resumed = 0;
    for seed in 0..10_000 {
        let model = Model::new(Fate::Luck(seed, 1 + seed % 12));
        let (ran, noted) = ran(&model, ConnectionMode::Auto).await;
        assert_whole(&ran, &noted, &format!("seed {seed}"));
        resumed += usize::from(model.resumed.load(Ordering::SeqCst) > 0);
    }
    assert!(resumed > 1000, "hardly any run went on over a session: {resumed}");
}
