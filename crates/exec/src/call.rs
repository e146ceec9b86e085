use std::any::Any;
use std::sync::Arc;

use silcrow_event::Outcome;
use silcrow_plan as plan;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::cancel::Cancel;
use crate::journal::Journal;
use crate::tool::{Args, Context, Failure, Output, Policy, Tool};

/// A call that fits its tool.
pub(crate) struct Call {
    pub(crate) ready: plan::Ready,
    pub(crate) tool: Arc<dyn Tool>,
    pub(crate) policy: Policy,
    pub(crate) conversation: String,
}

impl Call {
    /// Notes the start and runs the tool: the clock starts then, and a panic is an answer too (P-27). Whatever ends
    /// this future, `cancel` is up afterwards, so that a thread the tool started may stop.
    pub(crate) async fn run(
        self,
        journal: Arc<dyn Journal>,
        cancel: Cancel,
        output_cap: usize,
    ) -> Ended {
        let Self { ready, tool, policy, conversation } = self;
        let stop = StopOnDrop(cancel);
        if let Err(why) = journal.starting(ready.id()).await {
            return refused(&ready, "not started", &why, output_cap);
        }
        let context = Context { conversation, call: ready.id().to_owned(), cancel: stop.0.clone() };
        let args = ready.args().to_owned();
        // A task of its own: the time runs out even if the tool never yields, and a panic stays
        // in there.
        let mut task = JoinSet::new();
        task.spawn(async move { tool.call(Args::new(&args), &context).await });
        let ended = timeout(policy.timeout, task.join_next()).await;

        let (id, name) = (ready.id(), ready.name());
        let outcome = match ended {
            Ok(Some(Ok(Ok(Output { summary, content })))) => {
                Outcome::success(id, name, summary, capped(content, output_cap))
            }
            Ok(Some(Ok(Err(failure)))) => {
                let why = capped(failure.to_string(), output_cap);
                Outcome::failure(id, Some(name), first_words(&why), why)
            }
            Ok(Some(Err(error))) if error.is_panic() => {
                let payload = error.into_panic();
                let why = format!("the tool panicked: {}", message(&*payload));
                let why = capped(why, output_cap);
                Outcome::failure(id, Some(name), "panicked", why)
            }
            // Nobody aborts this task but its owner, and a set of one has one to join.
            Ok(Some(Err(_)) | None) => {
                Outcome::failure(id, Some(name), "stopped", "the tool was stopped")
            }
            Err(_) => {
                let why = format!("timed out after {} s", policy.timeout.as_secs_f64());
                Outcome::failure(id, Some(name), why.clone(), why)
            }
        };
        (id.to_owned(), outcome)
    }
}

/// A call's id and what came of it.
pub(crate) type Ended = (String, Outcome);

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
    (ready.id().to_owned(), outcome)
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
