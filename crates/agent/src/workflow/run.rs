//! The run of a workflow, which drives a plan without a model.
//!
//! This module keeps the order of the log: everything that calls report is stored before another
//! call starts.

use std::collections::HashMap;
use std::sync::Arc;

use silcrow_accumulate::kept_block_result;
use silcrow_event::{
    CallEnd, CallMode, CallResult, Entry, ErrorEvent, ErrorOrigin, Event, Json, Parked,
    ResultStatus,
};
use silcrow_exec::{Budget, CallDriver, CallUpdate, DriverEvent, ToolCoverage};
use silcrow_plan::{ControlStep, Plan, PlanUpdate};
use silcrow_tool::{CallContext, Scope, ToolError, ToolOutput, Toolbox};

use super::Workflow;
use super::left_over::{TURN, end_changed, recover_calls, unstored};
use super::reported::reported_output;
use crate::current_tools::CurrentTools;
use crate::inner;
use crate::log::Log;
use crate::parts::AgentParts;
use crate::runner::{approval, give_answers, runner};
use crate::stored_turn::StoredTurn;

/// Runs a workflow's plan in a conversation that begins with these events.
pub(super) async fn run(
    workflow: Workflow,
    parts: Arc<AgentParts>,
    mut scope: Scope,
    plan: Plan,
    begin: Vec<Event>,
    context: CallContext,
) -> Result<ToolOutput, ToolError> {
    // An earlier process may have begun the workflow, which waits for answers or was killed.
    scope.conversation = Some(match inner::earlier_conversation(&*parts.store, &context).await? {
        Some(name) => name,
        None => inner::conversation(&*parts.store, &context).await?,
    });
    let hold = parts.store.hold(scope.conversation_id()).await.map_err(|error| unstored(&error))?;
    let ended = run_held(&workflow, &parts, &scope, plan, begin, &context).await;
    hold.release().await;
    ended
}

/// Runs a workflow whose conversation is held.
async fn run_held(
    workflow: &Workflow,
    parts: &AgentParts,
    scope: &Scope,
    plan: Plan,
    begin: Vec<Event>,
    context: &CallContext,
) -> Result<ToolOutput, ToolError> {
    let mut log = Log::open(parts, scope).await.map_err(|error| unstored(&error))?;
    let mut tools = CurrentTools::new(parts);
    tools.read(parts).await;
    let parked = recover_calls(&mut log, &Toolbox::new(), scope).await;
    let parked = parked.map_err(|error| unstored(&error))?;
    if StoredTurn::new(log.entries().to_vec()).has_others_than(&begin) {
        let ended = end_changed(parts, tools.all(), scope, &mut log).await;
        return Err(changed(&workflow.name, ended.map_err(|error| unstored(&error))?));
    }
    let mut plan = plan.with_undo_coverage(Arc::new(ToolCoverage::new(tools.all())));
    workflow.steps.iter().cloned().for_each(|step| plan.push_step(step));
    plan.end_text();
    let mut runner = runner(parts, tools.all(), scope, &log, TURN);
    for waiting in &parked {
        // At another root the same target is another thing.
        if waiting.parked.root == log.root() {
            give_answers(&mut runner, &waiting.answers);
        }
        waiting.parked.inside.iter().for_each(|id| runner.resume_call(id));
    }
    let unstarted = log.unstarted(TURN).await.map_err(|error| unstored(&error))?;
    let mut run = WorkflowRun {
        driver: CallDriver::new(plan, runner),
        context,
        stored: StoredTurn::new(log.entries().to_vec()).with_unstarted(unstarted),
        log,
        ended: HashMap::new(),
        rolled_back: Vec::new(),
        stopped: false,
    };
    run.store(begin).await?;
    run.go().await?;
    run.close(workflow).await
}

/// Returns the failure of a workflow whose steps differ from the steps that an earlier process began.
fn changed(name: &str, rolled_back: Option<String>) -> ToolError {
    let rolled_back = rolled_back.map_or_else(String::new, |report| format!(". {report}"));
    ToolError::new(format!(
        "the workflow `{name}` has changed since this call of it began, so it did not go on; the results of \
         its calls are in the log{rolled_back}"
    ))
}

/// The tool of the result of a transaction.
const TRANSACTION: &str = "transaction";

