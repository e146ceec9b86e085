//! Files that clients send with a message.

use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use silcrow_provider::{DeltaStream, OpeningSession, Provider, Request, ScriptedModel};

use crate::support::{Reply, TestServer, block_on};

/// The names of the files of a request.
type SentFiles = Vec<String>;

/// A model that keeps which files were sent with each request.
#[derive(Clone)]
struct SeeingModel(ScriptedModel, Arc<Mutex<Vec<SentFiles>>>);

impl SeeingModel {
    fn new() -> Self {
        let script = "§respond: One.\n§end\n%%\n§respond: Two.\n§end\n%%\n§respond: Three.\n§end";
        Self(ScriptedModel::parse(script, 3), Arc::default())
    }

    fn seen(&self) -> SentFiles {
        self.1.lock().unwrap().last().cloned().unwrap_or_default()
    }
}

impl Provider for SeeingModel {
    fn name(&self) -> &str {
        "gpt-4o"
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let media = request.messages.iter().flat_map(|message| message.content.media());
        let media = media.map(|medium| medium.name.clone()).collect();
        self.1.lock().unwrap().push(media);
        self.0.stream(request)
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}

/// A picture of eight by eight pixels.
const SQUARE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR4nGNQSFiAFTEMLQkAAmxIAbLcbYIAAAAASUVORK5CYII=";

fn square_url() -> String {
    format!("data:image/png;base64,{SQUARE}")
}

async fn post(server: &TestServer, path: &str, headers: &str, body: &Value) -> Reply {
    let headers = format!("authorization: Bearer {}\r\n{headers}", server.token);
    server.send_raw("POST", path, &headers, &body.to_string()).await
}

/// Returns the prompts of a conversation.
async fn prompts(server: &TestServer, conversation: &str) -> Vec<String> {
    let log = server.send("GET", &format!("/conversations/{conversation}"), "").await.json();
    let events = log["events"].as_array().unwrap().iter().filter(|event| event["type"] == "user");
    events.map(|event| event["content"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn picture_in_a_chat_reaches_the_model() {
    block_on(async {
        let model = SeeingModel::new();
        let server = TestServer::new(model.clone()).await;
        let chat = "x-openwebui-chat-id: c1\r\n";
        let picture = json!([
            {"type": "text", "text": "What is this?"},
            {"type": "image_url", "image_url": {"url": square_url(), "detail": "low"}},
        ]);
        let body = json!({"model": "silcrow", "messages": [{"role": "user", "content": picture}]});
        let reply = post(&server, "/v1/chat/completions", chat, &body).await;
        assert_eq!(reply.status, 200, "{reply:?}");
        assert_eq!(model.seen().len(), 1);
        // The client sends all of it again, and no branch begins.
        let body = json!({"model": "silcrow", "messages": [
            {"role": "user", "content": picture}, {"role": "assistant", "content": "One."},
            {"role": "user", "content": "And why?"},
        ]});
        let reply = post(&server, "/v1/chat/completions", chat, &body).await;
        assert_eq!(reply.json()["choices"][0]["message"]["content"], "Two.", "{reply:?}");
        let said = prompts(&server, "c1").await;
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(said[0].starts_with("What is this?\n[image 1: PNG, 8 × 8"), "{said:?}");
        assert_eq!(model.seen().len(), 1);
    });
}

#[test]
fn a_document_of_a_response_reaches_the_model() {
    block_on(async {
        let model = SeeingModel::new();
        let server = TestServer::new(model.clone()).await;
        let body = json!({"input": [{"role": "user", "content": [
            {"type": "input_text", "text": "Sum up."},
            {"type": "input_image", "image_url": square_url()},
            {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0xLjc="},
        ]}]});
        let reply = post(&server, "/v1/responses", "", &body).await;
        assert_eq!(reply.status, 200, "{reply:?}");
        assert_eq!(model.seen(), ["", "a.pdf"]);
    });
}

/// A model that reads no documents reads its text instead.
#[test]
fn document_includes_its_text() {
    block_on(async {
        let server = TestServer::new(SeeingModel::new()).await;
        let file = STANDARD.encode(silcrow_testkit::pdf(&["The total is 42."]));
        let run = json!({"prompt": "Sum up.", "files": [{"name": "a.pdf", "data": file}]});
        let reply = server.send("POST", "/conversations/c1/runs", &run.to_string()).await;
        assert_eq!(reply.status, 201, "{reply:?}");
        let log = server.send("GET", "/conversations/c1", "").await.json();
        let prompt = log["events"].as_array().unwrap().iter().find(|event| event["type"] == "user");
        let text = &prompt.unwrap()["parts"][1]["media"]["text"];
        assert_eq!(*text, "--- page 1 of 1 ---\nThe total is 42.\n", "{prompt:?}");
    });
}

#[test]
fn ai_sdk_file_part_reaches_the_model() {
    block_on(async {
        let model = SeeingModel::new();
        let server = TestServer::new(model.clone()).await;
        let body = json!({"id": "c1", "trigger": "submit-message", "messages": [
            {"id": "m1", "role": "user", "parts": [
                {"type": "text", "text": "What is this?"},
                {"type": "file", "mediaType": "image/png", "filename": "b.png", "url": square_url()},
            ]},
        ]});
        let reply = post(&server, "/api/chat", "", &body).await;
        assert_eq!(reply.status, 200, "{reply:?}");
        assert_eq!(model.seen(), ["b.png"]);
        // A client that loads the chat has the file again.
        let loaded = server.send("GET", "/api/chat/c1", "").await.json();
        let parts = &loaded[0]["parts"];
        assert_eq!(parts[0], json!({"type": "text", "text": "What is this?"}));
        assert_eq!(parts[1]["filename"], "b.png", "{parts}");
        let url = parts[1]["url"].as_str().unwrap();
        assert!(url.starts_with("data:image/png;base64,iVBORw0KGgo"), "{url}");
        // And it may send the message anew.
        let body = json!({"id": "c1", "trigger": "submit-message", "messageId": loaded[0]["id"],
            "messages": [{"id": loaded[0]["id"], "role": "user", "parts": parts}]});
        let reply = post(&server, "/api/chat", "", &body).await;
        assert_eq!(reply.status, 200, "{reply:?}");
        assert_eq!(model.seen(), ["b.png"]);
    });
}

#[test]
fn a_picture_in_a_thread_reaches_the_model() {
    block_on(async {
        let model = SeeingModel::new();
        let server = TestServer::new(model.clone()).await;
        let parts = json!([
            {"type": "text", "text": "What are these?"},
            {"type": "image", "source": {"type": "data", "value": SQUARE, "mimeType": "image/png"}},
            {"type": "binary", "mimeType": "image/png", "filename": "c.png", "data": SQUARE},
        ]);
        let body = json!({
            "threadId": "c1", "runId": "r", "protocolVersion": "1.0", "state": {}, "tools": [],
            "context": [], "messages": [{"id": "m1", "role": "user", "content": parts}],
        });
        let reply = post(&server, "/ag-ui", "", &body).await;
        assert_eq!(reply.status, 200, "{reply:?}");
        assert_eq!(model.seen().len(), 2, "{reply:?}");
        // A returning client gets the words, and sends them as the history.
        let reply = post(&server, "/ag-ui", "", &body).await;
        let snapshot = reply.data().into_iter().find(|event| event["type"] == "MESSAGES_SNAPSHOT");
        let mut messages = snapshot.unwrap()["messages"].clone();
        assert_eq!(messages[0]["content"], "What are these?");
        let more = json!({"id": "m2", "role": "user", "content": "And now?"});
        messages.as_array_mut().unwrap().push(more);
        let body = json!({"threadId": "c1", "runId": "s", "messages": messages});
        let reply = post(&server, "/ag-ui", "", &body).await;
        assert!(reply.body.contains("Two."), "{reply:?}");
        assert_eq!(prompts(&server, "c1").await.len(), 2);
        let part =
            json!({"type": "image", "source": {"type": "url", "value": "https://example.org"}});
        let body = json!({"threadId": "c2", "runId": "r",
            "messages": [{"id": "m1", "role": "user", "content": [part]}]});
        let reply = post(&server, "/ag-ui", "", &body).await;
        assert!(reply.body.contains("the server fetches nothing"), "{reply:?}");
    });
}

#[test]
fn unreadable_attachments_are_refused_by_name() {
    block_on(async {
        let server = TestServer::new(SeeingModel::new()).await;
        for (part, why) in [
            (
                json!({"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}),
                "fetches no files",
            ),
            (
                json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,?"}}),
                "not base64",
            ),
            (
                json!({"type": "file", "file": {"filename": "a.zip", "file_data": "UEsDBA=="}}),
                "a.zip cannot be sent",
            ),
            (json!({"type": "file", "file": {"file_id": "file-7"}}), "send the file itself"),
            (json!({"type": "video_url", "video_url": {"url": "x"}}), "not supported"),
        ] {
            let body =
                json!({"model": "silcrow", "messages": [{"role": "user", "content": [part]}]});
            let reply = post(&server, "/v1/chat/completions", "", &body).await;
            assert_eq!(reply.status, 400, "{reply:?}");
            assert!(reply.body.contains(why), "{}", reply.body);
        }
    });
}

#[test]
fn a_page_sends_and_gets_a_picture() {
    block_on(async {
        let model = SeeingModel::new();
        let server = TestServer::new(model.clone()).await;
        let body =
            json!({"prompt": "", "files": [{"name": "../b.png", "data": SQUARE}]}).to_string();
        let reply = server.send("POST", "/conversations/c1/runs", &body).await;
        assert_eq!(reply.status, 201, "{reply:?}");
        let log = loop {
            let log = server.send("GET", "/conversations/c1", "").await.json();
            if log["conversation"]["run"].is_null() {
                break log;
            }
        };
        assert_eq!(model.seen(), ["b.png"]);
        let medium = &log["events"][0]["parts"][0]["media"];
        let path = format!("/conversations/c1/media/{}", medium["hash"].as_str().unwrap());
        let headers = format!("authorization: Bearer {}\r\n", server.token);
        let reply = server.send_raw("GET", &path, &headers, "").await;
        assert_eq!(reply.status, 200, "{reply:?}");
        for line in [
            "content-type: image/png".to_owned(),
            "content-security-policy: default-src 'none'; sandbox".to_owned(),
            format!("content-length: {}", medium["bytes"]),
        ] {
            assert!(reply.head.contains(&line), "{}", reply.head);
        }
        let other = format!("/conversations/c1/media/sha256:{}", "0".repeat(64));
        assert_eq!(server.send("GET", &other, "").await.code(), "not_found");
        let elsewhere = path.replace("/c1/", "/c2/");
        assert_eq!(server.send("GET", &elsewhere, "").await.code(), "not_found");
    });
}
