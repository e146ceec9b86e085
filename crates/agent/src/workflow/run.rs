use std::collections::HashMap;

use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};
use silcrow_event::{Call, CallMode, Entry, ErrorEvent, ErrorScope, Event, Json};
use silcrow_exec::{CallContext, CallOutcome, CallUpdate, Runner, Scope, ToolError, ToolOutput};
use silcrow_plan::{CallEnd, Plan, PlanDecision};
use silcrow_store as store;
use tokio::time::sleep;

use super::Workflow;
use crate::inner;
use crate::log::Log;
use crate::parts::AgentParts;
use crate::runner::{approval, runner};
use crate::turn::jittered;

/// Runs a workflow's plan in a conversation that begins with these events.
pub(super) async fn run(
    workflow: Workflow,
    parts: AgentParts,
    mut scope: Scope,
    plan: Plan,
    begin: Vec<Event>,
    context: CallContext,
) -> Result<ToolOutput, ToolError> {
    scope.conversation = Some(inner::conversation(&*parts.store, &context).await?);
    let log = Log::open(&parts, &scope).await.map_err(|error| unstored(&error))?;
    let mut run = Run {
        runner: runner(&parts, &scope, &log, TURN),
        context: &context,
        plan,
        log,
        pauses: FuturesUnordered::new(),
        ended: HashMap::new(),
        stopped: false,
    };
    run.store(begin).await?;
    run.go().await?;
    run.close(&workflow).await
}

/// All its calls are of one turn.
const TURN: u32 = 1;

/// A plan on its way.
struct Run<'a> {
    plan: Plan,
    runner: Runner,
    log: Log<'a>,
    context: &'a CallContext,
    /// Pauses before another attempt at a call, which they give.
    pauses: FuturesUnordered<BoxFuture<'static, String>>,
    ended: HashMap<String, CallEnd>,
    stopped: bool,
}

