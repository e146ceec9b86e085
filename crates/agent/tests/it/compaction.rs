//! Conversations that outgrow the window of their model.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::stream;
use silcrow_agent::{Agent, ErrorKind, RunOutcome};
use silcrow_context::{ContextAssembler as _, ContextInput, FullHistory, ModelLimits};
use silcrow_event::{Event, Message, SummaryAuthor, Usage};
use silcrow_exec::{BudgetLimits, BudgetResource};
use silcrow_parser::Dialect;
use silcrow_provider::{
    self as provider, Delta, DeltaStream, Error, Estimate, FinishReason, OpeningSession, Provider,
    Request,
};
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{CancellationToken, ToolOutput};

use crate::support::{run, tool};

/// A model with a window. It writes summaries of the facts that it reads, reads a file once for each
/// prompt, and answers.
#[derive(Default)]
struct Windowed {
    window: u64,
    /// The name of the limit that the model's errors give, or none.
    is_named: bool,
    /// Whether the model's errors do not name the fault.
    is_mute: bool,
    /// Whether requests for a summary fail.
    is_lazy: AtomicBool,
    summaries: AtomicUsize,
    sent: Mutex<Vec<Vec<Message>>>,
}

impl Windowed {
    fn answer(&self, messages: &[Message]) -> String {
        let last = messages.last().unwrap().text().into_owned();
        if last.ends_with("Write the notes now.") {
            self.summaries.fetch_add(1, SeqCst);
            return facts(&last).into_iter().collect::<Vec<_>>().join(" ");
        }
        if last.contains("§result:") && !last.contains("prompt") {
            return "§respond: read\n§end".to_owned();
        }
        let number = last.rsplit("prompt ").next().unwrap().split_whitespace().next().unwrap();
        format!("§call: {{\"name\":\"look\",\"args\":{{\"n\":{number}}}}}\n§execute")
    }
}

/// Returns the facts of a text, which are words such as `fact7=seal7`.
fn facts(text: &str) -> BTreeSet<String> {
    let is_fact = |word: &&str| word.starts_with("fact") && word.contains('=');
    text.split_whitespace().filter(is_fact).map(str::to_owned).collect()
}

impl Provider for Windowed {
    fn name(&self) -> &str {
        "windowed"
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let asked = Estimate::of_messages(&request.messages);
        let is_summary = request.messages.last().unwrap().text().ends_with("notes now.");
        let deltas = if asked > self.window {
            let why = match self.is_named {
                true => format!("the maximum context length is {} tokens", self.window),
                false => "too long".to_owned(),
            };
            let kind = match self.is_mute {
                true => provider::ErrorKind::Refused,
                false => provider::ErrorKind::ContextTooLong,
            };
            vec![Err(Error::new(kind, why))]
        } else if is_summary && self.is_lazy.load(SeqCst) {
            vec![Err(Error::new(provider::ErrorKind::Overload, "busy"))]
        } else {
            let usage = Usage { input: asked, output: 9, ..Usage::default() };
            let text = self.answer(&request.messages);
            let done = Delta::Done(FinishReason::Stop);
            vec![Ok(Delta::Text(text)), Ok(Delta::Usage(usage)), Ok(done)]
        };
        self.sent.lock().unwrap().push(request.messages.into());
        Box::pin(stream::iter(deltas))
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}

/// A conversation with a windowed model.
struct Talk {
    model: Arc<Windowed>,
    store: Arc<MemoryStore>,
    agent: Agent,
    looked: Arc<Mutex<Vec<String>>>,
}

impl Talk {
    fn new(model: Windowed, known: Option<u64>) -> Self {
        let (model, store) = (Arc::new(model), Arc::new(MemoryStore::new()));
        let looked = Arc::<Mutex<Vec<String>>>::default();
        let list = Arc::clone(&looked);
        let look = tool("look", move |args, _| {
            list.lock().unwrap().push(args.as_str().to_owned());
            async { Ok(ToolOutput::new("1 line", "The page says nothing of note.")) }.boxed()
        });
        let mut limits = ModelLimits::default();
        limits.context = known;
        let agent = Agent::new(Arc::clone(&model), Arc::clone(&store)).with_tool(look).unwrap();
        Self { agent: agent.with_model_limits(limits), model, store, looked }
    }

    /// Runs a prompt, and returns whether it was answered.
    async fn ask(&self, number: u32, fact: &str) -> bool {
        let prompt = format!("prompt {number} {fact}");
        let ran = run(&self.agent, &self.store, &prompt, &CancellationToken::new()).await;
        matches!(ran.ended, Ok(RunOutcome::Answered))
    }

