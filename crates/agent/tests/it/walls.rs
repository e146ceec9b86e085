//! A grant to a running call is stored before its door opens, and holds only where it was given
//! (P-27).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_agent::{Agent, RunOutcome};
use silcrow_event::{Approval, ApprovalState, Entry, Event, Grants};
use silcrow_provider::ScriptedModel;
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{
    ApprovalDecision, ApprovalNeed, ApprovalRequest, ApprovalScope, Approver, ParkAll, Preview,
    ToolOutput, ToolPolicy, Toolbox,
};

use crate::support::{tool, toolbox, with};

const CALL: &str = "§call: {\"name\":\"fetch\",\"args\":{}}\n§execute\n%%\n§respond: done\n§end";
const SCOPE: &str = "each call that asks for\nnetwork:docs.rs";

fn docs() -> Grants {
    ["network:docs.rs".parse().unwrap()].into_iter().collect()
}

/// A tool that asks for a host, and returns the entries of the log at the time of the answer.
fn tools(store: &Arc<MemoryStore>, policy: ToolPolicy) -> Toolbox {
    let store = Arc::clone(store);
    let run = move |_, context: silcrow_tool::CallContext| {
        let store = Arc::clone(&store);
        async move {
            let answer = context.ask_for(docs()).await;
            let log = store.read(context.conversation_id(), 1..=u64::MAX).await.unwrap();
            let at_wall = walls(&log).len();
            Ok(ToolOutput::new("fetched", format!("{answer:?} after {at_wall}")))
        }
        .boxed()
    };
    let tool = tool("fetch", run).with_policy(policy);
    toolbox([with(tool.with_preview(|_| Preview::new("all").with_target("the page")))])
}

fn walls(log: &[Entry]) -> Vec<(ApprovalState, Option<String>)> {
    let approvals = log.iter().filter_map(|entry| match &entry.event {
        Event::Approval(approval) if approval.is_at_wall() => {
            let Approval { state, scope, grants, target, args_sha256, .. } = approval;
            assert_eq!((grants, target.as_deref()), (&docs(), Some("network:docs.rs")));
            assert!(args_sha256.is_some());
            Some((*state, scope.clone()))
        }
        _ => None,
    });
    approvals.collect()
}

fn result(log: &[Entry]) -> String {
    let result = log.iter().rev().find_map(|entry| match &entry.event {
        Event::Result(result) => Some(result.content.text().into_owned()),
        _ => None,
    });
    result.unwrap()
}

fn agent(store: &Arc<MemoryStore>, policy: ToolPolicy, approver: impl Approver + 'static) -> Agent {
    Agent::new(ScriptedModel::parse(CALL, 3), Arc::clone(store))
        .with_tools(tools(store, policy))
        .with_approver(approver)
        .with_root("/one", "7:1")
}

