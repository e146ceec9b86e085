//! Random runs with agents, models, failures and kills, and a vendor that keeps a separate ledger.
//!
//! SILCROW_SPENDING_RUNS says how many. Time is paused, so a
//! seed always makes the same run.

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::{FutureExt as _, StreamExt as _, stream};
use silcrow_agent::{Agent, ChildAgent, Llm, Workflow};
use silcrow_event::{ActionAttributes, Call, CallKind, Message, SpendingLimit, Usage};
use silcrow_exec::{BudgetLimits, SpendingLimits};
use silcrow_parser::Dialect;
use silcrow_provider::{
    Delta, DeltaStream, Error, ErrorKind, Estimate, FinishReason, OpeningSession, Provider, Request,
};
use silcrow_store::{MemoryStore, Store as _};
use silcrow_testkit::run_seeds;
use silcrow_tool::{Scope, ToolOutput, Toolbox};
use tokio::time::{sleep, timeout};

use crate::support::{tool, toolbox, with};

#[test]
fn spending_stays_within_limit_and_one_reservation() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let runs = number("SILCROW_SPENDING_RUNS").unwrap_or(200);
    let (mut killed, mut limited, mut requests) = (0, 0, 0);
    for seed in run_seeds(runs) {
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_all().start_paused(true).build().unwrap();
        let tried = runtime.block_on(conversation(seed));
        killed += u64::from(tried.was_killed);
        limited += u64::from(tried.was_limited);
        requests += tried.requests;
    }
    let tried =
        format!("{runs} conversations, {killed} killed, {limited} limited, {requests} requests");
    writeln!(std::io::stdout(), "@ tried {tried}").unwrap();
    assert!(runs < 100 || (killed > runs / 8 && limited > runs / 8), "{killed} {limited}");
}

/// The events in the runs of one conversation.
struct Tried {
    was_killed: bool,
    was_limited: bool,
    requests: u64,
}

/// Runs a conversation several times, and compares its account and the user's with the vendor's.
async fn conversation(seed: u64) -> Tried {
    let mut dice = Dice(seed);
    let vendor =
        Vendor(Arc::new(Mutex::new(VendorState { dice: Dice(!seed), ..VendorState::default() })));
    let store = Arc::new(MemoryStore::new());
    let limit = 2_000 + dice.below(15_000);
    let mut spending =
        SpendingLimits { answer_tokens: 100 + dice.below(400), ..SpendingLimits::default() };
    let kind = dice.below(3);
    let place = [&mut spending.run, &mut spending.conversation, &mut spending.user];
    for (index, place) in place.into_iter().enumerate() {
        if index as u64 == kind {
            *place = SpendingLimit { tokens: Some(limit), cost: None };
        }
    }
    vendor.0.lock().unwrap().answer_tokens = spending.answer_tokens;
    let budget =
        BudgetLimits { spending, time: Duration::from_secs(2_000), ..BudgetLimits::default() };
    let (mut was_killed, mut was_limited) = (false, false);
    for _ in 0..1 + dice.below(4) {
        let before = vendor.billed();
        let agent = agent(&vendor, &store, 2).with_budget(budget);
        let run = agent.ask_in(Scope::new("c").with_user("ann"), "go");
        // A run that is killed leaves at once, and takes everything that it started with it.
        let ended = match dice.below(3) {
            0 => timeout(Duration::from_millis(dice.below(40_000)), run).await.ok(),
            _ => Some(run.await),
        };
        was_killed |= ended.is_none();
        let is_limit = |error: &silcrow_agent::Error| error.kind().as_str() == "token_limit";
        was_limited |= matches!(&ended, Some(Err(error)) if is_limit(error));

        let VendorState { billed, largest, .. } = *vendor.0.lock().unwrap();
        for (index, (space, key)) in
            [("spent/c", "account"), ("spent", "user/ann")].into_iter().enumerate()
        {
            let spent = spent(&store, space, key).await;
            let is_limited = kind == index as u64 + 1;
            if is_limited {
                assert!(spent <= limit + largest, "seed {seed}: {spent} of {limit} + {largest}");
                // The reservation of a killed run stays spent, so nothing is forgotten.
                assert!(spent >= billed, "seed {seed}: {spent} of {billed} that were billed");
            }
            if !was_killed {
                assert_eq!(spent, billed, "seed {seed}: the vendor's figure");
            }
        }
        if kind == 0 {
            let billed = billed - before;
            assert!(billed <= limit + largest, "seed {seed}: {billed} of {limit} + {largest}");
        }
    }
    let requests = vendor.0.lock().unwrap().requests;
    Tried { was_killed, was_limited, requests }
}

async fn spent(store: &MemoryStore, space: &str, key: &str) -> u64 {
    let Some(found) = store.get(space, key).await.unwrap() else { return 0 };
    let text = String::from_utf8(found.value).unwrap();
    text.split_once(' ').unwrap().0.parse().unwrap()
}

