//! A run that waits for answers parks, and another run continues it (P-40).

use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use silcrow_agent::{Agent, ErrorKind, ParkedQuestion, ParkedRun, RunOutcome};
use silcrow_event::{ApprovalState, Entry, Event, Respond, RunEventRef, read_entry};
use silcrow_parser::Dialect;
use silcrow_provider::ScriptedModel;
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{
    ApprovalDecision, ApprovalScope, Approver, ParkAll, Preview, Tool, ToolOutput, Toolbox,
};

use crate::support::{echo, tool, toolbox, with};

const ONCE: ApprovalDecision = ApprovalDecision::Allow(ApprovalScope::Once);

/// The arguments of the calls that ran, in order.
type Ran = Arc<Mutex<Vec<String>>>;

/// A tool that needs approval and returns its arguments.
fn write(ran: &Ran) -> impl Tool + use<> {
    let ran = Arc::clone(ran);
    let run = move |args: String, _| {
        ran.lock().unwrap().push(args.clone());
        async move { Ok(ToolOutput::new("written", args)) }.boxed()
    };
    tool("write", run).asking().with_preview(|args| Preview::new("all").with_target(args))
}

fn tools(ran: &Ran) -> Toolbox {
    toolbox([with(write(ran)), with(echo("look"))])
}

fn agent(
    script: &str,
    dialect: Dialect,
    store: &Arc<MemoryStore>,
    ran: &Ran,
    approver: impl Approver + 'static,
) -> Agent {
    Agent::new(ScriptedModel::parse(script, 3), Arc::clone(store))
        .with_dialect(dialect)
        .with_tools(tools(ran))
        .with_approver(approver)
}

fn waiting(outcome: RunOutcome) -> Vec<ParkedQuestion> {
    match outcome {
        RunOutcome::Waiting(questions) => questions,
        other => panic!("{other:?}"),
    }
}

async fn stored(store: &MemoryStore) -> Vec<Entry> {
    store.read("c", 1..=u64::MAX).await.unwrap()
}

fn types(entries: &[Entry]) -> Vec<&'static str> {
    entries.iter().map(|entry| entry.event.type_name()).collect()
}

const SIGIL: &str = "§call: {\"name\":\"write\",\"args\":{\"n\":1}}\n\
                     §call: {\"name\":\"look\",\"args\":{\"n\":2}}\n\
                     §call: {\"name\":\"write\",\"args\":{\"n\":3}}\n§execute\n%%\n§respond: done\n§end";

#[tokio::test]
async fn run_parks_when_only_questions_remain() {
    let (store, ran) = (Arc::new(MemoryStore::new()), Ran::default());
    let first = agent(SIGIL, Dialect::Sigil, &store, &ran, ParkAll);
    let questions = waiting(first.run("c", "go", &mut |_| {}).await.unwrap());
    let ids: Vec<_> = questions.iter().map(ParkedQuestion::id).collect();
    assert_eq!(ids, ["1/a1", "1/a3"]);
    assert_eq!(questions[1].question.args, "{\"n\":3}");
    assert!(ran.lock().unwrap().is_empty(), "nothing that was asked about has started");
    let entries = stored(&store).await;
    let mut found = types(&entries)[1..].to_vec();
    found[3..6].sort_unstable();
    assert_eq!(found, ["call", "call", "call", "approval", "approval", "result", "parked"]);

    // Another process, which has only the log.
    let second = agent("§respond: done\n§end", Dialect::Sigil, &store, &ran, ParkAll);
    let no = ApprovalDecision::Deny("not there".to_owned());
    let answers = [questions[1].answer(no), questions[0].answer(ONCE)];
    let outcome = second.resume("c", &answers, &mut |_| {}).await.unwrap();
    assert_eq!(outcome, RunOutcome::Answered);
    assert_eq!(*ran.lock().unwrap(), ["{\"n\":1}"]);
    let entries = stored(&store).await;
    let calls = entries.iter().filter(|entry| matches!(entry.event, Event::Call(_))).count();
    assert_eq!(calls, 3, "no event is stored twice");
    assert_eq!(entries.last().unwrap().event, Event::respond("done"));

    // Nothing is left to resume.
    let error = second.resume("c", &[], &mut |_| {}).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
}

