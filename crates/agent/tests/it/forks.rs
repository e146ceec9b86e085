//! Forks: the entries that they share with their original, and calls that they never run.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use proptest::prelude::*;
use silcrow_agent::{Agent, ErrorKind};
use silcrow_event::{
    Approval, ApprovalState, Call, ConversationOrigin, Entry, Event, Grants, OnError,
};
use silcrow_parser::{Dialect, write};
use silcrow_provider::{Delta, FinishReason, ScriptedModel};
use silcrow_store::{MemoryStore, Store, transfer};
use silcrow_store_log::{Durability, LogStore, Options};
use silcrow_testkit::{action_text, action_turn, random_chars, turn, wire_text};
use silcrow_tool::{
    ApprovalDecision, ApprovalRequest, ApprovalScope, Approver, Scope, ToolError, ToolOutput,
};

use crate::support::{Answer, DeltaModel, echo, tool, toolbox, with};

/// The conversation, the turn and the id of each call that started.
type Starts = Arc<Mutex<Vec<(String, u32, String)>>>;

fn answers(dialect: Dialect) -> impl Strategy<Value = Script> {
    let wire = match dialect {
        Dialect::Action => prop_oneof![
            action_text(),
            action_turn().prop_map(|events| write(&events, Dialect::Action)),
        ]
        .boxed(),
        dialect => prop_oneof![
            wire_text().prop_map(|text| format!("{text}\n§execute\n")),
            turn().prop_map(move |events| write(&events, dialect)),
        ]
        .boxed(),
    };
    prop::collection::vec((wire, any::<u64>()), 1..5)
}

/// The answers of a model, with seeds that decide how they are cut.
type Script = Vec<(String, u64)>;

fn runs() -> impl Strategy<Value = (Dialect, Script, Script)> {
    let dialect = prop_oneof![Just(Dialect::Sigil), Just(Dialect::Phase), Just(Dialect::Action)];
    dialect.prop_flat_map(|dialect| (Just(dialect), answers(dialect), answers(dialect)))
}

fn model(answers: Script) -> DeltaModel {
    DeltaModel::new(answers.into_iter().map(|(wire, seed)| {
        let pieces = random_chars(&wire, seed).into_iter();
        let mut deltas: Vec<_> = pieces.map(|piece| Ok(Delta::Text(piece.to_owned()))).collect();
        deltas.push(Ok(Delta::Done(FinishReason::Stop)));
        Answer { deltas, hangs: false }
    }))
}

/// Returns an agent whose tools have all names that the generators call.
fn agent(model: DeltaModel, store: &Arc<LogStore>, dialect: Dialect, starts: &Starts) -> Agent {
    let tools = ["t", "ls", "file_read", "a", "x"].map(|name| {
        let starts = Arc::clone(starts);
        with(tool(name, move |args: String, context| {
            let started = (
                context.conversation_id().to_owned(),
                context.turn(),
                context.call_id().to_owned(),
            );
            starts.lock().unwrap().push(started);
            async move {
                match args.len() % 3 {
                    0 => Err(ToolError::new("no")),
                    _ => Ok(ToolOutput::new("done", args)),
                }
            }
            .boxed()
        }))
    });
    Agent::new(model, Arc::clone(store))
        .with_tools(toolbox(tools))
        .with_dialect(dialect)
        .with_max_steps(4)
}

async fn history(store: &impl Store, conversation: &str) -> Vec<Entry> {
    store.read(conversation, 1..=u64::MAX).await.unwrap()
}

async fn exported(store: &LogStore, conversation: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    assert!(
        transfer::export(store, Some(conversation), &mut bytes).await.unwrap().damage.is_empty()
    );
    bytes
}

/// Returns the entry without the members that differ between a conversation and its fork.
fn shared(entry: &Entry) -> Entry {
    Entry { opening: None, origin: None, ..entry.clone() }
}

