use serde_json::{Value, json};

use super::{EditorMessage, answer};

#[test]
fn line_is_request_notification_or_response() {
    let parse = |line| EditorMessage::parse(line).unwrap();
    let (method, params) = ("initialize".to_owned(), json!({"protocolVersion": 1}));
    let line = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}"#;
    assert_eq!(parse(line), EditorMessage::Request { id: json!(0), method, params });
    let (method, params) = ("session/cancel".to_owned(), json!({}));
    let line = r#"{"jsonrpc":"2.0","method":"session/cancel"}"#;
    assert_eq!(parse(line), EditorMessage::Notification { method, params });
    let line = r#"{"jsonrpc":"2.0","id":7,"result":null}"#;
    assert_eq!(parse(line), EditorMessage::Answer { id: json!(7), result: Ok(json!(null)) });
    let line = r#"{"id":7,"error":{"code":1,"message":"no"}}"#;
    assert_eq!(parse(line), EditorMessage::Answer { id: json!(7), result: Err("no".to_owned()) });
}

#[test]
fn invalid_message_gets_an_error_with_its_id() {
    let error = |line| {
        let (id, error) = EditorMessage::parse(line).unwrap_err();
        serde_json::from_str::<Value>(&answer(&id, Err(error))).unwrap()
    };
    let why = |line| error(line)["error"]["message"].as_str().unwrap().to_owned();
    let not_json = error("{");
    assert_eq!((&not_json["error"]["code"], &not_json["id"]), (&json!(-32700), &Value::Null));
    assert!(why("{").contains("the line is not JSON: EOF"));
    let (code, message) = (-32600, "the message is not one JSON object");
    let expected = json!({"code": code, "message": message});
    assert_eq!(error(r#"[{"id":1}]"#), json!({"jsonrpc": "2.0", "id": null, "error": expected}),);
    assert!(why(r#"{"id":3,"method":4}"#).contains("`method` is not a string"));
    assert_eq!(error(r#"{"id":3}"#)["id"], 3);
    assert!(why("{}").contains("neither `method` nor `id`"));
}