#[tokio::test]
async fn questions_without_an_answer_park_again() {
    let (store, ran) = (Arc::new(MemoryStore::new()), Ran::default());
    let questions = waiting(
        agent(SIGIL, Dialect::Sigil, &store, &ran, ParkAll)
            .run("c", "go", &mut |_| {})
            .await
            .unwrap(),
    );
    let second = agent("§respond: done\n§end", Dialect::Sigil, &store, &ran, ParkAll);
    let outcome = second.resume("c", &[questions[1].answer(ONCE)], &mut |_| {}).await.unwrap();
    let left = waiting(outcome);
    assert_eq!(left.iter().map(ParkedQuestion::id).collect::<Vec<_>>(), ["1/a1"]);
    assert_eq!(*ran.lock().unwrap(), ["{\"n\":3}"]);
    let outcome = second.resume("c", &[left[0].answer(ONCE)], &mut |_| {}).await.unwrap();
    assert_eq!(outcome, RunOutcome::Answered);
    assert_eq!(*ran.lock().unwrap(), ["{\"n\":3}", "{\"n\":1}"]);
}

#[tokio::test]
async fn answer_to_no_open_question_is_refused() {
    let (store, ran) = (Arc::new(MemoryStore::new()), Ran::default());
    let parked = agent(SIGIL, Dialect::Sigil, &store, &ran, ParkAll);
    let questions = waiting(parked.run("c", "go", &mut |_| {}).await.unwrap());
    let mut run = ParkedRun::read(&*store, "c", None).await.unwrap();
    assert_eq!(run.questions(), questions);
    let yes = questions[0].answer(ONCE);
    run.answer(std::slice::from_ref(&yes)).await.unwrap();
    assert_eq!(run.questions()[0].answer, Some(ApprovalState::Allowed));
    let head = store.head("c").await.unwrap();

    let again = run.answer(std::slice::from_ref(&yes)).await.unwrap_err();
    assert!(again.to_string().contains("answered already: allowed"), "{again}");
    let mut other = questions[1].clone();
    other.question.args_sha256 = "0".repeat(64);
    let changed = run.answer(&[questions[1].answer(ONCE), other.answer(ONCE)]).await.unwrap_err();
    assert!(changed.to_string().contains("has changed"), "{changed}");
    let twice = [questions[1].answer(ONCE), questions[1].answer(ONCE)];
    let twice = run.answer(&twice).await.unwrap_err();
    assert!(twice.to_string().contains("answered twice"), "{twice}");
    assert_eq!(store.head("c").await.unwrap(), head);

    // The conversation continues without the other answer.
    let next = agent("§respond: fine\n§end", Dialect::Sigil, &store, &ran, ParkAll);
    assert_eq!(next.run("c", "never mind", &mut |_| {}).await.unwrap(), RunOutcome::Answered);
    assert!(ran.lock().unwrap().is_empty(), "a yes is not used by another run");
    let gone = next.resume("c", &[questions[1].answer(ONCE)], &mut |_| {}).await.unwrap_err();
    assert!(gone.to_string().contains("is gone"), "{gone}");
    let results = stored(&store).await;
    let results = results.iter().filter(|entry| matches!(entry.event, Event::Result(_)));
    assert_eq!(results.count(), 3, "every call has one result");
}

const ACTION: &str = "<response final=\"false\">First I look.</response>\n\
    <action type=\"tool\" mode=\"async\" id=\"a\" output_key=\"a\">{\"name\":\"look\",\"parameters\":{\"n\":1}}</action>\n\
    <action type=\"tool\" mode=\"async\" id=\"b\" output_key=\"b\">{\"name\":\"write\",\"parameters\":{\"n\":\"$a\"}}</action>\n\
    <action type=\"tool\" mode=\"async\" id=\"c\">{\"name\":\"look\",\"parameters\":{\"n\":\"$b\"}}</action>\n\
    <response>It is $b.</response>";

