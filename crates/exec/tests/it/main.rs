//! The runner through its public interface, as the agent's loop uses it.

mod approve;
mod driver;
mod fault;
mod fitted;
mod journal;
mod kinds;
mod preview;
#[cfg(unix)]
mod process;
mod progress;
mod refuse;
mod rollback;
mod run;
mod run_to_end;
mod secrets;
mod spending;
mod spill;
mod stop;
mod time;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use silcrow_event::{ActionAttributes, Call, CallResult, ResultStatus};
use silcrow_exec::{CallUpdate, Runner};
use silcrow_plan::{Plan, PlanDecision, ReadyCall};
use silcrow_tool::{
    ApprovalNeed, CallContext, DenyAll, Preview, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy,
    Toolbox,
};

/// A tool that calls a function.
struct Made<F> {
    name: &'static str,
    schema: &'static str,
    policy: ToolPolicy,
    /// The preview, if it is not the default one.
    look: Option<Box<Look>>,
    run: F,
}

type Look =
    dyn Fn(&str, &CallContext) -> BoxFuture<'static, Result<Preview, ToolError>> + Send + Sync;

type Done = BoxFuture<'static, Result<ToolOutput, ToolError>>;

fn tool<F>(name: &'static str, run: F) -> Made<F>
where
    F: Fn(String, CallContext) -> Done + Send + Sync,
{
    Made { name, schema: r#"{"type":"object"}"#, policy: ToolPolicy::default(), look: None, run }
}

impl<F> Made<F> {
    fn asking(self) -> Self {
        self.treated(|policy| ToolPolicy { approval: ApprovalNeed::Always, ..policy })
    }

    fn limited(self, timeout: Duration) -> Self {
        self.treated(|policy| ToolPolicy { timeout, ..policy })
    }

    fn treated(self, change: impl FnOnce(ToolPolicy) -> ToolPolicy) -> Self {
        Self { policy: change(self.policy), ..self }
    }

    fn previewed(
        self,
        look: impl Fn(&str, &CallContext) -> BoxFuture<'static, Result<Preview, ToolError>>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self { look: Some(Box::new(look)), ..self }
    }

    fn shaped(self, schema: &'static str) -> Self {
        Self { schema, ..self }
    }
}

impl<F> Tool for Made<F>
where
    F: Fn(String, CallContext) -> Done + Send + Sync,
{
    fn name(&self) -> &str {
        self.name
    }
    fn description(&self) -> &str {
        "Made for a test."
    }
    fn schema(&self) -> &str {
        self.schema
    }
    fn policy(&self) -> ToolPolicy {
        self.policy
    }
    fn preview<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        match &self.look {
            Some(look) => look(args.as_str(), context),
            None => Box::pin(async move { Ok(Preview::new(args.as_str())) }),
        }
    }
    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        (self.run)(args.as_str().to_owned(), context.clone())
    }
}

/// Returns a tool whose output is its own name.
fn plain(name: &'static str) -> Made<impl Fn(String, CallContext) -> Done + Send + Sync> {
    tool(name, move |_, _| Box::pin(async move { Ok(ToolOutput::new("said", name)) }))
}

fn runner(tools: Toolbox) -> Runner {
    Runner::new(Arc::new(tools), Arc::new(DenyAll))
}

fn toolbox(tool: impl Tool + 'static) -> Toolbox {
    let mut tools = Toolbox::new();
    tools.add(tool).unwrap();
    tools
}

fn with(mut tools: Toolbox, tool: impl Tool + 'static) -> Toolbox {
    tools.add(tool).unwrap();
    tools
}

/// Returns a call that may start.
fn ready(id: &str, name: &str, args: &str) -> ReadyCall {
    let mut plan = Plan::new();
    let content = format!(r#"{{"name":"{name}","args":{args}}}"#);
    plan.push(Call::parse(id, content).unwrap());
    plan.reach_execution_point();
    match plan.decide() {
        Some(PlanDecision::Start(ready)) => ready,
        other => panic!("{other:?}"),
    }
}

/// Returns a plan with one action.
fn plan(id: &str, content: &str, action: ActionAttributes) -> Plan {
    let mut plan = Plan::new();
    plan.push(Call::parse(id, content).unwrap().with_action(action));
    plan
}

/// Returns the next attempt that a plan decides.
fn attempt(plan: &mut Plan) -> ReadyCall {
    loop {
        match plan.decide().expect("an attempt") {
            PlanDecision::Start(ready) => return ready,
            PlanDecision::Retry { id, .. } => plan.retry(&id),
            _ => {}
        }
    }
}

/// Waits for a future. If a broken runner never completes it, the test fails instead of hanging: at
/// once if tokio's clock is paused.
async fn within<T>(future: impl Future<Output = T>) -> T {
    let day = Duration::from_secs(24 * 60 * 60);
    tokio::time::timeout(day, future).await.expect("nothing happens any more")
}

/// Returns the id and the result of the next call that ends, and skips all other updates.
async fn ended(runner: &mut Runner) -> (String, CallResult) {
    loop {
        if let CallUpdate::Ended(ended) = within(runner.next()).await.expect("a call is open") {
            return (ended.id, ended.outcome);
        }
    }
}

/// Returns the id, the status and the content of the next result.
async fn next(runner: &mut Runner) -> (String, ResultStatus, String) {
    let (id, outcome) = ended(runner).await;
    assert_eq!(outcome.id.as_deref(), Some(&*id));
    (id, status(&outcome), outcome.content.into_text())
}

fn status(outcome: &CallResult) -> ResultStatus {
    outcome.payload.as_ref().expect("made by the runner").status
}

fn summary(outcome: &CallResult) -> &str {
    &outcome.payload.as_ref().expect("made by the runner").summary
}
