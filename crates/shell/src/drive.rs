//! A command in the foreground: the reasons for its end, and its report.

use std::sync::Arc;
use std::time::Duration;

use silcrow_sandbox::{ConfinedCommand, Sandbox};
use silcrow_tool::{CallContext, ToolError, ToolOutput};
use tokio::time::timeout;

use crate::open_doors::OpenDoors;
use crate::output::CommandOutput;
use crate::report::report;
use crate::running::RunningCommand;

/// Runs a command until it ends, its time is over, or the call is cancelled.
pub(crate) async fn drive(
    sandbox: &Arc<Sandbox>,
    command: ConfinedCommand,
    doors: OpenDoors,
    text: &str,
    limit: Duration,
    context: &CallContext,
) -> Result<ToolOutput, ToolError> {
    let mut running = RunningCommand::start(sandbox, command, text).await?.with_doors(doors);
    let mut output = CommandOutput::new();
    let mut is_over = false;
    let is_stopped = tokio::select! {
        () = running.collect(&mut output, context) => false,
        () = context.has_run_for(limit) => { is_over = true; true },
        () = context.cancellation().cancelled() => true,
    };
    if is_stopped {
        running.stop();
        // The rest in the pipes is read, unless the progress has no receiver any more.
        let _ = timeout(MARGIN, running.collect(&mut output, context)).await;
    }
    let ended = running.end().await?;
    if is_stopped && !is_over {
        return Err(ToolError::new("the call was cancelled, and the command was stopped"));
    }
    Ok(report(sandbox, &ended, output.finish(), is_over.then_some(limit)))
}

/// The time that ending a command may take.
pub(crate) const MARGIN: Duration = Duration::from_secs(15);
