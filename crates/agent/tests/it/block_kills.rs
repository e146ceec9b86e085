//! The law of blocks in processes that die (P-28, P-30, P-32): wherever a run over a random tree of
//! blocks is killed or cancelled, and whichever process continues it, every call and every loop
//! ends once, no call starts twice, and the changes of a failed transaction are taken back.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use silcrow_agent::{Agent, ErrorKind};
use silcrow_event::{BlockMark, Call, CallResult, ControlKind, Entry, Event, ResultStatus};
use silcrow_parser::Dialect;
use silcrow_plan::PlanLimits;
use silcrow_provider::ScriptedModel;
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{CancellationToken, Scope, Tool, ToolError, ToolOutput};

use crate::parked_law::mortal::{Death, MortalStore};
use crate::support::{Random, tool, toolbox, with};

/// The effects of the calls, done and taken back, in order: `+x` and `-x`.
type Ledger = Arc<Mutex<Vec<String>>>;

/// A random turn with blocks.
struct RandomTurn {
    random: Random,
    text: String,
    next: u32,
    /// The variables of the loops around the place that is written.
    items: Vec<String>,
}

impl RandomTurn {
    fn write(random: Random) -> String {
        let mut turn = Self { random, text: String::new(), next: 0, items: Vec::new() };
        turn.body(0);
        turn.text
    }

    fn body(&mut self, depth: u32) {
        for _ in 0..=self.random.below(if depth == 0 { 3 } else { 2 }) {
            match self.random.below(if depth < 3 { 8 } else { 3 }) {
                0..=2 => self.action(),
                3 | 4 => self.foreach(depth),
                5 => self.around("parallel", "", depth),
                6 => {
                    let test = ["true", "false", "1 + 1 == 2"][self.random.below(3) as usize];
                    self.around("if", &format!(" test=\"{test}\""), depth);
                }
                _ => self.around("transaction", "", depth),
            }
        }
    }

    fn id(&mut self) -> String {
        self.next += 1;
        format!("s{}", self.next)
    }

    fn action(&mut self) {
        let id = self.id();
        let items: String = self.items.iter().map(|item| format!("-${item}")).collect();
        let of = format!("{id}{items}");
        let mode = if self.random.one_in(4) { "sync" } else { "async" };
        let skip = if self.random.one_in(5) { r#","on_error":"skip""# } else { "" };
        let _ = writeln!(
            self.text,
            r#"<action id="{id}" mode="{mode}">{{"name":"do","parameters":{{"of":"{of}"}},"compensate":{{"name":"undo_it","parameters":{{"of":"{of}"}}}}{skip}}}</action>"#
        );
    }

    fn foreach(&mut self, depth: u32) {
        let item = format!("x{}", self.next);
        let (count, at_once) = (self.random.below(4), 1 + self.random.below(3));
        let list: Vec<_> = (0..count).map(|number| number.to_string()).collect();
        let on_error = if self.random.one_in(2) { "fail" } else { "skip" };
        let attributes = format!(
            " in=\"[{}]\" as=\"{item}\" max_parallel=\"{at_once}\" on_error=\"{on_error}\"",
            list.join(",")
        );
        self.items.push(item);
        self.around("foreach", &attributes, depth);
        self.items.pop();
    }

    fn around(&mut self, name: &str, attributes: &str, depth: u32) {
        let id = self.id();
        let _ = writeln!(self.text, "<{name} id=\"{id}\"{attributes}>");
        self.body(depth + 1);
        let _ = writeln!(self.text, "</{name}>");
    }
}

/// The state that all processes of a run share.
struct World {
    store: Arc<MemoryStore>,
    ledger: Ledger,
    turn: String,
    salt: u64,
    /// The greatest number of calls in a turn: with few, some of a loop fail.
    max_calls: usize,
    /// The number of things done and taken back with which the run is cancelled.
    cancel_at: Option<usize>,
}

/// How a run is continued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Continued {
    /// It continues where it stopped.
    Resumed,
    /// A new prompt follows.
    Prompted,
}

impl World {
    fn from_seed(seed: u64) -> Self {
        let mut random = Random(seed);
        let (salt, max_calls) = (random.below(u64::MAX), [3, 1000, 1000][random.below(3) as usize]);
        let turn = RandomTurn::write(random);
        // The trees of earlier campaigns stay the same.
        let mut random = Random(seed ^ 0xca9ce1);
        let cancel_at = random.one_in(4).then(|| 1 + random.below(8) as usize);
        Self { store: Arc::default(), ledger: Arc::default(), turn, salt, max_calls, cancel_at }
    }

