//! The endpoints for clients of OpenAI's Chat Completions.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use silcrow_agent::Agent;
use silcrow_provider::ScriptedModel;
use silcrow_server::{
    AccessToken, AgentSource, Error, Options, PreparedAgent, RunPlace, Server, ServerUser,
};
use silcrow_store::MemoryStore;
use silcrow_tool::ParkAll;

use crate::save::Save;
use crate::support::{Reply, SlowModel, TestServer, block_on};

/// A source with a plain model beside its agent.
struct TitledSource(ScriptedModel, Arc<MemoryStore>);

impl AgentSource for TitledSource {
    fn agent<'a>(&'a self, _: &'a RunPlace) -> BoxFuture<'a, Result<PreparedAgent, Error>> {
        async { Ok(Agent::new(self.0.clone(), Arc::clone(&self.1)).into()) }.boxed()
    }

    fn plain<'a>(&'a self, _: &'a RunPlace) -> Option<BoxFuture<'a, Result<Agent, Error>>> {
        let model = ScriptedModel::parse("§respond: A title.\n§end", 1);
        Some(async { Ok(Agent::new(model, Arc::new(MemoryStore::new()))) }.boxed())
    }
}

async fn server() -> TestServer {
    let store = Arc::new(MemoryStore::new());
    let script = "§respond: One.\n§end\n%%\n§respond: Two.\n§end\n%%\n§respond: Three.\n§end";
    let source = TitledSource(ScriptedModel::parse(script, 1), Arc::clone(&store));
    let token = AccessToken::random().unwrap();
    let server =
        Server::new(Arc::clone(&store), source).with_token(token.clone(), ServerUser::default());
    TestServer::serve(server, store, token.reveal()).await
}

fn request(model: &str, stream: bool, said: &[(&str, &str)]) -> String {
    let said = said.iter().map(|(role, text)| json!({ "role": role, "content": text }));
    json!({ "model": model, "stream": stream, "messages": said.collect::<Vec<_>>() }).to_string()
}

impl TestServer {
    async fn complete(&self, headers: &str, body: &str) -> Reply {
        let headers = format!("authorization: Bearer {}\r\n{headers}", self.token);
        self.send_raw("POST", "/v1/chat/completions", &headers, body).await
    }

    async fn listed(&self) -> usize {
        let listed = self.send("GET", "/conversations", "").await.json();
        listed["conversations"].as_array().unwrap().len()
    }
}

const CHAT: &str = "x-openwebui-chat-id: c1\r\n";

