//! Requests of clients.

use serde_json::{Value, json};
use silcrow_front::{AgUiDecision, AgUiKnownMessage, AgUiRequest, AgUiRole, RunEnd};

fn request(messages: &Value, resume: &Value) -> AgUiRequest {
    parse(messages, resume).unwrap()
}

fn parse(messages: &Value, resume: &Value) -> Result<AgUiRequest, String> {
    let body = json!({
        "threadId": "talk", "runId": "run", "state": {"a": 1}, "tools": [{"name": "open_map"}],
        "context": [{"description": "the page", "value": {"id": 7}}],
        "forwardedProps": null, "messages": messages, "resume": resume,
    });
    AgUiRequest::parse(body.to_string().as_bytes()).map_err(|why| format!("{}: {why}", why.code()))
}

fn user(id: &str, content: impl Into<Value>) -> Value {
    json!({"id": id, "role": "user", "content": content.into()})
}

fn answer(payload: Value) -> Value {
    json!([{"interruptId": "1/a1", "status": "resolved", "payload": payload}])
}

#[test]
fn messages_have_their_authors_and_texts() {
    let parts = json!([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]);
    let call = json!({"id": "c1-1", "role": "assistant", "toolCalls": [{}]});
    let request = request(&json!([user("m1", parts), call]), &json!([]));
    assert_eq!(request.protocol_version, None);
    assert_eq!(request.messages[0].text, "one\ntwo");
    assert_eq!(request.messages[1].role, AgUiRole::Assistant);
}

#[test]
fn instructions_are_system_messages_and_context() {
    let said = [("developer", "Use metres."), ("system", "Be brief."), ("user", "Where?")];
    let said = said.map(|(role, text)| json!({"id": role, "role": role, "content": text}));
    let request = request(&json!(said), &json!([]));
    assert_eq!(request.instructions(), "Use metres.\n\nBe brief.\n\nthe page: {\"id\":7}");
    assert_eq!(request.new_messages(&[]).unwrap().len(), 1);
    let body = r#"{"threadId":"t","runId":"r","messages":[],"context":[{"description":"x"}]}"#;
    let error = AgUiRequest::parse(body.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("`context[0].value`"), "{error}");
}

#[test]
fn request_errors_name_the_fault() {
    let video = json!([{"type": "video", "source": {"type": "url", "value": "x"}}]);
    let cases = [
        (json!("x"), json!([]), "`messages` is not a list"),
        (json!(null), json!([]), "`messages` is missing"),
        (json!([{"id": "m1"}]), json!([]), "`messages[0].role` is missing"),
        (
            json!([{"id": "m1", "role": "robot"}]),
            json!([]),
            "`messages[0].role` is `robot`, which the protocol does not have",
        ),
        (json!([{"id": 1, "role": "user"}]), json!([]), "`messages[0].id` is not a string"),
        (
            json!([user("m1", json!(null))]),
            json!([]),
            "`messages[0].content` is not a string or a list of parts",
        ),
        (
            json!([user("m1", video)]),
            json!([]),
            "`messages[0].content[0]` is of the type `video`; this agent reads text, pictures, documents and \
             sounds",
        ),
        (json!([]), json!([{"interruptId": "1"}]), "`resume[0].status` is missing"),
        (
            json!([]),
            answer(json!({"approved": "yes"})),
            "`resume[0].payload.approved` is not `true` or `false`",
        ),
        (
            json!([]),
            answer(json!({"approved": true, "scope": "always"})),
            "`resume[0].payload.scope` is not `once`, `conversation` or `wider`",
        ),
        (
            json!([]),
            answer(json!({"approved": true, "editedArgs": {}})),
            "`resume[0].payload.editedArgs` is not supported: deny the call with a reason",
        ),
    ];
    for (messages, resume, why) in cases {
        assert_eq!(parse(&messages, &resume).unwrap_err(), format!("invalid_request: {why}"));
    }
    let why = |body: &str| AgUiRequest::parse(body.as_bytes()).unwrap_err().to_string();
    assert_eq!(why("[]"), "the request is not a JSON object");
    assert!(why("{").starts_with("the request is not JSON: "));
}

