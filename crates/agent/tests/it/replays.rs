//! Replays: results from the log, and questions about the other calls.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use silcrow_agent::{Agent, ErrorKind, RunOutcome};
use silcrow_event::{CallResult, CallTransition, ConversationOrigin, Entry, Event, RunEventRef};
use silcrow_parser::Dialect;
use silcrow_provider::ScriptedModel;
use silcrow_store::{MemoryStore, Store};
use silcrow_tool::{
    ApprovalDecision, ApprovalNeed, ApprovalRequest, ApprovalScope, Approver, CallContext, Spill,
    ToolError, ToolOutput, ToolPolicy,
};

use crate::support::{Doing, TestTool, tool};

const READ_ONLY: ToolPolicy = ToolPolicy {
    read_only: true,
    sends_out: false,
    idempotent: false,
    approval: ApprovalNeed::Never,
    timeout: std::time::Duration::from_secs(60),
    idle_timeout: None,
    output_cap: None,
    retries: 0,
};

/// Returns a tool that counts its calls and returns the number of each.
fn counts(
    name: &'static str,
    started: &Arc<AtomicU32>,
) -> TestTool<impl Fn(String, CallContext) -> Doing + Send + Sync + use<>> {
    let started = Arc::clone(started);
    tool(name, move |args, _| {
        let number = started.fetch_add(1, Ordering::SeqCst) + 1;
        async move {
            match args.contains("fails") {
                true => Err(ToolError::new(format!("failure {number}"))),
                false => Ok(ToolOutput::new("done", format!("result {number}"))),
            }
        }
        .boxed()
    })
}

async fn history(store: &MemoryStore, conversation: &str) -> Vec<Entry> {
    store.read(conversation, 1..=u64::MAX).await.unwrap()
}

fn results(entries: &[Entry]) -> Vec<&CallResult> {
    let result = |entry: &'_ Entry| matches!(&entry.event, Event::Result(_));
    let results = entries.iter().filter(|entry| result(entry));
    let result = |entry| match entry {
        &Entry { event: Event::Result(ref result), .. } => result,
        _ => unreachable!(),
    };
    results.map(result).collect()
}

fn texts(entries: &[Entry]) -> Vec<String> {
    results(entries).iter().map(|result| result.content.text().into_owned()).collect()
}

/// Replays and returns the numbers of calls that started and of those with recorded results.
async fn replay(agent: &Agent, from: &str, to: &str) -> (RunOutcome, u32, u32) {
    let (mut starts, mut recorded) = (0, 0);
    let mut count = |event: RunEventRef<'_>| match event {
        RunEventRef::Call(CallTransition::Started { .. }, _) => starts += 1,
        RunEventRef::Call(CallTransition::Recorded { .. }, _) => recorded += 1,
        _ => {}
    };
    let outcome = agent.replay(from, to, &mut count).await.unwrap();
    (outcome, starts, recorded)
}

#[tokio::test]
async fn replay_starts_nothing_and_has_same_history() {
    // Five prompts with five turns of two calls each; some are identical and some fail.
    let turn = |prompt: usize, turn: usize| {
        let call = |name: &str| {
            format!("§call: {{\"name\": \"look\", \"args\": {{\"at\": \"{name}\", \"n\": 1}}}}\n")
        };
        let other = if turn == 2 { "fails".to_owned() } else { format!("{prompt}/{turn}") };
        format!("§think: turn {turn}\n{}{}§execute\n", call("same"), call(&other))
    };
    let script = (0..5).flat_map(|prompt| {
        let turns = (0..5).map(move |number| turn(prompt, number));
        turns.chain([format!("§respond: answer {prompt}\n§end")])
    });
    let script = script.collect::<Vec<_>>().join("\n%%\n");
    let (store, started) = (Arc::new(MemoryStore::new()), Arc::new(AtomicU32::new(0)));
    let agent = || {
        Agent::new(ScriptedModel::parse(&script, 7), Arc::clone(&store))
            .with_tool(counts("look", &started).with_policy(READ_ONLY))
            .unwrap()
    };
    let recording = agent();
    for prompt in 0..5 {
        recording.ask_in("recorded", &format!("prompt {prompt}")).await.unwrap();
    }
    assert_eq!(started.load(Ordering::SeqCst), 50);

    let ended = replay(&agent(), "recorded", "replayed").await;
    assert_eq!(ended, (RunOutcome::Answered, 0, 50));
    assert_eq!(started.load(Ordering::SeqCst), 50);
    let [recorded, mut replayed] =
        [history(&store, "recorded").await, history(&store, "replayed").await];
    let origin = replayed[0].origin.take();
    let Some(ConversationOrigin::Replay(point)) = origin else { panic!("{origin:?}") };
    assert_eq!((&*point.conversation, point.seq), ("recorded", recorded.len() as u64));
    let timeless = |entry: Entry| Entry { timestamp: None, opening: None, ..entry };
    let [recorded, replayed] =
        [recorded, replayed].map(|entries| entries.into_iter().map(timeless).collect::<Vec<_>>());
    assert_eq!(replayed, recorded);
    let marks = store.keys().await.unwrap();
    assert_eq!(marks.iter().filter(|(space, _)| space == "started/replayed").count(), 0);
}

