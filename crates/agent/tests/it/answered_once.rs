//! A question takes one answer, also if several people answer at the same time.

use std::sync::Arc;

use futures_util::FutureExt as _;
use silcrow_agent::{Agent, ErrorKind, ParkedRun, QuestionAnswer, RunOutcome};
use silcrow_event::{ApprovalState, Event};
use silcrow_provider::ScriptedModel;
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{ApprovalDecision, ApprovalScope, ParkAll, Tool, ToolOutput};

use crate::support::{tool, toolbox, with};

const YES: ApprovalDecision = ApprovalDecision::Allow(ApprovalScope::Once);

fn no() -> ApprovalDecision {
    ApprovalDecision::Deny("not now".to_owned())
}

fn write() -> impl Tool {
    tool("write", |_, _| async { Ok(ToolOutput::new("written", "written")) }.boxed()).asking()
}

/// Returns a conversation that waits for answers about two calls.
async fn waiting() -> Arc<MemoryStore> {
    let store = Arc::new(MemoryStore::new());
    let script = "§call: {\"name\":\"write\"}\n§call: {\"name\":\"write\"}\n§execute";
    let agent = Agent::new(ScriptedModel::parse(script, 1), Arc::clone(&store));
    let agent = agent.with_tools(toolbox([with(write())])).with_approver(ParkAll);
    let outcome = agent.run("c", "go", &mut |_| {}).await.unwrap();
    assert!(matches!(outcome, RunOutcome::Waiting(asked) if asked.len() == 2));
    store
}

fn answers(run: &ParkedRun<'_>, decision: &ApprovalDecision) -> Vec<QuestionAnswer> {
    run.questions().iter().map(|asked| asked.answer(decision.clone())).collect()
}

async fn stored(store: &MemoryStore) -> Vec<ApprovalState> {
    let log = store.read("c", 1..=u64::MAX).await.unwrap();
    let states = log.iter().filter_map(|entry| match &entry.event {
        Event::Approval(approval) if approval.state != ApprovalState::Asked => Some(approval.state),
        _ => None,
    });
    states.collect()
}

#[tokio::test]
async fn first_of_two_concurrent_answers_wins() {
    let store = waiting().await;
    let mut one = ParkedRun::read(&*store, "c", None).await.unwrap();
    let mut other = ParkedRun::read(&*store, "c", None).await.unwrap();
    one.answer(&answers(&one, &no())[..1]).await.unwrap();
    // It has read the question while it was open.
    let refused = other.answer(&answers(&other, &YES)).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Refused, "{refused}");
    let said = refused.to_string();
    assert!(said.contains("the question `1/a1` is answered already: denied"), "{said}");
    assert_eq!(stored(&store).await, [ApprovalState::Denied], "all of them or none");
    // The other question is open.
    other.answer(&answers(&other, &YES)[1..]).await.unwrap();
    assert_eq!(stored(&store).await, [ApprovalState::Denied, ApprovalState::Allowed]);
}

#[tokio::test]
async fn message_meanwhile_does_not_block_the_answer() {
    let store = waiting().await;
    let mut run = ParkedRun::read(&*store, "c", None).await.unwrap();
    silcrow_agent::steer_stored(&*store, "c", None, "Be quick.".into()).await.unwrap();
    run.answer(&answers(&run, &YES)).await.unwrap();
    assert_eq!(stored(&store).await, [ApprovalState::Allowed; 2]);
}

#[tokio::test]
async fn late_answer_names_the_first_one() {
    let store = waiting().await;
    let mut one = ParkedRun::read(&*store, "c", None).await.unwrap();
    let mut late = ParkedRun::read(&*store, "c", None).await.unwrap();
    one.answer(&answers(&one, &YES)).await.unwrap();
    let model = ScriptedModel::parse("§respond: Done.\n§end", 1);
    let agent = Agent::new(model, store.clone());
    let agent = agent.with_tools(toolbox([with(write())])).with_approver(ParkAll);
    agent.resume("c", &[], &mut |_| {}).await.unwrap();
    let refused = late.answer(&answers(&late, &no())).await.unwrap_err();
    assert!(refused.to_string().contains("answered already: allowed"), "{refused}");
    // A later reader finds no open question, and sees the answer.
    let now = ParkedRun::read(&*store, "c", None).await.unwrap();
    assert!(now.questions().is_empty());
    assert_eq!(now.answered("1/a2").await.unwrap(), Some(ApprovalState::Allowed));
    for unknown in ["1/a3", "2/a1", "1", "x/a1", "1/a1/1/b1", ""] {
        assert_eq!(now.answered(unknown).await.unwrap(), None, "{unknown}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_many_concurrent_answers_is_taken() {
    for _ in 0..20 {
        let store = waiting().await;
        let give = (0..6).map(|number| {
            let store = Arc::clone(&store);
            tokio::spawn(async move {
                let mut run = ParkedRun::read(&*store, "c", None).await.unwrap();
                let decision = if number % 2 == 0 { YES } else { no() };
                match run.questions().first() {
                    Some(asked) if asked.answer.is_none() => {
                        run.answer(&[asked.answer(decision)]).await.is_ok()
                    }
                    _ => false,
                }
            })
        });
        let mut taken = 0;
        for given in give.collect::<Vec<_>>() {
            taken += usize::from(given.await.unwrap());
        }
        assert_eq!((taken, stored(&store).await.len()), (1, 1));
    }
}
