//! Answers that are cut in the middle, by requests.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::{StreamExt as _, stream};
use silcrow_agent::{Agent, ErrorKind, RunOutcome};
use silcrow_event::{Event, Message, Role};
use silcrow_parser::Dialect;
use silcrow_provider::{
    Delta, DeltaStream, Error, ErrorKind as Kind, FinishReason, OpeningSession, Provider, Request,
};
use silcrow_store::MemoryStore;
use silcrow_tool::CancellationToken;

use crate::support::{Answer, DeltaModel, Ran, echo, run, toolbox, with};

/// The way in which an answer is cut.
#[derive(Clone, Copy, Debug)]
enum Cut {
    /// The stream ends without its end mark.
    Silently,
    By(Kind),
}

/// A model that calls and then answers; its messages show whether it has called. Its stream is cut
/// before each delta of these numbers, counted over all of its answers.
#[derive(Clone)]
struct Model {
    dialect: Dialect,
    cut: Cut,
    at: Arc<dyn Fn(usize) -> bool + Send + Sync>,
    deltas: Arc<AtomicUsize>,
    asked: Arc<Mutex<Vec<Vec<Message>>>>,
}

impl Model {
    fn new(dialect: Dialect, cut: Cut, at: impl Fn(usize) -> bool + Send + Sync + 'static) -> Self {
        Self { dialect, cut, at: Arc::new(at), deltas: Arc::default(), asked: Arc::default() }
    }
}

impl Provider for Model {
    fn name(&self) -> &str {
        "model"
    }

