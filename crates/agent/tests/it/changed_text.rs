//! Waiting work that the version that continues it reads differently: a turn whose text gives other
//! calls, and a workflow with other steps. None of it continues, and everything ends.

use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use silcrow_agent::{Agent, ParkedRun, RunOutcome, Workflow};
use silcrow_event::{ActionAttributes, Call, CallKind, Entry, Event};
use silcrow_parser::Dialect;
use silcrow_provider::ScriptedModel;
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{ApprovalDecision, ApprovalScope, ParkAll, Tool, ToolOutput, Toolbox};

use crate::support::{tool, toolbox, with};

/// The calls that ran, in order.
type Ledger = Arc<Mutex<Vec<String>>>;

/// A tool that notes its name and its arguments.
fn notes(name: &'static str, ledger: &Ledger) -> impl Tool + use<> {
    let ledger = Arc::clone(ledger);
    let noted = tool(name, move |args: String, _| {
        ledger.lock().unwrap().push(format!("{name} {args}"));
        async { Ok(ToolOutput::new("done", "done")) }.boxed()
    });
    if name == "ask" { noted.asking() } else { noted }
}

fn tools(ledger: &Ledger) -> Toolbox {
    let noted = |name| with(notes(name, ledger));
    toolbox([noted("do"), noted("undo_it"), noted("ask")])
}

fn agent(script: &str, dialect: Dialect, store: &Arc<MemoryStore>, ledger: &Ledger) -> Agent {
    Agent::new(ScriptedModel::parse(script, 2), Arc::clone(store))
        .with_dialect(dialect)
        .with_tools(tools(ledger))
        .with_approver(ParkAll)
}

/// Copies a store. In the text of a turn that waits, one part is another one.
async fn copied(store: &MemoryStore, from: &str, to: &str) -> Arc<MemoryStore> {
    let copy = MemoryStore::new();
    let log = store.read("c", 1..=u64::MAX).await.unwrap();
    for (seq, mut entry) in (0..).zip(log) {
        if let Event::Parked(parked) = &mut entry.event {
            assert!(parked.wire.contains(from), "{}", parked.wire);
            parked.wire = parked.wire.replace(from, to);
        }
        entry.seq = None;
        copy.append("c", seq, vec![entry]).await.unwrap();
    }
    for (space, key) in store.keys().await.unwrap() {
        let value = store.get(&space, &key).await.unwrap().unwrap().value;
        let known = copy.get(&space, &key).await.unwrap().map_or(0, |known| known.version);
        copy.put(&space, &key, known, value).await.unwrap();
    }
    Arc::new(copy)
}

async fn log(store: &MemoryStore) -> Vec<Entry> {
    store.read("c", 1..=u64::MAX).await.unwrap()
}

/// Returns the outcome of a call in the log.
fn outcome(log: &[Entry], call: &str) -> Option<String> {
    log.iter().find_map(|entry| match &entry.event {
        Event::Result(result) if result.id.as_deref() == Some(call) => {
            Some(result.content.text().into_owned())
        }
        _ => None,
    })
}

#[tokio::test]
async fn turn_with_changed_calls_does_not_resume() {
    let (store, ledger) = (Arc::new(MemoryStore::new()), Ledger::default());
    let asks = "§call: {\"name\":\"ask\",\"args\":{\"n\":1}}\n§execute\n";
    let first = agent(asks, Dialect::Sigil, &store, &ledger).run("c", "go", &mut |_| {}).await;
    assert!(matches!(first, Ok(RunOutcome::Waiting(_))), "{first:?}");
    let store = copied(&store, "\"n\":1", "\"n\":2").await;

    let run = ParkedRun::read(&*store, "c", None).await.unwrap();
    let yes = run.questions()[0].answer(ApprovalDecision::Allow(ApprovalScope::Once));
    let next = agent("§respond: Over.\n§end", Dialect::Sigil, &store, &ledger);
    assert_eq!(next.resume("c", &[yes], &mut |_| {}).await.unwrap(), RunOutcome::Answered);
    assert_eq!(*ledger.lock().unwrap(), [""; 0]);
    let log = log(&store).await;
    assert!(outcome(&log, "a1").unwrap().starts_with("not started"), "{log:?}");
    let calls = log.iter().filter(|entry| matches!(entry.event, Event::Call(_)));
    assert_eq!(calls.count(), 1, "the other call is not one of the log");
    let is_notice = |entry: &Entry| match &entry.event {
        Event::Notice { content } => content.contains("finds other calls in its text"),
        _ => false,
    };
    assert!(log.iter().any(is_notice), "{log:?}");
}

