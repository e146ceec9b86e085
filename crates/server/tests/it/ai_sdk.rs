//! The endpoints for the Vercel AI SDK.

use serde_json::{Value, json};
use silcrow_parser::Dialect;
use silcrow_provider::ScriptedModel;
use silcrow_server::Options;
use silcrow_tool::ParkAll;

use crate::save::Save;
use crate::support::{Reply, SlowModel, TestServer, block_on};

const SAVES: &str = r#"§respond: I save both.
§call: {"name":"save","args":{"n":1}}
§call: {"name":"save","args":{"n":2}}
§execute
%%
§respond: It is saved.
§end"#;

async fn asking() -> (TestServer, Save) {
    let save = Save::default();
    let tool = save.clone();
    let server =
        TestServer::with(ScriptedModel::parse(SAVES, 1), Options::default(), move |agent| {
            agent.with_tool(tool.clone()).unwrap().with_approver(ParkAll)
        });
    (server.await, save)
}

fn prompt(text: &str) -> String {
    let message =
        json!({ "id": "m1", "role": "user", "parts": [{ "type": "text", "text": text }] });
    json!({ "id": "c1", "messages": [message], "trigger": "submit-message" }).to_string()
}

fn answers(given: &[(&Value, bool)], text: Option<&str>) -> String {
    let parts: Vec<_> = given
        .iter()
        .map(|(id, approved)| {
            json!({
                "type": "dynamic-tool", "toolName": "save", "toolCallId": "x", "input": {},
                "state": "approval-responded", "approval": { "id": id, "approved": approved },
            })
        })
        .collect();
    let mut messages = vec![json!({ "id": "a1", "role": "assistant", "parts": parts })];
    if let Some(text) = text {
        let parts = json!([{ "type": "text", "text": text }]);
        messages.push(json!({ "id": "m2", "role": "user", "parts": parts }));
    }
    json!({ "id": "c1", "messages": messages }).to_string()
}

fn of_type<'a>(parts: &'a [Value], kind: &str) -> Vec<&'a Value> {
    parts.iter().filter(|part| part["type"] == kind).collect()
}

fn text(parts: &[Value]) -> String {
    of_type(parts, "text-delta").iter().filter_map(|part| part["delta"].as_str()).collect()
}

fn ids(reply: &Reply) -> Vec<Value> {
    let parts = reply.data();
    of_type(&parts, "tool-approval-request").iter().map(|part| part["approvalId"].clone()).collect()
}

#[test]
fn prompt_is_stored_and_answered_by_stream() {
    block_on(async {
        let server = TestServer::new(ScriptedModel::parse("§respond: Four.\n§end", 1)).await;
        let reply = server.send("POST", "/api/chat?ai=7", &prompt("2 + 2?")).await;
        assert!(reply.head.contains("x-vercel-ai-ui-message-stream: v1"), "{}", reply.head);
        let parts = reply.data();
        assert_eq!(parts[0], json!({ "type": "start", "messageId": "a1" }));
        assert_eq!(text(&parts), "Four.");
        assert_eq!(parts.last().unwrap(), "[DONE]");
        let stored = server.send("GET", "/api/chat/c1", "").await.json();
        assert_eq!(stored[0]["id"], "p1");
        assert_eq!(stored[1]["parts"][1]["text"], "Four.");
        assert_eq!(server.send("GET", "/api/chat/c1/stream", "").await.status, 204);
        assert_eq!(server.send("GET", "/api/chat/c2/stream", "").await.status, 204);
        assert_eq!(server.send("GET", "/api/chat/c2", "").await.status, 404);
    });
}

#[test]
fn repeated_answer_runs_nothing() {
    block_on(async {
        let (server, save) = asking().await;
        let asked = server.send("POST", "/api/chat", &prompt("Save both.")).await;
        let ids = ids(&asked);
        assert_eq!(ids.len(), 2, "{asked:?}");
        let body = answers(&[(&ids[0], true), (&ids[1], false)], None);
        let parts = server.send("POST", "/api/chat", &body).await.data();
        assert_eq!(parts[0], json!({ "type": "start", "messageId": "a1" }), "{parts:?}");
        assert_eq!(save.count(), 1);
        assert_eq!(text(&parts), "It is saved.");
        let again = server.send("POST", "/api/chat", &body).await;
        assert_eq!((again.status, &*again.code()), (409, "stale"));
        assert_eq!(save.count(), 1);
        let stored = server.send("GET", "/api/chat/c1", "").await.json();
        assert_eq!(stored.as_array().unwrap().len(), 2, "{stored}");
        assert_eq!(stored[1]["id"], "a1");
    });
}

