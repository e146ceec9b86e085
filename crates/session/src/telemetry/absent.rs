//! The stand-in for telemetry in a program that was built without it, if a collector is named.

use silcrow_agent::Agent;

use super::TelemetrySettings;
use crate::environment::set;
use crate::host::SessionHost;

/// Says that nothing is sent, if a setting or a variable names a collector.
pub(super) fn start(settings: &TelemetrySettings, host: &dyn SessionHost) {
    let named = VARIABLES.iter().find(|name| set(name).is_some()).copied();
    let named = settings.endpoint.as_ref().map(|_| "otlp_endpoint").or(named);
    if let Some(name) = named {
        host.notice(&format!(
            "no telemetry: {name} names a collector, and this program was built without it; build it \
             with the feature `telemetry`"
        ));
    }
}

pub(super) const fn observed(agent: Agent) -> Agent {
    agent
}

pub(super) async fn finish() -> Option<String> {
    None
}

/// The variables that name a collector.
const VARIABLES: [&str; 3] = [
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
];
