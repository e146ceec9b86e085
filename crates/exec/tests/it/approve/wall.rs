//! Requests of a running call: the question, the time when the door opens, and other calls for
//! which it opens.

use std::collections::BTreeSet;

use super::*;
use crate::{Done, Made, attempt, plan, within};
use silcrow_event::{ActionAttributes, Grant, Grants};
use silcrow_tool::{
    ApprovedScope, CallAccess, CallContext, DenyAll, ParkAll, Permission, PermissionRequest,
    Permissions, ToolPolicy, WithPermissions,
};

mod ends;
mod law;

fn doors(text: &str) -> Grants {
    text.split(' ').map(|door| door.parse::<Grant>().unwrap()).collect()
}

/// A tool that asks for each of the doors in its arguments, and says the answer to each.
fn knocker(name: &'static str) -> Made<impl Fn(String, CallContext) -> Done + Send + Sync> {
    tool(name, |args, context| {
        async move {
            let mut said = Vec::new();
            for door in args.split('"').nth(3).unwrap().split(", ") {
                said.push(match context.ask_for(doors(door)).await {
                    Ok(()) => "open".to_owned(),
                    Err(why) => why,
                });
            }
            Ok(ToolOutput::new("knocked", said.join("; ")))
        }
        .boxed()
    })
}