#[test]
fn partial_answers_are_kept_for_the_rest() {
    block_on(async {
        let (server, save) = asking().await;
        let ids = ids(&server.send("POST", "/api/chat", &prompt("Save both.")).await);
        let first = server.send("POST", "/api/chat", &answers(&[(&ids[0], true)], None)).await;
        let parts = first.data();
        assert_eq!(parts[0]["messageId"], "a1", "{parts:?}");
        assert_eq!(of_type(&parts, "finish").len(), 1);
        assert_eq!(save.count(), 0);
        let body = answers(&[(&ids[0], true), (&ids[1], true)], Some("And hurry."));
        let parts = server.send("POST", "/api/chat", &body).await.data();
        assert_eq!(text(&parts), "It is saved.", "{parts:?}");
        assert_eq!(save.count(), 2);
        let log = server.send("GET", "/conversations/c1", "").await.body;
        assert_eq!(log.matches("And hurry.").count(), 1, "{log}");
    });
}

#[test]
fn running_chat_is_replayed_and_stopped() {
    block_on(async {
        let (model, release) = SlowModel::new();
        let server = TestServer::new(model).await;
        let mut first = server.open("POST", "/api/chat", &prompt("Go.")).await;
        release.send("§respond: One, ".to_owned()).await.unwrap();
        while first.next_data().await.unwrap()["type"] != "text-delta" {}
        drop(first);
        let busy = server.send("POST", "/api/chat", &prompt("More.")).await;
        assert_eq!((busy.status, &*busy.code()), (409, "busy"));
        let mut second = server.open("GET", "/api/chat/c1/stream", "").await;
        assert_eq!(second.next_data().await.unwrap()["messageId"], "a1");
        release.send("two".to_owned()).await.unwrap();
        let mut text = String::new();
        while text != "One, two" {
            text += second.next_data().await.unwrap()["delta"].as_str().unwrap_or_default();
        }
        assert_eq!(server.send("POST", "/api/chat/c1/stop", "").await.status, 202);
        while second.next_data().await.unwrap()["type"] != "abort" {}
        assert_eq!(server.send("POST", "/api/chat/c1/stop", "").await.status, 409);
    });
}

#[test]
fn a_continued_run_is_replayed_from_its_prompt() {
    block_on(async {
        let (model, release) = SlowModel::new();
        let server = TestServer::with(model, Options::default(), |agent| {
            agent.with_tool(Save::default()).unwrap().with_approver(ParkAll)
        });
        let server = server.await;
        let call = "§respond: I save.\n§call: {\"name\":\"save\",\"args\":{\"n\":1}}\n§execute";
        release.send(call.to_owned()).await.unwrap();
        release.send(String::new()).await.unwrap();
        let asked = server.send("POST", "/api/chat", &prompt("Save.")).await;
        let body = answers(&[(&ids(&asked)[0], true)], None);
        let mut first = server.open("POST", "/api/chat", &body).await;
        release.send("§respond: Now ".to_owned()).await.unwrap();
        while first.next_data().await.unwrap()["delta"] != "Now " {}
        let mut replay = server.open("GET", "/api/chat/c1/stream", "").await;
        assert_eq!(replay.next_data().await.unwrap()["messageId"], "a1");
        release.send("it is.\n§end".to_owned()).await.unwrap();
        release.send(String::new()).await.unwrap();
        let mut text = String::new();
        while let Some(part) = replay.next_data().await {
            text +=
                part["delta"].as_str().filter(|_| part["type"] == "text-delta").unwrap_or_default();
        }
        assert_eq!(text, "I save.Now it is.");
    });
}

#[test]
fn unsupported_actions_are_refused() {
    block_on(async {
        let server = TestServer::new(ScriptedModel::parse("§respond: Four.\n§end", 1)).await;
        let body = prompt("2 + 2?");
        assert_eq!(server.send("POST", "/api/chat?ai=4", &body).await.code(), "malformed");
        assert_eq!(server.send("POST", "/api/chat", "{}").await.code(), "malformed");
        assert_eq!(server.send_raw("POST", "/api/chat", "", &body).await.status, 401);
        let other =
            format!("authorization: Bearer {}\r\norigin: http://evil.example\r\n", server.token);
        assert_eq!(server.send_raw("POST", "/api/chat", &other, &body).await.status, 403);
        let mut again: Value = serde_json::from_str(&body).unwrap();
        again["trigger"] = "regenerate-message".into();
        // There is no answer that could be repeated.
        assert_eq!(server.send("POST", "/api/chat", &again.to_string()).await.status, 404);
        assert_eq!(server.send("POST", "/api/chat", &body).await.status, 200);
        again["messageId"] = "a9".into();
        let again = server.send("POST", "/api/chat", &again.to_string()).await;
        assert_eq!((again.status, &*again.code()), (409, "stale"));
    });
}

