//! A model whose summaries wait at a gate, and a conversation that takes a part of its window.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use futures_util::future::{BoxFuture, pending};
use futures_util::{FutureExt as _, StreamExt as _, stream};
use silcrow_agent::{Agent, ConnectionMode, Error, RunOutcome};
use silcrow_context::ModelLimits;
use silcrow_event::{Content, ContextSummary, Entry, Event, Message, Role, RunEventRef};
use silcrow_provider::{
    self as provider, Delta, DeltaStream, Estimate, FinishReason, OpeningSession, Provider,
    Request, Session,
};
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{CallContext, Scope, ToolOutput};
use tokio::sync::Semaphore;

use crate::support::{Doing, tool};

/// A model that answers as scripted. Each summary waits for a permit of the gate.
pub(crate) struct GatedModel {
    answers: Arc<Mutex<VecDeque<&'static str>>>,
    /// The permits to write a summary.
    pub(crate) gate: Arc<Semaphore>,
    /// Has a permit for each summary that is written.
    pub(crate) written: Arc<Semaphore>,
    /// Whether requests for a summary fail at the gate.
    pub(crate) fails: AtomicBool,
    asked: Arc<Mutex<Vec<Vec<Message>>>>,
    /// The number of streams of summaries that exist.
    open: Arc<AtomicUsize>,
    /// The number of sessions that were opened.
    pub(crate) sessions: AtomicUsize,
}

/// Counts a stream for as long as it exists.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, SeqCst);
        Self(Arc::clone(count))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

impl GatedModel {
    /// Returns the messages of each request.
    pub(crate) fn requests(&self) -> Vec<Vec<Message>> {
        self.asked.lock().unwrap().clone()
    }

    /// Returns the requests that were made, each with whether it is for a summary.
    pub(crate) fn asked(&self) -> Vec<(bool, String)> {
        let asked = self.asked.lock().unwrap();
        let whole = asked.iter().map(|messages| {
            let texts: Vec<_> = messages.iter().map(|message| message.text()).collect();
            let text = texts.join("\n");
            (text.ends_with("Write the notes now."), text)
        });
        whole.collect()
    }

    /// Returns the requests, in order: `summary` or `step`.
    pub(crate) fn kinds(&self) -> Vec<&'static str> {
        let asked = self.asked();
        asked.iter().map(|(is_summary, _)| if *is_summary { "summary" } else { "step" }).collect()
    }

    /// Returns the texts of the requests of steps.
    pub(crate) fn steps(&self) -> Vec<String> {
        let steps = self.asked().into_iter().filter(|(is_summary, _)| !is_summary);
        steps.map(|(_, text)| text).collect()
    }

    /// Returns the greatest number of tokens of a request.
    pub(crate) fn most(&self) -> u64 {
        let asked = self.asked.lock().unwrap();
        asked.iter().map(|messages| Estimate::of_messages(messages)).max().unwrap()
    }

    /// Returns the number of summaries that are being written.
    pub(crate) fn open(&self) -> usize {
        self.open.load(SeqCst)
    }

    /// Lets one summary be written, and waits until it is.
    pub(crate) async fn write_summary(&self) {
        self.gate.add_permits(1);
        self.written.acquire().await.unwrap().forget();
    }

    fn summary(&self) -> DeltaStream {
        let done = Ok(Delta::Done(FinishReason::Stop));
        let deltas = match self.fails.load(SeqCst) {
            true => vec![Err(provider::Error::new(provider::ErrorKind::Overload, "busy"))],
            false => vec![Ok(Delta::Text(NOTES.to_owned())), done],
        };
        let (gate, written) = (Arc::clone(&self.gate), Arc::clone(&self.written));
        let counted = Counted::new(&self.open);
        let opened = async move {
            gate.acquire().await.unwrap().forget();
            stream::iter(deltas)
        };
        let deltas = opened.into_stream().flatten();
        let deltas = deltas.inspect(move |delta| {
            let _ = &counted;
            if matches!(delta, Ok(Delta::Done(_)) | Err(_)) {
                written.add_permits(1);
            }
        });
        deltas.boxed()
    }
}

impl Provider for GatedModel {
    fn name(&self) -> &str {
        "gated"
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let is_summary = request.messages.last().unwrap().text().ends_with("notes now.");
        self.asked.lock().unwrap().push(request.messages.into());
        if is_summary {
            return self.summary();
        }
        stream::iter(next_answer(&self.answers).map(Ok)).boxed()
    }

    /// Opens a session, which only the mode `resume` asks for.
    fn connect(&self, request: Request) -> Option<OpeningSession> {
        self.sessions.fetch_add(1, SeqCst);
        self.asked.lock().unwrap().push(request.messages.to_vec());
        let (answers, asked) = (Arc::clone(&self.answers), Arc::clone(&self.asked));
        let answer = next_answer(&answers).into();
        let line = GatedLine { answers, asked, known: request.messages.into(), answer };
        Some(async { Ok(Box::new(line) as Box<dyn Session>) }.boxed())
    }
}

