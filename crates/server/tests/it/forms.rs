//! Forms that a call lets a person fill in.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use silcrow_agent::Agent;
use silcrow_provider::ScriptedModel;
use silcrow_server::{AccessToken, FormDesk, RunPlace, Server, ServerUser};
use silcrow_store::MemoryStore;
use silcrow_tool::{CallContext, Tool, ToolArgs, ToolError, ToolOutput};

use crate::support::{TestServer, block_on};

/// A tool that asks for a colour, and returns the answer.
struct Ask(FormDesk);

impl Tool for Ask {
    fn name(&self) -> &str {
        "ask"
    }

    fn description(&self) -> &str {
        "Asks."
    }

    fn schema(&self) -> &str {
        r#"{"type":"object"}"#
    }

    fn call<'a>(
        &'a self,
        _: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            let colour = json!({"type": "string", "enum": ["red", "blue"]});
            let schema =
                json!({"type": "object", "properties": {"colour": colour}, "required": ["colour"]});
            let answer = self.0.ask(context.conversation_id(), "Which colour?", &schema).await;
            Ok(ToolOutput::new("asked", format!("{answer:?}")))
        }
        .boxed()
    }
}

/// A server whose model asks once for each run, and the token of another user.
async fn server() -> (TestServer, String) {
    let store = Arc::new(MemoryStore::new());
    let ask = "§call: {\"name\":\"ask\",\"args\":{}}\n§execute\n%%\n§respond: Thanks.\n§end";
    let model = ScriptedModel::parse(&[ask; 3].join("\n%%\n"), 1);
    let desk = FormDesk::default();
    let (kept, asks) = (Arc::clone(&store), desk.clone());
    let source = move |_: &RunPlace| {
        Agent::new(model.clone(), Arc::clone(&kept)).with_tool(Ask(asks.clone())).unwrap()
    };
    let [ann, bob] = [(); 2].map(|()| AccessToken::random().unwrap());
    let user = |name: &str| ServerUser { name: Some(name.to_owned()) };
    let server = Server::new(Arc::clone(&store), source)
        .with_token(ann.clone(), user("ann"))
        .with_token(bob.clone(), user("bob"))
        .with_forms(&desk);
    (TestServer::serve(server, store, ann.reveal()).await, bob.reveal())
}

/// Waits until a conversation has a form, and returns it.
async fn form(server: &TestServer) -> Value {
    loop {
        let listed = server.send("GET", "/conversations/c1/forms", "").await.json();
        if let Some(form) = listed["forms"].get(0) {
            return form.clone();
        }
        tokio::task::yield_now().await;
    }
}

/// Returns the results of the conversation.
async fn results(server: &TestServer) -> Vec<String> {
    let log = server.send("GET", "/conversations/c1", "").await.json();
    let results = log["events"].as_array().unwrap().iter().filter(|one| one["type"] == "result");
    results.map(|result| result["content"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn form_is_answered_once_by_its_user() {
    block_on(async {
        let (server, bob) = server().await;
        // A page is open.
        let mut page = server.events("/events", None).await;
        server.start("c1", "Ask.").await;
        let shown = form(&server).await;
        assert_eq!(shown["message"], "Which colour?");
        assert_eq!(shown["schema"]["required"], json!(["colour"]));
        let path = "/conversations/c1/forms";
        assert_eq!(server.send_as(&bob, "GET", path, "").await.status, 404);
        let answer = |action: &str, values: Value| {
            json!({"form": shown["id"], "action": action, "values": values}).to_string()
        };
        let blue = answer("accept", json!({"colour": "blue", "other": 1}));
        assert_eq!(server.send_as(&bob, "POST", path, &blue).await.status, 404);
        for wrong in [json!({"colour": "green"}), json!({})] {
            let refused = server.send("POST", path, &answer("accept", wrong)).await;
            assert_eq!((refused.status, &*refused.code()), (400, "malformed"), "{refused:?}");
        }
        assert_eq!(server.send("POST", path, &blue).await.status, 204);
        let twice = server.send("POST", path, &blue).await;
        assert_eq!((twice.status, &*twice.code()), (409, "stale"));
        while page.next().await.unwrap().data["event"]["type"] != "idle" {}
        assert_eq!(results(&server).await, [r#"Accepted({"colour": String("blue")})"#]);
        let listed = server.send("GET", path, "").await.json();
        assert_eq!(listed["forms"], json!([]));
    });
}

#[test]
fn form_is_declined_without_a_person() {
    block_on(async {
        let (server, _) = server().await;
        server.start("c1", "Ask.").await;
        let mut reader = server.events("/conversations/c1/events", Some("0.0")).await;
        reader.until("idle").await;
        assert_eq!(results(&server).await, ["Declined"]);
        let _page = server.events("/events", None).await;
        for (action, answer) in [("decline", "Declined"), ("cancel", "Cancelled")] {
            server.start("c1", "Ask.").await;
            let shown = form(&server).await;
            let body = json!({"form": shown["id"], "action": action}).to_string();
            assert_eq!(server.send("POST", "/conversations/c1/forms", &body).await.status, 204);
            reader.until("idle").await;
            assert_eq!(results(&server).await.last().unwrap(), answer);
        }
    });
}

#[test]
fn form_ends_with_its_call() {
    block_on(async {
        let (server, _) = server().await;
        let mut page = server.events("/events", None).await;
        server.start("c1", "Ask.").await;
        let shown = form(&server).await;
        server.send("POST", "/conversations/c1/stop", "").await;
        while page.next().await.unwrap().data["event"]["type"] != "idle" {}
        let body = json!({"form": shown["id"], "action": "decline"}).to_string();
        let late = server.send("POST", "/conversations/c1/forms", &body).await;
        assert_eq!((late.status, &*late.code()), (409, "stale"), "{late:?}");
    });
}

#[test]
fn stream_announces_forms_and_their_end() {
    block_on(async {
        let (server, bob) = server().await;
        let mut page = server.events("/events", None).await;
        let mut other = server.events_as(&bob, "/events", None).await;
        server.start("c1", "Ask.").await;
        let mut listed = async || loop {
            let message = page.next().await.unwrap().data;
            assert_ne!(message["event"]["type"], "idle", "nothing said that the forms are others");
            if message["event"]["type"] == "forms" {
                assert_eq!(message["conversation"], "c1");
                let forms = server.send("GET", "/conversations/c1/forms", "").await.json();
                return forms["forms"].as_array().unwrap().clone();
            }
        };
        let shown = listed().await;
        assert_eq!(shown[0]["message"], "Which colour?");
        let body = json!({"form": shown[0]["id"], "action": "decline"}).to_string();
        assert_eq!(server.send("POST", "/conversations/c1/forms", &body).await.status, 204);
        assert_eq!(listed().await, [] as [Value; 0]);
        assert!(other.next().now_or_never().is_none(), "another user learns nothing");
    });
}
