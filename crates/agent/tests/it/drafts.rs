//! Answers that the model wrote before its calls ended (P-35, P-36, P-43).

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures_util::FutureExt as _;
use silcrow_agent::{Agent, ErrorKind, RunOutcome};
use silcrow_event::{Event, ResultStatus, RunEventRef, rejects_answer};
use silcrow_parser::Dialect;
use silcrow_provider::{Delta, FinishReason};
use silcrow_store::MemoryStore;
use silcrow_tool::{CancellationToken, DenyAll, Tool, ToolError, ToolOutput};

use crate::support::{Answer, DeltaModel, Ran, echo, run, tool, toolbox, with};

/// Fails without an output.
fn fails() -> impl Tool {
    tool("fails", |_, _| async { Err(ToolError::new("no such page")) }.boxed())
}

/// Fails with an output, as a command does.
fn tests_fail(runs: Arc<AtomicU32>) -> impl Tool {
    tool("tests", move |_, _| {
        runs.fetch_add(1, Ordering::Relaxed);
        let output = ToolOutput::new("exit status 1", "3 tests failed").failed();
        async { Ok(output.with_notice("exit status 1")) }.boxed()
    })
}

fn answer(text: &str) -> Answer {
    let deltas = vec![Ok(Delta::Text(text.to_owned())), Ok(Delta::Done(FinishReason::Stop))];
    Answer { deltas, hangs: false }
}

/// Runs an agent with these answers of the model, and also returns the last request to the model.
async fn script(answers: &[&str]) -> (Ran, DeltaModel, u32) {
    let model = DeltaModel::new(answers.iter().map(|text| answer(text)));
    let (store, runs) = (Arc::new(MemoryStore::new()), Arc::new(AtomicU32::new(0)));
    let denied = tool("denied", |_, _| async { Ok(ToolOutput::new("", "")) }.boxed()).asking();
    let tests = tests_fail(Arc::clone(&runs));
    let agent = Agent::new(model.clone(), Arc::clone(&store))
        .with_tools(toolbox([with(fails()), with(tests), with(echo("echo")), with(denied)]))
        .with_approver(DenyAll)
        .with_dialect(Dialect::Action);
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    (ran, model, runs.load(Ordering::Relaxed))
}

/// Returns the texts of the answers in the log, each with whether a notice follows it.
fn responses(ran: &Ran) -> Vec<(String, bool)> {
    let mut responses: Vec<(String, bool)> = Vec::new();
    for entry in &ran.stored {
        match &entry.event {
            Event::Respond(said) => responses.push((said.content.clone(), false)),
            Event::Notice { content } => {
                assert!(rejects_answer(content), "{content}");
                responses.last_mut().unwrap().1 = true;
            }
            _ => {}
        }
    }
    responses
}

const FETCH: &str = "<action mode=\"async\" id=\"page\">{\"name\":\"fails\"}</action>\n";
const FINDINGS: &str = "<response>Three findings.</response>";
const TRUTH: &str = "<response>The page is gone.</response>";

#[tokio::test]
async fn answer_beside_failed_call_is_draft() {
    let (ran, model, _) = script(&[&format!("{FETCH}{FINDINGS}"), TRUTH]).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    let expected = [("Three findings.".to_owned(), true), ("The page is gone.".to_owned(), false)];
    assert_eq!(responses(&ran), expected);
    let asked = model.asked()[1].last().unwrap().content.text().into_owned();
    assert!(asked.contains("no such page") && asked.contains("`page`, which failed"), "{asked}");
}

#[tokio::test]
async fn callers_get_the_answer_and_not_the_draft() {
    let model = DeltaModel::new([answer(&format!("{FETCH}{FINDINGS}")), answer(TRUTH)]);
    let agent = Agent::new(model, MemoryStore::new())
        .with_tools(toolbox([with(fails())]))
        .with_dialect(Dialect::Action);
    assert_eq!(agent.ask("go").await.unwrap().text, "The page is gone.");
}

#[tokio::test]
async fn denied_cancelled_and_skipped_calls_make_drafts() {
    let waits = "<action depends_on=\"page\" id=\"next\">{\"name\":\"echo\"}</action>\n";
    let fail = FETCH.replace("\"fails\"", "\"fails\",\"on_error\":\"fail\"");
    for first in [
        "<action id=\"d\">{\"name\":\"denied\"}</action>".to_owned(),
        format!("{FETCH}{waits}"),
        format!("{fail}<action id=\"e\">{{\"name\":\"echo\"}}</action>"),
        "<action>{\"name\":\"tests\"}</action>".to_owned(),
    ] {
        let (ran, ..) = script(&[&format!("{first}{FINDINGS}"), TRUTH]).await;
        assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered, "{first}");
        assert!(responses(&ran)[0].1, "{first}");
    }
}

#[tokio::test]
async fn skipped_and_background_failures_keep_the_answer() {
    let skip = FETCH.replace("\"fails\"", "\"fails\",\"on_error\":\"skip\"");
    let waits = "<action depends_on=\"page\" id=\"next\">{\"name\":\"echo\"}</action>\n";
    for first in [skip.clone(), format!("{skip}{waits}"), FETCH.replace("async", "fire_and_forget")]
    {
        let (ran, ..) = script(&[&format!("{first}{FINDINGS}")]).await;
        assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered, "{first}");
        assert_eq!(responses(&ran), [("Three findings.".to_owned(), false)], "{first}");
    }
}