    /// A tool that does something, or takes it back.
    fn notes(
        &self,
        name: &'static str,
        sign: char,
        cancellation: &CancellationToken,
    ) -> impl Tool + use<> {
        let (ledger, salt) = (Arc::clone(&self.ledger), self.salt);
        let (cancel_at, cancellation) = (self.cancel_at, cancellation.clone());
        tool(name, move |args: String, _| {
            let of: BTreeMap<String, String> = serde_json::from_str(&args).unwrap();
            let of = of["of"].clone();
            let fails = sign == '+' && fails(&of, salt);
            if !fails {
                let mut ledger = ledger.lock().unwrap();
                ledger.push(format!("{sign}{of}"));
                if cancel_at == Some(ledger.len()) {
                    cancellation.cancel();
                }
            }
            async move {
                tokio::task::yield_now().await;
                match fails {
                    true => Err(ToolError::new("no")),
                    false => Ok(ToolOutput::new("done", of)),
                }
            }
            .boxed()
        })
    }

    /// Runs a process that may die, and returns whether it did.
    async fn process(&self, how: Option<Continued>, death: Option<Death>) -> bool {
        let store = MortalStore::new(&self.store, death);
        let over = "\n%%\n<response>over</response>".repeat(4);
        let text = match how {
            None => format!("{}{over}", self.turn),
            Some(_) => format!("<response>over</response>{over}"),
        };
        let limits = PlanLimits { max_calls: self.max_calls, ..PlanLimits::default() };
        let cancellation = CancellationToken::new();
        let agent = Agent::new(ScriptedModel::parse(&text, 40), store.clone())
            .with_tools(toolbox([
                with(self.notes("do", '+', &cancellation)),
                with(self.notes("undo_it", '-', &cancellation)),
            ]))
            .with_plan_limits(limits)
            .with_dialect(Dialect::Action);
        let scope = Scope::new("c").with_cancellation(cancellation);
        let run = async {
            let mut nothing = |_: silcrow_event::RunEventRef<'_>| {};
            match how {
                Some(Continued::Resumed) => agent.resume(scope, &[], &mut nothing).await,
                Some(Continued::Prompted) => agent.run(scope, "again", &mut nothing).await,
                None => agent.run(scope, "go", &mut nothing).await,
            }
        };
        tokio::select! {
            biased;
            () = store.died() => true,
            ended = run => {
                match ended {
                    Ok(_) => {}
                    // Nothing can be continued.
                    Err(error) if error.kind() == ErrorKind::Refused && how.is_some() => {}
                    Err(error) => panic!("{error}\n{}", self.turn),
                }
                false
            }
        }
    }

    async fn log(&self) -> Vec<Entry> {
        let head = self.store.head("c").await.unwrap();
        if head == 0 { Vec::new() } else { self.store.read("c", 1..=head).await.unwrap() }
    }

    async fn verify(&self, what: &str) {
        let log = self.log().await;
        let told = || {
            let events: Vec<_> = log.iter().map(Entry::to_json).collect();
            format!("{what}\n{}\n{}\n{:?}", self.turn, events.join("\n"), self.ledger.lock())
        };
        let ledger = self.ledger.lock().unwrap().clone();
        let mut calls: BTreeMap<String, Call> = BTreeMap::new();
        let mut results: BTreeMap<String, CallResult> = BTreeMap::new();
        let mut done = BTreeSet::new();
        for line in ledger.iter().filter(|line| line.starts_with('+')) {
            assert!(done.insert(line.clone()), "{line} twice: {}", told());
        }
        for entry in log.iter().filter(|entry| entry.turn == Some(1)) {
            match &entry.event {
                Event::Call(call) => {
                    let id = call.id().to_owned();
                    assert!(calls.insert(id.clone(), call.clone()).is_none(), "{id}: {}", told());
                }
                Event::Result(result) => {
                    let id = result.id.clone().unwrap();
                    assert!(
                        results.insert(id.clone(), result.clone()).is_none(),
                        "{id} ended twice: {}",
                        told()
                    );
                }
                _ => {}
            }
        }
        for id in calls.keys().chain(&closed_loops(&log)) {
            assert!(results.contains_key(id), "{id} never ended: {}", told());
        }
        for call in calls.values().filter(|call| call.name() == "do") {
            let of: BTreeMap<String, String> = serde_json::from_str(call.args()).unwrap();
            let of = &of["of"];
            let at = |sign: char| ledger.iter().rposition(|line| *line == format!("{sign}{of}"));
            let around = call.action().map(|action| &action.transactions[..]).unwrap_or_default();
            let has_failed = |id: &String| {
                results.get(id).is_some_and(|result| result.status() == ResultStatus::Failure)
            };
            let is_undone = at('-').is_some_and(|undone| Some(undone) > at('+'));
            if around.iter().any(has_failed) && at('+').is_some() {
                assert!(is_undone, "{of} stays: {}", told());
            }
            assert!(!around.is_empty() || at('-').is_none(), "{of} is taken back: {}", told());
        }
    }
}

