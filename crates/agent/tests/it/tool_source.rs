//! Tools that come and go while a run lasts.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, pending};
use silcrow_agent::{Agent, RunOutcome};
use silcrow_event::{Entry, Event, RunEventRef};
use silcrow_provider::{Delta, FinishReason};
use silcrow_store::MemoryStore;
use silcrow_tool::{CancellationToken, Scope, Tool, ToolOutput, ToolSource};

use crate::support::{Answer, DeltaModel, echo, tool};

type ToolList = Arc<[Arc<dyn Tool>]>;

/// A list of tools that a test replaces.
#[derive(Clone, Default)]
struct Shelf {
    tools: Arc<Mutex<Option<ToolList>>>,
    asked: Arc<AtomicUsize>,
}

impl Shelf {
    fn put(&self, tools: impl IntoIterator<Item = Arc<dyn Tool>>) {
        *self.tools.lock().unwrap() = Some(tools.into_iter().collect());
    }
}

impl ToolSource for Shelf {
    fn tools(&self) -> BoxFuture<'_, ToolList> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let tools = self.tools.lock().unwrap().clone();
        async move {
            match tools {
                Some(tools) => tools,
                None => pending().await,
            }
        }
        .boxed()
    }
}

fn says(texts: &[&str]) -> DeltaModel {
    DeltaModel::new(texts.iter().map(|text| Answer {
        deltas: vec![Ok(Delta::Text((*text).to_owned())), Ok(Delta::Done(FinishReason::Stop))],
        hangs: false,
    }))
}

async fn results(agent: &Agent, scope: impl Into<Scope>) -> (RunOutcome, Vec<String>) {
    let mut results = Vec::new();
    let mut emit = |event: RunEventRef<'_>| {
        if let RunEventRef::Entry(Entry { event: Event::Result(result), .. }) = event {
            results.push(result.content.text().into_owned());
        }
    };
    let outcome = agent.run(scope, "go", &mut emit).await.unwrap();
    (outcome, results)
}

#[tokio::test]
async fn tool_list_change_applies_from_next_request() {
    let shelf = Shelf::default();
    shelf.put([Arc::new(echo("alpha_tool")) as Arc<dyn Tool>]);
    let swapped = shelf.clone();
    let swap = tool("swap", move |_, _| {
        swapped.put([Arc::new(echo("omega_tool")) as Arc<dyn Tool>]);
        async { Ok(ToolOutput::new("swapped", "swapped")) }.boxed()
    });
    let call = |name: &str| format!("§call: {{\"name\":\"{name}\",\"args\":{{\"x\":1}}}}\n");
    let model = says(&[
        // The calls of an answer run with the tools that its request described.
        &format!("{}§execute\n", call("swap") + &call("alpha_tool") + &call("omega_tool")),
        &format!("{}§execute\n", call("alpha_tool") + &call("omega_tool")),
        "§respond: done\n§end",
    ]);
    let agent = Agent::new(model.clone(), MemoryStore::new())
        .with_tool(swap)
        .unwrap()
        .with_tool_source(shelf.clone());
    let (outcome, results) = results(&agent, "c").await;
    assert_eq!(outcome, RunOutcome::Answered);
    // A call without a tool ends before the others of its batch.
    let missing = results.iter().filter(|text| text.contains("unknown tool"));
    let missing: Vec<_> = missing.map(|text| text.contains("tool `omega_tool`.")).collect();
    assert_eq!((results.len(), &missing[..]), (5, &[true, false][..]), "{results:?}");
    let systems: Vec<_> =
        model.asked().iter().map(|messages| messages[0].text().into_owned()).collect();
    assert!(
        systems[0].contains("alpha_tool") && !systems[0].contains("omega_tool"),
        "{}",
        systems[0]
    );
    assert!(
        !systems[1].contains("alpha_tool") && systems[1].contains("omega_tool"),
        "{}",
        systems[1]
    );
    assert_eq!(systems[1], systems[2]);
    let asked = model.asked();
    let last = |request: usize| asked[request].last().unwrap().text().into_owned();
    let notice = "You have new tools: `omega_tool`. The list of tools describes them.";
    assert!(last(1).contains(notice), "{}", last(1));
    assert!(!last(0).contains("new tools") && !last(2).contains("new tools"), "{}", last(2));
    // Earlier messages stay as they were, so that a cache stays valid.
    assert_eq!(asked[1][1..], asked[2][1..asked[1].len()]);
}

#[tokio::test]
async fn own_tools_win_over_source_tools() {
    let shelf = Shelf::default();
    let foreign = |_, _| async { Ok(ToolOutput::new("foreign", "foreign")) }.boxed();
    shelf.put([Arc::new(tool("look", foreign)) as Arc<dyn Tool>]);
    let own = |_, _| async { Ok(ToolOutput::new("own", "own")) }.boxed();
    let model =
        says(&["§call: {\"name\":\"look\",\"args\":{}}\n§execute\n", "§respond: done\n§end"]);
    let agent = Agent::new(model, MemoryStore::new())
        .with_tool(tool("look", own))
        .unwrap()
        .with_tool_source(shelf);
    assert_eq!(results(&agent, "c").await.1, ["own"]);
}

#[tokio::test(start_paused = true)]
async fn silent_tool_source_does_not_prevent_stop() {
    let (shelf, cancel) = (Shelf::default(), CancellationToken::new());
    let agent = Agent::new(says(&["§respond: done\n§end"]), MemoryStore::new())
        .with_tool_source(shelf.clone());
    let scope = Scope::new("c").with_cancellation(cancel.clone());
    let stop = async {
        while shelf.asked.load(Ordering::Relaxed) == 0 {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    let (ran, ()) = tokio::join!(results(&agent, scope), stop);
    assert_eq!(ran, (RunOutcome::Interrupted, Vec::new()));
}
