//! A typical run: calls in parallel, one of which runs an agent.

use insta::assert_snapshot;
use serde_json::Value;
use silcrow_event::{Entry, RunEventRef, read_entry};
use silcrow_otlp::{RequestFacts, Resource, TraceExport, TraceOptions, TraceReader};

use crate::span_tree::{check, drawn, read};

pub(crate) fn typical_log() -> Vec<Entry> {
    let lines = include_str!("../logs/typical.jsonl").lines();
    lines.map(|line| read_entry(line).unwrap()).collect()
}

#[test]
fn a_run_is_a_tree_of_spans() {
    let spans = read("trip", &typical_log());
    check(&spans);
    assert_snapshot!(drawn(&spans), @r#"
    trace
      invoke_agent silcrow 0..4.5
        chat 0..1.2
        execute_tool web_search 1..1.5
        execute_tool clerk 1.2..3.6
          invoke_agent clerk 1.25..3.5
            chat 1.25..2
            execute_tool web_scrape 2..3 failed: Some(Text("tool"))
            chat 3..3.5
        chat 3.6..4.5
    "#);
}

#[test]
fn rereading_a_log_gives_same_trace() {
    assert_eq!(read("trip", &typical_log()), read("trip", &typical_log()));
}

#[test]
fn unstored_entries_do_not_affect_ids() {
    let mut stored = typical_log();
    stored.retain(|entry| entry.event.is_stored());
    let ids = |log: &[Entry]| {
        let mut ids: Vec<_> = read("trip", log).iter().map(|span| span.context.span).collect();
        ids.sort();
        ids
    };
    assert_eq!(ids(&stored), ids(&typical_log()));
}

#[test]
fn child_log_may_follow_its_parent() {
    let mut sorted = typical_log();
    sorted.sort_by_key(|entry| entry.agent_path.is_some());
    let tree = |log: &[Entry]| drawn(&read("trip", log));
    assert_eq!(tree(&sorted), tree(&typical_log()));
}

#[test]
fn a_request_is_one_line_of_json() {
    let mut options = TraceOptions::default();
    options.request = Some(RequestFacts::new("openai", "gpt-5"));
    options.has_contents = true;
    let mut reader = TraceReader::new("trip", options);
    typical_log().iter().for_each(|entry| reader.push(RunEventRef::Entry(entry)));
    reader.finish();
    let spans = reader.take_spans();
    let json = TraceExport { resource: &Resource::new("trips"), spans: &spans }.to_json();
    assert!(!json.contains('\n'));
    let mut value: Value = serde_json::from_str(&json).unwrap();
    // Another crate may turn on a feature that makes serde_json keep the order of keys.
    value.sort_all_objects();
    assert_snapshot!(serde_json::to_string_pretty(&value).unwrap());
}

#[test]
fn contents_are_omitted_by_default() {
    let spans = read("trip", &typical_log());
    let json = TraceExport { resource: &Resource::new("trips"), spans: &spans }.to_json();
    for secret in ["1889", "tower", "hours", "does not answer", "ann"] {
        assert!(!json.contains(secret), "{secret}");
    }
}
