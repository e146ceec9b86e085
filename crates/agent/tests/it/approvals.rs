//! Questions and answers are stored, and an approval for the conversation holds in the next run
//! (P-27).

use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, pending};
use silcrow_agent::{Agent, RunOutcome};
use silcrow_event::{Approval, ApprovalState, ContextSummary, Entry, Event, read_entry};
use silcrow_provider::ScriptedModel;
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{
    ApprovalDecision, ApprovalRequest, ApprovalScope, Approver, CancellationToken, Preview, Tool,
    ToolOutput,
};

use crate::support::{Ran, run, tool, toolbox, with};

/// A tool that writes at the place of its first argument. A yes covers that place.
fn write() -> impl Tool {
    let run = |args, _| async { Ok(ToolOutput::new("written", args)) }.boxed();
    tool("write", run).asking().with_preview(|args| {
        let args: serde_json::Value = serde_json::from_str(args).unwrap();
        let to = &args["to"];
        Preview::new(format!("place {to}")).with_target(format!("/{to}"))
    })
}

/// An approver that returns a test's answers and records the questions.
#[derive(Clone, Default)]
struct Desk {
    answers: Arc<Mutex<Vec<ApprovalDecision>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Approver for Desk {
    fn ask<'a>(&'a self, question: ApprovalRequest<'a>) -> BoxFuture<'a, ApprovalDecision> {
        let ApprovalRequest { id, tool, args, scope, .. } = question;
        self.asked.lock().unwrap().push(format!("{id} {tool} {args} {scope}"));
        match self.answers.lock().unwrap().pop() {
            Some(answer) => async { answer }.boxed(),
            None => pending().boxed(),
        }
    }
}

/// A run whose model writes to these places at once.
async fn write_to(places: &[u32], desk: &Desk, store: &Arc<MemoryStore>) -> Ran {
    write_at(["/one", "7:1"], places, desk, store).await
}

async fn write_at(
    [root, identity]: [&str; 2],
    places: &[u32],
    desk: &Desk,
    store: &Arc<MemoryStore>,
) -> Ran {
    let calls =
        places.iter().map(|to| format!("§call: {{\"name\":\"write\",\"args\":{{\"to\":{to}}}}}\n"));
    let script = format!("{}§execute\n%%\n§respond: done\n§end", calls.collect::<String>());
    let agent = Agent::new(ScriptedModel::parse(&script, 3), Arc::clone(store))
        .with_tools(toolbox([with(write())]))
        .with_approver(desk.clone())
        .with_root(root, identity);
    let cancel = CancellationToken::new();
    let stop = async {
        // Paused time advances only when every task waits.
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        cancel.cancel();
    };
    tokio::join!(run(&agent, store, "go", &cancel), stop).0
}

fn approvals(entries: &[Entry]) -> Vec<(&str, ApprovalState, Option<&str>, Option<&str>)> {
    let approvals = entries.iter().filter_map(|entry| match &entry.event {
        Event::Approval(Approval { id, state, scope, reason, .. }) => {
            Some((&**id, *state, scope.as_deref(), reason.as_deref()))
        }
        _ => None,
    });
    approvals.collect()
}

#[tokio::test(start_paused = true)]
async fn questions_are_stored_before_being_asked_serially() {
    let desk = Desk::default();
    // The last answer comes first.
    *desk.answers.lock().unwrap() = vec![
        ApprovalDecision::Deny("not there".to_owned()),
        ApprovalDecision::Allow(ApprovalScope::Once),
    ];
    let store = Arc::new(MemoryStore::new());
    let ran = write_to(&[1, 2], &desk, &store).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    assert_eq!(
        *desk.asked.lock().unwrap(),
        ["a1 write {\"to\":1} place 1", "a2 write {\"to\":2} place 2"]
    );
    assert_eq!(
        approvals(&ran.stored),
        [
            ("a1", ApprovalState::Asked, None, None),
            ("a1", ApprovalState::Allowed, None, None),
            ("a2", ApprovalState::Asked, None, None),
            ("a2", ApprovalState::Denied, None, Some("not there")),
        ]
    );
    assert_eq!(ran.result("a1").content, "{\"to\":1}");
    assert_eq!(ran.result("a2").content, "not there");
}

#[tokio::test(start_paused = true)]
async fn conversation_approval_holds_in_the_next_run() {
    let desk = Desk::default();
    *desk.answers.lock().unwrap() = vec![ApprovalDecision::Allow(ApprovalScope::Conversation)];
    let store = Arc::new(MemoryStore::new());
    let ran = write_to(&[1, 1], &desk, &store).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    assert_eq!(desk.asked.lock().unwrap().len(), 1, "the second call is covered");
    assert_eq!(approvals(&ran.stored)[1], ("a1", ApprovalState::Allowed, Some("place 1"), None));

    // Another run gets the yes from the log alone.
    let ran = write_to(&[1], &desk, &store).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    assert_eq!(desk.asked.lock().unwrap().len(), 1);

    // Another place is asked about, and not answered.
    let ran = write_to(&[2], &desk, &store).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Interrupted);
    assert_eq!(desk.asked.lock().unwrap().len(), 2);
    let last = ran.stored.iter().rev().find_map(|entry| match &entry.event {
        Event::Result(outcome) => Some(outcome.content.text()),
        _ => None,
    });
    assert!(last.unwrap().starts_with("cancelled"));
}