#[test]
fn chat_is_a_conversation_with_forks() {
    block_on(async {
        let server = server().await;
        let first = [("user", "1?")];
        let reply = server.complete(CHAT, &request("silcrow", true, &first)).await.data();
        let delta =
            |part: &Value| part["choices"][0]["delta"]["content"].as_str().map(str::to_owned);
        assert_eq!(reply.iter().filter_map(delta).collect::<String>(), "One.", "{reply:?}");
        assert_eq!(reply.last().unwrap(), "[DONE]");
        let second = [("user", "1?"), ("assistant", "One."), ("user", "2?")];
        let reply = server.complete(CHAT, &request("silcrow", false, &second)).await.json();
        assert!(reply["choices"][0]["message"]["content"].is_string(), "{reply}");
        let log = server.send("GET", "/conversations/c1", "").await.body;
        assert_eq!(log.matches(r#""type":"user""#).count(), 2, "{log}");
        assert_eq!(server.listed().await, 1);
        let edited = [("user", "1?"), ("assistant", "One."), ("user", "3?")];
        server.complete(CHAT, &request("silcrow", true, &edited)).await;
        // The chat continues in a branch, and its list has only the current one.
        assert_eq!(server.listed().await, 1);
        let more = [&edited[..], &[("assistant", "."), ("user", "4?")]].concat();
        server.complete(CHAT, &request("silcrow", true, &more)).await;
        assert_eq!(server.listed().await, 1);
        let branches = server.send("GET", "/conversations/c1/branches", "").await.json();
        assert_eq!(
            (&branches["current"], branches["branches"].as_array().unwrap().len()),
            (&"c1~2".into(), 2),
            "{branches}"
        );
    });
}

#[test]
fn background_chat_task_is_not_stored() {
    block_on(async {
        let server = server().await;
        let models = server.send("GET", "/v1/models", "").await.json();
        assert_eq!(models["data"][1]["id"], "silcrow-plain", "{models}");
        server.complete(CHAT, &request("silcrow", true, &[("user", "1?")])).await;
        let task = request("silcrow", false, &[("user", "Find a title.")]);
        for headers in [CHAT, "x-silcrow-task: title_generation\r\n"] {
            let reply = server.complete(headers, &task).await.json();
            assert_eq!(reply["choices"][0]["message"]["content"], "A title.", "{reply}");
        }
        let plain = request("silcrow-plain", true, &[("user", "Find a title.")]);
        assert_eq!(server.complete("", &plain).await.data().last().unwrap(), "[DONE]");
        assert_eq!(server.listed().await, 1);
        let log = server.send("GET", "/conversations/c1", "").await.body;
        assert!(!log.contains("Find a title"), "{log}");
    });
}

#[test]
fn request_without_a_chat_is_a_new_conversation() {
    block_on(async {
        let server = server().await;
        let said = [("user", "1?"), ("assistant", "One."), ("user", "2?")];
        let reply = server.complete("", &request("silcrow", false, &said)).await.json();
        assert_eq!(reply["choices"][0]["message"]["content"], "One.");
        assert_eq!(server.listed().await, 0, "it is apart from what the person began");
        // A person of a chat client is another user.
        let of = "x-openwebui-user-id: u1\r\nx-openwebui-chat-id: c9\r\n";
        server.complete(of, &request("silcrow", false, &said)).await;
        assert_eq!(server.listed().await, 0);
        assert_eq!(server.send("GET", "/conversations/c9", "").await.status, 404);
    });
}

#[test]
fn errors_have_the_form_of_the_protocol() {
    block_on(async {
        let (model, _release) = SlowModel::new();
        let server = TestServer::new(model).await;
        let body = request("silcrow", true, &[("user", "1?")]);
        let reply = server.send_raw("POST", "/v1/chat/completions", "", &body).await;
        assert_eq!((reply.status, &*reply.code()), (401, "invalid_api_key"));
        assert_eq!(reply.json()["error"]["type"], "authentication_error");
        let other = request("gpt", true, &[("user", "1?")]);
        let reply = server.complete("", &other).await;
        assert_eq!((reply.status, &*reply.code()), (404, "model_not_found"));
        assert_eq!(server.complete("", "{}").await.json()["error"]["param"], "model");
        let _run = server.start("c1", "Go.").await;
        let reply = server.complete(CHAT, &body).await;
        assert_eq!((reply.status, &*reply.code()), (409, "busy"), "{reply:?}");
    });
}

/// A server whose model wants to save twice.
pub(crate) async fn saving(save: &Save) -> TestServer {
    let script = r#"§call: {"name":"save","args":{"n":1}}
§call: {"name":"save","args":{"n":2}}
§execute
%%
§respond: It is saved.
§end
%%
§respond: You are welcome.
§end"#;
    let tool = save.clone();
    TestServer::with(ScriptedModel::parse(script, 1), Options::default(), move |agent| {
        agent.with_tool(tool.clone()).unwrap().with_approver(ParkAll)
    })
    .await
}

/// Adds messages to a chat, and returns the answer.
async fn say(server: &TestServer, chat: &mut Vec<(&'static str, String)>, said: &str) -> String {
    chat.push(("user", said.to_owned()));
    let messages: Vec<_> =
        chat.iter().map(|(role, text)| json!({"role": role, "content": text})).collect();
    let body = json!({"model": "silcrow", "messages": messages}).to_string();
    let reply = server.complete(CHAT, &body).await.json();
    let answer = reply["choices"][0]["message"]["content"].as_str().unwrap().to_owned();
    chat.push(("assistant", answer.clone()));
    answer
}

#[test]
fn words_answer_chat_questions_in_order() {
    block_on(async {
        let save = Save::default();
        let server = saving(&save).await;
        let mut chat = Vec::new();
        let asked = say(&server, &mut chat, "Save both.").await;
        assert_eq!(asked.matches("May `save` run").count(), 2, "{asked}");
        assert!(asked.contains("Answer `yes` or `no`"), "{asked}");
        assert!(asked.contains(&format!("](http://{}/#q/", server.address)), "{asked}");
        let second = say(&server, &mut chat, "Yes.").await;
        assert_eq!(second.matches("May `save` run").count(), 1, "{second}");
        assert_eq!(save.count(), 0, "the run waits for all answers");
        let rest = say(&server, &mut chat, "no").await;
        assert_eq!((&*rest, save.count()), ("It is saved.", 1));
        // The words of the answer are not prompts.
        assert_eq!(say(&server, &mut chat, "Thanks").await, "You are welcome.");
        let log = server.send("GET", "/conversations/c1", "").await.json();
        let prompts: Vec<_> = log["events"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|e| e["type"] == "user")
            .map(|e| e["content"].as_str().unwrap())
            .collect();
        assert_eq!(prompts, ["Save both.", "Thanks"]);
        assert_eq!(server.listed().await, 1);
    });
}

#[test]
fn only_plain_yes_approves() {
    block_on(async {
        for (said, runs) in [
            ("yes to all", 2),
            ("OK, all", 2),
            ("yes, but only in the copy", 0),
            ("What does it do?", 0),
            ("Do not say yes", 0),
            ("no to all", 0),
        ] {
            let save = Save::default();
            let server = saving(&save).await;
            let mut chat = Vec::new();
            say(&server, &mut chat, "Save both.").await;
            assert_eq!(say(&server, &mut chat, said).await, "It is saved.", "{said}");
            assert_eq!(save.count(), runs, "{said}");
            let log = server.send("GET", "/conversations/c1", "").await.body;
            let is_read = log.contains(&format!("and said: {said}"));
            assert_eq!(is_read, runs == 0 && !said.starts_with("no"), "{said} {log}");
        }
    });
}

#[test]
fn unnamed_chat_continues_by_its_history() {
    block_on(async {
        let script =
            ["One.", "One!", "Two.", "Zwei."].map(|text| format!("§respond: {text}\n§end"));
        let server = TestServer::new(ScriptedModel::parse(&script.join("\n%%\n"), 1)).await;
        let first = [("user", "1?")];
        // Two chats begin with the same words.
        server.complete("", &request("silcrow", false, &first)).await;
        server.complete("", &request("silcrow", true, &first)).await;
        let more = |answer| [("user", "1?"), ("assistant", answer), ("user", "2?")];
        server.complete("", &request("silcrow", false, &more("One."))).await;
        server.complete("", &request("silcrow", false, &more("One!"))).await;
        assert_eq!(server.listed().await, 0);
        let list = server.send("GET", "/conversations?one_off=true", "").await.json();
        let list = list["conversations"].as_array().unwrap();
        assert_eq!(list.len(), 2, "{list:?}");
        let mut answers = Vec::new();
        for one in list {
            let log = server
                .send("GET", &format!("/conversations/{}", one["id"].as_str().unwrap()), "")
                .await
                .json();
            let said = log["events"].as_array().unwrap().iter().filter(|e| e["type"] == "respond");
            answers
                .push(said.map(|e| e["content"].as_str().unwrap().to_owned()).collect::<Vec<_>>());
        }
        answers.sort();
        assert_eq!(answers, [["One!", "Zwei."], ["One.", "Two."]]);
    });
}