#[test]
fn only_unknown_messages_are_new() {
    let known = |ids: &[&'static str]| -> Vec<AgUiKnownMessage<'static>> {
        ids.iter().map(|id| AgUiKnownMessage { id, text: "x" }).collect()
    };
    let new = |sent: &[&str], ids| {
        let sent: Vec<_> = sent.iter().map(|id| user(id, "x")).collect();
        let request = request(&json!(sent), &json!([]));
        let new = request.new_messages(&known(ids));
        let new = new.map(|new| new.iter().map(|one| one.id.clone()).collect::<Vec<_>>().join(" "));
        new.unwrap_or_else(|why| format!("{}: {why}", why.code()))
    };
    assert_eq!(new(&["m1"], &[]), "m1");
    assert_eq!(new(&["m1", "m2", "m3"], &["m1"]), "m2 m3");
    assert_eq!(new(&["m1"], &["m1"]), "");
    // The client has only the end of the conversation, or nothing of it.
    assert_eq!(new(&["m2", "m3"], &["m1", "m2"]), "m3");
    assert_eq!(new(&["m3"], &["m1", "m2"]), "m3");
    let missing = "edited_history: the message `m2` is missing";
    assert_eq!(new(&["m1"], &["m1", "m2"]), missing);
    let moved = "edited_history: the message `m2` is not where it was";
    assert_eq!(new(&["m1", "m3"], &["m1", "m2"]), moved);
    assert_eq!(new(&["m0", "m2"], &["m1", "m2"]), moved);
}

#[test]
fn a_message_with_another_text_is_an_edit() {
    let request = request(&json!([user("m1", "y"), user("m2", "z")]), &json!([]));
    let error = request.new_messages(&[AgUiKnownMessage { id: "m1", text: "x" }]).unwrap_err();
    assert_eq!(error.to_string(), "the message `m1` has another text");
    let (code, message) = ("edited_history".to_owned(), error.to_string());
    assert_eq!(RunEnd::from(error), RunEnd::Failed { code, message });
}

#[test]
fn answers_are_decisions() {
    let decision = |payload| request(&json!([]), &answer(payload)).answers[0].decision.clone();
    assert_eq!(decision(json!({"approved": true})), AgUiDecision::Once);
    assert_eq!(decision(json!({"approved": true, "scope": "once"})), AgUiDecision::Once);
    let conversation = json!({"approved": true, "scope": "conversation"});
    assert_eq!(decision(conversation), AgUiDecision::Conversation);
    let wider = json!({"approved": true, "scope": "wider", "index": 1});
    assert_eq!(decision(wider), AgUiDecision::Wider(1));
    assert_eq!(decision(json!({"approved": false})), AgUiDecision::Denied(None));
    let denied = AgUiDecision::Denied(Some("not there".to_owned()));
    assert_eq!(decision(json!({"approved": false, "reason": "not there"})), denied);
    let cancelled = json!([{"interruptId": "1/a1", "status": "cancelled"}]);
    assert_eq!(request(&json!([]), &cancelled).answers[0].decision, AgUiDecision::Cancelled);
}

#[test]
fn every_open_interrupt_needs_one_answer() {
    let entry = |id: &str| json!({"interruptId": id, "status": "cancelled"});
    let check = |answers: &[&str], open: &[&str]| {
        let answers: Vec<_> = answers.iter().map(|id| entry(id)).collect();
        let checked = request(&json!([]), &json!(answers)).check_answers(open);
        checked.map_err(|why| format!("{}: {why}", why.code()))
    };
    assert_eq!(check(&["1", "2"], &["2", "1"]), Ok(()));
    assert_eq!(check(&[], &[]), Ok(()));
    let unknown = "unknown_interrupt: `resume[0]` answers the interrupt `3`, which is not open";
    assert_eq!(check(&["3"], &["1"]), Err(unknown.to_owned()));
    let open = "open_interrupts: `resume` has no answer to the interrupt `2`, which is open";
    assert_eq!(check(&["1"], &["1", "2"]), Err(open.to_owned()));
    let twice = "invalid_request: `resume[1]` answers the interrupt `1` a second time";
    assert_eq!(check(&["1", "1"], &["1"]), Err(twice.to_owned()));
}
