//! Users, who do not see one another.

use std::sync::Arc;

use silcrow_agent::Agent;
use silcrow_provider::ScriptedModel;
use silcrow_server::{AccessToken, RunPlace, Server, ServerUser};
use silcrow_store::MemoryStore;

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
