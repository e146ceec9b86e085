//! One attempt at a call, from the check of its approval to its outcome.
//!
//! ```text
//! fits its tool ─► approved, or needs no approval ─► checked once more ─► noted ─► runs ─► outcome
//! ```

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use silcrow_event::{CallResult, ResultOrigin, ResultStatus};
use silcrow_plan as plan;
use tokio::task::{JoinError, JoinSet};
use tokio::time::sleep;

use crate::approved::Approved;
use crate::cancellation::StopOnDrop;
use crate::context::CallContext;
use crate::fit::{Fit, Refusal, message};
use crate::journal::Journal;
use crate::preview::preview;
use crate::spill::{Spill, spilled};
use crate::tool::{Preview, ToolArgs, ToolError, ToolOutput, ToolPolicy};
use crate::update::CallOutcome;

/// A call that fits its tool.
#[derive(Clone)]
pub(crate) struct Call {
    pub(crate) ready: plan::ReadyCall,
    pub(crate) fit: Fit,
}

impl Call {
    /// Lets the call run unless its tool wants a person to be asked.
    pub(crate) fn without_approval(self) -> Clearance {
        match self.fit.policy.needs_approval {
            true => Clearance::Needed(self),
            false => Clearance::Given(Cleared { call: self, approved: None }),
        }
    }

    /// How long an attempt may take; none takes longer than `longest`.
    pub(crate) fn time_limit(&self, longest: Duration) -> Duration {
        self.ready.timeout().unwrap_or(self.fit.policy.timeout).min(longest)
    }

    /// How many attempts a yes to this one covers: more than one only where the tool declares that
    /// repeating a call is safe.
    pub(crate) fn attempts(&self) -> u32 {
        let policy = &self.fit.policy;
        match policy.idempotent || policy.read_only {
            true => self.ready.retries(policy.retries).saturating_add(1),
            false => 1,
        }
    }
}

/// A call that may run: either nobody needs to be asked, or these very arguments were approved.
pub(crate) struct Cleared {
    call: Call,
    /// `None` only if nobody needs to be asked.
    approved: Option<Approved>,
}

/// Whether a call may run without being approved.
pub(crate) enum Clearance {
    Given(Cleared),
    /// Somebody must be asked.
    Needed(Call),
}

/// The surroundings that the runner gives to every call.
pub(crate) struct CallResources {
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) spill: Option<Arc<dyn Spill>>,
    pub(crate) context: CallContext,
    pub(crate) longest: Duration,
}

/// How a tool's task ended.
type Joined = Option<Result<Result<ToolOutput, ToolError>, JoinError>>;

impl Cleared {
    pub(crate) const fn with_approval(call: Call, approved: Approved) -> Self {
        Self { call, approved: Some(approved) }
    }

    pub(crate) fn id(&self) -> &str {
        self.call.ready.id()
    }

    pub(crate) const fn policy(&self) -> &ToolPolicy {
        &self.call.fit.policy
    }

    /// What the call would do, as it was approved.
    pub(crate) fn approved(&self) -> Option<Preview> {
        Some(self.approved.as_ref()?.preview().clone())
    }

    /// Compares what is about to run with what was approved. A person may think for long, and what
    /// a path leads to may change meanwhile.
    async fn check(&self, context: &CallContext, longest: Duration) -> Result<(), Refusal> {
        let Some(approved) = &self.approved else { return Ok(()) };
        let now = preview(&self.call, context, longest).await?;
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

    /// Checks that it is what was approved, notes the start and runs the tool: the clock starts then, and a panic is an answer too
    /// (P-27). Whatever ends this future, the call's sign is up afterwards, so that a thread the
    /// tool started may stop.
    pub(crate) async fn run(self, means: CallResources) -> CallOutcome {
        let CallResources { journal, spill, context, longest } = means;
        let _stop = StopOnDrop(context.cancel().clone());
        if let Err(refusal) = self.check(&context, longest).await {
            return refusal.ended(&self.call.ready, context.output_cap());
        }
        let most = self.call.time_limit(longest);
        let Call { ready, fit: Fit { tool, policy } } = self.call;
        // It is started once, however many attempts it takes.
        if ready.attempt() == 1
            && let Err(why) = journal.starting(ready.id()).await
        {
            return Refusal::new("not started", why).ended(&ready, context.output_cap());
        }
        let (args, around) = (ready.args().to_owned(), context.clone());
        // A task of its own: the time runs out even if the tool never yields, and a panic stays
        // in there.
        let mut task = JoinSet::new();
        task.spawn(async move { tool.call(ToolArgs::new(&args), &around).await });
        let ended = tokio::select! {
            biased;
            ended = task.join_next() => given(ended),
            () = sleep(most) => {
                Err(CallFailure::framework(format!("timed out after {} s", most.as_secs_f64())))
            }
            idle = silence(policy.idle_timeout, &context) => {
                let idle = idle.as_secs_f64();
                Err(CallFailure::framework(format!("timed out: no progress for {idle} s")))
            }
        };
        drop(task);
        let (id, name) = (ready.id(), ready.name());
        let outcome = match ended {
            Ok(ToolOutput { summary, content, notices, truncated }) => {
                let (content, truncated) = spilled(content, truncated, &context, spill).await;
                CallResult::success(id, name, first_words(&summary), content)
                    .with_notices(few(notices))
                    .with_truncation(truncated)
            }
            Err(CallFailure { summary, words, origin }) => {
                let (words, truncated) = spilled(words.into(), None, &context, spill).await;
                let summary = summary.map_or_else(|| first_words(&words.text()), str::to_owned);
                let failure = match origin {
                    ResultOrigin::Tool => CallResult::failure,
                    ResultOrigin::Framework => CallResult::framework_failure,
                };
                failure(id, Some(name), summary, words).with_truncation(truncated)
            }
        };
        let failed = outcome.status() == ResultStatus::Failure;
        CallOutcome { id: id.to_owned(), outcome, retries: failed.then_some(policy.retries) }
    }
}

/// Waits for a silence of that length.
async fn silence(of: Option<Duration>, context: &CallContext) -> Duration {
    let Some(of) = of else { return pending().await };
    context.activity().silence(of).await;
    of
}

/// The failure of a call.
struct CallFailure {
    /// For a person, if it is not the beginning of the words.
    summary: Option<&'static str>,
    /// For the model.
    words: String,
    origin: ResultOrigin,
}

impl CallFailure {
    fn framework(words: String) -> Self {
        Self { summary: None, words, origin: ResultOrigin::Framework }
    }

    /// What the tool said, or what may hold some of it.
    fn tool(summary: Option<&'static str>, words: String) -> Self {
        Self { summary, words, origin: ResultOrigin::Tool }
    }
}

fn given(ended: Joined) -> Result<ToolOutput, CallFailure> {
    match ended {
        Some(Ok(Ok(output))) => Ok(output),
        Some(Ok(Err(why))) => Err(CallFailure::tool(None, why.into_words())),
        Some(Err(error)) if error.is_panic() => {
            let why = format!("the tool panicked: {}", message(&*error.into_panic()));
            Err(CallFailure::tool(Some("panicked"), why))
        }
        // Nobody aborts this task but its owner, and a set of one has one to join.
        Some(Err(_)) | None => {
            let why = CallFailure::framework("the tool was stopped".to_owned());
            Err(CallFailure { summary: Some("stopped"), ..why })
        }
    }
}

/// The first of the notices, as many as fit into 4 KiB.
fn few(notices: Vec<String>) -> Vec<String> {
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
