//! Notices to the person at a client, and questions in forms.

use serde_json::{Value, json};
use silcrow_parser::Dialect;

use crate::client::{TestClient, updates};
use crate::host::ScriptedHost;

const SAYS_TWICE: &str = "§respond: One.\n§end\n%%\n§respond: Two.\n§end";

/// Returns the updates of a prompt.
async fn prompted(client: &mut TestClient, session: &str) -> Vec<Value> {
    let prompt = client.prompt(session, "Go.").await;
    updates(&client.until(prompt).await.0)
}

#[tokio::test]
async fn notice_is_shown_once_per_session() {
    for shows_notices in [true, false] {
        let mut host = ScriptedHost::new(Dialect::Sigil, SAYS_TWICE);
        host.notices = vec!["The server is not there.".to_owned()];
        let abilities = if shows_notices { json!({"session": {"notices": {}}}) } else { json!({}) };
        let mut client = TestClient::with_abilities(host, abilities).await;
        let session = client.open().await;
        let first = prompted(&mut client, &session).await.remove(0);
        match shows_notices {
            true => assert_eq!(
                first,
                json!({"sessionUpdate": "notice", "severity": "warning",
                    "title": "The server is not there."})
            ),
            false => {
                assert_eq!(first["sessionUpdate"], "agent_message_chunk");
                assert_eq!(first["content"]["text"], "The server is not there.\n\n");
                assert_eq!(first["messageId"], "notice-1");
            }
        }
        let second = prompted(&mut client, &session).await;
        assert!(!json!(second).to_string().contains("not there"), "{second:?}");
        let other = client.open().await;
        let told = prompted(&mut client, &other).await;
        assert!(json!(told).to_string().contains("not there"), "{told:?}");
        client.leave().await.unwrap();
    }
}

const ASKS: &str = "§call: {\"name\":\"form\",\"args\":{}}\n§execute\n%%\n§respond: Done.\n§end";

#[tokio::test]
async fn form_answers_keep_only_requested_fields() {
    for (answer, expected) in [
        (
            json!({"action": "accept", "content": {"colour": "blue", "other": 1}}),
            r#"Accepted({"colour": String("blue")})"#,
        ),
        (json!({"action": "accept", "content": {"other": 1}}), "Declined"),
        (json!({"action": "accept"}), "Declined"),
        (json!({"action": "decline"}), "Declined"),
        (json!({"action": "cancel"}), "Cancelled"),
        (json!({"action": "_later"}), "Declined"),
    ] {
        let host = ScriptedHost::new(Dialect::Sigil, ASKS);
        let abilities = json!({"elicitation": {"form": {}}});
        let mut client = TestClient::with_abilities(host, abilities).await;
        let session = client.open().await;
        let prompt = client.prompt(&session, "Ask.").await;
        let question = loop {
            let message = client.next().await;
            if message["method"] == "elicitation/create" {
                break message;
            }
        };
        let params = &question["params"];
        assert_eq!((&params["mode"], &params["sessionId"]), (&json!("form"), &json!(session)));
        assert_eq!(params["message"], "Which colour?");
        assert_eq!(params["requestedSchema"]["required"], json!(["colour"]));
        client.answer(&question, answer.clone()).await;
        let updates = updates(&client.until(prompt).await.0);
        let ended = updates.iter().find(|update| update["status"] == "completed").unwrap();
        assert_eq!(ended["content"][0]["content"]["text"], expected, "{answer}");
        client.leave().await.unwrap();
    }
}

#[tokio::test]
async fn client_without_forms_is_not_asked() {
    for abilities in [json!({}), json!({"elicitation": {"url": {}}})] {
        let host = ScriptedHost::new(Dialect::Sigil, ASKS);
        let mut client = TestClient::with_abilities(host, abilities).await;
        let session = client.open().await;
        // The client panics at a request that it does not expect.
        let updates = prompted(&mut client, &session).await;
        let ended = updates.iter().find(|update| update["status"] == "completed").unwrap();
        assert_eq!(ended["content"][0]["content"]["text"], "Declined");
        client.leave().await.unwrap();
    }
}

#[tokio::test]
async fn open_form_does_not_block_cancelling() {
    let host = ScriptedHost::new(Dialect::Sigil, ASKS);
    let mut client = TestClient::with_abilities(host, json!({"elicitation": {"form": {}}})).await;
    let session = client.open().await;
    let prompt = client.prompt(&session, "Ask.").await;
    while client.next().await["method"] != "elicitation/create" {}
    client.notify("session/cancel", json!({"sessionId": session})).await;
    let (_, answer) = client.until(prompt).await;
    assert_eq!(answer["result"], json!({"stopReason": "cancelled"}));
    client.leave().await.unwrap();
}
