//! Agents and workflows that wait for answers inside a call: the run that called them waits, too.

use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use silcrow_agent::{Agent, ChildAgent, ParkedQuestion, ParkedRun, RunOutcome, Workflow};
use silcrow_event::{ActionAttributes, Call, CallKind, Entry, Event, Respond};
use silcrow_parser::Dialect;
use silcrow_provider::ScriptedModel;
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{ApprovalDecision, ApprovalScope, ParkAll, Tool, ToolOutput, Toolbox};

use crate::support::{tool, toolbox, with};

const ONCE: ApprovalDecision = ApprovalDecision::Allow(ApprovalScope::Once);

/// The arguments of the calls that ran, in order.
type Ran = Arc<Mutex<Vec<String>>>;

fn write(ran: &Ran) -> impl Tool + use<> {
    let ran = Arc::clone(ran);
    let run = move |args: String, _| {
        ran.lock().unwrap().push(args.clone());
        async move { Ok(ToolOutput::new("written", args)) }.boxed()
    };
    tool("write", run).asking()
}

const ASKS: &str = "<action type=\"agent\" id=\"sub\">{\"name\":\"writer\",\"parameters\":{\"task\":\"write\"}}</action>\n\
    <response>It says $sub.</response>";
const WRITES: &str = "<action type=\"tool\" id=\"w\" mode=\"async\">{\"name\":\"write\",\"parameters\":{\"n\":1}}</action>\n\
    <action type=\"tool\" id=\"v\" mode=\"async\">{\"name\":\"write\",\"parameters\":{\"n\":2}}</action>";
const DONE: &str = "<response>written</response>";

/// An agent that calls an agent, as one process has them. `script` is the text of the inner model.
fn outer(script: &str, store: &Arc<MemoryStore>, ran: &Ran) -> Agent {
    let inner = Agent::new(ScriptedModel::parse(script, 2), Arc::clone(store))
        .with_dialect(Dialect::Action)
        .with_tools(toolbox([with(write(ran))]))
        .with_approver(ParkAll);
    let mut tools = Toolbox::new();
    let child = ChildAgent::new("writer", "Writes.", move || inner.clone());
    tools.add_as(CallKind::Agent, child).unwrap();
    Agent::new(ScriptedModel::parse(ASKS, 2), Arc::clone(store))
        .with_dialect(Dialect::Action)
        .with_tools(tools)
        .with_approver(ParkAll)
}

fn ids(outcome: RunOutcome) -> Vec<String> {
    match outcome {
        RunOutcome::Waiting(asked) => asked.iter().map(|asked| asked.id().to_owned()).collect(),
        other => panic!("{other:?}"),
    }
}

async fn answer(store: &MemoryStore) -> String {
    let entries: Vec<Entry> = store.read("c", 1..=u64::MAX).await.unwrap();
    match &entries.last().unwrap().event {
        Event::Respond(Respond { content, .. }) => content.clone(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn run_waits_for_its_agents_and_resumes() {
    let (store, ran) = (Arc::new(MemoryStore::new()), Ran::default());
    let first = outer(WRITES, &store, &ran).run("c", "go", &mut |_| {}).await.unwrap();
    assert_eq!(ids(first), ["1/sub/1/w", "1/sub/1/v"]);
    // One is answered by another process, the other when the run is resumed.
    let mut run = ParkedRun::read(&*store, "c", None).await.unwrap();
    let yes = run.questions()[1].answer(ONCE);
    run.answer(&[yes]).await.unwrap();
    let second = outer(DONE, &store, &ran).resume("c", &[], &mut |_| {}).await.unwrap();
    assert_eq!(ids(second), ["1/sub/1/w"]);
    assert_eq!(*ran.lock().unwrap(), ["{\"n\":2}"]);

    let run = ParkedRun::read(&*store, "c", None).await.unwrap();
    let no = run.questions()[0].answer(ApprovalDecision::Deny("no".to_owned()));
    let third = outer(DONE, &store, &ran).resume("c", &[no], &mut |_| {}).await.unwrap();
    assert_eq!(third, RunOutcome::Answered);
    assert_eq!(ran.lock().unwrap().len(), 1);
    assert_eq!(answer(&store).await, "It says written.");
    let entries = store.read("c/1/sub", 1..=u64::MAX).await.unwrap();
    let results = entries.iter().filter(|entry| matches!(entry.event, Event::Result(_)));
    assert_eq!(results.count(), 2);
    assert_eq!(store.head("c/1/sub~2").await.unwrap(), 0, "the agent began once");
}

#[tokio::test]
async fn new_prompt_drops_questions_inside_calls() {
    let (store, ran) = (Arc::new(MemoryStore::new()), Ran::default());
    let first = outer(WRITES, &store, &ran).run("c", "go", &mut |_| {}).await.unwrap();
    assert_eq!(ids(first).len(), 2);
    let next =
        Agent::new(ScriptedModel::parse(DONE, 2), Arc::clone(&store)).with_dialect(Dialect::Action);
    assert_eq!(next.run("c", "stop", &mut |_| {}).await.unwrap(), RunOutcome::Answered);
    let run = ParkedRun::read(&*store, "c", None).await.unwrap();
    assert_eq!(run.questions(), []);
    let inner = ParkedRun::read(&*store, "c/1/sub", None).await.unwrap();
    assert!(inner.questions().is_empty(), "its calls have results");
    assert!(ran.lock().unwrap().is_empty());
}

#[tokio::test]
async fn workflow_waits_and_resumes() {
    let (store, ran) = (Arc::new(MemoryStore::new()), Ran::default());
    let make = || {
        let call = |id: &str, n: &str| {
            let content = format!(r#"{{"name":"write","args":{{"n":{n}}}}}"#);
            Call::parse(id, content).unwrap().with_action(ActionAttributes::default())
        };
        let host = Agent::new(ScriptedModel::parse("", 1), Arc::clone(&store))
            .with_tools(toolbox([with(write(&ran))]))
            .with_approver(ParkAll);
        let calls = [call("a", "1"), call("b", "\"$a\"")];
        let flow = Workflow::new("flow", "Two steps.", calls, move || host.clone());
        let mut tools = Toolbox::new();
        tools.add_as(CallKind::Workflow, flow).unwrap();
        let asks = "<action type=\"workflow\" id=\"f\">{\"name\":\"flow\",\"parameters\":{}}</action>\n\
                    <response>It gave $f.</response>";
        Agent::new(ScriptedModel::parse(asks, 1), Arc::clone(&store))
            .with_dialect(Dialect::Action)
            .with_tools(tools)
            .with_approver(ParkAll)
    };
    let outcome = make().run("c", "go", &mut |_| {}).await.unwrap();
    assert_eq!(ids(outcome), ["1/f/1/a"]);
    for expected in [Some("1/f/1/b"), None] {
        let run = ParkedRun::read(&*store, "c", None).await.unwrap();
        let yes = run.questions()[0].answer(ONCE);
        let outcome = make().resume("c", &[yes], &mut |_| {}).await.unwrap();
        match expected {
            Some(id) => assert_eq!(ids(outcome), [id]),
            None => assert_eq!(outcome, RunOutcome::Answered),
        }
    }
    assert_eq!(ran.lock().unwrap().len(), 2, "each ran once");
    let asked: Vec<ParkedQuestion> =
        ParkedRun::read(&*store, "c", None).await.unwrap().questions().to_vec();
    assert!(asked.is_empty());
    assert!(answer(&store).await.starts_with("It gave {\"a\":"));
}
