//! Runs over sessions whose context is compacted between two steps.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use futures_util::future::{BoxFuture, pending};
use futures_util::{FutureExt as _, StreamExt as _, stream};
use silcrow_agent::{Agent, ConnectionMode, RunOutcome};
use silcrow_context::{
    CompactedHistory, CompactionOptions, ContextAssembler, ContextCompaction, ContextInput,
    ModelLimits,
};
use silcrow_event::{Content, Event, Message, Role};
use silcrow_provider::{
    Delta, DeltaStream, Error, ErrorKind, Estimate, FinishReason, OpeningSession, Provider,
    Request, Session,
};
use silcrow_store::MemoryStore;
use silcrow_tool::{CancellationToken, ToolOutput};

use crate::support::{Ran, run, tool};

/// A model with a window that calls a tool for each number and then answers. It remembers the
/// messages sent over a session, and compares them with the context's.
#[derive(Clone, Default)]
struct Counting {
    /// The messages that the context made last.
    made: Arc<Mutex<Vec<Message>>>,
    /// The chance of a fault at each step of a session, in percent, and the state of the dice.
    chance: u64,
    dice: Arc<AtomicU64>,
    connects: Arc<AtomicUsize>,
    /// The number of messages that were sent over sessions in addition to the first ones.
    added: Arc<AtomicUsize>,
    /// The number of requests without a session, except those for summaries.
    streamed: Arc<AtomicUsize>,
}

impl Counting {
    fn is_lucky(&self) -> bool {
        let mix = |dice: u64| {
            dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407)
        };
        let dice = self.dice.fetch_update(SeqCst, SeqCst, |dice| Some(mix(dice))).unwrap();
        (mix(dice) >> 33) % 100 >= self.chance
    }

    /// Returns the answer to a conversation, which must equal the context's messages.
    fn answer(&self, known: &[Message]) -> Vec<Delta> {
        assert_eq!(known, *self.made.lock().unwrap());
        assert!(Estimate::of_messages(known) <= WINDOW, "it is too long");
        let text = match highest(known) {
            LAST => "§respond: done\n§end".to_owned(),
            number => {
                let next = number + 1;
                format!("§call: {{\"name\":\"note\",\"args\":{{\"n\":{next}}}}}\n§execute\nmore")
            }
        };
        let pieces = text.split_inclusive('\n').map(|piece| Delta::Text(piece.to_owned()));
        pieces.chain([Delta::Done(FinishReason::Stop)]).collect()
    }
}

/// Returns the highest noted number in the messages.
fn highest(messages: &[Message]) -> u64 {
    let numbers = messages.iter().map(|message| {
        let text = message.text().into_owned();
        let numbers = text.split("noted ").skip(1).filter_map(|rest| {
            rest.split(|char: char| !char.is_ascii_digit()).next()?.parse().ok()
        });
        numbers.max().unwrap_or(0)
    });
    numbers.max().unwrap_or(0)
}

impl Provider for Counting {
    fn name(&self) -> &str {
        "counting"
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let is_summary = request.messages.last().unwrap().text().ends_with("notes now.");
        let deltas = if is_summary {
            let notes = format!("The person counts, and noted {}.", highest(&request.messages));
            vec![Delta::Text(notes), Delta::Done(FinishReason::Stop)]
        } else {
            self.streamed.fetch_add(1, SeqCst);
            self.answer(&request.messages)
        };
        stream::iter(deltas).map(Ok).boxed()
    }

    fn connect(&self, request: Request) -> Option<OpeningSession> {
        let model = self.clone();
        let opening = async move {
            model.connects.fetch_add(1, SeqCst);
            if !model.is_lucky() {
                return Err(Error::new(ErrorKind::Network, "the connection was reset"));
            }
            let mut answer = model.answer(&request.messages);
            answer.reverse();
            Ok(Box::new(Line { model, known: request.messages.into(), answer }) as Box<dyn Session>)
        };
        Some(opening.boxed())
    }
}

struct Line {
    model: Counting,
    /// The conversation, as the model remembers it.
    known: Vec<Message>,
    /// The rest of the answer, the last delta first.
    answer: Vec<Delta>,
}

