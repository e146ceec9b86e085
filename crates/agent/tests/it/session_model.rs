//! A model with sessions, which fails at the steps that a test chooses.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::future::{BoxFuture, pending};
use futures_util::{FutureExt as _, StreamExt as _, stream};
use silcrow_agent::{Agent, ConnectionMode};
use silcrow_event::{Content, Message, Role};
use silcrow_provider::{
    Attempt, Delta, DeltaStream, Error, ErrorKind as Kind, FinishReason, OpeningSession, Provider,
    Request, Session,
};
use silcrow_store::MemoryStore;
use silcrow_tool::{CallContext, CancellationToken, Tool, ToolOutput};

use crate::support::{Ran, run, tool, toolbox, with};

/// The faults at the steps of a session.
#[derive(Clone)]
pub(crate) enum Fault {
    None,
    /// The step with this number fails, counted from 1 over all sessions.
    FailsAt(u64),
    /// Sending with this number fails, counted from 1 over all sessions.
    FailsToSend(u64),
    /// All sending fails with an error of this kind.
    RefusesToSend(Kind),
    /// Every step fails, except those that open sessions.
    NeverAnswers,
    /// Each step fails with this probability in percent, by this seed.
    Random(u64, u64),
}

/// A model that makes two calls, then one, and then answers. Its messages show which step it is at.
#[derive(Clone)]
pub(crate) struct Model {
    fault: Fault,
    pub(crate) steps: Arc<AtomicU64>,
    /// The attempts of the requests for streams.
    pub(crate) attempts: Arc<Mutex<Vec<Attempt>>>,
    /// The number of messages sent over streams; the next field counts those over sessions.
    pub(crate) streamed: Arc<AtomicU64>,
    pub(crate) sent: Arc<AtomicU64>,
    /// The number of attempts to send over a session; the next field counts those that succeeded.
    pub(crate) tried: Arc<AtomicU64>,
    pub(crate) resumed: Arc<AtomicU64>,
    /// The messages that the model knew at each answer.
    pub(crate) asked: Arc<Mutex<Vec<Vec<Message>>>>,
}

impl Model {
    pub(crate) fn new(fault: Fault) -> Self {
        Self {
            fault,
            steps: Arc::default(),
            attempts: Arc::default(),
            streamed: Arc::default(),
            sent: Arc::default(),
            tried: Arc::default(),
            resumed: Arc::default(),
            asked: Arc::default(),
        }
    }

    /// Returns the fault of a step: an error, or the end of the connection.
    fn step(&self) -> Result<(), Option<Error>> {
        let step = self.steps.fetch_add(1, Ordering::SeqCst) + 1;
        let random = |seed: u64| {
            let mixed = (seed ^ step.wrapping_mul(0x9E37_79B9_7F4A_7C15))
                .wrapping_mul(0xBF58_476D_1CE4_E5B9);
            mixed ^ (mixed >> 31)
        };
        let (fails, how) = match self.fault {
            Fault::None | Fault::FailsToSend(_) | Fault::RefusesToSend(_) => (false, 0),
            Fault::FailsAt(at) => (step == at, at),
            Fault::NeverAnswers => (step.is_multiple_of(2), 1),
            Fault::Random(seed, chances) => (random(seed) % 100 < chances, random(seed ^ 1)),
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
        self.asked.lock().unwrap().push(request.messages.to_vec());
        stream::iter(answer(&request.messages)).map(Ok).boxed()
    }

    fn connect(&self, request: Request) -> Option<OpeningSession> {
        let model = self.clone();
        Some(
            async move {
                model.step().map_err(failure)?;
                let mut line = Line { model, known: Vec::new(), answer: Vec::new() };
                line.take(&request.messages);
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
    /// The rest of the answer, the last delta first.
    answer: Vec<Delta>,
}

impl Line {
    fn take(&mut self, messages: &[Message]) {
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
        kept: &'a Content,
        messages: &'a [Message],
    ) -> BoxFuture<'a, Result<(), Error>> {
        let tried = self.model.tried.fetch_add(1, Ordering::SeqCst) + 1;
        let done = match self.model.fault {
            Fault::FailsToSend(at) if at == tried => Err(failure(None)),
            Fault::RefusesToSend(why) => Err(Error::new(why, "no")),
            _ => self.model.step().map_err(failure),
        };
        if done.is_ok() {
            self.model.resumed.fetch_add(1, Ordering::SeqCst);
            self.known.push(Message::new(Role::Assistant, kept.clone()));
            self.take(messages);
        }
        async { done }.boxed()
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        async {}.boxed()
    }
}

/// The turn and the id of each call that ran.
pub(crate) type Notes = Arc<Mutex<Vec<(u32, String)>>>;

/// A tool that notes that it ran.
pub(crate) fn note(notes: &Notes) -> impl Tool + use<> {
    let notes = Arc::clone(notes);
    tool("note", move |_, context: CallContext| {
        notes.lock().unwrap().push((context.turn(), context.call_id().to_owned()));
        async { Ok(ToolOutput::new("noted", "noted")) }.boxed()
    })
}

pub(crate) async fn ran(model: &Model, mode: ConnectionMode) -> (Ran, Vec<(u32, String)>) {
    let store = Arc::new(MemoryStore::new());
    let notes = Notes::default();
    let agent = Agent::new(model.clone(), Arc::clone(&store))
        .with_tools(toolbox([with(note(&notes))]))
        .with_mode(mode)
        // The messages of two runs are compared, and their marks differ.
        .with_data_marks(false);
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    let noted = notes.lock().unwrap().clone();
    (ran, noted)
}
