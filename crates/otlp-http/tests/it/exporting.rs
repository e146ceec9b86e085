//! The data that a collector gets about runs.

use std::io::Read as _;
use std::time::Duration;

use serde_json::Value;
use silcrow_event::{TraceId, TraceParent};
use silcrow_otlp_http::{Exporter, send_spans};
use silcrow_tool::Scope;

use crate::collector::{CollectorReply, TestCollector};
use crate::runs::{agent, at, in_protobuf, only_traces, span, spans, to};

const LONG: Duration = Duration::from_secs(60);

fn takes_all(_: usize) -> CollectorReply {
    CollectorReply::Status(200, "")
}

#[tokio::test]
async fn a_run_becomes_a_trace_and_sums() {
    let mut collector = TestCollector::start(takes_all).await;
    let exporter = Exporter::start(to(&collector)).unwrap();
    let answer = agent(&exporter).ask("Is it open?").await.unwrap();
    let report = exporter.shutdown(LONG).await;
    assert_eq!(report.lost(), None);
    let requests = collector.rest();
    assert_eq!(requests.len(), 2);
    let of = |path: &str| requests.iter().find(|one| one.head.starts_with(path)).unwrap();
    let (traces, metrics) = (of("post /v1/traces "), of("post /v1/metrics "));
    for request in [traces, metrics] {
        assert!(request.head.contains("content-type: application/json"), "{}", request.head);
        assert!(request.head.contains("api-key: hunter2hunter2"));
    }
    let spans = spans(&traces.body);
    assert_eq!(report.sent, spans.len() as u64);
    let mut names: Vec<_> = spans.iter().map(|span| span["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    let expected = ["chat script", "chat script", "execute_tool look", "invoke_agent silcrow"];
    assert_eq!(names, expected);
    assert!(!String::from_utf8_lossy(&traces.body).contains("Is it open?"), "contents unasked");
    let run = spans.iter().find(|span| span["name"] == "invoke_agent silcrow").unwrap();
    assert_eq!(attribute(run, "gen_ai.conversation.id"), answer.conversation);
    let sums: Value = serde_json::from_slice(&metrics.body).unwrap();
    let attributes = sums["resourceMetrics"][0]["resource"]["attributes"].as_array().unwrap();
    assert!(attributes.iter().any(|attribute| attribute["key"] == "service.instance.id"));
}

/// Returns the text of an attribute.
fn attribute<'a>(span: &'a Value, name: &str) -> &'a str {
    let attributes = span["attributes"].as_array().unwrap();
    let found = attributes.iter().find(|attribute| attribute["key"] == name).unwrap();
    found["value"]["stringValue"].as_str().unwrap()
}

#[tokio::test]
async fn contents_are_sent_only_on_request() {
    let mut collector = TestCollector::start(takes_all).await;
    let mut options = only_traces(&collector.address);
    options.has_contents = true;
    let exporter = Exporter::start(options).unwrap();
    agent(&exporter).ask("Is it open?").await.unwrap();
    exporter.shutdown(LONG).await;
    assert!(String::from_utf8_lossy(&collector.next().await.body).contains("Is it open?"));
}

#[tokio::test]
async fn run_joins_its_callers_trace() {
    let mut collector = TestCollector::start(takes_all).await;
    let exporter = Exporter::start(only_traces(&collector.address)).unwrap();
    let caller = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let scope = Scope::new("c1").with_trace(TraceParent::parse(caller).unwrap());
    agent(&exporter).ask_in(scope, "Is it open?").await.unwrap();
    exporter.shutdown(LONG).await;
    let spans = spans(&collector.next().await.body);
    for span in &spans {
        assert_eq!(span["traceId"], "4bf92f3577b34da6a3ce929d0e0e4736");
    }
    let run = spans.iter().find(|span| span["name"] == "invoke_agent silcrow").unwrap();
    assert_eq!(run["parentSpanId"], "00f067aa0ba902b7");
}

#[tokio::test]
async fn unsampled_trace_is_only_counted() {
    let mut collector = TestCollector::start(takes_all).await;
    let exporter = Exporter::start(to(&collector)).unwrap();
    let caller = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";
    let scope = Scope::new("c1").with_trace(TraceParent::parse(caller).unwrap());
    agent(&exporter).ask_in(scope, "Is it open?").await.unwrap();
    assert_eq!(exporter.shutdown(LONG).await.lost(), None);
    let requests = collector.rest();
    assert_eq!(requests.len(), 1);
    assert!(requests[0].head.starts_with("post /v1/metrics "));
}

