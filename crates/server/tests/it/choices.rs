//! The choices of users for their conversations.

use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::json;
use silcrow_agent::Agent;
use silcrow_provider::ScriptedModel;
use silcrow_server::{
    AccessToken, AgentSource, ChoiceValue, Error, PreparedAgent, RunChoice, RunPlace, Server,
    ServerUser,
};
use silcrow_store::MemoryStore;

use crate::support::{TestServer, block_on};

/// A source that records the choices for each run.
struct Choosing {
    store: Arc<MemoryStore>,
    seen: Arc<Mutex<Vec<String>>>,
    /// Whether the model `large` is offered.
    offers_large: Arc<Mutex<bool>>,
}

impl AgentSource for Choosing {
    fn agent<'a>(&'a self, place: &'a RunPlace) -> BoxFuture<'a, Result<PreparedAgent, Error>> {
        self.seen.lock().unwrap().push(format!("{:?}", place.choices));
        let model = ScriptedModel::parse("§respond: Hello.\n§end", 1);
        let agent = Agent::new(model, Arc::clone(&self.store));
        async move { Ok(agent.into()) }.boxed()
    }

    fn choices(&self, _: &RunPlace) -> Vec<RunChoice> {
        let value = |id: &str| ChoiceValue { id: id.to_owned(), description: format!("is {id}") };
        let large = self.offers_large.lock().unwrap().then(|| value("large"));
        let values = [value("small")].into_iter().chain(large).collect();
        vec![RunChoice { id: "model".to_owned(), name: "Model".to_owned(), values }]
    }
}

async fn server() -> (TestServer, Arc<Mutex<Vec<String>>>, Arc<Mutex<bool>>) {
    let store = Arc::new(MemoryStore::new());
    let (seen, offers_large) = (Arc::default(), Arc::new(Mutex::new(true)));
    let source = Choosing {
        store: Arc::clone(&store),
        seen: Arc::clone(&seen),
        offers_large: Arc::clone(&offers_large),
    };
    let [ann, bob] = [(); 2].map(|()| AccessToken::random().unwrap());
    let user = |name: &str| ServerUser { name: Some(name.to_owned()) };
    let server = Server::new(Arc::clone(&store), source)
        .with_token(ann.clone(), user("ann"))
        .with_token(bob, user("bob"));
    (TestServer::serve(server, store, ann.reveal()).await, seen, offers_large)
}

#[test]
fn choice_reaches_each_run_of_its_conversation() {
    block_on(async {
        let (server, seen, offers_large) = server().await;
        let path = "/conversations/c1/choices";
        let listed = server.send("GET", path, "").await.json();
        let values = json!([
            {"id": "small", "description": "is small"}, {"id": "large", "description": "is large"},
        ]);
        let offered = json!({"id": "model", "name": "Model", "chosen": "small", "values": values});
        assert_eq!(listed["choices"], json!([offered]));
        let chosen = json!({"choices": {"model": "large"}}).to_string();
        assert_eq!(server.send("POST", path, &chosen).await.status, 204);
        assert_eq!(server.send("GET", path, "").await.json()["choices"][0]["chosen"], "large");
        server.start("c1", "Hello.").await;
        server.start("c2", "Hello.").await;
        assert_eq!(*seen.lock().unwrap(), [r#"{"model": "large"}"#, "{}"]);
        // A choice that the owner no longer offers does not count.
        *offers_large.lock().unwrap() = false;
        assert_eq!(server.send("GET", path, "").await.json()["choices"][0]["chosen"], "small");
        let refused = server.send("POST", path, &chosen).await;
        assert_eq!((refused.status, &*refused.code()), (400, "malformed"), "{refused:?}");
        assert!(refused.body.contains("use one of: small"), "{refused:?}");
        let unknown = json!({"choices": {"root": "/"}}).to_string();
        assert_eq!(server.send("POST", path, &unknown).await.status, 400);
    });
}

#[test]
fn choice_belongs_to_the_conversations_user() {
    block_on(async {
        let (server, seen, _) = server().await;
        let path = "/conversations/c1/choices";
        let chosen = json!({"choices": {"model": "large"}}).to_string();
        assert_eq!(server.send("POST", path, &chosen).await.status, 204);
        let run =
            server.server.start(RunPlace::new("c1").with_user(Some("ann".to_owned())), "Hi.").await;
        while run.as_ref().unwrap().ended().is_none() {
            tokio::task::yield_now().await;
        }
        let bob = ServerUser { name: Some("bob".to_owned()) };
        let other = AccessToken::random().unwrap();
        let theirs = server.server.clone().with_token(other.clone(), bob);
        let theirs = TestServer::serve(theirs, Arc::clone(&server.store), other.reveal()).await;
        for (method, body) in [("GET", ""), ("POST", &*chosen)] {
            assert_eq!(theirs.send(method, path, body).await.status, 404, "{method}");
        }
        assert_eq!(server.send("DELETE", "/conversations/c1", "").await.status, 204);
        server.start("c1", "Hello.").await;
        assert_eq!(*seen.lock().unwrap(), [r#"{"model": "large"}"#, "{}"]);
    });
}
