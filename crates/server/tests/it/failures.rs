//! Runs that fail: why is an event, and every face says it once.

use serde_json::{Value, json};
use silcrow_agent::Agent;
use silcrow_provider::{
    DeltaStream, Error, ErrorKind, OpeningSession, Provider, Request, ScriptedModel,
};
use silcrow_server::{AccessToken, RunPlace, Server, ServerUser};

use futures_util::{StreamExt as _, stream};

use crate::support::{TestServer, block_on};

/// A model that fails with this kind of error.
#[derive(Clone)]
struct Failing(ErrorKind);

impl Provider for Failing {
    fn name(&self) -> &str {
        "failing"
    }

    fn stream(&self, _: Request) -> DeltaStream {
        let error = Error::new(self.0, "the vendor says: temperature is not supported");
        stream::once(async { Err(error) }).boxed()
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}

fn ag_ui(messages: &[(&str, &str)]) -> String {
    let messages: Vec<_> = messages
        .iter()
        .map(|(id, text)| json!({"id": id, "role": "user", "content": text}))
        .collect();
    json!({"threadId": "c1", "runId": "r1", "protocolVersion": "1.0", "state": {}, "tools": [],
        "context": [], "messages": messages})
    .to_string()
}

#[test]
fn stored_failure_is_read_by_every_face() {
    block_on(async {
        let server = TestServer::new(Failing(ErrorKind::Auth)).await;
        let events = server.send("POST", "/ag-ui", &ag_ui(&[("m1", "Hi.")])).await.data();
        let ended = events.last().unwrap();
        assert_eq!((&ended["type"], &ended["code"]), (&json!("RUN_ERROR"), &json!("auth")));
        let log = server.send("GET", "/conversations/c1", "").await.json();
        let stored = log["events"].as_array().unwrap();
        let kinds: Vec<_> = stored.iter().map(|event| event["type"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["user", "failed"], "{log}");
        assert_eq!(stored[1]["code"], "auth");
        let why = stored[1]["content"].as_str().unwrap();
        assert!(why.contains("temperature is not supported"), "{why}");

        // Another server gets the same.
        let source_store = std::sync::Arc::clone(&server.store);
        let model = ScriptedModel::parse("§respond: Hello.\n§end", 1);
        let kept = std::sync::Arc::clone(&source_store);
        let source = move |_: &RunPlace| Agent::new(model.clone(), std::sync::Arc::clone(&kept));
        let token = AccessToken::random().unwrap();
        let other = Server::new(std::sync::Arc::clone(&source_store), source)
            .with_token(token.clone(), ServerUser::default());
        let other = TestServer::serve(other, source_store, token.reveal()).await;
        let joined = other.send("POST", "/ag-ui", &ag_ui(&[("m1", "Hi.")])).await.data();
        assert_eq!(joined.last().unwrap()["code"], "auth", "{joined:?}");
        let messages = other.send("GET", "/api/chat/c1", "").await.json();
        let failure = &messages[1]["parts"].as_array().unwrap().last().unwrap().clone();
        assert_eq!(
            (&failure["type"], &failure["data"]["code"]),
            (&json!("data-failure"), &json!("auth"))
        );
        let response = other.send("GET", "/v1/responses/resp_0_c1", "").await.json();
        assert_eq!(
            (&response["status"], &response["error"]["silcrow_code"]),
            (&json!("failed"), &json!("auth"))
        );

        // Trying again is the same prompt, which counts once.
        let reply = other.send("POST", "/conversations/c1/runs", r#"{"prompt":"Hi."}"#).await;
        assert_eq!(reply.status, 201, "{reply:?}");
        let mut reader = other.events("/conversations/c1/events?chunks=false", None).await;
        let kinds: Vec<_> =
            reader.until("respond").await.iter().map(|event| event.data["type"].clone()).collect();
        assert_eq!(kinds, ["user", "failed", "respond"]);
    });
}

#[test]
fn vendor_refusals_keep_their_status() {
    block_on(async {
        let wanted = [
            (ErrorKind::Refused, 400),
            (ErrorKind::ContextTooLong, 400),
            (ErrorKind::Rate, 429),
            (ErrorKind::Overload, 503),
            (ErrorKind::Auth, 500),
        ];
        for (kind, status) in wanted {
            let server = TestServer::new(Failing(kind)).await;
            let body =
                json!({"model": "silcrow", "messages": [{"role": "user", "content": "Hi."}]});
            let reply = server.send("POST", "/v1/chat/completions", &body.to_string()).await;
            assert_eq!(reply.status, status, "{kind} {reply:?}");
            assert_eq!(reply.code(), kind.as_str());
            let body = json!({"model": "silcrow", "input": "Hi."});
            let reply = server.send("POST", "/v1/responses", &body.to_string()).await;
            let expected = if status == 400 { 400 } else { 200 };
            assert_eq!(reply.status, expected, "{kind} {reply:?}");
        }
    });
}

#[test]
fn repeated_answer_is_retracted_where_possible() {
    block_on(async {
        // A draft that does not come to its end is asked for again.
        let script = "§respond: Half of";
        let script = format!("{script}\n%%\n§respond: The whole.\n§end");
        let server = TestServer::new(ScriptedModel::parse(&script, 1)).await;
        let body = json!({"id": "c1", "messages": [{"id": "u1", "role": "user",
            "parts": [{"type": "text", "text": "Go."}]}]});
        let parts = server.send("POST", "/api/chat?ai=7", &body.to_string()).await.data();
        let kinds: Vec<_> = parts.iter().filter_map(|part| part["type"].as_str()).collect();
        let log = server.send("GET", "/conversations/c1", "").await.json();
        let has_retry =
            log["events"].as_array().unwrap().iter().filter(|e| e["type"] == "respond").count() > 1;
        assert_eq!(kinds.contains(&"reset-step"), has_retry, "{kinds:?} {log}");
        let _: Value = log;
    });
}
