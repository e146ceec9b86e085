//! The metrics of a typical run, in both vocabularies.

use insta::assert_snapshot;
use serde_json::Value;
use silcrow_event::{Call, CallResult, Event, RunEventRef, Timestamp};
use silcrow_otlp::{
    MetricExport, MetricRecorder, Resource, SemanticVocabulary, TraceOptions, TraceReader,
};

use crate::span_tree::read;
use crate::typical::typical_log;

/// Returns a line for each point: metric, attributes, count and sum.
fn lines(vocabulary: SemanticVocabulary) -> String {
    let mut metrics = MetricRecorder::new(vocabulary);
    assert!(metrics.is_empty());
    read("trip", &typical_log()).iter().for_each(|span| metrics.record(span));
    let (resource, start) = (Resource::new("trips"), Timestamp::UNIX_EPOCH);
    let export = MetricExport { resource: &resource, metrics: &metrics, start, time: start };
    let json: Value = serde_json::from_str(&export.to_json()).unwrap();
    let metrics = json["resourceMetrics"][0]["scopeMetrics"][0]["metrics"].as_array().unwrap();
    let mut lines = Vec::new();
    for metric in metrics {
        for kind in ["sum", "histogram"] {
            let Some(points) = metric[kind]["dataPoints"].as_array() else { continue };
            for point in points {
                let attributes = point["attributes"].as_array().into_iter().flatten();
                let values = attributes.map(|one| one["value"]["stringValue"].as_str().unwrap());
                let values: Vec<_> = values.collect();
                let amount = match kind {
                    "sum" => point["asInt"].to_string(),
                    // The last digit of a sum depends on how serde_json was built to read numbers.
                    _ => format!("{:.2} of {}", point["sum"].as_f64().unwrap(), point["count"]),
                };
                let (name, unit) = (&metric["name"], &metric["unit"]);
                lines.push(format!("{name} {unit} {values:?} {amount}"));
            }
        }
    }
    lines.join("\n")
}

#[test]
fn a_run_is_counted_by_the_released_names() {
    assert_snapshot!(lines(SemanticVocabulary::Released), @r#"
    "gen_ai.client.operation.duration" "s" ["chat"] 3.35 of "4"
    "gen_ai.client.operation.time_to_first_chunk" "s" ["chat"] 1.40 of "4"
    "gen_ai.client.token.usage" "{token}" ["chat", "input"] 3350.00 of "4"
    "gen_ai.client.token.usage" "{token}" ["chat", "output"] 148.00 of "4"
    "gen_ai.execute_tool.duration" "s" ["web_search"] 0.50 of "1"
    "gen_ai.execute_tool.duration" "s" ["web_scrape", "tool"] 1.00 of "1"
    "gen_ai.execute_tool.duration" "s" ["clerk"] 2.40 of "1"
    "gen_ai.invoke_agent.duration" "s" ["clerk"] 2.25 of "1"
    "gen_ai.invoke_agent.duration" "s" ["silcrow"] 4.50 of "1"
    "#);
}

#[test]
fn a_run_is_counted_by_the_newest_names() {
    assert_snapshot!(lines(SemanticVocabulary::Experimental), @r#"
    "gen_ai.client.inference.duration" "s" ["chat"] 3.35 of "4"
    "gen_ai.client.inference.time_to_first_chunk" "s" ["chat"] 1.40 of "4"
    "gen_ai.client.inference.usage.cache_read.input_tokens" "{token}" ["chat"] "2600"
    "gen_ai.client.inference.usage.input_tokens" "{token}" ["chat"] "3350"
    "gen_ai.client.inference.usage.output_tokens" "{token}" ["chat"] "148"
    "gen_ai.execute_tool.duration" "s" ["web_search"] 0.50 of "1"
    "gen_ai.execute_tool.duration" "s" ["web_scrape", "tool"] 1.00 of "1"
    "gen_ai.execute_tool.duration" "s" ["clerk"] 2.40 of "1"
    "gen_ai.invoke_agent.duration" "s" ["clerk"] 2.25 of "1"
    "gen_ai.invoke_agent.duration" "s" ["silcrow"] 4.50 of "1"
    "#);
}

#[test]
fn a_variable_chooses_the_names() {
    let chosen = SemanticVocabulary::chosen("http, gen_ai_latest_experimental");
    assert_eq!(chosen, SemanticVocabulary::Experimental);
    assert_eq!(SemanticVocabulary::chosen("http"), SemanticVocabulary::Released);
}

#[test]
fn the_points_of_a_metric_are_bounded() {
    let mut metrics = MetricRecorder::new(SemanticVocabulary::Released);
    for number in 0..2_000 {
        let call = Call::parse("a1", format!(r#"{{"name":"tool{number}"}}"#)).unwrap();
        let result = CallResult::success("a1", call.name().to_owned(), "", "");
        let mut reader = TraceReader::new("c", TraceOptions::default());
        for event in [Event::user("Go."), Event::Call(call), Event::Result(result)] {
            reader.push(RunEventRef::Entry(&event.into()));
        }
        reader.finish();
        reader.take_spans().iter().for_each(|span| metrics.record(span));
    }
    let (resource, start) = (Resource::new("trips"), Timestamp::UNIX_EPOCH);
    let export = MetricExport { resource: &resource, metrics: &metrics, start, time: start };
    let json: Value = serde_json::from_str(&export.to_json()).unwrap();
    let all = json["resourceMetrics"][0]["scopeMetrics"][0]["metrics"].as_array().unwrap();
    let calls = all.iter().find(|metric| metric["name"] == "gen_ai.execute_tool.duration").unwrap();
    let points = calls["histogram"]["dataPoints"].as_array().unwrap();
    assert_eq!(points.len(), 1_001);
    let last = &points[1_000];
    assert_eq!(last["attributes"][0]["key"], "otel.metric.overflow");
    assert_eq!(last["count"], "1000");
}
