//! One attempt at a call, from the check of its approval to its outcome.
//!
//! ```text
//! fits its tool ─► approved, or free to run ─► checked again ─► in the journal ─► runs ─► outcome
//! ```

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use silcrow_event::{CallResult, ResultOrigin, ResultStatus};
use silcrow_plan as plan;
use silcrow_tool::{
    ApprovalNeed, CallContext, Preview, Scope, Spill, ToolArgs, ToolError, ToolOutput, ToolPolicy,
};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tracing::Instrument as _;

use crate::approved::Approved;
use crate::attempt_host::AttemptHost;
use crate::call_failure::{CallFailure, attempt_result};
use crate::call_terms::CallTerms;
use crate::journal::Journal;
use crate::masked::{mask_result, mask_text, masked_output};
use crate::matched_tool::{MatchedTool, Refusal};
use crate::preview::preview;
use crate::recorded::RecordedResults;
use crate::spilled::spilled;
use crate::stop_on_drop::StopOnDrop;
use crate::trace;
use crate::update::CallOutcome;
use crate::wall::WallCaller;

/// A call that fits its tool.
#[derive(Clone)]
pub(crate) struct CheckedCall {
    pub(crate) ready: plan::ReadyCall,
    pub(crate) matched: MatchedTool,
}

impl CheckedCall {
    /// Lets the call run unless it has to be previewed first, because its tool or the
    /// [`Permissions`](crate::Permissions) want that. In a replay the call gets its recorded result,
    /// and a person is asked about every call without one.
    pub(crate) fn without_approval(
        self,
        recorded: Option<&RecordedResults>,
        has_permissions: bool,
    ) -> Clearance {
        let ready = |call, recorded| RunnableCall { call, approved: None, recorded };
        let Self { ready: call, matched: MatchedTool { policy, .. } } = &self;
        match recorded {
            Some(results) => match results.take(call, policy) {
                Some(result) => Clearance::Given(ready(self, Some(result))),
                None => Clearance::Needed(self),
            },
            None if has_permissions || policy.approval != ApprovalNeed::Never => {
                Clearance::Needed(self)
            }
            None => Clearance::Given(ready(self, None)),
        }
    }

    /// Returns the time limit of an attempt, which is at most `max_timeout`.
    pub(crate) fn time_limit(&self, max_timeout: Duration) -> Duration {
        self.ready.timeout().unwrap_or(self.matched.policy.timeout).min(max_timeout)
    }

    /// Returns the number of attempts that an approval of this one covers. It is more than one only
    /// if the tool declares that repeating a call is safe.
    pub(crate) fn attempts(&self) -> u32 {
        let policy = &self.matched.policy;
        match policy.idempotent || policy.read_only {
            true => self.ready.retries(policy.retries).saturating_add(1),
            false => 1,
        }
    }
}

/// A call that may run: it was not looked at, or exactly these arguments were approved.
pub(crate) struct RunnableCall {
    call: CheckedCall,
    /// The approval, by a person or by permissions; `None` only if nobody had to look.
    approved: Option<Approved>,
    /// The result to return instead of running.
    recorded: Option<CallResult>,
}

/// Whether a call may run without being approved.
pub(crate) enum Clearance {
    /// The call runs.
    Given(RunnableCall),
    /// The call is previewed, and then allowed, asked about or denied.
    Needed(CheckedCall),
}

/// The parts of a runner that a call uses.
pub(crate) struct CallResources {
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) spill: Option<Arc<dyn Spill>>,
    pub(crate) recorded: Option<Arc<RecordedResults>>,
    pub(crate) context: CallContext,
    /// The host of the context.
    pub(crate) host: Arc<AttemptHost>,
    pub(crate) max_timeout: Duration,
    pub(crate) reports_start: bool,
}

/// The end of an attempt.
pub(crate) enum AttemptEnd {
    /// It has an outcome.
    Ended(CallOutcome),
    /// The call waits for answers to questions of calls inside it.
    Parked {
        /// The call's id.
        id: String,
    },
}

impl RunnableCall {
    pub(crate) const fn with_approval(call: CheckedCall, approved: Approved) -> Self {
        Self { call, approved: Some(approved), recorded: None }
    }

    /// Creates the call by which a tool takes back its changes.
    pub(crate) const fn undoing(call: CheckedCall) -> Self {
        Self { call, approved: None, recorded: None }
    }

