use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::call::Call;
use crate::cancel::StopOnDrop;
use crate::context::Context;
use crate::fit::{Refusal, message};
use crate::tool::{Args, Failure, Preview};

/// Asks the tool of a call what the call would do. A panic is a failure, and so is a tool that
/// takes longer than its calls may. Whatever ends this future, the preview's sign is up afterwards.
pub(crate) async fn preview(
    Call { ready, fit }: &Call,
    context: &Context,
    longest: Duration,
) -> Result<Preview, Refusal> {
    let (tool, args) = (fit.tool.clone(), ready.args().to_owned());
    let context = context.clone().under(context.cancel().child());
    let _stop = StopOnDrop(context.cancel().clone());
    let most = fit.policy.timeout.min(longest);
    // A task of its own: the time runs out even if the tool never yields.
    let mut task = JoinSet::new();
    task.spawn(async move { tool.preview(Args::new(&args), &context).await });
    let ended = tokio::select! {
        biased;
        ended = task.join_next() => ended,
        () = sleep(most) => {
            let why = format!("it took longer than {} s to find out", most.as_secs_f64());
            let why = Failure::new(why + " what the call would do");
            return Err(Refusal::new("timed out", why));
        }
    };
    match ended {
        Some(Ok(Ok(preview))) => Ok(preview),
        Some(Ok(Err(why))) => Err(Refusal::by_tool("cannot be done", why)),
        Some(Err(error)) if error.is_panic() => {
            let payload = error.into_panic();
            let why = format!("a panic before the call could start: {}", message(&*payload));
            Err(Refusal::by_tool("panicked", Failure::new(why)))
        }
        // Nobody aborts this task but its owner, and a set of one has one to join.
        Some(Err(_)) | None => {
            Err(Refusal::new("stopped", Failure::new("the tool was stopped before the call")))
        }
    }
}
