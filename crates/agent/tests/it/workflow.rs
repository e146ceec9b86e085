//! Plans that are made beforehand.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use silcrow_agent::{Agent, ChildAgent, Workflow};
use silcrow_event::{ActionAttributes, Call, CallKind, CallMode, Entry, Event, Json, OnError};
use silcrow_parser::Dialect;
use silcrow_provider::ScriptedModel;
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{
    ApprovalDecision, ApprovalRequest, ApprovalScope, Approver, CancellationToken, Tool, ToolError,
    ToolOutput, Toolbox,
};
use tokio::time::{Instant, sleep};

use crate::support::{Ran, echo, hangs, run, tool, toolbox, with};

fn action(id: &str, name: &str, args: &str, action: ActionAttributes) -> Call {
    let content = format!(r#"{{"name":"{name}","args":{args}}}"#);
    Call::parse(id, content).unwrap().with_action(action)
}

fn beside(id: &str, name: &str, args: &str) -> Call {
    action(
        id,
        name,
        args,
        ActionAttributes { mode: CallMode::Async, ..ActionAttributes::default() },
    )
}

/// Returns a tool that returns its `text` after a second.
fn slow() -> impl Tool {
    let give = |args: String, _| {
        async move {
            sleep(Duration::from_secs(1)).await;
            let text = Call::members(&args).unwrap()[0].text().unwrap().into_owned();
            Ok(ToolOutput::new("given", text))
        }
        .boxed()
    };
    tool("slow", give)
}

/// A tool that fails so many times.
fn fails(times: u32) -> impl Tool {
    let left = Arc::new(AtomicU32::new(times));
    tool("fails", move |_, _| {
        let left = Arc::clone(&left);
        async move {
            match left
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1))
            {
                Ok(_) => Err(ToolError::new("no luck")),
                Err(_) => Ok(ToolOutput::new("done", "luck")),
            }
        }
        .boxed()
    })
}

/// An agent with these tools; its model is not asked.
fn host(store: &Arc<MemoryStore>, tools: Toolbox) -> Agent {
    Agent::new(ScriptedModel::parse("", 1), Arc::clone(store)).with_tools(tools)
}

fn made(calls: impl IntoIterator<Item = Call>, agent: Agent) -> Workflow {
    Workflow::new("flow", "A test's.", calls, move || agent.clone())
}

