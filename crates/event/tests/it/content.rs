//! Content with several parts: its text and its JSON.

use silcrow_event::{CallResult, Content, ContentPart, Entry, Event, Json, Message, read_entry};

fn json(text: &str) -> Json {
    Json::parse(text).unwrap()
}

fn both() -> Content {
    [ContentPart::Text("Found:".to_owned()), ContentPart::Json(json(r#"{"b": 1.0}"#))]
        .into_iter()
        .collect()
}

#[track_caller]
fn round_trips(event: Event, line: &str) {
    assert_eq!(event.to_json(), line);
    assert_eq!(read_entry(line).unwrap(), Entry::from(event));
}

#[test]
fn one_text_is_written_without_parts() {
    round_trips(Event::user("hi"), r#"{"type":"user","content":"hi"}"#);
    round_trips(Event::steer("no"), r#"{"type":"user","content":"no","steer":true}"#);
    round_trips(
        Event::Result(CallResult::success("a1", "t", "s", "5")),
        r#"{"type":"result","id":"a1","content":"5","payload":{"tool":"t","status":"success","outcome":"s","content":"5","error":false}}"#,
    );
    assert_eq!(Message::user("hi").to_json(), r#"{"role":"user","content":"hi"}"#);
}

#[test]
fn one_json_value_is_written_without_parts() {
    round_trips(
        Event::Result(CallResult::success("a1", "t", "s", json(r#"{"b": 1.0}"#))),
        r#"{"type":"result","id":"a1","content":"{\"b\": 1.0}","payload":{"tool":"t","status":"success","outcome":"s","content":{"b": 1.0},"error":false}}"#,
    );
}

#[test]
fn several_parts_are_written_after_their_text() {
    round_trips(
        Event::user(both()),
        r#"{"type":"user","content":"Found:\n{\"b\": 1.0}","parts":[{"type":"text","text":"Found:"},{"type":"json","json":{"b": 1.0}}]}"#,
    );
    let result = CallResult::success("a1", "t", "s", both());
    assert_eq!(*result.value().unwrap(), Json::string("Found:\n{\"b\": 1.0}"));
    round_trips(
        Event::Result(result),
        r#"{"type":"result","id":"a1","content":"Found:\n{\"b\": 1.0}","parts":[{"type":"text","text":"Found:"},{"type":"json","json":{"b": 1.0}}],"payload":{"tool":"t","status":"success","outcome":"s","content":"Found:\n{\"b\": 1.0}","error":false}}"#,
    );
}

#[test]
fn string_value_stays_a_value() {
    let result = CallResult::success("a1", "t", "s", json(r#""\u0041""#));
    assert_eq!((&*result.content.text(), result.value().unwrap().as_str()), ("A", r#""\u0041""#));
    let event = Event::Result(result);
    assert_eq!(read_entry(&event.to_json()).unwrap(), Entry::from(event));
}

#[test]
fn unknown_parts_are_replaced_by_their_text() {
    let line = r#"{"type":"user","content":"a picture","parts":[{"type":"image","data":""}]}"#;
    assert_eq!(read_entry(line).unwrap().event, Event::user("a picture"));
}

#[test]
fn text_continues_text_and_nothing_else() {
    let mut content = Content::default();
    assert!(content.is_empty());
    content.push_text("");
    assert_eq!(content.parts(), []);
    content.push_text("a");
    content.push_text("b");
    content.push(ContentPart::Json(json("1")));
    content.push_text("c");
    assert_eq!((content.parts().len(), content.as_text()), (3, None));
    assert_eq!(content, "ab\n1\nc");
    assert_eq!(content.into_text(), "ab\n1\nc");
}

#[test]
fn clones_share_parts_until_changed() {
    let content = both();
    let mut copy = content.clone();
    assert_eq!(copy.parts().as_ptr(), content.parts().as_ptr());
    copy.push_text(" none");
    assert_eq!((content, &*copy.text()), (both(), "Found:\n{\"b\": 1.0}\n none"));
    assert_eq!(copy.clone().into_text(), copy.into_text());
    assert_eq!(Content::from("").parts(), []);
    assert_eq!(Content::from(""), Content::default());
}
