//! Prints a typical run as OpenTelemetry: `exports traces|metrics protobuf|json`.

use std::error::Error;
use std::io::{self, Write as _};

use silcrow_event::{RunEventRef, Timestamp, read_entry};
use silcrow_otlp::{
    MetricExport, MetricRecorder, RequestFacts, Resource, TraceExport, TraceOptions, TraceReader,
};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<_> = std::env::args().skip(1).collect();
    let mut options = TraceOptions::default();
    options.request = Some(RequestFacts::new("openai", "gpt-5"));
    options.has_contents = true;
    let vocabulary = options.vocabulary;
    let mut reader = TraceReader::new("trip", options);
    for line in LOG.lines() {
        reader.push(RunEventRef::Entry(&read_entry(line)?));
    }
    reader.finish();
    let (resource, spans) = (Resource::new("trips"), reader.take_spans());
    let mut metrics = MetricRecorder::new(vocabulary);
    spans.iter().for_each(|span| metrics.record(span));
    let traces = TraceExport { resource: &resource, spans: &spans };
    let (start, time) = (Timestamp::from_nanos(BEGIN), Timestamp::from_nanos(END));
    let metrics = MetricExport { resource: &resource, metrics: &metrics, start, time };
    let bytes = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["traces", "protobuf"] => traces.to_protobuf(),
        ["traces", "json"] => traces.to_json().into_bytes(),
        ["metrics", "protobuf"] => metrics.to_protobuf(),
        ["metrics", "json"] => metrics.to_json().into_bytes(),
        _ => return Err("use: exports traces|metrics protobuf|json".into()),
    };
    io::stdout().write_all(&bytes)?;
    Ok(())
}

const LOG: &str = include_str!("../tests/logs/typical.jsonl");

/// The time of the first event, in nanoseconds.
const BEGIN: i64 = 1_764_000_000_000_000_000;

/// The time of the last event, in nanoseconds.
const END: i64 = 1_764_000_004_500_000_000;