fn calls(entries: &[Entry]) -> BTreeSet<(u32, String)> {
    let call = |entry: &Entry| match &entry.event {
        Event::Call(call) => Some((entry.turn?, call.id().to_owned())),
        _ => None,
    };
    entries.iter().filter_map(call).collect()
}

/// Returns the calls that the model wants to be tried again.
fn retried(entries: &[Entry]) -> Vec<(u32, String)> {
    let retried = |entry: &Entry| match &entry.event {
        Event::Call(call) => {
            let action = call.action()?;
            let retries = action.retry.is_some() || action.on_error == Some(OnError::Retry);
            retries.then(|| Some((entry.turn?, call.id().to_owned())))?
        }
        _ => None,
    };
    entries.iter().filter_map(retried).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    /// For any run and any place of the fork: the fork starts no call that it shares, the original
    /// stays as it is, and each of them outlives the other.
    #[test]
    fn fork_shares_history_and_reruns_nothing(
        (dialect, first, second) in runs(), at: prop::sample::Index, deletes_original: bool,
    ) {
        let dir = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let durability = Options { durability: Durability::Process };
            let store = Arc::new(LogStore::open(dir.path(), durability).await.unwrap());
            let starts = Starts::default();
            let original = agent(model(first), &store, dialect, &starts);
            // The run may end with an error; it stores a history in any case.
            let _ = original.run("original", "go", &mut |_| {}).await;
            let before = (history(&store, "original").await, exported(&store, "original").await);

            let at = at.index(before.0.len()) + 1;
            let continued = agent(model(second), &store, dialect, &starts);
            let fork = continued.fork("original", at as u64, "fork").await.unwrap();
            prop_assert_eq!(&*fork, "fork");
            let copied = history(&store, "fork").await;
            let theirs: Vec<_> = before.0[..at].iter().map(shared).collect();
            let ours: Vec<_> = copied.iter().map(shared).collect();
            prop_assert_eq!(&ours[..at], &theirs[..]);
            let is_answer = |entry: &Entry| matches!(&entry.event, Event::Result(_));
            prop_assert!(copied[at..].iter().all(is_answer));
            for opening in copied.iter().filter_map(|entry| entry.opening.as_ref()) {
                prop_assert_eq!(&*opening.conversation, "fork");
            }

            let _ = continued.run("fork", "go on", &mut |_| {}).await;
            let copied_calls = calls(&copied);
            let retried = [retried(&before.0), retried(&history(&store, "fork").await)].concat();
            let mut once = BTreeSet::new();
            for (conversation, turn, id) in starts.lock().unwrap().iter() {
                let call = (*turn, id.clone());
                prop_assert!(conversation == "original" || !copied_calls.contains(&call));
                let may_repeat = retried.contains(&call);
                let is_first = once.insert((conversation.clone(), call));
                prop_assert!(is_first || may_repeat, "{} ran twice", id);
            }
            let after = (history(&store, "original").await, exported(&store, "original").await);
            prop_assert_eq!(&after, &before);

            let fork = history(&store, "fork").await;
            prop_assert_eq!(&fork[..copied.len()], &copied[..]);
            let (gone, stays, kept) = match deletes_original {
                true => ("original", "fork", &fork),
                false => ("fork", "original", &before.0),
            };
            store.delete(gone, store.head(gone).await.unwrap()).await.unwrap();
            store.compact().await.unwrap();
            prop_assert_eq!(&history(&store, stays).await, kept);
            prop_assert!(store.verify().await.unwrap().damage.is_empty());
            Ok(())
        })?;
    }
}

/// The number of random runs; a campaign sets more.
fn cases() -> u32 {
    std::env::var("SILCROW_FORKS").ok().and_then(|cases| cases.parse().ok()).unwrap_or(48)
}

