//! Answers that say nothing and call nothing.

use std::sync::Arc;

use silcrow_agent::{Agent, ChildAgent, ErrorKind, Llm, RunOutcome};
use silcrow_event::{CallKind, Event, Role};
use silcrow_parser::Dialect;
use silcrow_provider::{Delta, FinishReason};
use silcrow_store::MemoryStore;
use silcrow_tool::{CancellationToken, Toolbox};

use crate::support::{Answer, DeltaModel, Ran, echo, run, toolbox, with};

fn answer_of(text: &str) -> Answer {
    let text = (!text.is_empty()).then(|| Ok(Delta::Text(text.to_owned())));
    let deltas = text.into_iter().chain([Ok(Delta::Done(FinishReason::Stop))]);
    Answer { deltas: deltas.collect(), hangs: false }
}

fn thinks_beside() -> Answer {
    let deltas = [Delta::Reasoning("hm".to_owned()), Delta::Done(FinishReason::Stop)].map(Ok);
    Answer { deltas: deltas.into(), hangs: false }
}

fn calls_natively(text: &str) -> Answer {
    let Answer { mut deltas, .. } = answer_of(text);
    *deltas.last_mut().unwrap() = Ok(Delta::Done(FinishReason::ToolUse));
    Answer { deltas, hangs: false }
}

/// A dialect, a silent answer, a part of the notice about it, and an answer that counts.
type Case = (Dialect, fn() -> Answer, &'static str, &'static str);

/// Silent answers of each dialect, a part of the notice about them, and an answer that counts.
fn silences() -> Vec<Case> {
    use Dialect::{Action, Phase, Sigil};
    vec![
        (Sigil, || answer_of(""), "held no text", "§respond: ok\n§end"),
        (Sigil, || answer_of(" \n\n"), "held no text", "§respond: ok"),
        (Sigil, || answer_of("§end"), "nothing but its end", "§respond: ok\n§end"),
        (Sigil, || answer_of("§respond:\n§end"), "nothing but its end", "ok"),
        (Sigil, || answer_of("§think: hm"), "held thoughts", "ok\n§end"),
        (Sigil, || answer_of("§think: hm\n§end"), "held thoughts", "ok\n§end"),
        (Sigil, || answer_of("§execute\n"), "asked to execute", "ok\n§end"),
        (Sigil, || calls_natively(""), "vendor's interface", "§respond: ok"),
        (Sigil, || calls_natively("§think: hm"), "vendor's interface", "ok"),
        (Sigil, thinks_beside, "held thoughts", "ok\n§end"),
        (Phase, || answer_of(""), "held no text", "ok<end>"),
        (Phase, || answer_of("<end>"), "nothing but its end", "ok"),
        (Phase, || answer_of("<think>hm</think>"), "held thoughts", "ok"),
        (Phase, || answer_of("<execute>[]</execute>"), "asked to execute", "ok"),
        (Phase, || calls_natively(" "), "vendor's interface", "ok"),
        (Phase, thinks_beside, "held thoughts", "ok"),
        (Action, || answer_of(""), "held no text", "<response>ok</response>"),
        (Action, || answer_of("<thought>hm</thought>"), "held thoughts", "<response>ok</response>"),
        (Action, || answer_of("<response></response>"), "held no text", "ok"),
        (Action, || answer_of("<!-- hm -->"), "held no text", "<response>ok</response>"),
        (Action, || calls_natively(""), "vendor's interface", "<response>ok</response>"),
        (Action, thinks_beside, "held thoughts", "<response>ok</response>"),
    ]
}

#[tokio::test]
async fn silent_model_gets_one_reminder() {
    for (dialect, silent, words, answer) in silences() {
        let says = DeltaModel::new([silent(), answer_of(answer)]);
        let store = Arc::new(MemoryStore::new());
        let agent = Agent::new(says.clone(), Arc::clone(&store)).with_dialect(dialect);
        let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
        let what = format!("{dialect:?} {words} {answer:?}");
        assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered, "{what}");
        assert_eq!(ran.stored.last().unwrap().event, Event::respond("ok"), "{what}");
        let asked = says.asked();
        let last = asked[1].last().unwrap();
        assert_eq!((asked.len(), last.role), (2, Role::User), "{what}");
        assert!(last.content.text().contains(words), "{what}: {}", last.content);
        assert!(last.content.text().contains("your answer"), "{what}: {}", last.content);
        assert!(!last.content.text().contains("not your final answer"), "{what}: {}", last.content);
        let notice =
            Event::Notice { content: last.content.text().rsplit("\n\n").next().unwrap().into() };
        assert!(ran.stored.iter().any(|entry| entry.event == notice), "{what}");
        // The run emits an error about it that does not end the run.
        let notes = ran.shown.iter().filter(|entry| {
            matches!(&entry.event, Event::Error(fault) if fault.code == "no_answer" && fault.at.is_some())
        });
        assert_eq!(notes.count(), 1, "{what}");
        assert_eq!(Ran::types(&ran.shown).last(), Some(&"end"), "{what}");
    }
}