    pub(crate) fn id(&self) -> &str {
        self.call.ready.id()
    }

    /// Returns whether the call is in a transaction.
    pub(crate) fn is_in_transaction(&self) -> bool {
        self.call.ready.is_in_transaction()
    }

    pub(crate) const fn policy(&self) -> &ToolPolicy {
        &self.call.matched.policy
    }

    /// Returns the preview that was approved, if there was one.
    pub(crate) fn approved(&self) -> Option<Preview> {
        Some(self.approved.as_ref()?.preview().clone())
    }

    /// Returns the terms of the call.
    pub(crate) fn terms(&self) -> CallTerms {
        self.approved.as_ref().map(Approved::terms).cloned().unwrap_or_default()
    }

    /// Returns the call as a question at the wall shows it.
    pub(crate) fn at_wall(&self, scope: Scope, max_timeout: Duration) -> WallCaller {
        let CheckedCall { ready, matched } = &self.call;
        let preview = self.approved().unwrap_or_else(|| Preview::new(ready.args()));
        let (time_limit, policy) = (self.call.time_limit(max_timeout), matched.policy);
        let rule_name = matched.tool.rule_name().to_owned();
        WallCaller { ready: ready.clone(), rule_name, policy, preview, scope, time_limit }
    }

    /// Compares the call with its approval once more. A person may take long to answer, and a path
    /// may lead elsewhere by then.
    async fn check(&self, context: &CallContext, max_timeout: Duration) -> Result<(), Refusal> {
        let Some(approved) = &self.approved else { return Ok(()) };
        let now = preview(&self.call, context, max_timeout).await?;
        if approved.covers(self.call.ready.args(), &now) {
            return Ok(());
        }
        let what = |preview: &Preview| preview.target.clone().unwrap_or_else(|| "unknown".into());
        let (then, now) = (what(approved.preview()), what(&now));
        let why = format!(
            "not started: what this call acts on has changed since it was approved (approved: \
             {then}; now: {now}); call it again to have it approved again"
        );
        Err(Refusal::by_tool("changed since it was approved", ToolError::new(why)))
    }

    /// Compares the call with its approval, writes its start to the journal, and runs the tool. The
    /// time limit begins with the tool, and a panic of the tool is an outcome (P-27). However this
    /// future ends, the call's token is cancelled afterwards, so that a thread of the tool can
    /// stop.
    pub(crate) async fn run(mut self, resources: CallResources) -> AttemptEnd {
        let CallResources { journal, spill, recorded, context, host, max_timeout, reports_start } =
            resources;
        let _stop = StopOnDrop(context.cancellation().clone());
        if let (Some(result), Some(recorded)) = (self.recorded.take(), recorded) {
            host.report_recorded().await;
            let ended = recall(result, recorded.conversation(), &context, spill).await;
            return AttemptEnd::Ended(ended);
        }
        if let Err(refusal) = self.check(&context, max_timeout).await {
            let secrets = &context.scope().secrets;
            let ended = refusal.ended(&self.call.ready, context.output_cap(), secrets);
            return AttemptEnd::Ended(ended);
        }
        let most = self.call.time_limit(max_timeout);
        let CheckedCall { ready, matched: MatchedTool { tool, policy } } = self.call;
        // A call starts once, even if several attempts follow or another process continues it.
        if ready.attempt() == 1
            && !context.scope().is_repeated
            && let Err(why) = starting(&*journal, &ready).await
        {
            // The record may say that another process has started it.
            let refusal = Refusal::new("not started here", why);
            let secrets = &context.scope().secrets;
            return AttemptEnd::Ended(refusal.ended(&ready, context.output_cap(), secrets));
        }
        // From here on the call may do something. Before its start is recorded it does not.
        host.begin();
        if reports_start {
            host.report_start(ready.attempt(), ready.args()).await;
        }
        let (args, around) = (ready.args().to_owned(), context.clone());
        // The tool runs in a separate task, so that it times out even if it never yields, and so
        // that a panic ends only that task.
        let mut task = JoinSet::new();
        let (span, begun) = (trace::call_span(&ready), Instant::now());
        let undone = ready.undoes().filter(|undone| undone.is_by_tool);
        let undone = undone.map(|undone| undone.id.clone());
        let called = async move {
            match undone {
                Some(id) => tool.undo(&id, &around).await,
                None => tool.call(ToolArgs::new(&args), &around).await,
            }
        };
        task.spawn(called.instrument(span.clone()));
        let ended = tokio::select! {
            biased;
            ended = task.join_next() => attempt_result(ended),
            () = context.has_run_for(most) => {
                Err(CallFailure::framework(format!("timed out after {} s", most.as_secs_f64())))
            }
            idle = idle(policy.idle_timeout, &host) => {
                let idle = idle.as_secs_f64();
                Err(CallFailure::framework(format!("timed out: no progress for {idle} s")))
            }
        };
        drop(task);
        host.finish_progress().await;
        if matches!(&ended, Err(failure) if failure.is_parked) {
            return AttemptEnd::Parked { id: ready.id().to_owned() };
        }
        let (id, name) = (ready.id(), ready.name());
        let secrets = &context.scope().secrets;
        let outcome = match ended.map(|output| masked_output(output, secrets)) {
            Ok(ToolOutput {
                summary,
                content,
                notices,
                truncated,
                value,
                has_failed,
                changes,
                ..
            }) => {
                host.report_changes(changes).await;
                let (content, truncated) = spilled(content, truncated, &context, spill).await;
                let summary = first_words(&summary);
                let result = match has_failed {
                    false => CallResult::success(id, name, summary, content),
                    true => CallResult::failure(id, Some(name), summary, content),
                };
                result
                    .with_notices(first_notices(notices))
                    .with_truncation(truncated)
                    .with_value(value)
            }
            Err(CallFailure { summary, mut words, origin, .. }) => {
                mask_text(&mut words, secrets);
                let (words, truncated) = spilled(words.into(), None, &context, spill).await;
                let summary = summary.map_or_else(|| first_words(&words.text()), str::to_owned);
                let failure = match origin {
                    ResultOrigin::Tool => CallResult::failure,
                    ResultOrigin::Framework => CallResult::framework_failure,
                };
                failure(id, Some(name), summary, words).with_truncation(truncated)
            }
        };
        let (status, bytes) = (outcome.status(), outcome.content.text().len());
        span.in_scope(|| trace::call_ended(status, bytes, begun.elapsed()));
        let failed = status == ResultStatus::Failure;
        let retries = failed.then_some(policy.retries);
        AttemptEnd::Ended(CallOutcome { id: id.to_owned(), outcome, retries, has_run: true })
    }
}