#[tokio::test]
async fn identical_calls_get_results_in_order() {
    let call =
        |args: &str| format!("§call: {{\"name\": \"look\", \"args\": {args}}}\n§execute\n%%\n");
    let end = "§respond: ok\n§end";
    let same = ["{\"a\": 1, \"b\": 2}", "{\"b\":2,\"a\":1}", "{ \"a\":1, \"\\u0062\":2 }"];
    let (store, started) = (Arc::new(MemoryStore::new()), Arc::new(AtomicU32::new(0)));
    let agent = |script: &str| {
        Agent::new(ScriptedModel::parse(script, 7), Arc::clone(&store))
            .with_tool(counts("look", &started).with_policy(READ_ONLY))
            .unwrap()
    };
    let recording = call(same[0]) + &call(same[1]) + end;
    agent(&recording).ask_in("recorded", "go").await.unwrap();
    let other = call("{\"a\": 1, \"b\": 2.0}");
    let script = call(same[2]) + &call(same[0]) + &call(same[1]) + &other + end;
    let ended = replay(&agent(&script), "recorded", "replayed").await;
    assert_eq!(ended, (RunOutcome::Answered, 0, 3));
    let texts = texts(&history(&store, "replayed").await);
    assert_eq!(texts[..3], ["result 1", "result 2", "result 2"]);
    assert!(!texts[3].contains("result"), "{texts:?}");
    assert_eq!(started.load(Ordering::SeqCst), 2);
}

/// Allows everything, and keeps the names of the tools that it was asked about.
#[derive(Clone, Default)]
struct AllowAll(Arc<Mutex<Vec<String>>>);

impl Approver for AllowAll {
    fn ask<'a>(
        &'a self,
        request: ApprovalRequest<'a>,
    ) -> futures_util::future::BoxFuture<'a, ApprovalDecision> {
        self.0.lock().unwrap().push(request.tool.to_owned());
        async { ApprovalDecision::Allow(ApprovalScope::Once) }.boxed()
    }
}