impl Run<'_> {
    /// Until nothing runs any more, calls that nobody waits for included.
    async fn go(&mut self) -> Result<(), ToolError> {
        self.decide().await?;
        while self.plan.is_running() {
            tokio::select! {
                biased;
                () = self.context.cancel().cancelled() => self.stop(),
                Some(news) = self.runner.next() => self.happened(news).await?,
                Some(id) = self.pauses.next() => self.plan.retry(&id),
            }
            self.decide().await?;
        }
        let mut left = Vec::new();
        let mut tell = |news| {
            if let CallUpdate::Inner(entry) = news {
                left.push(*entry);
            }
        };
        self.runner.drain(&mut tell).await;
        show(self.context, left).await;
        Ok(())
    }

    /// Does what the plan says: results are stored before what they make ready starts.
    async fn decide(&mut self) -> Result<(), ToolError> {
        let mut ready = Vec::new();
        let mut results = Vec::new();
        while let Some(decision) = self.plan.decide() {
            match decision {
                PlanDecision::Start(call) => ready.push(call),
                PlanDecision::Stop { id } => {
                    ready.retain(|call| call.id() != id);
                    self.runner.stop(&id);
                }
                PlanDecision::Retry { id, after } => {
                    self.pauses.push(sleep(jittered(after)).map(|()| id).boxed());
                }
                PlanDecision::End { id, how } => {
                    results.extend(self.plan.outcome(&id).cloned().map(Event::Result));
                    self.ended.insert(id, how);
                }
                _ => {}
            }
        }
        self.store(results).await?;
        for call in ready {
            self.runner.start(call);
        }
        Ok(())
    }

    async fn happened(&mut self, news: CallUpdate) -> Result<(), ToolError> {
        match news {
            CallUpdate::Ended(CallOutcome { id, outcome, retries: Some(retries) }) => {
                self.plan.fail(&id, outcome, retries);
            }
            CallUpdate::Ended(CallOutcome { id, outcome, retries: None }) => {
                self.plan.finish(&id, outcome)
            }
            CallUpdate::Progress(progress) => self.pass(Event::Progress(progress)).await,
            CallUpdate::Inner(entry) => self.context.inner(*entry).await,
            news => self.store(approval(news).into_iter().collect()).await?,
        }
        Ok(())
    }

    fn stop(&mut self) {
        self.stopped = true;
        self.runner.cancel();
        self.pauses.clear();
        self.plan.cancel("cancelled", "cancelled: the workflow was stopped");
    }

    /// What came of it, as an output and as the last event.
    async fn close(&mut self, workflow: &Workflow) -> Result<ToolOutput, ToolError> {
        let name = &workflow.name;
        if self.stopped {
            let reason = format!("the workflow `{name}` was stopped");
            self.pass(Event::Interrupt { reason: reason.clone() }).await;
            self.store(vec![Event::Cancelled { content: reason.clone() }]).await?;
            return Err(ToolError::new(reason));
        }
        match self.output(workflow) {
            Ok(content) => {
                self.store(vec![Event::respond(&*content)]).await?;
                self.pass(Event::End).await;
                let actions = workflow.actions.len();
                let plural = if actions == 1 { "" } else { "s" };
                Ok(ToolOutput::new(format!("{actions} action{plural}"), content))
            }
            Err(why) => {
                let why = format!("the workflow `{name}` has no output: {why}");
                self.pass(Event::Error(ErrorEvent {
                    code: "workflow".to_owned(),
                    content: why.clone(),
                    scope: ErrorScope::Tool,
                    retry: false,
                    at: None,
                }))
                .await;
                Err(ToolError::new(why))
            }
        }
    }

    /// The output of one action, or a JSON object of all.
    fn output(&self, workflow: &Workflow) -> Result<String, String> {
        let calls = || workflow.actions.iter().filter(|call| mode(call) != CallMode::FireAndForget);
        let value = |call: &Call| match self.ended.get(call.id()) {
            Some(CallEnd::Ok) => Some(self.plan.outcome(call.id())?.value()?.into_owned()),
            _ => None,
        };
        let Some(name) = &workflow.output else {
            let outputs = calls().map(|call| Some((output_name(call), value(call)?)));
            let outputs: Option<Vec<_>> = outputs.collect();
            return outputs.map(|outputs| object(&outputs)).ok_or_else(|| self.failed(workflow));
        };
        let call = calls().rfind(|call| output_key(call) == Some(name));
        let call = call.or_else(|| calls().rfind(|call| call.id() == name));
        let call = call.ok_or_else(|| format!("no action of it gives `{name}`"))?;
        value(call).map(|value| value.to_text()).ok_or_else(|| self.failed(workflow))
    }

    /// Which actions failed, and why.
    fn failed(&self, workflow: &Workflow) -> String {
        let failed = workflow.actions.iter().filter(|call| {
            self.ended.get(call.id()) == Some(&CallEnd::Failed)
                && mode(call) != CallMode::FireAndForget
        });
        let told = failed.map(|call| {
            let why = self
                .plan
                .outcome(call.id())
                .map(|outcome| outcome.content.text())
                .unwrap_or_default();
            format!("`{}` failed: {why}", call.id())
        });
        told.collect::<Vec<_>>().join("; ")
    }

    /// Stores events, all or none, and shows them.
    async fn store(&mut self, events: Vec<Event>) -> Result<(), ToolError> {
        if events.is_empty() {
            return Ok(());
        }
        self.count(events.len());
        let entries = self.log.append(TURN, events).await.map_err(|error| unstored(&error))?;
        show(self.context, entries.to_vec()).await;
        Ok(())
    }

    /// Whoever called the workflow stops it when there were too many.
    fn count(&self, events: usize) {
        if let Some(budget) = self.context.budget() {
            budget.add_events(events as u64);
        }
    }

    /// Shows an event that is not stored.
    async fn pass(&mut self, event: Event) {
        self.count(1);
        let entry = self.log.pass(TURN, event);
        show(self.context, vec![entry]).await;
    }
}

async fn show(context: &CallContext, entries: Vec<Entry>) {
    for entry in entries {
        context.inner(entry).await;
    }
}

fn unstored(error: &store::Error) -> ToolError {
    ToolError::new(format!("the workflow cannot go on: {error}"))
}

fn mode(call: &Call) -> CallMode {
    call.action().map(|action| action.mode).unwrap_or_default()
}

fn output_key(call: &Call) -> Option<&String> {
    call.action()?.output_key.as_ref()
}

/// What its output is called.
fn output_name(call: &Call) -> &str {
    output_key(call).map_or_else(|| call.id(), String::as_str)
}

fn object(members: &[(&str, Json)]) -> String {
    let members: Vec<_> =
        members.iter().map(|(name, value)| format!("{}:{value}", Json::string(name))).collect();
    format!("{{{}}}", members.join(","))
}
