//! Programs with people of their own, and what their people may spend.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::json;
use silcrow_agent::Agent;
use silcrow_event::SpendingLimit;
use silcrow_exec::{BudgetLimits, SpendingLimits};
use silcrow_provider::ScriptedModel;
use silcrow_server::{
    AccessToken, AgentSource, Error, PreparedAgent, RunPlace, Server, ServerUser,
};
use silcrow_store::MemoryStore;

use crate::support::{Reply, SlowModel, TestServer, block_on};

/// Agents with a limit for each user.
struct LimitedSource(Arc<MemoryStore>);

impl LimitedSource {
    fn agent(&self, store: Arc<MemoryStore>) -> Agent {
        let answer = "word ".repeat(1_000);
        let model = ScriptedModel::parse(&format!("§respond: {answer}\n§end"), 1_000);
        let user = SpendingLimit { tokens: Some(4_000), cost: None };
        let spending = SpendingLimits { user, ..SpendingLimits::default() };
        Agent::new(model, store).with_budget(BudgetLimits { spending, ..BudgetLimits::default() })
    }
}

impl AgentSource for LimitedSource {
    fn agent<'a>(&'a self, _: &'a RunPlace) -> BoxFuture<'a, Result<PreparedAgent, Error>> {
        async { Ok(self.agent(Arc::clone(&self.0)).into()) }.boxed()
    }

    fn plain<'a>(&'a self, _: &'a RunPlace) -> Option<BoxFuture<'a, Result<Agent, Error>>> {
        Some(async { Ok(self.agent(Arc::new(MemoryStore::new()))) }.boxed())
    }
}

fn user(name: &str) -> ServerUser {
    ServerUser { name: Some(name.to_owned()) }
}

/// Returns a server that lets in Ann and the program `ui`, and their tokens.
async fn server() -> (TestServer, [String; 2]) {
    let store = Arc::new(MemoryStore::new());
    let [ann, ui] = [(); 2].map(|()| AccessToken::random().unwrap());
    let server = Server::new(Arc::clone(&store), LimitedSource(Arc::clone(&store)))
        .with_token(ann.clone(), user("ann"))
        .with_token(ui.clone(), user("ui"))
        .with_chat_program(user("ui"));
    let server = TestServer::serve(server, store, ann.reveal()).await;
    (server, [ann.reveal(), ui.reveal()])
}

async fn complete(server: &TestServer, token: &str, person: &str, model: &str) -> Reply {
    let messages = [json!({ "role": "user", "content": "Go." })];
    let body = json!({ "model": model, "messages": messages }).to_string();
    let person = match person {
        "" => String::new(),
        person => format!("x-openwebui-user-id: {person}\r\n"),
    };
    let headers = format!("authorization: Bearer {token}\r\n{person}");
    server.send_raw("POST", "/v1/chat/completions", &headers, &body).await
}

#[test]
fn only_chat_programs_name_people() {
    block_on(async {
        let (server, [ann, ui]) = server().await;
        let refused = complete(&server, &ann, "z1", "silcrow").await;
        assert_eq!((refused.status, &*refused.code()), (403, "forbidden"), "{refused:?}");
        assert!(refused.body.contains("--chat-token"), "{refused:?}");
        let path = "/v1/responses";
        let headers = format!("authorization: Bearer {ann}\r\nx-openwebui-user-id: z1\r\n");
        let refused = server.send_raw("POST", path, &headers, r#"{"input":"Go."}"#).await;
        assert_eq!(refused.status, 403, "{refused:?}");
        assert_eq!(complete(&server, &ui, "z1", "silcrow").await.status, 200);
    });
}

#[test]
fn plain_answers_count_as_spending() {
    block_on(async {
        let (server, [_, ui]) = server().await;
        for model in ["silcrow-plain", "silcrow"] {
            let mut answers = Vec::new();
            while answers.len() < 10
                && answers.last().is_none_or(|reply: &Reply| reply.status == 200)
            {
                answers.push(complete(&server, &ui, model, model).await);
            }
            let last = answers.pop().unwrap();
            assert!(!answers.is_empty(), "{last:?}");
            assert_eq!((last.status, &*last.code()), (429, "insufficient_quota"), "{last:?}");
            assert_eq!(last.header("x-should-retry"), Some("false"), "{last:?}");
            // Another person has an account of their own.
            let other = format!("other-{model}");
            assert_eq!(complete(&server, &ui, &other, model).await.status, 200);
        }
        let [first, second] = ["silcrow-plain", "silcrow"].map(str::to_owned);
        let refused = complete(&server, &ui, &first, &second).await;
        assert_eq!(refused.status, 429, "both models have one account: {refused:?}");
    });
}

#[test]
fn only_owners_raise_what_users_may_spend() {
    block_on(async {
        let store = Arc::new(MemoryStore::new());
        let (model, _release) = SlowModel::new();
        let agent = Agent::new(model, Arc::clone(&store));
        let [ann, bob] = [(); 2].map(|()| AccessToken::random().unwrap());
        let server = Server::new(Arc::clone(&store), move |_: &RunPlace| agent.clone())
            .with_token(ann.clone(), user("ann"))
            .with_token(bob.clone(), user("bob"))
            .with_owner(user("bob"));
        let server = TestServer::serve(server, store, ann.reveal()).await;
        for (token, status) in [(ann, 403), (bob, 202)] {
            let token = token.reveal();
            let runs = format!("/conversations/c{status}/runs");
            assert_eq!(
                server.send_as(&token, "POST", &runs, r#"{"prompt":"Go."}"#).await.status,
                201
            );
            let path = format!("/conversations/c{status}/budget");
            let all = r#"{"account":"user","tokens":1000000}"#;
            assert_eq!(server.send_as(&token, "POST", &path, all).await.status, status);
            let own = r#"{"tokens":1000000}"#;
            assert_eq!(server.send_as(&token, "POST", &path, own).await.status, 202);
        }
    });
}