/// Returns whether a call fails.
fn fails(of: &str, salt: u64) -> bool {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    let hash = of.bytes().fold(salt ^ 0xcbf2_9ce4_8422_2325, mix);
    (hash >> 7).is_multiple_of(6)
}

/// Returns the ids of the loops that are closed, without those in other loops and those that never
/// began because the block around them did not.
fn closed_loops(log: &[Entry]) -> Vec<String> {
    let (mut open, mut closed) = (Vec::new(), Vec::new());
    for entry in log.iter().filter(|entry| entry.turn == Some(1)) {
        match &entry.event {
            Event::Block(BlockMark::Begin(block)) if block.kind.has_body() => {
                open.push((block.id.clone(), matches!(block.kind, ControlKind::ForEach { .. })));
            }
            Event::Block(BlockMark::End { .. }) => {
                let ended = open.pop();
                let is_inner = open.iter().any(|(_, is_loop)| *is_loop);
                closed.extend(ended.filter(|(_, is_loop)| *is_loop && !is_inner));
            }
            _ => {}
        }
    }
    closed.into_iter().map(|(id, _)| id).collect()
}

/// Runs a tree whose processes die at random changes, until one does not. Returns the number of deaths.
async fn history(seed: u64) -> u64 {
    let world = World::from_seed(seed);
    let mut random = Random(seed ^ 0xdead);
    let mut death = |most: u64| {
        let (change, takes_effect) = (1 + random.below(most), random.one_in(2));
        Some(Death { change, takes_effect })
    };
    let mut deaths = Vec::new();
    // Most turns make 10 to 50 changes.
    let mut last = death([12, 40][(seed % 2) as usize]);
    let mut died = world.process(None, last).await;
    let mut how = None;
    while died {
        deaths.push(last);
        let is_prompt = seed.is_multiple_of(3) || world.log().await.len() < 2;
        how = Some(if is_prompt { Continued::Prompted } else { Continued::Resumed });
        last = if deaths.len() < 3 { death(20) } else { None };
        died = world.process(how, last).await;
    }
    world.verify(&format!("seed {seed}, {deaths:?}, {how:?}")).await;
    deaths.len() as u64
}

#[tokio::test(start_paused = true)]
#[expect(clippy::print_stdout, reason = "a campaign prints it")]
async fn killed_blocks_end_once() {
    let number = std::env::var("SILCROW_KILLED_TREES").ok().and_then(|number| number.parse().ok());
    let trees: u64 = number.unwrap_or(200);
    let mut deaths = 0;
    for seed in silcrow_testkit::run_seeds(trees) {
        deaths += history(seed).await;
    }
    println!("@ tried {trees} trees of blocks, {deaths} deaths of their processes");
    assert!(deaths > trees / 2, "only {deaths} deaths in {trees} trees");
}

/// Trees that left something once: a call whose result came before its start when the turn was read
/// again, one that was stopped in a transaction, one that was stopped before its start was recorded, and one
/// that takes another back in a run that was stopped and died before it said so.
#[tokio::test(start_paused = true)]
async fn formerly_leaking_trees_leave_nothing() {
    let of_campaign = |seed: u64, tree: u64| (seed << 32) + tree;
    for (seed, tree) in [(7, 481), (7, 2359), (2, 837), (2, 3423), (1, 397), (43, 1981)] {
        history(of_campaign(seed, tree)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn transaction_in_an_untaken_branch_ends_once() {
    let world = World::from_seed((7 << 32) + 234);
    assert!(world.turn.starts_with("<if id=\"s1\" test=\"false\">\n<parallel"), "{}", world.turn);
    let death = Death { change: 17, takes_effect: false };
    assert!(world.process(None, Some(death)).await);
    assert!(!world.process(Some(Continued::Prompted), None).await);
    world.verify("the first transaction is skipped before its call").await;
}
