//! Runs that are watched, and spans without one.

use serde_json::Value;
use silcrow_agent::Agent;
use silcrow_event::{Entry, Event, RunEventRef, Timestamp};
use silcrow_otlp::{TraceOptions, TraceReader};
use silcrow_otlp_http::{Exporter, Options, OtlpEncoding, TraceSpan};
use silcrow_provider::ScriptedModel;
use silcrow_store::MemoryStore;

use crate::collector::TestCollector;

/// Returns options that send both kinds of data to a collector, as JSON.
pub(crate) fn to(collector: &TestCollector) -> Options {
    at(&collector.address)
}

/// Returns options that send both kinds of data to an address, as JSON.
pub(crate) fn at(address: &str) -> Options {
    let read = |name: &str| match name {
        "OTEL_EXPORTER_OTLP_ENDPOINT" => Some(address.to_owned()),
        "OTEL_EXPORTER_OTLP_HEADERS" => Some("api-key=hunter2hunter2".to_owned()),
        "OTEL_EXPORTER_OTLP_PROTOCOL" => Some("http/json".to_owned()),
        _ => None,
    };
    Options::from_variables(&read).unwrap().unwrap()
}

/// Returns options that send traces only.
pub(crate) fn only_traces(address: &str) -> Options {
    let mut options = at(address);
    options.metrics = None;
    options
}

/// Returns an agent that looks once and answers.
pub(crate) fn agent(exporter: &Exporter) -> Agent {
    let script = "§call: {\"name\":\"look\"}\n§execute\n%%\n§respond: It is open.\n§end";
    let model = ScriptedModel::parse(script, 1);
    Agent::new(model, MemoryStore::new()).with_observer(exporter.clone())
}

/// Returns the span of a run that stores this many letters.
pub(crate) fn span(number: i64, letters: usize) -> TraceSpan {
    let mut options = TraceOptions::default();
    options.has_contents = true;
    let mut reader = TraceReader::new(format!("c{number}"), options);
    for (event, second) in [(Event::user("a".repeat(letters)), 1), (Event::End, 2)] {
        let timestamp = Some(Timestamp::from_nanos((10 * number + second) * 1_000_000_000));
        let entry = Entry { timestamp, turn: Some(1), ..Entry::from(event) };
        reader.push(RunEventRef::Entry(&entry));
    }
    reader.finish();
    reader.take_spans().pop().unwrap()
}

/// Returns the spans of a request in JSON.
pub(crate) fn spans(body: &[u8]) -> Vec<Value> {
    let request: Value = serde_json::from_slice(body).unwrap();
    request["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().clone()
}

/// Returns the options with protobuf.
pub(crate) fn in_protobuf(mut options: Options) -> Options {
    for target in [&mut options.traces, &mut options.metrics].into_iter().flatten() {
        target.encoding = OtlpEncoding::Protobuf;
    }
    options
}