#[tokio::test]
async fn insisting_model_ends_without_answer() {
    let insists = format!("{FETCH}{FINDINGS}");
    let (ran, model, _) = script(&[&insists, &insists, &insists, TRUTH]).await;
    let error = ran.ended.as_ref().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NoAnswer);
    assert!(error.to_string().contains("beside the call `page`, which failed"), "{error}");
    assert_eq!(model.asked().len(), 3);
    // The log says that the last one does not count either.
    let [.., cancelled, failed] = &ran.stored[..] else { panic!("{:?}", ran.stored) };
    assert!(matches!(cancelled.event, Event::Cancelled { .. }));
    assert!(matches!(&failed.event, Event::Failed(why) if why.code == "no_answer"));
}

#[tokio::test]
async fn dependents_of_a_failed_command_are_skipped() {
    let wire = "<action id=\"t\">{\"name\":\"tests\"}</action>\
                <action id=\"deploy\" depends_on=\"t\">{\"name\":\"echo\"}</action>";
    let (ran, model, runs) = script(&[wire, TRUTH]).await;
    let tests = ran.result("t");
    assert_eq!((tests.status(), &*tests.content.text()), (ResultStatus::Failure, "3 tests failed"));
    assert_eq!(tests.notices(), ["exit status 1"]);
    assert_eq!(runs, 1, "nobody asked for another attempt");
    assert!(ran.result("deploy").content.text().contains("`t`, which failed"));
    let asked = model.asked()[1].last().unwrap().content.text().into_owned();
    assert!(asked.contains("3 tests failed") && asked.contains("exit status 1"), "{asked}");
}

#[tokio::test]
async fn failed_command_reruns_on_request() {
    let wire = "<action id=\"t\">{\"name\":\"tests\",\"retry\":1}</action>";
    let (_, _, runs) = script(&[wire, TRUTH]).await;
    assert_eq!(runs, 2);
}

#[tokio::test]
async fn answer_on_invented_results_is_a_draft() {
    for invented in [
        "<observation>All is well.</observation>",
        "<tool_response>ok</tool_response>",
        "<echo_result>\n12 pages\n</echo_result>",
        "Observation: 12 pages",
        "[SYSTEM: Found 3 files]",
    ] {
        let first =
            format!("<action id=\"e\">{{\"name\":\"echo\"}}</action>\n{invented}\n{FINDINGS}");
        let (ran, model, _) = script(&[&first, TRUTH]).await;
        assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered, "{invented}");
        assert!(responses(&ran)[0].1, "{invented}");
        let asked = model.asked()[1].last().unwrap().content.text().into_owned();
        assert!(asked.contains("echo") && asked.contains("you never write yourself"), "{asked}");
    }
}

#[tokio::test]
async fn calls_in_an_element_are_reported_not_run() {
    let wire = "<when test=\"false\"><action id=\"t\">{\"name\":\"tests\"}</action></when>";
    let (ran, model, runs) = script(&[wire, TRUTH]).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    assert_eq!(runs, 0);
    let asked = model.asked()[1].last().unwrap().content.text().into_owned();
    assert!(asked.contains("it is inside `\\u003cwhen>`"), "{asked}");
}

#[tokio::test]
async fn nested_response_is_not_the_answer() {
    let first =
        "<if test=\"ok\"><response>Yes.</response></if><else><response>No.</response></else>";
    let (ran, ..) = script(&[first, TRUTH]).await;
    let last = responses(&ran).pop().unwrap();
    assert_eq!(last, ("The page is gone.".to_owned(), false));
    assert!(responses(&ran)[1].1);
}

#[tokio::test]
async fn stream_reports_a_draft() {
    let model = DeltaModel::new([answer(&format!("{FETCH}{FINDINGS}")), answer(TRUTH)]);
    let agent = Agent::new(model, MemoryStore::new())
        .with_tools(toolbox([with(fails())]))
        .with_dialect(Dialect::Action);
    let mut told = false;
    let scope = silcrow_tool::Scope::new("c");
    let mut show = |event: RunEventRef<'_>| {
        if let RunEventRef::Entry(entry) = event
            && let Event::Error(fault) = &entry.event
        {
            told |= fault.code == "no_answer" && fault.retry;
        }
    };
    agent.run(scope, "go", &mut show).await.unwrap();
    assert!(told);
}

#[tokio::test]
async fn last_of_two_final_responses_wins() {
    let two = "<response>First.</response>\n<response>Second.</response>";
    let model = DeltaModel::new([answer(two), answer("<response>Third.</response>")]);
    let agent = Agent::new(model.clone(), MemoryStore::new()).with_dialect(Dialect::Action);
    let first = agent.ask("go").await.unwrap();
    assert_eq!(first.text, "Second.");
    let third = agent.ask_in(&*first.conversation, "again").await.unwrap();
    assert_eq!(third.text, "Third.");
    let asked = model.asked()[1].last().unwrap().content.text().into_owned();
    assert!(asked.contains("several final responses") && asked.ends_with("again"), "{asked}");
}
