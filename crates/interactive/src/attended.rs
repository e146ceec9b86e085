//! A run on a live screen that the person watches.
//!
//! This module opens the stream of events of each task.

use std::io;
use std::sync::Arc;

use silcrow_agent::{Agent, StreamOptions};
use silcrow_console::attend::{AttendedEnd, AttendedRuns, lock};
use silcrow_event::RunEventRef;
use silcrow_session::RunTask;
use silcrow_tool::Scope;

use crate::error::Error;

/// Runs the agent on a live screen. `observe` gets each event before it is shown.
pub(crate) async fn attend(
    task: &RunTask,
    runs: &mut AttendedRuns,
    agent: &Agent,
    scope: Scope,
    observe: &mut (dyn FnMut(RunEventRef<'_>) + Send),
) -> Result<AttendedEnd, Error> {
    let cancel = scope.cancellation.clone();
    let options = StreamOptions::default();
    let end = match task {
        RunTask::Answer { prompt, .. } => {
            let stream = agent.stream_with(scope, prompt.clone(), options);
            runs.follow(stream, &cancel, observe).await
        }
        RunTask::Resume { .. } => {
            let stream = agent.stream_resumed(scope, Vec::new(), options);
            runs.follow(stream, &cancel, observe).await
        }
        RunTask::Replay { conversation } => {
            let screen = Arc::clone(runs.screen());
            let mut show = |event: RunEventRef<'_>| {
                observe(event);
                lock(&screen).show(event);
            };
            let run = agent.replay(conversation, scope, &mut show);
            runs.attend(run, &cancel, None).await
        }
    };
    end.map_err(|error| keyless(&error))
}

/// Returns the error of a run whose keyboard cannot be opened.
pub(crate) fn keyless(error: &io::Error) -> Error {
    Error::failed(format!("cannot read keys from the terminal: {error}"))
}
