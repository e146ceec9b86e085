//! Runs as streams: slow readers, and readers that are dropped.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::{FutureExt as _, StreamExt as _, stream};
use silcrow_agent::{Agent, ChildAgent, ErrorKind, OnDrop, RunOutcome, RunStream, StreamOptions};
use silcrow_event::{CallKind, CallTransition, Entry, Event, RunEvent};
use silcrow_parser::Dialect;
use silcrow_provider::{
    Delta, DeltaStream, FinishReason, OpeningSession, Provider, Request, ScriptedModel,
};
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{CancellationToken, Scope, ToolOutput, ToolPolicy, Toolbox};
use tokio::time::{sleep, timeout};

use crate::support::{echo, hangs, tool, toolbox, with};

/// A model that answers with a text of so many deltas, and counts those that were read.
#[derive(Clone)]
struct Talks {
    deltas: usize,
    read: Arc<AtomicUsize>,
}

impl Talks {
    fn new(deltas: usize) -> Self {
        Self { deltas, read: Arc::default() }
    }

    fn read(&self) -> usize {
        self.read.load(Ordering::SeqCst)
    }
}

impl Provider for Talks {
    fn name(&self) -> &str {
        "talks"
    }

    fn stream(&self, _: Request) -> DeltaStream {
        let read = Arc::clone(&self.read);
        let begin = Delta::Text("§respond: ".to_owned());
        let words = std::iter::repeat_n(Delta::Text("word ".to_owned()), self.deltas);
        let deltas = [begin].into_iter().chain(words).chain([Delta::Done(FinishReason::Stop)]);
        let count = move |delta| {
            read.fetch_add(1, Ordering::SeqCst);
            Ok(delta)
        };
        stream::iter(deltas).map(count).boxed()
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}

/// A model that calls a tool once and then answers.
pub(crate) fn calls(tool: &str) -> ScriptedModel {
    let script = format!("§call: {{\"name\":\"{tool}\"}}\n§execute\n%%\n§respond: done\n§end");
    ScriptedModel::parse(&script, 1)
}

/// The types of the entries that are left in a stream.
async fn types(run: &mut RunStream) -> Vec<&'static str> {
    let mut types = Vec::new();
    while let Some(event) = run.next().await {
        if let RunEvent::Entry(entry) = event {
            types.push(entry.event.type_name());
        }
    }
    types
}

/// Follows a conversation until an event of this type is stored.
async fn stored(store: &MemoryStore, conversation: &str, type_name: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut log = store.follow(conversation, 0);
    while let Some(entry) = log.next().await {
        entries.push(entry.unwrap());
        if entries.last().is_some_and(|entry| entry.event.type_name() == type_name) {
            break;
        }
    }
    entries
}

#[tokio::test(start_paused = true)]
async fn a_slow_reader_slows_the_model() {
    let model = Talks::new(1000);
    let agent = Agent::new(model.clone(), MemoryStore::new());
    let mut run = agent.stream_with("c", "go", StreamOptions::default().with_capacity(4));
    sleep(Duration::from_secs(60)).await;
    // The prompt and three pieces are in the channel; one more waits for room.
    let ahead = model.read();
    assert!((3..=6).contains(&ahead), "{ahead} deltas were read");

    let mut text = String::new();
    for read in 1.. {
        let Some(event) = run.next().await else { break };
        if let RunEvent::Text(piece) = event {
            text += &piece.text;
        }
        sleep(Duration::from_millis(1)).await;
        let ahead = model.read().saturating_sub(read);
        assert!(ahead <= 6, "{ahead} deltas ahead of the reader");
    }
    assert_eq!(text.trim_end(), "word ".repeat(1000).trim_end());
    assert_eq!(run.outcome().await.unwrap(), RunOutcome::Answered);
}

/// A slow reader also delays the progress of calls.
#[tokio::test(start_paused = true)]
async fn a_slow_reader_slows_the_tools() {
    let reports = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&reports);
    let chatty = tool("chatty", move |_, context| {
        let reports = Arc::clone(&counted);
        async move {
            loop {
                context.progress("stdout", "more").await;
                reports.fetch_add(1, Ordering::SeqCst);
            }
        }
        .boxed()
    });
    let timeout = Duration::from_secs(1_000_000);
    let chatty = chatty.with_policy(ToolPolicy { timeout, ..ToolPolicy::default() });
    let tools = toolbox([with(chatty)]);
    let agent = Agent::new(calls("chatty"), MemoryStore::new()).with_tools(tools);
    let run = agent.stream("c", "go");
    sleep(Duration::from_secs(60)).await;
    let first = reports.load(Ordering::SeqCst);
    sleep(Duration::from_secs(60)).await;
    assert!(first > 0 && first < 500, "{first} reports");
    assert_eq!(reports.load(Ordering::SeqCst), first);
    // A reader that does not read can still cancel.
    run.handle().cancel();
    assert_eq!(run.outcome().await.unwrap(), RunOutcome::Interrupted);
}

#[tokio::test]
async fn a_dropped_stream_cancels_its_run() {
    let store = Arc::new(MemoryStore::new());
    let tools = toolbox([with(hangs("hangs"))]);
    let agent = Agent::new(calls("hangs"), Arc::clone(&store)).with_tools(tools);
    let scope = Scope::new("c");
    let mut run = agent.stream(scope.clone(), "go");
    while let Some(event) = run.next().await {
        if matches!(event, RunEvent::Entry(entry) if entry.event == Event::Execute) {
            break;
        }
    }
    drop(run);
    let entries = stored(&store, "c", "cancelled").await;
    let types: Vec<_> = entries.iter().map(|entry| entry.event.type_name()).collect();
    assert_eq!(types, ["user", "call", "result", "cancelled"]);
    // The caller's own token is not cancelled.
    assert!(!scope.cancellation.is_cancelled());
}

