//! Which calls a person is asked about: the policy of a tool, its risks, and permissions.

use super::*;
use silcrow_tool::{
    ApprovalNeed, Permission, PermissionRequest, Permissions, Preview, Tool, ToolPolicy,
    WithPermissions,
};
use tokio::time::timeout;

/// Returns a tool whose calls are risky if their arguments hold `secret`, and that returns the risk
/// that was approved.
fn risky(approval: ApprovalNeed) -> Toolbox {
    let tool = tool("read", |_, context| {
        let approved = context.approved().map(|preview| preview.risk.clone());
        async move { Ok(ToolOutput::new("read", format!("{approved:?}"))) }.boxed()
    });
    toolbox(tool.treated(|policy| ToolPolicy { approval, ..policy }).previewed(|args, _| {
        let preview = Preview::new("every file");
        let preview = match args.contains("secret") {
            true => preview.with_risk("it holds secrets"),
            false => preview,
        };
        async move { Ok(preview) }.boxed()
    }))
}

/// Permissions that call a function.
struct FunctionPermissions<F>(F);

impl<F: Fn(&PermissionRequest<'_>) -> Permission + Send + Sync> Permissions
    for FunctionPermissions<F>
{
    fn decide(&self, request: &PermissionRequest<'_>) -> Permission {
        (self.0)(request)
    }
}

fn permitted<F>(tools: Toolbox, decide: F) -> (Runner, mpsc::Receiver<Asked>)
where
    F: Fn(&PermissionRequest<'_>) -> Permission + Send + Sync + 'static,
{
    let (questions, asked) = mpsc::channel(100);
    let desk = Desk { questions, open: AtomicUsize::new(0) };
    let approver = WithPermissions::new(FunctionPermissions(decide), desk);
    (Runner::new(Arc::new(tools), Arc::new(approver)), asked)
}

#[tokio::test]
async fn tools_may_require_approval_only_for_risks() {
    let (mut runner, mut asked) = desk(risky(ApprovalNeed::IfRisky));
    runner.start(ready("a1", "read", r#"{"path":"plain"}"#));
    assert_eq!(next(&mut runner).await.2, "Some(None)");
    runner.start(ready("a2", "read", r#"{"path":"secret"}"#));
    let answer = async {
        let (question, answer) = asked.recv().await.unwrap();
        assert_eq!(question, r#"a2 tool read {"path":"secret"} for every file"#);
        answer.send(ONCE).unwrap();
    };
    let ((), updates) = tokio::join!(answer, all(&mut runner));
    assert_eq!(updates, ["a2 asked", "a2 Allow(Once) for every file", "a2 Success"]);
}

// Time is paused, so a question that never comes fails the test at once.
#[tokio::test(start_paused = true)]
async fn conversation_approval_excludes_risky_calls() {
    let (mut runner, mut asked) = desk(risky(ApprovalNeed::Always));
    for (id, args) in [("a1", r#"{"n":"secret"}"#), ("a2", "{}"), ("a3", r#"{"n":"secret 2"}"#)] {
        runner.start(ready(id, "read", args));
    }
    let answer = async {
        let mut ids = Vec::new();
        while let Some((question, answer)) = asked.recv().await {
            ids.push(question[..2].to_owned());
            answer.send(ALWAYS).unwrap();
            if ids.len() == 3 {
                return ids;
            }
        }
        ids
    };
    let answered = timeout(Duration::from_secs(1), answer);
    let (ids, updates) = tokio::join!(answered, all(&mut runner));
    assert_eq!(ids.expect("each call is asked about"), ["a1", "a2", "a3"]);
    assert_eq!(updates.iter().filter(|update| update.ends_with("Success")).count(), 3);
    // Without a risk the grant holds.
    runner.start(ready("a4", "read", r#"{"n":4}"#));
    assert_eq!(all(&mut runner).await, ["a4 Success"]);
}

#[tokio::test]
async fn permissions_override_tool_policy() {
    for need in [ApprovalNeed::Never, ApprovalNeed::IfRisky, ApprovalNeed::Always] {
        let (mut runner, mut asked) =
            permitted(risky(need), |request| match (request.tool, request.args) {
                ("read", r#"{"n":"secret"}"#) => Permission::Allow,
                ("read", r#"{"n":"no"}"#) => Permission::Deny("not that file".to_owned()),
                _ => Permission::Ask("a reason".to_owned()),
            });
        runner.start(ready("a1", "read", r#"{"n":"secret"}"#));
        let (_, status, words) = next(&mut runner).await;
        assert_eq!((status, &*words), (ResultStatus::Success, r#"Some(Some("it holds secrets"))"#));
        runner.start(ready("a2", "read", r#"{"n":"no"}"#));
        let (_, status, words) = next(&mut runner).await;
        assert_eq!(status, ResultStatus::Failure);
        assert_eq!(words, "not that file");
        runner.start(ready("a3", "read", r#"{"n":3}"#));
        let answer = async {
            let (question, answer) = asked.recv().await.unwrap();
            assert!(question.starts_with("a3 "), "{question}");
            answer.send(ONCE).unwrap();
        };
        let ((), updates) = tokio::join!(answer, all(&mut runner));
        assert_eq!(updates.last().unwrap(), "a3 Success");
    }
}

#[tokio::test]
async fn question_names_the_effective_timeout() {
    for (own, expected) in [(None, 10), (Some(3), 3), (Some(30), 10)] {
        let tool = plain("write").asking();
        let tool = tool.treated(|policy| ToolPolicy { timeout: Duration::from_secs(10), ..policy });
        let tools = toolbox(tool.previewed(move |_, _| {
            let preview = Preview::new("every file");
            let preview = match own {
                Some(seconds) => preview.with_time_limit(Duration::from_secs(seconds)),
                None => preview,
            };
            async move { Ok(preview) }.boxed()
        }));
        let mut runner = by(tools, |request| {
            let words = request.time_limit.as_secs().to_string();
            async move { ApprovalDecision::Deny(words) }.boxed()
        });
        runner.start(ready("a1", "write", "{}"));
        let (_, _, words) = next(&mut runner).await;
        assert_eq!(words, expected.to_string());
    }
}

#[tokio::test]
async fn permissions_that_panic_deny() {
    let (mut runner, _asked) = permitted(risky(ApprovalNeed::Never), |_| panic!("no rules"));
    runner.start(ready("a1", "read", "{}"));
    let (_, status, words) = next(&mut runner).await;
    assert_eq!(status, ResultStatus::Failure);
    assert_eq!(words, "a panic while the permissions decided: no rules");
}

#[tokio::test]
async fn risk_appearing_after_approval_stops_call() {
    let looks = AtomicUsize::new(0);
    let tools = toolbox(plain("write").asking().previewed(move |_, _| {
        let preview = Preview::new("every file");
        // The first look is before the question, the second right before the call.
        let preview = match looks.fetch_add(1, Ordering::SeqCst) {
            0 => preview,
            _ => preview.with_risk("it belongs to git"),
        };
        async move { Ok(preview) }.boxed()
    }));
    let mut runner = by(tools, |_| async { ONCE }.boxed());
    runner.start(ready("a1", "write", "{}"));
    let updates = all(&mut runner).await;
    assert_eq!(updates, ["a1 asked", "a1 Allow(Once) for every file", "a1 Failure"]);
}

#[test]
fn outbound_calls_never_start_early_or_repeat() {
    let policy = ToolPolicy { read_only: true, idempotent: true, ..ToolPolicy::default() };
    assert!(policy.may_start_early() && policy.is_repeatable());
    let sends = ToolPolicy { sends_out: true, ..policy };
    assert!(!sends.may_start_early() && !sends.is_repeatable());
    let asks = ToolPolicy { approval: ApprovalNeed::Always, ..policy };
    assert!(asks.may_start_early() && !asks.is_repeatable());
    assert_eq!(plain("a").policy().approval, ApprovalNeed::Never);
}
