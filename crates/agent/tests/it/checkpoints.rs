//! Runs after a long conversation, most of which a summary replaces: they read only the entries
//! that they need.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use futures_util::FutureExt as _;
use silcrow_agent::{Agent, RunOutcome};
use silcrow_context::{CompactedHistory, ContextAssembler as _, ContextInput, ModelLimits};
use silcrow_event::{Call, CallResult, ContextSummary, Entry, Event, Message};
use silcrow_parser::Dialect;
use silcrow_provider::{Delta, FinishReason};
use silcrow_store::{MemoryStore, Store as _, spaces};
use silcrow_tool::{CancellationToken, ToolOutput};

use crate::support::{Answer, DeltaModel, run, tool};
use crate::watched::{StoreActivity, Watched};

/// The number of turns of the conversation.
const TURNS: u32 = 700;

/// The number of turns that its summary leaves.
const LEFT: u32 = 20;

/// Returns a conversation of prompts, calls and answers.
fn talk(turns: std::ops::RangeInclusive<u32>) -> Vec<Entry> {
    let turn = |turn: u32| {
        let call = format!(r#"{{"name":"look","args":{{"n":{turn}}}}}"#);
        let events = [
            Event::user(format!("prompt {turn}")),
            Event::Call(Call::parse("a1", &call).unwrap()),
            Event::Result(CallResult::success("a1", "look", "1 line", "nothing")),
            Event::respond(format!("answer {turn}")),
        ];
        events.map(|event| Entry { turn: Some(turn), ..event.into() })
    };
    turns.flat_map(turn).collect()
}

fn summary(until: u64) -> Entry {
    let content = "The notes of the beginning.".to_owned();
    let summary = ContextSummary { content, until, shortened: until, ..ContextSummary::default() };
    Entry { turn: Some(TURNS), ..Event::Summary(summary).into() }
}

fn answers(count: usize) -> DeltaModel {
    let deltas = || {
        vec![Ok(Delta::Text("§respond: yes\n§end".to_owned())), Ok(Delta::Done(FinishReason::Stop))]
    };
    DeltaModel::new((0..count).map(|_| Answer { deltas: deltas(), hangs: false }))
}

/// A conversation, and the number of entries read from it.
struct Long {
    store: Arc<MemoryStore>,
    model: DeltaModel,
    agent: Agent,
    read: Arc<AtomicUsize>,
}

impl Long {
    async fn new(entries: Vec<Entry>, answered: usize) -> Self {
        let store = Arc::new(MemoryStore::new());
        store.append("c", 0, entries).await.unwrap();
        let (model, read) = (answers(answered), Arc::new(AtomicUsize::new(0)));
        let counter = Arc::clone(&read);
        let watch = move |activity| {
            if let StoreActivity::Read(entries) = activity {
                counter.fetch_add(entries, SeqCst);
            }
        };
        let agent = Agent::new(model.clone(), Watched { store: Arc::clone(&store), watch });
        Self { store, model, agent: agent.with_data_marks(true), read }
    }

    /// Appends an entry.
    async fn append(&self, entry: Entry) {
        let head = self.store.head("c").await.unwrap();
        self.store.append("c", head, vec![entry]).await.unwrap();
    }

    /// Runs a prompt. Compares the request with the request from the whole log, and returns how
    /// many entries were read.
    async fn ask(&self, prompt: &str) -> usize {
        self.read.store(0, SeqCst);
        let ran = run(&self.agent, &self.store, prompt, &CancellationToken::new()).await;
        assert_eq!(ran.ended.unwrap(), RunOutcome::Answered);
        let read = self.read.load(SeqCst);
        let asked = self.model.asked().pop().unwrap();
        let end = ran.stored.iter().rposition(
            |entry| matches!(&entry.event, Event::User { content, .. } if content.text() == prompt),
        );
        assert_eq!(asked, whole(&ran.stored[..=end.unwrap()], &asked));
        read
    }
}

/// Returns the request that a whole log gives, with the system message of another one.
fn whole(log: &[Entry], asked: &[Message]) -> Vec<Message> {
    let system = asked[0].text();
    let input = ContextInput::new(log, Dialect::Sigil).with_system(&system).with_data_marks(true);
    CompactedHistory.assemble(&input)
}

/// Returns a long conversation with a summary of all but its last turns.
fn summarized() -> Vec<Entry> {
    let mut entries = talk(1..=TURNS);
    entries.push(summary(u64::from(TURNS - LEFT) * 4));
    entries
}

#[tokio::test]
async fn run_reads_only_entries_after_summary() {
    let long = Long::new(summarized(), 4).await;
    assert_eq!(long.ask("one").await, TURNS as usize * 4 + 1, "nobody has noted anything yet");
    // The first prompt, the last replaced one with its answer, and the newest turns.
    let left = LEFT as usize * 4 + 1;
    assert_eq!(long.ask("two").await, 3 + left + 2);
    assert_eq!(long.ask("three").await, 3 + left + 4);
    long.agent.ask_in("c", "four").await.unwrap();
    let context = long.agent.next_context("c").await.unwrap();
    assert_eq!(context.events, u64::from(TURNS) * 4 + 9, "the person sees all of it");
}

#[tokio::test]
async fn removed_summary_reads_whole_log() {
    let long = Long::new(summarized(), 3).await;
    long.ask("one").await;
    long.append(Event::Summary(ContextSummary::default()).into()).await;
    assert!(long.ask("two").await >= TURNS as usize * 4);
    long.append(summary(40)).await;
    assert!(long.ask("three").await >= TURNS as usize * 4);
}

/// The replaced entries are in the next request again, without a gap.
#[tokio::test]
async fn removing_a_summary_mid_run_restores_all() {
    let long = Long::new(summarized(), 1).await;
    long.ask("one").await;
    let call = |n: u32| format!("§call: {{\"name\":\"look\",\"args\":{{\"n\":{n}}}}}\n§execute");
    let (first, second) = (call(1), call(2));
    let texts = [&*first, &*second, "§respond: yes\n§end"];
    let model = DeltaModel::new(texts.map(|text| Answer {
        deltas: vec![Ok(Delta::Text(text.to_owned())), Ok(Delta::Done(FinishReason::Stop))],
        hangs: false,
    }));
    let store = Arc::clone(&long.store);
    let look = tool("look", move |args, _| {
        let store = Arc::clone(&store);
        async move {
            if args.as_str().contains('1') {
                let head = store.head("c").await.unwrap();
                let undone = Event::Summary(ContextSummary::default()).into();
                store.append("c", head, vec![undone]).await.unwrap();
            }
            Ok(ToolOutput::new("1 line", "nothing"))
        }
        .boxed()
    });
    let agent = Agent::new(model.clone(), Arc::clone(&long.store)).with_data_marks(true);
    let agent = agent.with_tool(look).unwrap();
    let ran = run(&agent, &long.store, "two", &CancellationToken::new()).await;
    assert_eq!(ran.ended.unwrap(), RunOutcome::Answered);
    let asked = model.asked();
    assert!(asked[0].len() < 100);
    for (request, turn) in asked[1..].iter().zip([TURNS + 2, TURNS + 3]) {
        let end = ran.stored.iter().rposition(|entry| entry.turn == Some(turn));
        assert_eq!(request, &whole(&ran.stored[..=end.unwrap()], request));
    }
}

#[tokio::test]
async fn late_result_of_replaced_turn_reads_whole_log() {
    let long = Long::new(summarized(), 2).await;
    long.ask("one").await;
    let late = Event::Result(CallResult::success("a1", "look", "", "late"));
    long.append(Entry { turn: Some(3), ..late.into() }).await;
    assert!(long.ask("two").await >= TURNS as usize * 4);
}

#[tokio::test]
async fn open_replaced_call_prevents_checkpoints() {
    let mut entries = summarized();
    // The result of the third turn's call.
    entries.remove(10);
    let long = Long::new(entries, 3).await;
    long.ask("one").await;
    // The first run has given the call a result, in the old turn.
    for prompt in ["two", "three"] {
        assert!(long.ask(prompt).await >= TURNS as usize * 4);
    }
    let kept = long.store.get(&spaces::checkpoint("c"), "log").await.unwrap();
    assert!(kept.is_none());
}

#[tokio::test]
async fn misfitting_checkpoint_is_ignored() {
    let long = Long::new(summarized(), 20).await;
    long.ask("one").await;
    let (space, head) = (spaces::checkpoint("c"), long.store.head("c").await.unwrap());
    let kept = long.store.get(&space, "log").await.unwrap().unwrap();
    let text = String::from_utf8(kept.value).unwrap();
    let until = u64::from(TURNS - LEFT) * 4;
    for (from, to) in [
        // A turn that is not left out, an end beyond the log, a summary that nobody wrote.
        ("\"last_turn\":680".to_owned(), "\"last_turn\":690".to_owned()),
        (format!("\"from\":{}", until + 1), format!("\"from\":{}", head + 100)),
        (format!("\"until\":{until}"), format!("\"until\":{}", until + 8)),
        ("[1,".to_owned(), "[0,".to_owned()),
        ("{".to_owned(), "[".to_owned()),
    ] {
        assert!(text.contains(&from), "{text}");
        let version = long.store.get(&space, "log").await.unwrap().unwrap().version;
        let value = text.replacen(&from, &to, 1).into_bytes();
        long.store.put(&space, "log", version, value).await.unwrap();
        assert!(long.ask(&to).await >= TURNS as usize * 4, "{to}");
    }
}

#[tokio::test]
async fn a_long_conversation_still_belongs_to_its_user() {
    let mut entries = summarized();
    for entry in entries.iter_mut().filter(|entry| matches!(entry.event, Event::User { .. })) {
        entry.user = Some("ann".to_owned());
    }
    let mut long = Long::new(entries, 3).await;
    long.agent = long.agent.with_user("ann");
    long.ask("one").await;
    assert!(long.ask("two").await < 100);
    let model = answers(1);
    for agent in [
        Agent::new(model.clone(), Arc::clone(&long.store)).with_user("bob"),
        Agent::new(model.clone(), Arc::clone(&long.store)),
    ] {
        let ran = run(&agent, &long.store, "mine?", &CancellationToken::new()).await;
        let error = ran.ended.unwrap_err().to_string();
        assert!(error.contains("belongs to user \"ann\""), "{error}");
    }
    assert!(model.asked().is_empty());
}

/// A compaction lists the calls of the whole conversation, and the notes so far stay.
#[tokio::test]
async fn a_compaction_reads_the_whole_log() {
    let long = Long::new(summarized(), 3).await;
    long.ask("one").await;
    let model = DeltaModel::new(["The newer notes.", "§respond: yes\n§end"].map(|text| Answer {
        deltas: vec![Ok(Delta::Text(text.to_owned())), Ok(Delta::Done(FinishReason::Stop))],
        hangs: false,
    }));
    let limits = ModelLimits::default().with_context(16_000);
    let agent = Agent::new(model.clone(), Arc::clone(&long.store)).with_model_limits(limits);
    // The request takes nearly all of the window, so the step waits for the summary.
    let prompt = "two ".repeat(16_000);
    let ran = run(&agent, &long.store, &prompt, &CancellationToken::new()).await;
    assert_eq!(ran.ended.unwrap(), RunOutcome::Answered);
    let last = ran.stored.iter().rev().find_map(|entry| match &entry.event {
        Event::Summary(summary) => Some(summary),
        _ => None,
    });
    let last = last.unwrap();
    assert!(last.until > u64::from(TURNS - LEFT) * 4, "{last:?}");
    assert!(last.content.contains("The newer notes."), "{last:?}");
    assert!(last.content.contains("- look {\"n\":650}: 1 line"), "{last:?}");
    let summarizes = |messages: &&Vec<Message>| messages[1].text().ends_with("notes now.");
    let asked = model.asked();
    let asked = asked.iter().find(summarizes).unwrap();
    assert!(asked[1].text().contains("The notes of the beginning."));
}