#[tokio::test]
async fn a_dropped_stream_leaves_a_detached_run_alone() {
    let store = Arc::new(MemoryStore::new());
    let agent =
        Agent::new(calls("echo"), Arc::clone(&store)).with_tools(toolbox([with(echo("echo"))]));
    let options = StreamOptions::default().with_capacity(1).with_on_drop(OnDrop::Detach);
    drop(agent.stream_with("c", "go", options));
    let entries = stored(&store, "c", "respond").await;
    let types: Vec<_> = entries.iter().map(|entry| entry.event.type_name()).collect();
    assert_eq!(types, ["user", "call", "result", "respond"]);
}

#[tokio::test]
async fn a_token_of_the_caller_stops_the_run() {
    let agent =
        Agent::new(calls("hangs"), MemoryStore::new()).with_tools(toolbox([with(hangs("hangs"))]));
    let stop = CancellationToken::new();
    let run = agent.stream(Scope::default().with_cancellation(stop.clone()), "go");
    stop.cancel();
    assert_eq!(run.answer().await.unwrap_err().kind(), ErrorKind::Interrupted);
}

/// An agent that a call runs waits for the reader, and its entries carry its path.
#[tokio::test(start_paused = true)]
async fn stream_includes_child_agent_entries() {
    let store = Arc::new(MemoryStore::new());
    let child = Agent::new(ScriptedModel::parse("<response>4</response>", 1), Arc::clone(&store))
        .with_dialect(Dialect::Action);
    let mut tools = Toolbox::new();
    let child = ChildAgent::new("adder", "Adds.", move || child.clone());
    tools.add_as(CallKind::Agent, child).unwrap();
    let asks = r#"<action type="agent" id="sum">{"name":"adder","parameters":{"task":"2 + 2"}}</action>
<response>It is $sum.</response>"#;
    let agent = Agent::new(ScriptedModel::parse(asks, 1), store)
        .with_dialect(Dialect::Action)
        .with_tools(tools);
    let mut run =
        agent.stream_with("sums", "What is 2 + 2?", StreamOptions::default().with_capacity(1));
    let mut of_child = Vec::new();
    while let Some(event) = run.next().await {
        sleep(Duration::from_secs(1)).await;
        if let RunEvent::Entry(entry) = event
            && entry.agent_path.as_deref() == Some("adder")
        {
            of_child.push(entry.event.type_name());
        }
    }
    assert_eq!(of_child, ["user", "respond", "metric", "end"]);
    let answer = run.answer().await.unwrap();
    assert_eq!(answer.text, "It is 4.");
    assert_eq!(answer.calls.len(), 1);
}

#[tokio::test]
async fn stream_and_callback_receive_same_events() {
    let agent =
        || Agent::new(calls("echo"), MemoryStore::new()).with_tools(toolbox([with(echo("echo"))]));
    let mut shown = Vec::new();
    let mut emit = |event: silcrow_event::RunEventRef<'_>| {
        if let RunEvent::Entry(entry) = event.to_owned() {
            shown.push(entry.event.type_name());
        }
    };
    agent().run("c", "go", &mut emit).await.unwrap();
    let mut run = agent().stream("c", "go");
    let streamed = timeout(Duration::from_secs(60), types(&mut run)).await.unwrap();
    assert_eq!(streamed, shown);
}

#[tokio::test]
async fn dropped_run_ends_between_steps_and_resumes() {
    let (starts, left) = (Arc::new(AtomicUsize::new(0)), CancellationToken::new());
    let (counted, leave) = (Arc::clone(&starts), left.clone());
    // The call ends after the order to leave.
    let slow = tool("slow", move |_, _| {
        counted.fetch_add(1, Ordering::Relaxed);
        let leave = leave.clone();
        async move {
            leave.cancelled().await;
            Ok(ToolOutput::new("whole", "whole"))
        }
        .boxed()
    });
    let store = Arc::new(MemoryStore::new());
    let agent = Agent::new(calls("slow"), Arc::clone(&store)).with_tools(toolbox([with(slow)]));
    let mut run = agent.stream("c", "go");
    let handle = run.handle();
    while !matches!(run.next().await, Some(RunEvent::Call(CallTransition::Started { .. }, _))) {}
    handle.leave_because("it goes on elsewhere");
    left.cancel();
    let mut reasons = Vec::new();
    while let Some(event) = run.next().await {
        if let RunEvent::Entry(entry) = event
            && let Event::Interrupt { reason } = entry.event
        {
            reasons.push(reason);
        }
    }
    assert_eq!(reasons, ["it goes on elsewhere"]);
    assert_eq!(run.outcome().await.unwrap(), RunOutcome::Interrupted);
    let kept = async || {
        let log = store.read("c", 1..=u64::MAX).await.unwrap();
        log.iter().map(|entry| entry.event.type_name()).collect::<Vec<_>>()
    };
    assert_eq!(kept().await, ["user", "call", "result"]);
    let resumed = agent.resume("c", &[], &mut |_| {}).await.unwrap();
    assert_eq!(resumed, RunOutcome::Answered);
    assert_eq!(kept().await, ["user", "call", "result", "respond"]);
    assert_eq!(starts.load(Ordering::Relaxed), 1);
}