#[tokio::test]
async fn replay_asks_before_repeating_changes() {
    let script = "\
§call: {\"name\": \"change\", \"args\": {}}
§call: {\"name\": \"look\", \"args\": {}}
§call: {\"name\": \"asks\", \"args\": {}}
§execute
%%
§respond: ok
§end";
    let (store, started) = (Arc::new(MemoryStore::new()), Arc::new(AtomicU32::new(0)));
    let agent = || {
        let asks = ToolPolicy { approval: ApprovalNeed::Always, ..READ_ONLY };
        Agent::new(ScriptedModel::parse(script, 7), Arc::clone(&store))
            .with_tool(counts("change", &started))
            .unwrap()
            .with_tool(counts("look", &started).with_policy(READ_ONLY))
            .unwrap()
            .with_tool(counts("asks", &started).with_policy(asks))
            .unwrap()
    };
    agent().with_approver(AllowAll::default()).ask_in("recorded", "go").await.unwrap();
    assert_eq!(started.load(Ordering::SeqCst), 3);

    let ended = replay(&agent(), "recorded", "denied").await;
    assert_eq!(ended, (RunOutcome::Answered, 0, 1));
    assert_eq!(started.load(Ordering::SeqCst), 3);
    let entries = history(&store, "denied").await;
    let denied = |result: &&&CallResult| result.payload.as_ref().unwrap().summary == "denied";
    assert_eq!(results(&entries).iter().filter(denied).count(), 2, "{entries:?}");

    let person = AllowAll::default();
    let asked = Arc::clone(&person.0);
    let ended = replay(&agent().with_approver(person), "recorded", "allowed").await;
    assert_eq!(ended, (RunOutcome::Answered, 2, 1));
    // The call of a read-only tool may be asked about before the batch is complete.
    let mut asked = asked.lock().unwrap().clone();
    asked.sort_unstable();
    assert_eq!(asked, ["asks", "change"]);
    assert_eq!(started.load(Ordering::SeqCst), 5);
}

#[tokio::test]
async fn another_dialect_gets_the_recorded_results_too() {
    let sigil =
        "§call: {\"name\": \"look\", \"args\": {\"a\": 1}}\n§execute\n%%\n§respond: ok\n§end";
    let action = "<action>{\"name\":\"look\",\"parameters\":{\"a\":1}}</action>\n%%\n<response>ok</response>";
    let (store, started) = (Arc::new(MemoryStore::new()), Arc::new(AtomicU32::new(0)));
    let agent = |script: &str| {
        Agent::new(ScriptedModel::parse(script, 7), Arc::clone(&store))
            .with_tool(counts("look", &started).with_policy(READ_ONLY))
            .unwrap()
    };
    agent(sigil).ask_in("recorded", "go").await.unwrap();
    let agent = agent(action).with_dialect(Dialect::Action);
    let ended = replay(&agent, "recorded", "replayed").await;
    assert_eq!(ended, (RunOutcome::Answered, 0, 1));
    assert_eq!(texts(&history(&store, "replayed").await), ["result 1"]);
}

/// A spill that names outputs by conversation, turn and call, and keeps nothing.
struct Names;

impl Spill for Names {
    fn keep<'a>(
        &'a self,
        context: &'a CallContext,
        _: &'a str,
    ) -> futures_util::future::BoxFuture<'a, Result<String, ToolError>> {
        let (conversation, turn) = (context.conversation_id(), context.turn());
        async move { Ok(format!("{conversation}-{turn}-{}", context.call_id())) }.boxed()
    }

    fn adopt<'a>(
        &'a self,
        context: &'a CallContext,
        conversation: &'a str,
        name: &'a str,
    ) -> futures_util::future::BoxFuture<'a, Result<Option<String>, ToolError>> {
        assert!(name.starts_with(conversation), "{name} is not one of {conversation}");
        async move { Ok(Some(self.keep(context, "").await?)) }.boxed()
    }
}

#[tokio::test]
async fn long_recorded_output_is_kept_for_its_call() {
    let call = "§call: {\"name\": \"long\", \"args\": {}}\n§execute\n%%\n";
    let end = "§respond: ok\n§end";
    let store = Arc::new(MemoryStore::new());
    let agent = |script: &str| {
        let long = |_, _| async { Ok(ToolOutput::new("done", "x".repeat(1 << 20))) }.boxed();
        Agent::new(ScriptedModel::parse(script, 7), Arc::clone(&store))
            .with_tool(tool("long", long).with_policy(READ_ONLY))
            .unwrap()
            .with_spill(Names)
    };
    agent(&(call.to_owned() + end)).ask_in("recorded", "go").await.unwrap();
    let script = format!("{call}{call}{end}");
    replay(&agent(&script), "recorded", "replayed").await;
    let entries = history(&store, "replayed").await;
    let names = results(&entries)
        .into_iter()
        .map(|result| result.truncated().unwrap().full_output.clone().unwrap());
    assert_eq!(names.collect::<Vec<_>>(), ["replayed-1-a1", "replayed-2-a1"]);
}

#[tokio::test]
async fn impossible_replay_is_an_error() {
    let store = Arc::new(MemoryStore::new());
    let agent = Agent::new(ScriptedModel::parse("§respond: ok\n§end", 1), Arc::clone(&store));
    agent.ask_in("c1", "go").await.unwrap();
    store.append("c2", 0, vec![Event::respond("hello").into()]).await.unwrap();
    let ann = agent.clone().with_user("ann");
    let cases = [
        (agent.replay("c9", "c3", &mut |_| {}).await, "unknown conversation \"c9\""),
        (agent.replay("c2", "c3", &mut |_| {}).await, "has no prompt to replay"),
        (agent.replay("c1", "c1", &mut |_| {}).await, "there is a conversation \"c1\" already"),
        (ann.replay("c1", "c3", &mut |_| {}).await, "belongs to no user"),
    ];
    for (replayed, why) in cases {
        let error = replayed.unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
        assert_eq!(error.kind(), ErrorKind::Refused, "{error}");
    }
    assert_eq!(store.head("c3").await.unwrap(), 0);
}
