use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::{ActionAttributes, ResultStatus};
use silcrow_exec::{Journal, Runner};
use silcrow_tool::{
    ApprovalDecision, ApprovalNeed, ApprovalRequest, ApprovalScope, Approver, CallContext, Tool,
    ToolArgs, ToolError, ToolOutput, ToolPolicy, Toolbox,
};

use crate::{attempt, ended, plan, ready, runner, tool, toolbox};

/// The events of a test, in order.
type Log = Arc<Mutex<Vec<String>>>;

struct Careful(Log);

impl Tool for Careful {
    fn name(&self) -> &str {
        "careful"
    }

    fn description(&self) -> &str {
        "Needs a yes."
    }

    fn schema(&self) -> &str {
        r#"{"type":"object"}"#
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy { approval: ApprovalNeed::Always, ..ToolPolicy::default() }
    }

    fn call<'a>(
        &'a self,
        _: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        self.0.lock().unwrap().push(format!("{} runs", context.call_id()));
        async { Ok(ToolOutput::new("done", "done")) }.boxed()
    }
}

/// An approver that allows all calls except `a2`.
struct Asked(Log);

impl Approver for Asked {
    fn ask<'a>(
        &'a self,
        ApprovalRequest { id, .. }: ApprovalRequest<'a>,
    ) -> BoxFuture<'a, ApprovalDecision> {
        self.0.lock().unwrap().push(format!("{id} is asked about"));
        let answer = if id == "a2" {
            ApprovalDecision::Deny("no".to_owned())
        } else {
            ApprovalDecision::Allow(ApprovalScope::Once)
        };
        async move { answer }.boxed()
    }
}

/// A journal that cannot record the start of `a3`.
struct Noted(Log);

impl Journal for Noted {
    fn starting<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), ToolError>> {
        self.0.lock().unwrap().push(format!("{id} starts"));
        let noted = if id == "a3" { Err(ToolError::new("the disk is full")) } else { Ok(()) };
        async move { noted }.boxed()
    }
}

#[tokio::test]
async fn start_is_recorded_between_approval_and_tool() {
    let log = Log::default();
    let mut tools = Toolbox::new();
    tools.add(Careful(Arc::clone(&log))).unwrap();
    let mut runner = Runner::new(Arc::new(tools), Arc::new(Asked(Arc::clone(&log))))
        .with_journal(Noted(Arc::clone(&log)));
    for id in ["a1", "a2", "a3"] {
        log.lock().unwrap().clear();
        runner.start(ready(id, "careful", "{}"));
        let (_, outcome) = ended(&mut runner).await;
        let seen = log.lock().unwrap().join(", ");
        match id {
            "a1" => assert_eq!(seen, "a1 is asked about, a1 starts, a1 runs"),
            "a2" => assert_eq!(seen, "a2 is asked about"),
            _ => assert_eq!(seen, "a3 is asked about, a3 starts"),
        }
        assert_eq!(outcome.status() == ResultStatus::Success, id == "a1", "{outcome:?}");
    }
}

#[tokio::test]
async fn retried_call_starts_only_once() {
    let log = Log::default();
    let fail = tool("fail", |_, _| async { Err(ToolError::new("not yet")) }.boxed());
    let mut runner = runner(toolbox(fail)).with_journal(Noted(Arc::clone(&log)));
    let mut plan = plan("a1", r#"{"name":"fail"}"#, ActionAttributes::default());
    for n in 1..=3 {
        let ready = attempt(&mut plan);
        assert_eq!(ready.attempt(), n);
        runner.start(ready);
        let (id, outcome) = ended(&mut runner).await;
        plan.fail(&id, outcome, 2);
    }
    assert_eq!(*log.lock().unwrap(), ["a1 starts"]);
}