#[tokio::test]
async fn live_trace_ids_match_its_log() {
    let mut collector = TestCollector::start(takes_all).await;
    let exporter = Exporter::start(only_traces(&collector.address)).unwrap();
    let store = std::sync::Arc::new(silcrow_store::MemoryStore::new());
    let model = silcrow_provider::ScriptedModel::parse("§respond: 4\n§end", 1);
    let agent = silcrow_agent::Agent::new(model, std::sync::Arc::clone(&store));
    agent.with_observer(exporter.clone()).ask_in("sums", "2 + 2?").await.unwrap();
    exporter.shutdown(LONG).await;
    let live = spans(&collector.next().await.body);
    use silcrow_store::Store as _;
    let head = store.head("sums").await.unwrap();
    let log = store.read("sums", 1..=head).await.unwrap();
    let trace = TraceId::of_log("sums", &log).unwrap().to_string();
    assert!(live.iter().all(|span| span["traceId"] == *trace));
    let mut reader = silcrow_otlp::TraceReader::new("sums", Default::default());
    log.iter().for_each(|entry| reader.push(silcrow_event::RunEventRef::Entry(entry)));
    reader.finish();
    let stored = reader.take_spans().into_iter().map(|span| span.context.span.to_string());
    let live = live.iter().map(|span| span["spanId"].as_str().unwrap().to_owned());
    let (mut stored, mut live) = (Vec::from_iter(stored), Vec::from_iter(live));
    stored.sort();
    live.sort();
    assert_eq!(stored, live);
}

#[tokio::test]
async fn bodies_are_compressed_on_request() {
    let mut collector = TestCollector::start(takes_all).await;
    let mut options = only_traces(&collector.address);
    options.traces.as_mut().unwrap().is_gzip = true;
    send_spans(&options, &[span(1, 10_000)]).await.unwrap();
    let request = collector.next().await;
    assert!(request.head.contains("content-encoding: gzip"));
    assert!(request.body.len() < 2_000, "{}", request.body.len());
    let mut body = Vec::new();
    flate2::read::GzDecoder::new(&*request.body).read_to_end(&mut body).unwrap();
    assert_eq!(spans(&body).len(), 1);
}

#[tokio::test]
async fn many_spans_take_many_requests() {
    let mut collector = TestCollector::start(takes_all).await;
    let mut options = in_protobuf(only_traces(&collector.address));
    options.max_batch = 2;
    let all: Vec<_> = (1..=5).map(|number| span(number, 1)).collect();
    send_spans(&options, &all).await.unwrap();
    let requests = collector.rest();
    assert_eq!(requests.len(), 3);
    assert!(requests[0].head.contains("content-type: application/x-protobuf"));
}

#[tokio::test]
async fn a_full_batch_is_sent_before_its_time() {
    let mut collector = TestCollector::start(takes_all).await;
    let mut options = only_traces(&collector.address);
    (options.max_batch, options.delay) = (2, Duration::from_secs(3_600));
    let exporter = Exporter::start(options).unwrap();
    exporter.push(vec![span(1, 1), span(2, 1)]);
    assert_eq!(spans(&collector.next().await.body).len(), 2);
}

#[tokio::test]
async fn spans_wait_at_most_the_delay() {
    let mut collector = TestCollector::start(takes_all).await;
    let mut options = only_traces(&collector.address);
    options.delay = Duration::from_millis(20);
    let exporter = Exporter::start(options).unwrap();
    exporter.push(vec![span(1, 1)]);
    assert_eq!(spans(&collector.next().await.body).len(), 1);
}

#[tokio::test]
async fn sums_are_sent_again_and_again() {
    let mut collector = TestCollector::start(takes_all).await;
    let mut options = at(&collector.address);
    (options.traces, options.metric_interval) = (None, Duration::from_millis(20));
    let exporter = Exporter::start(options).unwrap();
    for number in 1..=2 {
        exporter.push(vec![span(number, 1)]);
        let sums: Value = serde_json::from_slice(&collector.next().await.body).unwrap();
        let metrics = &sums["resourceMetrics"][0]["scopeMetrics"][0]["metrics"];
        assert_eq!(metrics[0]["histogram"]["dataPoints"][0]["count"], number.to_string());
    }
}
