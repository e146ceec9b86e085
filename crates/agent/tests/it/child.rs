//! Agents that agents call.

use std::collections::BTreeMap;
use std::sync::Arc;

use silcrow_agent::{Agent, ChildAgent, RunOutcome};
use silcrow_event::{CallKind, Entry, Event};
use silcrow_parser::Dialect;
use silcrow_provider::{Provider, ScriptedModel};
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{CancellationToken, Toolbox};

use crate::models::Always;
use crate::support::{echo, run, toolbox, with};

/// Calls agent `name` as action `id`.
pub(crate) fn asks(id: &str, name: &str) -> String {
    let body = format!(r#"{{"name":"{name}","parameters":{{"task":"go on"}}}}"#);
    format!("<action type=\"agent\" id=\"{id}\">{body}</action>")
}

pub(crate) fn agent(
    provider: impl Provider + 'static,
    store: &Arc<MemoryStore>,
    tools: Toolbox,
) -> Agent {
    Agent::new(provider, Arc::clone(store)).with_dialect(Dialect::Action).with_tools(tools)
}

/// A toolbox with an agent in it.
pub(crate) fn and(mut tools: Toolbox, name: &str, agent: Agent) -> Toolbox {
    let child = ChildAgent::new(name, "A test's.", move || agent.clone());
    tools.add_as(CallKind::Agent, child).unwrap();
    tools
}

pub(crate) async fn log(store: &MemoryStore, conversation: &str) -> Vec<Entry> {
    let head = store.head(conversation).await.unwrap();
    assert!(head > 0, "{conversation} is empty");
    store.read(conversation, 1..=head).await.unwrap()
}

/// Returns the number of results of each call in a log.
pub(crate) fn answers(log: &[Entry]) -> BTreeMap<(Option<u32>, String), usize> {
    let mut answers = BTreeMap::new();
    for entry in log {
        match &entry.event {
            Event::Call(call) => {
                answers.entry((entry.turn, call.id().to_owned())).or_default();
            }
            Event::Result(outcome) => {
                *answers.get_mut(&(entry.turn, outcome.id.clone().unwrap())).unwrap() += 1;
            }
            _ => {}
        }
    }
    answers
}

#[tokio::test]
async fn nested_agents_are_seen_by_path() {
    let store = Arc::new(MemoryStore::new());
    let tool = r#"<action id="e">{"name":"echo","parameters":{"n":1}}</action>"#;
    let inner = ScriptedModel::parse(&format!("{tool}<response>inner: $e</response>"), 1);
    let outer = format!("{}<response>outer: $y</response>", asks("y", "inner"));
    let person = format!("{}<response>so: $x</response>", asks("x", "outer"));
    let inner = agent(inner, &store, toolbox([with(echo("echo"))]));
    let outer = agent(ScriptedModel::parse(&outer, 2), &store, and(Toolbox::new(), "inner", inner));
    let agent =
        agent(ScriptedModel::parse(&person, 3), &store, and(Toolbox::new(), "outer", outer));
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;

    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    let said = r#"outer: inner: {"n":1}"#;
    assert_eq!(ran.result("x").content, said);
    let Event::Respond(last) = &ran.stored.last().unwrap().event else { panic!() };
    assert_eq!(last.content, format!("so: {said}"));

    let paths: Vec<_> = ran
        .shown
        .iter()
        .map(|entry| (entry.agent_path.as_deref().unwrap_or_default(), entry.event.type_name()))
        .collect();
    let runs =
        |path, types: &[&'static str]| Vec::from_iter(types.iter().map(|kind| (path, *kind)));
    let expected = [
        runs("", &["user", "call"]),
        runs("outer", &["user", "call"]),
        runs("outer/inner", &["user", "call", "result", "respond", "metric", "end"]),
        runs("outer", &["result", "respond", "metric", "end"]),
        runs("", &["result", "respond", "metric", "end"]),
    ];
    assert_eq!(paths, expected.concat());
    // The shown entries of an agent equal its own log.
    for (path, conversation) in [("outer", "c/1/x"), ("outer/inner", "c/1/x/1/y")] {
        let stored = log(&store, conversation).await;
        let of = |entry: &&Entry| entry.agent_path.as_deref() == Some(path);
        let shown = ran.shown.iter().filter(of).filter(|entry| entry.event.is_stored());
        assert_eq!(stored, shown.cloned().collect::<Vec<_>>());
        assert_eq!(answers(&stored).into_values().collect::<Vec<_>>(), [1]);
    }
    assert_eq!(store.list(None).await.unwrap().len(), 3);
}

#[tokio::test]
async fn agent_reads_other_parameters_by_name() {
    let store = Arc::new(MemoryStore::new());
    let reader = agent(Always::new("<response>read</response>"), &store, Toolbox::new());
    let ask = |parameters| {
        let body = format!(r#"{{"name":"reader","parameters":{parameters}}}"#);
        format!("<action type=\"agent\" id=\"x\">{body}</action>")
    };
    let given = ask(r#"{"data":{"a":1},"task":"Look.","notes":"two\nlines"}"#);
    let text = format!("{given}\n%%\n{}<response/>\n%%\n<response>.</response>", ask("{}"));
    let person =
        agent(ScriptedModel::parse(&text, 1), &store, and(Toolbox::new(), "reader", reader));
    let ran = run(&person, &store, "go", &CancellationToken::new()).await;
    let stored = log(&store, "c/1/x").await;
    assert_eq!(stored[0].event, Event::user("Look.\n\ndata:\n{\"a\":1}\n\nnotes:\ntwo\nlines"));
    let refused = ran.stored.iter().rev().find_map(|entry| match &entry.event {
        Event::Result(outcome) => Some(outcome),
        _ => None,
    });
    assert!(refused.unwrap().content.text().contains("`task` is missing"), "{refused:?}");
}

#[tokio::test]
async fn endless_recursion_ends_by_depth_and_steps() {
    /// Returns an agent that calls itself, with its own limit of depth if there is one.
    fn own(store: &Arc<MemoryStore>, depth: Option<usize>) -> Agent {
        let again = Arc::clone(store);
        let child = ChildAgent::new("own", "Itself.", move || own(&again, depth));
        let mut tools = Toolbox::new();
        tools.add_as(CallKind::Agent, child).unwrap();
        let own = agent(Always::new(asks("x", "own")), store, tools).with_max_steps(2);
        match depth {
            Some(depth) => own.with_max_depth(depth),
            None => own,
        }
    }
    for (depth, deepest, words) in
        [(None, "own/own/own/own", "4 is the limit"), (Some(2), "own/own", "2 is the limit")]
    {
        let store = Arc::new(MemoryStore::new());
        let ran = run(&own(&store, depth), &store, "go", &CancellationToken::new()).await;
        let why = ran.result("x").content.text();
        assert!(why.contains("`own` gave no answer: the steps of the run are used up"), "{why}");
        let paths = ran.shown.iter().filter_map(|entry| entry.agent_path.as_deref());
        assert_eq!(paths.max_by_key(|path| path.len()), Some(deepest));
        let refused = ran.shown.iter().any(|entry| match &entry.event {
            Event::Result(outcome) => outcome.content.text().contains(words),
            _ => false,
        });
        assert!(refused);
        for kept in store.list(None).await.unwrap() {
            let answers = answers(&log(&store, &kept.conversation).await);
            assert!(answers.values().all(|results| *results == 1), "{kept:?}: {answers:?}");
        }
    }
}

#[tokio::test]
async fn agent_named_like_a_path_is_refused() {
    let store = Arc::new(MemoryStore::new());
    let kid = agent(Always::new("<response>ok</response>"), &store, Toolbox::new());
    let script = format!("{}<response>so</response>", asks("x", "a/b"));
    let agent = agent(ScriptedModel::parse(&script, 1), &store, and(Toolbox::new(), "a/b", kid));
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    assert!(ran.result("x").content.text().contains("`/`"), "{}", ran.result("x").content);
}

#[tokio::test]
async fn long_or_odd_conversation_names_are_replaced() {
    let store = Arc::new(MemoryStore::new());
    let reader = agent(Always::new("<response>read</response>"), &store, Toolbox::new());
    let ids = ["é".repeat(110), "a\tb".to_owned()];
    let text =
        format!("{}{}<response>so</response>", asks(&ids[0], "reader"), asks(&ids[1], "reader"));
    let person =
        agent(ScriptedModel::parse(&text, 1), &store, and(Toolbox::new(), "reader", reader));
    let ran = run(&person, &store, "go", &CancellationToken::new()).await;
    for id in &ids {
        assert_eq!(ran.result(id).content, "read");
    }
    assert_eq!(store.list(None).await.unwrap().len(), 3);
}

#[tokio::test]
async fn concurrent_calls_differ_by_conversation() {
    let store = Arc::new(MemoryStore::new());
    let own = r#"<action id="w">{"name":"echo","parameters":{}}</action><response>ok</response>"#;
    let kid = agent(Always::new(own), &store, toolbox([with(echo("echo"))]));
    let both = ["k1", "k2"].map(|id| asks(id, "kid").replace("id=", "mode=\"async\" id="));
    let script = format!("{}<response>$k1 $k2</response>", both.concat());
    let agent = agent(ScriptedModel::parse(&script, 1), &store, and(Toolbox::new(), "kid", kid));
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    for conversation in ["c/1/k1", "c/1/k2"] {
        let of = |entry: &&Entry| {
            entry.agent_path.is_some()
                && entry.opening.as_ref().expect("each says so").conversation == conversation
        };
        let types: Vec<_> =
            ran.shown.iter().filter(of).map(|entry| entry.event.type_name()).collect();
        assert_eq!(types, ["user", "call", "result", "respond", "metric", "end"]);
    }
}

/// The logs come from a process that was killed while an agent within an agent ran a call.
#[tokio::test]
async fn open_calls_of_a_child_get_results() {
    let store = Arc::new(MemoryStore::new());
    let left = |kind: &str, id: &str| {
        let call = format!(
            r#"{{"type":"call","id":"{id}","content":"{{\"name\":\"x\",\"args\":{{}}}}","action":{{"type":"{kind}","mode":"sync"}},"turn":1}}"#
        );
        [r#"{"type":"user","content":"go","turn":1}"#.to_owned(), call]
            .map(|line| silcrow_event::read_entry(&line).unwrap())
    };
    for (conversation, kind, id) in
        [("c", "agent", "k"), ("c/1/k", "agent", "i"), ("c/1/k/1/i", "tool", "t")]
    {
        store.append(conversation, 0, left(kind, id).to_vec()).await.unwrap();
        let marked = format!("started/{conversation}");
        store.put(&marked, &format!("1/{id}"), 0, Vec::new()).await.unwrap();
    }
    let agent = agent(Always::new("<response>on</response>"), &store, Toolbox::new());
    run(&agent, &store, "and?", &CancellationToken::new()).await;
    for conversation in ["c", "c/1/k", "c/1/k/1/i"] {
        let answers = answers(&log(&store, conversation).await);
        assert!(answers.values().all(|count| *count == 1), "{conversation}: {answers:?}");
    }
}