    /// Returns the tokens of all requests if each had the whole log.
    async fn tokens_without_compaction(&self) -> u64 {
        let head = self.store.head("c").await.unwrap();
        let entries = self.store.read("c", 1..=head).await.unwrap();
        let system = self.model.sent.lock().unwrap()[0][0].text().into_owned();
        let mut context = FullHistory.begin();
        let turns = (1..=entries.last().unwrap().turn.unwrap()).map(|turn| {
            let end = entries.iter().position(|entry| {
                entry.turn == Some(turn) && !matches!(entry.event, Event::User { .. })
            });
            let end = end.unwrap_or(entries.len());
            let input = ContextInput::new(&entries[..end], Dialect::Sigil).with_system(&system);
            Estimate::of_messages(&context.assemble(&input))
        });
        turns.sum()
    }

    async fn summaries(&self) -> Vec<(u64, SummaryAuthor)> {
        let head = self.store.head("c").await.unwrap();
        let entries = self.store.read("c", 1..=head).await.unwrap();
        let summaries = entries.into_iter().filter_map(|entry| match entry.event {
            Event::Summary(summary) => Some((summary.until, summary.author)),
            _ => None,
        });
        summaries.collect()
    }
}

#[tokio::test]
async fn five_hundred_prompts_fit_into_a_small_window() {
    let talk = Talk::new(Windowed { window: 8000, ..Windowed::default() }, Some(8000));
    for number in 1..=500 {
        let fact = if number <= 20 { format!("fact{number}=seal{number}") } else { String::new() };
        assert!(talk.ask(number, &fact).await, "{number}");
    }
    // Every call was made once, and no request was too long.
    let looked = talk.looked.lock().unwrap().clone();
    assert_eq!((looked.len(), looked.iter().collect::<BTreeSet<_>>().len()), (500, 500));
    let sent = talk.model.sent.lock().unwrap().clone();
    assert!(sent.iter().all(|messages| Estimate::of_messages(messages) <= 7000));
    // At most one compaction in 20 turns, and each of the facts is still known.
    let summaries = talk.summaries().await;
    assert!(summaries.len() <= 500 / 20, "{summaries:?}");
    // Most of each request is the beginning of the one before it.
    let count = |messages: &[Message]| Estimate::of_messages(messages);
    let total = sent.iter().map(|messages| count(messages)).sum::<u64>();
    let again = sent.windows(2).map(|pair| {
        let same = pair[0].iter().zip(&pair[1]).take_while(|(before, now)| before == now);
        count(&pair[1][..same.count()])
    });
    let cached = again.sum::<u64>();
    assert!(cached * 10 > total * 9, "{cached} of {total}");
    let whole = talk.tokens_without_compaction().await;
    assert!(total * 5 < whole, "{total} of {whole}");
    let last = sent.last().unwrap().iter().map(|message| message.text().into_owned());
    assert_eq!(facts(&last.collect::<Vec<_>>().join("\n")).len(), 20);
}

#[tokio::test]
async fn missing_summary_does_not_end_the_conversation() {
    let model = Windowed { window: 4000, is_lazy: true.into(), ..Windowed::default() };
    let talk = Talk::new(model, Some(4000));
    for number in 1..=60 {
        assert!(talk.ask(number, "").await, "{number}");
    }
    let summaries = talk.summaries().await;
    assert!(!summaries.is_empty());
    assert!(summaries.iter().all(|(_, author)| *author == SummaryAuthor::Framework));
    assert_eq!(talk.looked.lock().unwrap().len(), 60);
}

/// Not every server says why it refuses a request.
#[tokio::test]
async fn refused_longest_request_means_full_window() {
    let model = Windowed { window: 12_000, is_mute: true, ..Windowed::default() };
    let talk = Talk::new(model, None);
    let filler = "seals and walruses ".repeat(150);
    for number in 1..=30 {
        assert!(talk.ask(number, &filler).await, "{number}");
    }
    assert!(!talk.summaries().await.is_empty());
    assert_eq!(talk.looked.lock().unwrap().len(), 30);
}

#[tokio::test]
async fn unnamed_window_is_learned_from_the_error() {
    for is_named in [true, false] {
        let talk = Talk::new(Windowed { window: 4000, is_named, ..Windowed::default() }, None);
        for number in 1..=50 {
            assert!(talk.ask(number, "").await, "{is_named} {number}");
        }
        assert!(!talk.summaries().await.is_empty());
        assert_eq!(talk.looked.lock().unwrap().len(), 50);
    }
}

#[tokio::test]
async fn without_compaction_too_long_is_vendor_error() {
    let mut talk = Talk::new(Windowed { window: 3000, ..Windowed::default() }, Some(3000));
    talk.agent = talk.agent.with_compaction(None);
    let mut number = 1;
    while talk.ask(number, "").await {
        number += 1;
        assert!(number < 100);
    }
    assert!(talk.summaries().await.is_empty());
}

#[tokio::test]
async fn prompt_beyond_any_window_is_vendor_error() {
    let talk = Talk::new(Windowed { window: 3000, ..Windowed::default() }, Some(3000));
    assert!(talk.ask(1, "").await);
    assert!(!talk.ask(2, &"seals and walruses ".repeat(2000)).await);
    // Every summary replaced something.
    let summaries = talk.summaries().await;
    assert!(summaries.windows(2).all(|pair| pair[0].0 < pair[1].0), "{summaries:?}");
}

#[tokio::test]
async fn run_stops_during_a_summary() {
    let talk = Talk::new(Windowed { window: 4000, ..Windowed::default() }, Some(4000));
    let cancel = CancellationToken::new();
    let stopping = Arc::new(Stopping { inner: Arc::clone(&talk.model), cancel: cancel.clone() });
    let agent = talk.agent.clone().with_provider(stopping);
    let mut number = 0;
    let ended = loop {
        number += 1;
        let prompt = format!("prompt {number}");
        let ran = run(&agent, &talk.store, &prompt, &cancel).await;
        if !matches!(ran.ended, Ok(RunOutcome::Answered)) {
            break ran.ended;
        }
        assert!(number < 100);
    };
    assert!(matches!(ended, Ok(RunOutcome::Interrupted)), "{ended:?}");
    assert!(talk.summaries().await.is_empty());
    assert!(talk.ask(number + 1, "").await);
}

#[tokio::test]
async fn long_context_is_not_summarized_every_step() {
    let mut talk = Talk::new(Windowed { window: 4000, ..Windowed::default() }, Some(4000));
    // The system message alone takes more than half of the window.
    talk.agent = talk.agent.with_instructions("seals and walruses ".repeat(370));
    let mut number = 0;
    while number < 40 && talk.ask(number + 1, "").await {
        number += 1;
    }
    let system = Estimate::of_messages(&talk.model.sent.lock().unwrap()[0][..1]);
    assert!((2000..2450).contains(&system), "{system}");
    assert_eq!(number, 40);
    let summaries = talk.model.summaries.load(SeqCst);
    assert!((1..=20).contains(&summaries), "{summaries} for 80 steps");
}

#[tokio::test]
async fn fresh_user_summary_is_not_summarized() {
    let mut talk = Talk::new(Windowed { window: 4000, ..Windowed::default() }, Some(4000));
    talk.agent = talk.agent.with_instructions("seals and walruses ".repeat(370));
    let mut number = 0;
    while talk.summaries().await.is_empty() {
        number += 1;
        assert!(number < 100 && talk.ask(number, "").await);
    }
    let head = talk.store.head("c").await.unwrap();
    let mut log = talk.store.read("c", 1..=head).await.unwrap();
    let last = log.iter_mut().rev().find_map(|entry| match &mut entry.event {
        Event::Summary(summary) => Some(summary),
        _ => None,
    });
    let mut changed = last.unwrap().clone();
    changed.author = SummaryAuthor::Person;
    // Nobody runs the conversation, so the event has no turn.
    talk.store.append("c", head, vec![Event::Summary(changed).into()]).await.unwrap();
    assert!(talk.ask(number + 1, "").await);
    assert_eq!(talk.summaries().await.last().unwrap().1, SummaryAuthor::Person);
}

#[tokio::test(start_paused = true)]
async fn timeout_during_a_summary_drops_nothing() {
    let talk = Talk::new(Windowed { window: 4000, ..Windowed::default() }, Some(4000));
    let hanging =
        Arc::new(Stopping { inner: Arc::clone(&talk.model), cancel: CancellationToken::new() });
    let limits = BudgetLimits { time: Duration::from_secs(600), ..BudgetLimits::default() };
    let agent = talk.agent.clone().with_provider(hanging).with_budget(limits);
    let mut number = 0;
    let ended = loop {
        number += 1;
        let prompt = format!("prompt {number}");
        let ran = run(&agent, &talk.store, &prompt, &CancellationToken::new()).await;
        if !matches!(ran.ended, Ok(RunOutcome::Answered)) {
            break ran.ended;
        }
        assert!(number < 100);
    };
    assert_eq!(ended.unwrap_err().kind(), ErrorKind::Budget(BudgetResource::Time));
    assert!(talk.summaries().await.is_empty());
    assert!(talk.ask(number + 1, "").await);
}

/// A model during whose summaries the run is stopped.
struct Stopping {
    inner: Arc<Windowed>,
    cancel: CancellationToken,
}

impl Provider for Stopping {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn stream(&self, request: Request) -> DeltaStream {
        if request.messages.last().unwrap().text().ends_with("notes now.") {
            self.cancel.cancel();
            return Box::pin(stream::pending());
        }
        self.inner.stream(request)
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}
