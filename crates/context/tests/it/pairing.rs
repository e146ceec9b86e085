//! Which result belongs to which call.

use silcrow_context::assemble;
use silcrow_event::{Call, CallResult, Event, Respond, Role};
use silcrow_parser::Dialect;

use crate::read::{action, contents_of, list, log, phase, result, sigil};

#[test]
fn results_come_in_the_order_of_the_calls() {
    let events = [
        Event::user("go"),
        list("a1"),
        list("a2"),
        list("a3"),
        result("a3", "three"),
        result("a1", "one"),
        result("a2", "two"),
    ];
    insta::assert_snapshot!(sigil(&events), @r#"
    user
      go
    assistant
      §call: {"name": "file_list", "args": {}}
      §call: {"name": "file_list", "args": {}}
      §call: {"name": "file_list", "args": {}}
      §execute
    user
      §result: {"tool":"file_list","status":"success"}
      one
      §result: {"tool":"file_list","status":"success"}
      two
      §result: {"tool":"file_list","status":"success"}
      three
    "#);
}

/// A malformed call is written where it was (P-9), so that calls and results pair up.
#[test]
fn malformed_call_keeps_its_place() {
    let events = [
        Event::user("go"),
        list("a1"),
        Event::Respond(Respond::malformed("a2", "{\"nam\": 1}")),
        list("a3"),
        Event::Result(CallResult::failure("a2", None, "malformed call", "`name` is missing")),
        result("a3", "three"),
        result("a1", "one"),
    ];
    insta::assert_snapshot!(sigil(&events), @r#"
    user
      go
    assistant
      §call: {"name": "file_list", "args": {}}
      §call: {"nam": 1}
      §call: {"name": "file_list", "args": {}}
      §execute
    user
      §result: {"tool":"file_list","status":"success"}
      one
      §result: {"tool":null,"status":"failure","outcome":"malformed call"}
      `name` is missing
      §result: {"tool":"file_list","status":"success"}
      three
    "#);
    insta::assert_snapshot!(phase(&events), @r#"
    user
      go
    assistant
      <execute>[
        {"name": "file_list", "args": {}},
        {"nam": 1},
        {"name": "file_list", "args": {}}
      ]</execute>
    user
      <results>
      [{"tool":"file_list","status":"success","content":"one"},{"tool":null,"status":"failure","outcome":"malformed call","content":"`name` is missing"},{"tool":"file_list","status":"success","content":"three"}]
      </results>
    "#);
    assert!(action(&events).contains(r#"<action id="a2">{"nam": 1}</action>"#));
}

/// Older logs do not mark the text of a malformed call.
#[test]
fn unmarked_malformed_call_keeps_result_in_place() {
    let events = [
        Event::user("go"),
        list("a1"),
        Event::respond("{\"nam\": 1}"),
        list("a3"),
        result("a1", "one"),
        Event::Result(CallResult::failure("a2", None, "malformed call", "`name` is missing")),
        result("a3", "three"),
    ];
    insta::assert_snapshot!(sigil(&events), @r#"
    user
      go
    assistant
      §call: {"name": "file_list", "args": {}}
      §respond: {"nam": 1}
      §call: {"name": "file_list", "args": {}}
      §execute
    user
      §result: {"tool":"file_list","status":"success"}
      one
      §result: {"tool":null,"status":"failure","outcome":"malformed call"}
      `name` is missing
      §result: {"tool":"file_list","status":"success"}
      three
    "#);
    // The calls are in one list, and nothing is between it and the results.
    insta::assert_snapshot!(phase(&events), @r#"
    user
      go
    assistant
      {"nam": 1}
      <execute>[
        {"name": "file_list", "args": {}},
        {"name": "file_list", "args": {}}
      ]</execute>
    user
      <results>
      [{"tool":"file_list","status":"success","content":"one"},{"tool":null,"status":"failure","outcome":"malformed call","content":"`name` is missing"},{"tool":"file_list","status":"success","content":"three"}]
      </results>
    "#);
}

#[test]
fn open_call_keeps_place_before_malformed_one() {
    let events = log(&[
        r#"{"type":"user","content":"go"}"#,
        r#"{"type":"call","id":"a1","content":"{\"name\":\"x\"}"}"#,
        r#"{"type":"call","id":"a3","content":"{\"name\":\"z\"}"}"#,
        r#"{"type":"result","id":"a2","content":"`name` is missing","payload":{"tool":null,"status":"failure"}}"#,
        r#"{"type":"result","id":"a3","content":"third"}"#,
    ]);
    let messages = assemble(&events, Dialect::Sigil);
    assert_eq!(
        messages[2].content,
        "§result: {\"tool\":\"x\",\"status\":\"failure\",\"origin\":\"framework\"}\n\
         no result was recorded\n\
         §result: {\"tool\":null,\"status\":\"failure\"}\n`name` is missing\n\
         §result: {\"tool\":\"z\",\"status\":\"success\"}\nthird",
    );
}

#[test]
fn a_malformed_call_alone_is_answered() {
    let events = [
        Event::user("go"),
        Event::respond("{\"nam\": 1}"),
        Event::Result(CallResult::failure("a1", None, "malformed call", "`name` is missing")),
        Event::respond("sorry"),
    ];
    insta::assert_snapshot!(sigil(&events), @r#"
    user
      go
    assistant
      §respond: {"nam": 1}
    user
      §result: {"tool":null,"status":"failure","outcome":"malformed call"}
      `name` is missing
    assistant
      §respond: sorry
      §end
    "#);
}

#[test]
fn call_without_result_gets_one() {
    let events = [Event::user("go"), list("a1"), list("a2"), result("a2", "two")];
    insta::assert_snapshot!(phase(&events), @r#"
    user
      go
    assistant
      <execute>[
        {"name": "file_list", "args": {}},
        {"name": "file_list", "args": {}}
      ]</execute>
    user
      <results>
      [{"tool":"file_list","status":"failure","origin":"framework","content":"no result was recorded"},{"tool":"file_list","status":"success","content":"two"}]
      </results>
    "#);
}

#[test]
fn repeated_ids_belong_to_their_turn() {
    let events = [
        Event::user("go"),
        list("a1"),
        result("a1", "first"),
        list("a1"),
        list("a1"),
        result("a1", "second"),
        result("a1", "third"),
    ];
    let contents = assemble(&events, Dialect::Sigil);
    let contents: Vec<_> = contents.iter().map(|message| message.text()).collect();
    assert_eq!(contents_of(&contents[2], Dialect::Sigil), ["first"]);
    assert_eq!(contents_of(&contents[4], Dialect::Sigil), ["second", "third"]);
}

#[test]
fn results_without_ids_go_to_open_calls() {
    let nameless = |content: &str| Event::Result(CallResult::unknown(content));
    let events = [
        Event::user("go"),
        list("a1"),
        list("a2"),
        nameless("one"),
        result("a2", "two"),
        nameless("more"),
    ];
    let messages = assemble(&events, Dialect::Sigil);
    assert_eq!(contents_of(&messages[2].text(), Dialect::Sigil), ["one", "two", "more"]);
    // An empty id counts as missing, and a call that an id has claimed takes no second result.
    let empty = Event::Result(CallResult::unknown("two").with_id(""));
    let events = [Event::user("go"), list("a1"), list("a2"), result("a1", "one"), empty];
    let messages = assemble(&events, Dialect::Sigil);
    assert_eq!(contents_of(&messages[2].text(), Dialect::Sigil), ["one", "two"]);
    // Calls from a log without ids, results from one with.
    let bare = Event::Call(Call::parse("", r#"{"name":"ls"}"#).unwrap());
    let events = [Event::user("go"), bare, result("a1", "one")];
    let messages = assemble(&events, Dialect::Sigil);
    let contents = contents_of(&messages[2].text(), Dialect::Sigil);
    assert_eq!((messages.len(), contents), (3, vec!["one".to_owned()]));
    assert_eq!(messages[2].role, Role::User);
}

#[test]
fn tool_of_result_wins_over_call() {
    let own = Event::Result(CallResult::success("a1", "file_list_v2", "", "x"));
    let messages = assemble(&[Event::user("go"), list("a1"), own], Dialect::Phase);
    assert!(messages[2].text().contains(r#""tool":"file_list_v2""#), "{}", messages[2].content);
}
