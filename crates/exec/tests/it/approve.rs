use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, pending};
use silcrow_event::{ActionAttributes, CallKind, CallResult, ResultStatus};
use silcrow_exec::{
    ApprovalDecision, ApprovalRequest, ApprovalScope, Approver, CallContext, CallUpdate, Preview,
    Runner, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy, Toolbox,
};
use silcrow_plan::{Plan, PlanDecision};
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::task::yield_now;
use tokio::time::sleep;

use crate::{attempt, ended, next, plain, plan, ready, runner, summary, tool, toolbox, with};

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
struct By<F>(F);

impl<F: Fn(ApprovalRequest<'_>) -> BoxFuture<'static, ApprovalDecision> + Send + Sync> Approver
    for By<F>
{
    fn ask<'a>(&'a self, question: ApprovalRequest<'a>) -> BoxFuture<'a, ApprovalDecision> {
        (self.0)(question)
    }
}

fn by<F>(tools: Toolbox, answer: F) -> Runner
where
    F: Fn(ApprovalRequest<'_>) -> BoxFuture<'static, ApprovalDecision> + Send + Sync + 'static,
{
    Runner::new(Arc::new(tools), Arc::new(By(answer)))
}

fn writer() -> Toolbox {
    toolbox(
        tool("write", |args, _| async { Ok(ToolOutput::new("written", args)) }.boxed()).asking(),
    )
}

/// A tool whose scope is the first letter of the first value in its arguments.
struct Folder(&'static str);

impl Tool for Folder {
    fn name(&self) -> &str {
        self.0
    }
    fn description(&self) -> &str {
        "Made for a test."
    }
    fn schema(&self) -> &str {
        "{}"
    }
    fn policy(&self) -> ToolPolicy {
        ToolPolicy { needs_approval: true, ..ToolPolicy::default() }
    }
    fn preview<'a>(
        &'a self,
        args: ToolArgs<'a>,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        let folder = &args.as_str().split('"').nth(3).unwrap()[..1];
        async move { Ok(Preview::new(folder)) }.boxed()
    }
    fn call<'a>(
        &'a self,
        _: ToolArgs<'a>,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async { Ok(ToolOutput::new("", "done")) }.boxed()
    }
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
async fn the_question_is_told_before_it_is_put_and_the_answer_before_the_end() {
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
async fn calls_are_asked_about_one_by_one_in_their_order_and_answers_are_not_mixed_up() {
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
async fn nothing_runs_before_the_yes() {
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
async fn a_yes_for_the_conversation_covers_what_the_tool_says_and_nothing_else() {
    let mut tools = with(with(Toolbox::new(), Folder("write")), Folder("delete"));
    tools.add_as(CallKind::Agent, Folder("write")).unwrap();
    let mut runner = by(tools, |question| {
        let answer = if question.args.contains("a1") { ALWAYS } else { ONCE };
        async { answer }.boxed()
    });
    for (id, name, path) in [
        ("c1", "write", "a1"),
        ("c2", "write", "a2"), // the same folder
        ("c3", "write", "b1"),
        ("c4", "write", "b2"), // the yes to `b1` was for once
        ("c5", "delete", "a2"),
    ] {
        runner.start(ready(id, name, &format!(r#"{{"path":"{path}"}}"#)));
    }
    let told = all(&mut runner).await;
    let asked: Vec<_> = told.iter().filter(|news| news.ends_with("asked")).collect();
    assert_eq!(asked, ["c1 asked", "c3 asked", "c4 asked", "c5 asked"]);
    assert_eq!(told.iter().filter(|news| news.ends_with("Success")).count(), 5);
    assert!(told.contains(&"c1 Allow(Conversation) for a".to_owned()), "{told:?}");

    // Later on, too, and after a cancel; an agent is not the tool of its name.
    runner.cancel();
    runner.start(ready("d1", "write", r#"{"path":"a3"}"#));
    assert_eq!(all(&mut runner).await, ["d1 Success"]);
    let agent = ActionAttributes { kind: CallKind::Agent, ..ActionAttributes::default() };
    let mut plan = plan("d2", r#"{"name":"write","args":{"path":"a3"}}"#, agent);
    runner.start(attempt(&mut plan));
    assert_eq!(all(&mut runner).await[0], "d2 asked");
}

#[tokio::test]
async fn by_default_a_yes_for_the_conversation_covers_the_very_same_arguments() {
    let (mut runner, mut asked) = desk(writer());
    runner.start(ready("a1", "write", r#"{"n":1}"#));
    runner.start(ready("a2", "write", r#"{"n":1}"#));
    runner.start(ready("a3", "write", r#"{"n":2}"#));
    assert!(matches!(runner.next().await, Some(CallUpdate::Asked { .. })));
    assert!(runner.next().now_or_never().is_none());
    asked.recv().await.unwrap().1.send(ALWAYS).unwrap();
    assert!(matches!(runner.next().await, Some(CallUpdate::Answered { .. })));
    let mut told = Vec::new();
    for _ in 0..3 {
        told.push(match runner.next().await.unwrap() {
            CallUpdate::Asked { id, .. } => format!("{id} asked"),
            CallUpdate::Ended(ended) => ended.id,
            other => panic!("{other:?}"),
        });
    }
    told.sort_unstable();
    assert_eq!(told, ["a1", "a2", "a3 asked"]);
}

#[tokio::test]
async fn what_was_granted_before_is_not_asked_about_even_while_another_question_is_open() {
    let (mut runner, mut asked) = desk(writer());
    runner.grant(CallKind::Tool, "write", r#"{"n":1}"#);
    // An agent is not the tool of its name.
    runner.grant(CallKind::Agent, "write", r#"{"n":0}"#);
    runner.start(ready("a0", "write", r#"{"n":0}"#));
    runner.start(ready("a1", "write", r#"{"n":1}"#));
    runner.start(ready("a2", "write", r#"{"n":2}"#));
    assert!(matches!(runner.next().await, Some(CallUpdate::Asked { id, .. }) if id == "a0"));
    assert_eq!(next(&mut runner).await.0, "a1");
    let (_, open) = asked.recv().await.unwrap();
    runner.grant(CallKind::Tool, "write", r#"{"n":2}"#);
    assert_eq!(next(&mut runner).await.0, "a2");
    // A request that is open is answered, whatever is granted meanwhile.
    runner.grant(CallKind::Tool, "write", r#"{"n":0}"#);
    assert!(runner.next().now_or_never().is_none(), "the first question is open");
    assert!(asked.try_recv().is_err());
    open.send(ApprovalDecision::Deny("no".to_owned())).unwrap();
    assert!(matches!(runner.next().await, Some(CallUpdate::Answered { id, .. }) if id == "a0"));
    assert_eq!(next(&mut runner).await, ("a0".into(), ResultStatus::Failure, "no".into()));
}

#[tokio::test]
async fn without_anybody_the_answer_is_no() {
    let mut runner = runner(writer());
    runner.start(ready("a1", "write", "{}"));
    let (_, outcome) = ended(&mut runner).await;
    assert_eq!(summary(&outcome), "denied");
    assert_eq!(outcome.content, "`write` needs a person's yes, and nobody is there to give it");
}

#[tokio::test]
async fn nobody_is_asked_about_a_call_that_cannot_run() {
    let (mut runner, mut asked) = desk(with(writer(), plain("read")));
    runner.start(ready("a1", "wriet", "{}"));
    runner.start(ready("a2", "read", "{}"));
    assert_eq!(all(&mut runner).await, ["a1 Failure", "a2 Success"]);
    assert!(asked.try_recv().is_err());
}

#[tokio::test]
async fn an_approver_that_never_answers_blocks_nobody_else_and_cancel_ends_the_wait() {
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
async fn the_time_of_a_tool_does_not_run_while_somebody_thinks() {
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
async fn an_approver_that_panics_has_not_said_yes() {
    let mut runner = by(writer(), |_| panic!("no terminal"));
    runner.start(ready("a1", "write", "{}"));
    let (_, outcome) = ended(&mut runner).await;
    assert_eq!(summary(&outcome), "denied");
    assert_eq!(outcome.content, "nobody could be asked: no terminal");
    runner.start(ready("a2", "write", "{}"));
    assert_eq!(next(&mut runner).await.0, "a2", "the next one is asked about all the same");
}

#[tokio::test]
async fn what_was_allowed_waits_for_a_place_like_the_others() {
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
async fn a_yes_covers_further_attempts_only_where_repeating_is_declared_safe() {
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
        // The number that the model gives wins over that of the tool.
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
async fn the_question_counts_no_more_attempts_than_there_are() {
    let safe = |policy| ToolPolicy { idempotent: true, ..policy };
    let (mut runner, asked) = counting(failing(safe), &[ONCE]);
    let told = play(&mut runner, &mut retrying(u32::MAX)).await;
    assert_eq!(told.iter().filter(|told| *told == "not yet").count(), 21);
    assert_eq!(*asked.lock().unwrap(), [(1, 21)]);
    // If the model gives no number, that of the tool counts.
    let (mut runner, asked) =
        counting(failing(|is| ToolPolicy { retries: 2, ..safe(is) }), &[ONCE]);
    play(&mut runner, &mut plan("a1", r#"{"name":"write"}"#, ActionAttributes::default())).await;
    assert_eq!(*asked.lock().unwrap(), [(1, 3)]);
}

#[tokio::test]
async fn a_no_to_a_further_attempt_says_that_there_were_others() {
    let no = ApprovalDecision::Deny("enough".to_owned());
    let (mut runner, _) = counting(failing(|policy| policy), &[ONCE, no]);
    let told = play(&mut runner, &mut retrying(9)).await;
    let last = "enough (attempt 2; the attempts before it ran and failed)";
    assert_eq!(told, ["asked", "not yet", "asked", last]);
}

#[tokio::test]
async fn a_yes_to_one_call_covers_no_attempt_at_another_of_its_id() {
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
