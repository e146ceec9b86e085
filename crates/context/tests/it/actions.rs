//! Turns of actions, whose results are between the model's words.

use silcrow_context::assemble;
use silcrow_event::{Entry, Role, read_entry};
use silcrow_parser::Dialect;

fn log(lines: &[&str]) -> Vec<Entry> {
    lines.iter().map(|line| read_entry(line).unwrap()).collect()
}

fn told(lines: &[&str]) -> Vec<(Role, String)> {
    let messages = assemble(&log(lines), Dialect::Action);
    messages.into_iter().map(|message| (message.role, message.content.into_text())).collect()
}

const FETCH: &str = r#"{"type":"call","id":"w","content":"{\"name\":\"fetch\",\"args\":{}}","action":{"type":"tool","mode":"async"},"turn":1}"#;
const LATE: &str = r#"{"type":"call","id":"f","content":"{\"name\":\"log\",\"args\":{}}","action":{"type":"tool","mode":"fire_and_forget"},"turn":1}"#;

#[test]
fn turn_is_one_message_for_any_results() {
    let messages = told(&[
        r#"{"type":"user","content":"go","turn":1}"#,
        FETCH,
        r#"{"type":"result","id":"w","content":"page","turn":1}"#,
        r#"{"type":"think","content":"then","turn":1}"#,
        r#"{"type":"respond","content":"It is page.","wire":"It is $w.","turn":1}"#,
    ]);
    let [(_, go), (Role::Assistant, said), (Role::User, results)] = &messages[..] else {
        panic!("{messages:?}")
    };
    assert_eq!(go, "go");
    assert!(
        said.contains("<action") && said.ends_with("<response>It is $w.\n</response>"),
        "{said}"
    );
    assert!(results.starts_with("<results>") && results.contains("page"), "{results}");
}

#[test]
fn the_next_turn_is_another_message() {
    let messages = told(&[
        r#"{"type":"user","content":"go","turn":1}"#,
        FETCH,
        r#"{"type":"result","id":"w","content":"page","turn":1}"#,
        r#"{"type":"respond","content":"Done.","turn":2}"#,
    ]);
    let roles: Vec<_> = messages.iter().map(|(role, _)| *role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::User, Role::Assistant]);
}

#[test]
fn background_calls_give_model_no_result() {
    for late in [1, 3] {
        let mut lines = vec![
            r#"{"type":"user","content":"go","turn":1}"#,
            FETCH,
            LATE,
            r#"{"type":"result","id":"w","content":"page","turn":1}"#,
            r#"{"type":"respond","content":"Done.","turn":2}"#,
            r#"{"type":"user","content":"and?","turn":3}"#,
        ];
        // An id counts within its turn.
        lines.insert(
            lines.len() - late,
            r#"{"type":"result","id":"f","content":"logged","turn":1}"#,
        );
        let messages = told(&lines);
        assert!(messages.iter().all(|(_, text)| !text.contains("logged")), "{messages:?}");
        assert!(messages.iter().all(|(_, text)| !text.contains("no result")), "{messages:?}");
        assert_eq!(messages.len(), 5);
    }
}

/// Section 10: the model reads the block as it wrote it, and a result for each item.
#[test]
fn loop_reads_back_as_written() {
    let call = |id: &str, file: &str, more: &str| {
        let content = format!(r#"{{\"name\":\"file_read\",\"args\":{{\"file\":\"{file}\"}}}}"#);
        format!(
            r#"{{{more},"id":"{id}","content":"{content}","action":{{"type":"tool","mode":"sync"}},"turn":1}}"#
        )
    };
    let result = |id: &str, content: &str| {
        format!(
            r#"{{"type":"result","id":"{id}","content":"{content}","payload":{{"tool":"file_read","status":"success","outcome":"","content":"{content}","error":false}},"turn":1}}"#
        )
    };
    let lines = [
        r#"{"type":"user","content":"Read."}"#.to_owned(),
        r#"{"type":"block","part":"begin","id":"each","block":"foreach","in":"files","as":"f","turn":1}"#
            .to_owned(),
        call("read", "$f", r#""type":"block","part":"call""#),
        call("each[0].read", "$f", r#""type":"call","instance":true"#),
        call("each[1].read", "$f", r#""type":"call","instance":true"#),
        r#"{"type":"block","part":"end","id":"each","turn":1}"#.to_owned(),
        result("each[1].read", "b"),
        result("each[0].read", "a"),
    ];
    let log = log(&lines.each_ref().map(String::as_str));
    let said = |dialect| {
        let messages = assemble(&log, dialect);
        messages[1..].iter().map(|message| message.text().into_owned()).collect::<Vec<_>>()
    };
    let wire = "<foreach id=\"each\" in=\"files\" as=\"f\">\n\
        <action type=\"tool\" mode=\"sync\" id=\"read\">\
        {\"name\":\"file_read\",\"parameters\":{\"file\":\"$f\"}}</action>\n</foreach>";
    let results = "<results>\n[\
        {\"id\":\"each[0].read\",\"tool\":\"file_read\",\"status\":\"success\",\"content\":\"a\"},\
        {\"id\":\"each[1].read\",\"tool\":\"file_read\",\"status\":\"success\",\"content\":\"b\"}\
        ]\n</results>";
    assert_eq!(said(Dialect::Action), [wire, results]);
    // In a dialect without blocks, the instances are the calls.
    let others = said(Dialect::Sigil);
    assert_eq!(others[0].matches("§call:").count(), 2, "{others:?}");
    assert_eq!(others[1].matches("§result:").count(), 2, "{others:?}");
}