/// An agent that may call itself, a model, a workflow and a tool.
fn agent(vendor: &Vendor, store: &Arc<MemoryStore>, depth: usize) -> Agent {
    let mut tools = toolbox([with(tool("slow", |_, _| {
        async {
            sleep(Duration::from_secs(3)).await;
            Ok(ToolOutput::new("slept", ""))
        }
        .boxed()
    }))]);
    let brief = Llm::new("brief", "Short.", vendor.clone());
    tools.add_as(CallKind::Llm, brief.clone()).unwrap();
    let mut inner = Toolbox::new();
    inner.add_as(CallKind::Llm, brief).unwrap();
    let host = Agent::new(vendor.clone(), Arc::clone(store)).with_tools(inner);
    let asks = |id: &str| {
        let call = Call::parse(id, r#"{"name":"brief","args":{"text":"x"}}"#).unwrap();
        call.with_action(ActionAttributes { kind: CallKind::Llm, ..ActionAttributes::default() })
    };
    let flow = Workflow::new("flow", "Two.", [asks("a"), asks("b")], move || host.clone());
    tools.add_as(CallKind::Workflow, flow).unwrap();
    let (again, kept) = (vendor.clone(), Arc::clone(store));
    let child = ChildAgent::new("own", "Itself.", move || agent(&again, &kept, depth));
    tools.add_as(CallKind::Agent, child).unwrap();
    Agent::new(vendor.clone(), Arc::clone(store))
        .with_dialect(Dialect::Action)
        .with_tools(tools)
        .with_max_depth(depth)
        .with_max_steps(8)
}

/// A model that writes at random, and the vendor that bills for it.
#[derive(Clone)]
struct Vendor(Arc<Mutex<VendorState>>);

#[derive(Default)]
struct VendorState {
    dice: Dice,
    requests: u64,
    /// The number of tokens that the vendor bills.
    billed: u64,
    /// The largest reservation that a request can have.
    largest: u64,
    answer_tokens: u64,
}

impl Vendor {
    fn billed(&self) -> u64 {
        self.0.lock().unwrap().billed
    }

    /// Returns the deltas of an answer with the time before each.
    fn answer(&self, messages: &[Message]) -> Vec<(u64, Result<Delta, Error>)> {
        let state = &mut *self.0.lock().unwrap();
        let dice = &mut state.dice;
        let read = Estimate::of_messages(messages);
        state.requests += 1;
        state.largest = state.largest.max(read + read.div_ceil(4) + state.answer_tokens);
        let wait = dice.below(4_000);
        let rejected = match dice.below(12) {
            0 => Some(Error::new(ErrorKind::Refused, "no")),
            1 => Some(Error::new(ErrorKind::Network, "nobody is there")),
            _ => None,
        };
        if let Some(error) = rejected {
            return vec![(wait, Err(error))];
        }
        let mut deltas = Vec::new();
        let text = text(dice);
        let mut rest = &*text;
        while !rest.is_empty() {
            let cut = rest.ceil_char_boundary(1 + dice.below(40) as usize);
            let (piece, more) = rest.split_at(cut);
            deltas.push((dice.below(200), Ok(Delta::Text(piece.to_owned()))));
            rest = more;
        }
        match dice.below(8) {
            // The connection is cut, or the server falls silent until somebody loses patience.
            0 => {
                deltas.truncate(dice.below(deltas.len() as u64 + 1) as usize);
                deltas.push((0, Err(Error::new(ErrorKind::Cut, "cut").with_sent(900))));
            }
            1 => deltas.push((900_000, Ok(Delta::Done(FinishReason::Stop)))),
            2..=4 => {
                let mut written = Estimate::default();
                written.push(&text);
                let usage = Usage { input: read, output: written.tokens(), ..Usage::default() };
                deltas.push((0, Ok(Delta::Usage(usage))));
                deltas.push((0, Ok(Delta::Done(FinishReason::Stop))));
            }
            _ => deltas.push((0, Ok(Delta::Done(FinishReason::Stop)))),
        }
        deltas
    }
}

/// Returns an answer, long or short, or calls.
fn text(dice: &mut Dice) -> String {
    let mut text = String::new();
    for n in 0..dice.below(4) {
        let mode = ["sync", "async"][dice.below(2) as usize];
        let (kind, body) = match dice.below(4) {
            0 => ("agent", r#"{"name":"own","parameters":{"task":"go"}}"#),
            1 => ("llm", r#"{"name":"brief","parameters":{"text":"x"}}"#),
            2 => ("workflow", r#"{"name":"flow","parameters":{}}"#),
            _ => ("tool", r#"{"name":"slow","parameters":{}}"#),
        };
        write!(text, "<action type=\"{kind}\" mode=\"{mode}\" id=\"x{n}\">{body}</action>")
            .unwrap();
    }
    if text.is_empty() || dice.below(2) == 0 {
        let words = "word ".repeat(1 + dice.below(900) as usize);
        write!(text, "<response>{words}</response>").unwrap();
    }
    text
}

impl Provider for Vendor {
    fn name(&self) -> &str {
        "vendor"
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let deltas = self.answer(&request.messages);
        let read = Estimate::of_messages(&request.messages);
        // A request is billed from the moment it is made, unless its rejection arrives.
        let mut bill = Bill { state: Arc::clone(&self.0), written: Estimate::default() };
        bill.state.lock().unwrap().billed += read;
        stream::iter(deltas)
            .then(move |(wait, delta)| sleep(Duration::from_millis(wait)).map(move |()| delta))
            .inspect(move |delta| match delta {
                Ok(Delta::Text(text)) => bill.push(text),
                Err(error) if error.sent() == 0 => bill.state.lock().unwrap().billed -= read,
                _ => {}
            })
            .boxed()
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}

/// The bill of one answer, which grows with every piece that is sent.
struct Bill {
    state: Arc<Mutex<VendorState>>,
    written: Estimate,
}

impl Bill {
    fn push(&mut self, text: &str) {
        let before = self.written.tokens();
        self.written.push(text);
        self.state.lock().unwrap().billed += self.written.tokens() - before;
    }
}

/// Random numbers from a seed (SplitMix64).
#[derive(Clone, Copy, Default)]
struct Dice(u64);

impl Dice {
    /// Returns a number below `end`, or 0 for `end` 0.
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end.max(1)
    }
}
