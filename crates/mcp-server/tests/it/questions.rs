//! Questions about calls, in each revision, and for clients that cannot ask.

use serde_json::{Value, json};

use crate::support::{Client, Host, WRITES, structured};

/// A script that asks to write three times in a loop.
const WRITES_EACH: &str = r#"<foreach id="each" in="['a','b','c']" as="x" on_error="skip">
<action id="w">{"name":"write","parameters":{"file":"$x"}}</action></foreach>
%%
<response>It is done.</response>"#;

#[tokio::test]
async fn earlier_client_is_asked_by_request() {
    let host = Host::new(WRITES);
    let mut client = host.connect();
    client.initialize(json!({"elicitation": {}})).await;
    let params = json!({"name": "run", "arguments": {"prompt": "Write."}});
    let id = client.begin("tools/call", params).await;
    let asked = client.next().await;
    assert_eq!(asked["method"], "elicitation/create", "{asked}");
    let message = asked["params"]["message"].as_str().unwrap();
    assert!(message.contains("`write`") && message.contains("a.txt"), "{message}");
    assert_eq!(host.written(), 0);
    let answer = json!({"action": "accept", "content": {"decision": "once"}});
    client.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer})).await;
    let answer = client.answer(id).await;
    assert_eq!(structured(&answer)["outcome"], "answered", "{answer}");
    assert!(structured(&answer)["answer"].as_str().unwrap().contains("wrote"));
    assert_eq!(host.written(), 1);
}

#[tokio::test]
async fn only_explicit_decisions_count_as_answers() {
    for (answer, outcome) in [
        (json!({"action": "decline"}), "answered"),
        (
            json!({"action": "accept", "content": {"decision": "deny", "reason": "not now"}}),
            "answered",
        ),
        (json!({"action": "accept", "content": {}}), "waiting"),
        (json!({"action": "accept", "content": {"decision": "sure"}}), "waiting"),
        (json!({"action": "cancel"}), "waiting"),
    ] {
        let host = Host::new(&format!("{WRITES}\n%%\n<response>Then not.</response>"));
        let mut client = host.connect();
        client.initialize(json!({"elicitation": {}})).await;
        let params = json!({"name": "run", "arguments": {"prompt": "Write."}});
        let id = client.begin("tools/call", params).await;
        let asked = client.next().await;
        client.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer})).await;
        let ended = client.answer(id).await;
        assert_eq!(structured(&ended)["outcome"], outcome, "{answer} {ended}");
        assert_eq!(host.written(), 0);
    }
}

#[tokio::test]
async fn client_without_forms_gets_answering_instructions() {
    let host = Host::new(WRITES);
    let mut client = host.connect();
    client.initialize(json!({})).await;
    let params = json!({"name": "run", "arguments": {"prompt": "Write."}});
    let answer = client.request("tools/call", params).await;
    assert_eq!(structured(&answer)["outcome"], "waiting", "{answer}");
    let conversation = host.conversation().await;
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains(&format!("silcrow runs answer {conversation}")), "{text}");
    let question = structured(&answer)["questions"][0]["id"].as_str().unwrap().to_owned();

    // Elsewhere the person says yes, and the run continues.
    let place = silcrow_server::RunPlace::new(&*conversation);
    let yes = silcrow_tool::ApprovalDecision::Allow(silcrow_tool::ApprovalScope::Once);
    host.server.answer(place, &[(question, yes)], None).await.unwrap();
    host.until_stored(&conversation, "respond").await;
    assert_eq!(host.written(), 1);
}

