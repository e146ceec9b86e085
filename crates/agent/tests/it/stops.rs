//! Runs that are stopped, cut, or left behind by a process that died.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use silcrow_agent::{Agent, ErrorKind, RunOutcome};
use silcrow_event::{Call, Event};
use silcrow_provider::{
    Delta, DeltaStream, Error, ErrorKind as Kind, FinishReason, OpeningSession, Provider, Request,
    ScriptedModel,
};
use silcrow_store::{MemoryStore, Store as _};
use silcrow_testkit::check_sources;
use silcrow_tool::{
    CallContext, CancellationToken, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy,
};

use crate::support::{Answer, DeltaModel, Ran, echo, hangs, run, toolbox, with};

const CALLS: &str =
    "§think: go\n§call: {\"name\":\"echo\"}\n§call: {\"name\":\"hangs\"}\n§execute\n";

fn agent(answers: impl IntoIterator<Item = Answer>, store: &Arc<MemoryStore>) -> Agent {
    Agent::new(DeltaModel::new(answers), Arc::clone(store))
        .with_tools(toolbox([with(echo("echo")), with(hangs("hangs"))]))
}

fn text(text: &str) -> Result<Delta, Error> {
    Ok(Delta::Text(text.to_owned()))
}

/// Runs until every task waits, and then cancels.
async fn stopped(answer: Answer) -> Ran {
    let store = Arc::new(MemoryStore::new());
    let agent = agent([answer], &store);
    let cancel = CancellationToken::new();
    let stop = async {
        // Paused time advances only when every task waits.
        tokio::time::sleep(Duration::from_millis(1)).await;
        cancel.cancel();
    };
    let (ran, ()) = tokio::join!(run(&agent, &store, "go", &cancel), stop);
    ran
}

#[tokio::test(start_paused = true)]
async fn stop_keeps_partially_written_answer() {
    let ran = stopped(Answer {
        deltas: vec![text("§respond: half an ans"), text("wer §e")],
        hangs: true,
    })
    .await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Interrupted);
    assert_eq!(Ran::types(&ran.stored), ["user", "respond", "cancelled"]);
    assert_eq!(ran.stored[1].event, Event::respond("half an answer §e"));
    assert_eq!(Ran::types(&ran.shown), ["user", "respond", "metric", "interrupt", "cancelled"]);
}

#[tokio::test(start_paused = true)]
async fn a_stop_while_tools_run_answers_every_call() {
    let ran = stopped(Answer { deltas: vec![text(CALLS)], hangs: true }).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Interrupted);
    assert_eq!(
        Ran::types(&ran.stored),
        ["user", "think", "call", "call", "result", "result", "cancelled"]
    );
    assert!(ran.result("a2").content.text().starts_with("cancelled"));
}

#[tokio::test(start_paused = true)]
async fn a_stop_before_the_execution_point_starts_nothing() {
    let ran =
        stopped(Answer { deltas: vec![text("§call: {\"name\":\"echo\"}\n")], hangs: true }).await;
    assert_eq!(Ran::types(&ran.stored), ["user", "call", "result", "cancelled"]);
    assert!(ran.result("a1").content.text().starts_with("cancelled"));
}

#[tokio::test]
async fn a_bad_end_starts_nothing() {
    let cut = || Err(Error::new(Kind::Cut, "the answer was cut"));
    let ends: [(Option<Result<Delta, Error>>, ErrorKind); 4] = [
        (Some(cut()), ErrorKind::Provider(Kind::Cut)),
        (None, ErrorKind::Provider(Kind::Cut)),
        (Some(Ok(Delta::Done(FinishReason::Length))), ErrorKind::Length),
        (Some(Ok(Delta::Done(FinishReason::Filter))), ErrorKind::Filter),
    ];
    for (end, kind) in ends {
        let store = Arc::new(MemoryStore::new());
        // The answer has no execution point, but a whole answer would run the call anyway.
        let deltas = [text("§respond: so\n§call: {\"name\":\"echo\"}\n")].into_iter().chain(end);
        let agent = agent([Answer { deltas: deltas.collect(), hangs: false }], &store);
        let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
        assert_eq!(ran.ended.as_ref().unwrap_err().kind(), kind);
        let stored = ["user", "respond", "call", "result", "cancelled", "failed"];
        assert_eq!(Ran::types(&ran.stored), stored);
        assert!(ran.result("a1").content.text().starts_with("cancelled"), "{kind:?}");
        assert_eq!(Ran::types(&ran.shown).iter().filter(|kind| **kind == "execute").count(), 0);
        assert!(Ran::types(&ran.shown).ends_with(&["error", "failed"]));
    }
}