#[tokio::test]
async fn waiting_answer_comes_with_resumed_run() {
    let held = {
        let (store, ran) = (Arc::new(MemoryStore::new()), Ran::default());
        let held = agent(ACTION, Dialect::Action, &store, &ran, Yes);
        assert_eq!(held.run("c", "go", &mut |_| {}).await.unwrap(), RunOutcome::Answered);
        stored(&store).await
    };
    let (store, ran) = (Arc::new(MemoryStore::new()), Ran::default());
    let first = agent(ACTION, Dialect::Action, &store, &ran, ParkAll);
    let questions = waiting(first.run("c", "go", &mut |_| {}).await.unwrap());
    assert_eq!(questions[0].question.args, "{\"n\":\"{\\\"n\\\":1}\"}");
    let second = agent("", Dialect::Action, &store, &ran, ParkAll);
    let (mut text, mut shown) = (String::new(), Vec::new());
    let mut emit = |event: RunEventRef<'_>| match event {
        RunEventRef::Text(piece, _) => text.push_str(piece.text),
        RunEventRef::Entry(entry) => shown.push(entry.clone()),
        _ => {}
    };
    let outcome = second.resume("c", &[questions[0].answer(ONCE)], &mut emit).await.unwrap();
    assert_eq!(outcome, RunOutcome::Answered);
    let entries = stored(&store).await;
    let same = |entries: &[Entry]| {
        let kept = entries.iter().map(|entry| entry.event.clone());
        Vec::from_iter(kept.filter(|event| !matches!(event, Event::Approval(_) | Event::Parked(_))))
    };
    assert_eq!(same(&entries), same(&held));
    // The resumed run shows its whole turn.
    let answers = entries.iter().filter_map(|entry| match &entry.event {
        Event::Respond(Respond { content, .. }) => Some(content.as_str()),
        _ => None,
    });
    assert_eq!(text, answers.collect::<String>());
    let calls = shown.iter().filter(|entry| matches!(entry.event, Event::Call(_)));
    assert_eq!(calls.count(), 3);
}

/// Allows every call.
struct Yes;

impl Approver for Yes {
    fn ask<'a>(
        &'a self,
        _: silcrow_tool::ApprovalRequest<'a>,
    ) -> futures_util::future::BoxFuture<'a, ApprovalDecision> {
        async { ONCE }.boxed()
    }
}

const BEHIND: &str = "<action type=\"tool\" mode=\"fire_and_forget\" id=\"a\">{\"name\":\"write\",\"parameters\":{\"n\":1}}</action>\n\
    <response>It is under way.</response>";

#[tokio::test]
async fn background_call_parks_an_answered_run() {
    let (store, ran) = (Arc::new(MemoryStore::new()), Ran::default());
    let first = agent(BEHIND, Dialect::Action, &store, &ran, ParkAll);
    let questions = waiting(first.run("c", "go", &mut |_| {}).await.unwrap());
    assert_eq!(questions.len(), 1);
    let second = agent("", Dialect::Action, &store, &ran, ParkAll);
    let mut text = String::new();
    let mut emit = |event: RunEventRef<'_>| {
        if let RunEventRef::Text(piece, _) = event {
            text.push_str(piece.text);
        }
    };
    let outcome = second.resume("c", &[questions[0].answer(ONCE)], &mut emit).await.unwrap();
    assert_eq!(outcome, RunOutcome::Answered);
    assert_eq!(*ran.lock().unwrap(), ["{\"n\":1}"]);
    assert_eq!(text, "It is under way.", "the answer is shown again");
}

#[tokio::test]
async fn answer_stands_before_late_background_call() {
    let lines = [
        r#"{"type":"user","content":"go","turn":1}"#,
        r#"{"type":"respond","content":"It is under way.","turn":1}"#,
        r#"{"type":"call","id":"a","content":"{\"name\":\"look\"}","action":{"mode":"fire_and_forget"},"turn":1}"#,
        r#"{"type":"result","id":"a","content":"seen","turn":1}"#,
    ];
    let store = Arc::new(MemoryStore::new());
    store.append("c", 0, lines.map(|line| read_entry(line).unwrap()).to_vec()).await.unwrap();
    let agent = agent("", Dialect::Action, &store, &Ran::default(), ParkAll);
    let error = agent.resume("c", &[], &mut |_| {}).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused, "{error}");
}

const BOTH: &str = "<action mode=\"fire_and_forget\" id=\"a\">{\"name\":\"write\",\"parameters\":{\"n\":1}}</action>\n\
    <response final=\"false\">It is under way.</response>\n%%\n\
    <action id=\"b\">{\"name\":\"write\",\"parameters\":{\"n\":2}}</action>";

#[tokio::test(start_paused = true)]
async fn run_parks_again_after_a_lost_call() {
    let (store, ran) = (Arc::new(MemoryStore::new()), Ran::default());
    let first = agent(BOTH, Dialect::Action, &store, &ran, ParkAll);
    let questions = waiting(first.run("c", "go", &mut |_| {}).await.unwrap());
    assert_eq!(questions.len(), 2);
    // A process allowed the first call, started it and died.
    store.put("started/c", "1/a", 0, Vec::new()).await.unwrap();
    let left = waiting(first.resume("c", &[], &mut |_| {}).await.unwrap());
    assert_eq!(left.iter().map(ParkedQuestion::id).collect::<Vec<_>>(), ["2/b"]);
}

