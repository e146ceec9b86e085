//! Answers without a delimiter and without an end, which may be announcements (P-35), and calls after an
//! end.

use std::sync::Arc;

use silcrow_agent::{Agent, RunOutcome};
use silcrow_event::Event;
use silcrow_parser::Dialect;
use silcrow_provider::ScriptedModel;
use silcrow_store::MemoryStore;
use silcrow_tool::CancellationToken;

use crate::support::{Ran, echo, run, toolbox, with};

/// Runs a prompt with these answers, and with a tool if there is to be one.
async fn answered(dialect: Dialect, script: &str, has_tool: bool) -> Ran {
    let store = Arc::new(MemoryStore::new());
    let model = ScriptedModel::parse(script, 1);
    let agent = Agent::new(model, Arc::clone(&store)).with_dialect(dialect);
    let agent = if has_tool { agent.with_tools(toolbox([with(echo("echo"))])) } else { agent };
    run(&agent, &store, "go", &CancellationToken::new()).await
}

/// The model's answers to the person, in order.
fn said(ran: &Ran) -> Vec<&str> {
    let said = ran.stored.iter().filter_map(|entry| match &entry.event {
        Event::Respond(respond) => Some(&*respond.content),
        _ => None,
    });
    said.collect()
}

fn steps(ran: &Ran) -> usize {
    ran.shown.iter().filter(|entry| matches!(entry.event, Event::Metric(_))).count()
}

#[tokio::test]
async fn unended_answer_is_asked_for_end_once() {
    let ends = [
        (Dialect::Sigil, "§end"),
        (Dialect::Phase, "<end>"),
        (Dialect::Action, "<response></response>"),
    ];
    for (dialect, end) in ends {
        // An end alone closes the answer before it.
        let ran = answered(dialect, &format!("There is one file.\n%%\n{end}"), true).await;
        assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered, "{dialect}");
        assert_eq!(said(&ran), ["There is one file."], "{dialect}");
        assert_eq!(steps(&ran), 2, "{dialect}");
        assert_eq!(Ran::types(&ran.stored), ["user", "respond"], "nobody is told of it");

        // A second one is believed.
        let ran = answered(dialect, "There is one file.\n%%\nOne, as I said.", true).await;
        assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered, "{dialect}");
        assert_eq!(said(&ran), ["There is one file.", "One, as I said."], "{dialect}");

        // Without tools it cannot have announced anything, and an end needs no question.
        let ran = answered(dialect, "There is one file.", false).await;
        assert_eq!((ran.ended.as_ref().unwrap(), steps(&ran)), (&RunOutcome::Answered, 1));
    }
    // An end needs no question, and a delimiter shows that the model uses the dialect.
    let complete = [
        (Dialect::Sigil, "There is one file.\n§end"),
        (Dialect::Phase, "There is one file.\n<end>"),
        (Dialect::Sigil, "§respond: There is one file."),
        (Dialect::Action, "<response>There is one file.</response>"),
        (Dialect::Action, "<response>There is one file."),
    ];
    for (dialect, text) in complete {
        let ran = answered(dialect, text, true).await;
        assert_eq!(
            (ran.ended.as_ref().unwrap(), steps(&ran)),
            (&RunOutcome::Answered, 1),
            "{text}"
        );
    }
}

/// Only the answer to the question for its end may be empty; later the model has to say something.
#[tokio::test]
async fn empty_answer_ends_only_on_request() {
    let call = "<action>{\"name\": \"echo\"}</action>";
    let script = format!(
        "Luen kansion.\n%%\n{call}\n%%\n<response></response>\n%%\n<response>Yksi.</response>"
    );
    let ran = answered(Dialect::Action, &script, true).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    assert_eq!(said(&ran), ["Luen kansion.", "Yksi."]);
    assert_eq!(steps(&ran), 4, "the empty one is told");
}

/// No list of words has this one.
#[tokio::test]
async fn announced_call_follows_in_any_language() {
    let script = "Nyt katson kansiota.\n%%\n§call: {\"name\": \"echo\", \"args\": {}}\n§execute\n%%\n\
                  §respond: Yksi tiedosto.\n§end";
    let ran = answered(Dialect::Sigil, script, true).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    let types = ["user", "respond", "call", "result", "respond"];
    assert_eq!(Ran::types(&ran.stored), types);
}

#[tokio::test]
async fn call_after_end_is_reported() {
    let call = [
        (
            Dialect::Sigil,
            "Done.\n§end\n§call: {\"name\": \"echo\", \"args\": {}}\n§execute",
            "§end",
        ),
        (
            Dialect::Phase,
            "Done.<end><execute>[{\"name\": \"echo\", \"args\": {}}]</execute>",
            "<end>",
        ),
    ];
    for (dialect, text, end) in call {
        let ran = answered(dialect, &format!("{text}\n%%\nDone, too.\n{end}"), true).await;
        assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered, "{dialect}");
        let notice = ran.stored.iter().find_map(|entry| match &entry.event {
            Event::Notice { content } => Some(&**content),
            _ => None,
        });
        let notice = notice.expect("a notice");
        assert!(notice.contains("after its end") && notice.contains("echo"), "{notice}");
        assert!(!Ran::types(&ran.stored).contains(&"call"), "{dialect}: it does not run");
    }
    // Other text after an end stays unread.
    let ran = answered(Dialect::Sigil, "Done.\n§end\nUser: thanks", true).await;
    assert_eq!((ran.ended.as_ref().unwrap(), steps(&ran)), (&RunOutcome::Answered, 1));
}
