//! Results that other programs store as `{"outcome", "content", "error"}`.

use silcrow_event::{CallResult, Event, ResultStatus, read_entry};

/// Reads a stored result whose content is this text.
fn stored(content: &str) -> CallResult {
    let content = silcrow_event::Json::string(content);
    let line = format!(r#"{{"type":"result","content":{content},"timestamp":1.0}}"#);
    let Event::Result(result) = read_entry(&line).unwrap().event else { panic!() };
    result
}

#[test]
fn an_error_is_read_as_one() {
    let result = stored(r#"{"outcome":"No such file","content":"look at main.py","error":true}"#);
    assert_eq!(result.status(), ResultStatus::Failure);
    assert_eq!(result.content.text(), "look at main.py");
    assert_eq!(result.payload.unwrap().summary, "No such file");
}

#[test]
fn a_success_is_read_as_one() {
    let result = stored(r#"{"outcome":"Found file","content":"print()","error":false}"#);
    assert_eq!((result.status(), &*result.content.text()), (ResultStatus::Success, "print()"));
    assert_eq!(result.value().unwrap().as_str(), r#""print()""#);
    // Without a content, the model reads the outcome.
    let result = stored(r#"{"outcome":"Success","error":false}"#);
    assert_eq!(result.content.text(), "Success");
}

#[test]
fn other_content_stays_unchanged() {
    for content in [
        "plain",
        "{}",
        r#"{"outcome":"x"}"#,
        r#"{"content":"x","error":true}"#,
        r#"{"outcome":1,"error":true}"#,
        r#"{"outcome":"x","error":true,"more":1}"#,
        r#"["outcome"]"#,
    ] {
        let result = stored(content);
        assert_eq!((result.status(), &*result.content.text()), (ResultStatus::Success, content));
        assert!(result.payload.is_none(), "{content}");
    }
}

#[test]
fn result_with_payload_is_never_reread() {
    let line = r#"{"type":"result","content":"{\"outcome\":\"x\",\"error\":true}","payload":{"tool":"cat","status":"success","outcome":"1 line","content":"{\"outcome\":\"x\",\"error\":true}","error":false}}"#;
    let Event::Result(result) = read_entry(line).unwrap().event else { panic!() };
    assert_eq!(result.status(), ResultStatus::Success);
    assert!(result.content.text().starts_with(r#"{"outcome""#));
}
