//! The exporter of this process, which sends to a collector.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use silcrow_agent::Agent;
use silcrow_event::error_chain;
use silcrow_otlp_http::{Attribute, Error, Exporter, Options, RequestFacts};
use silcrow_sanitize::sanitize_line;
use url::Url;

use super::TelemetrySettings;
use crate::environment::set;
use crate::host::SessionHost;

/// Begins to send, if the settings name a collector. If it cannot, a notice says why.
pub(super) fn start(settings: &TelemetrySettings, host: &dyn SessionHost) {
    EXPORTER.get_or_init(|| {
        let started =
            options(settings).and_then(|options| options.map(Exporter::start).transpose());
        started.unwrap_or_else(|error| {
            let why = error_chain(&error);
            host.notice(&format!("no telemetry: {}", sanitize_line(&why)));
            None
        })
    });
}

/// Lets the exporter watch the runs of an agent, if there is one.
pub(super) fn observed(agent: Agent) -> Agent {
    match exporter() {
        Some(exporter) => agent.with_observer(exporter.clone()),
        None => agent,
    }
}

/// Sends the waiting data, for at most two seconds, before the process ends. Returns a line about
/// lost data.
pub(super) async fn finish() -> Option<String> {
    exporter()?.shutdown(PATIENCE).await.lost()
}

/// Returns the options from variables and settings, or `None` if they name no collector.
pub(super) fn options(settings: &TelemetrySettings) -> Result<Option<Options>, Error> {
    let read = |name: &str| match set(name) {
        None if name == "OTEL_EXPORTER_OTLP_ENDPOINT" => settings.endpoint.clone(),
        value => value,
    };
    let Some(mut options) = Options::from_variables(&read)? else { return Ok(None) };
    options.has_contents |= settings.has_contents || settings.has_whole_input;
    options.has_whole_input = settings.has_whole_input;
    options.facts = Arc::new(facts);
    let version = Attribute::new("service.version", env!("CARGO_PKG_VERSION"));
    if !options.resource.attributes.iter().any(|attribute| attribute.name == version.name) {
        options.resource = options.resource.with_attribute(version);
    }
    Ok(Some(options))
}

/// Describes requests by the name of a provider, as the conventions name vendors.
fn facts(provider: &str) -> RequestFacts {
    let (prefix, rest) = provider.split_once(':').unwrap_or((provider, provider));
    let (url, model) = match prefix {
        "compatible" => rest.rsplit_once('#').unwrap_or(("", rest)),
        _ => ("", rest),
    };
    let vendor = match prefix {
        "gemini" | "gemini-interactions" | "gemini-live" => "gcp.gemini",
        "openai" | "openai-realtime" | "openai-responses" => "openai",
        "azure" => "azure.ai.openai",
        other => other,
    };
    let mut facts = RequestFacts::new(vendor, model);
    if let Ok(url) = Url::parse(url) {
        facts.server_address = url.host_str().map(str::to_owned);
        facts.server_port = url.port_or_known_default();
    }
    facts
}

fn exporter() -> Option<&'static Exporter> {
    EXPORTER.get().and_then(Option::as_ref)
}

static EXPORTER: OnceLock<Option<Exporter>> = OnceLock::new();

/// The longest time that the end of a command waits for a collector.
const PATIENCE: Duration = Duration::from_secs(2);

#[cfg(test)]
mod tests {
    use super::facts;

    #[test]
    fn models_are_described_as_the_conventions_name_them() {
        for (name, vendor, model, address) in [
            ("openai:gpt-5", "openai", "gpt-5", None),
            ("gemini-live:flash", "gcp.gemini", "flash", None),
            ("anthropic:claude", "anthropic", "claude", None),
            ("rehearsal", "rehearsal", "rehearsal", None),
            ("compatible:http://u:p@box:8080/v1#gemma#3", "compatible", "3", None),
            ("compatible:http://u:p@box:8080/v1#gemma", "compatible", "gemma", Some(("box", 8080))),
        ] {
            let facts = facts(name);
            assert_eq!((&*facts.provider, &*facts.model), (vendor, model), "{name}");
            if let Some((host, port)) = address {
                assert_eq!(facts.server_address.as_deref(), Some(host));
                assert_eq!(facts.server_port, Some(port));
            }
            assert!(!format!("{facts:?}").contains("u:p"), "{facts:?}");
        }
    }
}