/// Writes the start of a call to the journal. One that takes another back may start again in a later
/// process, so its start says nothing.
async fn starting(journal: &dyn Journal, ready: &plan::ReadyCall) -> Result<(), ToolError> {
    match ready.undo() {
        _ if ready.undoes().is_some() => Ok(()),
        Some(undo) => journal.starting_in_transaction(ready.id(), undo).await,
        None => journal.starting(ready.id()).await,
    }
}

/// Ends a call with a recorded result. A whole output that is kept elsewhere is kept for it, too.
async fn recall(
    mut result: CallResult,
    conversation: &str,
    context: &CallContext,
    spill: Option<Arc<dyn Spill>>,
) -> CallOutcome {
    mask_result(&mut result, &context.scope().secrets);
    let gap = result.payload.as_mut().and_then(|payload| payload.truncated.as_deref_mut());
    if let Some(gap) = gap
        && let Some(name) = gap.full_output.take()
        && let Some(spill) = spill
    {
        // Without the whole output, the model still reads its two ends.
        gap.full_output = spill.adopt(context, conversation, &name).await.unwrap_or_default();
    }
    CallOutcome { id: context.call_id().to_owned(), outcome: result, retries: None, has_run: true }
}

/// Waits until the call has been idle for as long as its limit, and returns the limit. Waits forever
/// without one.
async fn idle(limit: Option<Duration>, host: &AttemptHost) -> Duration {
    let Some(limit) = limit else { return pending().await };
    host.activity().idle(limit).await;
    limit
}

/// Returns the first notices, as many as fit into 4 KiB.
fn first_notices(notices: Vec<String>) -> Vec<String> {
    const MAX: usize = 4 << 10;
    let mut room = MAX;
    let fits = |notice: &String| {
        let left = room.checked_sub(notice.len());
        room = left.unwrap_or(room);
        left.is_some()
    };
    notices.into_iter().take_while(fits).collect()
}

/// Returns the first line, or the beginning of it: a summary for a person.
fn first_words(text: &str) -> String {
    const MAX: usize = 200;
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(MAX) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line.to_owned(),
    }
}