#[tokio::test]
async fn fork_names_its_origin_and_continues_there() {
    let store = Arc::new(MemoryStore::new());
    let model = ScriptedModel::parse("§respond: one\n§end\n%%\n§respond: two\n§end", 1);
    let agent = Agent::new(model, Arc::clone(&store));
    agent.ask_in("c1", "first").await.unwrap();
    let id = agent.fork("c1", None, Scope::default()).await.unwrap();
    assert_ne!(id, "c1");
    let answer = agent.ask_in(&*id, "second").await.unwrap();
    assert_eq!(answer.text, "two");
    let entries = history(&store, &id).await;
    let Some(ConversationOrigin::Fork(point)) = &entries[0].origin else { panic!("{entries:?}") };
    assert_eq!((&*point.conversation, point.seq), ("c1", 2));
    assert!(entries[1..].iter().all(|entry| entry.origin.is_none()));
    assert_eq!(history(&store, "c1").await.len(), 2);
}

#[tokio::test]
async fn impossible_fork_is_an_error() {
    let store = Arc::new(MemoryStore::new());
    let agent = Agent::new(ScriptedModel::parse("§respond: one\n§end", 1), Arc::clone(&store));
    agent.ask_in(Scope::new("c1").with_user("ann"), "first").await.unwrap();
    let ann = |id| Scope::new(id).with_user("ann");
    let cases = [
        (agent.fork("c2", 1, ann("c3")).await, "unknown conversation \"c2\""),
        (agent.fork("c1", 0, ann("c3")).await, "no event 0; its events are 1 to 2"),
        (agent.fork("c1", 3, ann("c3")).await, "no event 3; its events are 1 to 2"),
        (agent.fork("c1", 2, ann("c1")).await, "there is a conversation \"c1\" already"),
        (agent.fork("c1", 2, Scope::new("c3").with_user("bob")).await, "belongs to user \"ann\""),
        (agent.fork("c1", 2, "c3").await, "belongs to user \"ann\""),
    ];
    for (forked, why) in cases {
        let error = forked.unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
        assert_eq!(error.kind(), ErrorKind::Refused, "{error}");
    }
    assert_eq!(store.head("c3").await.unwrap(), 0);
}

/// Allows the first question for the whole conversation, and denies all others.
#[derive(Default)]
struct AllowsOnce(Mutex<u32>);

impl Approver for AllowsOnce {
    fn ask<'a>(
        &'a self,
        _: ApprovalRequest<'a>,
    ) -> futures_util::future::BoxFuture<'a, ApprovalDecision> {
        let mut asked = self.0.lock().unwrap();
        *asked += 1;
        let decision = match *asked {
            1 => ApprovalDecision::Allow(ApprovalScope::Conversation),
            _ => ApprovalDecision::Deny("no".to_owned()),
        };
        async move { decision }.boxed()
    }
}

#[tokio::test]
async fn conversation_approval_is_not_inherited_by_forks() {
    const CALL: &str = "§call: {\"name\": \"t\", \"args\": {}}\n§execute\n%%\n§respond: ok\n§end";
    let store = Arc::new(MemoryStore::new());
    let script = [CALL; 3].join("\n%%\n");
    let agent = Agent::new(ScriptedModel::parse(&script, 1), Arc::clone(&store))
        .with_tool(tool("t", |_, _| async { Ok(ToolOutput::new("ran", "ran")) }.boxed()).asking())
        .unwrap()
        .with_approver(AllowsOnce::default());
    agent.ask_in("c1", "a").await.unwrap();
    agent.fork("c1", None, "c2").await.unwrap();
    let forked = agent.ask_in("c2", "b").await.unwrap();
    assert_eq!(forked.calls[0].result.as_ref().unwrap().content.text(), "no");
    let original = agent.ask_in("c1", "b").await.unwrap();
    assert_eq!(original.calls[0].result.as_ref().unwrap().content.text(), "ran");
}

