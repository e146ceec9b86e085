//! Agents that calls run, at the end of a run and in the next one.

use silcrow_event::{ApprovalState, CallResult, Entry, Event, Parked, RunEvent, RunOpening};
use silcrow_front::RunEnd;

use super::verifier::verify;
use super::{encoder, lines, stored};
use crate::run_writer::{RunWriter, call};
use crate::scenario::{Scenario, asked, parked};

/// A run whose called agent waits for an answer, and the run after the answer.
fn runs() -> [Scenario; 2] {
    let mut run = RunWriter::begin("Have a.txt written.", None);
    run.call(1, "helper", "{}");
    run.start("a1", "{}");
    let write = call(1, "file_write", "{}");
    let question = [Event::Approval(asked(ApprovalState::Asked)), Event::Parked(parked())];
    run.agent("a1", [Event::user("Write a.txt."), write].into_iter().chain(question));
    let inside = vec!["a1".to_owned()];
    run.store(Event::Parked(Parked { questions: Vec::new(), inside, ..parked() }));
    let first = run.events.len();
    let result = Event::Result(CallResult::success("a1", "file_write", "", "written"));
    let yes = Event::Approval(asked(ApprovalState::Allowed));
    run.agent("a1", [yes, result, Event::respond("Done.")]);
    run.store(Event::Result(CallResult::success("a1", "helper", "", "Done.")));
    let rest = run.events.split_off(first);
    let known = run.events.iter().cloned().filter_map(stored).collect();
    let scenario = |known, events: Vec<RunEvent>, end| Scenario { name: "", known, events, end };
    [scenario(Vec::new(), run.events, RunEnd::Waiting), scenario(known, rest, RunEnd::Answered)]
}

fn written(scenario: &Scenario) -> String {
    let written = scenario.encode(&mut encoder(true));
    assert_eq!(verify(&written), Ok(()), "{written}");
    lines(&written)
}

#[test]
fn waiting_agent_suspends_and_resumes_under_its_id() {
    let [waiting, continued] = runs();
    insta::assert_snapshot!("waiting_agent", written(&waiting));
    insta::assert_snapshot!("continued_agent", written(&continued));
}

#[test]
fn an_agent_ends_as_its_run_does() {
    let [mut scenario, _] = runs();
    for (end, expected) in [
        (RunEnd::Stopped, r#"SUBAGENT_ERROR "message":"The run was stopped.","code":"cancelled""#),
        (
            RunEnd::Failed { code: "spent".to_owned(), message: "Too much.".to_owned() },
            r#"SUBAGENT_ERROR "message":"Too much.","code":"spent""#,
        ),
    ] {
        scenario.end = end;
        assert!(written(&scenario).contains(expected));
    }
}

/// An agent that another one calls names it, and ends before it.
#[test]
fn nested_agent_names_its_parent() {
    let mut run = RunWriter::begin("Have it done.", None);
    run.call(1, "helper", "{}");
    run.agent("a1", [Event::user("Do it."), call(1, "inner", "{}")]);
    let opening = RunOpening {
        conversation: "talk/1/a1/1/a1".to_owned(),
        run: "r4".to_owned(),
        caller: None,
    };
    run.events.push(RunEvent::Entry(Box::new(Entry {
        seq: Some(1),
        turn: Some(1),
        agent_path: Some("helper/inner".to_owned()),
        opening: Some(opening),
        ..Entry::from(Event::respond("Done."))
    })));
    let scenario =
        Scenario { name: "", known: Vec::new(), events: run.events, end: RunEnd::Stopped };
    let written = written(&scenario);
    let agents: Vec<_> = written.lines().filter(|line| line.starts_with("SUBAGENT")).collect();
    insta::assert_snapshot!("agent_in_an_agent", agents.join("\n"));
}