/// An approver that leaves questions about calls open if it `parks`, and answers questions at
/// walls.
#[derive(Clone)]
struct Doorkeeper {
    parks: Arc<AtomicBool>,
    answer: ApprovalDecision,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Doorkeeper {
    fn new(answer: ApprovalDecision) -> Self {
        Self { parks: Arc::default(), answer, asked: Arc::default() }
    }
}

impl Approver for Doorkeeper {
    fn ask<'a>(&'a self, question: ApprovalRequest<'a>) -> BoxFuture<'a, ApprovalDecision> {
        if question.target == Some("the page") {
            let parks = self.parks.load(Ordering::SeqCst);
            let once = ApprovalDecision::Allow(ApprovalScope::Once);
            return async move { if parks { ApprovalDecision::Park } else { once } }.boxed();
        }
        self.asked.lock().unwrap().push(question.scope.to_owned());
        let answer = self.answer.clone();
        async { answer }.boxed()
    }
}

const ONCE: ApprovalDecision = ApprovalDecision::Allow(ApprovalScope::Once);
const ALWAYS: ApprovalDecision = ApprovalDecision::Allow(ApprovalScope::Conversation);

async fn log(store: &MemoryStore, conversation: &str) -> Vec<Entry> {
    store.read(conversation, 1..=u64::MAX).await.unwrap()
}

#[tokio::test]
async fn approval_is_logged_before_access() {
    let store = Arc::new(MemoryStore::new());
    let keeper = Doorkeeper::new(ONCE);
    let agent = agent(&store, ToolPolicy::default(), keeper.clone());
    assert_eq!(agent.run("c", "go", &mut |_| {}).await.unwrap(), RunOutcome::Answered);
    let log = log(&store, "c").await;
    assert_eq!(walls(&log), [(ApprovalState::Asked, None), (ApprovalState::Allowed, None)]);
    assert_eq!(result(&log), "Ok(()) after 2");
    assert_eq!(*keeper.asked.lock().unwrap(), [SCOPE]);
}

#[tokio::test]
async fn conversation_answer_holds_in_next_run() {
    let store = Arc::new(MemoryStore::new());
    let keeper = Doorkeeper::new(ALWAYS);
    for run in 1..=3 {
        let agent = agent(&store, ToolPolicy::default(), keeper.clone());
        agent.run("c", &format!("go {run}"), &mut |_| {}).await.unwrap();
        let log = log(&store, "c").await;
        assert_eq!(result(&log), "Ok(()) after 2");
        assert_eq!(walls(&log)[1], (ApprovalState::Allowed, Some(SCOPE.to_owned())));
        assert_eq!(keeper.asked.lock().unwrap().len(), 1);
    }
    // Another conversation has its own answers.
    let agent = agent(&store, ToolPolicy::default(), keeper.clone());
    agent.run("d", "go", &mut |_| {}).await.unwrap();
    assert_eq!(keeper.asked.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn sandbox_access_never_parks_a_run() {
    let store = Arc::new(MemoryStore::new());
    let agent = agent(&store, ToolPolicy::default(), ParkAll);
    assert_eq!(agent.run("c", "go", &mut |_| {}).await.unwrap(), RunOutcome::Answered);
    let log = log(&store, "c").await;
    let states: Vec<_> = walls(&log).into_iter().map(|(state, _)| state).collect();
    assert_eq!(states, [ApprovalState::Asked, ApprovalState::Denied]);
    assert!(result(&log).starts_with("Err(\"nobody answers now"), "{}", result(&log));
    assert!(!log.iter().any(|entry| matches!(entry.event, Event::Parked(_))));
}

#[tokio::test]
async fn approved_call_may_ask_at_the_wall() {
    let store = Arc::new(MemoryStore::new());
    let asking = ToolPolicy { approval: ApprovalNeed::Always, ..ToolPolicy::default() };
    let keeper = Doorkeeper::new(ApprovalDecision::Deny("not this host".to_owned()));
    keeper.parks.store(true, Ordering::SeqCst);
    let outcome = agent(&store, asking, keeper.clone()).run("c", "go", &mut |_| {}).await.unwrap();
    let RunOutcome::Waiting(questions) = outcome else { panic!("{outcome:?}") };
    let answers = [questions[0].answer(ONCE)];
    // Another process, which has only the log.
    let second = agent(&store, asking, keeper.clone());
    second.resume("c", &answers, &mut |_| {}).await.unwrap();
    let log = log(&store, "c").await;
    assert_eq!(
        walls(&log).into_iter().map(|(state, _)| state).collect::<Vec<_>>(),
        [ApprovalState::Asked, ApprovalState::Denied]
    );
    assert_eq!(result(&log), "Err(\"not this host\") after 2");
}

#[tokio::test]
async fn replayed_result_needs_no_sandbox_access() {
    let store = Arc::new(MemoryStore::new());
    let reads = ToolPolicy { read_only: true, ..ToolPolicy::default() };
    let keeper = Doorkeeper::new(ALWAYS);
    agent(&store, reads, keeper.clone()).run("c", "go", &mut |_| {}).await.unwrap();
    let replaying = agent(&store, reads, keeper.clone());
    replaying.replay("c", "again", &mut |_| {}).await.unwrap();
    let again = log(&store, "again").await;
    assert_eq!(walls(&again), []);
    assert_eq!(result(&again), "Ok(()) after 2");
    assert_eq!(keeper.asked.lock().unwrap().len(), 1);
    // A call that runs again asks again: a grant there does not hold here.
    let changes = agent(&store, ToolPolicy::default(), keeper.clone());
    changes.replay("c", "anew", &mut |_| {}).await.unwrap();
    assert_eq!(walls(&log(&store, "anew").await).len(), 2);
    assert_eq!(keeper.asked.lock().unwrap().len(), 2);
}
