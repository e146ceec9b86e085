//! Spans of control blocks and of the items of loops.

use insta::assert_snapshot;
use silcrow_event::{Entry, Timestamp, read_entry};
use silcrow_otlp::AttributeValue;

use crate::span_tree::{check, drawn, read};

/// A turn with a loop over two items in a parallel block, and a transaction that fails.
const LOG: [&str; 18] = [
    r#"{"type":"user","content":"Tell them."}"#,
    r#"{"type":"block","part":"begin","id":"p","block":"parallel"}"#,
    r#"{"type":"call","id":"a","content":"{\"name\":\"look\",\"args\":{}}","action":{"type":"tool","mode":"async"}}"#,
    r#"{"type":"block","part":"begin","id":"each","block":"foreach","in":"['x','y']","as":"n"}"#,
    r#"{"type":"block","part":"call","id":"s","content":"{\"name\":\"mail\",\"args\":{\"to\":\"$n\"}}","action":{"type":"tool","mode":"async"}}"#,
    r#"{"type":"call","id":"each[0].s","content":"{\"name\":\"mail\",\"args\":{\"to\":\"x\"}}","action":{"type":"tool","mode":"async"},"instance":true}"#,
    r#"{"type":"call","id":"each[1].s","content":"{\"name\":\"mail\",\"args\":{\"to\":\"y\"}}","action":{"type":"tool","mode":"async"},"instance":true}"#,
    r#"{"type":"block","part":"end","id":"each"}"#,
    r#"{"type":"block","part":"end","id":"p"}"#,
    r#"{"type":"result","id":"each[1].s","content":"sent","payload":{"tool":"mail","status":"success","outcome":"","content":"sent"}}"#,
    r#"{"type":"result","id":"each[0].s","content":"sent","payload":{"tool":"mail","status":"success","outcome":"","content":"sent"}}"#,
    r#"{"type":"result","id":"each","content":"[]","payload":{"tool":"foreach","status":"success","outcome":"2 items","content":"[]"}}"#,
    r#"{"type":"result","id":"a","content":"seen","payload":{"tool":"look","status":"success","outcome":"","content":"seen"}}"#,
    r#"{"type":"block","part":"begin","id":"t","block":"transaction"}"#,
    r#"{"type":"call","id":"w","content":"{\"name\":\"save\",\"args\":{}}","action":{"type":"tool","mode":"async"},"transactions":["t"]}"#,
    r#"{"type":"block","part":"end","id":"t"}"#,
    r#"{"type":"result","id":"w","content":"no","payload":{"tool":"save","status":"failure","outcome":"no","content":"no"}}"#,
    r#"{"type":"result","id":"t","content":"nothing had to be rolled back","payload":{"tool":"transaction","status":"failure","outcome":"","content":"nothing had to be rolled back","origin":"framework"}}"#,
];

fn log() -> Vec<Entry> {
    let entries = LOG.iter().zip(1..).map(|(line, seq)| {
        let timestamp = Some(Timestamp::from_nanos(seq as i64 * 1_000_000_000));
        Entry { timestamp, seq: Some(seq), turn: Some(1), ..read_entry(line).unwrap() }
    });
    entries.collect()
}

#[test]
fn blocks_and_items_are_spans_around_their_calls() {
    let spans = read("c", &log());
    check(&spans);
    assert_snapshot!(drawn(&spans), @r#"
    trace
      invoke_agent silcrow 0..17
        parallel p 1..12
          execute_tool look 2..12
          foreach each 3..11
            item each[0] 5..10
              execute_tool mail 5..10
            item each[1] 6..9
              execute_tool mail 6..9
        chat 1..14
        transaction t 13..17 failed: Some(Text("framework"))
          execute_tool save 14..16 failed: Some(Text("tool"))
    "#);
    let block = spans.iter().find(|span| span.name == "transaction t").unwrap();
    assert!(block.is_error);
    let kind = AttributeValue::Text("transaction".to_owned());
    assert_eq!(block.attribute("silcrow.block.kind"), Some(&kind));
}

#[test]
fn open_blocks_at_log_end_have_spans() {
    for known in 2..=LOG.len() {
        let spans = read("c", &log()[..known]);
        check(&spans);
        assert!(spans.iter().any(|span| span.name == "parallel p"), "{known}");
    }
}