#[tokio::test]
async fn new_revision_client_repeats_call_with_answer() {
    let host = Host::new(WRITES);
    let mut client = host.connect();
    client.can = json!({"elicitation": {"form": {}}});
    let call = json!({"name": "run", "arguments": {"prompt": "Write."}});
    let asked = client.stateless("tools/call", call.clone()).await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let requests = asked["result"]["inputRequests"].as_object().unwrap();
    let (key, request) = requests.iter().next().unwrap();
    assert_eq!((requests.len(), &request["method"]), (1, &json!("elicitation/create")));

    // Without the answer it is asked again, and the prompt is not run twice.
    let mut wrong = call.clone();
    wrong["requestState"] = asked["result"]["requestState"].clone();
    wrong["inputResponses"] = json!({"other": {"action": "accept", "content": {}}});
    let again = client.stateless("tools/call", wrong).await;
    assert_eq!(again["result"]["inputRequests"], asked["result"]["inputRequests"], "{again}");

    let mut right = call;
    right["requestState"] = asked["result"]["requestState"].clone();
    right["inputResponses"] = json!({key: {"action": "accept", "content": {"decision": "once"}}});
    right["_meta"]["progressToken"] = json!("p");
    let answer = client.stateless("tools/call", right.clone()).await;
    assert_eq!(structured(&answer)["outcome"], "answered", "{answer}");
    assert_eq!(host.written(), 1);
    assert_eq!(client.progress(), ["write a.txt"]);
    host.conversation().await;

    // A lost answer can be asked for again, and nothing runs twice.
    let same = client.stateless("tools/call", right).await;
    assert_eq!(structured(&same), structured(&answer));
    assert_eq!(host.written(), 1);
}

#[tokio::test]
async fn unissued_request_state_is_refused() {
    let host = Host::new(WRITES);
    let mut client = host.connect();
    client.can = json!({"elicitation": {"form": {}}});
    let call = json!({
        "name": "run",
        "arguments": {"prompt": "Write."},
        "requestState": "mcp-0000000000000000",
        "inputResponses": {},
    });
    let answer = client.stateless("tools/call", call).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}

#[tokio::test]
async fn loop_is_one_form_with_selectable_calls() {
    let host = Host::new(WRITES_EACH);
    let mut client = host.connect();
    client.initialize(json!({"elicitation": {}})).await;
    let params = json!({"name": "run", "arguments": {"prompt": "Write."}});
    let id = client.begin("tools/call", params).await;
    let asked = client.next().await;
    let message = asked["params"]["message"].as_str().unwrap();
    assert!(
        message.contains("`write` run 3 times") && message.contains("`1/each[].w`"),
        "{message}"
    );
    let properties = &asked["params"]["requestedSchema"]["properties"];
    assert_eq!(properties["1/each[2].w"]["title"], r#"3. {"file":"c"}"#, "{properties}");
    let some =
        json!({"decision": "some", "1/each[0].w": true, "1/each[1].w": false, "1/each[2].w": true});
    let answer = json!({"action": "accept", "content": some});
    client.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer})).await;
    let answer = client.answer(id).await;
    assert_eq!(structured(&answer)["answer"], "It is done.", "{answer}");
    assert_eq!(host.written(), 2);
}

#[tokio::test]
async fn loop_form_accepts_all_some_or_no_items() {
    for (content, written) in [
        (json!({"decision": "all-3"}), Some(3)),
        (json!({"decision": "some", "1/each[1].w": true, "reason": "not the others"}), Some(1)),
        (json!({"decision": "deny"}), Some(0)),
        // The text of a form about other calls, and the text of one about a single call.
        (json!({"decision": "all-2"}), None),
        (json!({"decision": "once"}), None),
    ] {
        let host = Host::new(WRITES_EACH);
        let mut client = host.connect();
        client.can = json!({"elicitation": {"form": {}}});
        let answer = answered(&mut client, &content).await;
        match written {
            Some(_) => assert_eq!(structured(&answer)["outcome"], "answered", "{content} {answer}"),
            None => assert_eq!(answer["result"]["resultType"], "input_required", "{answer}"),
        }
        assert_eq!(host.written(), written.unwrap_or(0), "{content}");
    }
}

/// Repeats a call with the answer to its one form.
async fn answered(client: &mut Client, content: &Value) -> Value {
    let mut call = json!({"name": "run", "arguments": {"prompt": "Write."}});
    let asked = client.stateless("tools/call", call.clone()).await;
    let forms = asked["result"]["inputRequests"].as_object().unwrap();
    assert_eq!(forms.keys().collect::<Vec<_>>(), ["1/each[].w"], "{asked}");
    call["requestState"] = asked["result"]["requestState"].clone();
    call["inputResponses"] = json!({"1/each[].w": {"action": "accept", "content": content}});
    client.stateless("tools/call", call).await
}
