//! The endpoint for clients of AG-UI.

use serde_json::{Value, json};
use silcrow_provider::ScriptedModel;
use silcrow_server::Options;
use silcrow_tool::ParkAll;

use crate::save::Save;
use crate::support::{SlowModel, TestServer, block_on};

fn request(messages: &[(&str, &str)], resume: Value) -> String {
    let messages: Vec<_> = messages
        .iter()
        .map(|(id, text)| json!({ "id": id, "role": "user", "content": text }))
        .collect();
    json!({
        "threadId": "c1", "runId": "r1", "protocolVersion": "1.0", "state": {}, "tools": [],
        "context": [], "messages": messages, "resume": resume,
    })
    .to_string()
}

fn last(events: &[Value]) -> &Value {
    events.last().unwrap()
}

#[test]
fn edited_history_is_a_branch() {
    block_on(async {
        let script = "§respond: Four.\n§end\n%%\n§respond: Six.\n§end\n%%\n§respond: Five.\n§end\n%%\n§respond: 5\n§end";
        let server = TestServer::new(ScriptedModel::parse(script, 1)).await;
        let first = [("m1", "2 + 2?")];
        let events = server.send("POST", "/ag-ui", &request(&first, Value::Null)).await.data();
        assert_eq!(events[0]["type"], "RUN_STARTED");
        assert_eq!(last(&events)["outcome"]["type"], "success", "{events:?}");
        let both = [("m1", "2 + 2?"), ("m2", "3 + 3?")];
        let events = server.send("POST", "/ag-ui", &request(&both, Value::Null)).await.data();
        assert_eq!(last(&events)["outcome"]["type"], "success", "{events:?}");
        let edited = [("m1", "2 + 3?")];
        let events = server.send("POST", "/ag-ui", &request(&edited, Value::Null)).await.data();
        assert_eq!(last(&events)["outcome"]["type"], "success", "{events:?}");
        assert_eq!(last(&events)["metadata"]["silcrow"]["conversation"], "c1~2");
        // It continues under its own name, with the ids that the client gave.
        let events = server.send("POST", "/ag-ui", &request(&edited, Value::Null)).await.data();
        let snapshot = events[1]["messages"].as_array().unwrap();
        assert_eq!((snapshot.len(), &snapshot[0]["id"]), (2, &json!("m1")), "{events:?}");
        // An answer is regenerated if the client asks for it.
        let mut again: Value = serde_json::from_str(&request(&edited, Value::Null)).unwrap();
        again["forwardedProps"] = json!({ "regenerate": true });
        let events = server.send("POST", "/ag-ui", &again.to_string()).await.data();
        assert_eq!(last(&events)["metadata"]["silcrow"]["conversation"], "c1~3");
        let branches = server.send("GET", "/conversations/c1~3/branches", "").await.json();
        assert_eq!(branches["branches"].as_array().unwrap().len(), 3, "{branches}");
        let chosen = r#"{"conversation":"c1"}"#;
        let reply = server.send("POST", "/conversations/c1~2/branches", chosen).await;
        assert_eq!(reply.json()["current"], "c1", "{reply:?}");
        let list = server.send("GET", "/conversations", "").await.json();
        let ids: Vec<_> =
            list["conversations"].as_array().unwrap().iter().map(|one| &one["id"]).collect();
        assert_eq!(ids, ["c1"]);
        // A client that is up to date joins.
        let events = server.send("POST", "/ag-ui", &request(&both, Value::Null)).await.data();
        let messages: Vec<_> = events[1]["messages"].as_array().unwrap().iter().collect();
        assert_eq!(messages.len(), 4, "{events:?}");
        assert_eq!((&messages[0]["id"], &messages[2]["id"]), (&json!("m1"), &json!("m2")));
        assert_eq!(last(&events)["outcome"]["type"], "success");
        // A chat is deleted with its branches.
        assert_eq!(server.send("DELETE", "/conversations/c1", "").await.status, 204);
        for gone in ["c1", "c1~2", "c1~3"] {
            let path = format!("/conversations/{gone}");
            assert_eq!(server.send("GET", &path, "").await.status, 404, "{gone}");
        }
    });
}

#[test]
fn answered_interrupts_run_each_call_once() {
    block_on(async {
        let script = r#"§call: {"name":"save","args":{"n":1}}
§call: {"name":"save","args":{"n":2}}
§execute
%%
§respond: It is saved.
§end"#;
        let save = Save::default();
        let tool = save.clone();
        let model = ScriptedModel::parse(script, 1);
        let server = TestServer::with(model, Options::default(), move |agent| {
            agent.with_tool(tool.clone()).unwrap().with_approver(ParkAll)
        });
        let server = server.await;
        let messages = [("m1", "Save both.")];
        let asked = server.send("POST", "/ag-ui", &request(&messages, Value::Null)).await.data();
        let interrupts = last(&asked)["outcome"]["interrupts"].as_array().unwrap().clone();
        assert_eq!(interrupts.len(), 2, "{asked:?}");
        let answer = |n: usize, approved: bool| {
            json!({
                "interruptId": interrupts[n]["id"], "status": "resolved",
                "payload": { "approved": approved },
            })
        };
        let one = request(&messages, json!([answer(0, true)]));
        let events = server.send("POST", "/ag-ui", &one).await.data();
        assert_eq!(last(&events)["code"], "open_interrupts", "{events:?}");
        assert_eq!(save.count(), 0);
        let joined = server.send("POST", "/ag-ui", &request(&messages, Value::Null)).await.data();
        assert_eq!(last(&joined)["outcome"]["interrupts"].as_array().unwrap().len(), 2);
        let both = request(&messages, json!([answer(0, true), answer(1, false)]));
        let events = server.send("POST", "/ag-ui", &both).await.data();
        assert_eq!(last(&events)["outcome"]["type"], "success", "{events:?}");
        assert_eq!(save.count(), 1);
        let events = server.send("POST", "/ag-ui", &both).await.data();
        assert_eq!(last(&events)["code"], "unknown_interrupt", "{events:?}");
        assert_eq!(save.count(), 1);
    });
}

#[test]
fn returning_client_gets_the_whole_run() {
    block_on(async {
        let (model, release) = SlowModel::new();
        let server = TestServer::new(model).await;
        let body = request(&[("m1", "Go.")], Value::Null);
        let mut first = server.open("POST", "/ag-ui", &body).await;
        release.send("§respond: One, ".to_owned()).await.unwrap();
        while first.next_data().await.unwrap()["type"] != "TEXT_MESSAGE_CONTENT" {}
        drop(first);
        let more = request(&[("m1", "Go."), ("m2", "More.")], Value::Null);
        let busy = server.send("POST", "/ag-ui", &more).await;
        assert_eq!((busy.status, &*busy.code()), (409, "busy"));
        let mut second = server.open("POST", "/ag-ui", &body).await;
        assert_eq!(second.next_data().await.unwrap()["type"], "RUN_STARTED");
        let snapshot = second.next_data().await.unwrap();
        assert_eq!(snapshot["messages"][0]["id"], "m1", "{snapshot}");
        release.send("two.\n§end".to_owned()).await.unwrap();
        release.send(String::new()).await.unwrap();
        let mut text = String::new();
        while let Some(event) = second.next_data().await {
            text += event["delta"].as_str().unwrap_or_default();
        }
        assert_eq!(text, "One, two.");
    });
}

#[test]
fn malformed_request_body_is_refused() {
    block_on(async {
        let server = TestServer::new(ScriptedModel::parse("", 1)).await;
        assert_eq!(server.send("POST", "/ag-ui", "{}").await.code(), "malformed");
    });
}
