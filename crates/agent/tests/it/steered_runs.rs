//! Random moments of messages to a run that works, and kills at random operations of its store.
//!
//! SILCROW_STEERED_RUNS says how many runs there are. The moments of a run are numbered: each operation of its store has two, one before and one after it;
//! each event that its reader takes and each call of its tool has one.

mod moment_store;

use std::sync::{Arc, Mutex, OnceLock};

use futures_util::FutureExt as _;
use futures_util::future::pending;
use silcrow_agent::{
    Agent, Approvals, ConnectionMode, OnDrop, RunHandle, RunOutcome, SteerMessage, StreamOptions,
};
use silcrow_event::{Entry, Event, Message, RunEvent};
use silcrow_store::{MemoryStore, Store as _};
use silcrow_testkit::run_seeds;
use silcrow_tool::{ApprovalDecision, ApprovalScope, CallContext, CancellationToken, ToolOutput};
use tokio::runtime::{Builder, Runtime};

use self::moment_store::MomentStore;
use crate::session_model::{Fault, Model};
use crate::support::{tool, toolbox, with};

#[test]
#[expect(clippy::print_stdout, reason = "a campaign prints it")]
fn message_at_any_moment_reaches_next_request() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let runs = number("SILCROW_STEERED_RUNS").unwrap_or(300);
    let mut all = Tried::default();
    for seed in run_seeds(runs) {
        for mode in [ConnectionMode::Replay, ConnectionMode::Resume] {
            let tried = conversation(mode, seed);
            all.killed += tried.killed;
            all.read += tried.read;
            all.survived += tried.survived;
        }
    }
    let Tried { killed, read, survived } = all;
    println!(
        "@ tried {} runs, {killed} killed, {read} messages read, {survived} by the next run",
        2 * runs
    );
    let enough = runs / 4;
    assert!(killed > enough && read > enough && survived > enough, "{killed} {read} {survived}");
}

/// The events in the runs of one or of many conversations.
#[derive(Default)]
struct Tried {
    killed: u64,
    /// The number of messages that the run they were sent to gave to the model.
    read: u64,
    /// The number of messages that the next run gave to the model first.
    survived: u64,
}

/// Steers a run at random moments, kills it or not, and continues the conversation.
fn conversation(mode: ConnectionMode, seed: u64) -> Tried {
    let case = format!("{mode} {seed}");
    let mut dice = Dice(seed);
    let model = Model::new(Fault::None);
    let moments = Moments::new(&mut dice, model.clone());
    let store = MomentStore { store: MemoryStore::new(), moments: Arc::clone(&moments) };
    let store = Arc::new(store);
    let asks = dice.below(2) == 0;
    let capacity = 1 + dice.below(4) as usize;
    let runtime = runtime();
    let was_killed = runtime.block_on(async {
        let agent = agent(&model, &store, mode, asks);
        let options = StreamOptions::default().with_capacity(capacity);
        let options = options.with_on_drop(OnDrop::Detach).with_approvals(Approvals::Handle);
        let mut run = agent.stream_with("c", "go", options);
        let _ = moments.handle.set(run.handle());
        loop {
            moments.pass();
            let event = tokio::select! {
                biased;
                () = moments.dead.cancelled() => return true,
                event = run.next() => event,
            };
            match event {
                Some(RunEvent::Approval(prompt)) => {
                    moments.pass();
                    let yes = ApprovalDecision::Allow(ApprovalScope::Once);
                    // The words may have withdrawn the question.
                    run.handle().answer(prompt.number, yes);
                }
                Some(_) => {}
                None => break,
            }
        }
        assert_eq!(run.outcome().await.unwrap(), RunOutcome::Answered, "{case}");
        false
    });
    // Tasks that still run end where they are.
    drop(runtime);
    let state = moments.end();
    let asked = |model: &Model| model.asked.lock().unwrap().clone();
    let before = asked(&model);
    let runtime = self::runtime();
    let stored = runtime.block_on(stored_words(&store.store));
    for words in &state.accepted {
        assert!(stored.contains(words), "{case}: {words} is lost");
    }
    let mut tried = Tried { killed: u64::from(was_killed), ..Tried::default() };
    for (words, requests) in &state.stored {
        assert!(stored.contains(words), "{case}: {words}");
        for (number, request) in before.iter().enumerate() {
            let expected = usize::from(number >= *requests);
            assert_eq!(times(request, words), expected, "{case}: {words} in request {number}");
        }
        tried.read += u64::from(before.len() > *requests);
    }

    let prompt = if dice.below(2) == 0 { "go" } else { "go on" };
    let next = agent(&model, &store, mode, false);
    let ended = runtime.block_on(next.run("c", prompt, &mut |_| {}));
    assert_eq!(ended.unwrap(), RunOutcome::Answered, "{case}");
    for (number, request) in asked(&model).iter().enumerate().skip(before.len()) {
        for words in &stored {
            assert_eq!(times(request, words), 1, "{case}: {words} in request {number}");
        }
    }
    let kept = runtime.block_on(stored_words(&store.store));
    assert_eq!(kept, stored, "{case}: the history keeps the words as they are");
    let unread = |requests: &usize| *requests >= before.len();
    tried.survived += state.stored.iter().filter(|(_, requests)| unread(requests)).count() as u64;
    tried
}

