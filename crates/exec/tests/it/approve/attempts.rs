//! The attempts at a call that a yes covers.

use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use silcrow_event::{ActionAttributes, CallResult};
use silcrow_exec::{CallUpdate, Runner};
use silcrow_plan::{Plan, PlanDecision};
use silcrow_tool::{ApprovalDecision, ToolError, ToolPolicy, Toolbox};

use super::{ONCE, by};
use crate::{attempt, ended, plan, tool, toolbox};

/// Returns a plan with a call of `write` that asks for so many further attempts.
fn retrying(retry: u32) -> Plan {
    plan(
        "a1",
        r#"{"name":"write"}"#,
        ActionAttributes { retry: Some(retry), ..ActionAttributes::default() },
    )
}

/// Returns a tool with this policy that fails, and whose calls need approval.
fn failing(change: impl FnOnce(ToolPolicy) -> ToolPolicy) -> Toolbox {
    let fail = tool("write", |_, _| async { Err(ToolError::new("not yet")) }.boxed());
    toolbox(fail.asking().treated(change))
}

/// The attempt of each request, and the number of attempts that a yes covers.
type Counted = Arc<Mutex<Vec<(u32, u32)>>>;

/// Returns a runner whose approver records the attempts that it is asked about, and gives these
/// answers.
fn counting(tools: Toolbox, answers: &[ApprovalDecision]) -> (Runner, Counted) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let (kept, answers) = (Arc::clone(&asked), answers.to_vec());
    let runner = by(tools, move |question| {
        let mut kept = kept.lock().unwrap();
        let answer = answers[kept.len().min(answers.len() - 1)].clone();
        kept.push((question.attempt, question.attempts));
        async { answer }.boxed()
    });
    (runner, asked)
}

/// Runs all attempts of a plan.
async fn play(runner: &mut Runner, plan: &mut Plan) -> Vec<String> {
    let mut told = Vec::new();
    while let Some(decision) = plan.decide() {
        match decision {
            PlanDecision::Start(ready) => runner.start(ready),
            PlanDecision::Retry { id, .. } => plan.retry(&id),
            _ => {}
        }
        while let Some(news) = runner.next().await {
            match news {
                CallUpdate::Asked { .. } => told.push("asked".to_owned()),
                CallUpdate::Ended(ended) => {
                    told.push(ended.outcome.content.text().into_owned());
                    match ended.retries {
                        Some(retries) => plan.fail(&ended.id, ended.outcome, retries),
                        None => plan.finish(&ended.id, ended.outcome),
                    }
                }
                _ => {}
            }
        }
    }
    told
}

#[tokio::test]
async fn approval_covers_retries_only_of_idempotent_tools() {
    type Row = (fn(ToolPolicy) -> ToolPolicy, &'static [&'static str], &'static [(u32, u32)]);
    let table: [Row; 4] = [
        (
            |policy| policy,
            &["asked", "not yet", "asked", "not yet", "asked", "not yet"],
            &[(1, 1), (2, 1), (3, 1)],
        ),
        (
            |policy| ToolPolicy { idempotent: true, ..policy },
            &["asked", "not yet", "not yet", "not yet"],
            &[(1, 3)],
        ),
        (
            |policy| ToolPolicy { read_only: true, ..policy },
            &["asked", "not yet", "not yet", "not yet"],
            &[(1, 3)],
        ),
        // The model's number wins over the tool's.
        (
            |policy| ToolPolicy { idempotent: true, retries: 9, ..policy },
            &["asked", "not yet", "not yet", "not yet"],
            &[(1, 3)],
        ),
    ];
    for (change, expected, questions) in table {
        let (mut runner, asked) = counting(failing(change), &[ONCE]);
        assert_eq!(play(&mut runner, &mut retrying(2)).await, expected);
        assert_eq!(*asked.lock().unwrap(), questions);
    }
}

#[tokio::test]
async fn question_states_at_most_actual_attempts() {
    let safe = |policy| ToolPolicy { idempotent: true, ..policy };
    let (mut runner, asked) = counting(failing(safe), &[ONCE]);
    let told = play(&mut runner, &mut retrying(u32::MAX)).await;
    assert_eq!(told.iter().filter(|told| *told == "not yet").count(), 21);
    assert_eq!(*asked.lock().unwrap(), [(1, 21)]);
    // If the model gives no number, the tool's counts.
    let (mut runner, asked) =
        counting(failing(|is| ToolPolicy { retries: 2, ..safe(is) }), &[ONCE]);
    play(&mut runner, &mut plan("a1", r#"{"name":"write"}"#, ActionAttributes::default())).await;
    assert_eq!(*asked.lock().unwrap(), [(1, 3)]);
}

#[tokio::test]
async fn denied_retry_mentions_earlier_attempts() {
    let no = ApprovalDecision::Deny("enough".to_owned());
    let (mut runner, _) = counting(failing(|policy| policy), &[ONCE, no]);
    let told = play(&mut runner, &mut retrying(9)).await;
    let last = "enough (attempt 2; the attempts before it ran and failed)";
    assert_eq!(told, ["asked", "not yet", "asked", last]);
}

#[tokio::test]
async fn approval_excludes_another_call_with_same_id() {
    let safe = |policy| ToolPolicy { idempotent: true, ..policy };
    let (mut runner, asked) = counting(failing(safe), &[ONCE]);
    let mut first = retrying(1);
    runner.start(attempt(&mut first));
    let (id, outcome) = ended(&mut runner).await;
    first.fail(&id, outcome, 0);
    // The second attempt has other bytes.
    let action = ActionAttributes { retry: Some(1), ..ActionAttributes::default() };
    let mut other = plan("a1", r#"{"name":"write","args":{"n":1}}"#, action);
    let one = attempt(&mut other);
    let (id, outcome) = (one.id().to_owned(), CallResult::failure("a1", Some("write"), "", ""));
    other.fail(&id, outcome, 0);
    runner.start(attempt(&mut other));
    ended(&mut runner).await;
    assert_eq!(*asked.lock().unwrap(), [(1, 2), (2, 1)]);
}