#[tokio::test]
async fn notice_about_reread_turn_is_stored_once() {
    let (store, ran) = (Arc::new(MemoryStore::new()), Ran::default());
    let questions = {
        let first = agent(ACTION, Dialect::Action, &store, &ran, ParkAll);
        waiting(first.run("c", "go", &mut |_| {}).await.unwrap())
    };
    let second = agent("", Dialect::Action, &store, &ran, ParkAll);
    let no = questions[0].answer(ApprovalDecision::Deny("no".to_owned()));
    second.resume("c", &[no], &mut |_| {}).await.unwrap_err();
    // A process that dies after it has stored the fault of the answer leaves this.
    let mut entries = stored(&store).await;
    let is_notice = |entry: &Entry| matches!(entry.event, Event::Notice { .. });
    entries.truncate(entries.iter().position(is_notice).unwrap() + 1);
    let store = Arc::new(MemoryStore::new());
    store.append("c", 0, entries).await.unwrap();
    let third = agent("<response>No.</response>", Dialect::Action, &store, &ran, ParkAll);
    assert_eq!(third.resume("c", &[], &mut |_| {}).await.unwrap(), RunOutcome::Answered);
    let notices = stored(&store).await.into_iter().filter(is_notice).count();
    assert_eq!(notices, 1);
}

const TEXT_FIRST: &str = "§respond: It is under way.\n§call: {\"name\":\"write\",\"args\":{\"n\":1}}\n§execute\n%%\n\
    §call: {\"name\":\"write\",\"args\":{\"n\":2}}\n§execute\n%%\n§end";

#[tokio::test]
async fn lone_end_completes_an_earlier_text() {
    let (store, ran) = (Arc::new(MemoryStore::new()), Ran::default());
    let first = agent(TEXT_FIRST, Dialect::Sigil, &store, &ran, ParkAll);
    let asked = waiting(first.run("c", "go", &mut |_| {}).await.unwrap());
    let asked = first.resume("c", &[asked[0].answer(ONCE)], &mut |_| {}).await.unwrap();
    let second = agent("§end", Dialect::Sigil, &store, &ran, ParkAll);
    let yes = [waiting(asked)[0].answer(ONCE)];
    let outcome = second.resume("c", &yes, &mut |_| {}).await.unwrap();
    assert_eq!(outcome, RunOutcome::Answered);
}

#[tokio::test]
async fn an_imported_question_is_not_open() {
    let (store, ran) = (Arc::new(MemoryStore::new()), Ran::default());
    let first = agent(SIGIL, Dialect::Sigil, &store, &ran, ParkAll);
    let questions = waiting(first.run("c", "go", &mut |_| {}).await.unwrap());
    // The mark that an import writes besides the events.
    let head = store.head("c").await.unwrap().to_string().into_bytes();
    store.put("imported/c", "head", 0, head).await.unwrap();
    let run = ParkedRun::read(&*store, "c", None).await.unwrap();
    assert!(run.questions().is_empty());
    let second = agent("§respond: done\n§end", Dialect::Sigil, &store, &ran, ParkAll);
    let error = second.resume("c", &[questions[0].answer(ONCE)], &mut |_| {}).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(ran.lock().unwrap().is_empty());
}

/// Marks the call as started, as another process would, before it allows the call.
struct Overtaken(Arc<MemoryStore>);

impl Approver for Overtaken {
    fn ask<'a>(
        &'a self,
        _: silcrow_tool::ApprovalRequest<'a>,
    ) -> futures_util::future::BoxFuture<'a, ApprovalDecision> {
        async {
            let _ = self.0.put("started/c", "1/a1", 0, Vec::new()).await;
            ONCE
        }
        .boxed()
    }
}

#[tokio::test]
async fn call_resumed_elsewhere_is_unknown() {
    let (store, ran) = (Arc::new(MemoryStore::new()), Ran::default());
    let first = agent(SIGIL, Dialect::Sigil, &store, &ran, ParkAll);
    waiting(first.run("c", "go", &mut |_| {}).await.unwrap());
    let approver = Overtaken(Arc::clone(&store));
    let second = agent("§respond: done\n§end", Dialect::Sigil, &store, &ran, approver);
    let outcome = second.resume("c", &[], &mut |_| {}).await.unwrap();
    assert_eq!(outcome, RunOutcome::Answered);
    assert_eq!(*ran.lock().unwrap(), ["{\"n\":3}"], "the other process runs the first call");
    let result = stored(&store).await.into_iter().find_map(|entry| match entry.event {
        Event::Result(result) if result.id.as_deref() == Some("a1") => Some(result),
        _ => None,
    });
    let words = result.unwrap().content.text().into_owned();
    assert!(words.starts_with("interrupted: another run"), "{words}");
}