#[tokio::test]
async fn repeatedly_silent_model_ends_the_run() {
    for (dialect, silent, words, _) in silences() {
        let says = DeltaModel::new([silent(), silent(), silent(), silent()]);
        let store = Arc::new(MemoryStore::new());
        let agent = Agent::new(says.clone(), Arc::clone(&store)).with_dialect(dialect);
        let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
        let error = ran.ended.as_ref().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NoAnswer, "{dialect:?} {words}");
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(says.asked().len(), 3, "{dialect:?} {words}");
        let Event::Failed(fault) = &ran.shown.last().unwrap().event else { panic!() };
        assert_eq!((&*fault.code, fault.at), ("no_answer", None));
    }
}

#[tokio::test]
async fn silent_last_step_is_an_error() {
    let store = Arc::new(MemoryStore::new());
    let agent =
        Agent::new(DeltaModel::new([answer_of("§end")]), Arc::clone(&store)).with_max_steps(1);
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    assert_eq!(ran.ended.unwrap_err().kind(), ErrorKind::NoAnswer);
}

#[tokio::test]
async fn silence_after_results_is_reported() {
    let call = "§call: {\"name\":\"echo\"}\n§execute\n";
    let requests = |first: &str, second: &str| {
        let says =
            DeltaModel::new([answer_of(first), answer_of(second), answer_of("§respond: ok")]);
        let store = Arc::new(MemoryStore::new());
        let agent =
            Agent::new(says.clone(), Arc::clone(&store)).with_tools(toolbox([with(echo("echo"))]));
        async move {
            let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
            assert_eq!(ran.ended.unwrap(), RunOutcome::Answered);
            says.asked().len()
        }
    };
    let said = format!("§respond: I have done it.\n{call}");
    assert_eq!(requests(call, "").await, 3);
    assert_eq!(requests(call, "§end").await, 3);
    assert_eq!(requests(&said, "").await, 3);
    assert_eq!(requests(&said, "§think: good\n§end").await, 2);
    assert_eq!(requests(&said, "§end").await, 2);
}

#[tokio::test]
async fn inner_silence_is_named_in_the_failure() {
    let inner = DeltaModel::new([0; 3].map(|_| answer_of("<thought>hm</thought>")));
    let person = "<action type=\"agent\" id=\"x\">{\"name\":\"kid\",\"parameters\":{\"task\":\"go\"}}</action>\
                  <action type=\"llm\" id=\"y\">{\"name\":\"brief\",\"parameters\":{\"prompt\":\"go\"}}</action>";
    let store = Arc::new(MemoryStore::new());
    let kid = Agent::new(inner.clone(), Arc::clone(&store)).with_dialect(Dialect::Action);
    let mut tools = Toolbox::new();
    tools
        .add_as(CallKind::Agent, ChildAgent::new("kid", "A test's.", move || kid.clone()))
        .unwrap();
    tools
        .add_as(CallKind::Llm, Llm::new("brief", "A test's.", DeltaModel::new([answer_of(" ")])))
        .unwrap();
    let model = DeltaModel::new([answer_of(person), answer_of("<response>so</response>")]);
    let agent =
        Agent::new(model, Arc::clone(&store)).with_dialect(Dialect::Action).with_tools(tools);
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    let why = ran.result("x").content.text();
    assert!(why.contains("the agent `kid` gave no answer") && why.contains("thoughts"), "{why}");
    assert_eq!(inner.asked().len(), 3);
    let why = ran.result("y").content.text();
    assert!(why.contains("no answer from `brief`: it holds no text"), "{why}");
}
