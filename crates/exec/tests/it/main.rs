//! The runner, through what a loop would use of it.

mod approve;
mod cancel;
mod journal;
mod refuse;
mod run;
mod stop;
mod toolbox;
mod validate;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use silcrow_event::{Call, Outcome, Status};
use silcrow_exec::{Args, Context, Failure, Nobody, Output, Policy, Runner, Tool, Toolbox};
use silcrow_plan::{Decision, Plan, Ready};

/// A tool made of a function.
struct Made<F> {
    name: &'static str,
    schema: &'static str,
    policy: Policy,
    run: F,
}

type Done = BoxFuture<'static, Result<Output, Failure>>;

fn tool<F>(name: &'static str, run: F) -> Made<F>
where
    F: Fn(String, Context) -> Done + Send + Sync,
{
    Made { name, schema: r#"{"type":"object"}"#, policy: Policy::default(), run }
}

impl<F> Made<F> {
    fn asking(self) -> Self {
        Self { policy: Policy { needs_approval: true, ..self.policy }, ..self }
    }

    fn limited(self, timeout: Duration) -> Self {
        Self { policy: Policy { timeout, ..self.policy }, ..self }
    }

    fn shaped(self, schema: &'static str) -> Self {
        Self { schema, ..self }
    }
}

impl<F> Tool for Made<F>
where
    F: Fn(String, Context) -> Done + Send + Sync,
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
    fn policy(&self) -> Policy {
        self.policy
    }
    fn call<'a>(
        &'a self,
        args: Args<'a>,
        context: &'a Context,
    ) -> BoxFuture<'a, Result<Output, Failure>> {
        (self.run)(args.as_str().to_owned(), context.clone())
    }
}

/// A tool that says its own name.
fn plain(name: &'static str) -> Made<impl Fn(String, Context) -> Done + Send + Sync> {
    tool(name, move |_, _| Box::pin(async move { Ok(Output::new("said", name)) }))
}

fn runner(tools: Toolbox) -> Runner {
    Runner::new(Arc::new(tools), Arc::new(Nobody))
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

/// A call as the plan gives it out.
fn ready(id: &str, name: &str, args: &str) -> Ready {
    let mut plan = Plan::new();
    let content = format!(r#"{{"name":"{name}","args":{args}}}"#);
    plan.push(Call::parse(id, content).unwrap());
    plan.execute();
    match plan.decide() {
        Some(Decision::Start(ready)) => ready,
        other => panic!("{other:?}"),
    }
}

/// The next outcome's id, status and content.
async fn next(runner: &mut Runner) -> (String, Status, String) {
    let (id, outcome) = runner.next().await.expect("a call is open");
    assert_eq!(outcome.id.as_deref(), Some(&*id));
    (id, status(&outcome), outcome.content)
}

fn status(outcome: &Outcome) -> Status {
    outcome.payload.as_ref().expect("made by the runner").status
}

fn summary(outcome: &Outcome) -> &str {
    &outcome.payload.as_ref().expect("made by the runner").outcome
}