/// P-9: the end is the same as at the model's length limit.
#[tokio::test]
async fn overlong_turn_answers_every_call() {
    let store = Arc::new(MemoryStore::new());
    let long = "x".repeat((16 << 20) + 1);
    let deltas = [text("§call: {\"name\":\"echo\"}\n§respond: "), text(&long)];
    let agent = agent([Answer { deltas: deltas.into(), hangs: true }], &store);
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    assert_eq!(ran.ended.as_ref().unwrap_err().kind(), ErrorKind::TooMuch);
    let stored = ["user", "call", "respond", "result", "cancelled", "failed"];
    assert_eq!(Ran::types(&ran.stored), stored);
    assert!(ran.result("a1").content.text().starts_with("cancelled"));
}

#[tokio::test]
async fn open_calls_of_dead_process_are_answered() {
    let store = Arc::new(MemoryStore::new());
    let call = |id| Event::Call(Call::parse(id, r#"{"name":"echo"}"#).unwrap());
    let left = [Event::user("go"), call("a1"), call("a2")];
    let entries = left.map(|event| {
        let mut entry = silcrow_event::Entry::from(event);
        entry.turn = Some(1);
        entry
    });
    store.append("c", 0, entries.to_vec()).await.unwrap();
    store.put("started/c", "1/a2", 0, Vec::new()).await.unwrap();

    let says = DeltaModel::new([Answer {
        deltas: vec![text("§respond: on\n"), Ok(Delta::Done(FinishReason::Stop))],
        hangs: false,
    }]);
    let agent = Agent::new(says, Arc::clone(&store)).with_tools(toolbox([with(echo("echo"))]));
    let ran = run(&agent, &store, "and?", &CancellationToken::new()).await;
    assert_eq!(
        Ran::types(&ran.stored),
        ["user", "call", "call", "result", "result", "user", "respond"]
    );
    assert!(ran.result("a1").content.text().starts_with("not started"));
    assert!(ran.result("a2").content.text().starts_with("interrupted"));
    assert_eq!(ran.stored[3].turn, Some(1));
    assert_eq!(Ran::types(&ran.shown), ["result", "result", "user", "respond", "metric", "end"]);
    assert!(ran.shown[0].opening.is_some());
}

/// A connection that is never made.
struct NeverConnects;

impl Provider for NeverConnects {
    fn name(&self) -> &str {
        "never"
    }

    fn stream(&self, _: Request) -> DeltaStream {
        stream::pending().boxed()
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        Some(std::future::pending().boxed())
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_while_a_connection_is_made() {
    let store = Arc::new(MemoryStore::new());
    let agent = Agent::new(NeverConnects, Arc::clone(&store));
    let cancel = CancellationToken::new();
    let stop = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        cancel.cancel();
    };
    let both = async { tokio::join!(run(&agent, &store, "go", &cancel), stop).0 };
    let ran = tokio::time::timeout(Duration::from_secs(10), both).await.expect("it is stopped");
    assert_eq!(ran.ended.unwrap(), RunOutcome::Interrupted);
    assert_eq!(Ran::types(&ran.stored), ["user", "cancelled"]);
}

/// A tool whose policy panics.
struct Unsure;

impl Tool for Unsure {
    fn name(&self) -> &str {
        "unsure"
    }

    fn description(&self) -> &str {
        "Panics."
    }

    fn schema(&self) -> &str {
        r#"{"type":"object"}"#
    }

    fn policy(&self) -> ToolPolicy {
        panic!("thrown by the test")
    }

    fn call<'a>(
        &'a self,
        _: ToolArgs<'a>,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async { Ok(ToolOutput::new("", "")) }.boxed()
    }
}

#[tokio::test]
async fn panicking_policy_fails_the_call() {
    let store = Arc::new(MemoryStore::new());
    let script = "§call: {\"name\":\"unsure\"}\n§execute\n%%\n§respond: so\n§end";
    let agent = Agent::new(ScriptedModel::parse(script, 3), Arc::clone(&store))
        .with_tools(toolbox([with(Unsure)]));
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    assert!(
        ran.result("a1").content.text().contains("thrown by the test"),
        "{:?}",
        ran.result("a1")
    );
}

#[tokio::test]
async fn an_error_does_not_repeat_its_source() {
    use silcrow_provider::ErrorKind::Refused;
    let refused = || Error::new(Refused, "the server refused").with_source("the line is cut");
    let store = Arc::new(MemoryStore::new());
    let agent = agent([Answer { deltas: vec![Err(refused())], hangs: false }], &store);
    let ran = run(&agent, &store, "hi", &CancellationToken::new()).await;
    let error = ran.ended.unwrap_err();
    check_sources(&error);
    assert_eq!(error.to_string(), "the server refused");
    assert_eq!(std::error::Error::source(&error).unwrap().to_string(), "the line is cut");
    assert_eq!(error.provider().unwrap().kind(), Refused);
    let Event::Error(event) = error.to_event() else { panic!("an error is reported") };
    assert_eq!(event.content, "the server refused: the line is cut");
}