#[test]
fn regenerating_and_editing_make_branches() {
    block_on(async {
        let script = "§respond: Four.\n§end\n%%\n§respond: Six.\n§end\n%%\n§respond: 6.\n§end\n%%\n\
                      §respond: Five.\n§end\n%%\n§respond: So?\n§end";
        let server = TestServer::new(ScriptedModel::parse(script, 1)).await;
        let said = |id: &str, text: &str| json!({ "id": id, "role": "user", "parts": [{ "type": "text", "text": text }] });
        let answer = json!({ "id": "a1", "role": "assistant", "parts": [] });
        let send = async |messages: Value, trigger: &str, named: Value| {
            let body =
                json!({ "id": "c1", "messages": messages, "trigger": trigger, "messageId": named });
            let reply = server.send("POST", "/api/chat", &body.to_string()).await;
            assert_eq!(reply.status, 200, "{reply:?}");
            text(&reply.data())
        };
        let stored = async || server.send("GET", "/api/chat/c1", "").await.json();
        let (first, second) = (said("m1", "2 + 2?"), said("m2", "3 + 3?"));
        assert_eq!(send(json!([first]), "submit-message", Value::Null).await, "Four.");
        let both = json!([first, answer, second]);
        assert_eq!(send(both.clone(), "submit-message", Value::Null).await, "Six.");
        // The client names an answer that it has made itself, and has cut its messages before it.
        assert_eq!(send(both, "regenerate-message", "msg-x".into()).await, "6.");
        let now = stored().await;
        assert_eq!(now.as_array().unwrap().len(), 4, "{now}");
        assert_eq!(now[3]["parts"][1]["text"], "6.");
        // It edits its first message, which begins anew.
        let edited = said("m1", "2 + 3?");
        assert_eq!(send(json!([edited]), "submit-message", "m1".into()).await, "Five.");
        let now = stored().await;
        assert_eq!(now.as_array().unwrap().len(), 2, "{now}");
        assert_eq!(now[0]["parts"][0]["text"], "2 + 3?");
        // The branches exist, and the chat continues in the chosen one.
        let branches = server.send("GET", "/conversations/c1/branches", "").await.json();
        let ids: Vec<_> = branches["branches"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["conversation"].as_str().unwrap())
            .collect();
        assert_eq!(ids, ["c1", "c1~2", "c1~3"]);
        assert_eq!(
            (&branches["current"], &branches["branches"][1]["since"]),
            (&json!("c1~3"), &json!(3))
        );
        let chosen =
            server.send("POST", "/conversations/c1/branches", r#"{"conversation":"c1~2"}"#).await;
        assert_eq!(chosen.json()["current"], "c1~2");
        assert_eq!(stored().await[3]["parts"][1]["text"], "6.");
        let wrong =
            server.send("POST", "/conversations/c1/branches", r#"{"conversation":"c9"}"#).await;
        assert_eq!(wrong.status, 404, "{wrong:?}");
        assert_eq!(
            send(
                json!([first, answer, second, answer, said("m3", "So?")]),
                "submit-message",
                Value::Null
            )
            .await,
            "So?"
        );
        assert_eq!(stored().await.as_array().unwrap().len(), 6);
    });
}

#[test]
fn stopping_server_tells_its_clients() {
    block_on(async {
        let (model, release) = SlowModel::new();
        let server = TestServer::new(model).await;
        let mut reader = server.open("POST", "/api/chat", &prompt("Go.")).await;
        release.send("§respond: One".to_owned()).await.unwrap();
        while reader.next_data().await.unwrap()["type"] != "text-delta" {}
        server.stop.cancel();
        let mut last = Vec::new();
        while let Some(part) = reader.next_data().await {
            last.push(part);
        }
        assert_eq!(last.last().unwrap(), "[DONE]");
        assert_eq!(of_type(&last, "error").len(), 1, "{last:?}");
        drop(release);
    });
}

#[test]
fn loop_calls_share_one_question() {
    const LOOP: &str = r#"<foreach id="each" in="[1,2,3]" as="x" max_parallel="1" on_error="skip">
<action id="s">{"name":"save","parameters":{"n":"$x"}}</action></foreach>
%%
<response>It is saved.</response>"#;
    block_on(async {
        let save = Save::default();
        let tool = save.clone();
        let model = ScriptedModel::parse(LOOP, 1);
        let server = TestServer::with(model, Options::default(), move |agent| {
            let agent = agent.with_tool(tool.clone()).unwrap();
            agent.with_approver(ParkAll).with_dialect(Dialect::Action)
        });
        let server = server.await;
        let asked = server.send("POST", "/api/chat", &prompt("Save them.")).await;
        let parts = asked.data();
        // A page shows the calls of one loop together.
        let questions = of_type(&parts, "data-approval");
        let groups = questions.iter().map(|part| &part["data"]["group"]);
        assert_eq!(groups.collect::<Vec<_>>(), ["1/each[].s"; 3], "{parts:?}");
        let ids = ids(&asked);
        let body = answers(&[(&ids[0], true), (&ids[1], false), (&ids[2], true)], None);
        let parts = server.send("POST", "/api/chat", &body).await.data();
        assert_eq!(text(&parts), "It is saved.", "{parts:?}");
        assert_eq!(save.count(), 2);
    });
}
