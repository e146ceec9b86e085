//! The requests of the Vercel AI SDK's clients.

use serde_json::{Value, json};
use silcrow_front::{AiSdkAction, AiSdkRequest};

fn parse(body: &Value) -> AiSdkRequest {
    AiSdkRequest::parse(body.to_string().as_bytes()).unwrap()
}

fn user(id: &str, parts: &Value) -> Value {
    json!({"id": id, "role": "user", "parts": parts})
}

fn says(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

fn answered(id: &str, is_approved: bool) -> Value {
    json!({
        "type": "dynamic-tool", "toolName": "file_write", "toolCallId": "c1-1",
        "state": "approval-responded", "input": {},
        "approval": {"id": id, "approved": is_approved, "reason": "because"},
    })
}

fn assistant(parts: &[Value]) -> Value {
    json!({"id": "a1", "role": "assistant", "parts": parts})
}

#[test]
fn the_last_message_of_the_person_is_sent() {
    let messages = [user("u1", &says("One.")), assistant(&[]), user("u2", &says("Two."))];
    let body = json!({"id": "talk", "messages": messages, "trigger": "submit-message"});
    let AiSdkAction::Send(message) = parse(&body).action else { panic!("{body}") };
    assert_eq!((&*message.id, &*message.content.text()), ("u2", "Two."));
}

#[test]
fn message_with_earlier_id_replaces_it() {
    let body = json!({
        "id": "talk", "messages": [user("u1", &says("Two?"))],
        "trigger": "submit-message", "messageId": "u1",
    });
    let AiSdkAction::Edit(message) = parse(&body).action else { panic!("{body}") };
    assert_eq!(message.id, "u1");
}

#[test]
fn answer_can_be_regenerated() {
    let body = json!({
        "id": "talk", "messages": [user("u1", &says("Two?"))],
        "trigger": "regenerate-message", "messageId": "a1",
    });
    let replaced = Some("a1".to_owned());
    assert_eq!(parse(&body).action, AiSdkAction::Regenerate { replaced });
}

/// A client sends an answer again as long as its message has no output of the call.
#[test]
fn answers_count_in_every_message_and_once() {
    let messages = [
        assistant(&[answered("1/a1", true)]),
        user("u2", &says("And?")),
        assistant(&[answered("2/a1", false), answered("1/a1", true)]),
    ];
    let request = parse(&json!({"id": "talk", "messages": messages, "messageId": "a1"}));
    let answers: Vec<_> = request
        .approvals
        .iter()
        .map(|one| (&*one.id, one.is_approved, one.reason.as_deref()))
        .collect();
    let because = Some("because");
    assert_eq!(answers, [("1/a1", true, because), ("2/a1", false, because)]);
    assert_eq!(request.action, AiSdkAction::Continue);
}

#[test]
fn approval_data_parts_may_carry_answers() {
    let question = |id: &str, data: Value| json!({"type": "data-approval", "id": id, "data": data});
    let parts = [
        question("1/a1", json!({"state": "asked"})),
        question("1/a2", json!({"approved": false})),
        question("1/a3", json!({"approved": true, "scope": "conversation"})),
        question("1/a4", json!({"approved": true, "scope": "wider", "index": 1})),
    ];
    let request = parse(&json!({"id": "talk", "message": assistant(&parts)}));
    let answers = request.approvals.iter();
    let answers: Vec<_> =
        answers.map(|one| (&*one.id, one.is_approved, one.for_conversation, one.wider)).collect();
    assert_eq!(
        answers,
        [("1/a2", false, false, None), ("1/a3", true, true, None), ("1/a4", true, false, Some(1))]
    );
}

#[test]
fn files_and_data_become_text_where_possible() {
    let parts = json!([
        {"type": "file", "mediaType": "text/plain", "filename": "a.txt", "url": "data:text/plain;base64,w6kgMQ=="},
        {"type": "file", "mediaType": "text/csv", "url": "data:text/csv,a%2Cb%0A"},
        {"type": "file", "mediaType": "image/png", "filename": "b.png", "url": "data:image/png;base64,iVBO/w=="},
        {"type": "file", "mediaType": "image/png", "filename": "c.png", "url": "https://example.org/c.png"},
        {"type": "data-place", "data": {"line": 3}},
        {"type": "text", "text": "What is it?"},
        {"type": "step-start"},
    ]);
    let body = json!({"id": "talk", "message": user("u1", &parts)});
    let AiSdkAction::Send(message) = parse(&body).action else { panic!("{body}") };
    let lines = [
        "The file a.txt (text/plain):",
        "é 1",
        "The file without a name (text/csv):",
        "a,b",
        "",
        "The file c.png (image/png) is at https://example.org/c.png",
        "{\"line\":3}",
        "What is it?",
    ];
    assert_eq!(message.content.text(), lines.join("\n"));
    let [file] = &message.files[..] else { panic!("{message:?}") };
    assert_eq!((&*file.name, file.bytes().unwrap().len()), ("b.png", 4));
}

#[test]
fn errors_name_the_faulty_part() {
    let message = user("u1", &says("Hi."));
    let mut answer = answered("1/a1", true);
    answer["approval"]["approved"] = json!("yes");
    let cases = [
        (json!({"messages": [message]}), "`id` is missing, or not a string."),
        (json!({"id": "talk"}), "The body has neither `messages` nor `message`."),
        (json!({"id": "talk", "messages": {}}), "`messages` is not an array."),
        (json!({"id": "talk", "messages": []}), "`messages` is empty."),
        (json!({"id": "talk", "messages": [message, {}]}), "`messages[1].parts` is not an array."),
        (json!({"id": "talk", "message": "Hi."}), "`message.parts` is not an array."),
        (
            json!({"id": "talk", "message": message, "trigger": "resume-stream"}),
            "The trigger is `resume-stream`, and not `submit-message` or `regenerate-message`.",
        ),
        (
            json!({"id": "talk", "messages": [assistant(&[answer])]}),
            "`messages[0].parts[0].approval` is not an answer with an id and `approved`, which is \
             true or false.",
        ),
        (
            json!({"id": "talk", "message": user("u1", &json!([]))}),
            "The message `u1` has no text, file or data.",
        ),
        (
            json!({"id": "talk", "message": {"id": "s1", "role": "system", "parts": []}}),
            "The last message is neither of the role `user` nor of `assistant`.",
        ),
    ];
    for (body, expected) in cases {
        let why = AiSdkRequest::parse(body.to_string().as_bytes()).unwrap_err();
        assert_eq!(why.to_string(), expected);
    }
    let why = AiSdkRequest::parse(b"{").unwrap_err().to_string();
    assert!(why.starts_with("The body is not JSON: EOF"), "{why}");
}