/// A running workflow.
struct WorkflowRun<'a> {
    driver: CallDriver,
    log: Log<'a>,
    /// The part of the workflow that an earlier process has done.
    stored: StoredTurn,
    context: &'a CallContext,
    ended: HashMap<String, CallEnd>,
    /// Reports about the transactions that did not succeed.
    rolled_back: Vec<String>,
    stopped: bool,
}

impl WorkflowRun<'_> {
    /// Runs until every call has ended, including those in the background.
    async fn go(&mut self) -> Result<(), ToolError> {
        self.settle().await?;
        while self.driver.plan().is_running() {
            if self.driver.is_parked() {
                return self.park().await;
            }
            tokio::select! {
                biased;
                () = self.context.cancellation().cancelled(), if !self.stopped => self.stop(),
                Some(event) = self.driver.next() => self.apply(event).await?,
            }
            self.settle().await?;
        }
        let mut left = Vec::new();
        let mut keep = |update| {
            if let CallUpdate::AgentEvent(entry) = update {
                left.push(*entry);
            }
        };
        self.driver.drain(&mut keep).await;
        show(self.context, left).await;
        Ok(())
    }

    /// Stores new instances of calls and the results of calls that have ended, and starts calls, until
    /// nothing is left to do.
    async fn settle(&mut self) -> Result<(), ToolError> {
        loop {
            let mut results = Vec::new();
            while let Some(update) = self.driver.plan_mut().next_update() {
                match update {
                    PlanUpdate::End { id, how } => {
                        results.extend(self.driver.plan().outcome(&id).cloned().map(Event::Result));
                        self.ended.insert(id, how);
                    }
                    PlanUpdate::BlockEnd { id, how } => {
                        results.extend(self.block_end(&id, how));
                        self.ended.insert(id, how);
                    }
                    PlanUpdate::Instance(call) => results.push(Event::Call(call)),
                    _ => {}
                }
            }
            self.store(results).await?;
            while let Some(decision) = self.driver.plan_mut().decide() {
                if !self.stored.take_decision(&decision, self.driver.plan_mut()) {
                    self.driver.carry_out(decision);
                }
            }
            if !self.driver.plan().has_updates() && !self.stored.finish_next(self.driver.plan_mut())
            {
                return Ok(());
            }
        }
    }

    /// Returns the result that a log has of a block that has ended.
    fn block_end(&mut self, id: &str, how: CallEnd) -> Option<Event> {
        let outcome = self.driver.plan().outcome(id)?;
        if outcome.tool() == Some(TRANSACTION) && outcome.status() != ResultStatus::Success {
            self.rolled_back.push(format!("`{id}`: {}", outcome.failure_text()));
        }
        kept_block_result(id, how, outcome)
    }

    /// Stores the questions for whose answers the workflow waits, and ends the attempt.
    async fn park(&mut self) -> Result<(), ToolError> {
        let (questions, inside) =
            (self.driver.open_questions(), self.driver.parked_calls().to_vec());
        let root = self.log.root().to_owned();
        let (wire, dialect) = (String::new(), String::new());
        let families = Vec::new();
        let parked = Parked { wire, dialect, inline: false, families, root, questions, inside };
        self.store(vec![Event::Parked(parked)]).await?;
        Err(ToolError::parked("the workflow waits for a person's answer"))
    }

    async fn apply(&mut self, event: DriverEvent) -> Result<(), ToolError> {
        match event {
            DriverEvent::Reported(CallUpdate::Progress(progress)) => {
                self.pass(Event::Progress(progress)).await;
            }
            DriverEvent::Reported(CallUpdate::Changed(changes)) => {
                self.pass(Event::Changes(changes)).await;
            }
            DriverEvent::Reported(CallUpdate::AgentEvent(entry)) => {
                self.context.report_event(*entry).await
            }
            DriverEvent::Reported(update) => {
                self.store(approval(update).into_iter().collect()).await?;
            }
            _ => {}
        }
        Ok(())
    }

    fn stop(&mut self) {
        self.stopped = true;
        self.driver.cancel("cancelled", "cancelled: the workflow was stopped");
    }

    /// Stores the last event of the workflow and returns its output.
    async fn close(&mut self, workflow: &Workflow) -> Result<ToolOutput, ToolError> {
        let name = &workflow.name;
        if self.stopped {
            let mut reason = format!("the workflow `{name}` was stopped");
            for transaction in &self.rolled_back {
                reason.push_str("; ");
                reason.push_str(transaction);
            }
            self.pass(Event::Interrupt { reason: reason.clone() }).await;
            self.store(vec![Event::Cancelled { content: reason.clone() }]).await?;
            return Err(ToolError::new(reason));
        }
        match self.output(workflow) {
            Ok(content) => {
                self.store(vec![Event::respond(&*content)]).await?;
                self.pass(Event::End).await;
                Ok(reported_output(&workflow.steps, self.driver.plan(), &self.ended, content))
            }
            Err(why) => {
                let why = format!("the workflow `{name}` has no output: {why}");
                self.pass(Event::Error(ErrorEvent {
                    code: "workflow".to_owned(),
                    content: why.clone(),
                    origin: ErrorOrigin::Tool,
                    retry: false,
                    at: None,
                }))
                .await;
                Err(ToolError::new(why))
            }
        }
    }

    /// Returns the output of the chosen action or block, or a JSON object with all outputs.
    fn output(&self, workflow: &Workflow) -> Result<String, String> {
        let steps = || workflow.steps.iter().filter(|step| is_awaited(step));
        let value = |step: &ControlStep| match self.ended.get(step.id()) {
            Some(CallEnd::Ok) => Some(self.driver.plan().outcome(step.id())?.value()?.into_owned()),
            _ => None,
        };
        let Some(name) = &workflow.output else {
            let outputs = steps().map(|step| Some((output_name(step), value(step)?)));
            let outputs: Option<Vec<_>> = outputs.collect();
            return outputs.map(|outputs| object(&outputs)).ok_or_else(|| self.failed(workflow));
        };
        let step = steps().rfind(|step| output_key(step) == Some(name));
        let step = step.or_else(|| steps().rfind(|step| step.id() == name));
        let step = step.ok_or_else(|| format!("no action of it gives `{name}`"))?;
        value(step).map(|value| value.to_text()).ok_or_else(|| self.failed(workflow))
    }

    /// Returns a sentence about the actions and blocks that failed, with their reasons.
    fn failed(&self, workflow: &Workflow) -> String {
        let failed = workflow
            .steps
            .iter()
            .filter(|step| self.ended.get(step.id()) == Some(&CallEnd::Failed) && is_awaited(step));
        let reasons = failed.map(|step| {
            let why = self
                .driver
                .plan()
                .outcome(step.id())
                .map(CallResult::failure_text)
                .unwrap_or_default();
            format!("`{}` failed: {why}", step.id())
        });
        reasons.collect::<Vec<_>>().join("; ")
    }

    /// Stores all events that are not stored yet, or none, and then shows them.
    async fn store(&mut self, mut events: Vec<Event>) -> Result<(), ToolError> {
        events.retain(|event| self.stored.take(event).is_none());
        if events.is_empty() {
            return Ok(());
        }
        self.count(events.len());
        let entries = self.log.append(TURN, events).await.map_err(|error| unstored(&error))?;
        show(self.context, entries.to_vec()).await;
        Ok(())
    }

    /// Counts events toward the budget, whose limit the caller of the workflow enforces.
    fn count(&self, events: usize) {
        if let Some(budget) = Budget::from_scope(self.context.scope()) {
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
        context.report_event(entry).await;
    }
}

/// Returns whether the workflow waits for a step.
fn is_awaited(step: &ControlStep) -> bool {
    match step {
        ControlStep::Call(call) => {
            call.action().is_none_or(|action| action.mode != CallMode::FireAndForget)
        }
        _ => true,
    }
}

fn output_key(step: &ControlStep) -> Option<&String> {
    match step {
        ControlStep::Call(call) => call.action()?.output_key.as_ref(),
        ControlStep::Block { block, .. } => block.output_key.as_ref(),
        _ => None,
    }
}

/// Returns the name of a step's output.
fn output_name(step: &ControlStep) -> &str {
    output_key(step).map_or_else(|| step.id(), String::as_str)
}

fn object(members: &[(&str, Json)]) -> String {
    let members: Vec<_> =
        members.iter().map(|(name, value)| format!("{}:{value}", Json::string(name))).collect();
    format!("{{{}}}", members.join(","))
}
