//! A call that needs a yes: the question, its time, and the rest of the run meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, pending};
use silcrow_event::ResultStatus;
use silcrow_exec::{CallUpdate, Runner};
use silcrow_tool::{
    ApprovalDecision, ApprovalRequest, ApprovalScope, Approver, ToolOutput, Toolbox,
};
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::task::yield_now;
use tokio::time::sleep;

use crate::{ended, next, plain, ready, runner, summary, tool, toolbox, with};

mod access;
mod at_once;
mod attempts;
mod granted;
mod items;
mod permitted;
mod wall;

const ONCE: ApprovalDecision = ApprovalDecision::Allow(ApprovalScope::Once);
const ALWAYS: ApprovalDecision = ApprovalDecision::Allow(ApprovalScope::Conversation);

/// A request in words, and the channel for its answer.
type Asked = (String, oneshot::Sender<ApprovalDecision>);

/// An approver that sends requests over a channel, and counts those that are open at once.
struct Desk {
    questions: mpsc::Sender<Asked>,
    open: AtomicUsize,
}

impl Approver for Desk {
    fn ask<'a>(&'a self, question: ApprovalRequest<'a>) -> BoxFuture<'a, ApprovalDecision> {
        async move {
            assert_eq!(self.open.fetch_add(1, Ordering::SeqCst), 0, "one question at a time");
            let ApprovalRequest { id, kind, tool, args, scope, .. } = question;
            let question = format!("{id} {} {tool} {args} for {scope}", kind.as_str());
            let (answer, answered) = oneshot::channel();
            self.questions.send((question, answer)).await.unwrap();
            let answer = answered.await.unwrap();
            self.open.fetch_sub(1, Ordering::SeqCst);
            answer
        }
        .boxed()
    }
}

fn desk(tools: Toolbox) -> (Runner, mpsc::Receiver<Asked>) {
    let (questions, asked) = mpsc::channel(100);
    let desk = Desk { questions, open: AtomicUsize::new(0) };
    (Runner::new(Arc::new(tools), Arc::new(desk)), asked)
}

/// An approver that calls a function.
struct FunctionApprover<F>(F);