/// The runs after a long conversation do not read the answer again.
#[tokio::test(start_paused = true)]
async fn conversation_approval_survives_a_summary() {
    let desk = Desk::default();
    *desk.answers.lock().unwrap() = vec![ApprovalDecision::Allow(ApprovalScope::Conversation)];
    let store = Arc::new(MemoryStore::new());
    write_to(&[1], &desk, &store).await;
    let head = store.head("c").await.unwrap();
    let said = (10..700).flat_map(|turn| {
        let events = [Event::user("more"), Event::respond("yes")];
        events.map(|event| Entry { turn: Some(turn), ..event.into() })
    });
    let summary = ContextSummary { until: head + 1_300, ..ContextSummary::default() };
    let summary = Entry { turn: Some(699), ..Event::Summary(summary).into() };
    store.append("c", head, said.chain([summary]).collect()).await.unwrap();
    for _ in 0..3 {
        let ran = write_to(&[1], &desk, &store).await;
        assert_eq!(ran.ended.unwrap(), RunOutcome::Answered);
        assert_eq!(desk.asked.lock().unwrap().len(), 1);
    }
    assert!(store.get("checkpoint/c", "log").await.unwrap().is_some());
}

#[tokio::test(start_paused = true)]
async fn conversation_approval_follows_the_root() {
    let desk = Desk::default();
    *desk.answers.lock().unwrap() = vec![ApprovalDecision::Allow(ApprovalScope::Conversation)];
    let store = Arc::new(MemoryStore::new());
    write_at(["/one", "7:1"], &[1], &desk, &store).await;
    let ran = write_at(["/one", "7:2"], &[1], &desk, &store).await;
    assert_eq!(ran.ended.unwrap(), RunOutcome::Interrupted, "another folder took the path");
    assert_eq!(desk.asked.lock().unwrap().len(), 2);
    let ran = write_at(["/renamed", "7:1"], &[1], &desk, &store).await;
    assert_eq!(ran.ended.unwrap(), RunOutcome::Answered, "it is the same folder");
}

#[tokio::test(start_paused = true)]
async fn imported_log_carries_no_approvals() {
    let desk = Desk::default();
    let store = Arc::new(MemoryStore::new());
    let lines = [
        r#"{"type":"user","content":"hi","turn":1}"#,
        r#"{"type":"call","id":"a1","content":"{\"name\":\"write\",\"args\":{\"to\":1}}","turn":1}"#,
        r#"{"type":"approval","id":"a1","state":"asked","turn":1}"#,
        r#"{"type":"approval","id":"a1","state":"allowed","scope":"place 1","turn":1}"#,
        r#"{"type":"result","id":"a1","content":"ok","turn":1}"#,
    ];
    let entries = lines.map(|line| read_entry(line).unwrap());
    store.append("c", 0, entries.to_vec()).await.unwrap();
    let ran = write_to(&[1], &desk, &store).await;
    assert_eq!(ran.ended.unwrap(), RunOutcome::Interrupted, "nobody answers");
    assert_eq!(desk.asked.lock().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn stored_question_binds_substituted_arguments() {
    let desk = Desk::default();
    *desk.answers.lock().unwrap() = vec![ApprovalDecision::Allow(ApprovalScope::Once); 2];
    let store = Arc::new(MemoryStore::new());
    let script = r#"<action id="one">{"name":"write","parameters":{"to":1}}</action>
<action id="two">{"name":"write","parameters":{"to":2,"text":"of $one"}}</action>
%%
<response>done</response>"#;
    let agent = Agent::new(ScriptedModel::parse(script, 3), Arc::clone(&store))
        .with_dialect(silcrow_parser::Dialect::Action)
        .with_tools(toolbox([with(write())]))
        .with_approver(desk.clone());
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    assert_eq!(ran.ended.as_ref().unwrap(), &RunOutcome::Answered);
    let args = r#"{"to":2,"text":"of {\"to\":1}"}"#;
    assert_eq!(desk.asked.lock().unwrap()[1], format!("two write {args} place 2"));
    assert_eq!(ran.result("two").content, args, "these bytes ran");
    let approvals: Vec<_> = ran
        .stored
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::Approval(Approval { id, state, args_sha256, target, .. }) => {
                Some((&**id, *state, args_sha256.as_deref().unwrap(), target.as_deref()))
            }
            _ => None,
        })
        .collect();
    // The output of sha256sum for {"to":1}, and for the arguments above.
    let one = "3638a14db34c8643a36c90c6cf9df0f5ab6560291e2eb7aa16fbedfb96f207f4";
    let two = "89b1eb8deb4d415c2a6aedb0a4fabfdfcf55e386375f2a176acc06e481feda57";
    assert_eq!(
        approvals,
        [
            ("one", ApprovalState::Asked, one, Some("/1")),
            ("one", ApprovalState::Allowed, one, Some("/1")),
            ("two", ApprovalState::Asked, two, Some("/2")),
            ("two", ApprovalState::Allowed, two, Some("/2")),
        ]
    );
}

#[test]
fn log_without_stored_hashes_is_read() {
    let line = r#"{"type":"approval","id":"a1","state":"allowed","scope":"place 1","turn":1}"#;
    let entry = read_entry(line).unwrap();
    let Event::Approval(approval) = &entry.event else { panic!() };
    assert_eq!((&approval.args_sha256, &approval.target), (&None, &None));
    assert_eq!(entry.to_json(), line);
}
