//! Calls of a batch that start before its execution point (P-23).

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::{FutureExt as _, StreamExt as _, stream};
use silcrow_agent::{Agent, EagerStart, ErrorKind, RunOutcome};
use silcrow_provider::{Delta, Error, ErrorKind as Kind, FinishReason, Provider};
use silcrow_store::MemoryStore;
use silcrow_tool::{CancellationToken, ToolOutput, ToolPolicy};
use tokio::time::sleep;

use crate::models::model;
use crate::support::{Ran, run, tool, toolbox, with};

/// Returns a slow model that never ends by itself. Its last answer comes first.
fn slow(answers: Vec<Vec<Result<Delta, Error>>>) -> impl Provider {
    let answers = Mutex::new(answers);
    model(move |_| {
        let deltas = stream::iter(answers.lock().unwrap().pop().unwrap_or_default());
        let slowed = deltas.then(|delta| async {
            sleep(Duration::from_millis(10)).await;
            delta
        });
        slowed.chain(stream::pending()).boxed()
    })
}

const CALLS: &str = "§call: {\"name\":\"look\"}\n§call: {\"name\":\"change\"}\n";

/// Runs calls to both tools and then the end of the answer. Returns the tools that ran before that
/// end.
async fn ran(eager: EagerStart, end: Vec<Result<Delta, Error>>) -> (Ran, Vec<&'static str>) {
    let noted = Arc::new(Mutex::new(Vec::new()));
    let tools = [("look", true), ("change", false)].map(|(name, read_only)| {
        let noted = Arc::clone(&noted);
        let run = move |_, _| {
            noted.lock().unwrap().push(name);
            async move { Ok(ToolOutput::new("ran", name)) }.boxed()
        };
        with(tool(name, run).with_policy(ToolPolicy { read_only, ..ToolPolicy::default() }))
    });
    let mut first = vec![Ok(Delta::Text(CALLS.to_owned()))];
    first.extend(end);
    let second =
        vec![Ok(Delta::Text("§respond: so\n§end".to_owned())), Ok(Delta::Done(FinishReason::Stop))];
    let store = Arc::new(MemoryStore::new());
    let model = slow(vec![second, first]);
    let agent = Agent::new(model, Arc::clone(&store)).with_tools(toolbox(tools)).with_eager(eager);
    let cancel = CancellationToken::new();
    let stop = async {
        // Paused time advances only when every task waits.
        sleep(Duration::from_secs(1)).await;
        let before = noted.lock().unwrap().clone();
        cancel.cancel();
        before
    };
    let (ran, before) = tokio::join!(run(&agent, &store, "go", &cancel), stop);
    (ran, before)
}

#[tokio::test(start_paused = true)]
async fn caller_decides_which_calls_start_early() {
    for (eager, expected) in [
        (EagerStart::Off, &[][..]),
        (EagerStart::ReadOnly, &["look"]),
        (EagerStart::All, &["look", "change"]),
    ] {
        // The answer hangs before its execution point.
        let (ran, before) = ran(eager, Vec::new()).await;
        assert_eq!(before, expected, "{eager:?}");
        assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Interrupted);
        for id in ["a1", "a2"] {
            assert!(ran.result(id).content.text().starts_with("cancelled"), "{eager:?} {id}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn early_results_wait_for_the_execution_point() {
    let end = vec![Ok(Delta::Text("§execute\n".to_owned()))];
    let (ran, _) = ran(EagerStart::ReadOnly, end).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    assert_eq!(Ran::types(&ran.stored), ["user", "call", "call", "result", "result", "respond"]);
    assert_eq!(
        (&*ran.result("a1").content.text(), &*ran.result("a2").content.text()),
        ("look", "change")
    );
}

#[tokio::test(start_paused = true)]
async fn failed_turn_drops_early_calls() {
    let broken = || Err(Error::new(Kind::Malformed, "the answer is no answer"));
    for (end, kind) in [
        (Ok(Delta::Done(FinishReason::Length)), ErrorKind::Length),
        (Ok(Delta::Done(FinishReason::Filter)), ErrorKind::Filter),
        (broken(), ErrorKind::Provider(Kind::Malformed)),
    ] {
        // Calls that started early have ended by then.
        let (ran, before) =
            ran(EagerStart::ReadOnly, vec![Ok(Delta::Text(" ".to_owned())), end]).await;
        assert_eq!(before, ["look"]);
        assert_eq!(ran.ended.as_ref().unwrap_err().kind(), kind);
        let early = ran.result("a1").content.text();
        assert!(early.starts_with("cancelled") && !early.contains("look"), "{}", early);
    }
}