impl<F: Fn(ApprovalRequest<'_>) -> BoxFuture<'static, ApprovalDecision> + Send + Sync> Approver
    for FunctionApprover<F>
{
    fn ask<'a>(&'a self, question: ApprovalRequest<'a>) -> BoxFuture<'a, ApprovalDecision> {
        (self.0)(question)
    }
}

fn by<F>(tools: Toolbox, answer: F) -> Runner
where
    F: Fn(ApprovalRequest<'_>) -> BoxFuture<'static, ApprovalDecision> + Send + Sync + 'static,
{
    Runner::new(Arc::new(tools), Arc::new(FunctionApprover(answer)))
}

fn writer() -> Toolbox {
    toolbox(
        tool("write", |args, _| async { Ok(ToolOutput::new("written", args)) }.boxed()).asking(),
    )
}

/// Returns a short form of every update until nothing runs and nobody is asked.
async fn all(runner: &mut Runner) -> Vec<String> {
    let mut all = Vec::new();
    while let Some(news) = runner.next().await {
        all.push(match news {
            CallUpdate::Asked { id, .. } => format!("{id} asked"),
            CallUpdate::Answered { id, answer, scope, .. } => {
                format!("{id} {answer:?} for {scope}")
            }
            CallUpdate::Ended(ended) => format!("{} {:?}", ended.id, ended.outcome.status()),
            other => panic!("{other:?}"),
        });
    }
    all
}

#[tokio::test]
async fn approval_events_precede_asking_and_ending() {
    let (mut runner, mut asked) = desk(writer());
    runner.start(ready("a1", "write", r#"{"n":1}"#));
    for _ in 0..100 {
        assert!(asked.try_recv().is_err(), "nobody has taken note of it");
        yield_now().await;
    }
    let Some(CallUpdate::Asked { id, subject }) = runner.next().await else { panic!() };
    // printf '{"n":1}' | sha256sum
    let hash = "2bfd14f43d17fc7cea24e0917a8879b4b2f880b8baeec1b9d90fbaad655e71bd";
    assert_eq!((&*id, &*subject.args_sha256, subject.target), ("a1", hash, None));
    for _ in 0..100 {
        assert!(asked.try_recv().is_err(), "whoever was told is not back");
        yield_now().await;
    }
    assert!(runner.next().now_or_never().is_none());
    let (question, answer) = asked.recv().await.unwrap();
    assert_eq!(question, r#"a1 tool write {"n":1} for {"n":1}"#);
    answer.send(ONCE).unwrap();
    let Some(CallUpdate::Answered { id, subject, answer, scope }) = runner.next().await else {
        panic!()
    };
    assert_eq!((&*id, answer, &*scope), ("a1", ONCE, r#"{"n":1}"#));
    assert_eq!((&*subject.args_sha256, subject.target), (hash, None));
    assert_eq!(next(&mut runner).await.1, ResultStatus::Success);
    assert!(runner.next().await.is_none());
}

#[tokio::test]
async fn serial_approvals_keep_order_and_match_their_calls() {
    let (mut runner, mut asked) = desk(writer());
    for n in 0..20_u32 {
        runner.start(ready(&format!("a{n}"), "write", &format!(r#"{{"n":{n}}}"#)));
    }
    let answers = tokio::spawn(async move {
        for n in 0..20_u32 {
            let (question, answer) = asked.recv().await.unwrap();
            assert_eq!(question, format!(r#"a{n} tool write {{"n":{n}}} for {{"n":{n}}}"#));
            let no = ApprovalDecision::Deny(format!("not {n}"));
            answer.send(if n.is_multiple_of(3) { no } else { ONCE }).unwrap();
        }
    });
    let mut done = Vec::new();
    while done.len() < 20 {
        let (id, outcome) = ended(&mut runner).await;
        let n: u32 = id[1..].parse().unwrap();
        if n.is_multiple_of(3) {
            assert_eq!(
                (summary(&outcome), &*outcome.content.text()),
                ("denied", &*format!("not {n}"))
            );
        } else {
            assert_eq!(outcome.content, format!(r#"{{"n":{n}}}"#));
        }
        done.push(n);
    }
    assert!(runner.next().await.is_none());
    done.sort_unstable();
    assert_eq!(done, (0..20).collect::<Vec<_>>());
    answers.await.unwrap();
}

#[tokio::test]
async fn nothing_runs_before_approval() {
    let (mut runner, mut asked) = desk(writer());
    runner.start(ready("a1", "write", "{}"));
    assert!(matches!(runner.next().await, Some(CallUpdate::Asked { .. })));
    for _ in 0..100 {
        assert!(runner.next().now_or_never().is_none());
        yield_now().await;
    }
    asked.recv().await.unwrap().1.send(ONCE).unwrap();
    assert_eq!(next(&mut runner).await.1, ResultStatus::Success);
}

#[tokio::test]
async fn missing_approver_denies_calls() {
    let mut runner = runner(writer());
    runner.start(ready("a1", "write", "{}"));
    let (_, outcome) = ended(&mut runner).await;
    assert_eq!(summary(&outcome), "denied");
    assert_eq!(
        outcome.content,
        "`write` needs a person's approval, and nobody is there to give it"
    );
}

#[tokio::test]
async fn invalid_calls_need_no_approval() {
    let (mut runner, mut asked) = desk(with(writer(), plain("read")));
    runner.start(ready("a1", "wriet", "{}"));
    runner.start(ready("a2", "read", "{}"));
    assert_eq!(all(&mut runner).await, ["a1 Failure", "a2 Success"]);
    assert!(asked.try_recv().is_err());
}

#[tokio::test]
async fn silent_approver_blocks_only_its_call_until_cancelled() {
    let mut runner = by(with(writer(), plain("read")), |_| pending().boxed());
    runner.start(ready("a0", "write", "{}"));
    for n in 1..=40 {
        runner.start(ready(&format!("a{n}"), "read", "{}"));
    }
    for _ in 1..=40 {
        assert_eq!(next(&mut runner).await.2, "read");
    }
    assert!(runner.next().now_or_never().is_none(), "the question is open");
    runner.cancel();
    assert!(runner.next().await.is_none());
}

#[tokio::test]
async fn cancel_takes_the_question_back() {
    let (mut runner, mut asked) = desk(writer());
    runner.start(ready("a1", "write", "{}"));
    runner.start(ready("a2", "write", "{}"));
    assert!(matches!(runner.next().await, Some(CallUpdate::Asked { .. })));
    assert!(runner.next().now_or_never().is_none());
    let (_, mut answer) = asked.recv().await.unwrap();
    runner.cancel();
    answer.closed().await;
    assert!(runner.next().await.is_none());
    assert!(asked.try_recv().is_err(), "the second question is not asked");
}

#[tokio::test(start_paused = true)]
async fn tool_timeout_excludes_approval_time() {
    let write = tool("write", |_, _| {
        async {
            sleep(Duration::from_secs(59)).await;
            Ok(ToolOutput::new("", "slow but in time"))
        }
        .boxed()
    });
    let mut runner = by(toolbox(write.asking()), |_| {
        async {
            sleep(Duration::from_secs(36_000)).await;
            ONCE
        }
        .boxed()
    });
    runner.start(ready("a1", "write", "{}"));
    assert_eq!(next(&mut runner).await.2, "slow but in time");
}

#[tokio::test]
async fn panicking_approver_does_not_approve() {
    let mut runner = by(writer(), |_| panic!("no terminal"));
    runner.start(ready("a1", "write", "{}"));
    let (_, outcome) = ended(&mut runner).await;
    assert_eq!(summary(&outcome), "denied");
    assert_eq!(outcome.content, "nobody could be asked: no terminal");
    runner.start(ready("a2", "write", "{}"));
    assert_eq!(next(&mut runner).await.0, "a2", "the next one is asked about all the same");
}

#[tokio::test]
async fn approved_calls_wait_for_a_free_slot() {
    let gate = Arc::new(Semaphore::new(0));
    let held = Arc::clone(&gate);
    let hold = tool("hold", move |_, _| {
        let gate = Arc::clone(&held);
        async move {
            drop(gate.acquire().await);
            Ok(ToolOutput::new("", "held"))
        }
        .boxed()
    });
    let (runner, mut asked) = desk(with(with(writer(), hold), plain("read")));
    let mut runner = runner.with_limits(crate::run::parallel(1));
    runner.start(ready("a1", "hold", "{}"));
    runner.start(ready("a2", "write", "{}"));
    runner.start(ready("a3", "read", "{}"));
    assert!(matches!(runner.next().await, Some(CallUpdate::Asked { .. })));
    assert!(runner.next().now_or_never().is_none());
    asked.recv().await.unwrap().1.send(ONCE).unwrap();
    assert!(matches!(runner.next().await, Some(CallUpdate::Answered { .. })));
    for _ in 0..100 {
        assert!(runner.next().now_or_never().is_none());
        yield_now().await;
    }
    gate.add_permits(1);
    assert_eq!(next(&mut runner).await.0, "a1");
    assert_eq!(next(&mut runner).await.0, "a3", "it waited longer");
    assert_eq!(next(&mut runner).await.0, "a2");
}
