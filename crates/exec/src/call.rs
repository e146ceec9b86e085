use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use silcrow_event::{Outcome, Status};
use silcrow_plan as plan;
use tokio::task::{JoinError, JoinSet};
use tokio::time::sleep;

use crate::cancel::Cancel;
use crate::context::Context;
use crate::fit::{Fit, Refusal, message};
use crate::journal::Journal;
use crate::news::Ended;
use crate::spill::{Spill, spilled};
use crate::tool::{Args, Failure, Output, Preview};

/// A call that fits its tool.
#[derive(Clone)]
pub(crate) struct Call {
    pub(crate) ready: plan::Ready,
    pub(crate) fit: Fit,
    /// What somebody said yes to, if anybody had to.
    pub(crate) approved: Option<Preview>,
}

/// What the runner gives every call.
pub(crate) struct Means {
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) spill: Option<Arc<dyn Spill>>,
    pub(crate) context: Context,
    pub(crate) longest: Duration,
}

/// How a tool's task ended.
type Joined = Option<Result<Result<Output, Failure>, JoinError>>;

impl Call {
    /// Notes the start and runs the tool: the clock starts then, and a panic is an answer too
    /// (P-27). Whatever ends this future, the call's sign is up afterwards, so that a thread the
    /// tool started may stop.
    pub(crate) async fn run(self, means: Means) -> Ended {
        let Self { ready, fit: Fit { tool, policy, .. }, approved } = self;
        let Means { journal, spill, context, longest } = means;
        let context = context.with_approved(approved);
        let _stop = StopOnDrop(context.cancel().clone());
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
        task.spawn(async move { tool.call(Args::new(&args), &around).await });
        let most = ready.timeout().unwrap_or(policy.timeout).min(longest);
        let ended = tokio::select! {
            biased;
            ended = task.join_next() => given(ended),
            () = sleep(most) => Err((None, format!("timed out after {} s", most.as_secs_f64()))),
            idle = silence(policy.idle_timeout, &context) => {
                Err((None, format!("timed out: no progress for {} s", idle.as_secs_f64())))
            }
        };
        drop(task);
        let (id, name) = (ready.id(), ready.name());
        let outcome = match ended {
            Ok(Output { summary, content }) => {
                let content = spilled(content, &context, spill).await;
                Outcome::success(id, name, first_words(&summary), content)
            }
            Err((summary, why)) => {
                let why = spilled(why, &context, spill).await;
                let summary = summary.map_or_else(|| first_words(&why), str::to_owned);
                Outcome::failure(id, Some(name), summary, why)
            }
        };
        let failed = outcome.status() == Status::Failure;
        Ended { id: id.to_owned(), outcome, retries: failed.then_some(policy.retries) }
    }
}

/// Waits for a silence of that length.
async fn silence(of: Option<Duration>, context: &Context) -> Duration {
    let Some(of) = of else { return pending().await };
    context.pulse().silence(of).await;
    of
}

/// A summary for a person, if it is not the beginning of what the model reads, and that.
type Why = (Option<&'static str>, String);

fn given(ended: Joined) -> Result<Output, Why> {
    match ended {
        Some(Ok(Ok(output))) => Ok(output),
        Some(Ok(Err(why))) => Err((None, why.into_words())),
        Some(Err(error)) if error.is_panic() => {
            let why = format!("the tool panicked: {}", message(&*error.into_panic()));
            Err((Some("panicked"), why))
        }
        // Nobody aborts this task but its owner, and a set of one has one to join.
        Some(Err(_)) | None => Err((Some("stopped"), "the tool was stopped".to_owned())),
    }
}

struct StopOnDrop(Cancel);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.trigger();
    }
}

/// The first line, or the beginning of it: a summary for a person.
fn first_words(text: &str) -> String {
    const MAX: usize = 200;
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(MAX) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line.to_owned(),
    }
}
