//! Asks a tool for the effect of a call, within the limits of the call.

use std::time::Duration;

use silcrow_sanitize::Secrets;
use silcrow_tool::{CallContext, Preview, ToolArgs, ToolError};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::call::CheckedCall;
use crate::masked::mask_text;
use crate::matched_tool::{Refusal, panic_message};
use crate::stop_on_drop::StopOnDrop;

/// Asks the tool of a call for the effect of the call. A panic is a failure, and so is a tool that
/// takes longer than its calls may. However this future ends, the preview's token is cancelled
/// afterwards.
pub(crate) async fn preview(
    CheckedCall { ready, matched }: &CheckedCall,
    context: &CallContext,
    max_timeout: Duration,
) -> Result<Preview, Refusal> {
    let (tool, args) = (matched.tool.clone(), ready.args().to_owned());
    let context = context.clone().with_cancellation(context.cancellation().child_token());
    let _stop = StopOnDrop(context.cancellation().clone());
    let most = matched.policy.timeout.min(max_timeout);
    // The tool runs in a separate task, so that it times out even if it never yields.
    let mut task = JoinSet::new();
    task.spawn({
        let context = context.clone();
        async move { tool.preview(ToolArgs::new(&args), &context).await }
    });
    let ended = tokio::select! {
        biased;
        ended = task.join_next() => ended,
        () = sleep(most) => {
            let why = format!("it took longer than {} s to find out", most.as_secs_f64());
            let why = ToolError::new(why + " what the call would do");
            return Err(Refusal::new("timed out", why));
        }
    };
    match ended {
        Some(Ok(Ok(preview))) => Ok(shown(preview, &context.scope().secrets)),
        Some(Ok(Err(why))) => Err(Refusal::by_tool("cannot be done", why)),
        Some(Err(error)) if error.is_panic() => {
            let payload = error.into_panic();
            let why = format!("a panic before the call could start: {}", panic_message(&*payload));
            Err(Refusal::by_tool("panicked", ToolError::new(why)))
        }
        // Only the owner of the task aborts it, and there is one task to join.
        Some(Err(_)) | None => {
            Err(Refusal::new("stopped", ToolError::new("the tool was stopped before the call")))
        }
    }
}

/// Returns the preview as a person and the log get it: secrets are masked, and a difference that is
/// too long to be read is left out.
fn shown(mut preview: Preview, secrets: &Secrets) -> Preview {
    if let Some(diff) = &mut preview.diff {
        let length: usize = diff.files.iter().map(|file| file.path.len() + file.hunks.len()).sum();
        if length > MAX_DIFF {
            preview.diff = None;
            let effect = preview.effect.unwrap_or_else(|| "changes files".to_owned());
            preview.effect = Some(format!("{effect}; the difference is too long to show"));
        } else if !secrets.is_empty() {
            for file in &mut diff.files {
                mask_text(&mut file.hunks, secrets);
            }
        }
    }
    if let Some(effect) = &mut preview.effect {
        mask_text(effect, secrets);
    }
    preview
}

/// The length of the longest difference that a question has, in bytes.
const MAX_DIFF: usize = 128 << 10;