#[tokio::test]
async fn fork_ends_open_calls_with_unknown_outcome() {
    let store = Arc::new(MemoryStore::new());
    let call = Call::parse("a1", r#"{"name":"t","args":{}}"#).unwrap();
    let asked = Approval {
        id: "a1".to_owned(),
        state: ApprovalState::Asked,
        args_sha256: None,
        target: None,
        risk: None,
        scope: None,
        grants: Grants::none(),
        reason: None,
    };
    let events = [Event::user("go"), Event::Call(call), Event::Approval(asked)];
    let batch = events.map(|event| Entry { turn: Some(1), ..event.into() });
    store.append("c1", 0, batch.into()).await.unwrap();
    let agent = Agent::new(ScriptedModel::parse("§respond: ok\n§end", 1), Arc::clone(&store))
        .with_tool(echo("t"))
        .unwrap();
    agent.fork("c1", None, "c2").await.unwrap();
    agent.run("c2", "on", &mut |_| {}).await.unwrap();
    let entries = history(&store, "c2").await;
    let Event::Result(outcome) = &entries[3].event else { panic!("{entries:?}") };
    assert_eq!((outcome.id.as_deref(), outcome.tool()), (Some("a1"), Some("t")));
    assert!(outcome.content.text().contains("it may have run there"), "{outcome:?}");
    assert_eq!(entries[4].event, Event::user("on"));
}

/// A fork in the middle of a loop keeps the results of its items, and starts none of them.
#[tokio::test]
async fn fork_in_a_loop_keeps_item_results() {
    let store = Arc::new(MemoryStore::new());
    let starts = Starts::default();
    let noted = Arc::clone(&starts);
    let say = tool("say", move |args: String, context| {
        let started =
            (context.conversation_id().to_owned(), context.turn(), context.call_id().to_owned());
        noted.lock().unwrap().push(started);
        async move { Ok(ToolOutput::new("said", args)) }.boxed()
    });
    let script = "<foreach id=\"each\" in=\"['a','b','c']\" as=\"n\" max_parallel=\"1\">\
        <action id=\"s\">{\"name\":\"say\",\"parameters\":{\"text\":\"$n\"}}</action></foreach>\
        <response>Done.</response>\n%%\n<response>Again.</response>";
    let agent = Agent::new(ScriptedModel::parse(script, 1), Arc::clone(&store))
        .with_tools(toolbox([with(say)]))
        .with_dialect(Dialect::Action);
    agent.ask_in("c1", "go").await.unwrap();
    assert_eq!(starts.lock().unwrap().len(), 3);
    let log = store.read("c1", 1..=u64::MAX).await.unwrap();
    let at = log.iter().find_map(|entry| match &entry.event {
        Event::Result(result) if result.id.as_deref() == Some("each[1].s") => entry.seq,
        _ => None,
    });
    let fork = agent.fork("c1", at, "fork").await.unwrap();
    let results = |entries: Vec<Entry>| -> Vec<(String, String)> {
        let results = entries.into_iter().filter_map(|entry| match entry.event {
            Event::Result(result) => Some((result.id.clone()?, result.content.text().into_owned())),
            _ => None,
        });
        results.collect()
    };
    let copied = results(store.read(&fork, 1..=u64::MAX).await.unwrap());
    assert_eq!(copied[0], ("each[0].s".to_owned(), r#"{"text":"a"}"#.to_owned()));
    assert_eq!(copied[1], ("each[1].s".to_owned(), r#"{"text":"b"}"#.to_owned()));
    let answer = agent.ask_in(&*fork, "and?").await.unwrap();
    assert_eq!(answer.text, "Again.");
    assert_eq!(starts.lock().unwrap().len(), 3, "the fork starts no item");
    // Every call of the fork has a result, and items that already had one keep it.
    let ended = results(store.read(&fork, 1..=u64::MAX).await.unwrap());
    assert_eq!(ended[..2], copied[..2]);
    let calls = calls(&store.read(&fork, 1..=u64::MAX).await.unwrap());
    assert!(calls.iter().all(|(_, id)| ended.iter().any(|(ended, _)| ended == id)), "{ended:?}");
}
