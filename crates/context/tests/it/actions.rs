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
fn a_turn_is_one_message_whatever_came_of_its_calls_meanwhile() {
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
fn the_model_gets_no_result_of_what_it_does_not_wait_for_whenever_that_ends() {
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