    fn stream(&self, request: Request) -> DeltaStream {
        self.asked.lock().unwrap().push(request.messages.to_vec());
        let echoed = request.messages.iter().any(|message| {
            message.role == Role::User && message.content.text().contains("both were echoed")
        });
        let text = match (self.dialect, echoed) {
            (Dialect::Sigil, false) => {
                "§think: two\n§respond: I look.\n§call: {\"name\":\"echo\",\"args\":{\"n\":\"both were echoed\"}}\n§call: {\"name\":\"echo\"}\n§execute\n"
            }
            (Dialect::Sigil, true) => "§think: so\n§respond: done, all of it\n§end",
            (Dialect::Phase, false) => {
                "<think>two</think>I look.<execute>[{\"name\":\"echo\",\"args\":{\"n\":\"both were echoed\"}},{\"name\":\"echo\"}]</execute>"
            }
            (Dialect::Phase, true) => "<think>so</think>done, all of it<end>",
            (_, false) => {
                "<thought>two</thought><action id=\"x\">{\"name\":\"echo\",\"parameters\":{\"n\":\"both were echoed\"}}</action><response final=\"false\">I look.</response>"
            }
            (_, true) => "<thought>so</thought><response>done, all of it</response>",
        };
        let pieces = text.split_inclusive([' ', '\n', '>']);
        let mut deltas: Vec<_> = pieces.map(|piece| Ok(Delta::Text(piece.to_owned()))).collect();
        deltas.insert(1, Ok(Delta::Reasoning("beside it".to_owned())));
        deltas.push(Ok(Delta::Done(FinishReason::Stop)));
        let model = self.clone();
        let cut = move |delta: Result<Delta, Error>| {
            let number = model.deltas.fetch_add(1, Ordering::SeqCst) + 1;
            match ((model.at)(number), model.cut) {
                (false, _) => Some(delta),
                (true, Cut::Silently) => None,
                (true, Cut::By(kind)) => Some(Err(Error::new(kind, "the connection was lost"))),
            }
        };
        let mut failed = false;
        let taken = deltas.into_iter().map_while(move |delta| {
            let delta = if failed { None } else { cut(delta) };
            failed = matches!(delta, None | Some(Err(_)));
            delta
        });
        // The stream is lazy, so that only deltas that are read are counted.
        stream::iter(taken).boxed()
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}

async fn ran(model: &Model) -> Ran {
    let store = Arc::new(MemoryStore::new());
    let agent = Agent::new(model.clone(), Arc::clone(&store))
        .with_dialect(model.dialect)
        .with_tools(toolbox([with(echo("echo"))]));
    run(&agent, &store, "go", &CancellationToken::new()).await
}

/// Returns the number of errors that are shown, without diagnostics of the text.
fn failures(ran: &Ran) -> usize {
    let is_failure = |event: &Event| matches!(event, Event::Error(fault) if fault.at.is_none());
    ran.shown.iter().filter(|entry| is_failure(&entry.event)).count()
}

/// Asserts the requirements of every model: roles that alternate, and no empty message.
fn assert_valid(asked: &[Vec<Message>], what: &str) {
    for messages in asked {
        for (index, message) in messages.iter().enumerate() {
            let role = match (index, index % 2) {
                (0, _) => Role::System,
                (_, 1) => Role::User,
                _ => Role::Assistant,
            };
            assert_eq!(message.role, role, "{what}: {messages:?}");
            assert!(!message.content.text().trim().is_empty(), "{what}");
        }
        assert_eq!(messages.last().unwrap().role, Role::User, "{what}");
    }
}

fn assert_answered_once(ran: &Ran, what: &str) {
    let mut results = BTreeMap::new();
    for entry in &ran.stored {
        match &entry.event {
            Event::Call(call) => {
                results.entry((entry.turn, call.id().to_owned())).or_insert(0);
            }
            Event::Result(outcome) => {
                *results.entry((entry.turn, outcome.id.clone().unwrap())).or_default() += 1;
            }
            _ => {}
        }
    }
    assert!(results.values().all(|count| *count == 1), "{what}: {results:?}");
}

#[tokio::test(start_paused = true)]
async fn answer_cut_at_any_delta_is_retried() {
    for dialect in [Dialect::Sigil, Dialect::Phase, Dialect::Action] {
        for cut in [Cut::Silently, Cut::By(Kind::Network), Cut::By(Kind::Timeout)] {
            let mut recovered = 0;
            for at in 1.. {
                let what = format!("{dialect:?}, {cut:?} at {at}");
                let model = Model::new(dialect, cut, move |number| number == at);
                let ran = ran(&model).await;
                let asked = model.asked.lock().unwrap();
                assert_valid(&asked, &what);
                assert_answered_once(&ran, &what);
                if model.deltas.load(Ordering::SeqCst) < at {
                    assert_eq!(asked.len(), 2, "{what}");
                    break;
                }
                match &ran.ended {
                    Ok(ending) => assert_eq!(*ending, RunOutcome::Answered, "{what}"),
                    // Nothing had arrived, so the provider repeats the request.
                    Err(error) => {
                        assert!(matches!(error.kind(), ErrorKind::Provider(_)), "{what}: {error}");
                        continue;
                    }
                }
                recovered += usize::from(asked.len() == 3);
                let last = ran.stored.last().unwrap();
                assert!(
                    matches!(&last.event, Event::Respond(respond) if respond.content == "done, all of it"),
                    "{what}: {last:?}"
                );
                assert_eq!(failures(&ran), 0);
            }
            assert!(recovered >= 6, "{dialect:?}, {cut:?}: {recovered}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn run_retries_twice_and_then_fails() {
    for cut in [Cut::Silently, Cut::By(Kind::Overload)] {
        // Each answer is cut before its third delta.
        let model = Model::new(Dialect::Sigil, cut, |number| number.is_multiple_of(3));
        let ran = ran(&model).await;
        assert!(matches!(ran.ended.as_ref().unwrap_err().kind(), ErrorKind::Provider(_)));
        assert_eq!(model.asked.lock().unwrap().len(), 3);
        assert_eq!(failures(&ran), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn permanent_faults_are_not_retried() {
    let model = Model::new(Dialect::Sigil, Cut::By(Kind::Refused), |number| number == 3);
    assert!(ran(&model).await.ended.is_err());
    assert_eq!(model.asked.lock().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn failed_server_is_retried_after_a_pause() {
    let seconds = std::time::Duration::from_secs;
    for (kind, wait, asked, least, most) in [
        (Kind::Overload, None, 3, 1.5, 1.9),
        (Kind::Rate, None, 3, 1.5, 1.9),
        (Kind::Overload, Some(seconds(7)), 3, 14.0, 14.4),
        (Kind::Rate, Some(seconds(60)), 3, 120.0, 120.4),
        // The person learns how long.
        (Kind::Overload, Some(seconds(61)), 1, 0.0, 0.1),
        // The connection failed, and not the server.
        (Kind::Network, None, 3, 0.0, 0.1),
    ] {
        let model = DeltaModel::new((0..3).map(|_| {
            let error = wait.into_iter().fold(Error::new(kind, "no"), Error::with_retry_after);
            Answer {
                deltas: vec![Ok(Delta::Text("§respond: I".to_owned())), Err(error)],
                hangs: false,
            }
        }));
        let store = Arc::new(MemoryStore::new());
        let agent = Agent::new(model.clone(), Arc::clone(&store));
        let start = tokio::time::Instant::now();
        assert!(run(&agent, &store, "go", &CancellationToken::new()).await.ended.is_err());
        let took = start.elapsed().as_secs_f64();
        assert_eq!(model.asked().len(), asked, "{kind:?} {wait:?}");
        assert!((least..most).contains(&took), "{kind:?} {wait:?}: {took}");
    }
}

#[tokio::test(start_paused = true)]
async fn last_step_is_not_retried() {
    let store = Arc::new(MemoryStore::new());
    let model = Model::new(Dialect::Sigil, Cut::Silently, |number| number == 3);
    let agent = Agent::new(model.clone(), Arc::clone(&store)).with_max_steps(1);
    assert!(run(&agent, &store, "go", &CancellationToken::new()).await.ended.is_err());
    assert_eq!(model.asked.lock().unwrap().len(), 1);
}