#[tokio::test]
async fn changed_turn_rolls_back_its_transaction() {
    let (store, ledger) = (Arc::new(MemoryStore::new()), Ledger::default());
    let undo = r#""compensate":{"name":"undo_it","parameters":{}}"#;
    let text = format!(
        "<transaction id=\"t\">\n<action id=\"a\">{{\"name\":\"do\",\"parameters\":{{}},{undo}}}</action>\n\
         <action id=\"b\">{{\"name\":\"ask\",\"parameters\":{{}},{undo}}}</action>\n</transaction>\n"
    );
    let first = agent(&text, Dialect::Action, &store, &ledger).run("c", "go", &mut |_| {}).await;
    assert!(matches!(first, Ok(RunOutcome::Waiting(_))), "{first:?}");
    assert_eq!(*ledger.lock().unwrap(), ["do {}"]);
    let store = copied(&store, "id=\"a\"", "id=\"z\"").await;

    let next = agent("<response>Over.</response>", Dialect::Action, &store, &ledger);
    assert_eq!(next.resume("c", &[], &mut |_| {}).await.unwrap(), RunOutcome::Answered);
    assert_eq!(*ledger.lock().unwrap(), ["do {}", "undo_it {}"]);
    let log = log(&store).await;
    assert!(outcome(&log, "b").unwrap().starts_with("not started"), "{log:?}");
    assert!(outcome(&log, "t").unwrap().contains("a"), "{log:?}");
}

#[tokio::test]
async fn changed_workflow_does_not_resume() {
    let (store, ledger) = (Arc::new(MemoryStore::new()), Ledger::default());
    let make = |script: &str, second: &str| {
        let call = |id: &str, content: &str| {
            Call::parse(id, content).unwrap().with_action(ActionAttributes::default())
        };
        let host = agent("", Dialect::Action, &store, &ledger);
        let calls = [call("a", r#"{"name":"do","args":{"n":"1"}}"#), call("b", second)];
        let flow = Workflow::new("flow", "Two steps.", calls, move || host.clone());
        let mut tools = Toolbox::new();
        tools.add_as(CallKind::Workflow, flow).unwrap();
        agent(script, Dialect::Action, &store, &ledger).with_tools(tools)
    };
    let text = "<action type=\"workflow\" id=\"f\">{\"name\":\"flow\",\"parameters\":{}}</action>\n\
                <response>$f</response>\n%%\n<response>Over.</response>";
    let first = make(text, r#"{"name":"ask","args":{"of":"$a"}}"#);
    let first = first.run("c", "go", &mut |_| {}).await;
    assert!(matches!(first, Ok(RunOutcome::Waiting(_))), "{first:?}");
    assert_eq!(*ledger.lock().unwrap(), [r#"do {"n":"1"}"#]);

    let run = ParkedRun::read(&*store, "c", None).await.unwrap();
    let yes = run.questions()[0].answer(ApprovalDecision::Allow(ApprovalScope::Once));
    let next = make("<response>Over.</response>", r#"{"name":"ask","args":{"of":"all"}}"#);
    assert_eq!(next.resume("c", &[yes], &mut |_| {}).await.unwrap(), RunOutcome::Answered);
    assert_eq!(ledger.lock().unwrap().len(), 1);
    let why = outcome(&log(&store).await, "f").unwrap();
    assert!(why.contains("the workflow `flow` has changed since this call of it began"), "{why}");
    let inner = store.read("c/1/f", 1..=u64::MAX).await.unwrap();
    assert!(outcome(&inner, "b").unwrap().starts_with("not started"), "{inner:?}");
}
