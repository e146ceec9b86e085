//! Everything that a run emits about a call identifies it: agent path, conversation, turn and id
//! together.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, pending};
use silcrow_agent::{Agent, Approvals, ChildAgent, OnDrop, RunOutcome, StreamOptions, Workflow};
use silcrow_event::{
    ActionAttributes, Call, CallKind, CallMode, CallTransition, Entry, Event, Respond, RunEvent,
};
use silcrow_parser::Dialect;
use silcrow_provider::ScriptedModel;
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{
    ApprovalDecision, ApprovalNeed, ApprovalRequest, ApprovalScope, Approver, CallContext, Tool,
    ToolOutput, ToolPolicy, Toolbox,
};
use tokio::runtime::{Builder, Runtime};

use crate::support::tool;

/// The agent path, the conversation, the turn and the id of a call.
type CallKey = (String, String, u32, String);

/// The calls that a tool or an approver saw.
type SeenCalls = Arc<Mutex<Vec<CallKey>>>;

/// The calls that the events of a run name.
#[derive(Default)]
struct NamedCalls {
    /// The calls that the model wrote.
    written: BTreeSet<CallKey>,
    /// The calls that other events name, with the kind of the event.
    named: Vec<(CallKey, &'static str)>,
}

impl NamedCalls {
    fn apply(&mut self, event: &RunEvent) {
        let own = |turn: Option<u32>, id: &str| {
            (String::new(), "c".to_owned(), turn.unwrap(), id.to_owned())
        };
        match event {
            RunEvent::Entry(entry) => self.apply_entry(entry),
            RunEvent::Text(piece) => {
                let ids = piece.id.iter().map(|id| (own(piece.position.turn, id), "text"));
                self.named.extend(ids);
            }
            RunEvent::CallText(piece) => {
                let ids = piece.id.iter().map(|id| (own(piece.position.turn, id), "call_text"));
                self.named.extend(ids);
            }
            RunEvent::Call(transition, position) => {
                let (id, what) = match transition {
                    CallTransition::Ready { id, .. } => (id, "ready"),
                    CallTransition::Started { id, .. } => (id, "started"),
                    CallTransition::Ended { id, .. } => (id, "ended"),
                    _ => return,
                };
                self.named.push((own(position.turn, id), what));
            }
            RunEvent::Approval(prompt) => {
                let path = prompt.agent_path.join("/");
                let key = (path, prompt.conversation.clone(), prompt.turn, prompt.id.clone());
                self.named.push((key, "prompt"));
            }
            _ => panic!("an unknown event"),
        }
    }

