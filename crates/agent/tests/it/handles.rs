//! Handles of runs: approvals and messages of the user.

use std::sync::Arc;

use futures_util::FutureExt as _;
use silcrow_agent::{Agent, Approvals, ErrorKind, OnDrop, RunOutcome, StreamOptions};
use silcrow_event::{ApprovalState, Event, ResultStatus, RunEvent};
use silcrow_exec::{ApprovalDecision, ApprovalScope, Preview, Tool, ToolOutput};
use silcrow_provider::{Delta, FinishReason};
use silcrow_store::MemoryStore;

use crate::streams::calls;
use crate::support::{Answer, DeltaModel, echo, hangs, tool, toolbox, with};

/// A tool that needs approval.
fn careful() -> impl Tool {
    let run = |_, _| async { Ok(ToolOutput::new("done", "done")) }.boxed();
    let look = |_: &str| Preview::new("everything").with_target("/here");
    tool("careful", run).asking().with_preview(look)
}

fn answer(text: &str) -> Answer {
    let deltas = vec![Ok(Delta::Text(text.to_owned())), Ok(Delta::Done(FinishReason::Stop))];
    Answer { deltas, hangs: false }
}

#[tokio::test]
async fn the_handle_answers_approvals() {
    let yes = ApprovalDecision::Allow(ApprovalScope::Once);
    let no = ApprovalDecision::Deny("not today".to_owned());
    for (decision, state, status) in [
        (yes, ApprovalState::Allowed, ResultStatus::Success),
        (no, ApprovalState::Denied, ResultStatus::Failure),
    ] {
        let agent =
            Agent::new(calls("careful"), MemoryStore::new()).with_tools(toolbox([with(careful())]));
        let options = StreamOptions::default().with_approvals(Approvals::Handle);
        let mut run = agent.stream_with("c", "go", options);
        let handle = run.handle();
        let (mut states, mut results) = (Vec::new(), Vec::new());
        while let Some(event) = run.next().await {
            match event {
                RunEvent::Approval(prompt) => {
                    // The question follows the entry that records it.
                    assert_eq!(states, [ApprovalState::Asked]);
                    assert_eq!((&*prompt.tool, &*prompt.scope), ("careful", "everything"));
                    assert_eq!(prompt.target.as_deref(), Some("/here"));
                    assert!(!handle.answer(prompt.number + 1, decision.clone()));
                    assert!(handle.answer(prompt.number, decision.clone()));
                    assert!(!handle.answer(prompt.number, decision.clone()), "answered twice");
                }
                RunEvent::Entry(entry) => match entry.event {
                    Event::Approval(approval) => states.push(approval.state),
                    Event::Result(result) => results.push(result.status()),
                    _ => {}
                },
                _ => {}
            }
        }
        assert_eq!(states, [ApprovalState::Asked, state]);
        assert_eq!(results, [status]);
    }
}

/// Calls that need approval are denied when the stream is dropped.
#[tokio::test]
async fn a_reader_that_is_gone_approves_nothing() {
    let store = Arc::new(MemoryStore::new());
    let agent =
        Agent::new(calls("careful"), Arc::clone(&store)).with_tools(toolbox([with(careful())]));
    let options =
        StreamOptions::default().with_approvals(Approvals::Handle).with_on_drop(OnDrop::Detach);
    let run = agent.stream_with("c", "go", options);
    let answer = run.answer().await.unwrap();
    assert_eq!(answer.text, "done");
    let result = answer.calls[0].result.as_ref().unwrap();
    assert_eq!(result.status(), ResultStatus::Failure);
    assert!(result.content.text().contains("nobody is there"), "{}", result.content);
}