impl Session for Line {
    fn receive(&mut self) -> BoxFuture<'_, Option<Result<Delta, Error>>> {
        if !self.model.is_lucky() {
            return async { None }.boxed();
        }
        match self.answer.pop() {
            Some(delta) => async { Some(Ok(delta)) }.boxed(),
            None => pending().boxed(),
        }
    }

    fn cancel(&mut self) -> BoxFuture<'_, Result<(), Error>> {
        self.answer.clear();
        async { Ok(()) }.boxed()
    }

    fn send<'a>(
        &'a mut self,
        kept: &'a Content,
        messages: &'a [Message],
    ) -> BoxFuture<'a, Result<(), Error>> {
        if !self.model.is_lucky() {
            return async { Err(Error::new(ErrorKind::Cut, "the session is gone")) }.boxed();
        }
        self.known.push(Message::new(Role::Assistant, kept.clone()));
        self.known.extend_from_slice(messages);
        self.model.added.fetch_add(messages.len(), SeqCst);
        self.answer = self.model.answer(&self.known);
        self.answer.reverse();
        async { Ok(()) }.boxed()
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        async {}.boxed()
    }
}

/// The default context, which records its messages.
struct Recorded(Arc<Mutex<Vec<Message>>>);

impl ContextAssembler for Recorded {
    fn assemble(&self, input: &ContextInput<'_>) -> Vec<Message> {
        let messages = CompactedHistory.assemble(input);
        self.0.lock().unwrap().clone_from(&messages);
        messages
    }

    fn compact(
        &self,
        input: &ContextInput<'_>,
        options: CompactionOptions,
        tokens: &dyn Fn(&[Message]) -> u64,
    ) -> Option<ContextCompaction> {
        CompactedHistory.compact(input, options, tokens)
    }
}

/// Runs the model to its answer, and returns the numbers that were noted as well.
async fn ran(model: &Counting, mode: ConnectionMode) -> (Ran, Vec<u64>) {
    let store = Arc::new(MemoryStore::new());
    let noted = Arc::<Mutex<Vec<u64>>>::default();
    let list = Arc::clone(&noted);
    let note = tool("note", move |args, _| {
        let digits: String = args.chars().filter(char::is_ascii_digit).collect();
        list.lock().unwrap().push(digits.parse().unwrap());
        let page = "The page says little, and nothing of note. ".repeat(12);
        async move { Ok(ToolOutput::new(format!("noted {digits}"), page)) }.boxed()
    });
    let agent = Agent::new(model.clone(), Arc::clone(&store))
        .with_tool(note)
        .unwrap()
        .with_context(Recorded(Arc::clone(&model.made)))
        .with_model_limits(ModelLimits::default().with_context(WINDOW))
        .with_max_steps(200)
        .with_mode(mode);
    let ran = run(&agent, &store, "count", &CancellationToken::new()).await;
    let noted = noted.lock().unwrap().clone();
    (ran, noted)
}

fn summaries(ran: &Ran) -> usize {
    let is_summary = |event: &Event| matches!(event, Event::Summary(_));
    ran.stored.iter().filter(|entry| is_summary(&entry.event)).count()
}

#[tokio::test]
async fn compacted_context_opens_one_session() {
    for mode in [ConnectionMode::Resume, ConnectionMode::Auto] {
        let model = Counting::default();
        let (ran, noted) = ran(&model, mode).await;
        assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
        assert_eq!(noted, Vec::from_iter(1..=LAST));
        // The same request may be shortened and summarized, which opens one session.
        let (summaries, connects) = (summaries(&ran), model.connects.load(SeqCst));
        assert!(summaries > 1, "{summaries}");
        assert!((2..=1 + summaries).contains(&connects), "{connects} for {summaries}");
        // Every other step sends its one new message.
        assert_eq!(model.added.load(SeqCst), LAST as usize + 1 - connects);
        assert_eq!(model.streamed.load(SeqCst), 0);
    }
}

#[tokio::test]
async fn failed_sessions_keep_compacted_messages_exactly_once() {
    for seed in silcrow_testkit::run_seeds(60) {
        let dice = Arc::new(AtomicU64::new(seed));
        let model = Counting { chance: 4, dice, ..Counting::default() };
        let (ran, mut noted) = ran(&model, ConnectionMode::Auto).await;
        assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered, "{seed}");
        assert!(summaries(&ran) > 1, "{seed}");
        noted.dedup();
        assert_eq!(noted, Vec::from_iter(1..=LAST), "{seed}");
    }
}

/// The tokens of the window.
const WINDOW: u64 = 4000;

/// The number of calls.
const LAST: u64 = 40;
