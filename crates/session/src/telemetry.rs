//! Telemetry about the runs of this process for an OpenTelemetry collector, and the trace that they
//! are a part of.
//!
//! Nothing is sent unless a variable or a setting names the collector. All runs of a process share
//! one exporter, because its sums cover the process. A failure to send never fails a run.

#[cfg_attr(not(feature = "telemetry"), path = "telemetry/absent.rs")]
mod exporter;
#[cfg_attr(not(feature = "telemetry"), path = "telemetry/absent_trace.rs")]
mod stored_trace;

use std::env;

use silcrow_agent::Agent;
use silcrow_event::TraceParent;
use silcrow_tool::Scope;

use crate::host::SessionHost;

pub use stored_trace::StoredTrace;

/// The settings of telemetry in the file of settings.
#[derive(Clone, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "a file of settings says these three things")]
pub struct TelemetrySettings {
    /// The address of the collector.
    pub endpoint: Option<String>,
    /// Whether spans have contents.
    pub has_contents: bool,
    /// Whether spans of requests have the system prompt and all messages before them, too.
    pub has_whole_input: bool,
}

/// Begins to send, if the settings name a collector. Obstacles become notices.
///
/// # Panics
///
/// Panics outside a tokio runtime.
pub fn start_telemetry(settings: &TelemetrySettings, host: &dyn SessionHost) {
    exporter::start(settings, host);
}

/// Lets the exporter watch the runs of an agent, if there is one.
pub(crate) fn observed(agent: Agent) -> Agent {
    exporter::observed(agent)
}

/// Sends the waiting data, for at most two seconds, before the process ends. Returns a line about
/// lost spans and metrics.
pub async fn finish_telemetry() -> Option<String> {
    exporter::finish().await
}

/// Makes a run a part of the trace of the process that started this one, if the variable
/// `TRACEPARENT` names it.
pub fn within_caller(scope: Scope) -> Scope {
    let caller = env::var("TRACEPARENT").ok();
    match caller.and_then(|header| TraceParent::parse(&header)) {
        Some(caller) => scope.with_trace(caller),
        None => scope,
    }
}