#[tokio::test]
async fn a_message_is_read_before_the_next_step() {
    let says = DeltaModel::new([
        answer("§call: {\"name\":\"echo\"}\n§execute\n"),
        answer("§respond: both\n§end"),
    ]);
    let store = Arc::new(MemoryStore::new());
    let agent =
        Agent::new(says.clone(), Arc::clone(&store)).with_tools(toolbox([with(echo("echo"))]));
    let mut run = agent.stream_with("c", "one", StreamOptions::default().with_capacity(1));
    let handle = run.handle();
    handle.add_message("two").unwrap();
    assert_eq!(handle.add_message(" \n").unwrap_err().kind(), ErrorKind::Refused);
    // The first message is in the first step or in the second, as the tasks are scheduled; one that
    // is added when the call is stored is in the second.
    let mut types = Vec::new();
    while let Some(event) = run.next().await {
        let RunEvent::Entry(entry) = event else { continue };
        if matches!(entry.event, Event::Call(_)) {
            handle.add_message("three").unwrap();
        }
        types.push(entry.event.type_name());
    }
    assert_eq!(run.outcome().await.unwrap(), RunOutcome::Answered);
    let last = says.asked().pop().unwrap().pop().unwrap().content.into_text();
    assert!(last.contains("three") && last.contains("§result"), "{last}");
    assert_eq!(types.iter().filter(|name| **name == "user").count(), 3, "{types:?}");
    let error = handle.add_message("four").unwrap_err();
    assert!(error.to_string().contains("the run is over"), "{error}");
}

#[tokio::test]
async fn a_message_to_a_run_that_has_answered_is_answered_too() {
    let pieces = ["§respond: one", " and", " one", " more\n§end"];
    let deltas = pieces.map(|piece| Ok(Delta::Text(piece.to_owned())));
    let deltas = deltas.into_iter().chain([Ok(Delta::Done(FinishReason::Stop))]).collect();
    let says = DeltaModel::new([Answer { deltas, hangs: false }, answer("§respond: two\n§end")]);
    let agent = Agent::new(says.clone(), MemoryStore::new());
    let mut run = agent.stream_with("c", "first", StreamOptions::default().with_capacity(1));
    let handle = run.handle();
    let mut added = false;
    while let Some(event) = run.next().await {
        // The channel has room for one event, so the rest of the answer is not read yet.
        if matches!(event, RunEvent::Text(_)) && !std::mem::replace(&mut added, true) {
            handle.add_message("second").unwrap();
        }
    }
    assert_eq!(run.answer().await.unwrap().text, "two");
    let asked = says.asked();
    assert_eq!((asked.len(), &*asked[1].last().unwrap().text()), (2, "second"));
}

#[tokio::test]
async fn a_message_that_nobody_read_is_returned() {
    let agent =
        Agent::new(calls("hangs"), MemoryStore::new()).with_tools(toolbox([with(hangs("hangs"))]));
    let mut run = agent.stream("c", "go");
    let handle = run.handle();
    while let Some(event) = run.next().await {
        if matches!(event, RunEvent::Entry(entry) if entry.event == Event::Execute) {
            handle.add_message("and then?").unwrap();
            handle.cancel();
        }
    }
    assert_eq!(run.outcome().await.unwrap(), RunOutcome::Interrupted);
    assert_eq!(handle.take_messages(), ["and then?"]);
}

#[tokio::test]
async fn a_question_of_a_cancelled_run_is_closed() {
    let agent =
        Agent::new(calls("careful"), MemoryStore::new()).with_tools(toolbox([with(careful())]));
    let options = StreamOptions::default().with_approvals(Approvals::Handle);
    let mut run = agent.stream_with("c", "go", options);
    let handle = run.handle();
    let mut number = None;
    while let Some(event) = run.next().await {
        if let RunEvent::Approval(prompt) = event {
            number = Some(prompt.number);
            handle.cancel();
        }
    }
    let yes = ApprovalDecision::Allow(ApprovalScope::Once);
    assert!(!handle.answer(number.unwrap(), yes));
    assert_eq!(run.outcome().await.unwrap(), RunOutcome::Interrupted);
}

#[tokio::test]
async fn no_more_messages_wait_than_there_is_room_for() {
    let agent =
        Agent::new(calls("hangs"), MemoryStore::new()).with_tools(toolbox([with(hangs("hangs"))]));
    let run = agent.stream("c", "go");
    let handle = run.handle();
    let added = (0..100).map(|number| handle.add_message(format!("{number}")));
    let refused: Vec<_> = added.filter_map(Result::err).collect();
    assert_eq!(refused.len(), 36);
    assert!(refused.iter().all(|error| error.kind() == ErrorKind::Refused));
    assert_eq!(handle.take_messages().len(), 64);
}