/// Calls the workflow as a model would, and returns the outcome.
async fn call(
    workflow: Workflow,
    args: &str,
    store: &Arc<MemoryStore>,
    cancel: &CancellationToken,
) -> Ran {
    let mut tools = Toolbox::new();
    tools.add_as(CallKind::Workflow, workflow).unwrap();
    let body = format!(r#"{{"name":"flow","parameters":{args}}}"#);
    let text = format!("<action type=\"workflow\" id=\"f\">{body}</action><response>so</response>");
    let agent = Agent::new(ScriptedModel::parse(&text, 1), Arc::clone(store));
    run(&agent.with_tools(tools).with_dialect(Dialect::Action), store, "go", cancel).await
}

async fn log(store: &MemoryStore, conversation: &str) -> Vec<Entry> {
    let head = store.head(conversation).await.unwrap();
    assert!(head > 0, "{conversation} is empty");
    store.read(conversation, 1..=head).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn workflow_runs_in_parallel_and_returns_output() {
    let store = Arc::new(MemoryStore::new());
    let calls = [
        beside("a", "slow", r#"{"text":"$first"}"#),
        beside("b", "slow", r#"{"text":"$second"}"#),
        action(
            "sum",
            "slow",
            r#"{"text":"$a and $b of $$a, $count"}"#,
            ActionAttributes { output_key: Some("report".into()), ..ActionAttributes::default() },
        ),
    ];
    let schema =
        r#"{"type":"object","properties":{"first":{"type":"string"}},"required":["first"]}"#;
    let defaults = [("second", r#""y""#), ("count", "3"), ("first", "0")];
    let defaults = defaults.map(|(name, json)| (name.to_owned(), Json::parse(json).unwrap()));
    let flow = made(calls, host(&store, toolbox([with(slow())])));
    let flow = flow.with_inputs(schema, defaults).with_output("report");
    let begun = Instant::now();
    let ran = call(flow, r#"{"first":"x"}"#, &store, &CancellationToken::new()).await;
    assert_eq!(ran.result("f").content, "x and y of $a, 3");
    assert_eq!(begun.elapsed(), Duration::from_secs(2));

    let stored = log(&store, "c/1/f").await;
    assert_eq!(
        Ran::types(&stored),
        ["user", "call", "call", "call", "result", "result", "result", "respond"]
    );
    let inner: Vec<_> = ran.shown.iter().filter(|entry| entry.agent_path.is_some()).collect();
    assert!(inner.iter().all(|entry| entry.agent_path.as_deref() == Some("flow")));
    let shown: Vec<_> =
        inner.into_iter().filter(|entry| entry.event.is_stored()).cloned().collect();
    assert_eq!(shown, stored);
}

#[tokio::test]
async fn without_a_name_all_outputs_come_out() {
    let store = Arc::new(MemoryStore::new());
    let quiet = ActionAttributes { mode: CallMode::FireAndForget, ..ActionAttributes::default() };
    let named = ActionAttributes { output_key: Some("one".into()), ..ActionAttributes::default() };
    let calls = [
        action("a", "echo", r#"{"n":1}"#, named),
        Call::parse("b", r#"{"name":"echo"}"#).unwrap(),
        action("c", "none", "{}", quiet),
    ];
    let flow = made(calls, host(&store, toolbox([with(echo("echo"))])));
    let ran = call(flow, "{}", &store, &CancellationToken::new()).await;
    assert_eq!(ran.result("f").content, r#"{"one":"{\"n\":1}","b":"{}"}"#);
}

#[tokio::test(start_paused = true)]
async fn failed_dependency_is_named() {
    let skip = ActionAttributes::default;
    let fail = || ActionAttributes { on_error: Some(OnError::Fail), ..skip() };
    let again = || ActionAttributes { on_error: Some(OnError::Retry), ..skip() };
    let calls =
        |first| [action("a", "fails", "{}", first), action("b", "echo", r#"{"x":"$a"}"#, skip())];
    let no_luck = "the workflow `flow` has no output: `a` failed: no luck";
    for (first, times, output, expected) in [
        (skip(), 1, Some("b"), no_luck),
        (skip(), 1, None, no_luck),
        (fail(), 1, Some("b"), no_luck),
        (again(), 3, Some("b"), r#"{"x":"luck"}"#),
        (again(), 4, Some("b"), no_luck),
    ] {
        let store = Arc::new(MemoryStore::new());
        let flow =
            made(calls(first), host(&store, toolbox([with(fails(times)), with(echo("echo"))])));
        let flow = match output {
            Some(output) => flow.with_output(output),
            None => flow,
        };
        let ran = call(flow, "{}", &store, &CancellationToken::new()).await;
        assert_eq!(ran.result("f").content, expected);
    }
    // The failure of a call that it does not need is not a failure of the workflow.
    let store = Arc::new(MemoryStore::new());
    let calls = [action("a", "fails", "{}", skip()), action("b", "echo", "{}", skip())];
    let flow = made(calls, host(&store, toolbox([with(fails(1)), with(echo("echo"))])));
    let ran = call(flow.with_output("b"), "{}", &store, &CancellationToken::new()).await;
    assert_eq!(ran.result("f").content, "{}");
}

#[tokio::test]
async fn recursive_workflow_ends_by_depth() {
    let store = Arc::new(MemoryStore::new());
    fn own(store: &Arc<MemoryStore>) -> Workflow {
        let again = Arc::clone(store);
        let kind = |kind| ActionAttributes { kind, ..ActionAttributes::default() };
        let calls = [
            action("reads", "reader", r#"{"task":"go"}"#, kind(CallKind::Agent)),
            action("own", "flow", "{}", kind(CallKind::Workflow)),
        ];
        let with_both = move || {
            let says = ScriptedModel::parse("<response>read</response>", 1);
            let reader = Agent::new(says, Arc::clone(&again)).with_dialect(Dialect::Action);
            let mut tools = Toolbox::new();
            tools
                .add_as(
                    CallKind::Agent,
                    ChildAgent::new("reader", "Reads.", move || reader.clone()),
                )
                .unwrap();
            tools.add_as(CallKind::Workflow, own(&again)).unwrap();
            host(&again, tools)
        };
        Workflow::new("flow", "Itself.", calls, with_both)
    }
    let ran = call(own(&store), "{}", &store, &CancellationToken::new()).await;
    let why = ran.result("f").content.text();
    assert!(why.contains("4 is the limit"), "{why}");
    let read =
        ran.shown.iter().find(|entry| entry.agent_path.as_deref() == Some("flow/flow/reader"));
    assert!(read.is_some());
}

#[tokio::test(start_paused = true)]
async fn a_stopped_workflow_answers_its_calls() {
    let store = Arc::new(MemoryStore::new());
    let calls = [beside("a", "hangs", "{}"), beside("b", "echo", r#"{"x":"$a"}"#)];
    let flow = made(calls, host(&store, toolbox([with(hangs("hangs")), with(echo("echo"))])));
    let cancel = CancellationToken::new();
    let stop = async {
        sleep(Duration::from_millis(1)).await;
        cancel.cancel();
    };
    let begun = Instant::now();
    let (_, ()) = tokio::join!(call(flow, "{}", &store, &cancel), stop);
    assert_eq!(begun.elapsed(), Duration::from_millis(1));
    let stored = log(&store, "c/1/f").await;
    assert_eq!(Ran::types(&stored), ["user", "call", "call", "result", "result", "cancelled"]);
}

/// An approver that says yes and records the questions.
#[derive(Clone, Default)]
struct Yes(Arc<Mutex<Vec<String>>>);

impl Approver for Yes {
    fn ask<'a>(
        &'a self,
        question: ApprovalRequest<'a>,
    ) -> futures_util::future::BoxFuture<'a, ApprovalDecision> {
        let asked = format!("{}: {}", question.agent_path.join("/"), question.args);
        self.0.lock().unwrap().push(asked);
        async { ApprovalDecision::Allow(ApprovalScope::Conversation) }.boxed()
    }
}

#[tokio::test]
async fn question_has_the_exact_arguments() {
    let store = Arc::new(MemoryStore::new());
    let calls = [
        beside("a", "asks", r#"{"x":"$in"}"#),
        action("b", "asks", r#"{"x":1}"#, ActionAttributes::default()),
    ];
    let yes = Yes::default();
    let asks = tool("asks", |args, _| async { Ok(ToolOutput::new("done", args)) }.boxed());
    let flow = made(calls, host(&store, toolbox([with(asks.asking())])).with_approver(yes.clone()));
    let ran = call(
        flow.with_inputs(r#"{"type":"object"}"#, []),
        r#"{"in":1}"#,
        &store,
        &CancellationToken::new(),
    )
    .await;
    assert_eq!(ran.result("f").content, r#"{"a":"{\"x\":1}","b":"{\"x\":1}"}"#);
    // The second is covered by the first yes.
    assert_eq!(*yes.0.lock().unwrap(), [r#"flow: {"x":1}"#]);
    let stored = log(&store, "c/1/f").await;
    let asked = stored.iter().filter(|entry| matches!(entry.event, Event::Approval(_)));
    assert_eq!(asked.count(), 2);
}

#[test]
fn unreachable_actions_are_flaws() {
    let after = |id: &str, ids: &[&str]| {
        let depends_on = ids.iter().map(|id| (*id).to_owned()).collect();
        action(
            id,
            "echo",
            "{}",
            ActionAttributes { mode: CallMode::Async, depends_on, ..ActionAttributes::default() },
        )
    };
    let flaws = |calls: Vec<Call>| Workflow::flaws(&calls);
    assert_eq!(flaws(vec![after("a", &[]), after("b", &["a"]), after("c", &["b", "a"])]), []);
    let found =
        flaws(vec![after("a", &["b"]), after("b", &["a"]), after("a", &[]), after("d", &["x"])]);
    let places: Vec<_> = found.iter().map(|(index, _)| *index).collect();
    assert_eq!(places, [2, 0, 1, 3]);
    for (why, part) in std::iter::zip(&found, ["is taken", "cycle", "cycle", "`x`"]) {
        assert!(why.1.contains(part), "{why:?}");
    }
}

#[tokio::test]
async fn flawed_workflow_runs_nothing() {
    let store = Arc::new(MemoryStore::new());
    let twice = ["1", "2"].map(|n| beside("x", "echo", &format!("{{\"n\":{n}}}")));
    let workflow = made(twice, host(&store, toolbox([with(echo("echo"))])));
    let ran = call(workflow, "{}", &store, &CancellationToken::new()).await;
    let result = ran.stored.iter().find_map(|entry| match &entry.event {
        Event::Result(outcome) => Some(outcome.content.text()),
        _ => None,
    });
    let why = result.unwrap();
    assert!(why.contains("action 2: the id `x` is taken"), "{why}");
    let shown: Vec<_> = ran.shown.iter().filter(|entry| entry.agent_path.is_some()).collect();
    assert!(shown.is_empty(), "{shown:?}");
}