fn knocks(id: &str, doors: &str) -> silcrow_plan::ReadyCall {
    ready(id, "shell", &format!(r#"{{"at":"{doors}"}}"#))
}

const DOCS: &str = "network:docs.rs";

#[tokio::test]
async fn door_opens_only_after_the_answer_was_reported() {
    let (mut runner, mut asked) = desk(toolbox(knocker("shell")));
    runner.start(knocks("a1", DOCS));
    let Some(CallUpdate::Asked { id, subject }) = within(runner.next()).await else { panic!() };
    assert_eq!((&*id, subject.target.as_deref()), ("a1", Some(DOCS)));
    assert_eq!(subject.grants, doors(DOCS));
    for _ in 0..100 {
        assert!(asked.try_recv().is_err(), "whoever was told is not back");
        yield_now().await;
    }
    assert!(runner.next().now_or_never().is_none());
    let (question, answer) = asked.recv().await.unwrap();
    let about = "each call that asks for\nnetwork:docs.rs";
    assert_eq!(question, format!(r#"a1 tool shell {{"at":"network:docs.rs"}} for {about}"#));
    answer.send(ONCE).unwrap();
    let Some(CallUpdate::Answered { id, subject, answer, scope }) = within(runner.next()).await
    else {
        panic!()
    };
    assert_eq!((&*id, answer, &*scope), ("a1", ONCE, about));
    assert_eq!(subject.target.as_deref(), Some(DOCS));
    for _ in 0..100 {
        yield_now().await;
    }
    assert_eq!(next(&mut runner).await.2, "open");
    assert!(runner.next().await.is_none());
}

#[tokio::test]
async fn access_opens_only_after_answer_is_stored() {
    let (told, mut heard) = mpsc::channel(1);
    let tool = tool("shell", move |_, context| {
        let told = told.clone();
        async move {
            let answer = context.ask_for(doors(DOCS)).await;
            told.send(answer).await.unwrap();
            Ok(ToolOutput::new("", ""))
        }
        .boxed()
    });
    let mut runner = by(toolbox(tool), |_| async { ONCE }.boxed());
    runner.start(knocks("a1", DOCS));
    while !matches!(within(runner.next()).await, Some(CallUpdate::Answered { .. })) {}
    for _ in 0..100 {
        assert!(heard.try_recv().is_err(), "whoever stores the answer is not back");
        yield_now().await;
    }
    ended(&mut runner).await;
    assert_eq!(heard.recv().await, Some(Ok(())));
}

#[tokio::test]
async fn sandbox_access_without_approver_is_refused_immediately() {
    let answers: [(Arc<dyn Approver>, &str); 2] = [
        (Arc::new(ParkAll), "nobody answers now, and a running call does not wait"),
        (Arc::new(DenyAll), "`shell` needs a person's approval, and nobody is there to give it"),
    ];
    for (approver, expected) in answers {
        let mut runner = Runner::new(Arc::new(toolbox(knocker("shell"))), approver);
        runner.start(knocks("a1", DOCS));
        let mut answered = Vec::new();
        while let Some(news) = within(runner.next()).await {
            assert!(!runner.is_parked());
            match news {
                CallUpdate::Asked { .. } => {}
                CallUpdate::Answered { answer: ApprovalDecision::Deny(why), .. } => {
                    answered.push(why);
                }
                CallUpdate::Ended(ended) => answered.push(ended.outcome.content.into_text()),
                other => panic!("{other:?}"),
            }
        }
        assert!(answered.iter().all(|words| words.starts_with(expected)), "{answered:?}");
        assert_eq!(answered.len(), 2, "the log has the answer, too");
    }
    let mut runner = runner(toolbox(knocker("shell"))).without_wall_questions();
    runner.start(knocks("a1", DOCS));
    assert_eq!(next(&mut runner).await.2, "nobody can be asked for network:docs.rs");
    let alone = CallContext::new("c", "a1");
    assert!(alone.ask_for(doors(DOCS)).await.is_err());
    let granted = alone.with_grants(doors("network:*.rs git"));
    assert_eq!(granted.ask_for(doors("network:docs.rs git")).await, Ok(()));
}

#[tokio::test]
async fn conversation_answer_covers_same_access_of_tool() {
    let tools = with(toolbox(knocker("shell")), knocker("other"));
    let mut runner = by(tools, |_| async { ALWAYS }.boxed());
    for (id, name, at, asks) in [
        ("a1", "shell", "network:*.rs git", true),
        ("a2", "shell", "network:docs.rs", false),
        ("a3", "shell", "git", false),
        ("a4", "shell", "network:docs.rs local:5432", true),
        ("a5", "shell", "network:docs.rs:22", true),
        ("a6", "other", "git", true),
    ] {
        runner.start(ready(id, name, &format!(r#"{{"at":"{at}"}}"#)));
        let told = all(&mut runner).await;
        assert_eq!(told.iter().any(|news| news.ends_with("asked")), asks, "{id}: {told:?}");
        assert!(told.last().unwrap().ends_with("Success"), "{told:?}");
    }
    // As a later run takes it from the log.
    let scope = "each call that asks for\nlocal:80";
    let mut later = Runner::new(Arc::new(toolbox(knocker("shell"))), Arc::new(DenyAll));
    later.grant(silcrow_event::CallKind::Tool, "shell", scope);
    later.start(knocks("b1", "local:80"));
    assert_eq!(next(&mut later).await.2, "open");
}

#[tokio::test]
async fn one_access_answer_holds_during_call() {
    for (answer, expected) in
        [(ONCE, "open; open; open"), (ApprovalDecision::Deny("no".to_owned()), "no; no; no")]
    {
        let mut runner = by(toolbox(knocker("shell")), move |_| {
            let answer = answer.clone();
            async { answer }.boxed()
        });
        for id in ["a1", "a2"] {
            runner.start(knocks(id, "git, git, git"));
            let mut asked = 0;
            let words = loop {
                match within(runner.next()).await.unwrap() {
                    CallUpdate::Asked { .. } => asked += 1,
                    CallUpdate::Ended(ended) => break ended.outcome.content.into_text(),
                    _ => {}
                }
            };
            assert_eq!((asked, &*words), (1, expected), "{id}");
        }
    }
}

/// Permissions that answer by the door.
struct Doorkeeper(CallAccess);

impl Permissions for Doorkeeper {
    fn decide(&self, _: &PermissionRequest<'_>) -> Permission {
        Permission::Allow
    }

    fn access(&self, _: &PermissionRequest<'_>) -> CallAccess {
        self.0
    }

    fn covers(&self, _: &PermissionRequest<'_>, _: &[ApprovedScope<'_>]) -> bool {
        panic!("nobody asks it about what it allows")
    }

    fn decide_at_wall(&self, request: &PermissionRequest<'_>, wanted: &Grants) -> Permission {
        assert_eq!(request.tool, "shell");
        match &*wanted.to_string() {
            "git" => Permission::Allow,
            "outside" => Permission::Deny("never".to_owned()),
            "local:1" => panic!("a bad day"),
            _ => Permission::Ask("a reason".to_owned()),
        }
    }
}

#[tokio::test]
async fn permissions_decide_before_the_approver() {
    let keeper = |access| {
        let approver = FunctionApprover(|question: ApprovalRequest<'_>| {
            assert_eq!((question.why, question.risk), (Some("a reason"), None));
            async { ONCE }.boxed()
        });
        let tool = knocker("shell").previewed(|_, _| {
            async { Ok(silcrow_tool::Preview::new("x").enforceably_read_only()) }.boxed()
        });
        let approver = WithPermissions::new(Doorkeeper(access), approver);
        Runner::new(Arc::new(toolbox(tool)), Arc::new(approver))
    };
    let mut runner = keeper(CallAccess::Usual);
    runner.start(knocks("a1", "git, outside, local:1, local:2"));
    let why = "a panic while the permissions decided: a bad day";
    assert_eq!(next(&mut runner).await.2, format!("open; never; {why}; open"));
    let mut runner = keeper(CallAccess::ReadOnly);
    runner.start(knocks("a1", "git"));
    assert_eq!(next(&mut runner).await.2, "this call may only read, and git does not open for it");
}

#[tokio::test]
async fn sandbox_questions_open_one_at_a_time() {
    // The desk panics on a second open question.
    let tools = with(writer(), knocker("shell"));
    let (mut runner, mut asked) = desk(tools);
    runner.start(knocks("a1", "git"));
    runner.start(knocks("a2", "git"));
    runner.start(ready("a3", "write", "{}"));
    let answers = async {
        let mut names = BTreeSet::new();
        for _ in 0..3 {
            let (question, answer) = asked.recv().await.unwrap();
            for _ in 0..50 {
                yield_now().await;
            }
            names.insert(question[..2].to_owned());
            answer.send(ONCE).unwrap();
        }
        names
    };
    let (names, told) = within(async { tokio::join!(answers, all(&mut runner)) }).await;
    assert_eq!(names.len(), 3);
    assert_eq!(told.iter().filter(|news| news.ends_with("Success")).count(), 3, "{told:?}");
}

#[tokio::test]
async fn later_attempt_asks_again() {
    let tool = tool("shell", |_, context| {
        async move {
            context.ask_for(doors("git")).await.unwrap();
            Err(silcrow_tool::ToolError::new("not this time"))
        }
        .boxed()
    });
    let mut runner = by(toolbox(tool), |_| async { ONCE }.boxed());
    let retried = ActionAttributes { retry: Some(1), ..ActionAttributes::default() };
    let mut plan = plan("a1", r#"{"name":"shell","args":{}}"#, retried);
    for _ in 0..2 {
        runner.start(attempt(&mut plan));
        let told = all(&mut runner).await;
        assert_eq!(told[0], "a1 asked");
        let failed = silcrow_event::CallResult::failure("a1", Some("shell"), "", "");
        plan.fail("a1", failed, 0);
    }
}