    fn apply_entry(&mut self, entry: &Entry) {
        let conversation = match &entry.agent_path {
            Some(_) => entry.opening.clone().map(|opening| opening.conversation),
            None => Some("c".to_owned()),
        };
        let key = |id: &str| {
            let path = entry.agent_path.clone().unwrap_or_default();
            (path, conversation.clone().unwrap(), entry.turn.unwrap(), id.to_owned())
        };
        match &entry.event {
            Event::Call(call) => {
                assert!(self.written.insert(key(call.id())), "{entry:?} names another call, too");
            }
            Event::Respond(Respond { malformed: Some(id), .. }) => {
                assert!(self.written.insert(key(id)), "{entry:?} names another call, too");
            }
            Event::Result(result) => {
                self.named.push((key(result.id.as_deref().unwrap()), "result"));
            }
            Event::Progress(progress) => self.named.push((key(&progress.id), "progress")),
            Event::Approval(approval) => self.named.push((key(&approval.id), "approval")),
            _ => {}
        }
    }
}

/// An approver that allows everything and notes the calls in its questions.
struct AllowAll(SeenCalls);

impl Approver for AllowAll {
    fn ask<'a>(&'a self, asked: ApprovalRequest<'a>) -> BoxFuture<'a, ApprovalDecision> {
        let (path, conversation) = (asked.agent_path.join("/"), asked.conversation.to_owned());
        self.0.lock().unwrap().push((path, conversation, asked.turn, asked.id.to_owned()));
        async { ApprovalDecision::Allow(ApprovalScope::Once) }.boxed()
    }
}

/// A tool that reports progress and notes its calls. It never ends if `hangs`.
fn noted(
    name: &'static str,
    policy: ToolPolicy,
    seen: &SeenCalls,
    hangs: bool,
) -> impl Tool + use<> {
    let seen = Arc::clone(seen);
    let run = move |_, context: CallContext| {
        let (path, conversation) = (context.agent_path().join("/"), context.conversation_id());
        let key = (path, conversation.to_owned(), context.turn(), context.call_id().to_owned());
        seen.lock().unwrap().push(key);
        async move {
            context.progress("note", "begun").await;
            if hangs {
                pending::<()>().await;
            }
            Ok(ToolOutput::new("noted", "noted"))
        }
        .boxed()
    };
    tool(name, run).with_policy(policy)
}

fn tools(seen: &SeenCalls, hangs: bool) -> Toolbox {
    let mut tools = Toolbox::new();
    let is = ToolPolicy::default();
    tools.add(noted("note", is, seen, false)).unwrap();
    let asks = ToolPolicy { approval: ApprovalNeed::Always, ..is };
    tools.add(noted("ask", asks, seen, false)).unwrap();
    let reads = ToolPolicy { read_only: true, ..is };
    tools.add(noted("look", reads, seen, hangs)).unwrap();
    tools
}

/// The parts that all agents of a test share.
#[derive(Clone)]
struct Parts {
    store: Arc<MemoryStore>,
    /// The calls that ran.
    ran: SeenCalls,
    /// The calls that the approver of the inner agents was asked about.
    asked: SeenCalls,
    /// Whether the tool `look` hangs.
    hangs: bool,
}

impl Parts {
    fn agent(&self, script: &str, tools: Toolbox) -> Agent {
        Agent::new(ScriptedModel::parse(script, 3), Arc::clone(&self.store))
            .with_dialect(Dialect::Action)
            .with_tools(tools)
    }

    fn inner(&self, script: &str, tools: Toolbox) -> Agent {
        self.agent(script, tools).with_approver(AllowAll(Arc::clone(&self.asked)))
    }

