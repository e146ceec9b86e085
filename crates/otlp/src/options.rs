//! The facts about spans that no event has.

use std::collections::BTreeMap;

use crate::names::{self, SemanticVocabulary};
use crate::span::TraceSpan;

/// The facts about spans that are not in events, and the choice of the spans' contents.
///
/// ```
/// use silcrow_event::{Entry, Event, RunEventRef, Timestamp};
/// use silcrow_otlp::{RequestFacts, Resource, TraceExport, TraceOptions, TraceReader};
///
/// let mut options = TraceOptions::default();
/// options.request = Some(RequestFacts::new("anthropic", "claude-sonnet-4-5"));
/// let mut reader = TraceReader::new("sums", options);
/// let events = [Event::user("My PIN is 1234."), Event::respond("Fine.")];
/// for (event, second) in events.into_iter().zip(1..) {
///     let timestamp = Some(Timestamp::from_nanos(second * 1_000_000_000));
///     reader.push(RunEventRef::Entry(&Entry { timestamp, turn: Some(1), ..Entry::from(event) }));
/// }
/// reader.finish();
/// let spans = reader.take_spans();
/// let json = TraceExport { resource: &Resource::new("silcrow"), spans: &spans }.to_json();
/// assert!(json.contains("claude-sonnet-4-5"));
/// // Messages are sent to a collector only if `has_contents` is set.
/// assert!(!json.contains("1234"));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TraceOptions {
    /// The name of the run's own agent.
    pub agent: String,
    /// The version of that agent.
    pub agent_version: Option<String>,
    /// The model that this agent asks.
    pub request: Option<RequestFacts>,
    /// The descriptions of the tools that this agent calls, by their names.
    pub tools: BTreeMap<String, String>,
    /// The names of attributes and metrics.
    pub vocabulary: SemanticVocabulary,
    /// Whether spans have messages, arguments, results and the words of errors.
    pub has_contents: bool,
    /// Whether spans of requests have all messages before them, as the log has them, if spans have
    /// contents. Otherwise they have those that are new in the request.
    pub has_whole_input: bool,
    /// The system prompt of this agent, which the spans of its requests have if spans have contents.
    pub system: Option<String>,
}

/// The facts that are known about the requests of an agent.
///
/// ```
/// use silcrow_otlp::{RequestFacts, TraceOptions};
///
/// let mut facts = RequestFacts::new("openai", "gpt-5.1");
/// facts.max_tokens = Some(4096);
/// assert!(facts.streams, "answers come in pieces unless you say otherwise");
/// let mut options = TraceOptions::default();
/// options.request = Some(facts);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RequestFacts {
    /// The vendor or the kind of server, as the conventions name it.
    pub provider: String,
    /// The name of the model.
    pub model: String,
    /// Whether the answers come in pieces.
    pub streams: bool,
    /// The requested maximum number of tokens of an answer.
    pub max_tokens: Option<u64>,
    /// The temperature that is asked for.
    pub temperature: Option<f64>,
    /// The host of the server.
    pub server_address: Option<String>,
    /// The port of the server.
    pub server_port: Option<u16>,
}

impl Default for TraceOptions {
    fn default() -> Self {
        Self {
            agent: "silcrow".to_owned(),
            agent_version: None,
            request: None,
            tools: BTreeMap::new(),
            vocabulary: SemanticVocabulary::default(),
            has_contents: false,
            has_whole_input: false,
            system: None,
        }
    }
}

impl RequestFacts {
    /// Names a model and its vendor.
    pub fn new(provider: impl Into<String>, model: impl Into<String>) -> Self {
        Self { provider: provider.into(), model: model.into(), streams: true, ..Self::default() }
    }

    pub(crate) fn describe(&self, span: &mut TraceSpan) {
        span.set_attribute(names::PROVIDER, &*self.provider);
        span.set_attribute(names::REQUEST_MODEL, &*self.model);
        span.set_attribute(names::REQUEST_STREAM, self.streams);
        span.set_optional(names::REQUEST_MAX_TOKENS, self.max_tokens);
        span.set_optional(names::REQUEST_TEMPERATURE, self.temperature);
        let port = self.server_port.map(u64::from);
        span.set_optional(names::SERVER_ADDRESS, self.server_address.as_deref());
        span.set_optional(names::SERVER_PORT, port);
    }
}