fn next_answer(answers: &Mutex<VecDeque<&'static str>>) -> [Delta; 2] {
    let answer = answers.lock().unwrap().pop_front().expect("another answer");
    [Delta::Text(answer.to_owned()), Delta::Done(FinishReason::Stop)]
}

/// A session with a gated model.
struct GatedLine {
    answers: Arc<Mutex<VecDeque<&'static str>>>,
    asked: Arc<Mutex<Vec<Vec<Message>>>>,
    /// The conversation, as the model remembers it.
    known: Vec<Message>,
    answer: VecDeque<Delta>,
}

impl Session for GatedLine {
    fn receive(&mut self) -> BoxFuture<'_, Option<Result<Delta, provider::Error>>> {
        match self.answer.pop_front() {
            Some(delta) => async { Some(Ok(delta)) }.boxed(),
            None => pending().boxed(),
        }
    }

    fn cancel(&mut self) -> BoxFuture<'_, Result<(), provider::Error>> {
        self.answer.clear();
        async { Ok(()) }.boxed()
    }

    fn send<'a>(
        &'a mut self,
        kept: &'a Content,
        messages: &'a [Message],
    ) -> BoxFuture<'a, Result<(), provider::Error>> {
        self.known.push(Message::new(Role::Assistant, kept.clone()));
        self.known.extend_from_slice(messages);
        self.asked.lock().unwrap().push(self.known.clone());
        self.answer = next_answer(&self.answers).into();
        async { Ok(()) }.boxed()
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        async {}.boxed()
    }
}

/// A conversation `c` with a gated model.
pub(crate) struct GatedTalk {
    pub(crate) model: Arc<GatedModel>,
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) agent: Agent,
}

impl GatedTalk {
    /// Begins a conversation of short turns that takes this part of the window, in percent.
    pub(crate) async fn new(percent: u64, answers: &[&'static str]) -> Self {
        let model = Arc::new(GatedModel {
            answers: Arc::new(Mutex::new(answers.iter().copied().collect())),
            gate: Arc::new(Semaphore::new(0)),
            written: Arc::new(Semaphore::new(0)),
            fails: AtomicBool::new(false),
            asked: Arc::default(),
            open: Arc::default(),
            sessions: AtomicUsize::new(0),
        });
        let store = Arc::new(MemoryStore::new());
        let limits = ModelLimits::default().with_context(8000);
        let agent = Agent::new(Arc::clone(&model), Arc::clone(&store))
            .with_model_limits(limits)
            .with_mode(ConnectionMode::Replay);
        let talk = Self { model, store, agent };
        for turn in 1.. {
            let context = talk.agent.next_context("c").await.unwrap();
            // An eighth of the window is kept for the answer.
            if context.tokens().sum::<u64>() * 100 >= 7000 * percent {
                break;
            }
            let said = "seals and walruses ".repeat(16);
            talk.append(turn, [Event::user(format!("{turn}: {said}")), Event::respond(said)]).await;
        }
        talk
    }

    /// Adds the tool `look`.
    pub(crate) fn with_look(
        mut self,
        look: impl Fn(CallContext) -> Doing + Send + Sync + 'static,
    ) -> Self {
        let look = tool("look", move |_, context| look(context));
        self.agent = self.agent.with_tool(look).unwrap();
        self
    }

    /// Stores events as another process does.
    pub(crate) async fn append(&self, turn: u32, events: impl IntoIterator<Item = Event>) {
        append(&self.store, turn, events).await;
    }

    pub(crate) async fn stored(&self) -> Vec<Entry> {
        self.store.read("c", 1..=u64::MAX).await.unwrap()
    }

    pub(crate) async fn summaries(&self) -> Vec<(Option<u32>, ContextSummary)> {
        let stored = self.stored().await.into_iter();
        let summaries = stored.filter_map(|entry| match entry.event {
            Event::Summary(summary) => Some((entry.turn, summary)),
            _ => None,
        });
        summaries.collect()
    }

    /// Runs a prompt in a scope, and shows each entry of the run.
    pub(crate) async fn run(
        &self,
        scope: Scope,
        mut show: impl FnMut(&Entry) + Send,
    ) -> Result<RunOutcome, Error> {
        let mut emit = |event: RunEventRef<'_>| {
            if let RunEventRef::Entry(entry) = event {
                show(entry);
            }
        };
        self.agent.run(scope, "look around", &mut emit).await
    }
}

pub(crate) async fn append(
    store: &MemoryStore,
    turn: u32,
    events: impl IntoIterator<Item = Event>,
) {
    let entries = events.into_iter().map(|event| Entry { turn: Some(turn), ..event.into() });
    let head = store.head("c").await.unwrap();
    store.append("c", head, entries.collect()).await.unwrap();
}

/// Returns the output of a call with a content of so many bytes.
pub(crate) fn seen(bytes: usize) -> ToolOutput {
    ToolOutput::new("looked", "x".repeat(bytes))
}

/// The words of a summary.
pub(crate) const NOTES: &str = "The person counts seals.";

/// An answer with a call, and one without.
pub(crate) const CALL: &str = "§call: {\"name\":\"look\"}\n§execute\n";
pub(crate) const ANSWER: &str = "§respond: seen\n§end";
