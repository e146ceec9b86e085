//! The calls that a yes for the conversation covers.

use std::time::Duration;

use futures_util::FutureExt as _;
use silcrow_event::{ActionAttributes, CallKind, ResultStatus};
use silcrow_exec::CallUpdate;
use silcrow_tool::{ApprovalDecision, CallContext, Preview};

use super::{ALWAYS, ONCE, all, by, desk, writer};
use crate::{Done, Made, attempt, next, plain, plan, ready, toolbox, with};

/// A tool whose scope is the first letter of the first value in its arguments.
fn folder(name: &'static str) -> Made<impl Fn(String, CallContext) -> Done + Send + Sync> {
    plain(name).asking().previewed(|args, _| {
        let preview = Preview::new(&args.split('"').nth(3).unwrap()[..1]);
        async { Ok(preview) }.boxed()
    })
}

#[tokio::test]
async fn conversation_approval_covers_exactly_the_tools_scope() {
    let mut tools = with(toolbox(folder("write")), folder("delete"));
    tools.add_as(CallKind::Agent, folder("write")).unwrap();
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
async fn conversation_approval_defaults_to_identical_arguments() {
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
async fn granted_calls_skip_an_open_question() {
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
    // An open request is still answered, even if its call is granted meanwhile.
    runner.grant(CallKind::Tool, "write", r#"{"n":0}"#);
    assert!(runner.next().now_or_never().is_none(), "the first question is open");
    assert!(asked.try_recv().is_err());
    open.send(ApprovalDecision::Deny("no".to_owned())).unwrap();
    assert!(matches!(runner.next().await, Some(CallUpdate::Answered { id, .. }) if id == "a0"));
    assert_eq!(next(&mut runner).await, ("a0".into(), ResultStatus::Failure, "no".into()));
}

/// A tool whose calls have the time limit in their arguments, and 0 for the background.
fn timed() -> Made<impl Fn(String, CallContext) -> Done + Send + Sync> {
    plain("run").asking().previewed(|args, _| {
        let seconds: u64 =
            args.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap();
        let preview = Preview::new("make");
        let preview = match seconds {
            0 => preview.outliving_call(),
            seconds => preview.with_time_limit(Duration::from_secs(seconds)),
        };
        async { Ok(preview.with_time_in_scope()) }.boxed()
    })
}

#[tokio::test]
async fn conversation_approval_covers_no_longer_timeout() {
    let mut runner = by(toolbox(timed()), |_| async { ALWAYS }.boxed());
    let mut asked = Vec::new();
    for seconds in [30, 30, 5, 31, 30, 0, 0, 31] {
        runner.start(ready("c", "run", &format!(r#"{{"s":{seconds}}}"#)));
        let told = all(&mut runner).await;
        asked.push((seconds, told.iter().any(|news| news.ends_with("asked"))));
    }
    let expected = [
        (30, true),
        (30, false),
        (5, false),
        (31, true),
        (30, false),
        (0, true),
        (0, false),
        (31, false),
    ];
    assert_eq!(asked, expected);
}
