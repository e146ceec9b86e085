//! Users, who do not see one another.

use std::sync::Arc;

use serde_json::json;
use silcrow_agent::Agent;
use silcrow_provider::ScriptedModel;
use silcrow_server::{AccessToken, RunPlace, Server, ServerUser};
use silcrow_store::MemoryStore;
use silcrow_tool::ParkAll;

use crate::save::Save;
use crate::support::{TestServer, block_on};

#[test]
fn users_do_not_see_one_another() {
    block_on(async {
        let store = Arc::new(MemoryStore::new());
        let script = "§respond: Secret.\n§end\n%%\n§respond: Other.\n§end";
        let agent = Agent::new(ScriptedModel::parse(script, 1), Arc::clone(&store));
        let [ann, bob] = [(); 2].map(|()| AccessToken::random().unwrap());
        let user = |name: &str| ServerUser { name: Some(name.to_owned()) };
        let server = Server::new(Arc::clone(&store), move |_: &RunPlace| agent.clone())
            .with_token(ann.clone(), user("ann"))
            .with_token(bob.clone(), user("bob"));
        let server = TestServer::serve(server, store, ann.reveal()).await;
        let mut bobs_events = server.events_as(&bob.reveal(), "/events", None).await;
        server.start("anns", "Tell.").await;
        let mut reader = server.events("/conversations/anns/events", None).await;
        reader.until("idle").await;

        let bob = bob.reveal();
        let requests = [
            ("GET", "/conversations/anns", ""),
            ("GET", "/conversations/anns/events", ""),
            ("GET", "/conversations/anns/questions", ""),
            ("GET", "/conversations/anns/wire?turn=1", ""),
            ("POST", "/conversations/anns/runs", r#"{"prompt":"x"}"#),
            ("POST", "/conversations/anns/fork", ""),
            ("POST", "/conversations/anns/answers", r#"{"answers":[]}"#),
            ("POST", "/conversations/anns/undo", ""),
            ("DELETE", "/conversations/anns", ""),
        ];
        for (method, path, body) in requests {
            let reply = server.send_as(&bob, method, path, body).await;
            assert_eq!((reply.status, &*reply.code()), (404, "not_found"), "{method} {path}");
        }
        for (path, body) in
            [("stop", ""), ("steer", r#"{"message":"x"}"#), ("budget", r#"{"tokens":1}"#)]
        {
            let path = format!("/conversations/anns/{path}");
            assert_eq!(server.send_as(&bob, "POST", &path, body).await.code(), "stale", "{path}");
        }
        for (path, empty) in
            [("/conversations", "conversations"), ("/conversations?q=secret", "hits")]
        {
            let reply = server.send_as(&bob, "GET", path, "").await;
            assert_eq!(reply.body, format!(r#"{{"{empty}":[]}}"#));
        }
        let body = r#"{"prompt":"Mine."}"#;
        let reply = server.send_as(&bob, "POST", "/conversations/bobs/runs", body).await;
        assert_eq!(reply.status, 201);
        assert_eq!(bobs_events.next().await.unwrap().data["conversation"], "bobs");
    });
}

#[test]
fn owner_answers_questions_of_all_users() {
    block_on(async {
        let store = Arc::new(MemoryStore::new());
        let script =
            "§call: {\"name\":\"save\",\"args\":{\"n\":1}}\n§execute\n%%\n§respond: Saved.\n§end";
        let save = Save::default();
        let agent = Agent::new(ScriptedModel::parse(script, 1), Arc::clone(&store))
            .with_tool(save.clone())
            .unwrap()
            .with_approver(ParkAll);
        let [ann, bob, eve] = [(); 3].map(|()| AccessToken::random().unwrap());
        let user = |name: &str| ServerUser { name: Some(name.to_owned()) };
        let server = Server::new(Arc::clone(&store), move |_: &RunPlace| agent.clone())
            .with_token(ann.clone(), user("ann"))
            .with_token(bob.clone(), user("bob"))
            .with_token(eve.clone(), user("eve"))
            .with_owner(user("ann"));
        let server = TestServer::serve(server, store, bob.reveal()).await;
        server.start("bobs", "Save it.").await;
        let mut reader = server.events("/conversations/bobs/events", None).await;
        reader.until("idle").await;
        let listed = |token: &AccessToken| {
            let token = token.reveal();
            let server = &server;
            async move { server.send_as(&token, "GET", "/questions", "").await.json() }
        };
        let seen = listed(&ann).await;
        assert_eq!(seen["owner"], true);
        let one = &seen["conversations"][0];
        assert_eq!(
            (&one["id"], &one["title"], &one["user"]),
            (&json!("bobs"), &json!("Save it."), &json!("bob"))
        );
        assert_eq!(one["questions"][0]["call"]["tool"], "save");
        let bobs = listed(&bob).await;
        assert_eq!(bobs["conversations"][0]["questions"], one["questions"]);
        assert_eq!((&one["own"], &bobs["conversations"][0]["own"]), (&json!(false), &json!(true)));
        assert_eq!(bobs["owner"], false);
        assert_eq!(listed(&eve).await["conversations"], json!([]));

        let ann = ann.reveal();
        let asked = server.send_as(&ann, "GET", "/conversations/bobs/questions", "").await;
        assert_eq!(asked.json()["questions"], one["questions"]);
        for (method, path, body) in [
            ("GET", "/conversations/bobs", ""),
            ("GET", "/conversations/bobs/events", ""),
            ("POST", "/conversations/bobs/runs", r#"{"prompt":"x"}"#),
            ("DELETE", "/conversations/bobs", ""),
        ] {
            assert_eq!(server.send_as(&ann, method, path, body).await.status, 404, "{path}");
        }
        let answers = json!([{"question": one["questions"][0]["id"], "decision": "allow"}]);
        let path = "/conversations/bobs/answers";
        let with_message = json!({"answers": answers, "message": "And hurry."}).to_string();
        let refused = server.send_as(&ann, "POST", path, &with_message).await;
        assert_eq!((refused.status, &*refused.code()), (400, "malformed"), "{refused:?}");
        let given = json!({"answers": answers}).to_string();
        let taken = server.send_as(&ann, "POST", path, &given).await;
        assert_eq!(taken.json()["open"], 0, "{taken:?}");
        // The run continues as Bob's.
        reader.until("idle").await;
        assert_eq!(save.count(), 1);
        let log = server.send("GET", "/conversations/bobs", "").await.json();
        assert_eq!(
            log["events"].as_array().unwrap().iter().filter(|one| one["user"] == "ann").count(),
            0
        );
        assert_eq!(
            server.send_as(&ann, "GET", "/questions", "").await.json()["conversations"],
            json!([])
        );
    });
}