fn agent(model: &Model, store: &Arc<MomentStore>, mode: ConnectionMode, asks: bool) -> Agent {
    let moments = Arc::clone(&store.moments);
    let note = tool("note", move |_, _: CallContext| {
        moments.pass();
        async { Ok(ToolOutput::new("noted", "noted")) }.boxed()
    });
    let tools = if asks { toolbox([with(note.asking())]) } else { toolbox([with(note)]) };
    Agent::new(model.clone(), Arc::clone(store)).with_tools(tools).with_mode(mode)
}

/// Returns the stored words that were sent to a run that worked.
async fn stored_words(store: &MemoryStore) -> Vec<String> {
    let entries = store.read("c", 1..=u64::MAX).await.unwrap();
    entries.iter().filter_map(steered).collect()
}

fn steered(entry: &Entry) -> Option<String> {
    match &entry.event {
        Event::User { content, steer: true } => Some(content.text().into_owned()),
        _ => None,
    }
}

/// Returns how often the words are in a request.
fn times(request: &[Message], words: &str) -> usize {
    request.iter().map(|message| message.text().matches(words).count()).sum()
}

/// The moments of a run, and the actions at them.
struct Moments {
    model: Model,
    handle: OnceLock<RunHandle>,
    /// Cancelled when the run is killed.
    dead: CancellationToken,
    state: Mutex<MomentsState>,
}

struct MomentsState {
    is_over: bool,
    /// The number of moments and of operations so far.
    moments: u64,
    operations: u64,
    /// The moments at which words are sent, with whether they drop the calls that wait.
    sends: Vec<(u64, bool)>,
    /// The operation of the store at which the run is killed.
    kill: Option<u64>,
    /// The number of operations between the first accepted words and the kill.
    kill_after: Option<u64>,
    accepted: Vec<String>,
    /// The stored words, with their turns: the number of requests that were made without them.
    stored: Vec<(String, usize)>,
}

impl Moments {
    fn new(dice: &mut Dice, model: Model) -> Arc<Self> {
        let sends = (0..3).map(|_| (dice.below(MOMENTS), dice.below(4) == 0)).collect();
        let (kill, kill_after) = match dice.below(4) {
            0 => (None, None),
            1 => (Some(dice.below(OPERATIONS)), None),
            _ => (None, Some(dice.below(8))),
        };
        let state = MomentsState {
            is_over: false,
            moments: 0,
            operations: 0,
            sends,
            kill,
            kill_after,
            accepted: Vec::new(),
            stored: Vec::new(),
        };
        let (handle, dead) = (OnceLock::new(), CancellationToken::new());
        Arc::new(Self { model, handle, dead, state: Mutex::new(state) })
    }

    /// Passes a moment, and sends the words that are due at it.
    fn pass(self: &Arc<Self>) {
        let (moment, due) = {
            let mut state = self.state.lock().unwrap();
            let moment = state.moments;
            state.moments += u64::from(!state.is_over);
            let due = state.sends.iter().filter(|(at, _)| !state.is_over && *at == moment);
            (moment, due.copied().collect::<Vec<_>>())
        };
        let Some(handle) = self.handle.get() else { return };
        for ((_, drops_calls), number) in due.into_iter().zip(1..) {
            let words = format!("words-{moment}-{number};");
            let message = SteerMessage::new(&*words);
            let message = if drops_calls { message.with_dropped_calls() } else { message };
            let (handle, moments) = (handle.clone(), Arc::clone(self));
            let mut sent = async move {
                if handle.steer(message).await.is_ok() {
                    moments.accept(words);
                }
            }
            .boxed();
            // The words are in the inbox at once, and are stored when the run comes to it.
            if (&mut sent).now_or_never().is_none() {
                tokio::spawn(sent);
            }
        }
    }

    fn accept(&self, words: String) {
        let mut state = self.state.lock().unwrap();
        state.accepted.push(words);
        if let Some(after) = state.kill_after.take() {
            state.kill = Some(state.operations + after);
        }
    }

    /// Passes one end of an operation of the store, which may be the last moment of the run.
    async fn pass_operation(self: &Arc<Self>) {
        self.pass();
        let is_killed = {
            let mut state = self.state.lock().unwrap();
            state.operations += u64::from(!state.is_over);
            !state.is_over && state.kill.is_some_and(|kill| state.operations > kill)
        };
        if is_killed {
            self.dead.cancel();
            pending::<()>().await;
        }
    }

    /// Notes the words of a batch that was appended.
    fn note(&self, batch: &[Entry]) {
        let requests = self.model.asked.lock().unwrap().len();
        let mut state = self.state.lock().unwrap();
        if !state.is_over {
            let words = batch
                .iter()
                .filter_map(|entry| Some((steered(entry)?, entry.turn.unwrap() as usize)));
            for (words, turn) in words {
                // The model may not have taken the request of the turn yet.
                assert!((requests..=requests + 1).contains(&turn), "{words} in turn {turn}");
                state.stored.push((words, turn));
            }
        }
    }

    /// Ends the moments, and returns the record of them.
    fn end(&self) -> Recorded {
        let mut state = self.state.lock().unwrap();
        state.is_over = true;
        Recorded { accepted: state.accepted.clone(), stored: state.stored.clone() }
    }
}

/// The messages that were accepted and stored at the moments of a run.
struct Recorded {
    accepted: Vec<String>,
    stored: Vec<(String, usize)>,
}

/// More than the numbers of moments and of ends of operations of most runs.
const MOMENTS: u64 = 110;
const OPERATIONS: u64 = 60;

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().start_paused(true).build().unwrap()
}

/// Random numbers from a seed (SplitMix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }
}
