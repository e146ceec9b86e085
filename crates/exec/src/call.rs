use std::any::Any;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use silcrow_event::{Outcome, Status};
use silcrow_plan as plan;
use tokio::sync::Notify;
use tokio::task::{JoinError, JoinSet};
use tokio::time::sleep;

use crate::cancel::Cancel;
use crate::context::Context;
use crate::journal::Journal;
use crate::news::Ended;
use crate::tool::{Args, Failure, Output, Policy, Tool};

/// A call that fits its tool.
pub(crate) struct Call {
    pub(crate) ready: plan::Ready,
    pub(crate) tool: Arc<dyn Tool>,
    pub(crate) policy: Policy,
    /// What a yes for the conversation covers.
    pub(crate) covers: String,
}

/// What the runner gives every call.
pub(crate) struct Means {
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) context: Context,
    pub(crate) output_cap: usize,
    pub(crate) longest: Duration,
}

/// How a tool's task ended.
type Joined = Option<Result<Result<Output, Failure>, JoinError>>;

impl Call {
    /// Notes the start and runs the tool: the clock starts then, and a panic is an answer too
    /// (P-27). Whatever ends this future, the call's sign is up afterwards, so that a thread the
    /// tool started may stop.
    pub(crate) async fn run(self, means: Means) -> Ended {
        let Self { ready, tool, policy, .. } = self;
        let Means { journal, context, output_cap, longest } = means;
        let cap = policy.output_cap.unwrap_or(output_cap).min(output_cap);
        let _stop = StopOnDrop(context.cancel().clone());
        // It is started once, however many attempts it takes.
        if ready.attempt() == 1
            && let Err(why) = journal.starting(ready.id()).await
        {
            return refused(&ready, "not started", &why, cap);
        }
        let alive = Arc::clone(&context.alive);
        let args = ready.args().to_owned();
        // A task of its own: the time runs out even if the tool never yields, and a panic stays
        // in there.
        let mut task = JoinSet::new();
        task.spawn(async move { tool.call(Args::new(&args), &context).await });
        let most = ready.timeout().unwrap_or(policy.timeout).min(longest);
        let ended = tokio::select! {
            biased;
            ended = task.join_next() => Ok(ended),
            () = sleep(most) => Err(format!("timed out after {} s", most.as_secs_f64())),
            idle = silence(policy.idle_timeout, &alive) => {
                Err(format!("timed out: no progress for {} s", idle.as_secs_f64()))
            }
        };
        let outcome = outcome(&ready, ended, cap);
        let failed = outcome.status() == Status::Failure;
        Ended { id: ready.id().to_owned(), outcome, retries: failed.then_some(policy.retries) }
    }
}

/// Waits for a silence of that length.
async fn silence(of: Option<Duration>, alive: &Notify) -> Duration {
    let Some(most) = of else { return pending().await };
    loop {
        tokio::select! {
            biased;
            () = alive.notified() => {}
            () = sleep(most) => return most,
        }
    }
}

/// What came of it, in words for the model.
fn outcome(ready: &plan::Ready, ended: Result<Joined, String>, cap: usize) -> Outcome {
    let (id, name) = (ready.id(), ready.name());
    let failure = |summary: String, why: String| Outcome::failure(id, Some(name), summary, why);
    match ended {
        Ok(Some(Ok(Ok(Output { summary, content })))) => {
            Outcome::success(id, name, summary, capped(content, cap))
        }
        Ok(Some(Ok(Err(why)))) => {
            let why = capped(why.to_string(), cap);
            failure(first_words(&why), why)
        }
        Ok(Some(Err(error))) if error.is_panic() => {
            let payload = error.into_panic();
            let why = format!("the tool panicked: {}", message(&*payload));
            failure("panicked".to_owned(), capped(why, cap))
        }
        // Nobody aborts this task but its owner, and a set of one has one to join.
        Ok(Some(Err(_)) | None) => failure("stopped".to_owned(), "the tool was stopped".to_owned()),
        Err(late) => failure(late.clone(), late),
    }
}

struct StopOnDrop(Cancel);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.trigger();
    }
}

/// An answer for a call that did not come to run.
pub(crate) fn refused(ready: &plan::Ready, summary: &str, why: &Failure, cap: usize) -> Ended {
    let why = capped(why.to_string(), cap);
    let outcome = Outcome::failure(ready.id(), Some(ready.name()), summary, why);
    Ended { id: ready.id().to_owned(), outcome, retries: None }
}

/// What was said in a panic.
pub(crate) fn message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("(without a message)")
}

/// At most `cap` bytes of the text, and then a line that says how many are missing.
fn capped(mut text: String, cap: usize) -> String {
    if text.len() <= cap {
        return text;
    }
    let kept = text.floor_char_boundary(cap);
    let left = text.len() - kept;
    text.truncate(kept);
    text.push_str(if text.ends_with('\n') { "" } else { "\n" });
    text.push_str(&format!("[the output was too long: {left} more bytes were left out]"));
    text.shrink_to_fit();
    text
}

/// The first line, or the beginning of it: a summary for a person.
fn first_words(text: &str) -> String {
    const MAX: usize = 80;
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(MAX) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line.to_owned(),
    }
}
