//! Handles of runs: approvals.

use std::sync::Arc;

use futures_util::FutureExt as _;
use silcrow_agent::{Agent, Approvals, OnDrop, RunOutcome, StreamOptions};
use silcrow_event::{ApprovalState, CallTransition, Event, ResultStatus, RunEvent};
use silcrow_provider::ScriptedModel;
use silcrow_store::MemoryStore;
use silcrow_tool::{ApprovalDecision, ApprovalScope, Preview, Tool, ToolOutput};

use crate::streams::calls;
use crate::support::{tool, toolbox, with};

/// A tool that needs approval.
fn careful() -> impl Tool {
    let run = |_, _| async { Ok(ToolOutput::new("done", "done")) }.boxed();
    let look = |_: &str| Preview::new("everything").with_target("/here");
    tool("careful", run).asking().with_preview(look)
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
        let (mut states, mut results, mut starts) = (Vec::new(), Vec::new(), 0);
        while let Some(event) = run.next().await {
            match event {
                RunEvent::Approval(prompt) => {
                    // The question follows the entry that records it.
                    assert_eq!((&*states, starts), (&[ApprovalState::Asked][..], 0));
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
                RunEvent::Call(CallTransition::Started { attempt, .. }, _) => starts += attempt,
                _ => {}
            }
        }
        assert_eq!(states, [ApprovalState::Asked, state]);
        assert_eq!(results, [status]);
        assert_eq!(
            starts,
            u32::from(status == ResultStatus::Success),
            "a denied call never starts"
        );
    }
}

/// Calls that need approval are denied when the stream is dropped.
#[tokio::test]
async fn departed_reader_approves_nothing() {
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
async fn batch_questions_can_be_open_at_once() {
    let script = "§call: {\"name\":\"careful\"}\n§call: {\"name\":\"careful\"}\n§execute\n%%\n\
                  §respond: done\n§end";
    let agent = Agent::new(ScriptedModel::parse(script, 1), MemoryStore::new())
        .with_tools(toolbox([with(careful())]));
    let options = StreamOptions::default().with_approvals(Approvals::HandleAtOnce);
    let mut run = agent.stream_with("c", "go", options);
    let handle = run.handle();
    let (mut open, mut allowed) = (Vec::new(), Vec::new());
    while let Some(event) = run.next().await {
        match event {
            RunEvent::Approval(prompt) => open.push(prompt.number),
            RunEvent::Entry(entry) => match entry.event {
                Event::Approval(approval) if approval.state == ApprovalState::Allowed => {
                    allowed.push(approval.id);
                }
                _ => {}
            },
            _ => {}
        }
        if open.len() == 2 {
            for number in open.drain(..).rev() {
                let yes = ApprovalDecision::Allow(ApprovalScope::Once);
                assert!(handle.answer(number, yes), "both are open");
            }
        }
    }
    assert_eq!(run.answer().await.unwrap().text, "done");
    allowed.sort();
    assert_eq!(allowed, ["a1", "a2"]);
}