    fn with_flow(&self, mut tools: Toolbox) -> Toolbox {
        let action = |id: &str, name: &str| {
            let mode = CallMode::Async;
            let action = ActionAttributes { mode, ..ActionAttributes::default() };
            let call = Call::parse(id, format!(r#"{{"name":"{name}","args":{{}}}}"#)).unwrap();
            call.with_action(action)
        };
        let parts = self.clone();
        let host = move || parts.inner("", self::tools(&parts.ran, false));
        let actions = [action("e", "note"), action("a1", "ask")];
        let flow = Workflow::new("flow", "A test's.", actions, host);
        let flow = flow.with_inputs(r#"{"type":"object"}"#, []);
        tools.add_as(CallKind::Workflow, flow).unwrap();
        tools
    }

    fn with_worker(&self, mut tools: Toolbox) -> Toolbox {
        let parts = self.clone();
        let worker = move || {
            let script = format!(
                "{}{}{}{}\n%%\n{}<response>did</response>",
                call("tool", "e", "async", "note"),
                call("tool", "", "async", "ask"),
                // The id is taken, so this call cannot run.
                call("tool", "e", "async", "note"),
                call("workflow", "f", "async", "flow"),
                call("tool", "e", "async", "note"),
            );
            parts.inner(&script, parts.with_flow(self::tools(&parts.ran, false)))
        };
        tools.add_as(CallKind::Agent, ChildAgent::new("worker", "A test's.", worker)).unwrap();
        tools
    }

    /// Runs the person's agent, until `look` has begun if that hangs.
    async fn run(&self, script: &str, prompt: &str, calls: &mut NamedCalls) {
        let tools = self.with_worker(self.with_flow(tools(&self.ran, self.hangs)));
        let options = StreamOptions::default().with_approvals(Approvals::Handle);
        let options = options.with_on_drop(OnDrop::Detach);
        let agent = self.agent(script, tools).with_call_text();
        let mut run = agent.stream_with("c", prompt, options);
        while let Some(event) = run.next().await {
            calls.apply(&event);
            match event {
                RunEvent::Approval(prompt) => {
                    let yes = ApprovalDecision::Allow(ApprovalScope::Once);
                    assert!(run.handle().answer(prompt.number, yes));
                }
                RunEvent::Entry(entry) if self.hangs => {
                    let Event::Progress(progress) = entry.event else { continue };
                    if progress.id == "look" {
                        // The task of the run ends with its runtime.
                        return;
                    }
                }
                _ => {}
            }
        }
        assert_eq!(run.outcome().await.unwrap(), RunOutcome::Answered);
    }
}

fn call(kind: &str, id: &str, mode: &str, name: &str) -> String {
    let id = if id.is_empty() { String::new() } else { format!(" id=\"{id}\"") };
    let body = format!(r#"{{"name":"{name}","parameters":{{"task":"go on"}}}}"#);
    format!("<action type=\"{kind}\"{id} mode=\"{mode}\">{body}</action>")
}

/// Returns the calls that all logs name.
async fn stored(store: &MemoryStore) -> NamedCalls {
    let mut calls = NamedCalls::default();
    for summary in store.list(None).await.unwrap() {
        for entry in store.read(&summary.conversation, 1..=u64::MAX).await.unwrap() {
            calls.apply_entry(&entry);
        }
    }
    calls
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// Agents and workflows of one name run at once, some of them in the background of later turns, and
/// a second process repeats a call of the first.
#[test]
fn call_identity_is_unique() {
    let store = Arc::new(MemoryStore::new());
    let parts = Parts { store, ran: Arc::default(), asked: Arc::default(), hangs: true };
    let calls = [
        call("agent", "x", "async", "worker"),
        call("agent", "y", "async", "worker"),
        call("workflow", "f", "async", "flow"),
        call("workflow", "g", "async", "flow"),
        call("agent", "b", "fire_and_forget", "worker"),
        call("workflow", "h", "fire_and_forget", "flow"),
        call("tool", "e", "async", "note"),
        call("tool", "", "async", "ask"),
        "<action>no call</action>".to_owned(),
    ];
    let calls = calls.concat();
    let look = call("tool", "look", "async", "look");
    let mut named = NamedCalls::default();
    let killed = runtime();
    killed.block_on(parts.run(&format!("{calls}\n%%\n{calls}{look}"), "go", &mut named));
    drop(killed);
    let parts = Parts { hangs: false, ..parts };
    let script = format!("{calls}{look}\n%%\n<response>so</response>");
    runtime().block_on(parts.run(&script, "go on", &mut named));

    let NamedCalls { written, named } = named;
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for (key, what) in &named {
        assert!(written.contains(key), "{what} names no call: {key:?}");
        *kinds.entry(what).or_default() += 1;
    }
    let all = [
        "approval",
        "call_text",
        "ended",
        "progress",
        "prompt",
        "ready",
        "result",
        "started",
        "text",
    ];
    assert!(kinds.keys().copied().eq(all), "{kinds:?}");
    let short: BTreeSet<_> = written.iter().map(|(path, _, turn, id)| (path, turn, id)).collect();
    assert!(short.len() < written.len(), "no two agents of one name made calls of one id");

    // The first run may have stored more than its reader saw.
    let stored = runtime().block_on(stored(&parts.store)).written;
    assert!(written.is_subset(&stored), "{written:?} {stored:?}");
    // Exactly the stored calls ran and were asked about, each once.
    let repeated = (String::new(), "c".to_owned(), 2, "look".to_owned());
    for (seen, most) in [(&parts.ran, 2), (&parts.asked, 1)] {
        let mut times: BTreeMap<CallKey, usize> = BTreeMap::new();
        for key in &*seen.lock().unwrap() {
            *times.entry(key.clone()).or_default() += 1;
        }
        assert!(times.len() > 10, "{times:?}");
        for (key, times) in times {
            assert!(stored.contains(&key), "{key:?} is not stored");
            let expected = if key == repeated { most } else { 1 };
            assert_eq!(times, expected, "{key:?}");
        }
    }
}
