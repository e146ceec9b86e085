use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt as _;
use silcrow_plan as plan;
use tokio::time::timeout;

use crate::context::Context;
use crate::fit::{Fit, Refusal, message};
use crate::tool::{Args, Failure, Preview};

/// Asks the tool of a call what the call would do. A panic is a failure, and so is a tool that
/// takes longer than its calls may.
pub(crate) async fn preview(
    ready: &plan::Ready,
    fit: &Fit,
    context: &Context,
    longest: Duration,
) -> Result<Preview, Refusal> {
    let args = Args::new(ready.args());
    let most = fit.policy.timeout.min(longest);
    let asked = async { timeout(most, fit.tool.preview(args, context)).await };
    match AssertUnwindSafe(asked).catch_unwind().await {
        Ok(Ok(Ok(preview))) => Ok(preview),
        Ok(Ok(Err(why))) => Err(Refusal::new("cannot be done", why)),
        Ok(Err(_)) => {
            let why = format!("it took longer than {} s to find out", most.as_secs_f64());
            Err(Refusal::new("timed out", Failure::new(why + " what the call would do")))
        }
        Err(payload) => {
            let why = format!("a panic before the call could start: {}", message(&*payload));
            Err(Refusal::new("panicked", Failure::new(why)))
        }
    }
}
